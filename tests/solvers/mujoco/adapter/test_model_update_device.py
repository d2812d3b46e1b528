"""Rows N-022 and N-102 on the device: every number of every world follows the scene, without the host, without new
memory, for every flag.
"""

import numpy as np
import pytest
import warp as wp

from newtonlite.core.enums import BodyFlags, ModelFlags
from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.fields import MODEL
from tests.harness.engine_scenes import Y, Z, builder, every_joint, pose, random_state
from tests.harness.newton_scenes import solver, step
from tests.tolerance import assert_close, assert_same

pytestmark = [
    pytest.mark.filterwarnings("ignore:add_constraint_mimic"),
    pytest.mark.filterwarnings("ignore:.*joint_target_mode of free joint"),
]

SCENE = """
<mujoco>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 .1" friction=".7 .01 .001"/>
    <body name="a" pos="0 0 1">
      <joint name="slide" type="slide" axis="1 0 .2" range="-1 1" stiffness="3" springref=".1" damping=".2" ref=".05"/>
      <joint name="hinge" axis="0 1 0" range="-2 2" armature=".02" frictionloss=".1" actuatorfrcrange="-3 4"/>
      <geom name="shell" size=".1 .2" type="capsule" mass="1" pos=".01 .02 .03" euler="10 20 30"/>
      <site name="s0" pos=".1 0 .1"/>
      <site name="s1" pos=".1 0 -.1" euler="0 30 0"/>
      <body name="b" pos=".1 .2 -.5" gravcomp=".3">
        <joint name="ball" type="ball" damping=".1"/>
        <geom name="brick" type="ellipsoid" size=".05 .1 .15" mass=".5" solref=".01 .9" solmix="2"/>
        <site name="s2" pos="0 .1 -.1"/>
        <body name="c" pos="0 0 -.4">
          <joint name="tuned" axis="1 0 0" springdamper=".1 .8"/>
          <joint name="last" axis="0 1 0" damping=".1" margin=".01"/>
          <geom name="tip" size=".1" mass=".3"/>
          <site name="s3" pos="0 0 -.1"/>
        </body>
      </body>
    </body>
    <body name="free" pos="1 0 1"><freejoint/><geom name="cyl" type="cylinder" size=".1 .1" mass="2"/></body>
    <body name="double" pos="1 1 1"><freejoint/><geom size=".12" mass="1"/></body>
    <body name="target" mocap="true" pos="0 2 1"/>
  </worldbody>
  <contact><pair geom1="tip" geom2="cyl" friction=".5 .5 .01 .001 .001" margin=".01"/></contact>
  <tendon>
    <fixed name="sum" range="-1 1" limited="true" stiffness="2" damping=".3" frictionloss=".2"><joint joint="slide" coef="1"/><joint joint="hinge" coef=".5"/></fixed>
    <spatial name="string" stiffness="5"><site site="s0"/><site site="s2"/><pulley divisor="2"/><site site="s1"/><site site="s3"/></spatial>
  </tendon>
  <equality>
    <weld body1="free" body2="double" relpose="0 0 0 0 0 0 0"/>
    <connect body1="b" body2="free" anchor=".1 .2 .3" active="false"/>
    <joint joint1="last" joint2="slide" polycoef=".1 .2 0 0 0"/>
  </equality>
  <actuator>
    <position name="servo" joint="hinge" kp="20" dampratio=".7" ctrlrange="-1 1"/>
    <general name="pull" tendon="sum" gainprm="2" gear="1.5" armature=".03" damping=".2"/>
    <motor name="site" site="s2" refsite="s0" gear="0 0 1 0 0 0" forcerange="-2 2"/>
    <intvelocity name="act" joint="last" kp="3" actrange="-1 1"/>
  </actuator>
  <sensor><jointpos joint="hinge" cutoff="1.5"/><touch site="s3"/></sensor>
</mujoco>
"""
WORLDS = 3
STILL = 1
"""The world that nothing is changed in."""
FLAGS = [f for f in ModelFlags if f != ModelFlags.ALL]
NEW = {
    ModelFlags.JOINT_PROPERTIES: "joint_X_p joint_X_c",
    ModelFlags.JOINT_DOF_PROPERTIES: "joint_axis joint_armature joint_damping joint_friction joint_limit_lower joint_limit_upper joint_limit_ke joint_limit_kd"
    " joint_stiffness joint_target_ke joint_target_kd mujoco:solimplimit mujoco:solreffriction mujoco:jnt_actfrcrange mujoco:jnt_springdamper mujoco:limit_margin",
    ModelFlags.BODY_PROPERTIES: "mujoco:gravcomp",
    ModelFlags.BODY_INERTIAL_PROPERTIES: "body_mass body_com body_inertia",
    ModelFlags.SHAPE_PROPERTIES: "shape_transform shape_scale shape_material_mu shape_material_mu_torsional shape_material_ke shape_material_kd shape_margin"
    " mujoco:geom_solmix mujoco:geom_solimp mujoco:solref mujoco:pair_friction mujoco:pair_margin mujoco:pair_solref",
    ModelFlags.MODEL_PROPERTIES: "gravity mujoco:sensor_cutoff",
    ModelFlags.CONSTRAINT_PROPERTIES: "mujoco:eq_solref mujoco:equality_constraint_anchor mujoco:equality_constraint_torquescale"
    " mujoco:equality_constraint_polycoef constraint_mimic_coef1",
    ModelFlags.TENDON_PROPERTIES: "mujoco:tendon_coef mujoco:tendon_stiffness mujoco:tendon_damping mujoco:tendon_frictionloss mujoco:tendon_range"
    " mujoco:tendon_solref_limit",
    ModelFlags.ACTUATOR_PROPERTIES: "mujoco:actuator_gainprm mujoco:actuator_gear mujoco:actuator_ctrlrange mujoco:actuator_forcerange mujoco:actuator_actrange"
    " mujoco:actuator_armature mujoco:actuator_damping",
    ModelFlags.JOINT_REFERENCE_POSE_PROPERTIES: "mujoco:dof_ref joint_rest_q body_q",
}
"""What is changed for each flag; the others tell of parts of these."""
UNSEEN = ("dof_length", "history0")
"""Fields that nothing reads here: speeds at which trees fall asleep (``test_model_update_more.py`` has them), and buffers
after a reset.
"""


def scene():
    """Everything that has numbers: joints, springs, drives, tendons, ties, loops, actuators of all transmissions,
    pairs, sensors.
    """
    b = builder()
    b.add_mjcf(SCENE)
    links = [b.add_link(label=f"link{k}") for k in range(3)]
    for k, link in enumerate(links):
        b.add_shape_capsule(link, xform=pose(0.02 * k, 0, 0.1), radius=0.03, half_height=0.1)
    hinges = [
        b.add_joint_revolute(
            -1 if k == 0 else links[k - 1],
            link,
            axis=Y,
            parent_xform=pose(2.0 * (k == 0), 0, 0.3 * (k > 0)),
            target_ke=5.0,
            target_kd=0.5,
            actuator_mode=mode,
            effort_limit=9.0,
            limit_lower=-1.0,
            limit_upper=1.0,
            label=f"arm{k}",
        )
        for k, (link, mode) in enumerate(zip(links, (1, 2, 3), strict=True))
    ]
    b.add_articulation(hinges)
    b.add_joint_revolute(-1, links[2], axis=Z, parent_xform=pose(2.0, 0, 0.9), child_xform=pose(0, 0, 0.3))
    b.add_constraint_mimic(hinges[1], hinges[0], 0.1, 0.5)
    return b


def worlds(device):
    """Worlds of that scene."""
    b = builder()
    b.replicate(scene(), WORLDS)
    return b.finalize(device=device)


def attribute(model, name):
    """An array of the model."""
    space, _, key = name.rpartition(":")
    return getattr(getattr(model, space) if space else model, key)


def change(model, name: str, seed: int) -> None:
    """Scale an attribute's numbers, by other factors in each world but one; what has a direction is turned instead."""
    array, rng = attribute(model, name), np.random.default_rng(seed)
    values = array.numpy().astype(np.float64)
    per_world = values.reshape(WORLDS, -1, *values.shape[1:]) if len(values) % WORLDS == 0 else values[:WORLDS, None]
    for w in (0, 2):
        here = per_world[w]
        if name in ("joint_X_p", "joint_X_c", "shape_transform", "body_q"):
            here[:, :3] += rng.normal(scale=0.05, size=here[:, :3].shape)
            here[:, 3:] += rng.normal(scale=0.05, size=here[:, 3:].shape)
            here[:, 3:] /= np.linalg.norm(here[:, 3:], axis=1, keepdims=True)
        elif name == "body_inertia":
            turn = np.linalg.qr(rng.normal(size=(len(here), 3, 3)))[0]
            here[:] = turn @ here @ turn.transpose(0, 2, 1)
        elif name in ("body_com", "mujoco:dof_ref", "joint_rest_q", "joint_axis", "mujoco:equality_constraint_anchor"):
            here += rng.normal(scale=0.05, size=here.shape)
        elif name in ("mujoco:actuator_gainprm",):
            here[1:] *= rng.uniform(0.6, 1.4, here[1:].shape)
        else:
            here *= np.where(np.abs(here) < 1e6, rng.uniform(0.6, 0.95, here.shape), 1.0)
    array.assign(values.astype(array.numpy().dtype).reshape(array.numpy().shape))


def refuse(*_, **__):
    """Stands where the host would be reached."""
    raise AssertionError("the host was asked")


def follow_without_host(s, flags, monkeypatch) -> None:
    """Tell a solver of changes while nothing may go between host and device."""
    with monkeypatch.context() as patch:
        patch.setattr(wp.array, "numpy", refuse)
        patch.setattr(wp.array, "assign", refuse)
        patch.setattr(wp.array, "list", refuse)
        patch.setattr(type(s.only), "_compile", refuse)
        patch.setattr(
            "newtonlite.solvers.mujoco.solver.warn_limit_references", lambda model: None
        )  # a warning of the CPU alone
        s.notify_model_changed(flags)


def pointers(s) -> dict:
    """Where every array of the engine's model and data is."""
    return {name: a.ptr for owner in (s.mjw_model, s.mjw_data) for name, a in owner.arrays.items()}


def compare(s, fresh) -> None:
    """Every parameter of a solver that followed is that of one made anew."""
    for field in MODEL:
        if (
            field.role != "param"
            or field.name in UNSEEN
            or field.name.startswith("opt_")
            and field.name != "opt_gravity"
        ):
            continue
        got, want = (np.asarray(x.mjw_model.arrays[field.name].numpy(), float) for x in (s, fresh))
        got, want = (np.broadcast_to(x, (WORLDS, *x.shape[1:])) for x in (got, want))
        if field.name in ("body_inertia", "body_iquat"):
            continue
        assert_close(
            got.reshape(WORLDS, -1)[None], want.reshape(WORLDS, -1)[None], "reference", floor=1.0, what=field.name
        )
    tensors = [tensor(x.mjw_model) for x in (s, fresh)]
    assert_close(
        *(np.broadcast_to(t, (WORLDS, *t.shape[1:]))[None] for t in tensors), "reference", floor=1.0, what="inertia"
    )


def tensor(m) -> np.ndarray:
    """Inertia of bodies about their own axes, [nworld or 1, nbody, 3, 3]."""
    w, x, y, z = np.moveaxis(m.body_iquat.numpy(), -1, 0)
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    turn = np.moveaxis(turn, (0, 1), (-2, -1))
    moments = m.body_inertia.numpy()
    return turn * moments[..., None, :] @ np.swapaxes(turn, -1, -2)


def test_n_102_every_number_follows_on_the_device_as_if_made_anew(device, monkeypatch):
    """For each flag in turn: no host, no new memory from the second time on, the parameters of a solver made anew,
    other worlds' bits kept.
    """
    model = worlds(device)
    s = solver(model)
    s.notify_model_changed(ModelFlags.ALL)
    first = pointers(s)
    for k, (flag, names) in enumerate(NEW.items()):
        kept = {
            name: a.numpy()[STILL] for name, a in s.mjw_model.arrays.items() if a.ndim and len(a) == WORLDS and a.size
        }
        for j, name in enumerate(names.split()):
            change(model, name, 100 * k + j)
        follow_without_host(s, flag, monkeypatch)
        assert pointers(s) == first
        for name, before in kept.items():
            if name in {f.name for f in MODEL if f.role == "param"}:
                assert_same(s.mjw_model.arrays[name].numpy()[STILL], before, f"{flag.name} {name}")
    compare(s, solver(model))
    state = random_state(model)
    s.reset(model.state())
    assert_close(step(s, state).joint_qd.numpy()[None], step(solver(model), state).joint_qd.numpy()[None], "qacc")


def test_n_102_worlds_that_nothing_was_changed_in_step_to_the_same_bits(device):
    """Against a solver that was never notified of anything."""
    model = worlds(device)
    s, untouched, state = solver(model), solver(model), random_state(model)
    change(model, "body_mass", 1)
    change(model, "joint_armature", 2)
    change(model, "shape_material_mu", 3)
    s.notify_model_changed(ModelFlags.ALL)
    for flag in FLAGS:
        s.notify_model_changed(flag)
    got, want = (step(x, state, steps=3).joint_qd.numpy().reshape(WORLDS, -1) for x in (s, untouched))
    assert_same(got[STILL], want[STILL])
    assert np.abs(got[0] - want[0]).max() > 1e-3


@pytest.mark.parametrize(
    "name,value,flag",
    [
        ("joint_friction", 0.5, ModelFlags.JOINT_DOF_PROPERTIES),
        ("joint_target_mode", 0, ModelFlags.JOINT_DOF_PROPERTIES),
        ("joint_limit_lower", -0.5, ModelFlags.JOINT_DOF_PROPERTIES),
        ("shape_collision_group", 0, ModelFlags.SHAPE_PROPERTIES),
        ("body_flags", int(BodyFlags.KINEMATIC), ModelFlags.BODY_PROPERTIES),
    ],
)
def test_n_102_changes_of_structure_are_seen_on_the_device(device, name, value, flag):
    """What alters the lists of the engine is compiled anew outside of a graph; the parameters are then those of a new
    solver.
    """
    b = builder()
    b.replicate(every_joint(), 2)
    model = b.finalize(device=device)
    s = solver(model)
    values = attribute(model, name).numpy()
    values[0 if name != "shape_collision_group" else slice(None)] = value
    if name == "joint_target_mode":
        values[:] = np.where(values == 0, 1, 0)
    if name == "body_flags":
        values[len(values) // 2] = value  # the same root in both worlds
    attribute(model, name).assign(values)
    s.only._updater.watch.run(int(flag))
    assert s.only._updater.watch.read(int(flag)) == name
    with pytest.raises(StateError, match=f"model.{name}.*outside of the graph"):
        s.check_model()
    s.notify_model_changed(flag)
    s.check_model()
    fresh = solver(model)
    for size in ("nfriction", "nlimit", "nu", "ncandidate"):
        assert s.mjw_model.sizes[size] == fresh.mjw_model.sizes[size]


def test_n_102_a_recorded_graph_follows_changes(device):
    """The whole notification is one graph; what is launched again follows the scene as it is then."""
    model = worlds(device)
    s = solver(model)
    s.notify_model_changed(ModelFlags.ALL)
    with wp.ScopedCapture(device) as capture:
        s.notify_model_changed(ModelFlags.ALL)
    for names in NEW.values():
        for j, name in enumerate(names.split()):
            change(model, name, j)
    wp.capture_launch(capture.graph)
    s.check_model()
    compare(s, solver(model))

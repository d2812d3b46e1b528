"""Worlds of several structures in one model: each structure has an engine, and every world does what it does in a model
of its own.
"""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.enums import ModelFlags, StateFlags
from newtonlite.core.errors import ModelError, StateError
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.compile.structure_groups import group_worlds
from tests.harness.engine_scenes import add_lopsided, builder, every_joint, pose, random_state
from tests.harness.newton_scenes import solver
from tests.oracle import MODELS
from tests.tolerance import assert_close, assert_same

EVEN, MIXED = "AABBB", "ABBABAAB"
"""Orders of worlds: views of the scene's arrays suffice for the first, the second needs copies."""
OPTIONS = {"integrator": "implicitfast", "enable_multiccd": True}
"""What a model has once for all worlds is said here, so that it is the same in each model."""
PARTS = {"coord": ("joint_q",), "dof": ("joint_qd",), "body": ("body_q", "body_qd")}


def kinds():
    """Two scenes of different structure: a tree of all joints with a free body, and a driven arm with a ball that falls
    on the ground.
    """
    arm = builder()
    arm.add_mjcf(str(MODELS / "arm_position_actuators.xml"))
    add_lopsided(arm, z=0.2)
    return {"A": every_joint(), "B": arm}


def scene(order: str):
    """A model with worlds in this order over common ground."""
    b, of = builder(), kinds()
    b.add_ground_plane()
    for letter in order:
        b.add_world(of[letter])
    return b


def rows(model, kind: str, worlds):
    """Rows of the flat arrays that belong to these worlds, in their order."""
    start = {
        "coord": model.joint_coord_world_start,
        "dof": model.joint_dof_world_start,
        "body": model.body_world_start,
    }[kind].numpy()
    return np.concatenate([np.arange(start[w], start[w + 1]) for w in worlds])


def excited(model, seed=1):
    """A state with speeds, and controls that are not zero."""
    state, control = random_state(model, seed, speed=0.5), model.control()
    rng = np.random.default_rng(seed)
    for array in (state.body_f, control.joint_f):
        array.assign((0.2 * rng.normal(size=array.numpy().shape)).astype(np.float32))
    if model.custom_frequency_counts["mujoco:actuator"]:
        control.mujoco.ctrl.assign(rng.normal(size=control.mujoco.ctrl.shape).astype(np.float32))
    return state, control


def run(s, state, control, steps=3):
    first, second = s.model.state(), s.model.state()
    first.assign(state)
    for _ in range(steps):
        s.step(first, second, control, None, 0.002)
        first, second = second, first
    return first


def alone(order: str, letter: str, model, state, control, device):
    """The worlds of one letter in a model of their own, in the same state, under the same controls."""
    own = scene(letter * order.count(letter)).finalize(device=device)
    chosen = [k for k, c in enumerate(order) if c == letter]
    of = {"joint_q": "coord", "joint_qd": "dof", "body_q": "body", "body_qd": "body", "body_f": "body"}
    begin, steer = own.state(), own.control()
    for name, kind in of.items():
        getattr(begin, name).assign(getattr(state, name).numpy()[rows(model, kind, chosen)])
    for name, kind in {"joint_f": "dof", "joint_target_q": "coord", "joint_target_qd": "dof"}.items():
        getattr(steer, name).assign(getattr(control, name).numpy()[rows(model, kind, chosen)])
    if own.custom_frequency_counts["mujoco:actuator"]:
        world = model.mujoco.actuator_world.numpy()
        steer.mujoco.ctrl.assign(control.mujoco.ctrl.numpy()[np.isin(world, chosen)])
    return own, begin, steer, chosen


@pytest.mark.parametrize("order", [EVEN, MIXED])
def test_each_world_does_what_it_does_in_a_model_of_its_own(order, device):
    model = scene(order).finalize(device=device)
    s = solver(model, **OPTIONS)
    assert [engine.nworld for engine in s.groups] == [order.count("A"), order.count("B")]
    state, control = excited(model)
    after = run(s, state, control)
    for letter in "AB":
        own, begin, steer, chosen = alone(order, letter, model, state, control, device)
        want = run(solver(own, **OPTIONS), begin, steer)
        for kind, names in PARTS.items():
            for name in names:
                assert_same(
                    getattr(after, name).numpy()[rows(model, kind, chosen)],
                    getattr(want, name).numpy(),
                    f"{letter} {name}",
                )


@pytest.mark.parametrize("order", [EVEN, MIXED])
def test_a_reset_reaches_the_chosen_worlds_of_every_structure(order, device):
    model = scene(order).finalize(device=device)
    s = solver(model)
    state, control = excited(model)
    after = run(s, state, control)
    before = {name: getattr(after, name).numpy() for names in PARTS.values() for name in names}
    mask = np.zeros(len(order), bool)
    mask[[1, 2]] = True
    s.reset(after, wp.array(mask, dtype=wp.bool, device=device), StateFlags.ALL)
    for kind, names in PARTS.items():
        for name in names:
            reset, kept = (rows(model, kind, np.flatnonzero(m)) for m in (mask, ~mask))
            assert_same(getattr(after, name).numpy()[reset], getattr(model, name).numpy()[reset], name)
            assert_same(getattr(after, name).numpy()[kept], before[name][kept], name)


@pytest.mark.filterwarnings(
    "ignore:.*lost its digits"
)  # the boxes begin in each other, and fling an arm's slide far out
@pytest.mark.parametrize("own", [True, False])
def test_contacts_of_all_structures_are_listed_and_may_be_handed_back(own, device):
    model = scene(MIXED).finalize(device=device)
    s = solver(model)
    state, control = model.state(), model.control()
    after = run(s, state, control, 60)
    contacts = newton.Contacts(s.get_max_contact_count(), 0, device=device)
    s.step(after, model.state(), control, None, 0.002)
    s.update_contacts(contacts)
    count = int(contacts.rigid_contact_count.numpy()[0])
    shapes = contacts.rigid_contact_shape1.numpy()[:count]
    world = np.maximum(
        model.shape_world.numpy()[shapes], model.shape_world.numpy()[contacts.rigid_contact_shape0.numpy()[:count]]
    )
    assert count == sum(int(engine.mjw_data.ncon.numpy().sum()) for engine in s.groups) and set(world.tolist()) == set(
        range(len(MIXED))
    )
    if not own:
        contacts.rigid_contact_force.zero_()
        given = solver(model, use_mujoco_contacts=False)
        given.step(after, model.state(), control, contacts, 0.002)
        given.update_contacts(contacts)
        assert [int(e.mjw_data.ncon.numpy().sum()) for e in given.groups] == [
            int(e.mjw_data.ncon.numpy().sum()) for e in s.groups
        ]
        pressed = np.linalg.norm(contacts.rigid_contact_force.numpy()[:count], axis=1) > 0
        assert set(world[pressed].tolist()) == set(range(len(MIXED)))


def test_changes_of_the_model_reach_every_structure(device):
    model = scene(MIXED).finalize(device=device)
    s = solver(model)
    mass = model.body_mass.numpy() * np.float32(1.5)
    model.body_mass.assign(mass)
    gravity = model.gravity.numpy()
    gravity[: len(MIXED), 2] = -np.arange(1, len(MIXED) + 1)
    model.gravity.assign(gravity)
    model.shape_material_mu.assign(np.linspace(0.2, 0.9, model.shape_count))
    updaters = [engine._updater for engine in s.groups]
    s.notify_model_changed(ModelFlags.ALL)
    fresh = solver(model)
    assert [
        engine._updater for engine in s.groups
    ] == updaters  # followed in place, nothing was taken for a change of structure
    for engine, made in zip(s.groups, fresh.groups, strict=True):
        for name in ("geom_friction", "actuator_gainprm", "jnt_range", "dof_invweight0", "geom_solref"):
            got, want = (getattr(e.mjw_model, name).numpy() for e in (engine, made))
            assert_close(got, np.broadcast_to(want, got.shape), "reference", floor=1.0, what=name)
        bodies = engine.worlds_view.rows("body")[:, engine.mj_model.newton_body[1:]]
        assert_same(np.broadcast_to(engine.mjw_model.body_mass.numpy()[:, 1:], bodies.shape), mass[bodies])
        assert_same(engine.mjw_model.opt_gravity.numpy()[:, 2], gravity[engine.worlds, 2])


def test_groups_are_worlds_alike_in_all_that_is_not_a_number(device):
    b = builder()
    for k in range(6):
        b.begin_world()
        body = b.add_body(label="thing")
        (b.add_shape_box if k % 3 < 2 else b.add_shape_sphere)(body)
        if k % 3 == 1:
            b.add_shape_box(body, hx=0.1 * (k + 1))
        b.end_world()
    assert [g.tolist() for g in group_worlds(b.finalize(device=device))] == [[0, 3], [1, 4], [2, 5]]


def test_height_fields_of_equal_heights_are_one_structure(device):
    b, heights = builder(), np.random.default_rng(0).random((4, 5))
    for raised in (0.0, 0.0, 0.5):
        b.begin_world()
        b.add_shape_heightfield(heightfield=newton.Heightfield(heights + raised, nrow=4, ncol=5))
        b.add_shape_sphere(b.add_body(xform=pose(0, 0, 3)), radius=0.1)
        b.end_world()
    assert [g.tolist() for g in group_worlds(b.finalize(device=device))] == [[0, 1], [2]]


def test_speeds_to_sleep_below_zero_are_refused_with_their_world(device):
    b, one = builder(), builder()
    SolverMuJoCo.register_custom_attributes(one)
    one.add_shape_sphere(one.add_body(), radius=0.1)
    b.replicate(one, 2)
    model = b.finalize(device=device)
    model.mujoco.sleep_tolerance.assign([0.01, -1.0])
    with pytest.raises(ModelError, match=r"got -1.0 at world 1"):
        solver(model, enable_sleeping=True)


def test_what_only_one_engine_has_is_asked_of_the_groups(device):
    s = solver(scene(EVEN).finalize(device=device))
    with pytest.raises(ModelError, match=r"worlds have 2 structures.*use groups\[0\]: 2 worlds, groups\[1\]: 3 worlds"):
        _ = s.mj_data
    assert s.groups[1].mjw_data.nworld == 3 and s.check_capacity()


@pytest.mark.parametrize("order", [EVEN, MIXED])
def test_what_engines_have_is_read_as_one_by_world(order, device):
    """Rows in the order of worlds, padded; contacts in one list with the scene's worlds; nothing can be written."""
    model = scene(order).finalize(device=device)
    s, state = solver(model, **OPTIONS), model.state()
    s.step(state, state, model.control(), None, 0.002)
    wide = max(engine.mj_model.nbody for engine in s.groups)
    found = {name: getattr(s.mjw_model, name).numpy() for name in ("body_mass", "geom_pos")}
    qpos, contact, rows = s.mjw_data.qpos.numpy(), s.mjw_data.contact, s.mjc_geom_to_newton_shape.numpy()
    assert found["body_mass"].shape == (len(order), wide) == (s.nworld, s.mjw_model.nbody)
    for engine in s.groups:
        for k, world in enumerate(engine.worlds):
            nq, ngeom = engine.mj_model.nq, engine.mj_model.ngeom
            assert_same(qpos[world, :nq], engine.mjw_data.qpos.numpy()[k])
            assert not qpos[world, nq:].any() and (rows[world, ngeom:] == -1).all()
            assert_same(rows[world, :ngeom], engine.shapes[k].astype(np.int32))
            near = contact.worldid.numpy() == world
            assert near.sum() == engine.mjw_data.ncon.numpy()[k]
            assert_same(
                np.sort(contact.dist.numpy()[near]), np.sort(engine.mjw_data.contact_dist.numpy()[k, : near.sum()])
            )
    assert s.mjw_data.nacon.numpy()[0] == len(contact.worldid.numpy()) > 0
    for write in (
        lambda: s.mjw_data.qpos.fill_(0.0),
        lambda: s.mjw_model.body_mass.assign(found["body_mass"]),
        lambda: setattr(s.mjw_data, "qpos", 0),
        lambda: s.mjw_data.qpos.__setitem__(0, 0),
    ):
        with pytest.raises(StateError, match=r"write to those of solver.groups"):
            write()
    with pytest.raises(StateError, match="jnt_type: differs between worlds"):
        _ = s.mjw_model.jnt_type


def test_separate_worlds_may_have_other_meshes(device):
    """Each world collides with its own mesh, also where they were asked to be separate."""
    b = builder()
    b.add_ground_plane()
    for half in (0.1, 0.2):
        one = builder()
        one.add_shape_convex_hull(one.add_body(xform=pose(0, 0, 0.15)), mesh=newton.Mesh.create_box(half))
        b.add_world(one)
    model = b.finalize(device=device)
    s = solver(model, separate_worlds=True, nconmax=16)
    s.step(model.state(), model.state(), model.control(), None, 0.002)
    contact = s.mjw_data.contact
    assert s.mjw_model.nmesh == 2 and set(contact.worldid.numpy().tolist()) == {1}
    assert_close(contact.dist.numpy().min(), -0.05, "kinematics")


def test_worlds_that_are_to_be_separate_must_be_alike(device):
    with pytest.raises(ValueError, match="separate_worlds: world"):
        SolverMuJoCo(scene(EVEN).finalize(device=device), separate_worlds=True)


def test_each_structure_is_saved_in_a_file_of_its_own(device, tmp_path):
    s = solver(scene("AB").finalize(device=device), save_to_mjcf=str(tmp_path / "scene.xml"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["scene_0.xml", "scene_1.xml"]
    for k, engine in enumerate(s.groups):
        b = builder()
        b.add_mjcf(str(tmp_path / f"scene_{k}.xml"))
        again = solver(b.finalize(device=device)).mj_model
        assert (again.nq, again.nv, again.nbody, again.ngeom, again.nu) == tuple(
            getattr(engine.mj_model, n) for n in ("nq", "nv", "nbody", "ngeom", "nu")
        )
        assert_close(again.body_mass, engine.mj_model.body_mass, "reference")


def test_memory_of_several_structures_is_that_of_their_engines(device):
    """As many as there are, and any other number in these proportions."""
    s = solver(scene(EVEN).finalize(device=device))
    said, parts = s.memory_report(), [engine.memory_report() for engine in s.groups]
    assert said.nworld == 5 and said.total == sum(p.total for p in parts)
    arrays = sum(a.capacity for e in s.groups for a in e.mjw_data.arrays.values() if a.size)
    assert sum(said.data.values()) == arrays
    many = s.memory_report(1001)
    assert (
        many.nworld == 1001
        and many.total == s.groups[0].memory_report(401).total + s.groups[1].memory_report(600).total
    )


FILE = """<mujoco><worldbody><body mocap="true" pos="1 2 3"/><body><joint name="{0}" type="ball"/><geom size=".1"/><body pos="0 0 -1"><joint name="{0}1"/><geom size=".1"/>
</body></body></worldbody><actuator><intvelocity joint="{0}1" kp="2" actrange="-1 1"/><motor joint="{0}1"/></actuator>
<keyframe><key name="{0}" qpos="0 1 0 0 {1}" qvel="1 2 3 {1}" act="{1}" ctrl="{1} 2" mpos="4 5 {1}" mquat="0 0 1 0"/></keyframe></mujoco>"""


def test_keyframes_of_two_files_hold_the_numbers_of_their_own_things(device):
    """What a keyframe does not know of is as in the reference pose."""
    world, b = builder(), builder()
    for k, name in enumerate("ab"):
        one = builder()
        one.add_mjcf(FILE.format(name, 0.25 + k))
        world.add_builder(one, label_prefix=name)
    b.replicate(world, 2)
    m = solver(b.finalize(device=device)).mj_model
    ball, quat = [1.0, 0, 0, 0], [0, 0, 1.0, 0]
    assert_same(m.key_qpos, [[0, 1, 0, 0, 0.25, *ball, 0], [*ball, 0, 0, 1, 0, 0, 1.25]])
    assert_same(m.key_qvel, [[1, 2, 3, 0.25, 0, 0, 0, 0], [0, 0, 0, 0, 1, 2, 3, 1.25]])
    assert_same(m.key_act, [[0.25, 0], [0, 1.25]])
    assert_same(m.key_ctrl, [[0.25, 2, 0, 0], [0, 0, 1.25, 2]])
    assert_same(m.key_mpos, [[4, 5, 0.25, 1, 2, 3], [1, 2, 3, 4, 5, 1.25]])
    assert_same(m.key_mquat, [[*quat, *ball], [*ball, *quat]])


ENERGIES = (43, 44)
"""Sensors of all there is; so are those of the world body."""


@pytest.mark.parametrize(
    "name", ["slider_crank", "general_actuators_with_limits", "actuator_between_sites", "sensors_of_motion"]
)
def test_what_a_file_refers_to_is_found_behind_other_things(name, device):
    """Transmissions and sensors, in a world that has a driven arm before them and in one of their own, do the same."""
    arm = builder()
    arm.add_mjcf(str(MODELS / "arm_position_actuators.xml"))
    alone, behind = builder(), builder()
    alone.add_mjcf(str(MODELS / f"{name}.xml"))
    behind.add_builder(arm, xform=pose(30.0, 0.0, 0.0))
    behind.add_builder(alone, label_prefix="second")
    options = {**OPTIONS, "solver": "newton", "cone": "pyramidal", "iterations": 100, "tolerance": 0.0}
    models = [b.finalize(device=device) for b in (alone, behind)]
    solvers = [solver(model, **options) for model in models]
    one, two = (s.mj_model for s in solvers)
    first, second, rng = models[0].state(), models[1].state(), np.random.default_rng(3)
    controls = [model.control() for model in models]
    ctrl = rng.uniform(-1, 1, one.nu).astype(np.float32)
    for _m, control in ((one, controls[0]), (two, controls[1])):
        values = control.mujoco.ctrl.numpy()
        values[len(values) - one.nu :] = ctrl if len(values) >= one.nu else 0.0
        control.mujoco.ctrl.assign(values)
    for _ in range(3):
        for s, state, control in zip(solvers, (first, second), controls, strict=True):
            s.step(state, state, control, None, 0.002)
    n = models[0].joint_dof_count
    assert two.nactuator - one.nactuator == solver(arm.finalize(device=device)).mj_model.nactuator
    assert_close(second.joint_qd.numpy()[None, -n:], first.joint_qd.numpy()[None], "next", floor=1.0)
    assert_close(two.actuator_gear[-len(one.actuator_gear) :], one.actuator_gear, "compiled")
    if one.nsensordata:
        got, want = (s.mjw_data.sensordata.numpy()[:, -one.nsensordata :] for s in solvers)
        everything = np.isin(one.sensor_type, ENERGIES) | (one.sensor_objtype == 1) & (one.sensor_objid == 0)
        local = np.repeat(~everything, one.sensor_dim)
        assert_close(got[:, local], want[:, local], "next", floor=1.0)

"""Row N-102, roots that are moved: what was read off the reference pose stays, whatever parameters change later."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from newtonlite.core.enums import ModelFlags
from newtonlite.solvers.mujoco.adapter.reference_pose import RELATIONS
from newtonlite.solvers.mujoco.bindings import BINDS, DERIVED, WATCHES, Bind
from newtonlite.solvers.mujoco.fields import MODEL
from tests.harness.engine_scenes import builder
from tests.harness.newton_scenes import solver, step
from tests.solvers.mujoco.adapter.test_model_update_device import attribute
from tests.tolerance import assert_close, assert_same, relative_error, tolerance

TIED = """<mujoco><option timestep=".002" gravity="0 0 0"/>
<worldbody><site name="post" pos="2 0 0"/>
<body name="hand" mocap="true" pos="0 0 1"><geom size=".02" contype="0" conaffinity="0"/><site name="grip" pos="0 .1 0"/></body>
<body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1" contype="0" conaffinity="0"/></body>
<body name="ball" pos="0 .5 1"><freejoint/><geom size=".1" mass="1" contype="0" conaffinity="0"/><site name="hook"/></body>
<body name="arm" pos="1 0 1"><joint name="elbow" axis="0 1 0" ref=".2" damping=".1"/><geom size=".1" pos="0 0 .2" mass="1"/></body>
<body name="bar" pos="3 0 1"><joint name="rail" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/><site name="end"/></body></worldbody>
<tendon><spatial name="band" springlength="-1" stiffness="20" damping="1"><site site="grip"/><site site="hook"/></spatial>
<spatial name="given" springlength=".5" stiffness="2"><site site="post"/><site site="end"/></spatial></tendon>
<equality><weld body1="hand" body2="box" solref=".01 1"/><connect body1="hand" body2="ball" anchor="0 .2 0" active="false"/>
<weld body1="arm" body2="box" relpose="0 0 1 1 0 0 0" active="false"/><connect body1="arm" body2="bar" anchor="0 0 .1" active="false"/></equality>
</mujoco>"""
FREELY = ("body_pos", "body_quat")
"""What is moved with a root: its own frame."""
MOVED = (0.3, -0.2, 1.4, 0.0, 0.0, 0.6, 0.8)


@pytest.fixture
def model(device):
    b = builder(gravity=(0, 0, 0))
    b.add_mjcf(TIED)
    return b.finalize(device=device)


def move(model, s, pose, name="hand") -> None:
    """Move a root by the frame of its joint."""
    frames = model.joint_X_p.numpy()
    labels, child = model.body_label, model.joint_child.numpy()
    frames[[j for j in range(model.joint_count) if labels[child[j]].endswith(name)]] = pose
    model.joint_X_p.assign(frames)
    s.notify_model_changed(ModelFlags.JOINT_PROPERTIES)


def parameters(s) -> dict:
    """All parameters of the engine."""
    return {f.name: s.mjw_model.arrays[f.name].numpy().copy() for f in MODEL if f.role == "param"}


def differences(before: dict, after: dict) -> set:
    """Parameters that have other numbers than before, but for rounding of what is computed in both forms."""
    rows = {n: (after[n].reshape(1, -1), np.broadcast_to(before[n], after[n].shape).reshape(1, -1)) for n in before}
    return {
        n for n, (a, b) in rows.items() if a.size and relative_error(a, b, floor=1.0).max() > tolerance("reference")
    }


def target(i: int) -> np.ndarray:
    """Where the hand is at a step (x, y, z, then x, y, z, w)."""
    return np.array(
        [0.05 * np.sin(0.01 * i), 0.02 * i / 100, 1 + 0.0004 * i, 0, 0, np.sin(0.001 * i), np.cos(0.001 * i)]
    )


def test_n_102_what_is_tied_to_a_moved_root_follows_it_as_it_does_a_mocap_pose(model, device):
    """Weld, spring of automatic length: the same motion as with the engine's own array, whose welds MuJoCo compiled."""
    s, state = solver(model, disable_contacts=True), model.state()
    c = mjw.load(TIED)
    m, d = mjw.put_model(c, device=device), mjw.make_data(c, nworld=1, device=device)
    for i in range(200):
        move(model, s, target(i))
        state = step(s, state)
        pose = target(i)
        d.mocap_pos.assign(np.float32(pose[None, None, :3]))
        d.mocap_quat.assign(np.float32(pose[None, None, [6, 3, 4, 5]]))
        mjw.step(m, d)
    got = state.joint_q.numpy()
    assert_close(got[None, :3], d.qpos.numpy()[:, :3], "trajectory")
    assert abs(got[2] - target(199)[2]) < 0.01
    assert_close(got[None, 7:10], d.qpos.numpy()[:, 7:10], "trajectory", floor=1.0)


def test_n_102_moving_a_root_changes_no_parameter_but_its_frame(model):
    """Every row of the bindings and all that follows from them."""
    s = solver(model)
    s.notify_model_changed(ModelFlags.ALL)
    before = parameters(s)
    move(model, s, MOVED)
    assert differences(before, parameters(s)) == {*FREELY}
    s.notify_model_changed(ModelFlags.ALL)
    assert differences(before, parameters(s)) == {*FREELY}
    for name in RELATIONS:
        assert_same(parameters(s)[name], before[name], name)
    assert_close(s.mjw_data.mocap_pos.numpy()[0], [MOVED[:3]], "authored")
    assert_close(s.mj_model.body_pos[1][None], [MOVED[:3]], "authored")
    assert_close(s.mj_model.eq_data, before["eq_data"][0], "authored", floor=1.0)


REFERENCE = {"mujoco:dof_ref", "joint_rest_q", "body_q"}
"""Attributes that are the reference pose."""
OF_TIES = {"mujoco:equality_constraint_anchor", "mujoco:equality_constraint_relpose", "mujoco:tendon_springlength"}
OTHERS = {name for row in (*BINDS, *DERIVED) for name in ([row.attribute] if isinstance(row, Bind) else row.sources)}
SPRINGS = {"joint_stiffness"}
"""Attributes by which springs' rest poses may change."""
OTHERS = sorted(OTHERS - REFERENCE - OF_TIES - SPRINGS - {row.attribute for row in WATCHES})
"""All else that rows read; what alters lists of the engine is compiled anew, which has a test of its own."""


def changed_numbers(array, rng):
    """Other numbers of the same kind."""
    values = array.numpy()
    if values.dtype.kind != "f" or not values.size:
        return None
    new = values + rng.uniform(0.01, 0.05, values.shape) * (np.abs(values) < 1e6)
    if array.dtype.__name__.startswith("transform"):
        new[:, 3:] /= np.linalg.norm(new[:, 3:], axis=1, keepdims=True)
    return new.astype(values.dtype)


@pytest.mark.filterwarnings("ignore")
def test_n_102_no_other_attribute_changes_what_was_read_off_the_reference_pose(model):
    """All that the rows of the bindings read, changed one after the other."""
    s, rng, wrong, tried = solver(model), np.random.default_rng(3), [], 0
    s.notify_model_changed(ModelFlags.ALL)
    before = parameters(s)
    for name in OTHERS:
        array = attribute(model, name)
        new = None if array is None else changed_numbers(array, rng)
        if new is None:
            continue  # nothing of that kind is here
        array.assign(new)
        s.notify_model_changed(ModelFlags.ALL)
        ties, lengths = (s.mjw_model.arrays[field].numpy() for field in RELATIONS)
        tried += 1
        if (ties[..., 3:10] != before["eq_data"][..., 3:10]).any():
            wrong.append((name, "eq_data"))
        if (lengths[:, 0] != before["tendon_lengthspring"][:, 0]).any():
            wrong.append((name, "tendon_lengthspring"))
    assert wrong == [] and tried > 25


def test_n_102_another_reference_pose_is_read_with_the_root_where_it_was(model):
    """The same ties as those of a scene that has this pose from the start, and whose root was not moved."""
    s, wanted = solver(model), model
    move(model, s, MOVED)
    ref = model.mujoco.dof_ref.numpy()
    ref[ref != 0] = 0.9
    model.mujoco.dof_ref.assign(ref)
    s.notify_model_changed(ModelFlags.JOINT_REFERENCE_POSE_PROPERTIES)
    moved = parameters(s)
    move(model, s, (0, 0, 1, 0, 0, 0, 1))
    fresh = parameters(solver(wanted))
    for name in RELATIONS:
        assert_close(moved[name][0], np.broadcast_to(fresh[name], moved[name].shape)[0], "reference", floor=1.0)


def test_n_102_a_tie_that_is_given_another_anchor_is_read_anew_and_the_others_stay(model):
    s = solver(model)
    s.notify_model_changed(ModelFlags.ALL)
    move(model, s, MOVED)
    before = parameters(s)["eq_data"][0]
    anchors = model.mujoco.equality_constraint_anchor.numpy()
    anchors[3] += 0.1
    model.mujoco.equality_constraint_anchor.assign(anchors)
    s.notify_model_changed(ModelFlags.CONSTRAINT_PROPERTIES)
    after = parameters(s)["eq_data"][0]
    assert_same(after[:3], before[:3])
    assert_close(after[3, 3:6] - before[3, 3:6], [0.1, 0.1, 0.1], "reference", floor=1.0)


def test_n_102_compiling_anew_leaves_roots_and_ties_where_they_are(model):
    """Dry friction where there was none, after a root and a link were moved: another engine with the same relations."""
    s = solver(model)
    s.notify_model_changed(ModelFlags.ALL)
    before = parameters(s)
    move(model, s, MOVED)
    move(model, s, (1.1, 0, 1, 0, 0, 0, 1), "arm")
    friction = model.joint_friction.numpy()
    first = model.joint_qd_start.numpy()
    friction[[first[j] for j, label in enumerate(model.joint_label) if label.endswith(("elbow", "rail"))]] = 0.3
    model.joint_friction.assign(friction)
    s.notify_model_changed(ModelFlags.JOINT_DOF_PROPERTIES)
    after = parameters(s)
    assert s.mjw_model.sizes["nfriction"] == 2
    for name in RELATIONS:
        assert_close(after[name][0], before[name][0], "authored", floor=1.0)
    assert_close(s.mjw_data.mocap_pos.numpy()[0], [MOVED[:3]], "authored")
    state = step(s, model.state())
    assert_close(state.body_q.numpy()[:1, :3], [MOVED[:3]], "authored")

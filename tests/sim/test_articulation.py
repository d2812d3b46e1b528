"""Forward and inverse kinematics against homogeneous matrices in float64."""

import numpy as np
import pytest
import warp as wp

from newtonlite import BodyFlags, JointType, ModelBuilder, ModelError, StateError, eval_fk, eval_ik
from newtonlite.math.transform import quat_to_matrix
from tests.harness.sim_scenes import Axis, arm, every_joint, pose, turn
from tests.tolerance import assert_close

STEP = 1e-6


def matrix(x) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = quat_to_matrix(np.asarray(x[3:], float)), x[:3]
    return out


def spin(w) -> np.ndarray:
    """The rotation matrix of a rotation vector."""
    angle = np.linalg.norm(w)
    return quat_to_matrix(turn(w, angle)) if angle > 0 else np.eye(3)


def reference_poses(b: ModelBuilder, q, qd, t: float) -> np.ndarray:
    """Body poses [n, 4, 4] after every joint has moved for a time ``t`` at its velocity."""
    poses = [None] * b.body_count
    for j in range(b.joint_count):
        kind, at, v = b.joint_type[j], b.joint_q_start[j], b.joint_qd_start[j]
        n, m = b.joint_dof_dim[j]
        own, speed, axes = q[at:], qd[v:], np.array(b.joint_axis, float)[v:]
        x = np.eye(4)
        frame_c = matrix(b.joint_X_c[j])
        if kind == JointType.BALL:
            x[:3, :3] = spin(speed[:3] * t) @ quat_to_matrix(own[:4])
        elif kind in (JointType.FREE, JointType.DISTANCE):
            start = matrix(own[:7])
            centre = (np.linalg.inv(frame_c) @ np.append(np.array(b.body_com[b.joint_child[j]], float), 1))[:3]
            there = start[:3, 3] + start[:3, :3] @ centre + speed[:3] * t
            x[:3, :3] = spin(speed[3:6] * t) @ start[:3, :3]
            x[:3, 3] = there - x[:3, :3] @ centre
        else:
            for i in range(n):
                x[:3, 3] += axes[i] * (own[i] + speed[i] * t)
            for i in range(n, n + m):
                x[:3, :3] = x[:3, :3] @ spin(axes[i] * (own[i] + speed[i] * t))
        parent = b.joint_parent[j]
        base = np.eye(4) if parent < 0 else poses[parent]
        poses[b.joint_child[j]] = base @ matrix(b.joint_X_p[j]) @ x @ np.linalg.inv(frame_c)
    return np.array(poses)


def reference_velocities(b: ModelBuilder, q, qd) -> np.ndarray:
    """Velocity of each centre of mass and angular velocity [n, 6], by a central difference of the poses."""
    before, now, after = (reference_poses(b, q, qd, t) for t in (-STEP, 0.0, STEP))
    com = np.concatenate([np.array([list(c) for c in b.body_com]), np.ones((b.body_count, 1))], axis=1)
    linear = np.einsum("nij,nj->ni", after - before, com)[:, :3] / (2 * STEP)
    w = (after - before)[:, :3, :3] @ now[:, :3, :3].transpose(0, 2, 1) / (2 * STEP)
    return np.hstack([linear, np.stack([w[:, 2, 1], w[:, 0, 2], w[:, 1, 0]], axis=1)])


def random_motion(b: ModelBuilder, seed: int, size: float = 0.7):
    rng = np.random.default_rng(seed)
    q, qd = rng.normal(size=b.joint_coord_count) * size, rng.normal(size=b.joint_dof_count)
    for j, kind in enumerate(b.joint_type):
        at = b.joint_q_start[j] + (0 if kind == JointType.BALL else 3)
        if kind in (JointType.BALL, JointType.FREE, JointType.DISTANCE):
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    return q.astype(np.float32), qd.astype(np.float32)


def motions(model, q, qd):
    return wp.array(q, dtype=float, device=model.device), wp.array(qd, dtype=float, device=model.device)


@pytest.mark.parametrize("seed", range(3))
def test_every_joint_moves_its_body_as_the_matrices_say(device, seed):
    builder = every_joint()
    model = builder.finalize(device)
    q, qd = random_motion(builder, seed)
    state = model.state()
    eval_fk(model, *motions(model, q, qd), state)
    want = reference_poses(builder, q.astype(float), qd.astype(float), 0.0)
    got = np.array([matrix(x) for x in state.body_q.numpy()])
    assert_close(got, want, "kinematics")
    assert_close(state.body_qd.numpy(), reference_velocities(builder, q.astype(float), qd.astype(float)), "velocity")


@pytest.mark.parametrize("seed", range(3))
def test_inverse_kinematics_undoes_forward(device, seed):
    builder = every_joint()
    model = builder.finalize(device)
    q, qd = random_motion(builder, seed, size=0.4)
    state = model.state()
    eval_fk(model, *motions(model, q, qd), state)
    back_q, back_qd = wp.zeros_like(model.joint_q), wp.zeros_like(model.joint_qd)
    eval_ik(model, state, back_q, back_qd)
    assert_close([back_q.numpy()], [q], "kinematics")
    assert_close([back_qd.numpy()], [qd], "velocity")


@pytest.mark.parametrize(
    "axes",
    [
        ("x", "y", "z"),
        ("x", "z", "y"),
        ((1, 2, 0), (-2, 1, 0), (0, 0, -3)),
        ("x", (0.2, 1, 0), (0, 0.3, 1)),
        ("x", (0.3, 0.2, 1)),
    ],
)
def test_angles_about_any_axes_are_found(axes):
    """Right-handed, left-handed, and axes that are not orthogonal."""
    builder = ModelBuilder()
    body = builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_d6(-1, body, angular_axes=[Axis(axis=a) for a in axes])])
    model = builder.finalize("cpu")
    q, qd = random_motion(builder, 5, size=0.4)
    state = model.state()
    eval_fk(model, *motions(model, q, qd), state)
    back_q, back_qd = wp.zeros_like(model.joint_q), wp.zeros_like(model.joint_qd)
    eval_ik(model, state, back_q, back_qd)
    assert_close([back_q.numpy()], [q], "kinematics")
    assert_close([back_qd.numpy()], [qd], "velocity")


@pytest.mark.parametrize("axes", ["xz", "yx", "zy"])
@pytest.mark.parametrize("q", [(0.5, -2.0), (-3.0, 2.5), (2.0, np.pi / 2)])
def test_two_axes_have_one_answer_all_the_way_round(axes, q):
    builder = ModelBuilder()
    body = builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_d6(-1, body, angular_axes=[Axis(axis=a) for a in axes])])
    model = builder.finalize("cpu")
    state, back, speed = model.state(), wp.zeros_like(model.joint_q), wp.zeros_like(model.joint_qd)
    eval_fk(model, *motions(model, list(q), [0.7, -0.3]), state)
    eval_ik(model, state, back, speed)
    assert_close([back.numpy()], [q], "kinematics")
    assert_close([speed.numpy()], [[0.7, -0.3]], "velocity")


def test_a_hidden_axis_leaves_the_pose_as_it_is():
    """With the middle angle at a right angle the outer axes coincide: other angles, the same pose."""
    builder = ModelBuilder()
    body = builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_d6(-1, body, angular_axes=[Axis(axis=a) for a in "xyz"])])
    model = builder.finalize("cpu")
    state, again = model.state(), model.state()
    eval_fk(model, *motions(model, [0.3, np.pi / 2, 0.4], [0.0, 0.0, 0.0]), state)
    q, qd = wp.zeros_like(model.joint_q), wp.zeros_like(model.joint_qd)
    eval_ik(model, state, q, qd)
    eval_fk(model, q, qd, again)
    assert_close([matrix(x) for x in again.body_q.numpy()], [matrix(x) for x in state.body_q.numpy()], "contact")
    assert np.isfinite(q.numpy()).all() and np.isfinite(qd.numpy()).all()


@pytest.mark.parametrize("turns", [-1, 1])
def test_a_hinge_comes_back_within_half_a_turn(turns):
    builder = arm()
    model = builder.finalize("cpu")
    q, qd = random_motion(builder, 1)
    q[7] = 3.0
    there = q.copy()
    there[7] += turns * 2 * np.pi
    state = model.state()
    eval_fk(model, *motions(model, there, qd), state)
    back_q, back_qd = wp.zeros_like(model.joint_q), wp.zeros_like(model.joint_qd)
    eval_ik(model, state, back_q, back_qd)
    assert_close(back_q.numpy()[7:], q[7:], "kinematics")


def four_arms(device):
    """Four worlds whose arms differ, all at the origin, and motions for them."""
    builder = ModelBuilder()
    for i in range(4):
        robot = arm()
        robot.joint_X_p[1] = wp.transformf(*pose((0.1 * i, 0, 0)).tolist())
        builder.add_world(robot)
    model = builder.finalize(device)
    return model, motions(model, *random_motion(builder, 3))


def full(model, motion):
    state = model.state()
    eval_fk(model, *motion, state)
    return state.body_q.numpy()


@pytest.mark.parametrize("how", ["mask", "indices"])
def test_only_the_chosen_articulations_move(device, how):
    model, motion = four_arms(device)
    want = full(model, motion)
    chosen = np.array([0, 1, 0, 1], bool)
    select = {"mask": wp.array(chosen, dtype=wp.bool, device=model.device)}
    if how == "indices":
        select = {"indices": wp.array([3, 99, -1, 1], dtype=wp.int32, device=model.device)}
    state = model.state()
    start = state.body_q.numpy()
    eval_fk(model, *motion, state, **select)
    got = state.body_q.numpy()
    bodies = np.repeat(chosen, 2)
    assert np.array_equal(got[bodies], want[bodies]) and np.array_equal(got[~bodies], start[~bodies])

    eval_fk(model, *motion, state)
    q, qd = wp.full_like(model.joint_q, 9.0), wp.full_like(model.joint_qd, 9.0)
    eval_ik(model, state, q, qd, **select)
    untouched = (q.numpy().reshape(4, 8) == 9.0).all(axis=1)
    assert untouched.tolist() == [True, False, True, False]


def test_flags_and_joints_choose_bodies(device):
    builder = arm()
    model = builder.finalize(device)
    model.body_flags.assign([int(BodyFlags.DYNAMIC), int(BodyFlags.KINEMATIC)])
    motion = motions(model, *random_motion(builder, 2))
    want, start = full(model, motion), model.body_q.numpy()
    state = model.state()
    eval_fk(model, *motion, state, body_flag_filter=BodyFlags.DYNAMIC)
    assert np.array_equal(state.body_q.numpy(), [want[0], start[1]])
    state = model.state()
    eval_fk(model, *motion, state, joint_mask=wp.array([True, False], dtype=wp.bool, device=model.device))
    assert np.array_equal(state.body_q.numpy(), [want[0], start[1]])


def test_the_model_can_stand_in_for_a_state(device):
    model, motion = four_arms(device)
    want = full(model, motion)
    eval_fk(model, *motion, model)
    assert np.array_equal(model.body_q.numpy(), want)


def test_a_world_is_the_same_alone_and_among_others(device):
    model, motion = four_arms(device)
    among = full(model, motion)
    robot = arm()
    robot.joint_X_p[1] = wp.transformf(*pose((0.2, 0, 0)).tolist())
    alone = robot.finalize(device)
    q, qd = (x.numpy().reshape(4, -1)[2] for x in motion)
    assert np.array_equal(full(alone, motions(alone, q, qd)), among[4:6])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"joint_q": None}, "joint_q: NoneType"),
        ({"joint_q": np.zeros(8)}, "joint_q: ndarray"),
        ({"joint_q": wp.zeros(7, device="cpu")}, "joint_q: float32\\(7,\\); give float32\\(8,\\)"),
        ({"joint_qd": wp.zeros(7, dtype=wp.float64, device="cpu")}, "joint_qd: float64"),
        ({"mask": wp.zeros(2, dtype=wp.bool, device="cpu")}, "mask: bool\\(2,\\)"),
        ({"indices": wp.zeros(1, dtype=wp.float32, device="cpu")}, "indices: float32"),
        ({"joint_mask": wp.zeros(3, dtype=wp.bool, device="cpu")}, "joint_mask: bool\\(3,\\)"),
    ],
)
def test_wrong_arrays_are_refused(change, problem):
    model = arm().finalize("cpu")
    given = {"joint_q": model.joint_q, "joint_qd": model.joint_qd, "state": model.state()} | change
    with pytest.raises(StateError, match=problem):
        eval_fk(model, **given)


def test_mask_and_indices_exclude_each_other():
    model = arm().finalize("cpu")
    both = {"mask": wp.ones(1, dtype=wp.bool, device="cpu"), "indices": wp.zeros(1, dtype=wp.int32, device="cpu")}
    with pytest.raises(ModelError, match="give one of them"):
        eval_ik(model, model.state(), model.joint_q, model.joint_qd, **both)


def test_nothing_to_move_is_fine(device):
    model = ModelBuilder().finalize(device)
    eval_fk(model, None, None, model.state())
    eval_ik(model, model.state(), None, None)


def test_an_array_of_the_model_that_is_replaced_counts_from_then_on():
    model = arm().finalize()
    state = model.state()
    eval_fk(model, model.joint_q, model.joint_qd, state)
    before = state.body_q.numpy()[1, :3].copy()
    frames = model.joint_X_p.numpy()
    frames[1, 2] += 0.25
    model.joint_X_p = wp.array(frames, dtype=wp.transform, device=model.device)
    eval_fk(model, model.joint_q, model.joint_qd, state)
    assert_close([state.body_q.numpy()[1, :3]], [before + (0, 0, 0.25)], "kinematics")

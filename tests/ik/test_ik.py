"""Inverse kinematics: Jacobians against differences, links at their targets, and what is refused."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite import ik
from newtonlite.core.errors import ModelError, StateError
from newtonlite.ik.motion import PoseBuffers
from newtonlite.ik.problem import Problem
from tests.tolerance import assert_close, tolerance

AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def near(got, want, quantity):
    """The whole of two arrays."""
    assert_close(np.ravel(got)[None], np.ravel(want)[None], quantity)


def robot(device, root="revolute"):
    """A root joint of a kind, a D6 with a slide and two turns, a slide, and a ball."""
    b = newton.ModelBuilder()
    axis = newton.ModelBuilder.JointDofConfig
    links = [b.add_link(mass=1.0) for _ in range(4)]
    frame = wp.transform((0.3, -0.1, 0.2), wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, 2.0, 3.0)), 0.7))
    ends = {"parent_xform": frame, "child_xform": wp.transform_inverse(frame)}
    joints = [
        b.add_joint_free(links[0], **ends)
        if root == "free"
        else b.add_joint_revolute(-1, links[0], axis=(0, 1, 0), **ends)
    ]
    joints.append(
        b.add_joint_d6(
            links[0],
            links[1],
            linear_axes=[axis(axis=AXES[0])],
            angular_axes=[axis(axis=AXES[1]), axis(axis=AXES[2])],
            **ends,
        )
    )
    joints.append(b.add_joint_prismatic(links[1], links[2], axis=AXES[2], limit_lower=-0.5, limit_upper=0.5, **ends))
    joints.append(b.add_joint_ball(links[2], links[3], **ends))
    b.add_articulation(joints)
    return b.finalize(device)


def anywhere(model, count, seed=0):
    """Coordinates with unit quaternions."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-0.4, 0.4, (count, model.joint_coord_count)).astype(np.float32)
    starts = model.joint_q_start.numpy()
    for joint, kind in enumerate(model.joint_type.numpy()):
        if kind in (newton.JointType.FREE, newton.JointType.BALL):
            turn = q[:, starts[joint + 1] - 4 : starts[joint + 1]]
            turn[:, 3] += 1.0
            turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    return wp.array(q, dtype=float, device=model.device)


def poses(model, joint_q):
    """Poses of all bodies by eval_fk, a row at a time."""
    out = []
    for q in joint_q.numpy():
        state = model.state()
        newton.eval_fk(model, wp.array(q, dtype=float, device=model.device), model.joint_qd, state)
        out.append(state.body_q.numpy())
    return np.array(out)


def reach(model, joint_q, link=3, offset=(0.1, 0.2, 0.3)):
    """Objectives that the given coordinates fulfil."""
    found = poses(model, joint_q)[:, link]
    points = [wp.transform_point(wp.transform(*p), wp.vec3(offset)) for p in found]
    place = ik.IKObjectivePosition(link, wp.vec3(offset), wp.array(points, dtype=wp.vec3, device=model.device))
    turn = ik.IKObjectiveRotation(link, wp.quat_identity(), wp.array(found[:, 3:], dtype=wp.vec4, device=model.device))
    return place, turn


class Differenced(ik.IKObjectivePosition):
    """A position whose Jacobian nobody knows."""

    def supports_analytic(self):
        return False


@pytest.mark.parametrize("root", ["revolute", "free"])
def test_poses_are_those_of_forward_kinematics(device, root):
    model = robot(device, root)
    q = anywhere(model, 3)
    rows = PoseBuffers(model, 3, False)
    rows.find(q)
    near(rows.body_q.numpy(), poses(model, q), "kinematics")


@pytest.mark.parametrize("root", ["revolute", "free"])
def test_jacobians_are_differences_of_residuals(device, root):
    model = robot(device, root)
    aim, here = anywhere(model, 2, 1), anywhere(model, 2)
    place, turn = reach(model, aim)
    limit = ik.IKObjectiveJointLimit(
        wp.full(model.joint_dof_count, -0.1, dtype=float, device=device),
        wp.full(model.joint_dof_count, 0.1, dtype=float, device=device),
    )
    unknown = Differenced(3, place.link_offset, place.target_positions)
    problem = Problem(model, 2, [place, unknown, turn, limit], "autodiff", None, "test")
    wp.copy(problem.rows.joint_q, here)
    problem.evaluate(problem.rows)
    problem.differentiate()
    jacobian, residuals = problem.jacobian.numpy(), problem.rows.residuals.numpy()
    assert jacobian.shape == (2, 9 + model.joint_dof_count, model.joint_dof_count)
    near(jacobian[:, :3], jacobian[:, 3:6], "nudged")
    beyond = np.abs(residuals[:, 9:]) > 0
    assert np.array_equal(np.abs(jacobian[:, 9:]).sum(2) > 0, beyond) and beyond.any()
    # near its target a turn's Jacobian is that of its residuals; anywhere its J^T r is the gradient
    step = np.full((2, model.joint_dof_count), 1e-3, np.float32) * np.random.default_rng(2).uniform(
        -1, 1, (2, model.joint_dof_count)
    ).astype(np.float32)
    moved = problem.make_rows(np.arange(2))
    costs = []
    for sign in (1.0, -1.0):
        problem.advance(moved, wp.array(step, dtype=float, device=device), wp.full(1, sign, dtype=float, device=device))
        problem.evaluate(moved)
        costs.append((moved.residuals.numpy()[:, 6:9].astype(np.float64) ** 2).sum(1))
    gradient = 2.0 * np.einsum("prd,pr,pd->p", jacobian[:, 6:9], residuals[:, 6:9], step)
    near((costs[0] - costs[1]) / 2.0, gradient, "nudged")


@pytest.mark.parametrize("optimizer", ["lm", "lbfgs"])
@pytest.mark.parametrize("root", ["revolute", "free"])
def test_links_reach_their_targets(device, optimizer, root):
    model = robot(device, root)
    aim = anywhere(model, 3, 1)
    q = anywhere(model, 3)
    solver = ik.IKSolver(model, 3, reach(model, aim), optimizer=optimizer)
    before = solver.compute_costs(q).numpy().copy()
    solver.step(q, q, iterations=60)
    assert (solver.costs.numpy() < tolerance("cost")).all() and (before > 0.01).all()
    near(poses(model, q)[:, 3], poses(model, aim)[:, 3], "reached")


def test_an_objective_without_a_jacobian_is_differenced(device):
    model = robot(device)
    aim, q = anywhere(model, 2, 1), anywhere(model, 2)
    place, _ = reach(model, aim)
    unknown = Differenced(3, place.link_offset, place.target_positions)
    solver = ik.IKSolver(model, 2, [unknown])
    solver.step(q, q, iterations=40)
    assert (solver.costs.numpy() < tolerance("cost")).all()
    with pytest.raises(ModelError, match="Differenced does not support analytic Jacobian"):
        ik.IKSolver(model, 2, [unknown], jacobian_mode="analytic")


def test_masked_freedoms_stay(device):
    model = robot(device, "free")
    q = anywhere(model, 1)
    start = q.numpy().copy()
    mask = np.ones(model.joint_dof_count, bool)
    mask[:6] = False
    mask[7] = False
    place, _ = reach(model, anywhere(model, 1, 1))
    ik.IKSolver(model, 1, [place], joint_dof_mask=wp.array(mask, dtype=wp.bool, device=device)).step(
        q, q, iterations=10
    )
    moved = np.flatnonzero(q.numpy()[0] != start[0])
    assert len(moved) and not set(moved) & {*range(7), 8}
    mask[0] = True
    with pytest.raises(ModelError, match="joint 0, a FREE joint, must all be masked together"):
        ik.IKSolver(model, 1, [place], joint_dof_mask=wp.array(mask, dtype=wp.bool, device=device))
    for bad, text in (
        (wp.ones(model.joint_dof_count, dtype=int, device=device), "dtype wp.bool"),
        (wp.ones(2, dtype=wp.bool, device=device), "shape"),
    ):
        with pytest.raises(ModelError, match=text):
            ik.IKSolver(model, 1, [place], joint_dof_mask=bad)


@pytest.mark.parametrize("sampler", ["gauss", "uniform", "roberts"])
def test_seeds_lie_where_the_sampler_says_and_the_best_is_kept(device, sampler):
    model = robot(device)
    q = anywhere(model, 2)
    start = q.numpy().copy()
    solver = ik.IKSolver(model, 2, reach(model, anywhere(model, 2, 1)), sampler=sampler, n_seeds=8)
    solver.step(q, q, iterations=0)
    seeds = solver.joint_q.numpy().reshape(2, 8, -1)
    slide = seeds[..., 4]
    assert (np.abs(slide) <= 0.5).all() and np.ptp(slide, axis=1).min() > 0.05
    if sampler == "gauss":
        near(seeds[:, 0], start, "unit")
        near(np.linalg.norm(seeds[..., 5:], axis=-1), np.ones((2, 8)), "unit")
    else:
        np.testing.assert_array_equal(seeds[..., 5:], np.repeat(start[:, None, 5:], 8, 1))
    if sampler == "roberts":
        np.testing.assert_array_equal(seeds[0, :, 4], seeds[1, :, 4])
    best = solver.costs.numpy().reshape(2, 8).argmin(1)
    np.testing.assert_array_equal(solver.best_indices.numpy(), best)
    np.testing.assert_array_equal(q.numpy(), seeds[np.arange(2), best])
    solver.reset()
    again = wp.array(start, dtype=float, device=device)
    solver.step(again, again, iterations=0)
    np.testing.assert_array_equal(again.numpy(), q.numpy())


def test_targets_can_be_changed(device):
    model = robot(device)
    place, turn = reach(model, anywhere(model, 2))
    place.set_target_position(1, wp.vec3(1.0, 2.0, 3.0))
    turn.set_target_rotations(wp.array([[0, 0, 0, 1]] * 2, dtype=wp.vec4, device=device))
    assert place.target_positions.numpy()[1].tolist() == [1.0, 2.0, 3.0]
    assert turn.target_rotations.numpy()[0].tolist() == [0.0, 0.0, 0.0, 1.0]
    with pytest.raises(ModelError, match="Expected 2 target positions, got 3"):
        place.set_target_positions(wp.zeros(3, dtype=wp.vec3, device=device))


def test_mistakes_are_named(device):
    model = robot(device)
    place, _ = reach(model, anywhere(model, 1))
    for options, text in (({"n_seeds": 0}, "n_seeds must be >= 1"), ({"n_seeds": 2}, "requires n_seeds == 1")):
        with pytest.raises(ModelError, match=text):
            ik.IKSolver(model, 1, [place], **options)
    with pytest.raises(StateError, match="joint_q_in has incompatible shape"):
        q = wp.zeros((2, 3), dtype=float, device=device)
        ik.IKSolver(model, 1, [place]).step(q, q)
    for link, text in ((-1, "out of range"), (4, "out of range")):
        place.link_index = link
        with pytest.raises(ModelError, match=text):
            ik.IKSolver(model, 1, [place])
    b = newton.ModelBuilder()
    b.add_joint_free(b.add_link(mass=1.0))
    lone = b.finalize(device)
    place.link_index = 0
    with pytest.raises(ModelError, match="link 0 has 0 incoming articulation joints"):
        ik.IKSolver(lone, 1, [place])

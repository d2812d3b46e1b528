"""Push and pull: the scene's words and the engine's mean the same motion."""

import numpy as np
import pytest
import warp as wp

from newtonlite.sim.articulation import eval_fk
from newtonlite.solvers.mujoco import SolverMuJoCo
from tests.harness.engine_scenes import add_lopsided, builder, every_joint, random_state, run, turned
from tests.tolerance import assert_close, assert_same

DT = 1e-3


@pytest.fixture(scope="module")
def model(device):
    return every_joint().finalize(device=device)


@pytest.fixture(scope="module")
def solver(model):
    return SolverMuJoCo(model)


def com(model, state) -> np.ndarray:
    """Centres of mass of all bodies in the world."""
    body_q = state.body_q.numpy()
    return body_q[:, :3] + turned(body_q[:, 3:], model.body_com.numpy())


def test_body_velocities_are_the_rates_of_body_poses(model, solver):
    """Central difference over two steps of the velocity in between, linear at the centre of mass and angular."""
    before = run(solver, random_state(model), steps=1, dt=DT)
    middle = run(solver, before, steps=1, dt=DT)
    after = run(solver, middle, steps=1, dt=DT)
    rate = (com(model, after) - com(model, before)) / (2 * DT)
    assert_close(middle.body_qd.numpy()[:, :3], rate, "difference", floor=1.0)
    a, b = (s.body_q.numpy()[:, 3:] for s in (before, after))
    b = np.where((a * b).sum(1, keepdims=True) < 0, -b, b)
    cross = b[:, :3] * a[:, 3:] - b[:, 3:] * a[:, :3] - np.cross(b[:, :3], a[:, :3])
    assert_close(middle.body_qd.numpy()[:, 3:], 2 * cross / (2 * DT), "difference", floor=1.0)


def test_pull_agrees_with_forward_kinematics(model, solver):
    after = run(solver, random_state(model), steps=1)
    again = model.state()
    eval_fk(model, after.joint_q, after.joint_qd, again)
    sign = np.sign((again.body_q.numpy()[:, 3:] * after.body_q.numpy()[:, 3:]).sum(1, keepdims=True))
    assert_close(after.body_q.numpy() * np.where(np.arange(7) < 3, 1.0, sign), again.body_q.numpy(), "kinematics")
    assert_close(after.body_qd.numpy(), again.body_qd.numpy(), "velocity", floor=1.0)


def test_coordinates_come_back_unchanged_when_nothing_moves(device):
    """At rest without gravity a step is push and pull alone."""
    scene = every_joint(gravity=(0, 0, 0)).finalize(device=device)
    state = random_state(scene, speed=0.0)
    after = run(SolverMuJoCo(scene, disable_contacts=True), state)
    assert_close(after.joint_q.numpy()[None], state.joint_q.numpy()[None], "kinematics")
    assert_close(after.joint_qd.numpy(), np.zeros(scene.joint_dof_count), "kinematics", floor=1.0)


def test_a_free_body_keeps_the_velocity_of_its_centre_of_mass(device):
    """joint_qd of a free joint is that velocity: constant in free flight, however the body spins."""
    b = builder(gravity=(0, 0, 0))
    add_lopsided(b)
    scene = b.finalize(device=device)
    state = scene.state()
    state.joint_qd.assign([0.3, -0.4, 0.5, 3.0, -2.0, 1.0])
    after = run(SolverMuJoCo(scene), state, steps=200, dt=1e-4)
    assert_close(after.joint_qd.numpy()[None, :3], [[0.3, -0.4, 0.5]], "force")
    moved = com(scene, after)[0] - com(scene, scene.state())[0]
    assert_close(moved[None], [[0.006, -0.008, 0.01]], "force", floor=1.0)


def test_a_force_at_the_centre_of_mass_does_not_turn_a_free_body(device):
    b = builder(gravity=(0, 0, 0))
    add_lopsided(b)
    scene = b.finalize(device=device)
    mass = scene.body_mass.numpy()[0]
    want = [[0.2 / mass, 0.0, 0.1 / mass, 0.0, 0.0, 0.0]]
    control = scene.control()
    control.joint_f.assign([2.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    by_joint = run(SolverMuJoCo(scene), scene.state(), control, steps=50)
    assert_close(by_joint.joint_qd.numpy()[None], want, "force")
    state = scene.state()
    state.body_f.assign([[2.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    solver, other = SolverMuJoCo(scene), scene.state()
    for _ in range(50):
        solver.step(state, other, None, None, 0.002)
        state.joint_q.assign(other.joint_q)
        state.joint_qd.assign(other.joint_qd)
    assert_close(other.joint_qd.numpy()[None], want, "force")


def test_a_torque_turns_a_free_body_in_the_world_frame(device):
    b = builder(gravity=(0, 0, 0))
    add_lopsided(b)
    scene = b.finalize(device=device)
    control = scene.control()
    torque = np.array([0.01, -0.02, 0.03])
    control.joint_f.assign([0.0, 0.0, 0.0, *torque])
    after = run(SolverMuJoCo(scene), scene.state(), control, steps=1)
    q = scene.joint_q.numpy()[3:7]
    back = q * [-1, -1, -1, 1]
    want = turned(q, np.linalg.solve(scene.body_inertia.numpy()[0], turned(back, torque))) * 0.002
    assert_close(after.joint_qd.numpy()[None, 3:], want[None], "force")


def test_joint_forces_do_the_work_they_say(device):
    """Power of joint_f on random speeds equals the gain of kinetic energy, for every type of joint."""
    scene = every_joint(gravity=(0, 0, 0)).finalize(device=device)
    solver = SolverMuJoCo(scene, disable_contacts=True, integrator="euler")
    state, control = random_state(scene, speed=0.3), scene.control()
    force = np.random.default_rng(5).normal(scale=50.0, size=scene.joint_dof_count).astype(np.float32)
    control.joint_f.assign(force)
    dt = 3e-4
    free = run(solver, state, steps=1, dt=dt)
    pushed = run(solver, state, control, steps=1, dt=dt)
    gain = energy(scene, pushed) - energy(scene, free)
    middle = 0.5 * (pushed.joint_qd.numpy() + free.joint_qd.numpy())
    assert_close([gain], [dt * float(force @ middle)], "power")


def energy(model, state) -> float:
    """Kinetic energy from body_q and body_qd."""
    qd, q = state.body_qd.numpy().astype(float), state.body_q.numpy()
    local = turned(q[:, 3:] * [-1, -1, -1, 1], qd[:, 3:])
    spin = np.einsum("ni,nij,nj->", local, model.body_inertia.numpy().astype(float), local)
    return 0.5 * float((model.body_mass.numpy() * (qd[:, :3] ** 2).sum(1)).sum() + spin)


def test_the_same_state_may_be_input_and_output(model, solver):
    start = random_state(model)
    apart = run(solver, start, steps=5)
    state = model.state()
    state.assign(start)
    for _ in range(5):
        solver.step(state, state, None, None, 0.002)
    for name in ("joint_q", "joint_qd", "body_q", "body_qd"):
        assert_same(getattr(state, name).numpy(), getattr(apart, name).numpy(), name)


def test_no_control_means_zero_targets_and_forces(model, solver):
    start = random_state(model)
    with_control = run(solver, start, model.control())
    second = model.state()
    first = model.state()
    first.assign(start)
    solver.step(first, second, None, None, 0.002)
    assert_same(second.joint_q.numpy(), with_control.joint_q.numpy())


def test_a_step_allocates_nothing_after_the_first(model, solver):
    first, second, control = model.state(), model.state(), model.control()
    solver.step(first, second, control, None, 0.002)
    solver.step(second, first, control, None, 0.002)
    bound, recorded = (
        dict(solver.only.binding.arrays_by_address),
        [len(s.recorded) for waves in solver.schedule.shards for s in waves],
    )
    for _ in range(3):
        solver.step(first, second, control, None, 0.002)
        first, second = second, first
    assert solver.only.binding.arrays_by_address == bound
    assert [len(s.recorded) for waves in solver.schedule.shards for s in waves] == recorded


def test_pull_writes_body_poses_that_follow_from_the_coordinates(model, solver):
    """A revolute joint's child frame lies on the parent frame turned about the axis."""
    after = run(solver, random_state(model), steps=1)
    frame_p, frame_c = model.joint_X_p.numpy()[0], model.joint_X_c.numpy()[0]
    body = after.body_q.numpy()[model.joint_child.numpy()[0]]
    anchor = body[:3] + turned(body[3:], frame_c[:3])
    assert_close(anchor[None], frame_p[None, :3], "kinematics")
    turn = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), float(after.joint_q.numpy()[0]))
    want = wp.quat(*frame_p[3:].tolist()) * turn * wp.quat_inverse(wp.quat(*frame_c[3:].tolist()))
    assert_close([abs(np.dot(body[3:], list(want)))], [1.0], "kinematics")

"""Tangents of configurations and derivatives of steps, beside MuJoCo's own finite differences in double precision."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import StateError
from newtonlite.core.mujoco import MjtSensor
from tests import oracle
from tests.harness import questions
from tests.tolerance import assert_close

NAMES = [
    "pendulum_double_hinge",
    "arm_position_actuators",
    "general_actuators_with_limits",
    "implicitfast_damped_arm",
    "ball_joint_limit",
]


def pair(mj, states, device):
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, len(states), device=device)
    for name in ("qpos", "qvel", "ctrl", "qacc_warmstart"):
        getattr(d, name).assign(getattr(states, name))
    return m, d


@pytest.mark.parametrize("name", ["humanoid", "ball_joint_limit", "two_trees_touching"])
def test_tangents_are_mujocos_and_lead_there(name, device):
    mj = oracle.named_model(name)
    one, two = (oracle.rollout_states(mj, 8, seed=seed).qpos for seed in (1, 2))
    m = mjw.put_model(mj, device=device)
    a, b = (wp.array(x, dtype=float, device=device) for x in (one, two))
    v = wp.zeros((8, m.nv), dtype=float, device=device)
    mjw.differentiate_pos(m, v, 0.5, a, b)
    expected = np.array([oracle.differentiate_pos(mj, 0.5, p, q) for p, q in zip(one, two)])
    assert_close(v.numpy(), expected, "tangent")
    mjw.integrate_pos(m, a, v, 0.5)
    back = wp.zeros_like(v)
    mjw.differentiate_pos(m, back, 1.0, a, b)
    assert_close(back.numpy(), np.zeros_like(expected), "tangent", floor=1.0)


@pytest.mark.parametrize("name", NAMES)
def test_transition_matrices(name, device):
    mj = oracle.named_model(name)
    states = oracle.rollout_states(mj, 4, seed=6)
    m, d = pair(mj, states, device)
    nx = 2 * m.nv + m.na
    A = wp.zeros((4, nx, nx), dtype=float, device=device)
    B = wp.zeros((4, nx, m.nu), dtype=float, device=device)
    before = d.qpos.numpy()
    mjw.transition_fd(m, d, 1e-3, True, A, B)
    for w in range(4):
        a, b = oracle.transition_matrices(mj, states, w)
        assert_close(A.numpy()[w].reshape(1, -1), a.reshape(1, -1), "transition", floor=1.0)
        assert_close(B.numpy()[w].reshape(1, -1), b.reshape(1, -1), "transition", floor=1.0)
    np.testing.assert_array_equal(d.qpos.numpy(), before)


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICIT", "IMPLICITFAST"])
def test_sensors_are_differentiated_under_every_integrator(integrator, device):
    mj = oracle.named_model("sensors_of_motion")
    mj.opt.integrator = int(mjw.IntegratorType[integrator])
    states = oracle.rollout_states(mj, 2, seed=6)
    m, d = pair(mj, states, device)
    nx = 2 * m.nv + m.na
    A, B = (wp.zeros((2, nx, n), dtype=float, device=device) for n in (nx, m.nu))
    C, D = (wp.zeros((2, m.nsensordata, n), dtype=float, device=device) for n in (nx, m.nu))
    mjw.transition_fd(m, d, 1e-3, True, A, B, C, D)
    for w in range(2):
        for got, expected in zip((A, B, C, D), questions.step_matrices(mj, states, w)):
            assert_close(got.numpy()[w].reshape(1, -1), expected.reshape(1, -1), "transition", floor=1.0)


@pytest.mark.parametrize("actuation", [False, True])
@pytest.mark.parametrize(
    "name", ["pendulum_double_hinge", "arm_position_actuators", "ball_joint_limit", "sensors_of_motion"]
)
def test_inverse_dynamics_are_differentiated(name, actuation, device):
    mj = oracle.named_model(name)
    states = oracle.rollout_states(mj, 3, seed=6)
    m, d = pair(mj, states, device)
    qacc = np.random.default_rng(0).standard_normal((3, mj.nv))
    d.qacc.assign(qacc)
    force = [wp.zeros((3, m.nv, m.nv), dtype=float, device=device) for _ in range(3)]
    sensors = [wp.zeros((3, m.nv, m.nsensordata), dtype=float, device=device) for _ in range(3)]
    mjw.inverse_fd(m, d, 2e-3, actuation, *force, *sensors)
    for w in range(3):
        want = questions.inverse_matrices(mj, states, w, qacc[w], actuation=actuation)
        follow = len(force) + actuation * len(
            sensors
        )  # where MuJoCo leaves the actuators alone, so does what senses them
        for array, (matrix, expected) in list(zip((*force, *sensors), want.items()))[:follow]:
            got = array.numpy()[w]
            if (
                matrix == "DsDv"
            ):  # MuJoCo reads kinetic energy with the positions, and not again where only velocities move
                got[:, mj.sensor_adr[mj.sensor_type == MjtSensor.E_KINETIC]] = 0.0
            assert_close(got.reshape(1, -1), expected.reshape(1, -1), "transition", floor=1.0, what=matrix)


def test_inertia_is_differentiated(device):
    mj = oracle.named_model("pendulum_double_hinge")
    states = oracle.rollout_states(mj, 2)
    m, d = pair(mj, states, device)
    DmDq = wp.zeros((2, m.nv, m.nv, m.nv), dtype=float, device=device)
    mjw.inverse_fd(m, d, DmDq=DmDq)
    for w in range(2):
        for i in range(mj.nv):
            shifted = []
            for h in (1e-3, -1e-3):
                other = states[w]
                other.qpos = other.qpos + h * (np.arange(mj.nq) == i)
                shifted.append(oracle.dense_mass_matrix(mj, oracle.forward(mj, other)))
            assert_close(
                DmDq.numpy()[w, i].reshape(1, -1),
                ((shifted[0] - shifted[1]) / 2e-3).reshape(1, -1),
                "transition",
                floor=1.0,
            )


def test_a_second_call_reuses_what_the_first_made(device):
    mj = oracle.named_model("pendulum_double_hinge")
    m, d = pair(mj, oracle.rollout_states(mj, 2), device)
    A = wp.zeros((2, 2 * m.nv, 2 * m.nv), dtype=float, device=device)
    mjw.transition_fd(m, d, A=A)
    made = d._transition
    mjw.transition_fd(m, d, A=A)
    assert d._transition is made


def test_each_world_has_its_own_masses(device):
    mj = oracle.named_model("pendulum_double_hinge")
    states = oracle.rollout_states(mj, 2)
    heavy = oracle.named_model("pendulum_double_hinge")
    heavy.body_mass[:] *= 3
    oracle.set_const(heavy)
    m = mjw.put_model(mj, {"body_mass": 2}, device=device)
    d = mjw.make_data(m, 2)
    for name in ("qpos", "qvel", "ctrl", "qacc_warmstart"):
        getattr(d, name).assign(getattr(states, name))
    A = wp.zeros((2, 2 * m.nv, 2 * m.nv), dtype=float, device=device)
    mjw.transition_fd(m, d, A=A)
    m.body_mass = np.stack([mj.body_mass, heavy.body_mass])  # seen by the second call
    mjw.set_const(m, d)
    mjw.transition_fd(m, d, A=A)
    for w, model in enumerate((mj, heavy)):
        assert_close(
            A.numpy()[w].reshape(1, -1), oracle.transition_matrices(model, states, w)[0].reshape(1, -1), "transition"
        )


def test_wrong_shapes_and_nudges_are_refused(device):
    mj = oracle.named_model("pendulum_double_hinge")
    m, d = pair(mj, oracle.rollout_states(mj, 2), device)
    with pytest.raises(StateError, match="A: expected shape"):
        mjw.transition_fd(m, d, A=wp.zeros((2, 1, 1), dtype=float, device=device))
    with pytest.raises(StateError, match="eps"):
        mjw.transition_fd(m, d, eps=0.0)
    with pytest.raises(StateError, match="DfDq: expected shape"):
        mjw.inverse_fd(m, d, DfDq=wp.zeros((2, 1, 1), dtype=float, device=device))

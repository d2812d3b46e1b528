"""Actuators against their equations, in NumPy."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite import actuators as act
from newtonlite.core.errors import ModelError, StateError
from tests.tolerance import assert_close

N = 3
RNG = np.random.default_rng(4)


def near(got, want, quantity):
    """The whole of two arrays."""
    assert_close(np.ravel(got)[None], np.ravel(want)[None], quantity)


def row(values, device, dtype=float):
    return wp.array(np.broadcast_to(values, N), dtype=dtype, device=device)


def actuator(device, drive, **more):
    return act.Actuator(indices=row(np.arange(N), device, wp.uint32), drive=drive, **more)


class Sides:
    """Arrays of a state and a control, and the same in NumPy."""

    def __init__(self, device, names=("joint_q", "joint_qd", "joint_target_q", "joint_target_qd", "joint_act")):
        self.device = device
        for name in names:
            self.set(name, RNG.uniform(-1, 1, N))
        self.joint_f = wp.zeros(N, dtype=float, device=device)

    def set(self, name, values):
        setattr(self, name, row(values, self.device))

    def __getitem__(self, name):
        return getattr(self, name).numpy().astype(np.float64)

    def efforts(self, one, *states, dt=0.01, **more):
        """What a step adds to the control."""
        self.joint_f.zero_()
        one.step(self, self, *states, dt=dt, **more)
        return self.joint_f.numpy().astype(np.float64)


def test_pd(device):
    side, kp, kd = Sides(device), np.array([10.0, 20.0, 0.0]), np.array([1.0, 0.0, 2.0])
    one = actuator(device, act.DrivePD(row(kp, device), row(kd, device), row(0.25, device)))
    wanted = (
        0.25
        + side["joint_act"]
        + kp * (side["joint_target_q"] - side["joint_q"])
        + kd * (side["joint_target_qd"] - side["joint_qd"])
    )
    near(side.efforts(one), wanted, "effort")
    one.step(side, side, dt=0.01)
    near(side["joint_f"], 2.0 * wanted, "effort")


def test_pid_integrates_within_bounds_and_forgets_when_told(device):
    side, dt = Sides(device), 0.1
    drive = act.DrivePID(
        row(2.0, device), row(3.0, device), row(0.5, device), integral_max=row([0.05, 10.0, 10.0], device)
    )
    one = actuator(device, drive)
    now, after, integral = one.state(), one.state(), np.zeros(N)
    error = side["joint_target_q"] - side["joint_q"]
    law = side["joint_act"] + 2.0 * error + 0.5 * (side["joint_target_qd"] - side["joint_qd"])
    for _ in range(4):
        found = side.efforts(one, now, after, dt=dt)
        integral = np.clip(integral + error * dt, -np.array([0.05, 10, 10]), np.array([0.05, 10, 10]))
        near(found, law + 3.0 * integral, "effort")
        now, after = after, now
    now.reset(wp.array([True, False, False], dtype=wp.bool, device=device))
    near(now.drive_state.integral.numpy(), integral * [0, 1, 1], "effort")


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_targets_arrive_late(device, steps):
    side = Sides(device)
    one = actuator(device, act.DrivePD(row(1.0, device), row(0.0, device)), delay=act.Delay(row(steps, device, int), 3))
    now, after = one.state(), one.state()
    side.set("joint_q", 0.0)
    side.set("joint_act", 0.0)
    given = []
    for k in range(6):
        given.append(np.arange(N) + 10.0 * k)
        side.set("joint_target_q", given[-1])
        near(side.efforts(one, now, after), given[max(0, k - steps)], "effort")
        now, after = after, now


def test_limits(device):
    side = Sides(device)
    side.set("joint_qd", [0.0, 1.0, -1.0])
    side.set("joint_q", [-2.0, 0.5, 3.0])
    asked = np.array([50.0, 50.0, -50.0])
    drive = act.DrivePD(row(0.0, device), row(0.0, device), row(asked, device))
    side.set("joint_act", 0.0)

    def limited(*clamping):
        return side.efforts(actuator(device, drive, clamping=list(clamping)))

    near(limited(act.ClampingMaxEffort(row([1.0, 2.0, 3.0], device))), [1.0, 2.0, -3.0], "effort")
    motor = act.ClampingDCMotor(row(20.0, device), row(4.0, device), row(18.0, device))
    near(limited(motor), [18.0, 20.0 * (1 - 1 / 4), -20.0 * (1 - 1 / 4)], "effort")
    table = act.ClampingPositionBased(lookup_positions=(-1.0, 0.0, 1.0), lookup_efforts=(5.0, 10.0, 20.0))
    near(limited(table), [5.0, 15.0, -20.0], "effort")
    near(limited(table, act.ClampingMaxEffort(row(12.0, device))), [5.0, 12.0, -12.0], "effort")


def pendulum(device):
    b = newton.ModelBuilder()
    link = b.add_link(mass=1.0, inertia=wp.mat33(0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.3))
    b.add_articulation([b.add_joint_revolute(-1, link, axis=(0, 0, 1))])
    return b.finalize(device)


def test_implicit_efforts_are_those_of_the_end_of_the_step(device):
    model, kp, kd, dt = pendulum(device), 400.0, 30.0, 0.05
    state, control = model.state(), model.control()
    state.joint_q.assign([0.3])
    state.joint_qd.assign([2.0])
    one = act.Actuator(
        indices=wp.zeros(1, dtype=wp.uint32, device=device),
        drive=act.DrivePD(wp.full(1, kp, dtype=float, device=device), wp.full(1, kd, dtype=float, device=device)),
    )
    response = act.JointSpaceResponse(model)
    response.refresh(state)
    one.set_effort_mode_implicit(response)
    control.joint_f.zero_()
    one.step(state, control, dt=dt)
    # I (v - qd) = dt (-kp (q + dt v) - kd v)
    inertia = 0.3
    v = (inertia * 2.0 - dt * kp * 0.3) / (inertia + dt * kd + dt * dt * kp)
    near(control.joint_f.numpy(), [-kp * (0.3 + dt * v) - kd * v], "implicit")
    one.set_effort_mode_explicit()
    control.joint_f.zero_()
    one.step(state, control, dt=dt)
    near(control.joint_f.numpy(), [-kp * 0.3 - kd * 2.0], "effort")


def test_the_builder_collects_axes_of_a_kind(device):
    b = newton.ModelBuilder()
    parent, joints = -1, []
    for _ in range(3):
        link = b.add_link(mass=1.0)
        joints.append(b.add_joint_revolute(parent, link))
        parent = link
    b.add_articulation(joints)
    for k in range(2):
        b.add_actuator(act.DrivePD, index=k, kp=1.0 + k, kd=0.5)
    b.add_actuator(act.DrivePD, index=2, kp=5.0, kd=0.0, clamping=[(act.ClampingMaxEffort, {"max_effort": 2.0})])
    scene = newton.ModelBuilder()
    scene.replicate(b, 2)
    model = scene.finalize(device)
    plain, limited = sorted(model.actuators, key=lambda a: len(a.clamping))
    assert plain.indices.numpy().tolist() == [0, 1, 3, 4] and limited.indices.numpy().tolist() == [2, 5]
    near(plain.drive.kp.numpy(), [1.0, 2.0, 1.0, 2.0], "effort")
    state, control = model.state(), model.control()
    control.joint_target_q.assign(np.ones(6, np.float32))
    for one in model.actuators:
        one.step(state, control, dt=0.01)
    near(control.joint_f.numpy(), [1, 2, 2, 1, 2, 2], "effort")


def test_mistakes_are_named(device):
    with pytest.raises(TypeError, match="drive is missing"):
        act.Actuator(indices=row(np.arange(N), device, wp.uint32))
    with pytest.raises(ModelError, match="pos_indices: shape"):
        actuator(
            device,
            act.DrivePD(row(1.0, device), row(0.0, device)),
            pos_indices=wp.zeros(1, dtype=wp.uint32, device=device),
        )
    side, one = Sides(device), actuator(device, act.DrivePID(*(row(1.0, device) for _ in range(4))))
    with pytest.raises(StateError, match="remembers from step to step"):
        one.step(side, side, dt=0.1)

"""What a program changes between two calls of ``SolverMuJoCo.step``: the next call knows of it."""

import numpy as np
import pytest
import warp as wp

from newtonlite import ModelBuilder
from newtonlite.core.enums import ModelFlags
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.data import FIELDS
from tests.harness.contacts import contacts_of
from tests.mjwarp.test_changes import OPTIONS, SCENE, nested

WORLDS = 3
CARRIED = [f.name for f in FIELDS.values() if f.role == "state"]
ARRAYS = ("joint_q", "joint_qd", "body_q", "body_qd", "body_f")


class Stepped:
    """A scene with its solver, two states and a control."""

    def __init__(self, **options):
        robot, builder = ModelBuilder(), ModelBuilder()
        SolverMuJoCo.register_custom_attributes(robot)
        robot.add_mjcf(SCENE, ctrl_direct=True)
        builder.replicate(robot, WORLDS)
        self.model = builder.finalize(device="cpu")
        self.solver = SolverMuJoCo(self.model, **options)
        self.states, self.control = [self.model.state(), self.model.state()], self.model.control()
        self.control.mujoco.ctrl.fill_(0.2)
        self.dt = None
        joint_qd = self.states[0].joint_qd
        joint_qd.assign(np.linspace(0.1, 0.4, joint_qd.size))

    def step(self) -> None:
        self.solver.step(*self.states, self.control, None, self.dt)
        self.states.reverse()

    def results(self) -> list:
        d = self.solver.groups[0].mjw_data
        found = [getattr(self.states[0], name).numpy().copy() for name in ARRAYS[:4]]
        return [*found, d.time.numpy().copy(), d.sensordata.numpy().copy()]


def doubled(array: wp.array) -> wp.array:
    return wp.array(array.numpy() * 2.0, dtype=array.dtype, device="cpu")


def replaced(owner, name: str, value: float) -> None:
    """Another array of the same shape."""
    setattr(owner, name, wp.full_like(getattr(owner, name), value))


def heavier(s, notify: bool = True) -> None:
    s.model.body_mass.assign(s.model.body_mass.numpy() * 2.0)
    s.solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)


def turned(s) -> np.ndarray:
    frames = s.model.joint_X_p.numpy().copy()
    frames[:, 2] += 0.05
    return frames


WAYS = {
    **{f"mjw_model.opt.{n}": lambda s, n=n, v=v: nested(s.solver.mjw_model, **{n: v}) for n, v in OPTIONS.items()},
    "mjw_model.opt.disableflags gravity": lambda s: nested(s.solver.mjw_model, disableflags=64),
    "an option in place": lambda s: s.solver.mjw_model.opt.gravity.fill_(wp.vec3(0.0, 0.0, -3.0)),
    "an option of a group": lambda s: s.solver.groups[0].mjw_model.opt_gravity.fill_(wp.vec3(0.0, 0.0, -3.0)),
    "a size": lambda s: s.solver.groups[0].mjw_model.sizes.__setitem__("opt_iterations", 1),
    "a parameter": lambda s: setattr(s.solver.mjw_model, "body_mass", s.solver.mjw_model.body_mass.numpy() * 2.0),
    "a parameter as an array": lambda s: setattr(s.solver.mjw_model, "body_mass", doubled(s.solver.mjw_model.body_mass)),
    "a parameter in place": lambda s: s.solver.mjw_model.body_mass.assign(s.solver.mjw_model.body_mass.numpy() * 2.0),
    "a friction that was zero": lambda s: s.solver.mjw_model.dof_frictionloss.fill_(0.4),
    "a notified mass": heavier,
    "a notified gravity": lambda s: (s.model.set_gravity((0.0, 1.0, -3.0)), s.solver.notify_model_changed(ModelFlags.MODEL_PROPERTIES)),
    "a joint frame in place": lambda s: (s.model.joint_X_p.assign(turned(s)), s.solver.notify_model_changed(ModelFlags.JOINT_PROPERTIES)),
    "joint frames as another array": lambda s: (
        setattr(s.model, "joint_X_p", wp.array(turned(s), dtype=wp.transform, device="cpu")),
        s.solver.notify_model_changed(ModelFlags.JOINT_PROPERTIES),
    ),
    "a control in place": lambda s: s.control.mujoco.ctrl.fill_(0.7),
    "a control as another array": lambda s: replaced(s.control.mujoco, "ctrl", 0.7),
    "a control through NumPy": lambda s: s.control.mujoco.ctrl.numpy().fill(0.7),
    "joint forces as another array": lambda s: replaced(s.control, "joint_f", 0.3),
    "another control": lambda s: (setattr(s, "control", s.model.control()), replaced(s.control, "joint_f", 0.3)),
    "no control": lambda s: setattr(s, "control", None),
    "body forces as another array": lambda s: setattr(
        s.states[0], "body_f", wp.full_like(s.states[0].body_f, wp.spatial_vector(1.0, 0.0, 2.0, 0.0, 0.1, 0.0))
    ),
    "coordinates as another array": lambda s: setattr(s.states[0], "joint_qd", doubled(s.states[0].joint_qd)),
    "coordinates through NumPy": lambda s: np.multiply(s.states[0].joint_qd.numpy(), 2.0, out=s.states[0].joint_qd.numpy()),
    "a time step": lambda s: setattr(s, "dt", 0.01),
}  # fmt: skip
"""Ways to change something between two steps, by name."""
WEAK = {"a size"} | {f"mjw_model.opt.{n}" for n in ("ls_iterations", "iterations", "solver", "tolerance", "noslip_iterations", "impratio_invsqrt")}  # fmt: skip
"""Options that may change no bit of a step of this scene."""


def carry_over(a: Stepped, b: Stepped) -> None:
    """The state of one solver into another."""
    one, two = a.solver.groups[0].mjw_data, b.solver.groups[0].mjw_data
    for name in CARRIED:
        wp.copy(two.arrays[name], one.arrays[name])
    for mine, others in zip(b.states, a.states):
        for name in ARRAYS:
            wp.copy(getattr(mine, name), getattr(others, name))


@pytest.mark.parametrize("way", WAYS)
def test_the_next_step_knows_of_every_change(way):
    changed, fresh, without = Stepped(), Stepped(), Stepped()
    for _ in range(4):
        changed.step()
    for other in (fresh, without):
        carry_over(changed, other)
    for each in (changed, fresh):
        WAYS[way](each)
    results = []
    for each in (changed, fresh, without):
        each.step()
        each.step()
        results.append(each.results())
    for now, from_the_start in zip(results[0], results[1]):
        np.testing.assert_array_equal(now, from_the_start)
    if way not in WEAK:
        assert any(not np.array_equal(a, b) for a, b in zip(results[0], results[2])), "a change without effect"


def test_options_set_on_the_engines_model_are_those_of_a_solver_made_with_them():
    for name, value, word in (("cone", 1, "elliptic"), ("integrator", 1, "rk4"), ("density", 500.0, 500.0)):
        given, later = Stepped(**{name: word}), Stepped()
        nested(later.solver.mjw_model, **{name: value})
        for each in (given, later):
            for _ in range(3):
                each.step()
        for a, b in zip(given.results(), later.results()):
            np.testing.assert_array_equal(a, b, name)


def test_the_time_step_that_is_passed_counts_whatever_was_written_to_the_engine():
    s = Stepped()
    s.dt = 0.004
    s.step()
    option = s.solver.mjw_model.opt
    option.timestep.fill_(0.5)
    s.step()
    np.testing.assert_array_equal(s.solver.groups[0].mjw_data.time.numpy(), np.float32(0.004) * 2)
    option.timestep = 0.25
    s.step()
    np.testing.assert_array_equal(s.solver.groups[0].mjw_data.time.numpy(), np.float32(0.004) * 2 + np.float32(0.004))


def test_contacts_are_reported_from_arrays_that_were_made_anew():
    s = Stepped()
    contacts = contacts_of(s.model)
    s.step()
    s.solver.update_contacts(contacts)
    s.solver.mjw_model.opt.cone = 1
    s.solver.mjw_model.opt.iterations = 1
    for _ in range(2):
        s.step()
    s.solver.update_contacts(contacts)
    fresh = Stepped(cone="elliptic", iterations=1)
    other = contacts_of(fresh.model)
    carry_over(s, fresh)
    fresh.step(), s.step()
    s.solver.update_contacts(contacts), fresh.solver.update_contacts(other)
    for name in ("rigid_contact_count", "rigid_contact_normal", "rigid_contact_point0", "rigid_contact_shape1"):
        np.testing.assert_array_equal(getattr(contacts, name).numpy(), getattr(other, name).numpy(), name)
    assert contacts.rigid_contact_count.numpy()[0] > 0

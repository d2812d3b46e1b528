"""Collision schedule: solvers that run a pipeline of their own."""

import pytest

from newtonlite import CollisionPipeline, ModelBuilder, ModelError, StateError
from newtonlite.solvers import SolverBase, SolverMuJoCo

Frequency, Slot = SolverBase.CollisionFrequencyType, SolverBase.CollisionSlot


class Owner(SolverBase):
    """Detects before every step that is to, and counts."""

    supports_collision_pipeline = True
    calls = 0

    def step(self, state_in, state_out, control, contacts, dt):
        self._resolve_step_contacts(contacts)
        if self._resolved_collision_frequency_type(Slot.RIGID) != Frequency.NONE:
            self._run_rigid_collision(state_in, dt)
            self.calls += 1


@pytest.fixture(scope="module")
def model():
    """A box in the ground."""
    builder = ModelBuilder()
    builder.add_shape_box(builder.add_body(xform=(0, 0, 0.45, 0, 0, 0, 1)), hx=0.5, hy=0.5, hz=0.5)
    builder.add_ground_plane()
    return builder.finalize("cpu")


def test_a_solver_detects_in_the_steps_that_are_set(model):
    solver, state = Owner(model, collision_pipeline=CollisionPipeline(model)), model.state()
    wanted = [Frequency.PRE_INIT, Frequency.NONE, Frequency.AUTO, Frequency.NONE]
    for kind in wanted:
        solver.set_collision_frequency(collision_frequency_type={Slot.RIGID: kind})
        solver.step(state, state, None, None, 1e-3)
        assert solver.collision_frequency_type[Slot.RIGID] == kind
    assert solver.calls == 2
    assert solver.contacts.rigid_contact_count.numpy()[0] == 4, "the corners of the box in the ground"


def test_schedules_that_make_no_sense_are_refused(model):
    pipeline = CollisionPipeline(model)
    other = ModelBuilder().finalize("cpu")
    with pytest.raises(ModelError, match="runs no collision_pipeline"):
        SolverBase(model, collision_pipeline=pipeline)
    with pytest.raises(ModelError, match="of another model"):
        Owner(other, collision_pipeline=pipeline)
    solver = Owner(model, collision_pipeline=pipeline, collision_frequency={Slot.RIGID: 3})
    assert solver.collision_frequency[Slot.RIGID] == 3
    with pytest.raises(StateError, match="must be None"):
        solver.step(model.state(), model.state(), None, pipeline.contacts(), 1e-3)
    with pytest.raises(ModelError, match=r"collision_frequency\[RIGID\] must be >= 1"):
        solver.set_collision_frequency(collision_frequency={Slot.RIGID: 0})
    with pytest.raises(ModelError, match="requires contact matching"):
        solver.set_collision_frequency(collision_frequency_type={Slot.RIGID: Frequency.ITERATIONS})
    with pytest.raises(ModelError, match="requires a solver-owned pipeline"):
        Owner(model).set_collision_frequency(collision_frequency_type={Slot.RIGID: Frequency.PRE_INIT})
    assert SolverMuJoCo(model).contacts is None

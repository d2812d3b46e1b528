"""Digits of the mass matrix that masses set later take away: counted for their worlds, reported by the policy of capacity."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite import mjwarp as mjw
from newtonlite.core.errors import CapacityError, NewtonWarning
from tests.tolerance import assert_close

LINK = '<body pos=".2 0 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".01" mass=".01"/>'
ARM = f"<mujoco><worldbody>{8 * LINK}<body pos='.2 0 0'><geom size='.05' mass='.01'/></body>{8 * '</body>'}</worldbody></mujoco>"
BOXES = "<body pos='0 3 0'><freejoint/><geom size='.1'/></body>"
WORLDS, LOADED = 3, 1


def arms(policy: str, text: str = ARM):
    """A model of equal arms, a solver, and the arms with a tonne at the end of one."""
    arm = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(arm)
    arm.add_mjcf(text)
    worlds = newton.ModelBuilder()
    worlds.replicate(arm, WORLDS)
    model = worlds.finalize()
    solver = newton.solvers.SolverMuJoCo(model, overflow=policy)
    mass = model.body_mass.numpy().reshape(WORLDS, -1)
    mass[LOADED, 8] = 1000.0
    model.body_mass.assign(mass.flatten())
    solver.notify_model_changed(newton.ModelFlags.BODY_INERTIAL_PROPERTIES)
    return model, solver


def stepped(model, solver, count: int = 2) -> np.ndarray:
    """Joint coordinates of the worlds after some steps."""
    one, two = model.state(), model.state()
    for _ in range(count):
        solver.step(one, two, model.control(), None, 0.001)
        one, two = two, one
    return one.joint_q.numpy().reshape(WORLDS, -1)


@pytest.mark.parametrize("text", [ARM, ARM.replace("</worldbody>", f"{BOXES}</worldbody>")])
def test_a_world_that_loses_its_digits_is_counted_and_said_once(text):
    model, solver = arms("warn", text)
    assert solver.mjw_model.nfloat64 == 0
    with pytest.warns(NewtonWarning, match="1 of 3 worlds .* lost its digits") as said:
        stepped(model, solver)
    assert len([w for w in said if "digits" in str(w.message)]) == 1
    np.testing.assert_array_equal(solver.mjw_data.lost_digits.numpy(), [0, 2, 0])


def test_the_policy_raise_raises():
    with pytest.raises(CapacityError, match="make the solver anew"):
        stepped(*arms("raise"))


def test_the_policy_grow_goes_on_in_double():
    model, solver = arms("grow")
    stepped(model, solver)
    assert solver.mjw_model.nfloat64 == 8 and not solver.mjw_data.lost_digits.numpy().any()
    fresh = newton.solvers.SolverMuJoCo(model)  # made for these masses
    assert fresh.mjw_model.nfloat64 == 8
    assert_close(stepped(model, solver), stepped(model, fresh), "next")


def test_a_check_clears_the_counters():
    model, solver = arms("warn")
    with pytest.warns(NewtonWarning, match="digits"):
        stepped(model, solver, 1)
    with pytest.warns(NewtonWarning, match="digits"):
        assert not solver.check_capacity()
    assert solver.check_capacity()


def test_masses_of_single_worlds_are_counted_for_those():
    source = mjw.load(ARM)
    m = mjw.put_model(source, batch_sizes={"body_mass": WORLDS})
    d = mjw.make_data(source, nworld=WORLDS)
    mass = m.body_mass.numpy().copy()
    mass[LOADED, -1] = 1000.0
    m.body_mass.assign(mass)
    mjw.step(m, d)
    np.testing.assert_array_equal(d.lost_digits.numpy(), [0, 1, 0])

"""Cost of a call beside its physics: the number of functions that it enters, which no other load of the machine changes."""

import pytest

from benchmarks.calls import calls, functions
from newtonlite.core import warp_internals

pytestmark = pytest.mark.skipif(not warp_internals.used(), reason="Warp's public interface launches in Python")
MOST = {"mjwarp.step": 25, "SolverMuJoCo.step": 40, "Simulation.step": 35}
"""Functions of Python and C in one call. Features of the model, looked up in each call, would be hundreds."""
MOST_OF_AN_ENVIRONMENT = 700


@pytest.fixture(scope="module", params=[1, 2], ids=["one_thread", "two_threads"])
def entered(request) -> dict:
    pytest.importorskip("gymnasium", reason="VectorEnv needs the extra envs")
    return {name: functions(call) for name, (call, _) in calls(request.param, request.param).items()}


@pytest.mark.parametrize("name", MOST)
def test_a_call_enters_few_functions(name, entered):
    assert entered[name] <= MOST[name]


def test_the_terms_of_an_environment_are_launched_without_warp_in_between(entered):
    assert entered["VectorEnv.step"] <= MOST_OF_AN_ENVIRONMENT


def test_parameters_that_were_lent_cost_a_look_at_their_bytes():
    from benchmarks.calls import PENDULUM
    from newtonlite import mjwarp

    m = mjwarp.put_model(mjwarp.load(PENDULUM), device="cpu")
    d = mjwarp.make_data(m, 1)
    for name in ("dof_frictionloss", "body_gravcomp", "actuator_damping"):
        getattr(m, name)
    mjwarp.step(m, d)
    assert functions(lambda: mjwarp.step(m, d)) <= 60

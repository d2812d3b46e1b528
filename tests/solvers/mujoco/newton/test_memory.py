"""Memory is reported before it is taken, and the report is true afterwards."""

import pytest

from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.memory import memory_report
from tests.solvers.mujoco.scenes import builder, every_joint


@pytest.mark.parametrize("mode", ["auto", "staged"])
def test_a_report_says_what_is_then_taken(device, mode):
    one, many = builder(), builder()
    one.replicate(every_joint(), 1)
    many.replicate(every_joint(), 5)
    said = SolverMuJoCo(one.finalize(device=device), mode=mode).memory_report(5)
    d = SolverMuJoCo(many.finalize(device=device), mode=mode).mjw_data
    taken = {name: array.capacity for name, array in d.arrays.items()}
    assert {name: size for name, size in said.data.items() if size} == {name: size for name, size in taken.items() if size}
    assert said.total > sum(taken.values()) and f"{said.nworld} worlds" in str(said)
    assert memory_report(d.model, 8192, scratch="per_world").per_world > said.per_world / 2

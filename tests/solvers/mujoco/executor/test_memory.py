"""Memory is reported before it is taken, and the report is true afterwards."""

import pytest
import warp as wp

from newtonlite.core.enums import ModelFlags
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.adapter.export_contacts import KEPT
from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.executor.memory import memory_report
from newtonlite.solvers.mujoco.executor.partition import Partition, blocks_per_sm
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.engine_scenes import builder, every_joint
from tests.harness.quick_kernels import fold_quickly


@pytest.mark.parametrize("mode", ["auto", "gpu"])
def test_a_report_says_what_is_then_taken(device, mode, monkeypatch):
    if mode == "gpu":
        fold_quickly(monkeypatch)
    one, many = builder(), builder()
    one.replicate(every_joint(), 1)
    many.replicate(every_joint(), 5)
    said = SolverMuJoCo(one.finalize(device=device), mode=mode, threads=2).memory_report(5)
    model = many.finalize(device=device)
    solver = SolverMuJoCo(model, mode=mode, threads=2)
    solver.step(model.state(), model.state(), model.control())
    data, scratch = solver.mjw_data.arrays, {}
    for waves in solver.schedule.shards:
        for name, array in waves[0].scratch.arrays.items():
            scratch[name] = scratch.get(name, 0) + array.capacity
    assert taken(said.data) == taken({name: array.capacity for name, array in data.items()})
    assert taken(said.scratch) == taken(scratch)
    assert f"{said.nworld} worlds" in str(said)


def test_a_report_says_what_following_changes_takes(device):
    b = builder()
    b.replicate(every_joint(), 4)
    s = SolverMuJoCo(b.finalize(device=device), mode="staged", scratch="per_world")
    said, before = s.memory_report(), capacity(s)
    assert said.following > 0 and "followed" in str(said)
    s.notify_model_changed(ModelFlags.ALL)
    assert capacity(s) - before == said.following
    then = s.memory_report()
    assert (then.following, then.total) == (0, said.total + said.following)
    assert s.memory_report(8).total - once(then) > 1.9 * (then.total - once(then) - then.model) + then.model


def once(report) -> int:
    """Bytes that a thread has for one island, however many worlds there are."""
    return sum(size for name, size in report.scratch.items() if name.startswith("island."))


def capacity(s) -> int:
    """Bytes of the model, of gains of contacts, and of what is kept while changes are followed."""
    updater = s.only._updater
    arrays = [*s.mjw_model.arrays.values(), s.only.binding.fixed["geom_gains"], *updater._backups.values()]
    return sum(a.size * wp.types.type_size_in_bytes(a.dtype) for a in arrays)


def taken(sizes: dict) -> dict:
    """Fields that take any memory."""
    return {name: size for name, size in sizes.items() if size}


def test_waves_take_turns_with_the_scratch_of_one(monkeypatch):
    """8192 humanoids as a GPU of 132 multiprocessors steps them, against half of what a world takes in MuJoCo Warp."""
    monkeypatch.setattr(specialize, "enabled", True)
    m = put_model(oracle.named_model("humanoid"))
    on_gpu = Partition("gpu", 32, 1, 132 * blocks_per_sm(32))
    few, all_ = (memory_report(m, 8192, 24, 64, scratch, KEPT, over=on_gpu) for scratch in ("shared", "per_world"))
    assert few.per_world < 33000 / 2 < all_.per_world

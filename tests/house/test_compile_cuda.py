"""GPU kernels compile for teams of 32 lanes on an H100 or H200, and spill no more than is listed: here the quickest, at night those
that changed and take less than a minute, all of them at every team size in ``make ptx``, whose record is looked at.
"""

import json
import shutil

import pytest
import warp as wp

from benchmarks.ptx import (
    FLEXES,
    KERNELS,
    LANES,
    RESULTS,
    assemble,
    compile_ptx,
    gpu_kernel,
    recorded,
    source_hash,
    spills,
)
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor.fused_kernel import fused_kernel
from newtonlite.solvers.mujoco.executor.plan import FUSED

ARCH, NLANE = 90, 32  # a warp
LONG = ("motion", "convex", "speculative", "constraint", "primal", "distance", "sensor", "integrate")
"""Kernels that take 10 to 45 s each to compile."""
QUICK = ("noslip", "yield")


def nightly(names, quick: tuple) -> list:
    """Parameters of a test that runs at night for all but a few."""
    return [pytest.param(name, marks=() if name in quick else pytest.mark.nightly) for name in names]


@pytest.mark.parametrize("name", nightly([name for name in (*KERNELS, *FLEXES) if name not in LONG], QUICK))
def test_a_kernel_of_the_gpu_plan_compiles_and_spills_no_register(name, tmp_path):
    made, known = gpu_kernel(name, NLANE), recorded(ARCH, "kernels").get(f"step_{name}_{NLANE}", {})
    if known.get("hash") == source_hash(made.kernel.module, NLANE):
        return  # the record, which is looked at below, is of this source
    ptx, _ = compile_ptx(made.kernel, ARCH, tmp_path)
    assert ptx.stat().st_size
    ptxas = shutil.which("ptxas")
    if ptxas:
        row = assemble(ptx, ARCH, ptxas)
        assert "error" not in row and not spills(name, row), row


@pytest.mark.nightly
def test_stages_of_no_fused_kernel_compile(tmp_path):
    """What a model's followers and ``set_const`` run, a kernel per stage on a GPU; here they are one."""
    stages = dict.fromkeys((*pipeline.MODEL_UPDATE, *pipeline.SPRING_LENGTHS, *pipeline.SMOOTH))
    apart = tuple(stage for stage in stages if stage not in FUSED)
    assert len(apart) > 8
    kernel: wp.Kernel = fused_kernel("apart", apart, NLANE).kernel
    assert compile_ptx(kernel, ARCH, tmp_path)[0].stat().st_size


def test_the_record_has_every_kernel_at_every_team_size_and_none_spills_more_than_is_listed():
    rows = {row["kernel"]: row for row in json.loads((RESULTS / "ptx_sm90.json").read_text())["kernels"]}
    names = {f"step_{name}_{lanes}": name for name in KERNELS for lanes in LANES}
    flexes = {f"step_{name}_{lanes}": name for name in FLEXES for lanes in LANES}
    assert set(names) <= set(rows) <= set(names | flexes)
    assert [k for k, row in rows.items() if "error" in row or spills((names | flexes)[k], row)] == []

"""Parts: stages whose calls are functions of their own on a GPU, which get addresses of the views."""

import pytest

from benchmarks.ptx import compile_ptx, gpu_kernel
from benchmarks.ptx_soft import kernels_of
from newtonlite.solvers.mujoco.executor import fused_kernel, plan, specialize
from newtonlite.solvers.mujoco.executor.ahead_of_time import step_kernels
from newtonlite.solvers.mujoco.executor.fused_kernel import FusedKernel
from newtonlite.solvers.mujoco.kernels.sleep import sleep
from tests import oracle

ARCH, NLANE = 90, 32


@pytest.fixture
def in_parts(monkeypatch):
    """A small stage that is taken for a loop of calls."""
    monkeypatch.setattr(plan, "IN_PARTS", (sleep.sleep_islands.func.__name__,))
    return FusedKernel("in_parts", (sleep.sleep_islands,), NLANE, fused_kernel.GPU_LEVEL)


def test_calls_of_a_stage_are_functions_that_take_addresses(in_parts, tmp_path):
    text = compile_ptx(in_parts.kernel, ARCH, tmp_path)[0].read_text(errors="ignore")
    functions = [line for line in text.splitlines() if line.startswith(".func")]
    assert functions and "call.uni" in text
    # the bounds of the launch and two views of some kilobytes, then two addresses
    entry = text[text.index(".entry") :]
    assert entry[: entry.index(")")].count(".b8") == 3 and entry[: entry.index(")")].count(".u64") == 2
    assert ".b8" not in text[text.index(functions[0]) : text.index(functions[0]) + 300].split("{")[0]


def test_other_kernels_are_one_function(tmp_path):
    text = compile_ptx(gpu_kernel("islands", NLANE).kernel, ARCH, tmp_path)[0].read_text(errors="ignore")
    assert ".func" not in text


def test_one_lane_has_no_parts(in_parts, monkeypatch):
    assert in_parts.split and not FusedKernel("whole", in_parts.stages, 1, 0).split


def test_solvers_of_soft_models_are_in_parts_and_of_others_one_function(monkeypatch):
    """As one function those of coupled cloths spilled 576 bytes and took the compiler five times as long."""
    monkeypatch.setattr(specialize, "enabled", True)
    dual, primal = kernels_of("cloth of edges on a plane"), kernels_of("coupled rows by Newton")
    assert dual["dual"].split and primal["primal"].split
    rigid = {kernel.name: kernel for kernel in step_kernels(oracle.named_model("slide_friction_loss"))}
    assert not rigid["step_dual"].split and not rigid["step_primal"].split

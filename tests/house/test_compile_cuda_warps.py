"""Every pack compiles for teams of 32 lanes on an H100 or H200, and none spills a register, but for those listed."""

import shutil

import pytest

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor.fused_kernel import fused_kernel
from newtonlite.solvers.mujoco.executor.schedule import FUSED
from tests.house.cuda import PACKS, check_spills, compile_pack, compile_to_ptx

NLANE = 32  # a warp


@pytest.fixture(scope="module", params=PACKS)
def compiled(request, tmp_path_factory):
    """A pack's name and PTX."""
    return request.param, compile_pack(request.param, NLANE, tmp_path_factory.mktemp(request.param))


def test_a_pack_of_the_gpu_schedule_compiles(compiled):
    _, files = compiled
    assert [path for path in files if path.stat().st_size]


@pytest.mark.skipif(not shutil.which("ptxas"), reason="no ptxas on the path")
def test_a_pack_of_the_gpu_schedule_spills_no_register(compiled, tmp_path):
    check_spills(*compiled, tmp_path)


def test_stages_of_no_pack_compile(tmp_path):
    """What a model's followers and ``set_const`` run, a kernel per stage on a GPU; here they are one."""
    stages = dict.fromkeys((*pipeline.MODEL_UPDATE, *pipeline.SPRING_LENGTHS, *pipeline.SMOOTH))
    apart = tuple(stage for stage in stages if stage not in FUSED)
    assert len(apart) > 8
    assert [
        path for path in compile_to_ptx(fused_kernel("apart", apart, 32).kernel.module, tmp_path) if path.stat().st_size
    ]

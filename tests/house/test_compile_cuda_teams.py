"""Every pack compiles for teams of 128 lanes on an H100 or H200, and none spills a register, but for those listed."""

import shutil

import pytest

from tests.house.cuda import PACKS, check_spills, compile_pack

NLANE = 128  # teams that meet at barriers


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

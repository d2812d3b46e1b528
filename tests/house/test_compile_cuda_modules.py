"""Every module with kernels of its own compiles for an H100 or H200 without one at hand: here one, and at night those
that changed since ``make ptx`` compiled them all.
"""

import pytest
import warp as wp

from benchmarks.ptx import compile_module, kernel_modules, recorded, source_hash

ARCH = 90


SMALL = "newtonlite.solvers.mujoco.kernels.state_io.reset"


@pytest.mark.filterwarnings("ignore:Generic kernels without overloads")
def test_a_module_with_kernels_compiles(tmp_path):
    assert SMALL in kernel_modules()
    assert compile_module(SMALL, ARCH, tmp_path)


def test_kernels_of_pictures_do_not_spill():
    found = [row for name, row in recorded(ARCH, "modules").items() if ".mujoco.render." in name]
    assert {row["module"].rpartition(".")[2] for row in found} >= {"trace", "shadow", "shade", "layers", "soft"}
    assert all(row["spill_stores"] == row["spill_loads"] == 0 for row in found)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:Generic kernels without overloads")
def test_every_module_with_kernels_compiles(tmp_path):
    modules, known = kernel_modules(), recorded(ARCH, "modules")
    assert modules
    for name in modules:
        if known.get(name, {}).get("hash") != source_hash(wp.get_module(name)):
            assert compile_module(name, ARCH, tmp_path / name), name

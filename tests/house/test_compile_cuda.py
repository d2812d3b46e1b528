"""Every kernel of the package compiles for an H100 or H200 without one at hand, and packs spill no register, but for those listed."""

import importlib
import pkgutil
import re
import shutil
import subprocess

import pytest
import warp as wp

import newtonlite
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.kernels.convert.pull import pull
from newtonlite.solvers.mujoco.kernels.convert.push import push_input, push_state
from newtonlite.solvers.mujoco.pack import pack

ARCH = 90
LANES = [32, 128]  # a warp, and teams that meet at barriers
PTX_OF_PTXAS = ".version 9.0"  # the compiler in Warp's wheel may write a newer version than the ptxas at hand reads
MOST_SPILLED = {"convex": 8192, "distance": 4096}  # bytes; depths need float64, and 255 registers are what there is
SPILL = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")

FIRST, *_, LAST = pipeline.GPU_PACKS
PACKS = dict(pipeline.GPU_PACKS)
PACKS[FIRST] = (push_state, push_input, *PACKS[FIRST])
PACKS[LAST] = (*PACKS[LAST], pull)


def compile_to_ptx(module, folder):
    """The PTX files of a Warp module."""
    wp.compile_aot_module(module, device=None, arch=ARCH, module_dir=str(folder), use_ptx=True, strip_hash=False)
    return list(folder.glob("*.ptx"))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """PTX of a pack for a team size, compiled once."""
    done = {}

    def get(name, nlane):
        if (name, nlane) not in done:
            folder = tmp_path_factory.mktemp(f"{name}_{nlane}")
            done[name, nlane] = compile_to_ptx(pack(f"step_{name}", PACKS[name], nlane).kernel.module, folder)
        return done[name, nlane]

    return get


@pytest.mark.parametrize("nlane", LANES)
@pytest.mark.parametrize("name", PACKS)
def test_a_pack_of_the_gpu_schedule_compiles(name, nlane, compiled):
    assert [path for path in compiled(name, nlane) if path.stat().st_size]


@pytest.mark.skipif(not shutil.which("ptxas"), reason="no ptxas on the path")
@pytest.mark.parametrize("nlane", LANES)
@pytest.mark.parametrize("name", PACKS)
def test_a_pack_of_the_gpu_schedule_spills_no_register(name, nlane, compiled, tmp_path):
    for ptx in compiled(name, nlane):
        text = re.sub(r"\.version \S+", PTX_OF_PTXAS, ptx.read_text().rstrip("\0"), count=1)
        copy = tmp_path / "pack.ptx"
        copy.write_text(text)
        command = ["ptxas", "-v", f"-arch=sm_{ARCH}", str(copy), "-o", str(tmp_path / "pack.cubin")]
        report = subprocess.run(command, capture_output=True, text=True)
        assert report.returncode == 0, report.stderr
        spills = SPILL.findall(report.stderr)
        assert spills and all(int(n) <= MOST_SPILLED.get(name, 0) for spill in spills for n in spill), report.stderr


def kernel_modules() -> list[str]:
    """Modules of the package that define Warp kernels."""
    for module in pkgutil.walk_packages(newtonlite.__path__, "newtonlite."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return sorted(
        name for name, module in wp._src.context.user_modules.items() if name.startswith("newtonlite") and any(not k.is_generic or k.overloads for k in module.kernels.values())
    )


def test_every_other_module_with_kernels_compiles(tmp_path):
    modules = kernel_modules()
    assert modules
    for name in modules:
        assert [path for path in compile_to_ptx(name, tmp_path / name) if path.stat().st_size], name

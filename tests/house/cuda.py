"""Kernels compiled for an H100 or H200 without one at hand, for the tests beside: PTX of packs and modules, and bytes
they spill.
"""

import re
import subprocess
from pathlib import Path

import warp as wp

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor.fused_kernel import fused_kernel
from newtonlite.solvers.mujoco.executor.schedule import GPU_LEVEL
from newtonlite.solvers.mujoco.kernels.state_io.pull import pull
from newtonlite.solvers.mujoco.kernels.state_io.push import push_input, push_state

ARCH = 90
PTX_OF_PTXAS = ".version 9.0"  # the compiler in Warp's wheel may write a newer version than the ptxas at hand reads
MOST_SPILLED = {"convex": 4096, "distance": 2048, "primal": 128, "pgs": 768}
"""Bytes, with the 255 registers there are: depths and sweeps need float64, and these are the kernels of all features."""
SPILL = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")

FIRST, *_, LAST = pipeline.GPU_KERNELS
PACKS = dict(pipeline.GPU_KERNELS)
PACKS[FIRST] = (push_state, push_input, *PACKS[FIRST])
PACKS[LAST] = (*PACKS[LAST], pull)


def compile_to_ptx(module, folder) -> list[Path]:
    """The PTX files of a Warp module."""
    wp.compile_aot_module(module, device=None, arch=ARCH, module_dir=str(folder), use_ptx=True, strip_hash=False)
    return list(folder.glob("*.ptx"))


def compile_pack(name: str, nlane: int, folder) -> list[Path]:
    """The PTX files of a pack for a team size."""
    return compile_to_ptx(fused_kernel(f"step_{name}", PACKS[name], nlane, GPU_LEVEL).kernel.module, folder)


def check_spills(name: str, files: list[Path], folder) -> None:
    """Assert that ptxas spills no register of a pack, but for those listed."""
    for ptx in files:
        text = re.sub(r"\.version \S+", PTX_OF_PTXAS, ptx.read_text().rstrip("\0"), count=1)
        copy = folder / "pack.ptx"
        copy.write_text(text)
        command = ["ptxas", "-v", f"-arch=sm_{ARCH}", str(copy), "-o", str(folder / "pack.cubin")]
        report = subprocess.run(command, capture_output=True, text=True)
        assert report.returncode == 0, report.stderr
        spills = SPILL.findall(report.stderr)
        assert spills and all(int(n) <= MOST_SPILLED.get(name, 0) for spill in spills for n in spill), report.stderr

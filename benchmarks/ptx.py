"""Compile every kernel for sm_90, no GPU needed, and report registers, stack, spills and shared memory.

    python -m benchmarks ptx [--arch 90] [--fused] [--only flex,yield,modules] [--lanes 32] [--out FILE]

Warp's NVRTC makes the PTX; ``ptxas -v`` of a CUDA toolkit, where there is one on the path, makes the figures. The record
has a hash of every module's source: what it says is kept where that is the same, and tests compile what has changed.
"""

import argparse
import importlib
import json
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import warp as wp

import newtonlite
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import plan, specialize
from newtonlite.solvers.mujoco.executor.fused_kernel import GPU_LEVEL, fused_kernel
from newtonlite.solvers.mujoco.executor.plan import kernel_lanes
from newtonlite.solvers.mujoco.kernels.state_io.pull import pull
from newtonlite.solvers.mujoco.kernels.state_io.push import push_input, push_state

LANES = (32, 64, 128)
RESULTS = Path(__file__).parent / "results"
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers(.*?)\n")


MOST_SPILLED = {
    "convex": 4096,
    "speculative": 4096,
    "distance": 2048,
    "primal": 2816,
    "pgs": 768,
    "dual": 256,
    "integrate": 128,
    "apart": 256,
}
"""Bytes, with the 255 registers there are: depths and sweeps need float64, factors of up to 64 columns and
tiles of J'DJ stay in registers, and these are the kernels of all features; folded to a model they spill what docs/gpu_work.md lists.
Integrate spills in the systems that are solved in double, of models with light links under heavy loads alone. The kernel of the flag
ipc, "apart", has loops of calls whose own numbers are put aside for a call that takes all registers.
"""
FIRST, *_, LAST = plan.GPU_KERNELS
KERNELS = dict(plan.GPU_KERNELS)
"""Stages of every kernel that a step launches on a GPU, push and pull joined as the solver joins them."""
FLEXES = {k: v for table in (plan.SLEEP_FLEX_GPU_KERNELS, plan.FLEX_GPU_KERNELS) for k, v in table.items()}
FLEXES = {k: stages for k, stages in FLEXES.items() if k not in KERNELS}
"""Those that only models with flexes have."""
KERNELS[FIRST] = (push_state, push_input, *KERNELS[FIRST])
KERNELS[LAST] = (*KERNELS[LAST], pull)


def gpu_kernel(name: str, lanes: int):
    """A kernel of the plan for models with teams of ``lanes``."""
    return fused_kernel(f"step_{name}", (KERNELS | FLEXES)[name], kernel_lanes(name, lanes), GPU_LEVEL)


def gpu_kernels(fused: bool, only: tuple = (), widths: tuple = LANES):
    """(name, kernel) of every kernel a step launches on a GPU, or of those named ``only``, for teams of ``widths``.

    ``fused``: also the one kernel of mode "fused", which is the schedule of the CPU and takes a minute to compile.
    """
    for lanes in widths:
        for name in (*KERNELS, *FLEXES):
            if not only or name in only:
                yield f"step_{name}_{lanes}", gpu_kernel(name, lanes)
    if fused:
        stages = (push_state, push_input, *pipeline.STEP, pull)
        yield "step_fused_32", fused_kernel("step", stages, LANES[0], GPU_LEVEL)


def spills(name: str, row: dict) -> bool:
    """Whether a kernel spills more bytes than are listed for it."""
    return max(row.get("spill_stores", 0), row.get("spill_loads", 0)) > MOST_SPILLED.get(name, 0)


def compile_ptx(kernel: wp.Kernel, arch: int, folder: Path) -> tuple[Path, float]:
    """(PTX file, CPU seconds) of a kernel's module."""
    began = time.process_time()
    made = wp.compile_aot_module(kernel.module, device=None, arch=arch, module_dir=folder, use_ptx=True)
    return Path(made[0]), time.process_time() - began


def compile_module(name: str, arch: int, folder: Path) -> list[Path]:
    """PTX files of a module of the package."""
    wp.compile_aot_module(name, device=None, arch=arch, module_dir=str(folder), use_ptx=True)
    return [path for path in folder.glob("*.ptx") if path.stat().st_size]


def assemble(ptx: Path, arch: int, ptxas: str) -> dict:
    """What ptxas says of a PTX file. NVRTC ends the text with a zero byte and may name a version newer than ptxas knows."""
    text = ptx.read_text().rstrip("\0")
    known = ptxas_version(ptxas)
    text = re.sub(r"\.version (\S+)", lambda m: f".version {min(m[1], known, key=numbers)}", text, count=1)
    ptx.write_text(text)
    done = subprocess.run(
        [ptxas, "-v", f"-arch=sm_{arch}", ptx, "-o", ptx.with_suffix(".cubin")], capture_output=True, text=True
    )
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[0]}
    return figures(done.stderr)


def figures(said: str) -> dict:
    """Figures in what ptxas says, the most of all kernels and of all functions that are not inlined, whose frames and spills
    it lists after the kernel that calls them.
    """
    kernels = [
        [int(registers), *(int(found[1]) if found else 0 for found in (re.search(rf"(\d+) bytes {of}", rest) for of in ("cumulative stack", "smem")))]
        for registers, rest in USED.findall(said)
    ]  # fmt: skip
    functions = [list(map(int, found)) for found in FRAME.findall(said)]
    if not kernels or not functions:
        return {}
    registers, whole, shared = map(max, zip(*kernels, strict=True))
    stack, stores, loads = map(max, zip(*functions, strict=True))
    return {
        "registers": registers,
        "stack": max(stack, whole),
        "spill_stores": stores,
        "spill_loads": loads,
        "shared": shared,
    }


def ptxas_version(ptxas: str) -> str:
    """The newest PTX version this ptxas reads: CUDA 13.x reads PTX 9.x, 12.x reads 8.x."""
    release = re.search(
        r"release (\d+)\.(\d+)", subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout
    )
    return f"{int(release[1]) - 4}.{release[2]}"


def numbers(version: str) -> tuple:
    """A version as integers, to be compared."""
    return tuple(int(part) for part in version.split("."))


def source_hash(module: wp.Module, lanes: int = 256) -> str:
    """Hash of all that Warp compiles of a module."""
    return module.get_module_hash(lanes).hex()[:16]


def kernel_modules() -> list[str]:
    """Modules of the package that define Warp kernels of their own."""
    for module in pkgutil.walk_packages(newtonlite.__path__, "newtonlite.", onerror=lambda name: None):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as problem:  # of an extra that is not installed
                if problem.name.startswith("newtonlite"):
                    raise
    return sorted(
        name
        for name, module in wp._src.context.user_modules.items()
        if name.startswith("newtonlite") and any(not k.is_generic or k.overloads for k in module.kernels.values())
    )


def recorded(arch: int, what: str) -> dict:
    """Rows of the record by name: ``what`` is "kernels" or "modules"."""
    path = RESULTS / f"ptx_sm{arch}.json"
    rows = json.loads(path.read_text()).get(what, []) if path.exists() else []
    return {row["kernel" if what == "kernels" else "module"]: row for row in rows}


def report(arch: int, fused: bool, keep, only: tuple = (), widths: tuple = LANES) -> dict:
    """Every kernel and module that changed compiled, with its figures, or kernels named ``only`` ("modules": all modules);
    ``keep`` is called with what there is so far.
    """
    ptxas = shutil.which("ptxas")
    known, known_modules = recorded(arch, "kernels"), recorded(arch, "modules")
    kernels, modules = [], []
    found = {
        "arch": f"sm_{arch}",
        "warp": wp.config.version,
        "ptxas": ptxas_version(ptxas) if ptxas else None,
        "kernels": kernels,
        "modules": modules,
    }
    with tempfile.TemporaryDirectory() as folder:
        chosen = kernel_modules() if not only or "modules" in only else []
        modules += () if chosen else known_modules.values()
        for name in chosen:
            row = {"module": name, "hash": source_hash(wp.get_module(name))}
            if known_modules.get(name, {}).get("hash") == row["hash"]:
                row = known_modules[name]
            else:
                made = compile_module(name, arch, Path(folder) / name)
                row |= assemble(made[0], arch, ptxas) if ptxas and made else {}
                print(json.dumps(row), flush=True)
            modules.append(row)
        for name, made in gpu_kernels(fused, only, widths):
            row = {"kernel": name, "hash": source_hash(made.kernel.module, made.nlane)}
            if known.get(name, {}).get("hash") == row["hash"]:
                kernels.append(known[name])
                continue
            ptx, seconds = compile_ptx(made.kernel, arch, Path(folder) / name)
            row |= {"nvrtc_s": round(seconds, 2), "ptx_bytes": ptx.stat().st_size}
            kernels.append(row | (assemble(ptx, arch, ptxas) if ptxas else {}))
            print(json.dumps(kernels[-1]), flush=True)
            keep(found | {"kernels": in_order(kernels, known)})
    found["kernels"] = in_order(kernels, known if only or widths != LANES else {})
    keep(found)
    return found


def in_order(rows: list, known: dict) -> list:
    """Rows of kernels by team size, as the plan has them; of ``known`` those that are not among ``rows``."""
    names = [f"step_{name}_{lanes}" for lanes in LANES for name in (*KERNELS, *FLEXES)]
    found = known | {row["kernel"]: row for row in rows}
    return [found[name] for name in (*names, *(k for k in found if k not in names)) if name in found]


def main() -> int:
    """Compile, write the report, and fail where a kernel does not compile, or spills more than is listed."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--arch", type=int, default=90)
    arguments.add_argument("--fused", action="store_true", help="also the one kernel of mode fused")
    arguments.add_argument("--only", default="", help="kernels of the plan, and modules, with commas")
    arguments.add_argument("--lanes", default=",".join(map(str, LANES)), help="sizes of teams, with commas")
    arguments.add_argument("--out", type=Path)
    args = arguments.parse_args()
    specialize.disable()  # as tests do: hashes are of the same settings
    out = args.out or RESULTS / f"ptx_sm{args.arch}.json"
    only = tuple(filter(None, args.only.split(",")))
    widths = tuple(map(int, args.lanes.split(",")))
    found = report(args.arch, args.fused, lambda rows: out.write_text(json.dumps(rows, indent=1) + "\n"), only, widths)
    bad = [k["kernel"] for k in found["kernels"] if "error" in k or spills(k["kernel"].split("_")[1], k)]
    print(
        f"{len(found['kernels'])} kernels for sm_{args.arch}, {len(bad)} of them faulty or spilling more than is listed: {', '.join(bad) or 'none'}; wrote {out.name}"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

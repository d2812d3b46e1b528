"""Compile the kernels of soft scenes for sm_90, folded to each scene's features as the engine builds them, and report
registers, stack and spills. No GPU needed; ``ptxas`` of a CUDA toolkit makes the figures.

    python -m benchmarks ptx_soft [--only ipc,cloth] [--kernels constraint,flex] [--arch 90]

The scenes are those of the emulation (``conformance/emulate_whole.py``). Rows are kept as they are found, by the hash of a
kernel's source; what is there is not compiled again, nor is what an emulation has left in Warp's cache.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

import warp as wp

from benchmarks.ptx import RESULTS, assemble, compile_ptx, source_hash

MOST_SPILLED = {"apart": 128, "convex": 4096, "speculative": 4096}
"""Bytes, as ``benchmarks.ptx`` has them for the kernels of all features; that of the flag ipc spills in models of sparse
coupled rows and by conjugate gradients alone.
"""
OF_SCENES = {"distance fields of rigid bodies": {"dual": 2048, "primal": 1024}}
"""The same for kernels of scenes without flexes, whose solvers have at most 128 registers."""


def path(arch: int) -> Path:
    """File of the record."""
    return RESULTS / f"ptx_soft_sm{arch}.json"


def recorded(arch: int) -> dict:
    """The record: ``scenes`` has the hashes of a scene's kernels by their names, ``kernels`` figures by hash."""
    file = path(arch)
    return json.loads(file.read_text()) if file.exists() else {"arch": f"sm_{arch}", "scenes": {}, "kernels": {}}


def kernels_of(name: str) -> dict:
    """Kernels of a scene by their names, in running order."""
    from conformance.emulate_soft import compiled
    from conformance.emulate_whole import ALL, bounds_of, taken_for_large
    from newtonlite.solvers.mujoco.executor.ahead_of_time import step_kernels

    with taken_for_large(bounds_of(name)):
        return {kernel.name.removeprefix("step_"): kernel for kernel in step_kernels(compiled(ALL[name]))}


def ptx_of(kernel, arch: int, folder: Path) -> Path:
    """PTX of a kernel in ``folder``: that of Warp's cache where there is one."""
    identifier = kernel.module.get_module_identifier()
    cached = Path(wp.config.kernel_cache_dir) / identifier / f"{identifier}.sm{arch}.ptx"
    if not cached.exists():
        return compile_ptx(kernel, arch, folder)[0]
    folder.mkdir(parents=True)
    return Path(shutil.copy(cached, folder))


def beyond(record: dict) -> list[str]:
    """Scenes and kernels that spill more than is listed."""
    kept = record["kernels"]
    return [
        f"{scene}: {name} {kept[key]['spill_stores']}/{kept[key]['spill_loads']}"
        for scene, kernels in record["scenes"].items()
        for name, key in kernels.items()
        if max(kept[key]["spill_stores"], kept[key]["spill_loads"])
        > (MOST_SPILLED | OF_SCENES.get(scene, {})).get(name, 0)
    ]


def measure(record: dict, chosen, ptxas: str) -> None:
    """Compile what is chosen and not kept; the record is written after each kernel."""
    from conformance.emulate_whole import ALL

    only, kinds = chosen.only.split(","), set(filter(None, chosen.kernels.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        for scene in ALL:
            if any(part in scene for part in only):
                kept = record["scenes"][scene] = {}
                for name, kernel in kernels_of(scene).items():
                    key = source_hash(kernel.kernel.module, kernel.nlane)
                    if key not in record["kernels"] and (not kinds or name in kinds):
                        ptx = ptx_of(kernel.kernel, chosen.arch, Path(folder) / key)
                        record["kernels"][key] = {"kernel": name} | assemble(ptx, chosen.arch, ptxas)
                        print(scene, json.dumps(record["kernels"][key]), flush=True)
                    if key in record["kernels"]:
                        kept[name] = key
                        keep(record, chosen.arch)


def keep(record: dict, arch: int) -> None:
    """Write the record, without kernels that no scene has."""
    used = {key for kernels in record["scenes"].values() for key in kernels.values()}
    shown = record | {"kernels": {key: row for key, row in record["kernels"].items() if key in used}}
    path(arch).write_text(json.dumps(shown, indent=1) + "\n")


def main() -> int:
    """Compile, write the record, and fail where a kernel spills more than is listed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("--only", default="", help="scenes whose name contains one of these, with commas")
    parser.add_argument("--kernels", default="", help="kernels of the plan, with commas; all when left out")
    chosen = parser.parse_args()
    ptxas = shutil.which("ptxas")
    if not ptxas:
        print("ptx_soft: needs ptxas of a CUDA toolkit on the path", file=sys.stderr)
        return 2
    record = recorded(chosen.arch)
    measure(record, chosen, ptxas)
    bad = beyond(record)
    print(
        f"{len(record['kernels'])} kernels of {len(record['scenes'])} scenes; spill more than is listed: {', '.join(bad) or 'none'}"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

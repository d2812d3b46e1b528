"""newtonlite warmup: kernels compiled ahead of time into the kernel cache, those of any model for this processor, or
those of models for GPUs, which an archive carries to another machine.
"""

import sys
import time
from pathlib import Path

from newtonlite.cli.options import model_file
from newtonlite.cli.outcome import close
from newtonlite.core.processor_kinds import KINDS, PORTABLE


def arguments(parser) -> None:
    """Options of the command."""
    parser.add_argument(
        "model", nargs="*", help="MJCF, URDF or USD files or packaged models; none: any model, for this processor"
    )
    parser.add_argument(
        "--arch",
        default="90",
        help="compute capabilities of the models' GPU kernels, without a dot, with commas: 80,86,89,90,100,120 (default: 90)",
    )
    parser.add_argument(
        "--archive", type=Path, metavar="FILE", help="also write the models' GPU kernels to a file, for another machine"
    )
    parser.add_argument(
        "--take",
        type=Path,
        metavar="FILE",
        help="take the GPU kernels of such a file, which is yours or of somebody you trust, into the kernel cache of this machine",
    )
    parser.add_argument(
        "--packaged",
        choices=tuple(KINDS),
        nargs="?",
        const=PORTABLE,
        metavar="PROCESSOR",
        help=f"any model, for a kind of processor ({', '.join(KINDS)}; default: {PORTABLE}), into the package: for those who make wheels",
    )


def run(args) -> int:
    """Compile the kernels of any model for this processor, or those of models' steps for GPUs; or take an archive."""
    if args.take:
        return take_archive(args)
    if args.archive and not args.model:
        raise ValueError("--archive: name the models whose GPU kernels it shall hold")
    return for_gpus(args) if args.model else for_processor(args)


def for_processor(args) -> int:
    """Compile the CPU kernels with which a model that was never seen before begins, and those of everything beside the
    engine.
    """
    import warp as wp

    from newtonlite.core import warp_internals
    from newtonlite.core.errors import SettingError
    from newtonlite.core.kernel_module import compile_modules
    from newtonlite.mjwarp.stages import programs
    from newtonlite.solvers.mujoco.adapter.programs import every_program
    from newtonlite.solvers.mujoco.executor import fence

    began, count, place, packaged = time.perf_counter(), 0, "", args.packaged
    if warp_internals.used():
        count = fence.opened("general_kernels").compile_general([*every_program(), *programs()], packaged)
        place = f"{fence.opened('kernel_cache').places()[0]}{'' if packaged else ' and '}"
    elif packaged:
        raise SettingError(f"--packaged: Warp's internals are {warp_internals.state()}")
    others = compile_modules(packaged)
    took, places = time.perf_counter() - began, f"{place}{'' if packaged else wp.config.kernel_cache_dir}"
    close(
        args,
        f"{count} kernels of the engine and {others} modules of others in {took:.1f} s in {places}: "
        + ("a first call compiles nothing now" if count else f"Warp's internals are {warp_internals.state()}"),
        kernels=count,
        modules=others,
        seconds=round(took, 1),
        folders=places.split(" and "),
    )
    return 0


def for_gpus(args) -> int:
    """Compile the kernels of a step, as the solver and as the engine alone run it."""
    import warp as wp

    from newtonlite.cli.convert import compile_source
    from newtonlite.core.kernel_archive import pack
    from newtonlite.importers.report import Report
    from newtonlite.solvers.mujoco.adapter.programs import PULL, PUSH
    from newtonlite.solvers.mujoco.executor.ahead_of_time import compile_ahead, step_kernels

    # models with the same features have the same kernels
    archs, kernels = architectures(args.arch), []
    for model in args.model:
        mj = compile_source(model_file(model), "raise", Report())
        kernels += [*step_kernels(mj, PUSH, PULL), *step_kernels(mj)]
    kernels = list(dict.fromkeys(kernels))

    began, files = time.perf_counter(), []
    for number, (name, made) in enumerate(compile_ahead(kernels, archs), 1):
        files += made
        took = time.perf_counter() - began
        left = took / number * (len(kernels) - number)
        print(
            f"{took:6.1f} s  {name}: {number} of {len(kernels)}, about {left:.0f} s left", file=sys.stderr, flush=True
        )

    count, place = len(kernels), wp.config.kernel_cache_dir
    line = f"{count} kernels for {', '.join(f'sm_{a}' for a in archs)} in {place}"
    figures = {"kernels": count, "archs": archs, "folder": place, "seconds": round(time.perf_counter() - began, 1)}
    if args.archive:
        size = pack(files, args.archive)
        line += f", and {size / 2**20:.1f} MiB of them in {args.archive}: newtonlite warmup --take {args.archive.name}"
        figures |= {"archive": args.archive, "bytes": size}
    close(args, line, **figures)
    return 0


def take_archive(args) -> int:
    """Take an archive of GPU kernels into the kernel cache of this machine."""
    import warp as wp

    from newtonlite.core.kernel_archive import take

    wp.init()  # knows the folder of its cache
    count, place = take(args.take), wp.config.kernel_cache_dir
    close(args, f"{count} modules of GPU kernels of {args.take} in {place}", modules=count, folder=place)
    return 0


def architectures(text: str) -> tuple[int, ...]:
    """Whole numbers between commas. Raises ValueError for anything else."""
    parts = [part.strip().removeprefix("sm_") for part in text.split(",")]
    if not all(part.isdigit() for part in parts):
        raise ValueError(f"--arch: expected numbers such as 80,90, got {text!r}")
    return tuple(map(int, parts))

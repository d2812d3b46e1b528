"""newtonlite bench MODEL: race what a user calls, ``mjwarp.step``, against others on the same work."""

import importlib.util
import json
import os
import sys
import time
from pathlib import Path

from newtonlite import __version__, models
from newtonlite.cli.bench.modes import MODES
from newtonlite.cli.doctor import installed, processor
from newtonlite.cli.options import model_argument, model_file, positive_integer, size_arguments
from newtonlite.cli.progress import Progress

OPPONENTS = ("engine", "mujoco", "mujoco-warp", "newton")
"""Opponents: this package's engine without the call around it, and the engines of others."""


def arguments(parser) -> None:
    """Options of the command."""
    model_argument(parser)
    size_arguments(parser, worlds=512, steps=20)
    about = "; ".join(f"{name}: {mode.about}" for name, mode in MODES.items()).replace("%", "%%")
    parser.add_argument("--mode", choices=MODES, default="spread", help=f"{about} (%(default)s)")
    parser.add_argument(
        "--against", default="", metavar="NAMES", help=f"opponents, with commas: {', '.join(OPPONENTS)}"
    )
    parser.add_argument(
        "--rounds",
        type=positive_integer,
        default=5,
        metavar="N",
        help="interleaved rounds, of which the median counts (%(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON line instead of a table")


def run(args) -> int:
    """Race, print, and fail where a contender overflowed or went bad."""
    against = [name for name in args.against.split(",") if name]
    unknown = set(against) - set(OPPONENTS)
    if unknown:
        raise ValueError(f"--against: no opponent {', '.join(sorted(unknown))}; there are {', '.join(OPPONENTS)}")
    os.environ.setdefault("NEWTONLITE_KERNELS", "wait")  # stand-ins are not what is measured
    result = measure(
        model_file(args.model),
        args.mode,
        args.worlds,
        args.steps,
        against,
        args.rounds,
        device=args.device,
        threads=args.threads,
        seed=args.seed,
        nconmax=args.nconmax,
        njmax=args.njmax,
    )
    print(json.dumps(result) if args.json else page(result))
    return 1 if any(r["failed"] for r in result["results"]) else 0


def measure(
    file,
    mode,
    worlds,
    steps,
    against=(),
    rounds=5,
    *,
    device=None,
    threads=None,
    seed=0,
    nconmax=None,
    njmax=None,
    distinct=None,
) -> dict:
    """One interleaved race: who, where, on what, and one record per contender, newtonlite first; of at most ``distinct``
    mixed states.
    """
    import warp as wp

    from newtonlite.cli.bench.contender import NewtonLite, NewtonLiteEngine
    from newtonlite.cli.bench.race import race
    from newtonlite.cli.bench.workload import DISTINCT, make_workload
    from newtonlite.cli.simulation import compile_file

    device = wp.get_device(device)
    peers = {"engine": NewtonLiteEngine, **(opponents() if set(against) - {"engine"} else {})}
    work = make_workload(
        file, compile_file(file), mode, worlds, steps, seed, nconmax, njmax, device, distinct or DISTINCT
    )
    ours = NewtonLite(work, device, threads)
    cores = ours.threads if device.is_cpu else os.cpu_count()
    contenders = [ours, *(peers[name](work, device, cores) for name in against)]
    with Progress(f"racing {', '.join(c.name for c in contenders)}") as bar:
        results = race(work, contenders, rounds, bar)
    return {
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": device.name if device.is_cuda else processor(),
        "device": "cuda" if device.is_cuda else "cpu",
        "versions": {
            "newtonlite": __version__,
            **{n: installed(n) for n in ("warp-lang", "numpy", *against) if n != "engine" and installed(n)},
        },
        "model": title(Path(file)),
        "mode": mode,
        "worlds": worlds,
        "steps": steps,
        "rounds": rounds,
        "seed": seed,
        "nconmax": ours.data.nconmax,
        "njmax": ours.data.njmax,
        "results": results,
    }


def title(file: Path) -> str:
    """Name of a model in results."""
    return file.stem + (" (packaged)" if file.parent == models.FOLDER else "")


def opponents() -> dict:
    """The contenders of the source tree's ``benchmarks`` folder, which is no part of the installed package."""
    file = Path(__file__).parents[3] / "benchmarks" / "peers.py"
    if not file.is_file():
        raise ModuleNotFoundError(
            "--against needs the project's source tree: install with pip install --editable, or run there"
        )
    spec = importlib.util.spec_from_file_location("newtonlite_peers", file)
    peers = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = peers
    spec.loader.exec_module(peers)
    return peers.PEERS


def page(result: dict) -> str:
    """The result for people."""
    head = f"{result['model']}, {result['worlds']} worlds, {result['steps']} steps, mode {result['mode']}, on {result['machine']}"
    lines = [head, f"{'':<14}{'threads':>8}{'steps/s':>13}{'per CPU second':>16}{'us/step':>10}   newtonlite is"]
    for r in result["results"]:
        speed = f"{r['name']:<14}{r['threads']:>8}{r['steps_per_second']:>13,.0f}{r['steps_per_cpu_second']:>16,.0f}{r['us_per_step']:>10.2f}"
        ratio = f"   {r['ratio']['wall']:.2f} x as fast ({r['ratio']['cpu']:.2f} x by CPU time)" if "ratio" in r else ""
        lines.append(speed + ratio + ("   FAILED: overflow or not finite" if r["failed"] else ""))
    return "\n".join(lines)

"""Command-line options of commands whose work is done by workers, and their line of progress."""

import sys
import time
from pathlib import Path

from newtonlite.cli.options import positive_integer
from newtonlite.cli.progress import Progress


def worker_arguments(parser, folder: bool = True) -> None:
    """Options of workers; ``folder``: those of a journal too."""
    parser.add_argument(
        "--workers",
        type=positive_integer,
        metavar="N",
        help="processes that share the worlds; results do not depend on it",
    )
    parser.add_argument(
        "--backend",
        choices=("local", "ray"),
        help="where workers are: processes of this machine, or a Ray cluster (local)",
    )
    parser.add_argument(
        "--ray", metavar="ADDRESS", help="the Ray cluster: HOST:PORT, or auto (one of this machine is started)"
    )
    parser.add_argument(
        "--shards", type=positive_integer, metavar="N", help="parts that the worlds are cut into (one a worker)"
    )
    parser.add_argument(
        "--mixed",
        choices=("refuse", "mark"),
        default="refuse",
        help="workers of another processor, Warp or package, whose last bits may differ (%(default)s)",
    )
    if folder:
        parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep a journal there (workers)")
        parser.add_argument("--resume", action="store_true", help="go on from the journal in --out")
        parser.add_argument(
            "--trajectories", action="store_true", help="keep trajectories in --out too, as .npy [steps, worlds, n]"
        )


def scaled(args) -> bool:
    """Whether a command is to be done by workers. ValueError for options that then lack something."""
    chosen = args.workers is not None or args.backend is not None or args.ray is not None
    if not chosen and (args.shards or getattr(args, "trajectories", False)):
        raise ValueError("--shards and --trajectories belong to workers; add --workers N")
    if args.ray is not None and args.backend == "local":
        raise ValueError("--ray belongs to --backend ray")
    return chosen


def pool_options(args) -> dict:
    """Options of ``newtonlite.scale`` that the arguments give."""
    backend = args.backend or ("ray" if args.ray is not None else "local")
    return {
        "workers": args.workers or 1,
        "shards": args.shards,
        "backend": backend,
        "address": args.ray,
        "device": args.device,
        "threads": args.threads,
        "mixed": args.mixed,
    }


class Overall:
    """Line of progress over all workers: chunks that are done, steps per second, workers that are there and were lost."""

    def __init__(self, bar: Progress, steps: float):
        self.bar, self.steps, self.began, self.before = bar, steps, None, 0.0

    def __call__(self, scheduler) -> None:
        """Show a scheduler."""
        share = scheduler.share_done
        if self.began is None:
            self.began, self.before = time.perf_counter(), share
        speed = self.steps * (share - self.before) / max(1e-9, time.perf_counter() - self.began)
        lost = f", {scheduler.lost} lost" if scheduler.lost else ""
        self.bar(share, f"{speed:,.0f} steps/s, {scheduler.ready} of {scheduler.wanted} workers{lost}")


def say_dashboard(url: str | None) -> None:
    """Write the address of the dashboard, where there is one."""
    if url:
        print(f"dashboard: http://{url}", file=sys.stderr)

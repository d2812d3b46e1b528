"""newtonlite rollout MODEL: simulate many copies of a model."""

import json
from pathlib import Path

from newtonlite.cli.options import control_argument, model_argument, model_file, size_arguments
from newtonlite.cli.progress import Progress
from newtonlite.cli.worker_options import scaled, worker_arguments


def arguments(parser) -> None:
    """Options of the command."""
    model_argument(parser)
    size_arguments(parser, worlds=1024, steps=1000)
    control_argument(parser, "random")
    parser.add_argument(
        "--overflow",
        choices=("warn", "raise", "grow"),
        default="warn",
        help="when contacts or rows do not fit: say so, stop, or make room (%(default)s)",
    )
    worker_arguments(parser)
    parser.add_argument(
        "--task",
        action="store_true",
        help="MODEL is a task, packaged or FILE.py; steps are its control steps (workers)",
    )
    parser.add_argument(
        "--policy", type=Path, metavar="FOLDER", help="take the actions of a run of newtonlite train (--task)"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the figures as JSON instead of a line; of workers with the sha256 of all trajectories",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="PNG", help="draw some of the worlds at a few instants to this file"
    )


def run(args) -> int:
    """Roll out and say how it went."""
    if scaled(args):
        from newtonlite.cli.scaled_rollout import run as run_scaled

        return run_scaled(args)
    if args.task or args.policy:
        raise ValueError("--task and --policy belong to rollouts over workers; add --workers N")
    file = model_file(args.model)
    from newtonlite.cli.picture import Album
    from newtonlite.cli.simulation import SolverRun

    simulation = SolverRun(
        file,
        args.worlds,
        args.control,
        device=args.device,
        threads=args.threads,
        seed=args.seed,
        nconmax=args.nconmax,
        njmax=args.njmax,
        overflow=args.overflow,
    )
    album = Album(simulation, args.steps) if args.plot else None
    with Progress("rolling out") as bar:
        outcome = simulation.run(args.steps, bar, album.watch if album else lambda step: None)
    if album:
        album.write(args.plot)
    print(json.dumps(outcome.dict()) if args.json else outcome.line())
    return 0

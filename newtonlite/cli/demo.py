"""newtonlite demo: 256 humanoids with random control, a picture of some of them, the figures as JSON."""

import json
import sys
from pathlib import Path

from newtonlite import models
from newtonlite.cli.options import size_arguments
from newtonlite.cli.outcome import close
from newtonlite.cli.progress import Progress
from newtonlite.core.replacing import replace_file


def arguments(parser) -> None:
    """Options of the command."""
    size_arguments(parser, worlds=256, steps=500)
    parser.add_argument(
        "--out", type=Path, default=Path("out"), metavar="FOLDER", help="where demo.png and demo.json go (%(default)s)"
    )


def run(args) -> int:
    """Roll out, draw, write, and close with one line."""
    from newtonlite.cli.picture import Album
    from newtonlite.cli.simulation import SolverRun

    args.out.mkdir(parents=True, exist_ok=True)  # before the work, that none is lost
    print(f"building {args.worlds} humanoids", file=sys.stderr)
    simulation = SolverRun(
        models.path("humanoid"),
        args.worlds,
        "random",
        device=args.device,
        threads=args.threads,
        seed=args.seed,
        nconmax=args.nconmax,
        njmax=args.njmax,
    )
    album = Album(simulation, args.steps)
    with Progress("rolling out") as bar:
        outcome = simulation.run(args.steps, bar, album.watch)
    print("drawing", file=sys.stderr)
    picture = album.write(args.out / "demo.png")
    data = args.out / "demo.json"
    replace_file(data, json.dumps(outcome.dict(), indent=2) + "\n")
    print(f"wrote {picture} and {data}", file=sys.stderr)
    close(args, outcome.line(), **outcome.dict(), picture=picture)
    print("make view, or newtonlite view humanoid --worlds 64, shows such a simulation in the browser", file=sys.stderr)
    return 0

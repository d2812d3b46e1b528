"""newtonlite sweep TASK: many training runs of a task as one job."""

import ast
import contextlib
import json
import sys
from pathlib import Path

from newtonlite.cli.options import positive_integer
from newtonlite.cli.progress import Progress
from newtonlite.cli.worker_options import pool_options, say_dashboard, worker_arguments


def arguments(parser) -> None:
    """Options of the command."""
    parser.add_argument("task", metavar="TASK", help="a packaged task, or FILE.py with a function task()")
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=A,B,...",
        help="values of a setting of train, or of a field of the task, as rewards.upright.weight=1,2; may be given again",
    )
    parser.add_argument(
        "--seeds", type=positive_integer, default=1, metavar="N", help="runs of each combination (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="the first seed (%(default)s)")
    parser.add_argument(
        "--iterations", type=positive_integer, default=100, metavar="N", help="of each run (%(default)s)"
    )
    parser.add_argument(
        "--every", type=positive_integer, default=10, metavar="N", help="iterations at a time (%(default)s)"
    )
    parser.add_argument(
        "--population",
        metavar="NAME,...",
        help="after --every iterations the worst quarter goes on from the best, with these settings changed, as learning_rate",
    )
    parser.add_argument("--worlds", type=positive_integer, help="worlds of each run")
    parser.add_argument(
        "--set", action="append", default=[], metavar="PATH=VALUE", help="set a field of the task in all runs"
    )
    parser.add_argument("--device", help="where the worlds live: cpu or cuda")
    parser.add_argument("--threads", type=positive_integer, metavar="N", help="CPU threads of a worker")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    worker_arguments(parser, folder=False)
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="curves.csv and a journal")
    parser.add_argument("--resume", action="store_true", help="go on from the journal in --out")


def run(args) -> int:
    """Carry out the sweep and print its results, the best first."""
    try:
        import torch  # noqa: F401  learning needs it
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError(
            f"training needs {problem.name}: pip install 'newtonlite[learn]'", name=problem.name
        ) from None
    from newtonlite.scale.sweep import Population, Sweep, combinations

    options = pool_options(args)
    if options.pop("shards"):
        raise ValueError("--shards: a sweep has one trial in a shard")
    if args.resume and not args.out:
        raise ValueError("--resume: needs the folder, --out")
    trials = combinations(dict(map(varied, args.vary)), args.seeds, args.seed)
    options |= {"iterations": args.iterations, "chunk": args.every, "changes": tuple(args.set)}
    options |= {"settings": {"worlds": args.worlds} if args.worlds else {}, "folder": args.out, "resume": args.resume}
    if args.population:
        names = tuple(args.population.split(","))
        job = Population(args.task, trials, **options, mutable=names, seed=args.seed)
    else:
        job = Sweep(args.task, trials, **options)
    say_dashboard(job.pool.dashboard)
    total = len(job.chunks)
    with Progress(f"{len(trials)} trials") as bar, contextlib.redirect_stdout(sys.stderr):
        results = job.run(lambda s: bar(s.share_done * len(s.orders) / total, f"{s.ready} of {s.wanted} workers"))
    print(json.dumps(results) if args.json else table(results))
    return 0


def varied(text: str) -> tuple[str, list]:
    """Name and values of ``NAME=A,B,...``. ValueError for what is none."""
    name, equals, values = text.partition("=")
    if not name or not equals or not values:
        raise ValueError(f"--vary {text}: expected NAME=A,B,...")
    return name, [literal(value) for value in values.split(",")]


def literal(text: str):
    """A Python literal, or the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def table(results: list[dict]) -> str:
    """Trials with their last mean returns."""
    width = max(len(row["label"]) for row in results)
    return "\n".join(
        f"{row['label']:<{width}}  return {row['return']:.1f}  length {row['length']:.0f}" for row in results
    )

"""newtonlite train TASK: train a policy by PPO."""

import contextlib
import sys
from dataclasses import fields
from pathlib import Path

from newtonlite.cli.outcome import close
from newtonlite.cli.worker_options import pool_options, say_dashboard, scaled, worker_arguments


def arguments(parser) -> None:
    """Options of the command: every setting of ``newtonlite.learn.ppo.PPOSettings`` is one."""
    parser.add_argument(
        "task", metavar="TASK", help="a packaged task (newtonlite envs lists them), or FILE.py with a function task()"
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where curves and checkpoints go (runs/TASK)")
    parser.add_argument("--worlds", type=int, help="worlds that learn together")
    parser.add_argument("--resume", action="store_true", help="go on from the folder's checkpoint")
    parser.add_argument(
        "--until", type=float, metavar="RETURN", help="stop when the mean return of 100 episodes is this"
    )
    parser.add_argument("--save-every", type=int, default=50, help="iterations between checkpoints (%(default)s)")
    parser.add_argument("--threads", type=int, help="threads that step the worlds (all cores)")
    parser.add_argument(
        "--torch-threads",
        type=int,
        default=1,
        help="threads of torch; results are repeatable for one number of them (%(default)s)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="set a field of the task, as rewards.upright.weight=2; may be given again",
    )
    parser.add_argument("--tensorboard", action="store_true", help="write event files for tensorboard too")
    parser.add_argument("--device", help="where the worlds live: cpu or cuda:0")
    worker_arguments(parser, folder=False)
    try:
        from newtonlite.learn.ppo import RENAMED, PPOSettings
    except ModuleNotFoundError:
        return  # run says what is missing
    for field in fields(PPOSettings):
        kind = type(field.default) if field.default is not None else float
        options = (
            {"nargs": "*", "type": int} if kind is tuple else {"type": yes_or_no} if kind is bool else {"type": kind}
        )
        shown = " ".join(map(str, field.default)) if kind is tuple else field.default
        names = [field.name, *(before for before, name in RENAMED.items() if name == field.name)]
        parser.add_argument(
            *(f"--{name.replace('_', '-')}" for name in names),
            metavar=field.name.upper(),
            help=f"(task's own, else {shown})",
            **options,
        )


def yes_or_no(text: str) -> bool:
    """``yes`` or ``no``."""
    if text not in ("yes", "no"):
        raise ValueError(text)
    return text == "yes"


def run(args) -> int:
    """Train, with a line of progress, and say how it ended."""
    try:
        from newtonlite.learn.ppo import PPOSettings
        from newtonlite.learn.runner import Runner
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError(
            f"training needs {problem.name}: pip install 'newtonlite[learn]'", name=problem.name
        ) from None
    given = {f.name: getattr(args, f.name) for f in fields(PPOSettings)}
    given["hidden"] = tuple(given["hidden"]) if given["hidden"] else None
    folder = args.out or Path("runs") / Path(args.task).stem
    kind, options = Runner, {"device": args.device, "threads": args.threads}
    if scaled(args):
        from newtonlite.scale.training import ScaledRunner

        kind, options = ScaledRunner, pool_options(args)
    runner = kind(
        args.task,
        folder,
        resume=args.resume,
        save_every=args.save_every,
        torch_threads=args.torch_threads,
        changes=tuple(args.set),
        tensorboard=args.tensorboard,
        worlds=args.worlds,
        **options,
        **given,
    )
    if kind is not Runner:
        say_dashboard(runner.workers.pool.dashboard)
    with contextlib.redirect_stdout(sys.stderr):  # Ray prints what its nodes say
        last = runner.train(args.until, Line())
        runner.save()
    checkpoint = folder / "checkpoint.pt"
    line = f"{args.task}: return {last['return']:.1f} after {last['steps']:,} steps and {last['seconds']:.0f} s; {checkpoint}"
    close(args, line, task=args.task, checkpoint=checkpoint, **{k: last[k] for k in ("return", "steps", "seconds")})
    return 0


class Line:
    """One line of progress, written over itself on a terminal, one for every tenth part elsewhere."""

    def __call__(self, row: dict, iterations: int) -> None:
        """Show a row of the curves."""
        known = row["length"] == row["length"]  # not before an episode has ended
        ends = f"return {row['return']:.1f}  length {row['length']:.0f}" if known else "no episode has ended yet"
        text = (
            f"{row['iteration']}/{iterations}  {row['steps']:,} steps  {row['steps_per_second']:,.0f} steps/s  {ends}"
        )
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="\n" if row["iteration"] == iterations else "", file=sys.stderr, flush=True)
        elif row["iteration"] % max(1, iterations // 10) == 0:
            print(text, file=sys.stderr, flush=True)

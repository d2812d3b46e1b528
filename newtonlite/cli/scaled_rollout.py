"""newtonlite rollout MODEL --workers N: the rollout over workers, with the SHA-256 of all trajectories."""

import contextlib
import json
import sys

from newtonlite.cli.options import model_file
from newtonlite.cli.progress import Progress
from newtonlite.cli.worker_options import Overall, pool_options, say_dashboard


def run(args) -> int:
    """Roll out and say how it went."""
    from newtonlite.scale.rollout import Rollout

    if args.plot:
        raise ValueError("--plot belongs to rollouts without --workers")
    if args.policy and not args.task:
        raise ValueError("--policy belongs to --task")
    if args.resume and not args.out:
        raise ValueError("--resume: needs the folder, --out")
    options = {**pool_options(args), "folder": args.out, "resume": args.resume, "keep_rows": args.trajectories}
    size = {"worlds": args.worlds, "steps": args.steps, "seed": args.seed}
    if args.task:
        actions = "zero" if args.control == "zero" else "random"
        rollout = Rollout.of_task(args.model, **size, actions=actions, policy=args.policy, **options)
    else:
        if args.overflow == "grow":
            raise ValueError("--overflow grow belongs to rollouts without --workers; give --nconmax and --njmax")
        room = {"nconmax": args.nconmax, "njmax": args.njmax}
        rollout = Rollout.of_model(model_file(args.model), **size, control=args.control, **room, **options)
    say_dashboard(rollout.pool.dashboard)
    with Progress("rolling out") as bar, contextlib.redirect_stdout(sys.stderr):  # Ray prints what its nodes say
        figures = rollout.run(Overall(bar, args.worlds * args.steps))
    if args.overflow == "raise" and figures.get("overflows"):
        raise RuntimeError(f"{figures['overflows']} steps of worlds had more contacts or rows than there is room for")
    print(json.dumps(figures) if args.json else line(figures))
    return 0


def line(figures: dict) -> str:
    """The closing line of the command."""
    lost = f", {figures['lost_workers']} lost" if figures["lost_workers"] else ""
    return (
        f"{figures['worlds']} worlds, {figures['steps']} steps by {figures['workers']} workers ({figures['backend']}{lost}): "
        f"{figures['steps_per_second']:,.0f} steps/s, {figures['bad_worlds']} bad worlds, sha256 {figures['sha256']}"
    )

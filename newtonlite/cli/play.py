"""newtonlite play FOLDER: roll out the policy of a training run, or watch it in the browser."""

from pathlib import Path

from newtonlite.cli.outcome import close
from newtonlite.cli.progress import Progress
from newtonlite.cli.view import page_arguments, show


def arguments(parser) -> None:
    """Options of the command."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder of newtonlite train")
    parser.add_argument("--task", help="another task than the run's, or the file of the run's own, FILE.py")
    parser.add_argument("--episodes", type=int, default=32, help="episodes, each in a world of its own (%(default)s)")
    parser.add_argument("--seed", type=int, default=12345, help="of the worlds (%(default)s)")
    parser.add_argument(
        "--plot", type=Path, metavar="PNG", help="draw some of the worlds at a few instants to this file"
    )
    parser.add_argument("--video", type=Path, metavar="GIF", help="draw the first world's first seconds as a film")
    parser.add_argument("--onnx", type=Path, metavar="FILE", help="write the policy as ONNX, and check it")
    parser.add_argument(
        "--view", action="store_true", help="show the policy in the browser instead, in as many worlds as episodes"
    )
    page_arguments(parser)


def run(args) -> int:
    """Say what the policy reaches."""
    try:
        from newtonlite.learn.evaluate import returns
        from newtonlite.learn.runner import load_policy, load_task
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError(
            f"playing needs {problem.name}: pip install 'newtonlite[learn]'", name=problem.name
        ) from None
    import torch

    torch.set_num_threads(1)  # a policy is small: more threads wait for each other for longer than they compute
    policy, name, _ = load_policy(args.folder)
    task = load_task(args.folder, args.task)
    if args.view:
        return show(policy_session(policy, task, args), args.task or name, args)
    watchers = []
    if args.plot:
        from newtonlite.cli.strip import Strip

        watchers.append((Strip(task), args.plot))
    if args.video:
        from newtonlite.cli.film import Film

        watchers.append((Film(task), args.video))

    steps = 0

    def seen(env) -> None:
        """Show a step to what watches."""
        nonlocal steps
        steps += 1
        bar(steps / max(steps, task.episode_length or 0))
        for watcher, _ in watchers:
            watcher(env)

    with Progress("playing") as bar:
        found = returns(policy, task, args.episodes, args.seed, seen=seen)
    name, written = args.task or name, [file for _, file in watchers]
    for watcher, file in watchers:
        watcher.write(file)
    said = [
        f"{name}: return {found.mean():.1f} +- {found.std():.1f}, least {found.min():.1f}, of {args.episodes} episodes"
    ]
    said += map(str, written)
    if args.onnx:
        from newtonlite.learn.export import write_onnx

        said.append(f"{args.onnx}: differs by at most {write_onnx(policy, task, args.onnx):.1e}")
        written.append(args.onnx)
    mean, deviation, least = (round(float(x), 6) for x in (found.mean(), found.std(), found.min()))
    close(
        args, "\n".join(said), task=name, mean=mean, std=deviation, least=least, episodes=args.episodes, written=written
    )
    return 0


def policy_session(policy, task, args):
    """Session of a task whose actions are a policy's means."""
    import torch
    import warp as wp

    from newtonlite.envs import TaskSession
    from newtonlite.viewer.clock import Clock

    @torch.no_grad()
    def act(session) -> None:
        observed = session.env.observations
        rows = wp.to_torch(observed["policy" if "policy" in observed else next(iter(observed))])
        low, high = (
            torch.tensor(bound, dtype=torch.float32) for bound in (session.env.actions.low, session.env.actions.high)
        )
        wp.copy(session.action, wp.from_torch(policy.act(rows).clamp(low, high).contiguous()))

    return TaskSession(
        task, args.episodes, drives={"policy": act}, driving="policy", clock=Clock(paused=args.paused), seed=args.seed
    )

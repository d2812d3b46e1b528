"""newtonlite envs: list the packaged tasks, or what one is made of."""

from newtonlite.cli.outcome import close


def arguments(parser) -> None:
    """Options of the command."""
    parser.add_argument("task", nargs="?", metavar="TASK", help="say more of this one: spaces, terms, time step")


def run(args) -> int:
    """List the tasks, or the terms of one."""
    from newtonlite.envs import tasks

    if args.task is None:
        found = {name: tasks.load(name).about for name in tasks.names()}
        width = max(map(len, found))
        close(args, "\n".join(f"{name:<{width}}  {about}" for name, about in found.items()), tasks=found)
        return 0
    lines = describe(tasks.load(args.task))
    close(args, "\n".join(lines), task=args.task, description=lines)
    return 0


def describe(task) -> list[str]:
    """Lines of what a task is made of, as its environment has it."""
    from newtonlite.envs.environment import Environment

    env = Environment(task, 1, seed=0)
    lines = [
        task.about or "a task",
        f"control step {env.step_dt:g} s ({task.decimation} x {env.sim.timestep:g} s), episodes of {task.episode_length or 'any number of'} steps",
        f"actions: {env.actions.count}",
        *(f"  {name}: {', '.join(term.names)}" for name, term in env.actions.terms.items()),
    ]
    for group, array in env.observations.items():
        lines.append(f"observations, {group}: {array.shape[1]}")
        layout = env.observation_manager.layout(group).items()
        lines += [f"  {name}: {first} to {first + count - 1}" for name, (first, count) in layout]
    for title, terms in (
        ("rewards", task.rewards),
        ("terminations", env.terminations.terms),
        ("events", task.events),
        ("commands", task.commands),
        ("curriculum", task.curriculum),
    ):
        if terms:
            named = (f"{k} ({t.weight:g})" if hasattr(t, "weight") else k for k, t in terms.items())
            lines.append(f"{title}: {', '.join(named)}")
    return [*lines, at_rest(env)]


def at_rest(env, seconds: float = 1.0) -> str:
    """Motion of a world under zero actions, in words: where its root and its joints go from their start in some seconds,
    and which termination ends the episode.
    """
    import numpy as np

    from newtonlite.core.mujoco import MjtJoint

    sim, said = env.sim, []
    start, types = sim.data.qpos.numpy()[0].copy(), np.asarray(sim.compiled.jnt_type)
    zeros, step, done = np.zeros((1, env.actions.count), np.float32), 0, False
    while not done and step * env.step_dt < seconds:
        env.step(zeros)
        step, done = step + 1, bool(env.terminations.done.numpy()[0])
    now = sim.data.qpos.numpy()[0]
    if (types == MjtJoint.FREE).any():
        up = sim.root.q + 2
        said.append(f"root from {start[up]:.3f} m to {now[up]:.3f} m high")
    if (types > 1).any():
        joints = sim.joints()
        moved = np.abs(now - start)[joints.q.numpy()]
        said.append(f"joints move by at most {moved.max():.2f} rad or m ({joints.names[int(moved.argmax())]})")
    if done:
        ended = [n for n, fired in zip(env.terminations.terms, env.terminations.which.numpy()[0]) if fired]
        said.append(f"the episode ends: {', '.join(ended) or 'the engine put the world back'}")
    return f"after {step * env.step_dt:.2g} s of zero actions: " + "; ".join(said)

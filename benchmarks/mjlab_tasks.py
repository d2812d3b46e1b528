"""mjlab's tasks on the engine that ``mujoco_warp`` names: measured, recorded, replayed or trained.

    python benchmarks/mjlab_tasks.py speed Mjlab-Cartpole-Balance --worlds 64
    python -m newtonlite.mjwarp benchmarks/mjlab_tasks.py speed Mjlab-Cartpole-Balance --worlds 64

The first runs on MuJoCo Warp, the second on newtonlite, both with an interpreter that has mjlab. The last line that is
printed is JSON. Imports nothing of this project.
"""

import argparse
import copy
import functools
import inspect
import json
import tempfile
import time
from pathlib import Path

import mjlab.tasks  # noqa: F401  registers the tasks
import mujoco
import mujoco_warp
import numpy as np
import torch
import warp as wp
from mjlab.envs import ManagerBasedRlEnv
from mjlab.scene import Scene
from mjlab.tasks.registry import load_env_cfg, load_rl_cfg

FRAMES = 200
TOLERANCE = 1e-9
"""Improvement at which a solver that is to go on to its end stops: MuJoCo Warp's least is 1e-6 otherwise."""
STATE = ("qpos", "qvel", "qacc_warmstart", "act", "ctrl", "mocap_pos", "mocap_quat")
"""What a step goes on from."""
APPLIED = ("qfrc_applied", "xfrc_applied")
ULP = 2.0**-23


def standing(config) -> str:
    """A file of motions for the tracking tasks: the robot stands in its reference pose, with arms that swing."""
    scene = Scene(config.scene, device="cpu")
    m = scene.compile()
    d = mujoco.MjData(m)
    bodies = [b for b in range(m.nbody) if m.body(b).name.startswith("robot/")]
    base = m.body_jntadr[bodies[0]]
    start = m.jnt_qposadr[base] + 7
    log: dict[str, list] = {name: [] for name in ("joint_pos", "joint_vel", "body_pos_w", "body_quat_w")}
    for frame in range(FRAMES):
        d.qpos[start:] = 0.05 * np.sin(0.1 * frame)
        mujoco.mj_kinematics(m, d)
        log["joint_pos"].append(d.qpos[start:].copy())
        log["joint_vel"].append(np.zeros(m.nq - start))
        log["body_pos_w"].append(d.xpos[bodies])
        log["body_quat_w"].append(d.xquat[bodies])
    whole = {name: np.stack(rows) for name, rows in log.items()}
    whole |= {name: np.zeros_like(whole["body_pos_w"]) for name in ("body_lin_vel_w", "body_ang_vel_w")}
    path = Path(tempfile.mkdtemp()) / "motion.npz"
    np.savez(path, **whole)
    return str(path)


def made(task: str, worlds: int, seed: int, comparable: bool) -> ManagerBasedRlEnv:
    """The environment of a task on the CPU; ``comparable`` has the solver go on to its end, and textures drawn without
    means far away, which MuJoCo Warp does not have.
    """
    config = load_env_cfg(task)
    if comparable:
        config.sim.mujoco.iterations, config.sim.mujoco.ls_iterations = 100, 50
        without_means()
    config.scene.num_envs, config.seed = worlds, seed
    if "motion" in config.commands:
        config.commands["motion"].motion_file = standing(config)
    env = ManagerBasedRlEnv(config, device="cpu")
    if comparable:
        env.sim.wp_model.opt.tolerance.fill_(TOLERANCE)
    return env


def without_means() -> None:
    """Let render contexts have textures without mipmaps, where that is a choice."""
    create = mujoco_warp.create_render_context
    if "mipmaps" in inspect.signature(create).parameters:
        mujoco_warp.create_render_context = functools.partial(create, mipmaps=False)


def actions(env: ManagerBasedRlEnv, seed: int):
    """Random actions, the same for each engine."""
    generator = torch.Generator().manual_seed(seed)
    size = (env.num_envs, env.action_manager.total_action_dim)
    while True:
        yield torch.rand(size, generator=generator) * 2.0 - 1.0


def speed(env: ManagerBasedRlEnv, seconds: float) -> dict:
    """Environment steps per CPU second under random actions, resets included, and the share of the time in which physics
    is stepped.
    """
    spent = [0.0]
    step = env.sim.step

    def timed() -> None:
        began = time.process_time()
        step()
        spent[0] += time.process_time() - began

    env.reset()
    chosen = actions(env, 0)
    for _ in range(2):
        env.step(next(chosen))
    env.sim.step = timed
    start, count = time.process_time(), 0
    while time.process_time() - start < seconds or not count:
        env.step(next(chosen))
        count += 1
    took = time.process_time() - start
    return {"steps_per_cpu_s": count * env.num_envs / took, "worlds": env.num_envs, "physics": spent[0] / took}


def state(env: ManagerBasedRlEnv) -> dict:
    """What the next step goes on from, as it is now."""
    return {f"state_{name}": getattr(env.sim.wp_data, name).numpy().copy() for name in STATE}


def put_state(env: ManagerBasedRlEnv, found: dict, rng) -> None:
    """Go on from a recorded state; with ``rng`` each number is moved by up to one rounding."""
    for name in STATE:
        values = found[f"state_{name}"]
        if not values.size:
            continue
        if rng is not None:
            values = values * (1.0 + ULP * rng.choice([-1.0, 0.0, 1.0], values.shape))
        getattr(env.sim.data, name)[:] = torch.as_tensor(np.float32(values))


class BesideMujoco:
    """MuJoCo's step in float64, to the end of its solver, from where each step of the engine begins.

    ``worst`` [worlds] is the largest error of velocities since ``reset``, relative to a world's largest or 1.
    """

    def __init__(self, env: ManagerBasedRlEnv):
        self.env, self.step, self.m = env, env.sim.step, copy.copy(env.sim.mj_model)
        self.m.opt.tolerance, self.m.opt.ls_tolerance = 1e-15, 1e-10
        self.m.opt.iterations = self.m.opt.ls_iterations = 200
        self.d = mujoco.MjData(self.m)
        self.reset()
        env.sim.step = self

    def reset(self) -> None:
        """Forget the errors so far."""
        self.worst = np.zeros(self.env.num_envs)

    def __call__(self) -> None:
        """A step of both."""
        names = (*STATE, *APPLIED)
        before = {name: getattr(self.env.sim.wp_data, name).numpy().copy() for name in names}
        self.step()
        after = self.env.sim.wp_data.qvel.numpy()
        for world in range(self.env.num_envs):
            self.randomised(world)
            for name in names:
                getattr(self.d, name)[:] = before[name][world]
            mujoco.mj_step(self.m, self.d)
            error = np.abs(after[world] - self.d.qvel).max() / max(1.0, np.abs(self.d.qvel).max())
            self.worst[world] = max(self.worst[world], error)

    def randomised(self, world: int) -> None:
        """Give the model the numbers of a world, where worlds differ."""
        for name in self.env.sim.expanded_fields:
            own = getattr(self.m, name, None)
            if own is not None and own.size:
                rows = getattr(self.env.sim.wp_model, name).numpy()
                own[:] = rows[world % len(rows)].reshape(own.shape)


def record(env: ManagerBasedRlEnv, steps: int, out: Path, along: Path | None, nudge: int) -> dict:
    """Observations, rewards and ends of ``steps`` steps into a file, with the state before each, and how far its physics
    is from MuJoCo's; the states of another file, where ``along`` is given, each step goes on from.
    """
    known = np.load(along) if along else None
    rng = np.random.default_rng(nudge) if nudge else None
    env.reset()
    physics = BesideMujoco(env)
    rows: dict[str, list] = {}
    for i, action in zip(range(steps), actions(env, 1)):
        before = state(env)
        if known is not None:
            put_state(env, {name: known[name][i] for name in before}, rng)
        physics.reset()
        seen, reward, ended, cut, _ = env.step(action)
        now = {**before, **{f"seen_{group}": value.numpy().copy() for group, value in seen.items()}}
        now |= {"reward": reward.numpy().copy(), "ended": (ended | cut).numpy().copy(), "physics": physics.worst}
        for name, value in now.items():
            rows.setdefault(name, []).append(value)
    np.savez(out, **{name: np.stack(value) for name, value in rows.items()})
    return {"steps": steps, "ends": int(np.sum(rows["ended"])), "finite": bool(np.isfinite(rows["reward"]).all())}


def randomised(env: ManagerBasedRlEnv) -> dict:
    """What worlds differ in after a reset: rows of the fields that the task randomises, and whether they do."""
    env.reset()
    model = env.sim.wp_model
    found = {}
    for name in sorted(env.sim.expanded_fields):
        rows = getattr(model, name).numpy()
        found[name] = [len(rows), bool((rows != rows[:1]).any())]
    return found


def train(env: ManagerBasedRlEnv, task: str, seed: int, iterations: int) -> dict:
    """Mean reward of an episode at the end of each iteration of mjlab's own training."""
    from dataclasses import asdict

    from mjlab.rl import MjlabOnPolicyRunner, RslRlVecEnvWrapper

    config = load_rl_cfg(task)
    config.seed, config.max_iterations, config.logger = seed, iterations, "tensorboard"
    wrapped = RslRlVecEnvWrapper(env, clip_actions=config.clip_actions)
    rewards: list[float] = []
    runner = MjlabOnPolicyRunner(wrapped, asdict(config), tempfile.mkdtemp(), "cpu")
    log = runner.logger.log

    def keep(*given, **named):
        rewards.append(float(np.mean(runner.logger.rewbuffer)) if runner.logger.rewbuffer else 0.0)
        return log(*given, **named)

    runner.logger.log = keep
    start = time.process_time()
    runner.learn(num_learning_iterations=iterations, init_at_random_ep_len=True)
    return {"rewards": rewards, "cpu_s": time.process_time() - start}


def main() -> None:
    """Do what is asked, and say what was found as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("speed", "record", "randomised", "train"))
    parser.add_argument("task")
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--along", type=Path, default=None, help="a recorded file whose states each step goes on from")
    parser.add_argument("--nudge", type=int, default=0, help="seed of roundings that states are moved by; 0: none")
    given = parser.parse_args()
    torch.set_num_threads(1)
    wp.config.quiet = True
    env = made(given.task, given.worlds, given.seed, given.what == "record")
    if given.what == "speed":
        found = speed(env, given.seconds)
    elif given.what == "record":
        found = record(env, given.steps, given.out, given.along, given.nudge)
    elif given.what == "randomised":
        found = randomised(env)
    else:
        found = train(env, given.task, given.seed, given.iterations)
    print(json.dumps({"engine": mujoco_warp.__version__, **found}))


if __name__ == "__main__":
    main()

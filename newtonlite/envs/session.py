"""A task that a viewer steps: worlds of an environment with a policy, random actions, or actions by hand."""

from collections.abc import Callable

import numpy as np
import warp as wp

from newtonlite.envs.environment import Environment
from newtonlite.envs.simulation import scene_of
from newtonlite.math import transform as tf
from newtonlite.viewer.clock import Clock
from newtonlite.viewer.poses import PosedState
from newtonlite.viewer.push import Push

POSES = ("xpos", "xquat")


def random_actions(session) -> None:
    """Uniform actions between the task's bounds, -1 to 1 where it has none, the same in every run of a seed."""
    low, high = session.bounds
    session.action.assign(session.rng.uniform(low, high, session.action.shape).astype(np.float32))


class TaskSession:
    """Steps all worlds of a task: one control step after the other, a new episode where one is over.

    ``drives`` are functions of the session that write ``action`` ``[worlds, n]`` before each control step, ``driving``
    names the one that does, None for none; ``random`` is always among them. ``model`` is what is seen. ModelError for a
    task of a compiled model, which has no shapes.
    """

    solver = None

    def __init__(
        self,
        task,
        worlds: int = 1,
        *,
        drives: dict[str, Callable] | None = None,
        driving: str | None = None,
        clock: Clock | None = None,
        seed: int = 0,
        device=None,
        threads: int | None = None,
    ):
        task.keep = tuple({*task.keep, *POSES})  # with these, a reset places bodies too
        self.model = scene_of(task, worlds)
        self.env = Environment(task, worlds, seed=seed, device=device, threads=threads)
        self.worlds, self.timestep = worlds, self.env.step_dt
        self.spacing = None if task.terrain is None else 0.0  # worlds on a terrain share it
        self.action = wp.zeros((worlds, self.env.actions.count), dtype=float, device=self.env.device)
        self.bounds = tuple(
            np.where(np.isfinite(bound), bound, side)
            for bound, side in ((np.array(self.env.actions.low), -1.0), (np.array(self.env.actions.high), 1.0))
        )
        self.rng = np.random.default_rng(seed)
        self.drives, self.driving = {**(drives or {}), "random": random_actions}, driving
        self.clock, self.push = clock or Clock(), Push(self.model)
        self.time, self.steps, self.episodes = 0.0, 0, 0
        self._rows = self._bodies()
        self._held: tuple[int, int] | None = None
        self._point: np.ndarray | None = None
        self._look()

    def _bodies(self) -> tuple[np.ndarray, np.ndarray]:
        """(bodies of the engine, bodies of one world of the model) that are the same."""
        newton = np.asarray(self.env.sim.compiled.newton_body)
        return np.flatnonzero(newton >= 0), newton[newton >= 0]

    def _look(self) -> None:
        """Take the poses of all bodies from the engine."""
        engine, newton = self._rows
        data, per_world = self.env.sim.data, self.model.body_count // self.worlds
        body_q = np.tile(tf.IDENTITY.astype(np.float32), (self.worlds, per_world, 1))
        body_q[:, newton, :3] = data.xpos.numpy()[:, engine]
        body_q[:, newton, 3:] = data.xquat.numpy()[:, engine][..., [1, 2, 3, 0]]
        self.state = PosedState(body_q.reshape(-1, 7))

    def step(self) -> None:
        """One control step of all worlds; worlds whose episode is over begin another."""
        if self.driving is not None:
            self.drives[self.driving](self)
        self._push()
        self.env.step(self.action)
        done = self.env.terminations.done
        if over := int(done.numpy().sum()):
            self.episodes += over
            self.env.reset(done)
        self.steps += 1
        self.time = self.steps * self.timestep
        self._look()

    def reset(self, worlds=None) -> None:
        """Begin a new episode in some worlds, or in all."""
        if worlds is None:
            self.time, self.steps, self.clock.anchor = 0.0, 0, None
            self.env.reset()
        else:
            mask = np.zeros(self.worlds, bool)
            mask[list(worlds)] = True
            self.env.reset(wp.array(mask, dtype=wp.bool, device=self.env.device))
        self._look()

    def _push(self) -> None:
        """Write the force of a drag to ``xfrc_applied``; that of a body let go of is taken away.

        The speed of the held point is that of the last control step.
        """
        applied, grip = self.env.sim.data.xfrc_applied, self.push.grip
        per_world = self.model.body_count // self.worlds
        engine, newton = self._rows
        held = None
        if grip is not None:
            held = (grip.body // per_world, int(engine[newton == grip.body % per_world][0]))
        if self._held is not None and held != self._held:
            self._write(applied, self._held, np.zeros(6))
            self._point, self.push.force = None, np.zeros(3)
        self._held = held
        if held is None:
            return
        pose = self.state.body_q.numpy()[grip.body].astype(float)
        point = tf.apply(pose, grip.point)
        speed = np.zeros(3) if self._point is None else (point - self._point) / self.timestep
        self._point = point
        wrench = self.push.wrench(pose, np.append(speed, np.zeros(3)))
        self.push.force = wrench[:3]
        self._write(applied, held, wrench)

    @staticmethod
    def _write(applied: wp.array, place: tuple[int, int], wrench: np.ndarray) -> None:
        """Write force and torque [6] at the centre of mass of the body at (world, body)."""
        rows = applied.numpy()
        rows[place] = wrench
        applied.assign(rows)

    # what panels ask for

    def controls_of(self, world: int) -> tuple[np.ndarray, list[str], list[tuple[float, float]]]:
        """(places, names, ranges) of the actions."""
        names = [name for term in self.env.actions.terms.values() for name in term.names]
        ranges = [(float(low), float(high)) for low, high in zip(*self.bounds, strict=True)]
        return np.arange(len(ranges)), [str(name) for name in names], ranges

    def control_values(self, world: int) -> np.ndarray:
        """[n] the actions of a world."""
        return self.action.numpy()[world]

    def set_control(self, world: int, k: int, value: float) -> None:
        """Set one action of a world."""
        self.action[world, k : k + 1].fill_(float(value))

    def clear_controls(self) -> None:
        """All actions of all worlds to zero."""
        self.action.zero_()

    def counters(self) -> dict[str, str]:
        """Episodes that ended, and what went wrong, to be read by people."""
        data = self.env.sim.data.engine
        found = {
            "episodes": self.episodes,
            "overflows": int(data.overflow.numpy().sum()),
            "bad worlds": int((data.bad_count.numpy() > 0).sum()),
        }
        return {name: f"{count:,}" for name, count in found.items()}

    def scalars(self) -> dict[str, Callable]:
        """Name of an array: what gives, of a state and a world, its values [n] and their names."""
        env = self.env
        terms, metrics = list(env.rewards.terms), list(env.metrics.terms)
        found: dict[str, Callable] = {
            "reward": lambda _, world: (env.reward.numpy()[world : world + 1], ["reward"]),
            "rewards of the episode": lambda _, world: (env.rewards.sums.numpy()[world, : len(terms)], terms),
            "actions": lambda _, world: (self.control_values(world), self.controls_of(world)[1]),
        }
        for group, array in env.observations.items():
            found[f"observations, {group}"] = lambda _, world, array=array: (array.numpy()[world], None)
        for name, command in env.command_terms.items():
            found[f"command {name}"] = lambda _, world, command=command: (command.command.numpy()[world], None)
        if metrics:
            found["metrics of the episode"] = lambda _, world: (
                env.metrics.sums.numpy()[world, : len(metrics)],
                metrics,
            )
        return found

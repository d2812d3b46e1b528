"""Environment: many worlds of one task, with actions in and observations, rewards and ends of episodes out, all on the
device.

``VectorEnv`` puts gymnasium's interface around it. Nothing here imports gymnasium or torch.
"""

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError, StateError
from newtonlite.envs.capture import Capture, is_capturable
from newtonlite.envs.checkpoint import arrays_of, check_array
from newtonlite.envs.entity import model_of
from newtonlite.envs.episodes import begin_episode, clear_rows, copy_words, count_step, mask_and_not, mask_or, with_seed
from newtonlite.envs.ground import Ground
from newtonlite.envs.launch import Launcher
from newtonlite.envs.managers.action import ActionManager
from newtonlite.envs.managers.event import EventManager
from newtonlite.envs.managers.metrics import MetricsManager
from newtonlite.envs.managers.observation import ObservationManager
from newtonlite.envs.managers.reward import RewardManager
from newtonlite.envs.managers.termination import TerminationManager
from newtonlite.envs.mdp.dr import fields_of
from newtonlite.envs.mdp.terminations import time_out
from newtonlite.envs.simulation import Simulation
from newtonlite.envs.streams import Stream, term_number
from newtonlite.envs.task import Task, TerminationTerm
from newtonlite.envs.terms import Terms
from newtonlite.envs.terrains import Terrain
from newtonlite.solvers.mujoco.executor.views import as_numbers

MOST_SEED = 2**63


class Environment:
    """``num_worlds`` worlds of a task.

    ``step`` and ``reset`` take masks of worlds and leave their results in ``observations`` (by group), ``reward``,
    ``terminated``, ``truncated``, ``bad``: Warp arrays on the device, always the same ones. Random numbers depend on a
    world's seed, episode and step alone. Raises ModelError for tasks that cannot be.
    """

    def __init__(
        self, task: Task, num_worlds: int = 1, *, seed: int | None = None, device=None, threads: int | None = None
    ):
        task.check()
        self.task, self.num_worlds = task, num_worlds
        self.per_world = {*task.per_world, *fields_of(task.events)}
        self.sim = Simulation(
            model_of(task),
            num_worlds,
            timestep=task.timestep,
            keyframe=task.keyframe,
            init_state=task.init_state,
            options=task.options,
            keep=task.keep,
            per_world=tuple(sorted(self.per_world)),
            nconmax=task.nconmax,
            njmax=task.njmax,
            device=device,
            threads=threads,
        )
        self.launch = self.sim.batch.launch = Launcher(self.sim.device)
        self.capture = Capture(self)
        self.device, self.step_dt = self.sim.device, self.sim.timestep * task.decimation
        self.seed = wp.zeros(num_worlds, dtype=wp.int64, device=self.device)
        self.episode, self.step_count, self._never = (
            wp.zeros(num_worlds, dtype=int, device=self.device) for _ in range(3)
        )
        self.every = self.sim.batch.every
        self._changed, self._seeded, self._shown, self._stepped, self._restarted = (
            wp.zeros(num_worlds, dtype=wp.bool, device=self.device) for _ in range(5)
        )
        self.due = False  # whether parameters have changed that others follow from
        self._before: dict = {}  # words of arrays, and of what they were
        self._kept_before: dict = {}
        self._streams: dict = {}
        self.origins = wp.zeros((num_worlds, 3), dtype=float, device=self.device)  # where worlds start, on a terrain
        self.no_command = wp.zeros((num_worlds, 0), dtype=float, device=self.device)
        self._unseeded = wp.empty(0, dtype=wp.int64, device=self.device)
        self.common_step_counter = 0
        self.terms = Terms(self)
        self._make_managers()
        self._senses = bool(task.keep) or self.sim.model.nsensordata > 0
        self.reset(seed=seed if seed is not None else int(np.random.SeedSequence().entropy % MOST_SEED))

    def _make_managers(self) -> None:
        task = self.task
        self.ground = Ground(self, task.terrain) if isinstance(task.terrain, Terrain) else None
        ends = dict(task.terminations)
        if task.episode_length is not None:
            ends.setdefault("time_out", TerminationTerm(time_out, time_out=True))
        self.terminations = TerminationManager(self, ends)
        self.bad = self.terminations.bad
        self.events = EventManager(self, task.events)
        self.actions = ActionManager(self, task.actions)
        self.command_terms = {k: self.terms.make(f"command/{k}", t.func, t.params) for k, t in task.commands.items()}
        self.rewards = RewardManager(self, task.rewards, self.step_dt if task.scale_rewards_by_dt else 1.0)
        self.metrics = MetricsManager(self, task.metrics)
        self.sensors = {k: sensor.make(self, k) for k, sensor in task.sensors.items()}
        self.sim.forward(self.every)
        self.observation_manager = ObservationManager(self, task.observations)
        self.terminations.compute(self.every)  # once before the first step: terms allocate what they need
        self.rewards.compute(self.every)
        self.metrics.compute(self.every)

    # results of the last step

    @property
    def observations(self) -> dict:
        """Observations by group, ``[nworld, n]``."""
        return self.observation_manager.groups

    @property
    def reward(self) -> wp.array:
        """Reward of the last step, ``[nworld]``."""
        return self.rewards.reward

    @property
    def terminated(self) -> wp.array:
        """Worlds whose episode is over, ``[nworld]``."""
        return self.terminations.terminated

    @property
    def truncated(self) -> wp.array:
        """Worlds whose episode was cut off, ``[nworld]``: by time, or because they went bad."""
        return self.terminations.truncated

    def command(self, name: str) -> wp.array:
        """A command's numbers, ``[nworld, n]``. ModelError for one that there is not."""
        if name not in self.command_terms:
            raise ModelError(f"no command is called {name!r}; there are: {', '.join(self.command_terms) or 'none'}")
        return self.command_terms[name].command

    def sensor(self, name: str):
        """A sensor of the task. ModelError for one that there is not."""
        if name not in self.sensors:
            raise ModelError(
                f"no sensor of the task is called {name!r}; there are: {', '.join(self.sensors) or 'none'}"
            )
        return self.sensors[name]

    # what happens

    def step(self, action, mask: wp.array | None = None) -> None:
        """One control step of the worlds of the mask (all when None); the others stay as they are."""
        self.actions.take(action)
        self.common_step_counter += 1
        self.capture("step", self._step, self.every if mask is None else self._kept_mask(mask, self._stepped))

    def _kept_mask(self, mask: wp.array, kept: wp.array) -> wp.array:
        """The mask in an array that is always the same."""
        if mask is self.every:
            return mask
        self.sim.copy(kept, mask)
        return kept

    def _step(self, mask: wp.array) -> None:
        self.actions.process(mask)
        for now, kept in self._before.values():
            self.launch(copy_words, kept.shape, [now], [kept])
        self.launch.aside(self._simulate, mask)
        self.launch(count_step, self.num_worlds, [mask], [self.step_count])
        for sensor in self.sensors.values():
            self.call(sensor, sensor.update, mask)
        self.terminations.compute(mask)
        self.rewards.compute(mask)
        self.metrics.compute(mask)
        self.events.step(mask)
        self.follow()
        for command in self.command_terms.values():
            self.call(command, command.update, mask)
        self.launch(
            mask_and_not, self.num_worlds, [mask, self.bad], [self._shown]
        )  # a bad world shows what it last showed
        self.observation_manager.compute(self._shown)

    def _simulate(self, mask: wp.array) -> None:
        self.sim.step(self.task.decimation, mask)

    def reset(self, mask: wp.array | None = None, seed=None) -> None:
        """Begin an episode in the worlds of the mask (all when None).

        ``seed``: one number, from which world i gets ``seed + i``; or one for each world, where -1 or None goes on with
        the seed it has.
        """
        mask, seeds = self.every if mask is None else mask, self._seeds(seed)
        for key, term in self.task.curriculum.items():  # first: what they change decides on what a reset launches
            self.terms.call(f"curriculum/{key}", term.func, term.params, mask)
        if seeds.shape[0]:
            self._reset(mask, seeds)
        else:
            self.capture("reset", self._reset, self._kept_mask(mask, self._restarted))

    def _reset(self, mask: wp.array, seeds: wp.array | None = None) -> None:
        seeds = self._unseeded if seeds is None else seeds
        masks = self.events.count_steps(mask)
        self.launch(begin_episode, self.num_worlds, [mask, seeds], [self.seed, self.episode, self.step_count])
        if seeds.shape[0]:
            self.launch(with_seed, self.num_worlds, [mask, seeds], [self._seeded])
            self.events.startup(self._seeded)
            if self.ground:
                self.ground.settle(self._seeded)
        if self.ground:
            self.ground.reset(mask)
        self.sim.reset(mask)
        self.actions.reset(mask)
        self.events.reset(mask, masks)
        for command in self.command_terms.values():
            self.call(command, command.reset, mask)
        self.follow()
        if self._senses:
            self.launch.aside(self.sim.forward, mask)
        for sensor in self.sensors.values():
            self.call(sensor, sensor.reset, mask)
        self.rewards.reset(mask)
        self.metrics.reset(mask)
        self.observation_manager.compute(mask)

    def _seeds(self, seed) -> wp.array:
        """Seeds by world, an empty array where none is given. StateError for what cannot be one."""
        if seed is None:
            return self._unseeded
        if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
            seed = [int(seed) + i for i in range(self.num_worlds)]
        seed = [-1 if s is None else s for s in seed]
        if len(seed) != self.num_worlds or not all(isinstance(s, (int, np.integer)) and -1 <= s for s in seed):
            raise StateError(
                f"seed: expected a whole number of at least 0, or one for each of {self.num_worlds} worlds"
            )
        return wp.array(
            np.array([s % MOST_SEED if s >= 0 else -1 for s in seed], np.int64), dtype=wp.int64, device=self.device
        )

    # checkpoints

    def arrays(self) -> dict:
        """Every array that the next step depends on, by name."""
        return arrays_of(self)

    def state(self) -> dict:
        """A checkpoint: NumPy arrays by name. A world that goes on from it is bit-identical to one that never stopped."""
        return {name: a.numpy().copy() for name, a in self.arrays().items()} | {
            "common_step_counter": np.array(self.common_step_counter)
        }

    def load(self, state: dict) -> None:
        """Go on from a checkpoint. StateError for one of another task or another number of worlds, and for numbers that
        no environment has.
        """
        arrays = self.arrays()
        differ = set(arrays) ^ (set(state) - {"common_step_counter"})
        if differ:
            raise StateError(f"checkpoint: of another task: {sorted(differ)[0]!r} is only in one of the two")
        for name, a in arrays.items():
            check_array(self, name, state[name], a.numpy())
        steps = np.asarray(state.get("common_step_counter"))
        if steps.shape or steps.dtype.kind not in "iu" or steps < 0:
            raise StateError("checkpoint: common_step_counter: expected a whole number of at least 0")
        for name, a in arrays.items():
            source = wp.array(np.ascontiguousarray(state[name]), dtype=a.dtype, device=self.device)
            wp.copy(a, source.reshape(a.shape))
        self.common_step_counter = int(state["common_step_counter"])

    # what managers and terms use

    def clear(self, mask: wp.array, array: wp.array) -> None:
        """Zero the rows of the worlds of the mask."""
        rows = array if array.ndim == 2 else self.terms.column(array)
        self.launch(clear_rows, rows.shape, [mask], [rows])

    def before(self, field: str, numbers: bool = False) -> wp.array:
        """An array of the engine's data as it was before the last control step."""
        if (field, numbers) not in self._kept_before:
            now = self.sim.numbers(field) if numbers else getattr(self.sim.data, field)
            kept = wp.zeros(now.shape, dtype=now.dtype, device=self.device)
            wp.copy(kept, now)
            self._kept_before[(field, numbers)] = kept
            self._before[(field, numbers)] = as_numbers(now, int), as_numbers(kept, int)
        return self._kept_before[(field, numbers)]

    def recompute(self, mask: wp.array) -> None:
        """Parameters of the model changed in the worlds of the mask: what follows from them is computed before they go
        on.
        """
        self.launch(mask_or, self.num_worlds, [mask], [self._changed])
        self.due = True

    def follow(self) -> None:
        """Recompute what is due."""
        changes = (*self.task.events.values(), *self.command_terms.values())
        if self.due or not all(map(is_capturable, changes)):
            self.launch.aside(self._recompute, self.due)

    def _recompute(self, surely: bool) -> None:
        if not (surely or self.due):
            return
        self.sim.set_const(self._changed)
        self.sim.forward(self._changed)
        self._changed.zero_()
        self.due = False

    def call(self, thing, function, *args):
        """Call a function that launches what a term of the task, or an object, has to: each time, unless it is capturable."""
        return function(*args) if is_capturable(thing) else self.launch.aside(function, *args)

    def stream(self, name: str, lasting: bool = False) -> Stream:
        """Random numbers of a name: new ones every step, or the same throughout an episode."""
        if (name, lasting) not in self._streams:
            s = self._streams[(name, lasting)] = Stream()
            s.seed, s.episode, s.term = self.seed, self.episode, term_number(name)
            s.step = self._never if lasting else self.step_count
        return self._streams[(name, lasting)]

"""Event manager: changes of worlds at the start, at reset, after intervals, or every step."""

import inspect

import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import Counted
from newtonlite.envs.streams import Stream, uniform

kernel_module(__name__)

MODES = ("startup", "reset", "interval", "step")


@wp.kernel
def count_down(
    mask: wp.array[wp.bool],
    s: Stream,
    dt: float,
    low: float,
    high: float,
    left: wp.array[float],
    fire: wp.array[wp.bool],
):
    """Worlds whose interval is over; the next one is drawn."""
    world = wp.tid()
    fire[world] = False
    if not mask[world]:
        return
    left[world] = left[world] - dt
    if left[world] < 1.0e-6:
        left[world] = uniform(s, world, 0, low, high)
        fire[world] = dt > 0.0


@wp.kernel
def long_enough(
    mask: wp.array[wp.bool], step: wp.array[int], least: int, since: wp.array[int], fire: wp.array[wp.bool]
):
    """Worlds for which enough steps lie behind the last time; those never changed have -1."""
    world = wp.tid()
    fire[world] = False
    if not mask[world]:
        return
    if since[world] >= 0:
        since[world] = since[world] + step[world]
    if since[world] < 0 or since[world] >= least:
        since[world] = 0
        fire[world] = True


class EventManager(Counted):
    """Events by mode, in the order of the task."""

    def __init__(self, env, terms: dict):
        self.env, self.modes = env, {mode: {} for mode in MODES}
        self.left, self.since, self.fires, self.fire = (
            {},
            {},
            {},
            wp.zeros(env.num_worlds, dtype=wp.bool, device=env.device),
        )
        for key, term in terms.items():
            if term.mode not in MODES:
                raise ModelError(f"event '{key}': mode {term.mode!r}; expected one of {', '.join(MODES)}")
            if (term.mode == "interval") != (term.interval_range_s is not None):
                raise ModelError(f"event '{key}': interval_range_s belongs to mode 'interval', and there it is needed")
            self.modes[term.mode][key] = term
            if inspect.isclass(term.func):
                env.terms.make(f"event/{key}", term.func, term.params)
            if term.mode == "interval":
                self.left[key] = wp.zeros(env.num_worlds, dtype=float, device=env.device)
            if term.min_step_count_between_reset:
                self.since[key] = wp.full(env.num_worlds, -1, dtype=int, device=env.device)
                self.fires[key] = wp.zeros(env.num_worlds, dtype=wp.bool, device=env.device)

    def startup(self, mask: wp.array) -> None:
        """Run what happens once for a seed."""
        for key, term in self.modes["startup"].items():
            self._call(key, term, mask)

    def count_steps(self, mask: wp.array) -> dict:
        """Masks of the events at reset, taken before step counts become zero."""
        masks, env = {}, self.env
        for key, term in self.modes["reset"].items():
            masks[key] = mask
            if key in self.since:
                masks[key] = fire = self.fires[key]
                env.launch(
                    long_enough,
                    env.num_worlds,
                    [mask, env.step_count, term.min_step_count_between_reset],
                    [self.since[key], fire],
                )
        return masks

    def reset(self, mask: wp.array, masks: dict) -> None:
        """Run what happens at reset, and draw the first intervals."""
        for key, term in self.modes["reset"].items():
            self._call(key, term, masks[key])
        for key, term in self.modes["interval"].items():
            self.env.clear(mask, self.left[key])
            self._tick(key, term, mask, 0.0)

    def step(self, mask: wp.array) -> None:
        """Run what happens every step, and what is due."""
        for key, term in self.modes["step"].items():
            self._call(key, term, mask)
        for key, term in self.modes["interval"].items():
            self._tick(key, term, mask, self.env.step_dt)
            self._call(key, term, self.fire)

    def _tick(self, key: str, term, mask: wp.array, dt: float) -> None:
        inputs = [mask, self.env.stream(f"event/{key}/interval"), dt, *map(float, term.interval_range_s)]
        self.env.launch(count_down, self.env.num_worlds, inputs, [self.left[key], self.fire])

    def _call(self, key: str, term, mask: wp.array) -> None:
        self.env.call(term, self.env.terms.call, f"event/{key}", term.func, term.params, mask)

    def state(self) -> dict:
        """Arrays that a checkpoint needs."""
        return {f"event/{k}/left": a for k, a in self.left.items()} | {
            f"event/{k}/since": a for k, a in self.since.items()
        }

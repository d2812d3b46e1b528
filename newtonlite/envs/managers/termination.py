"""Termination manager: which worlds are over (terminated), cut off (truncated), or went bad."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import Counted

kernel_module(__name__)


@wp.kernel
def find_bad(
    mask: wp.array[wp.bool],
    bad_count: wp.array[int],
    overflow: wp.array[int],
    seen: wp.array2d[int],
    bad: wp.array[wp.bool],
    terminated: wp.array[wp.bool],
    truncated: wp.array[wp.bool],
    counts: wp.array2d[int],
):
    """Worlds that the engine had to reset, or whose contacts did not fit, since the last look: their episode is cut
    off.
    """
    world = wp.tid()
    broken = bad_count[world] != seen[world, 0]
    spilled = overflow[world] != seen[world, 1]
    seen[world, 0] = bad_count[world]
    seen[world, 1] = overflow[world]
    bad[world] = mask[world] and (broken or spilled)
    terminated[world] = False
    truncated[world] = bad[world]
    if mask[world] and broken:
        counts[world, 0] = counts[world, 0] + 1
    if mask[world] and spilled:
        counts[world, 1] = counts[world, 1] + 1


@wp.kernel
def end(
    mask: wp.array[wp.bool],
    bad: wp.array[wp.bool],
    value: wp.array2d[wp.bool],
    time_out: bool,
    index: int,
    terminated: wp.array[wp.bool],
    truncated: wp.array[wp.bool],
    which: wp.array2d[wp.bool],
):
    """End episodes by one term; what a bad world looks like after its reset says nothing."""
    world = wp.tid()
    fired = mask[world] and value[world, 0] and not bad[world]
    which[world, index] = fired
    if fired and time_out:
        truncated[world] = True
    elif fired:
        terminated[world] = True


@wp.kernel
def either(a: wp.array[wp.bool], b: wp.array[wp.bool], out: wp.array[wp.bool]):
    """Whether an episode has ended at all."""
    world = wp.tid()
    out[world] = a[world] or b[world]


class TerminationManager(Counted):
    """``terminated``, ``truncated``, ``done``, ``bad`` ``[nworld]``, and ``which`` ``[nworld, terms]``, of the last
    step.

    ``counts`` ``[nworld, 2]``: steps in which a world was reset by the engine, and in which contacts or rows did not
    fit.
    """

    def __init__(self, env, terms: dict):
        self.env, self.terms = env, terms
        self.terminated, self.truncated, self.done, self.bad = (
            wp.zeros(env.num_worlds, dtype=wp.bool, device=env.device) for _ in range(4)
        )
        self.which = wp.zeros((env.num_worlds, max(1, len(terms))), dtype=wp.bool, device=env.device)
        self.seen, self.counts = (wp.zeros((env.num_worlds, 2), dtype=int, device=env.device) for _ in range(2))

    def compute(self, mask: wp.array) -> None:
        """Look at the worlds of the mask; none of the others ends."""
        env, d = self.env, self.env.sim.data.engine
        inputs = [mask, d.bad_count, d.overflow]
        env.launch(
            find_bad, env.num_worlds, inputs, [self.seen, self.bad, self.terminated, self.truncated, self.counts]
        )
        for index, (key, term) in enumerate(self.terms.items()):
            env.call(term, self._end, mask, index, key, term)
        env.launch(either, env.num_worlds, [self.terminated, self.truncated], [self.done])

    def _end(self, mask: wp.array, index: int, key: str, term) -> None:
        """End episodes by one term."""
        env, name = self.env, f"termination/{key}"
        value = env.terms.rows(name, env.terms.call(name, term.func, term.params), wp.bool)
        inputs = [mask, self.bad, value, term.time_out, index]
        env.launch(end, env.num_worlds, inputs, [self.terminated, self.truncated, self.which])

    def state(self) -> dict:
        """Arrays that a checkpoint needs."""
        return {"termination/seen": self.seen, "termination/counts": self.counts}

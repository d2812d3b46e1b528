"""Metrics manager: the mean of numbers over an episode."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import Counted

kernel_module(__name__)


@wp.kernel
def add_metric(mask: wp.array[wp.bool], value: wp.array2d[float], index: int, sums: wp.array2d[float]):
    """Add the numbers of one step."""
    world = wp.tid()
    if mask[world]:
        sums[world, index] = sums[world, index] + value[world, 0]


class MetricsManager(Counted):
    """``sums`` ``[nworld, terms]`` of each metric over the episode so far; its mean is that over the step count."""

    def __init__(self, env, terms: dict):
        self.env, self.terms = env, terms
        self.sums = wp.zeros((env.num_worlds, max(1, len(terms))), dtype=float, device=env.device)

    def compute(self, mask: wp.array) -> None:
        """Add what the worlds of the mask show."""
        for index, (key, term) in enumerate(self.terms.items()):
            self.env.call(term, self._add, mask, index, key, term)

    def _add(self, mask: wp.array, index: int, key: str, term) -> None:
        """Add one term."""
        name = f"metric/{key}"
        value = self.env.terms.rows(name, self.env.terms.call(name, term.func, term.params))
        self.env.launch(add_metric, self.env.num_worlds, [mask, value, index], [self.sums])

    def reset(self, mask: wp.array) -> None:
        """A new episode for the worlds of the mask."""
        if self.terms:
            self.env.clear(mask, self.sums)

    def state(self) -> dict:
        """Arrays that a checkpoint needs."""
        return {"metric/sums": self.sums}

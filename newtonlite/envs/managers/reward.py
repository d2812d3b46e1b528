"""Reward manager: weighted sum of terms, and the sum of each over the episode."""

import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import Counted

kernel_module(__name__)


@wp.kernel
def add_reward(
    mask: wp.array[wp.bool],
    bad: wp.array[wp.bool],
    value: wp.array2d[float],
    weight: float,
    index: int,
    reward: wp.array[float],
    sums: wp.array2d[float],
):
    """Add one term; the first one starts from zero. A world that went bad gets nothing."""
    world = wp.tid()
    before = wp.where(index == 0, 0.0, reward[world])
    add = wp.where(mask[world] and not bad[world], weight * value[world, 0], 0.0)
    reward[world] = before + add
    sums[world, index] = sums[world, index] + add


class RewardManager(Counted):
    """``reward`` ``[nworld]`` of the last step; ``sums`` ``[nworld, terms]`` of each term, weighted, over the episode
    so far.
    """

    def __init__(self, env, terms: dict, scale: float):
        self.env, self.terms, self.scale = env, terms, scale
        self.reward = wp.zeros(env.num_worlds, dtype=float, device=env.device)
        self.sums = wp.zeros((env.num_worlds, max(1, len(terms))), dtype=float, device=env.device)

    def compute(self, mask: wp.array) -> None:
        """Rewards of the worlds of the mask; 0 for the others."""
        env = self.env
        if not self.terms:
            env.launch.aside(self.reward.zero_)
        for index, (key, term) in enumerate(self.terms.items()):
            env.call(term, self._add, mask, index, key, term)

    def _add(self, mask: wp.array, index: int, key: str, term) -> None:
        """Add one term."""
        env, name = self.env, f"reward/{key}"
        value = env.terms.rows(name, env.terms.call(name, term.func, term.params))
        if value.shape[1] != 1:
            raise ModelError(f"term '{name}': expected one number for each world, got {list(value.shape)}")
        inputs = [mask, env.bad, value, term.weight * self.scale, index]
        env.launch(add_reward, env.num_worlds, inputs, [self.reward, self.sums])

    def reset(self, mask: wp.array) -> None:
        """A new episode for the worlds of the mask."""
        self.env.clear(mask, self.sums)

    def state(self) -> dict:
        """Arrays that a checkpoint needs."""
        return {"reward/sums": self.sums}

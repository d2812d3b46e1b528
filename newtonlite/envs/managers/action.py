"""Action manager: the numbers of a policy, split over the action terms, delayed, and written to the controls."""

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError, StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import Counted

kernel_module(__name__)


@wp.kernel
def push_action(
    mask: wp.array[wp.bool],
    given: wp.array2d[float],
    last: wp.array2d[float],
    before: wp.array2d[float],
    earlier: wp.array2d[float],
):
    """Keep the last three actions of a world."""
    world, i = wp.tid()
    if mask[world]:
        earlier[world, i] = before[world, i]
        before[world, i] = last[world, i]
        last[world, i] = given[world, i]


class ActionManager(Counted):
    """``action``, ``prev_action``, ``prev_prev_action`` ``[nworld, n]``, as the policy gave them; ``low`` and ``high``
    ``[n]``: what makes sense.
    """

    def __init__(self, env, terms: dict):
        if not terms:
            raise ModelError("actions: expected at least one term")
        self.env, self.terms, self.low, self.high = env, {}, [], []
        first = 0
        for key, term in terms.items():
            self.terms[key] = made = term.make(env, f"action/{key}", first)
            first += made.count
            self.low += list(made.low)
            self.high += list(made.high)
        self.count = first
        self.given, self.action, self.prev_action, self.prev_prev_action = (
            wp.zeros((env.num_worlds, first), dtype=float, device=env.device) for _ in range(4)
        )
        self._host = self.given.numpy() if env.device.is_cpu else None  # a view

    def take(self, action) -> None:
        """Take the actions of a step. StateError for another shape."""
        host = self._host
        if host is not None and action.__class__ is np.ndarray and action.shape == host.shape:
            host[...] = action
            return
        if not isinstance(action, wp.array):
            action = self.env.terms.taken("action", action, float)
        if action.shape != self.given.shape:
            raise StateError(f"action: expected shape {list(self.given.shape)}, got {list(action.shape)}")
        if action.dtype not in (float, wp.float32):
            raise StateError(f"action: expected numbers of type float32, got {action.dtype.__name__}")
        wp.copy(self.given, action)

    def process(self, mask: wp.array) -> None:
        """Apply the actions that were taken in the worlds of the mask."""
        inputs, outputs = [mask, self.given], [self.action, self.prev_action, self.prev_prev_action]
        self.env.launch(push_action, self.given.shape, inputs, outputs)
        for term in self.terms.values():
            self.env.call(term, term.apply, mask, self.action)

    def reset(self, mask: wp.array) -> None:
        """Reset the actions of the worlds of the mask."""
        for array in (self.action, self.prev_action, self.prev_prev_action):
            self.env.clear(mask, array)

    def state(self) -> dict:
        """Arrays that a checkpoint needs."""
        own = {"action/last": self.action, "action/before": self.prev_action, "action/earlier": self.prev_prev_action}
        return own | {k: a for term in self.terms.values() for k, a in term.state().items()}

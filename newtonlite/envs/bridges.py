"""Bridges: arrays of an environment as torch tensors and JAX arrays on the same memory.

torch and JAX are imported when a bridge is called. On a GPU, work of theirs and of Warp runs on streams of their own:
enter ``warp.ScopedStream(warp.stream_from_torch(torch.cuda.current_stream()))`` around both, and around a capture of
both as a graph; a graph keeps the addresses it was captured with, which do not change while an environment lives.
"""

from typing import Any, NamedTuple

import warp as wp


class Indexed(NamedTuple):
    """Some rows and columns of a tensor, where no view can show them: ``base`` is the memory, ``indices`` those of each
    axis, None for all.
    """

    base: Any
    indices: tuple

    def _key(self) -> tuple:
        """Index of the base: every axis by itself, as ``numpy.ix_`` has it."""
        axes = [axis for axis, i in enumerate(self.indices) if i is not None]
        if axes != list(range(axes[0], axes[-1] + 1)):
            raise IndexError("expected indices of axes side by side")
        key: list = [slice(None)] * len(self.base.shape)
        for k, axis in enumerate(axes):
            key[axis] = self.indices[axis].reshape([-1 if j == k else 1 for j in range(len(axes))])
        return tuple(key)

    def gather(self):
        """A copy of the numbers."""
        return self.base[self._key()]

    def scatter(self, values) -> None:
        """Write numbers to their places in the memory; not for JAX, whose arrays cannot be written to."""
        self.base[self._key()] = values


def tensor(array):
    """A torch tensor on the memory of a Warp array; ``Indexed`` of a ``wp.indexedarray``, which has no view."""
    if isinstance(array, wp.indexedarray):
        return Indexed(wp.to_torch(array.data), tuple(None if i is None else wp.to_torch(i) for i in array.indices))
    return wp.to_torch(array)


def jax_array(array):
    """A JAX array on the memory of a Warp array, by DLPack: it shows what later steps write there.

    ``Indexed`` of a ``wp.indexedarray``, and of rows that are stored with room behind them, as ``qvel`` may be: JAX
    views compact memory alone.
    """
    if isinstance(array, wp.indexedarray):
        return Indexed(jax_array(array.data), tuple(None if i is None else wp.to_jax(i) for i in array.indices))
    if array.is_contiguous or array.ndim != 2:
        return wp.to_jax(array)
    shape = (array.shape[0], array.strides[0] // array.strides[1])
    rows = wp.array(ptr=array.ptr, dtype=array.dtype, shape=shape, device=array.device, capacity=array.capacity)
    rows.owner = array
    chosen = wp.array(range(array.shape[1]), dtype=int, device=array.device)
    return Indexed(wp.to_jax(rows), (None, wp.to_jax(chosen)))


def results(env) -> dict:
    """Warp arrays that a learner reads after a step, by name: ``observation/GROUP``, ``reward``, ``terminated``,
    ``truncated``, ``done``, ``bad``, ``episode_length``, ``action``, ``qpos``, ``qvel``, ``ctrl``.
    """
    found = {f"observation/{group}": array for group, array in env.observations.items()}
    found |= {name: getattr(env, name) for name in ("reward", "terminated", "truncated", "bad")}
    found |= {"done": env.terminations.done, "episode_length": env.step_count, "action": env.actions.action}
    return found | {name: getattr(env.sim.data, name) for name in ("qpos", "qvel", "ctrl")}


def tensors(env) -> dict:
    """``results(env)`` as torch tensors on the environment's memory: made once, they show every later step."""
    return {name: tensor(array) for name, array in results(env).items()}


def jax_arrays(env) -> dict:
    """``results(env)`` as JAX arrays on the environment's memory."""
    return {name: jax_array(array) for name, array in results(env).items()}

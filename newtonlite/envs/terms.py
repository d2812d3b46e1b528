"""Terms at work: functions of a task called with their parameters, their results as Warp arrays that are allocated
once.
"""

import inspect
import re

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError, StateError
from newtonlite.envs.streams import Stream

MOST_COLUMNS = 1024


class Terms:
    """Calls the terms of an environment, and holds the arrays they write to and the streams they draw from.

    ``name`` is the term that is being called; what it computes is kept under it.
    """

    def __init__(self, env):
        self.env, self.name, self.count = env, "", 0
        self._arrays: dict = {}
        self._objects: dict = {}
        self._columns: dict = {}

    def call(self, name: str, func, params: dict, *args):
        """The result of a term. Errors name the term."""
        before, self.name, self.count = (self.name, self.count), name, 0
        try:
            if inspect.isclass(func):
                if name not in self._objects:
                    self._objects[name] = func(self.env, **params)
                return self._objects[name](*args)
            return func(self.env, *args, **params)
        except Exception as problem:
            if f"'{name}'" in str(problem):
                raise
            raise self._named(name, problem) from problem
        finally:
            self.name, self.count = before

    @staticmethod
    def _named(name: str, problem: Exception) -> Exception:
        """An error that names the term: of its own kind where it is one of ours or a wrong parameter."""
        text = str(problem)
        if isinstance(problem, StateError) and "not kept" in text and (field := re.match(r"data\.(\w+)", text)):
            return StateError(f"term '{name}': {field[1]} is not kept; name it in the task: keep=('{field[1]}',)")
        if isinstance(problem, (ModelError, StateError, TypeError)):
            return type(problem)(f"term '{name}': {text}")
        return ModelError(f"term '{name}': {type(problem).__name__}: {text}")

    def objects(self) -> dict:
        """The objects of terms whose functions are classes, by term; commands excepted, which the environment has."""
        return {name: thing for name, thing in self._objects.items() if not name.startswith("command/")}

    def make(self, name: str, func, params: dict):
        """The object of a class, made now."""
        self.call(name, lambda env: self._objects.update({name: func(env, **params)}), {})
        return self._objects[name]

    def array(self, width: int | None = None, dtype=float, fill=0) -> wp.array:
        """An array ``[nworld]`` or ``[nworld, width]`` of the present term, the same at the same place of its next
        call.
        """
        key = (self.name, self.count)
        self.count += 1
        if key not in self._arrays:
            shape = (self.env.num_worlds,) if width is None else (self.env.num_worlds, width)
            self._arrays[key] = wp.full(shape, fill, dtype=dtype, device=self.env.device)
        return self._arrays[key]

    def compute(self, kernel, inputs: list, width: int | None = None, dtype=float) -> wp.array:
        """Launch ``kernel(*inputs, out)`` over worlds, or worlds and ``width``; returns ``out``."""
        out = self.array(width, dtype)
        self.env.launch(kernel, out.shape, inputs, [out])
        return out

    @property
    def stream(self) -> Stream:
        """Random numbers of the present term."""
        return self.env.stream(self.name)

    def rows(self, name: str, value, dtype=float) -> wp.array:
        """A term's result as a Warp array ``[nworld, n]``. ModelError for other shapes."""
        n = self.env.num_worlds
        if not isinstance(value, wp.array):
            value = self.taken(name, value, dtype)
        if value.ndim == 1:
            value = self.column(value) if value.shape[0] == n else value
        if value.ndim != 2 or value.shape[0] != n:
            raise ModelError(f"term '{name}': expected an array [{n}] or [{n}, numbers], got {list(value.shape)}")
        if value.dtype not in ((wp.bool, bool) if dtype is wp.bool else (float, wp.float32)):
            raise ModelError(f"term '{name}': expected numbers of type {dtype.__name__}, got {value.dtype.__name__}")
        return value

    def column(self, value: wp.array) -> wp.array:
        """The array ``[nworld, 1]`` of the same memory, always the same one for the same array."""
        given, column = self._columns.get(id(value), (None, None))
        if given is not value:
            if len(self._columns) >= MOST_COLUMNS:
                self._columns.clear()
            column = value.reshape((self.env.num_worlds, 1))
            self._columns[id(value)] = value, column
        return column

    def taken(self, name: str, value, dtype) -> wp.array:
        """Array of NumPy or torch, as an array of ours. ModelError for None."""
        if value is None:
            raise ModelError(
                f"term '{name}': it returns nothing; expected an array [{self.env.num_worlds}] or [{self.env.num_worlds}, numbers]"
            )
        if hasattr(value, "detach"):
            value = value.detach()
            value = wp.from_torch(value.contiguous().to(_torch_type(dtype)))
            self._arrays[(name, "taken")] = value  # lives until the next call
            return value
        return self._copied(name, np.ascontiguousarray(value, bool if dtype is wp.bool else np.float32), dtype)

    def _copied(self, name: str, value: np.ndarray, dtype) -> wp.array:
        """NumPy numbers in the array that took them last, or in a new one."""
        key = (name, "copied", value.shape, dtype)
        if key not in self._arrays:
            self._arrays[key] = wp.empty(value.shape, dtype=dtype, device=self.env.device)
        kept = self._arrays[key]
        if kept.device.is_cpu:
            self.env.sim.host(kept)[...] = value
        else:
            kept.assign(value)
        return kept


def _torch_type(dtype):
    import torch

    return torch.bool if dtype is wp.bool else torch.float32

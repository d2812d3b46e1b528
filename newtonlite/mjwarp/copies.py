"""Copies of worlds for finite differences, each nudged in one coordinate."""

from collections.abc import Callable

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.mjwarp.data import Data
from newtonlite.solvers.mujoco import model as engine_model
from newtonlite.solvers.mujoco.batch import Batch
from newtonlite.solvers.mujoco.data import FIELDS
from newtonlite.solvers.mujoco.executor.views import as_numbers

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def spread(copies: int, source: wp.array2d[float], target: wp.array2d[float]):
    """Each world into ``copies`` worlds."""
    world, i = wp.tid()
    target[world, i] = source[world / copies, i]


@wp.kernel(enable_backward=False)
def divide(
    ncol: int,
    first: int,
    row: int,
    across: bool,
    size: wp.array[float],
    values: wp.array2d[float],
    out: wp.array3d[float],
):
    """``(f(x + h) - f(x - h')) / (h + h')`` into column ``c - first`` of ``out``, from row ``row`` on; or into that row
    (``across``).
    """
    world, c, i = wp.tid()
    up = world * 2 * ncol + first + c
    down = up + ncol
    h = size[up] - size[down]
    value = float(0.0)
    if h > 0.0:
        value = (values[up, i] - values[down, i]) / h
    if across:
        out[world, c, row + i] = value
    else:
        out[world, row + i, c] = value


class PerturbedWorlds:
    """``2 ncol`` copies of each of ``nworld`` worlds: the first half to be nudged up, the second down; ``size`` holds
    by how much.

    ``keep`` names arrays to be there after a run. Raises StateError for a nudge that is not positive.
    """

    def __init__(self, m, nworld: int, ncol: int, eps: float, capacity: tuple, keep: tuple = ()):
        if not eps > 0.0:
            raise StateError(f"eps={eps}: expected a positive number")
        self.source, self.nworld, self.ncol, self.copies, self.eps = m, nworld, ncol, 2 * ncol, float(eps)
        self.own = [
            n for n, a in m.arrays.items() if engine_model.FIELDS[n].role == "param" and a.size and a.shape[0] > 1
        ]
        wide = {
            n: wp.empty((nworld * self.copies, *m.arrays[n].shape[1:]), dtype=m.arrays[n].dtype, device=m.device)
            for n in self.own
        }
        self.model = engine_model.EngineModel(dict(m.sizes), {**m.arrays, **wide}, m.device, m.source)
        nconmax, njmax = capacity
        self.data = Data(Batch(self.model, nworld * self.copies, nconmax=nconmax, njmax=njmax, kept_fields=keep))
        self.schedule = self.data.batch.schedule
        self.size = wp.zeros(nworld * self.copies, dtype=float, device=m.device)

    def take(self, d: Data, also: tuple = ()) -> None:
        """Copy parameters that differ between worlds, state, inputs and the fields named in ``also`` of the worlds of
        ``d``.
        """
        for name in self.own:
            self._spread(self.source.arrays[name], self.model.arrays[name])
        for field in FIELDS.values():
            if (field.role in ("state", "input") or field.name in also) and field.name in self.data.engine.arrays:
                self._spread(d.engine.arrays[field.name], self.data.engine.arrays[field.name])

    def quotient(self, first: int, row: int, values: wp.array, out: wp.array, across: bool = False) -> None:
        """Derivatives of ``values`` by coordinates from ``first`` on, as columns of ``out`` from ``row`` on, or as its
        rows (``across``).
        """
        count = out.shape[1 if across else 2]
        if values.shape[1] and count:
            dim = (self.nworld, count, values.shape[1])
            wp.launch(divide, dim, [self.ncol, first, row, across, self.size, values, out], device=values.device)

    def _spread(self, source: wp.array, target: wp.array) -> None:
        flat = [as_numbers(a) for a in (source, target)]
        if flat[1].size:
            wp.launch(spread, flat[1].shape, [self.copies, *flat], device=source.device)


def kept_with(d: Data, name: str, key: tuple, make: Callable):
    """Cached object of a data under a name, made anew where its key has changed."""
    if getattr(d, f"{name}_key", None) != key:
        object.__setattr__(d, name, make())
        object.__setattr__(d, f"{name}_key", key)
    return getattr(d, name)

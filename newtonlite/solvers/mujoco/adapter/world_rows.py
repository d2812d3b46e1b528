"""World rows: the scene's flat arrays as one row per world, a view where worlds are evenly spaced and a copy elsewhere."""

import numpy as np
import warp as wp

from newtonlite.solvers.mujoco.executor.views import as_numbers
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.kernels.state_io.gather_rows import gather_words, scatter_words

MOST_COPIES = 256
WORD = 4  # bytes of a number; all arrays of the scene that the engine reads are made of such


class WorldRows:
    """Rows of an engine's worlds in the scene's arrays."""

    def __init__(self, worlds, device):
        self.worlds, self.device, self.count = worlds, device, worlds.count
        self._even: dict[str, tuple | None] = {}
        self._index: dict[str, wp.array] = {}
        self._copies: dict[tuple, RowCopy] = {}

    def size(self, kind: str) -> int:
        """Number of rows of a kind in a world."""
        return self.worlds.size(kind)

    def view(self, array: wp.array, kind: str) -> wp.array | None:
        """``[nworld, n]`` view of a flat array; None where worlds do not lie evenly."""
        even = self.evenly(kind)
        if even is None:
            return None
        if not self.size(kind):
            return wp.zeros((self.count, 0), dtype=array.dtype, device=self.device)
        first, step = even
        word = wp.types.type_size_in_bytes(array.dtype)
        shape, capacity = (self.count, self.size(kind)), array.capacity - first * word
        found = wp.array(
            ptr=array.ptr + first * word,
            dtype=array.dtype,
            shape=shape,
            strides=(step * word, word),
            device=self.device,
            capacity=capacity,
        )
        found.owner = array
        return found

    def bring(self, array: wp.array, kind: str) -> tuple[wp.array, "RowCopy | None"]:
        """A flat array by world, and, where that is a copy, how it is filled and written back."""
        found = self.view(array, kind)
        if found is not None:
            return found, None
        key = (array.ptr, array.shape, array.dtype, kind)
        if key not in self._copies:
            if len(self._copies) >= MOST_COPIES:
                self._copies.clear()
            with outside_capture(self.device):
                rows = wp.zeros((self.count, self.size(kind)), dtype=array.dtype, device=self.device)
            self._copies[key] = RowCopy(array, rows, self.index(kind))
        return self._copies[key].rows, self._copies[key]

    def words(self, array: wp.array, kind: str) -> tuple[wp.array, "RowCopy | None"]:
        """Like ``bring``, the parts of vectors and transforms side by side."""
        rows, copy = self.bring(array, kind)
        return as_numbers(rows, int), copy

    def index(self, kind: str) -> wp.array:
        """Row of the scene of each thing, [nworld, n]."""
        if kind not in self._index:
            with outside_capture(self.device):
                self._index[kind] = wp.array(
                    np.ascontiguousarray(self.worlds.rows(kind), np.int32), dtype=int, device=self.device
                )
        return self._index[kind]

    def evenly(self, kind: str) -> tuple[int, int] | None:
        """First row of the first world and rows from a world to the next, if things of a kind lie so."""
        if kind not in self._even:
            with outside_capture(self.device):  # the rows are found on the host
                rows = self.worlds.rows(kind)
            count, size = rows.shape
            first = int(rows[0, 0]) if size else 0
            step = int(rows[1, 0]) - first if count > 1 and size else size
            even = np.array_equal(rows, first + step * np.arange(count)[:, None] + np.arange(size)) and step >= 0
            self._even[kind] = (first, step) if even else None
        return self._even[kind]


class RowCopy:
    """Rows of a flat array copied together, on the device."""

    def __init__(self, flat: wp.array, rows: wp.array, index: wp.array):
        self.flat, self.rows, self.index = flat, rows, index
        self.inputs = [index.flatten(), as_numbers(flat, int), as_numbers(rows.flatten(), int)]

    def fill(self) -> None:
        """Read the rows from the scene."""
        wp.launch(gather_words, dim=self.inputs[2].shape, inputs=self.inputs, device=self.flat.device)

    def write_back(self) -> None:
        """Write the rows to the scene."""
        wp.launch(scatter_words, dim=self.inputs[2].shape, inputs=self.inputs, device=self.flat.device)

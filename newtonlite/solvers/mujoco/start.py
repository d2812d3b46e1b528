"""Start: what worlds go back to, field by field: the model's initial values, or keyframes."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import warp as wp

from newtonlite.solvers.mujoco.data import FIELDS, INITIAL, INITIAL_PARAMETERS, KEPT, LASTING, EngineData
from newtonlite.solvers.mujoco.executor.views import as_numbers
from newtonlite.solvers.mujoco.fields import FAMILIES, convex, integrate, ray, sleep, solver, team
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.kernels.state_io.reset import put_rows
from newtonlite.solvers.mujoco.model import EngineModel

KEY = {
    "time": "key_time",
    "qpos": "key_qpos",
    "qvel": "key_qvel",
    "act": "key_act",
    "ctrl": "key_ctrl",
    "mocap_pos": "key_mpos",
    "mocap_quat": "key_mquat",
    "plastic": "key_plastic",
}
"""Fields that a keyframe has."""
WHOLE = tuple(f.name for f in FIELDS.values() if f.role in KEPT and f.name not in LASTING)
"""Fields that a reset of everything puts back."""


INTERNAL = (solver, team, convex, sleep, ray, integrate)
"""Families of fields whose scratch is no result."""
RESULTS = tuple(
    f for family in FAMILIES if family not in INTERNAL for f in getattr(family, "DATA", ()) if f.role == "scratch"
)
"""Poses, velocities and forces that a forward pass leaves beside outputs."""


def results(d: EngineData) -> list[wp.array]:
    """Results that the last forward pass left beside outputs; lists of contacts and rows are empty by their counts."""
    return [
        d.arrays[f.name] for f in RESULTS if f.name in d.arrays and d.sizes.keys().isdisjoint((f.dims or "").split())
    ]


def keyframes(source) -> dict[str, np.ndarray]:
    """Numbers of all keyframes of a compiled model by field, ``[nkey, n]``."""
    count = int(source.nkey)
    return {name: np.asarray(getattr(source, key), np.float32).reshape(count, -1) for name, key in KEY.items() if count}


class Start:
    """Rows of words that fields of worlds go back to, on the device.

    ``rows`` gives numbers ``[rows, n]`` for some of the ``names``; with ``keyed`` a world's choice is one of them, else
    there is one row for all worlds or one for each. The other names start from the model's parameters as they are when
    worlds go back, or, where that is asked for (``fixed``), as they are now; from zero where the model has none, and so
    do ``more`` arrays.
    """

    def __init__(
        self,
        m: EngineModel,
        d: EngineData,
        names: Iterable[str] = WHOLE,
        rows: dict[str, np.ndarray] | None = None,
        *,
        keyed: bool = False,
        fixed: bool = False,
        more: Sequence[wp.array] = (),
    ):
        self.most = max((len(r) for r in (rows or {}).values()), default=0) if keyed else 1
        self.copies: list[tuple] = []  # (whether keyed, rows, words of the field)
        for name in names:
            array = d.arrays.get(name)
            if array is None or not array.size:
                continue
            given = (rows or {}).get(name)
            if given is not None:
                found = words(given, array.dtype, m.device)
            elif name in INITIAL_PARAMETERS:
                own = m.arrays[INITIAL_PARAMETERS[name]]
                found = as_numbers(wp.clone(own) if fixed else own, int)
            else:
                values = INITIAL[name](m) if name in INITIAL else np.zeros((1, 0))
                found = words(values, array.dtype, m.device)
            self.copies.append((keyed and given is not None, found, as_numbers(array, int)))

        empty = nothing(m.device)
        self.copies += [(False, empty, as_numbers(array, int)) for array in more if array.size]

    def put(self, choice: wp.array, launch: Callable) -> None:
        """Put the worlds back whose choice is a row; -1 leaves a world as it is."""
        for keyed, rows, out in self.copies:
            launch(put_rows, out.shape, [choice, self.most, keyed, rows, out], [])


def nothing(device) -> wp.array:
    """Rows without words."""
    with outside_capture(device):
        return wp.zeros((1, 0), dtype=int, device=device)


def words(values, dtype: type, device) -> wp.array:
    """Rows of numbers as the words of an array of ``dtype``, on the device."""
    kind = np.int32 if dtype in (int, wp.int32) else np.float32
    rows = np.ascontiguousarray(np.asarray(values).reshape(len(values), -1), kind).view(np.int32)
    with outside_capture(device):
        return wp.array(rows, dtype=int, device=device)

"""Reading a scene model: the rows that belong to one world, or the same rows of all worlds side by side.

``Worlds`` hides the flat layout of a ``sim.Model`` from the sections of the compiler. ``get("body_mass")`` is
``[nbody]`` where all worlds agree and ``[nworld, nbody]`` where they differ, bodies numbered within their world.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from newtonlite.core.enums import AttributeFrequency as Freq
from newtonlite.core.enums import ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.schema.columns import columns

GLOBAL = -1
PARTS = {
    f"mujoco:{whole}_{part}": (whole, part)
    for whole, part in (("tendon", "joint"), ("tendon", "wrap"), ("flex", "vert"), ("flex", "node"))
}
"""Kinds of rows that belong to rows of another kind, which have the address and the number of theirs."""
NAMES = {Freq.BODY: "body", Freq.JOINT: "joint", Freq.JOINT_DOF: "dof", Freq.JOINT_COORD: "coord", Freq.SHAPE: "shape"}
NAMES |= {
    Freq.WORLD: "world",
    Freq.ONCE: "once",
    Freq.ARTICULATION: "articulation",
    Freq.CONSTRAINT_MIMIC: "constraint_mimic",
}


class Worlds:
    """The chosen worlds of a scene; ``worlds=None`` takes the whole scene as one world.

    All chosen worlds must have the same structure (see ``validate``); structural questions are answered by the first.
    ``reference`` has {attribute: (rows of the model, values)} to read in place of what the model has now.
    """

    def __init__(self, model, worlds: Sequence[int] | None = None, reference: dict | None = None):
        self.model = model
        self.worlds = None if worlds is None else np.asarray(worlds, np.int32)
        self.reference = reference or {}
        self.count = 1 if worlds is None else len(worlds)
        self._rows: dict[str, np.ndarray] = {}
        self._locals: dict[str, np.ndarray] = {}
        self._exact: dict[str, np.ndarray] = {}
        self._cells: dict[str, list] = {}
        self._has: dict[str, bool] = {}
        self._names: dict[str, list[str]] = {}
        self._labels: dict[str, list[str]] = {}

    # reading

    def get(self, name: str) -> np.ndarray:
        """Values of an attribute such as ``"body_mass"`` or ``"mujoco:condim"``: [n, ...] or [nworld, n, ...]."""
        rows = self.rows(self.frequency(name))
        if len(rows) == 1:
            return self.first(name)
        values = self._digits(name) if name in self.reference else as_numpy(self.find(name))
        return self.first(name) if uniform(values[rows]) else self._digits(name)[rows]

    def first(self, name: str) -> np.ndarray:
        """Values of an attribute in the first of the worlds: [n, ...]; reals with the digits they were authored in."""
        return self._digits(name)[self.rows(self.frequency(name))[0]]

    def cell(self, name: str, row: int):
        """Value of one row of an attribute in the first of the worlds, a number or a list, for those who read all rows
        one by one.
        """
        if name not in self._cells:
            self._cells[name] = self.first(name).tolist()
        return self._cells[name][row]

    def _digits(self, name: str) -> np.ndarray:
        """Values of an attribute over all worlds, reals with the digits they were authored in where they are still
        those.
        """
        if name not in self._exact:
            values = self.find(name)
            self._exact[name] = self.model.exact(name) if hasattr(values, "numpy") else as_numpy(values)
            if name in self.reference:
                rows, there = self.reference[name]
                self._exact[name] = np.array(self._exact[name])
                self._exact[name][rows] = there
        return self._exact[name]

    def get_or(self, name: str, default, kind: str | None = None) -> np.ndarray:
        """``get``, or ``default`` for each of ``kind`` where the model lacks the attribute."""
        if self.has(name):
            return self.get(name)
        default = np.asarray(default)
        return np.broadcast_to(default, (self.size(kind), *default.shape)).copy()

    def read(self, name: str) -> np.ndarray:
        """``get``, or the attribute's default for each thing where the model lacks it."""
        column = None if self.has(name) else columns()[name.partition(":")[2]]
        if column is None:
            return self.get(name)
        return self.get_or(
            name, column.default, kind_of(Freq.__members__.get(column.frequency.upper(), column.frequency))
        )

    def words(self, name: str) -> np.ndarray:
        """``read``, the parts of vectors and transforms side by side: [n, width] or [nworld, n, width]."""
        values = self.read(name)
        worlds = values.shape[:1] if self.has(name) and values.ndim > np.ndim(self._digits(name)) else ()
        rank = len(worlds) + 1
        return values.reshape(*values.shape[:rank], math.prod(values.shape[rank:]))

    def has(self, name: str) -> bool:
        """Whether the model carries this attribute."""
        if name not in self._has:
            owner, key = self._owner(name)
            self._has[name] = getattr(owner, key, None) is not None
        return self._has[name]

    def find(self, name: str):
        """The attribute's array over all worlds, as the model holds it."""
        owner, key = self._owner(name)
        value = getattr(owner, key, None)
        if value is None:
            raise ModelError(
                f"model.{name.replace(':', '.')}: missing; register custom attributes before building the model"
            )
        return value

    def _owner(self, name: str):
        space, _, key = name.rpartition(":")
        return (getattr(self.model, space, None) if space else self.model), key

    def frequency(self, name: str) -> str:
        """Frequency of an attribute: the kind of thing that it has one row for."""
        return kind_of(self.model.get_attribute_frequency(name))

    # numbering

    def rows(self, kind: str) -> np.ndarray:
        """Indices into the model's arrays of the ``kind`` of each chosen world: int [nworld, n]."""
        if kind not in self._rows:
            self._rows[kind] = self._find_rows(kind)
        return self._rows[kind]

    def size(self, kind: str) -> int:
        """Number of things of ``kind`` in a world."""
        return self.rows(kind).shape[1]

    def local(self, kind: str, index) -> np.ndarray:
        """Numbers within the first world of the model's indices; -1 stays -1."""
        table = self._local_table(kind)
        if isinstance(index, (int, np.integer)):
            if index < 0 or table[index] >= 0:  # one by one, as paths and actuators are read, arrays would take long
                return np.int64(-1 if index < 0 else table[index])
        index = np.asarray(index)
        found = table[index]
        strange = (found < 0) & (index >= 0)
        if strange.any():
            raise ModelError(
                f"{kind} {index[strange][0]} of another world is referred to; each world must be complete in itself"
            )
        return np.where(index < 0, -1, found)

    def label(self, kind: str, number: int) -> str:
        """Name of an element, given its number within the first world; '' where it has none."""
        return self.labels(kind)[number]

    def labels(self, kind: str) -> list[str]:
        """Names of all elements of a kind in the first world; '' for those that have none."""
        key = f"{kind}_label"
        if key not in self._labels:
            given, rows = getattr(self.model, key, ()), self.rows(kind)[0].tolist()
            count = len(given)
            self._labels[key] = [str(given[i] or "") if i < count else "" for i in rows]
        return self._labels[key]

    def name(self, kind: str, number: int) -> str:
        """Its name in its file, '' for what has none there; its label where no file spoke, or where two have one name."""
        if kind not in self._names:
            labels = self.labels(kind)
            unnamed = (
                self.first(f"mujoco:{kind}_unnamed")
                if self.has(f"mujoco:{kind}_unnamed")
                else np.zeros(len(labels), bool)
            )
            sorts = (self.first("shape_flags") & ShapeFlags.SITE).tolist() if kind == "shape" else [0] * len(labels)
            found = distinct(self.first_labels(f"mujoco:{kind}_name", kind), labels, sorts)
            self._names[kind] = ["" if silent else name for silent, name in zip(unnamed, found, strict=True)]
        return self._names[kind][number]

    def first_names(self, prefix: str, kind: str) -> list[str]:
        """Names of rows of a custom frequency, whose ``prefix`` is that of its columns ``name`` and ``label``."""
        labels = self.first_labels(f"{prefix}label", kind)
        return distinct(self.first_labels(f"{prefix}name", kind), labels, [0] * len(labels))

    def first_labels(self, name: str, kind: str) -> list[str]:
        """A list-valued attribute (names) of the first world, '' for each of ``kind`` where the model lacks it."""
        if not self.has(name):
            return [""] * self.size(kind)
        if name not in self._labels:
            values = self.find(name)
            self._labels[name] = [str(values[i] or "") for i in self.rows(kind)[0].tolist()]
        return self._labels[name]

    def _local_table(self, kind: str) -> np.ndarray:
        if kind not in self._locals:
            rows = self.rows(kind)[0]
            table = np.full(int(rows.max(initial=-1)) + 2 + self._total(kind), -1, np.int64)
            table[rows] = np.arange(len(rows))
            self._locals[kind] = table
        return self._locals[kind]

    def _total(self, kind: str) -> int:
        counts = {"body": "body_count", "joint": "joint_count", "shape": "shape_count", "dof": "joint_dof_count"}
        counts |= {
            "coord": "joint_coord_count",
            "articulation": "articulation_count",
            "constraint_mimic": "constraint_mimic_count",
        }
        if kind in counts:
            return int(getattr(self.model, counts[kind]))
        return int(self.model.get_custom_frequency_count(kind))

    def _find_rows(self, kind: str) -> np.ndarray:
        if kind == "once":
            return np.zeros((1, 1), np.int64)
        if kind == "world":
            return np.zeros((1, 1), np.int64) if self.worlds is None else self.worlds[:, None].astype(np.int64)
        if kind in ("dof", "coord"):
            return self._joint_rows("joint_qd_start" if kind == "dof" else "joint_q_start")
        if kind in PARTS:
            return self._part_rows(*PARTS[kind])
        if self.worlds is None:
            return np.arange(self._total(kind))[None]
        return self._world_rows(kind)

    def _world_rows(self, kind: str) -> np.ndarray:
        """Rows by world; shapes that belong to no world belong to all, and come first."""
        world = as_numpy(self.find(f"{kind}_world"))
        order = np.argsort(world, kind="stable")
        first = np.searchsorted(world[order], self.worlds)
        last = np.searchsorted(world[order], self.worlds, side="right")
        if len(set(last - first)) > 1:
            raise ModelError(f"worlds do not have the same number of {kind}: {sorted(set((last - first).tolist()))}")
        rows = order[first[:, None] + np.arange((last - first)[0] if len(first) else 0)]
        everywhere = np.flatnonzero(world == GLOBAL)
        if kind != "shape" or not len(everywhere):
            return rows
        return np.concatenate([np.broadcast_to(everywhere, (len(rows), len(everywhere))), rows], axis=1)

    def _joint_rows(self, starts: str) -> np.ndarray:
        """Rows of dofs or coordinates: those of the world's joints, in order."""
        start = as_numpy(getattr(self.model, starts))
        joints = self.rows("joint")
        width = np.diff(start)[joints[0]]
        offset = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
        return np.repeat(start[joints], width, axis=1) + offset

    def _part_rows(self, whole: str, part: str) -> np.ndarray:
        """Rows of what tendons run over, or of the points of soft bodies: for each one of the world, its address and
        number.
        """
        wholes = self.rows(f"mujoco:{whole}")
        adr = as_numpy(self.find(f"mujoco:{whole}_{part}_adr"))[wholes]
        num = as_numpy(self.find(f"mujoco:{whole}_{part}_num"))[wholes[0]]
        offset = np.arange(num.sum()) - np.repeat(np.cumsum(num) - num, num)
        return np.repeat(adr, num, axis=1) + offset


def distinct(names: list[str], labels: list[str], sorts: list[int]) -> list[str]:
    """The names, but the label of what has no name, or shares it with another of its sort."""
    count = Counter(zip(names, sorts, strict=True))
    return [
        name if name and count[name, sort] == 1 else label
        for name, label, sort in zip(names, labels, sorts, strict=True)
    ]


def kind_of(frequency: Freq | str) -> str:
    """The name of what an attribute of a frequency has one row of."""
    return frequency if isinstance(frequency, str) else NAMES[Freq(frequency)]


def uniform(values) -> bool:
    """Whether all rows equal the first, NaN counting as equal to NaN."""
    same = values == values[:1]
    if values.dtype.kind == "f":
        same |= np.isnan(values) & np.isnan(values[:1])
    return bool(same.all())


def as_numpy(values) -> np.ndarray:
    """A NumPy array from a Warp array, a list or an array."""
    return values.numpy() if hasattr(values, "numpy") else np.asarray(values)

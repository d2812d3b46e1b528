"""Several engines' models and data read as one: what ``SolverMuJoCo.mjw_model`` and ``mjw_data`` are where worlds have
several structures.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.mjwarp.data import Data
from newtonlite.mjwarp.shown import ShownModel, show_data
from newtonlite.solvers.mujoco.data import FIELDS as OF_DATA
from newtonlite.solvers.mujoco.model import FIELDS as OF_MODEL

WRITE = "belongs to engines of several structures and is put together when it is read; write to those of solver.groups"
LISTED = ("nacon", "ncollision")
"""Numbers of the entries of lists that all worlds share."""


class JoinedArray:
    """Numbers of several engines, one row per world of the scene; they can be read and not written."""

    def __init__(self, name: str, values: np.ndarray):
        self.name, self._values = name, values
        self.shape, self.ndim, self.size = values.shape, values.ndim, values.size

    def numpy(self) -> np.ndarray:
        """The numbers."""
        return self._values.copy()

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str):
        if name in ("assign", "fill_", "zero_", "ptr", "__array_interface__"):
            raise StateError(f"{self.name}: {WRITE}")
        raise AttributeError(name)

    def __setitem__(self, index, value):
        raise StateError(f"{self.name}: {WRITE}")


class Joined:
    """Base of joined objects: ``parts``, one per engine, whose worlds are ``worlds[k]`` of the scene."""

    def __init__(self, parts: list, worlds: list[np.ndarray], where: str):
        self.__dict__.update(parts=parts, worlds=worlds, where=where)

    def __setattr__(self, name: str, value: Any) -> None:
        raise StateError(f"{self.where}.{name}: {WRITE}")

    def _by_world(self, name: str, values: list[np.ndarray]) -> JoinedArray:
        """Rows of all worlds in their order, padded with 0, or -1 where they are integers."""
        shape = np.max([v.shape[1:] for v in values], axis=0).astype(int)
        count = sum(map(len, self.worlds))
        out = np.full((count, *shape), -1 if values[0].dtype.kind == "i" else 0, values[0].dtype)
        for worlds, value in zip(self.worlds, values, strict=True):
            for world, row in zip(worlds.tolist(), value, strict=True):
                out[(world, *map(slice, row.shape))] = row
        return JoinedArray(f"{self.where}.{name}", out)

    def _alike(self, name: str, values: list) -> Any:
        """Value that is the same in all engines; StateError where it is not."""
        first = values[0]
        plain = [v.numpy() if isinstance(v, wp.array) else v for v in values]
        if all(np.array_equal(plain[0], v) for v in plain[1:]):
            return first
        raise StateError(f"{self.where}.{name}: differs between worlds of several structures; ask solver.groups for it")


class JoinedModel(Joined):
    """Models of several engines: sizes are those of the largest, ``nmesh`` counts different meshes, parameters
    ``[nworld, ...]`` are padded.
    """

    def __getattr__(self, name: str) -> Any:
        values = [getattr(part, name) for part in self.parts]
        if name == "nmesh":
            return len({key for part in self.parts for key in meshes(part.source)})
        if isinstance(values[0], int) and not isinstance(values[0], bool):
            return max(values)
        field = OF_MODEL.get(name)
        if field is not None and field.role == "param" and isinstance(values[0], wp.array):
            return self._by_world(name, [v.numpy() for v in values])
        if isinstance(values[0], wp.array) and values[0].shape[0] == 1 < values[0].ndim:
            rows = [np.repeat(v.numpy(), len(w), axis=0) for v, w in zip(values, self.worlds, strict=True)]
            return self._by_world(name, rows)
        return self._alike(name, values)


class JoinedData(Joined):
    """Data of several engines: arrays ``[nworld, ...]`` are padded, contacts of all worlds stand in one list."""

    def __getattr__(self, name: str) -> Any:
        if name == "contact":
            return JoinedContacts([part.contact for part in self.parts], self.worlds, "mjw_data.contact", self.parts)
        values = [getattr(part, name) for part in self.parts]
        if name == "nworld":
            return sum(values)
        if name in LISTED:
            return JoinedArray(f"{self.where}.{name}", sum(v.numpy() for v in values))
        if name in ("naconmax", "nconmax", "njmax"):
            return sum(values) if name == "naconmax" else max(values)
        if isinstance(values[0], wp.array) and (name in OF_DATA or values[0].shape[0] == len(self.worlds[0])):
            return self._by_world(name, [v.numpy() for v in values])
        return self._alike(name, values)


class JoinedContacts(Joined):
    """Contacts of several engines, one engine's after another's; ``worldid`` is the world of the scene."""

    def __init__(self, parts: list, worlds: list[np.ndarray], where: str, data: list[Data]):
        super().__init__(parts, worlds, where)
        self.__dict__["counts"] = [int(d.nacon.numpy()[0]) for d in data]

    def __getattr__(self, name: str) -> JoinedArray:
        values = [getattr(part, name).numpy()[:n] for part, n in zip(self.parts, self.counts, strict=True)]
        if name == "worldid":
            values = [worlds[v] for worlds, v in zip(self.worlds, values, strict=True)]
        return JoinedArray(f"{self.where}.{name}", np.concatenate(values))


def meshes(m) -> list[bytes]:
    """The meshes of a compiled model, each as what it is made of."""
    corners = np.split(m.mesh_vert, np.cumsum(m.mesh_vertnum)[:-1]) if m.nmesh else []
    return [np.ascontiguousarray(vertices).tobytes() for vertices in corners]


def joined_model(engines: list) -> JoinedModel:
    """The models of a solver's engines as one."""
    return JoinedModel([ShownModel.of(e) for e in engines], [e.worlds for e in engines], "mjw_model")


def joined_data(engines: list) -> JoinedData:
    """The data of a solver's engines as one, as they are now."""
    for engine in engines:
        engine.place()
    return JoinedData([show_data(e) for e in engines], [e.worlds for e in engines], "mjw_data")

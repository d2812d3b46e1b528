"""``MjData``: one world of the engine's data as NumPy arrays under MuJoCo's names."""

import zlib

import numpy as np
import warp as wp

from newtonlite.core.types import cell_shape
from newtonlite.mjwarp.contacts import CONTACT, OPTIONAL, EfcRows
from newtonlite.mjwarp.data import Data, make_data
from newtonlite.mjwarp.model import Model, put_model
from newtonlite.solvers.mujoco.data import FIELDS
from newtonlite.solvers.mujoco.fields import MODEL

COUNTS = ("ncon", "nefc", "ne", "nf", "nl")
CONSTRAINT = ("J", "pos", "margin", "D", "vel", "aref", "frictionloss", "force", "id", "type", "island")


class MjData:
    """State, inputs and results of one world; ``d.qpos`` is ``[nq]``, ``d.xmat`` ``[nbody, 9]``, ``d.efc_force``
    ``[nefc]``.

    On the CPU arrays are views of the engine's float32 ones: write into them. On a GPU they are copies; assign to the
    field instead (``d.qpos = q``). ``MjData(m)`` makes a world of its own, ``MjData.of`` shows one of others.
    """

    def __init__(self, model):
        self._set(model, None, None, 0, None)

    @classmethod
    def of(cls, host, model: Model, data: Data, world: int = 0) -> "MjData":
        """World ``world`` of an engine's data; ``host`` is the model as NumPy."""
        made = object.__new__(cls)
        made._set(host, model, data, world, None)
        return made

    def _set(self, host, model, data, world, print_) -> None:
        self.__dict__.update(model=host, _engine=model, _data=data, _world=world, _print=print_)
        if model is None:
            self._follow()

    def _follow(self) -> None:
        """Put the model on the device, anew where its numbers have changed since; state and inputs stay."""
        if self._print is None and self._data is not None:
            return  # another's: the owner follows it
        print_ = fingerprint(self.model)
        if print_ == self._print:
            return
        old = self._data
        engine = put_model(self.model, device="cpu")
        data = make_data(engine)
        if old is not None:
            for name, array in data.engine.arrays.items():
                if FIELDS[name].role in ("state", "input") and array.shape == old.engine.arrays[name].shape:
                    wp.copy(array, old.engine.arrays[name])
        self.__dict__.update(_engine=engine, _data=data, _print=print_)

    def __getattr__(self, name):
        if name.startswith("_") or "_data" not in self.__dict__:
            raise AttributeError(name)
        if name in COUNTS:
            return int(getattr(self._data, name).numpy()[self._world])
        if name in ("time", "solver_fwdinv"):
            return float(np.ravel(getattr(self._data, name).numpy()[self._world])[0])
        if name.startswith("efc_") and name[4:] in CONSTRAINT:
            rows = getattr(EfcRows(self._data), name[4:]).numpy()[self._world, : self.nefc]
            return rows.reshape(-1) if name == "efc_J" else rows
        return self._array(name)

    def _array(self, name: str) -> np.ndarray:
        value = getattr(self._data, name)
        if not isinstance(value, wp.array):
            return value
        return mujoco_rows(value.numpy()[self._world], value.dtype)

    def __setattr__(self, name, value):
        if name == "time":
            times = self._data.time.numpy().copy()
            times[self._world] = value
            self._data.time.assign(times)
            return
        target = getattr(self._data, name)
        rows = target.numpy().copy()
        rows[self._world] = np.reshape(value, rows[self._world].shape)
        target.assign(rows)

    @property
    def contact(self) -> "HostContacts":
        """The contacts of this world, by number or as arrays: ``d.contact[0].dist``, ``d.contact.geom`` [ncon, 2]."""
        return HostContacts(self._data, self._world, self.ncon)

    def body(self, which) -> "NamedRows":
        """Position and velocity of a body by name or number, as of a geom, site, joint, actuator, tendon or sensor."""
        return NamedRows(self, "body", self.model.body(which).id)

    def geom(self, which) -> "NamedRows":
        """Named rows of a geom, as ``body``."""
        return NamedRows(self, "geom", self.model.geom(which).id)

    def site(self, which) -> "NamedRows":
        """Named rows of a site, as ``body``."""
        return NamedRows(self, "site", self.model.site(which).id)

    def joint(self, which) -> "NamedRows":
        """Named rows of a joint, as ``body``: its ``qpos``, ``qvel``, ``qacc`` and ``qfrc_*``."""
        return NamedRows(self, "joint", self.model.joint(which).id)

    def actuator(self, which) -> "NamedRows":
        """Named rows of an actuator, as ``body``: its ``ctrl``, ``force``, ``length`` and ``velocity``."""
        return NamedRows(self, "actuator", self.model.actuator(which).id)

    def sensor(self, which) -> "NamedRows":
        """Named rows of a sensor, as ``body``: its ``data``."""
        return NamedRows(self, "sensor", self.model.sensor(which).id)

    def __repr__(self):
        return f"<MjData time={self.time:g}, ncon={self.ncon}, nefc={self.nefc}>"


class NamedRows:
    """Named rows of the data: the rows of one object in the arrays over objects of its kind."""

    PREFIX = {"body": "", "geom": "geom_", "site": "site_", "actuator": "actuator_"}

    def __init__(self, data: MjData, kind: str, index: int):
        self._data, self._kind, self.id = data, kind, index

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        d, m, i = self._data, self._data.model, self.id
        if self._kind == "sensor":
            return d.sensordata[int(m.sensor_adr[i]) : int(m.sensor_adr[i] + m.sensor_dim[i])]
        if self._kind == "joint":
            wide = {0: (7, 6), 1: (4, 3)}.get(int(m.jnt_type[i]), (1, 1))
            first, count = (m.jnt_qposadr[i], wide[0]) if name == "qpos" else (m.jnt_dofadr[i], wide[1])
            return getattr(d, name)[int(first) : int(first) + count]
        if self._kind == "actuator" and name == "ctrl":
            return d.ctrl[int(m.actuator_ctrladr[i]) : int(m.actuator_ctrladr[i] + m.actuator_ctrlnum[i])]
        array = getattr(d, self.PREFIX[self._kind] + name)
        return array[i : i + 1] if array.ndim == 1 else array[i]


class HostContacts:
    """Contacts of one world: arrays over all of them, or one by number."""

    def __init__(self, data: Data, world: int, count: int):
        self._data, self._world, self._count = data, world, count

    def __len__(self):
        return self._count

    def __getitem__(self, index: int) -> "HostContact":
        if not -self._count <= index < self._count:
            raise IndexError(f"contact {index}: there are {self._count}")
        return HostContact(self, index % self._count)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ("geom1", "geom2"):
            return self.geom[:, int(name[-1]) - 1]
        if name == "H":
            return np.zeros((self._count, 36))
        if name not in (*CONTACT, *OPTIONAL):
            raise AttributeError(f"contact has no field {name!r}")
        value = getattr(self._data.engine, f"contact_{name}")
        rows = value.numpy()[self._world, : self._count]
        return (
            mujoco_rows(rows, value.dtype)
            if len(rows) == self._count
            else np.zeros((self._count, *rows.shape[1:]), np.float32)
        )


class HostContact:
    """One contact."""

    def __init__(self, contacts: HostContacts, index: int):
        self._contacts, self._index = contacts, index

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._contacts, name)[self._index]


def mujoco_rows(values: np.ndarray, dtype) -> np.ndarray:
    """Values of a world as MuJoCo shapes them: matrices as rows of nine numbers."""
    return values.reshape(len(values), -1) if cell_shape(dtype) and values.ndim > 2 else values


def fingerprint(model) -> int:
    """A number that changes when an array or option of a host model does."""
    found = 0
    for field in MODEL:
        value = getattr(model, field.name, None)
        if value is None and field.name.startswith("opt_"):
            value = getattr(model.opt, field.name[4:], None)
        if value is not None:
            found = zlib.adler32(np.ascontiguousarray(value).tobytes(), found)
    return found

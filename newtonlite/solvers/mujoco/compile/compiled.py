"""``CompiledModel``: one world in MuJoCo's words, as plain NumPy arrays."""

from base64 import b64decode
from difflib import get_close_matches
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.files import read_file
from newtonlite.core.types import cell_shape, scalar_type
from newtonlite.images.texture import pixels
from newtonlite.solvers.mujoco.compile.compiled_fields import FIELDS
from newtonlite.solvers.mujoco.compile.named import NamedAccess
from newtonlite.solvers.mujoco.field_types import CompiledFields


class Section:
    """Named values with a printed form: ``model.opt`` and ``model.stat``."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __repr__(self):
        rows = [f"  {name}: {value}" for name, value in vars(self).items()]
        return "\n".join([f"<{type(self).__name__}", *rows, ">"])


class CompiledOption(Section):
    """``mjOption`` with MuJoCo's defaults; SI units, gravity in m/s^2."""

    def __init__(self, **values):
        super().__init__(**DEFAULT_OPTION)
        self.gravity, self.wind = np.array([0.0, 0.0, -9.81]), np.zeros(3)
        self.magnetic = np.array([0.0, -0.5, 0.0])
        self.__dict__.update(values)


class CompiledStatistic(Section):
    """``mjStatistic`` with MuJoCo's values for an empty model."""

    def __init__(self):
        super().__init__(meaninertia=1.0, meanmass=1.0, meansize=0.2, extent=2.0, center=np.zeros(3))


DEFAULT_OPTION: dict[str, Any] = {
    "timestep": 0.002,
    "impratio": 1.0,
    "tolerance": 1e-8,
    "ls_tolerance": 0.01,
    "noslip_tolerance": 1e-6,
    "ccd_tolerance": 1e-6,
    "sleep_tolerance": 1e-3,
    "density": 0.0,
    "viscosity": 0.0,
    "integrator": 0,
    "cone": 0,
    "jacobian": 2,
    "solver": 2,
    "iterations": 100,
    "ls_iterations": 50,
    "noslip_iterations": 0,
    "ccd_iterations": 35,
    "sdf_iterations": 10,
    "sdf_initpoints": 40,
    "disableflags": 0,
    "enableflags": 0,
    "disableactuator": 0,
}

COUNTS = {
    "nbody": "body",
    "njnt": "joint",
    "ngeom": "geom",
    "nsite": "site",
    "ncam": "camera",
    "nlight": "light",
    "ntendon": "tendon",
    "nu": "actuator",
    "neq": "equality",
    "nkey": "key",
    "npair": "pair",
    "nexclude": "exclude",
    "nsensor": "sensor",
}


def texture_pixels(name: str, values: dict) -> np.ndarray:
    """The bytes of one texture, by its attributes and files."""

    def read(attr: str) -> bytes:
        source = values["sources"][attr]
        return read_file(source["path"], "asset") if "path" in source else b64decode(source["data"])

    size = values["height"] * values["width"] * values["nchannel"]
    if not size or not (values["builtin"] or values.get("sources")):
        return np.zeros(size, np.uint8)
    try:
        found = pixels(values, read)
    except (OSError, ValueError) as problem:
        raise ModelError(
            f"texture '{name}': its pixels cannot be read ({problem}); put the file back, or remove the texture"
        ) from None
    if found.size != size:
        raise ModelError(f"texture '{name}': its file has changed since the model was read; read the model again")
    return found


class CompiledModel(NamedAccess, CompiledFields):
    """A model as the engine takes it: the fields of ``mujoco.MjModel``, same names, shapes and order.

    Reals are float64, integers int32, quaternions (w, x, y, z). ``names_<kind>`` are lists of names;
    ``newton_<kind>`` are, for each body, joint, geom and so on, the index it has in the Newton model (-1: none).
    """

    def __init__(self):
        self.opt = CompiledOption()
        self.stat = CompiledStatistic()
        for count in COUNTS:
            setattr(self, count, 0)
        self.nq = self.nv = self.na = self.nmocap = self.nmesh = self.nhfield = self.ntree = 0

    def set(self, **arrays) -> None:
        """Store arrays as float64, or int32 where they hold integers or booleans. ModelError for names that the table of
        fields does not have (``compile.compiled_fields.FIELDS``).
        """
        for name, value in arrays.items():
            if name not in FIELDS:
                near = get_close_matches(name, FIELDS, 1)
                hint = f"; did you mean '{near[0]}'?" if near else "; add a row to compile/compiled_fields.py"
                raise ModelError(f"compiled model: there is no field '{name}'{hint}")
            array = np.asarray(value)
            setattr(self, name, array.astype(np.int32 if array.dtype.kind in "iub" else np.float64))

    def zeros(self, name: str) -> np.ndarray:
        """A field full of zeros, for one world, by its row in the table of fields."""
        field = FIELDS[name]
        integer = field.dtype is int or scalar_type(field.dtype) is wp.int32
        shape = (*field.shape(vars(self)), *cell_shape(field.dtype))
        return np.zeros(shape, np.int32 if integer else np.float64)

    def rank(self, name: str) -> int:
        """Dimensions of a field of one world."""
        return len((FIELDS[name].dims or "").split()) + len(cell_shape(FIELDS[name].dtype))

    @property
    def tex_data(self) -> np.ndarray:
        """Pixels of all textures, bytes, one after the other; files are read at the first use. ModelError where one has
        gone.
        """
        if "tex_pixels" not in vars(self):
            parts = [
                texture_pixels(name, values) for name, values in zip(self.names_texture, self.tex_source, strict=True)
            ]
            self.tex_pixels = np.concatenate([np.zeros(0, np.uint8), *parts])
        return self.tex_pixels

    def name(self, kind: str, index: int) -> str:
        """Name of one element for messages: ``body 'torso'``, or ``body 3`` where it has none."""
        names = getattr(self, f"names_{kind}", ())
        return f"{kind} '{names[index]}'" if index < len(names) and names[index] else f"{kind} {index}"

    def __repr__(self):
        sizes = ", ".join(
            f"{n}={getattr(self, n)}" for n in ("nq", "nv", "nu", "nbody", "ngeom", "ntendon", "neq", "nkey")
        )
        return f"<CompiledModel {sizes}>"

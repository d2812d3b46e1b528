"""Options of the engine: the solver's argument, else the model's value, else MuJoCo's default."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.solvers.mujoco.compile.compiled import DEFAULT_OPTION, CompiledModel, CompiledOption
from newtonlite.solvers.mujoco.compile.worlds import Worlds

KEYWORDS = {
    "integrator": ("euler", "rk4", "implicit", "implicitfast", "discrete"),
    "solver": ("pgs", "cg", "newton"),
    "cone": ("pyramidal", "elliptic"),
    "jacobian": ("dense", "sparse", "auto"),
}
PER_WORLD = (
    "impratio",
    "tolerance",
    "ls_tolerance",
    "ccd_tolerance",
    "sleep_tolerance",
    "density",
    "viscosity",
    "wind",
    "magnetic",
)
CONTACT_OVERRIDE = {
    "margin": 0.0,
    "solref": (0.02, 1.0),
    "solimp": (0.9, 0.95, 0.001, 0.5, 2.0),
    "friction": (1.0, 1.0, 0.005, 0.0001, 0.0001),
}
"""Contact parameters that replace those of geoms where the flag ``override`` is on."""
DISABLE = """constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart filterparent actuation
    refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd""".split()
ENABLE = "override energy fwdinv invdiscrete sleep diagexact ipc speculative".split()


def compile_options(m: CompiledModel, w: Worlds, given: dict) -> None:
    """Fill ``m.opt``; ``given`` are the solver's keyword arguments, None where not given."""
    m.opt = CompiledOption(integrator=MjtIntegrator.IMPLICITFAST)
    for name in DEFAULT_OPTION:
        if w.has(f"mujoco:{name}"):
            setattr(m.opt, name, one_value(w, name))
    slow = np.atleast_1d(m.opt.sleep_tolerance)
    if np.any(~(slow >= 0.0)):
        world = int(np.argmin(slow >= 0.0))
        raise ModelError(f"model.mujoco.sleep_tolerance: expected at least 0, got {slow[world]} at world {world}")
    for name in ("wind", "magnetic"):
        if w.has(f"mujoco:{name}"):
            setattr(m.opt, name, world_value(w, f"mujoco:{name}"))
    for name, default in CONTACT_OVERRIDE.items():
        setattr(
            m.opt,
            f"o_{name}",
            np.array(w.first(f"mujoco:o_{name}")[0] if w.has(f"mujoco:o_{name}") else default, float),
        )
    m.opt.gravity = gravity(w)
    m.opt.disableactuator = groups_off(w)
    m.opt.disableflags, m.opt.enableflags = flags(w)
    for name, value in given.items():
        if value is not None:
            setattr(m.opt, name, keyword(name, value))


def authored_statistics(m: CompiledModel, w: Worlds) -> None:
    """Statistics that a file sets take the place of the computed ones."""
    for name in ("meaninertia", "meanmass", "meansize", "extent", "center"):
        if w.has(f"mujoco:stat_{name}"):
            value = w.first(f"mujoco:stat_{name}")[0].astype(float)
            if not np.isnan(value).any():
                setattr(m.stat, name, value if value.ndim else float(value))


def one_value(w: Worlds, name: str):
    """An option of the model: a number for all worlds, or an array [nworld] where they differ."""
    value = world_value(w, f"mujoco:{name}")
    if np.ndim(value):
        return value
    return type(DEFAULT_OPTION[name])(value)


def world_value(w: Worlds, name: str):
    """A value of frequency WORLD or ONCE without its axis of length one."""
    value = w.get(name).astype(float)
    one_world = value.shape[0] == 1 and w.count == 1 or value.ndim == w.first(name).ndim
    return value[0] if one_world else value[:, 0]


def gravity(w: Worlds) -> np.ndarray:
    """Gravity [3], or [nworld, 3] where worlds differ, in m/s^2."""
    values = w.model.gravity.numpy().astype(float)
    values = values[[0]] if w.worlds is None else values[w.worlds]
    return values[0] if (values == values[:1]).all() else values


def flags(w: Worlds) -> tuple[int, int]:
    """``disableflags`` and ``enableflags`` from the model's ``flag_*`` switches."""
    names = lambda table, on: sum(1 << k for k, name in enumerate(table) if switch(w, name, on) is not on)
    return names(DISABLE, True), names(ENABLE, False)


def groups_off(w: Worlds) -> int:
    """Bits of the groups of actuators that are switched off."""
    return int(w.first("mujoco:actuator_group_disabled")[0]) if w.has("mujoco:actuator_group_disabled") else 0


def switch(w: Worlds, name: str, default: bool) -> bool:
    """One ``flag_*`` of the model."""
    key = "mujoco:enable_sleeping" if name == "sleep" else f"mujoco:flag_{name}"
    return bool(w.first(key)[0]) if w.has(key) else default


def keyword(name: str, value):
    """An option given by number or by name; ModelError for a name that does not exist."""
    words = KEYWORDS.get(name, ())
    if not isinstance(value, str):
        if words and value not in range(len(words)):
            raise ModelError(f"{name}={value!r}: unknown; use one of {', '.join(words)}, or their numbers from 0")
        return np.asarray(value, float) if name in ("wind", "magnetic") else value
    if value.lower() not in words:
        raise ModelError(f"{name}={value!r}: unknown; use one of {', '.join(words)}")
    return words.index(value.lower())

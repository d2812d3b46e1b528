"""Arguments of SolverMuJoCo: engine options, choices of how it runs, and those that are refused."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtDisableBit, MjtEnableBit

DISABLE = {"disable_contacts": "contact", "disable_sensors": "sensor"}
OPTIONS = """iterations ls_iterations ccd_iterations sdf_iterations sdf_initpoints solver integrator cone jacobian impratio
    tolerance ls_tolerance ccd_tolerance sleep_tolerance density viscosity wind magnetic""".split()

ONLY = {"use_speculative_contacts": (False,)}
"""Arguments of Newton's solver with the values that this one takes."""

HINTS: dict[str, str] = {}


def check_only(given: dict) -> None:
    """Raise ModelError for an argument whose value asks for something that is not supported."""
    for name, allowed in ONLY.items():
        value = given[name]
        if not any(value is a or (value == a and type(value) is type(a)) for a in allowed):
            hint = f" ({HINTS[name]})" if name in HINTS else ""
            raise ModelError(f"SolverMuJoCo: {name}={value!r} is not supported; leave it at {allowed[0]!r}{hint}")


def multiccd(m, asked: bool | None) -> bool:
    """Whether pairs of convex geoms may have several contacts; written into the compiled model's flags where it was
    ``asked`` for.
    """
    if asked is not None:
        m.opt.disableflags = m.opt.disableflags & ~MjtDisableBit.MULTICCD | MjtDisableBit.MULTICCD * (not asked)
    return not m.opt.disableflags & MjtDisableBit.MULTICCD


def set_sleeping(m, asked: bool | None) -> None:
    """Let trees of a compiled model sleep, or not, where that was ``asked`` for."""
    if asked is not None:
        m.opt.enableflags = m.opt.enableflags & ~MjtEnableBit.SLEEP | MjtEnableBit.SLEEP * bool(asked)


def check_numbers(given: dict) -> None:
    """Raise ModelError for option values that make no sense."""
    interval = given.get("update_data_interval")
    if interval is not None and (not isinstance(interval, int) or isinstance(interval, bool) or interval < 0):
        raise ModelError(f"SolverMuJoCo: update_data_interval={interval!r}; expected a number of steps, or 0 for never")
    for name in ("iterations", "ls_iterations", "njmax_nnz", "nvmax"):
        value = given.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise ModelError(f"SolverMuJoCo: {name}={value!r}; expected a positive integer")
    for name in ("tolerance", "ls_tolerance", "sleep_tolerance", "impratio"):
        value = given.get(name)
        real = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if value is not None and not (real and (value >= 0 if name != "impratio" else value > 0)):
            raise ModelError(
                f"SolverMuJoCo: {name}={value!r}; expected a {'positive' if name == 'impratio' else 'non-negative'} number"
            )

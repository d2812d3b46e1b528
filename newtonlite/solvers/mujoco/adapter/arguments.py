"""Arguments of SolverMuJoCo: engine options, choices of how it runs, and those that are refused."""

import numpy as np

from newtonlite.core.errors import ModelError, WrongTypeError
from newtonlite.core.mujoco import MjtDisableBit, MjtEnableBit, MjtSleepPolicy, MjtSolver

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
        if value is None:
            continue
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or value < 1:
            raise (ModelError if whole else WrongTypeError)(
                f"SolverMuJoCo: {name}={value!r}; expected a positive integer"
            )
    for name in ("tolerance", "ls_tolerance", "sleep_tolerance", "impratio"):
        value = given.get(name)
        real = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if value is not None and not (real and (value >= 0 if name != "impratio" else value > 0)):
            raise ModelError(
                f"SolverMuJoCo: {name}={value!r}; expected a {'positive' if name == 'impratio' else 'non-negative'} number"
            )
    for name in ("wind", "magnetic"):
        if given.get(name) is not None and np.shape(given[name]) != (3,):
            raise WrongTypeError(f"SolverMuJoCo: {name}={given[name]!r}; expected three numbers")


def check_together(given: dict) -> None:
    """Raise ModelError for arguments that each make sense and contradict each other, or a switch that is no bool."""
    sleeping = given["enable_sleeping"]
    if sleeping is not None and not isinstance(sleeping, bool | np.bool_):
        raise WrongTypeError(f"SolverMuJoCo: enable_sleeping={sleeping!r}; expected True, False or None")
    if sleeping and given["use_mujoco_cpu"]:
        raise ModelError(
            "SolverMuJoCo: enable_sleeping with use_mujoco_cpu, which nothing sleeps with; give one of them"
        )
    if given["use_mujoco_cpu"] and not (given["use_mujoco_contacts"] or given["disable_contacts"]):
        raise ModelError("SolverMuJoCo: use_mujoco_cpu finds its own contacts; leave use_mujoco_contacts at True")


def check_sleeping(m, asked: bool | None, own_contacts: bool, nvmax: int | None) -> None:
    """Raise ModelError where trees of a compiled model may sleep and something is set that never wakes them, or
    ``nvmax`` leaves no room for those that are awake at the start. What Newton rules out is an error where sleep is
    ``asked`` for here; a file that has both goes as in MuJoCo.
    """
    if not m.opt.enableflags & MjtEnableBit.SLEEP:
        if nvmax is not None:
            raise ModelError(
                f"SolverMuJoCo: nvmax={nvmax} without sleeping; leave it out, or pass enable_sleeping=True"
            )
        return
    wrong = {
        "use_mujoco_contacts=False, whose contacts wake nobody": not own_contacts,
        "the flag island switched off": bool(asked and m.opt.disableflags & MjtDisableBit.ISLAND),
        "solver='cg'; take solver='newton'": bool(asked and m.opt.solver != MjtSolver.NEWTON),
    }
    for what, found in wrong.items():
        if found:
            raise ModelError(f"SolverMuJoCo: enable_sleeping does not go with {what}")
    awake = int(m.tree_dofnum[m.tree_sleep_policy != MjtSleepPolicy.INIT].sum())
    if nvmax is not None and not awake <= nvmax <= m.nv:
        raise ModelError(
            f"SolverMuJoCo: nvmax={nvmax}; expected at least the {awake} degrees of freedom that are awake at the "
            f"start, and at most the model's {m.nv}"
        )

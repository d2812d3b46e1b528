"""The keyword arguments of SolverMuJoCo: which are options, which choose how it runs, which are refused."""

from newtonlite.core.errors import ModelError

DISABLE = {"disable_contacts": "contact", "disable_sensors": "sensor"}
OPTIONS = """iterations ls_iterations ccd_iterations sdf_iterations sdf_initpoints solver integrator cone jacobian impratio
    tolerance ls_tolerance ccd_tolerance sleep_tolerance density viscosity wind magnetic""".split()

ONLY = {
    "njmax_nnz": (None,),
    "use_mujoco_cpu": (False,),
    "enable_multiccd": (None, False),
    "enable_sleeping": (None, False),
    "nvmax": (None,),
    "update_data_interval": (None, 1),
    "save_to_mjcf": (None,),
    "use_mujoco_contacts": (True,),
    "use_speculative_contacts": (False,),
}
"""Arguments of Newton's solver with the values that this one takes."""

HINTS = {
    "use_mujoco_cpu": "the engine runs on the CPU when the model lives there: finalize(device='cpu')",
    "update_data_interval": "the state is read in every step",
    "use_mujoco_contacts": "the solver finds the contacts itself",
    "save_to_mjcf": "writing MJCF is not supported",
}


def check_only(given: dict) -> None:
    """Raise ModelError for an argument whose value asks for something that is not supported."""
    for name, allowed in ONLY.items():
        value = given[name]
        if not any(value is a or (value == a and type(value) is type(a)) for a in allowed):
            hint = f" ({HINTS[name]})" if name in HINTS else ""
            raise ModelError(f"SolverMuJoCo: {name}={value!r} is not supported; leave it at {allowed[0]!r}{hint}")


def check_numbers(given: dict) -> None:
    """Raise ModelError for option values that make no sense."""
    for name in ("iterations", "ls_iterations"):
        value = given.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise ModelError(f"SolverMuJoCo: {name}={value!r}; expected a positive integer")
    for name in ("tolerance", "ls_tolerance", "impratio"):
        value = given.get(name)
        if value is not None and not (value >= 0 if name != "impratio" else value > 0):
            raise ModelError(f"SolverMuJoCo: {name}={value!r}; expected a {'positive' if name == 'impratio' else 'non-negative'} number")

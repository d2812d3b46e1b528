"""Bindings: which attribute of a scene gives which field of the engine, once, for the compiler and for
``notify_model_changed``.

Each file has a part of the model: the plain rows (``BINDS``), the derived ones (``DERIVED``: formulas, whose one text gives
the NumPy and the kernel form, and a few with both forms side by side), and the numbers whose change alters the engine's
lists (``WATCHES``). The compiler fills a model by
the rows of its sections; the tables here are what a notification goes through.
"""

from newtonlite.solvers.mujoco.bindings import actuator, body, equality, flex, geom, joint, option, tendon
from newtonlite.solvers.mujoco.bindings.table import Bind, Derived, Watch

__all__ = ["BINDS", "DERIVED", "READ", "WATCHES", "Bind", "Derived", "Watch"]

BINDS = (
    *joint.BINDS,
    *body.BINDS,
    *geom.BINDS,
    *geom.SITES,
    *geom.PAIRS,
    *equality.BINDS,
    *equality.LIVE,
    *tendon.BINDS,
    *flex.BINDS,
    *actuator.BINDS,
    actuator.RATIO,
    *option.SENSORS,
)
DERIVED = (
    *body.DERIVED,
    *joint.DERIVED,
    *geom.DERIVED,
    *geom.OF_SITES,
    *actuator.DERIVED,
    *equality.DERIVED,
    *tendon.DERIVED,
    *flex.DERIVED,
)
WATCHES = (
    *joint.WATCHES,
    *body.WATCHES,
    *geom.WATCHES,
    *tendon.WATCHES,
    *flex.WATCHES,
    *actuator.WATCHES,
    *option.WATCHES,
)
READ = {name for row in DERIVED for name in row.sources} | {
    name for row in (*BINDS, option.GRAVITY) for name in (row.attribute, row.plus)
}
"""Attributes that are followed."""

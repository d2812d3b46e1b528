"""Flexes: contacts, radius, damping, springs of edges, places of vertices and nodes in their bodies."""

from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.solvers.mujoco.bindings.table import Bind, Watch, named
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import NONZERO

F = "mujoco:flex_"
SHAPES = Flag.SHAPE_PROPERTIES

COUNTED = "contype conaffinity condim priority selfcollide activelayers passive flatskin group"
"""Numbers that decide which contacts there are, or how it is drawn; they are read once."""
NUMBERS = "solmix solref solimp friction margin gap radius damping edgestiffness edgedamping"
STRUCTURE = (*named(f"{COUNTED} rgba", "newton_flex", 0, "flex_", F),)
BINDS = (
    *named(NUMBERS, "newton_flex", SHAPES, "flex_", F),
    Bind("flex_vert", F + "vert_pos", "newton_flexvert", SHAPES),
    Bind("flex_node", F + "node_pos", "newton_flexnode", SHAPES),
)
DERIVED = ()
WATCHES = (Watch(F + "edgestiffness", NONZERO), Watch(F + "edgedamping", NONZERO))

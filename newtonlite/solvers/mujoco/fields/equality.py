"""Equality constraints."""

import warp as wp

from newtonlite.core.field import Field as F
from newtonlite.core.types import vec5

vec2, vec2i = wp.vec2, wp.vec2i

MODEL = (
    F("neq", int, None, "equality constraints", "size"),
    F("eq_type", int, "neq", "mjtEq", "index"),
    F("eq_nrow", int, "neq", "rows: 3, 6 or 1; 0 where nothing could move", "index"),
    F("eq_body", vec2i, "neq", "bodies that a connect or weld ties", "index"),
    F("eq_pair", vec2i, "neq", "sites of a connect or weld, -1: bodies; joints or tendons, second -1: none", "index"),
    F("eq_posed", int, "neq", "1: its relative pose follows from the reference coordinates", "index"),
    F(
        "eq_data",
        float,
        "neq 12",
        "anchors, relative orientation, torque scale, whether compiled; or polynomial",
        "param",
    ),
    F("eq_active0", int, "neq", "1: holds from the start", "param"),
    F("eq_solref", vec2, "neq", "solref of the constraint", "param"),
    F("eq_solimp", vec5, "neq", "solimp of the constraint", "param"),
)

DATA = (
    F("eq_active", int, "neq", "1: holds", "input"),
    F("eq_efc_address", int, "neq", "first row, -1: none", "scratch"),
)

"""Tendons."""

import warp as wp

from newtonlite.core.field import Field as F

vec2 = wp.vec2

MODEL = (
    F("ntendon", int, None, "tendons", "size"),
    F("tendon_adr", int, "ntendon", "first wrap object", "index"),
    F("tendon_num", int, "ntendon", "wrap objects", "index"),
    F("wrap_dofadr", int, "nwrap", "dof of the joint", "index"),
    F("wrap_qposadr", int, "nwrap", "coordinate of the joint", "index"),
    F("wrap_prm", float, "nwrap", "coefficient", "param"),
    F("tendon_stiffness", float, "ntendon", "", "param"),
    F("tendon_damping", float, "ntendon", "", "param"),
    F("tendon_lengthspring", vec2, "ntendon", "dead band of the spring [m]", "param"),
)

DATA = (
    F("ten_length", float, "ntendon", "[m or rad]", "scratch"),
    F("ten_velocity", float, "ntendon", "", "scratch"),
    F("ten_force", float, "ntendon", "passive and actuator force along the tendon", "scratch"),
)

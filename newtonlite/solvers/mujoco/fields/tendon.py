"""Tendons."""

import warp as wp

from newtonlite.core.field import Field as F
from newtonlite.core.types import vec5

vec2, vec3, vec2i = wp.vec2, wp.vec3, wp.vec2i

MODEL = (
    F("ntendon", int, None, "tendons", "size"),
    F("nspatial", int, None, "tendons that are strings in space", "size"),
    F("nwrap", int, None, "joints, sites, geoms and pulleys on all paths", "size"),
    F("ntenfriction", int, None, "tendons with dry friction", "size"),
    F("keepzero", int, None, "1: rows stay where no dof moves what they measure", "size"),
    F("ntenlimit", int, None, "tendons with limits", "size"),
    F("friction_tendon", int, "ntenfriction", "tendons with dry friction", "index"),
    F("limit_tendon", int, "ntenlimit", "tendons with limits", "index"),
    F("tendon_adr", int, "ntendon", "first wrap object", "index"),
    F("tendon_num", int, "ntendon", "wrap objects", "index"),
    F("tendon_spatial", int, "ntendon", "1: a string in space, 0: a sum of joint coordinates", "index"),
    F("tendon_block", vec2i, "ntendon", "first and last+1 block of 16 columns of its Jacobian", "index"),
    F("wrap_type", int, "nwrap", "mjtWrap", "index"),
    F("wrap_objid", int, "nwrap", "joint, site or geom", "index"),
    F("wrap_bodyid", int, "nwrap", "its body", "index"),
    F("wrap_dofadr", int, "nwrap", "dof of the joint", "index"),
    F("wrap_qposadr", int, "nwrap", "coordinate of the joint", "index"),
    F(
        "wrap_prm",
        float,
        "nwrap",
        "coefficient of a joint, divisor of a pulley, side site of a geom (-1: none)",
        "param",
    ),
    F("tendon_stiffness", float, "ntendon", "spring stiffness [N/m, N m/rad]", "param"),
    F(
        "tendon_stiffnesspoly",
        vec2,
        "ntendon",
        "growth of the stiffness with the stretch, and with its square",
        "param",
    ),
    F("tendon_damping", float, "ntendon", "damping [N s/m, N m s/rad]", "param"),
    F("tendon_dampingpoly", vec2, "ntendon", "growth of the damping with the speed, and with its square", "param"),
    F("tendon_lengthspring", vec2, "ntendon", "dead band of the spring [m]", "param"),
    F("tendon_slack", int, "ntendon", "1: the dead band is the length in the springs' reference pose", "index"),
    F("tendon_springyield", float, "ntendon", "stretch at which the spring yields [m]", "param"),
    F("tendon_plasticadr", int, "ntendon", "dead band of a spring that yields, in plastic; -1: it does not", "index"),
    F("tendon_dofadr", int, "nsparsetendon1", "first dof of each tendon in tendon_dof, where rows are sparse", "index"),
    F("tendon_dof", int, "ntendondof", "dofs that move each tendon, where rows are sparse", "index"),
    F("tendon_armature", float, "ntendon", "inertia against changes of length", "param"),
    F("tendon_frictionloss", float, "ntendon", "bound of dry friction", "param"),
    F("tendon_range", vec2, "ntendon", "limits of the length", "param"),
    F("tendon_margin", float, "ntendon", "distance at which a limit acts", "param"),
    F("tendon_length0", float, "ntendon", "length at qpos0", "param"),
    F("tendon_invweight0", float, "ntendon", "inverse of the inertia felt along it at qpos0", "param"),
    F("tendon_solref_lim", vec2, "ntendon", "of the limits", "param"),
    F("tendon_solimp_lim", vec5, "ntendon", "of the limits", "param"),
    F("tendon_solref_fri", vec2, "ntendon", "of dry friction", "param"),
    F("tendon_solimp_fri", vec5, "ntendon", "of dry friction", "param"),
)

DATA = (
    F("ten_length", float, "ntendon", "[m or rad]", "scratch"),
    F("wrap_length", float, "nwrap", "length of the string on the geom, -1: it does not touch it [m]", "scratch"),
    F("wrap_first", vec3, "nwrap", "where the string comes to the geom [m]", "scratch"),
    F("wrap_last", vec3, "nwrap", "where it leaves it [m]", "scratch"),
    F(
        "ten_J",
        float,
        "ntenJrow ntenJcol",
        "change of the length with each dof; sparse, with those that move it",
        "scratch",
    ),
    F("ten_velocity", float, "ntendon", "velocity of the tendon [m/s, rad/s]", "scratch"),
    F("ten_spring", float, "ntendon", "spring force along the tendon", "scratch"),
    F("ten_damper", float, "ntendon", "damper force along the tendon", "scratch"),
    F("ten_bias", float, "ntendon", "force that its inertia asks for at qacc = 0", "scratch"),
)

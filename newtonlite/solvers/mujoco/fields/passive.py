"""Passive force fields: polynomial and yielding springs, fluid."""

import warp as wp

from newtonlite.core.field import Field as F

vec2, vec3, spatial = wp.vec2, wp.vec3, wp.spatial_vector

MODEL = (
    F("opt_density", float, "", "of the fluid [kg/m^3]", "param"),
    F("opt_viscosity", float, "", "of the fluid [Pa s]", "param"),
    F("opt_wind", vec3, "", "velocity of the fluid [m/s]", "param"),
    F("npoly", int, None, "higher coefficients of stiffness and damping that are not 0", "size"),
    F("nplastic", int, None, "coordinates of springs that yield", "size"),
    F("nfluid", int, None, "bodies the fluid acts on; 0 without density and viscosity", "size"),
    F("nenergy", int, None, "1 where energies are computed", "size"),
    F("jnt_stiffnesspoly", vec2, "njnt", "stiffness per displacement and per displacement squared", "param"),
    F("jnt_springyield", float, "njnt", "displacement at which a spring yields [rad or m]", "param"),
    F("jnt_plasticadr", int, "njnt", "rest pose of a spring that yields, in plastic; -1: it does not", "index"),
    F("plastic0", float, "nplastic", "rest poses to begin with", "param"),
    F("dof_dampingpoly", vec2, "nv", "damping per speed and per speed squared", "param"),
    F(
        "geom_fluid",
        float,
        "ngeom 12",
        "interaction; drag: blunt, slender, angular; lift: Kutta, Magnus; virtual mass, inertia",
        "param",
    ),
    F("fluid_body", int, "nfluid", "bodies the fluid acts on", "index"),
    F(
        "fluid_adr",
        int,
        "nfluid1",
        "first ellipsoid of each of them in fluid_geom; none: a box of its inertia",
        "index",
    ),
    F("fluid_geom", int, "nfluidgeom", "geoms that the fluid takes for ellipsoids", "index"),
)

DATA = (
    F("plastic", float, "nplastic", "rest poses of springs that yield", "state"),
    F("energy", vec2, "", "potential and kinetic [J]", "output"),
    F("qfrc_spring", float, "nvp", "springs", "scratch"),
    F("qfrc_damper", float, "nvp", "dampers", "scratch"),
    F("qfrc_gravcomp", float, "nvp", "gravity compensation", "scratch"),
    F("qfrc_fluid", float, "nvp", "drag and lift", "scratch"),
    F("qfrc_adhesion", float, "nvp", "pull of contacts that stick", "scratch"),
    F(
        "cfrc_applied",
        spatial,
        "nouter",
        "torque and force from outside on a body, then on its subtree, about its tree's centre of mass",
        "scratch",
    ),
)

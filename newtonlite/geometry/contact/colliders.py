"""Colliders: the function that collides each pair of shape types, and Warp functions that choose among them.

The narrow phase of a step, distance sensors, ``NarrowPhase`` and Newton's functions of values are all made of this
table. A pair of convex shapes that it lacks takes GJK and EPA (``convex/pair.py``).
"""

from collections.abc import Iterable
from typing import Any, NamedTuple  # noqa: F401 - Any is a word of the generated functions

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.box import box_box
from newtonlite.geometry.contact.capsule import capsule_capsule
from newtonlite.geometry.contact.capsule_box import capsule_box
from newtonlite.geometry.contact.hits import Hits, z_axis  # noqa: F401 - words of the generated functions
from newtonlite.geometry.contact.plane import (
    plane_barrel,
    plane_box,
    plane_capsule,
    plane_cone,
    plane_cylinder,
    plane_ellipsoid,
    plane_sphere,
)
from newtonlite.geometry.contact.sphere import sphere_barrel, sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere
from newtonlite.geometry.dispatch import switch
from newtonlite.geometry.kinds import BARREL, CONE


class Collider(NamedTuple):
    """Row of the table: two types, the lower first, a function, the words of its arguments (``argument``) between the
    hits and the cutoff, and the size of a model that is 0 where it has no such pairs.
    """

    types: tuple[int, int]
    function: wp.Function
    arguments: str
    feature: str = ""


COLLIDERS = (
    Collider((MjtGeom.PLANE, MjtGeom.SPHERE), plane_sphere, "pos1 axis1 pos2 radius2"),
    Collider((MjtGeom.PLANE, MjtGeom.CAPSULE), plane_capsule, "pos1 axis1 pos2 axis2 radius2 half2"),
    Collider((MjtGeom.PLANE, MjtGeom.ELLIPSOID), plane_ellipsoid, "pos1 axis1 pos2 mat2 size2", "nroundpair"),
    Collider((MjtGeom.PLANE, MjtGeom.CYLINDER), plane_cylinder, "pos1 axis1 pos2 mat2 radius2 half2", "nroundpair"),
    Collider((MjtGeom.PLANE, MjtGeom.BOX), plane_box, "pos1 axis1 pos2 mat2 size2"),
    Collider((MjtGeom.PLANE, CONE), plane_cone, "pos1 axis1 pos2 mat2 radius2 half2"),
    Collider((MjtGeom.PLANE, BARREL), plane_barrel, "pos1 axis1 pos2 mat2 size2"),
    Collider((MjtGeom.SPHERE, MjtGeom.SPHERE), sphere_sphere, "first pos1 radius1 pos2 radius2 across"),
    Collider((MjtGeom.SPHERE, MjtGeom.CAPSULE), sphere_capsule, "pos1 axis1 radius1 pos2 axis2 radius2 half2"),
    Collider(
        (MjtGeom.SPHERE, MjtGeom.CYLINDER), sphere_cylinder, "pos1 axis1 radius1 pos2 axis2 radius2 half2", "nroundpair"
    ),
    Collider((MjtGeom.SPHERE, MjtGeom.BOX), sphere_box, "pos1 radius1 pos2 mat2 size2", "nboxpair"),
    Collider((MjtGeom.SPHERE, BARREL), sphere_barrel, "pos1 radius1 pos2 mat2 size2"),
    Collider((MjtGeom.CAPSULE, MjtGeom.CAPSULE), capsule_capsule, "pos1 axis1 radius1 half1 pos2 axis2 radius2 half2"),
    Collider((MjtGeom.CAPSULE, MjtGeom.BOX), capsule_box, "pos1 axis1 radius1 half1 pos2 mat2 size2", "nboxpair"),
    Collider((MjtGeom.BOX, MjtGeom.BOX), box_box, "pos1 mat1 size1 pos2 mat2 size2", "nboxpair"),
)

ANALYTIC = tuple(row for row in COLLIDERS if max(row.types) <= MjtGeom.BOX)
"""Rows of MuJoCo's types."""

MEASURED = tuple(row for row in ANALYTIC if row.function is not box_box)
"""Rows that give the nearest points of two shapes that are apart."""

WORDS = {"axis": "z_axis(mat{})", "radius": "size{}[0]", "half": "size{}[1]"}
BOTH = {"first": "0", "across": "wp.cross(z_axis(mat1), z_axis(mat2))"}


def argument(word: str) -> str:
    """An argument in Warp's Python: ``pos1``, ``mat1`` and ``size1`` are names, the others are parts of them; ``first``
    is the number of the first hit, ``across`` the normal where centres coincide.
    """
    name, which = word.rstrip("12"), word[-1]
    return BOTH.get(word) or WORDS.get(name, name + "{}").format(which)


PARAMETERS = (
    "hits: Hits, kind1: int, pos1: wp.vec3, mat1: wp.mat33, size1: wp.vec3, "
    "kind2: int, pos2: wp.vec3, mat2: wp.mat33, size2: wp.vec3, cutoff: float"
)


def pair_switch(name: str, doc: str, rows: Iterable[Collider], features: Iterable[str] = (), missing: int = 0):
    """A Warp function that calls the collider of a pair of shapes, the lower type first, and returns how many hits that
    left, or ``missing``. With ``features``, sizes of its first parameter ``m``, rows of those that a model lacks are left
    out of its kernels.
    """
    cases = []
    for row in rows:
        condition = "kind1 == {} and kind2 == {}".format(*map(int, row.types))
        if row.feature in features:
            condition = f"m.{row.feature} > 0 and {condition}"
        arguments = ["hits", *map(argument, row.arguments.split()), "cutoff"]
        cases.append((condition, f"{row.function.key}({', '.join(arguments)})"))
    head = f"{name}({'m: Any, ' if features else ''}{PARAMETERS}) -> int"
    return switch(head, doc, cases, str(missing), globals(), [row.function for row in rows])


collide_geoms = pair_switch(
    "collide_geoms", "Hits of two geoms in a step.", ANALYTIC, features=("nboxpair", "nroundpair")
)
measure_geoms = pair_switch(
    "measure_geoms", "Hits of two geoms that hold their nearest points.", MEASURED, features=("nroundpair",)
)
collide_primitives = pair_switch(
    "collide_primitives", "Hits of two primitives; -1 where they have no collider.", COLLIDERS, missing=-1
)


def pair_bits(rows: Iterable[Collider]) -> wp.int64:
    """A bit for each pair of MuJoCo's types among ``rows``, for ``has_pair``."""
    return wp.constant(wp.int64(sum(1 << 8 * row.types[0] + row.types[1] for row in rows)))


@wp.func
def has_pair(bits: wp.int64, type1: int, type2: int) -> bool:
    """Whether a pair of types, from plane to mesh, the lower first, is among the rows of ``pair_bits``."""
    return ((bits >> wp.int64(8 * type1 + type2)) & wp.int64(1)) != wp.int64(0)

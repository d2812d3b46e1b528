"""Collision by itself: geoms placed by the poses of a scene's bodies, contacts listed as a collision pipeline lists them."""

from typing import Any

import warp as wp

from newtonlite.collide.owner import owner_of
from newtonlite.collide.room import NOBODY, Offer
from newtonlite.collide.rows import Rows
from newtonlite.math.quaternion import quat_mul, quat_rotate, quat_to_mat
from newtonlite.solvers.mujoco.enums import CAPSULE, SPHERE
from newtonlite.solvers.mujoco.kernels.convert.push import to_wxyz
from newtonlite.solvers.mujoco.kernels.team import sync


@wp.func
def place_geoms(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Frames of the geoms of one world from ``State.body_q``."""
    for g in range(lane, m.ngeom, nlane):
        link = d.link_of_body[world, m.geom_bodyid[g]]
        X = wp.transform_identity()
        if link >= 0:
            X = d.in_body_q[world, link]
        turn = to_wxyz(wp.transform_get_rotation(X))
        d.geom_xpos[world, g] = wp.transform_get_translation(X) + quat_rotate(turn, m.geom_pos[world, g])
        d.geom_xmat[world, g] = quat_to_mat(quat_mul(turn, m.geom_quat[world, g]))
    sync()


@wp.struct
class Detected:
    """What the engine found in all worlds, and what it found it with."""

    ncon: wp.array(dtype=int)
    needed: wp.array(dtype=int)  # [nworld] contacts that there are, listed or not
    near: wp.array(dtype=int)  # [nworld] near pairs that there are
    nearmax: int
    dist: wp.array2d(dtype=float)
    pos: wp.array2d(dtype=wp.vec3)
    frame: wp.array2d(dtype=wp.mat33)
    geom: wp.array2d(dtype=wp.vec2i)
    geom_type: wp.array(dtype=int)
    geom_size: wp.array2d(dtype=wp.vec3)
    geom_margin: wp.array2d(dtype=float)
    shape_of_geom: wp.array2d(dtype=int)
    shape_body: wp.array(dtype=int)
    body_q: wp.array(dtype=wp.transformf)


@wp.func
def core_radius(found: Detected, world: int, geom: int) -> float:
    """How far the surface is from the point or segment that a sphere or capsule is a rounding of [m]; 0 for other shapes."""
    kind = found.geom_type[geom]
    return wp.where(kind == SPHERE or kind == CAPSULE, found.geom_size[wp.min(world, found.geom_size.shape[0] - 1), geom][0], 0.0)


@wp.func
def frame_of(found: Detected, shape: int) -> wp.transformf:
    """Pose of a shape's body; that of the world is the identity."""
    body = found.shape_body[shape]
    X = wp.transform_identity()
    if body >= 0:
        X = found.body_q[body]
    return X


@wp.kernel(enable_backward=False)
def offer_detected(found: Detected, owner: wp.array(dtype=int), o: Offer, lost: wp.array2d(dtype=int)):
    """Offer contact ``c`` of a world as entry ``world nconmax + c``. Those that the engine had no room for are added to the first column of
    ``lost``, near pairs to the last."""
    world, c = wp.tid()
    at = world * found.dist.shape[1] + c
    o.world[at] = NOBODY
    if c < found.ncon[world]:
        geoms = found.geom[world, c]
        o.value[at] = found.dist[world, c]
        o.world[at] = owner_of(owner, found.shape_of_geom[world, geoms[0]], found.shape_of_geom[world, geoms[1]])
    if c == 0:
        # worlds that share one of the engine's count in the last row
        row = wp.where(found.ncon.shape[0] == 1, lost.shape[0] - 1, world)
        last = lost.shape[1] - 1
        lost[row, 0] = lost[row, 0] + found.needed[world] - found.ncon[world]
        lost[row, last] = lost[row, last] + wp.max(found.near[world] - found.nearmax, 0)


@wp.kernel(enable_backward=False)
def list_detected(found: Detected, o: Offer, rows: Rows):
    """The row of contact ``c`` of a world, if it stays.

    ``point`` is on the core of a sphere or capsule, else on the surface, in the body's frame; ``margin`` is how far the surface rounded by
    the shape's margin is from it, ``offset`` the way there along the normal, in the body's frame.
    """
    world, c = wp.tid()
    at = world * found.dist.shape[1] + c
    if o.stays[at] == 0:
        return
    row = o.slot[at]
    geoms = found.geom[world, c]
    frame = found.frame[world, c]
    normal = wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
    half = 0.5 * found.dist[world, c]
    copy = wp.min(world, found.geom_margin.shape[0] - 1)
    shape0 = found.shape_of_geom[world, geoms[0]]
    shape1 = found.shape_of_geom[world, geoms[1]]
    radius0 = core_radius(found, world, geoms[0])
    radius1 = core_radius(found, world, geoms[1])
    margin0 = radius0 + found.geom_margin[copy, geoms[0]]
    margin1 = radius1 + found.geom_margin[copy, geoms[1]]
    to0 = wp.transform_inverse(frame_of(found, shape0))
    to1 = wp.transform_inverse(frame_of(found, shape1))
    rows.shape0[row] = shape0
    rows.shape1[row] = shape1
    rows.point0[row] = wp.transform_point(to0, found.pos[world, c] - (half + radius0) * normal)
    rows.point1[row] = wp.transform_point(to1, found.pos[world, c] + (half + radius1) * normal)
    rows.offset0[row] = wp.transform_vector(to0, margin0 * normal)
    rows.offset1[row] = wp.transform_vector(to1, -margin1 * normal)
    rows.normal[row] = normal
    rows.margin0[row] = margin0
    rows.margin1[row] = margin1
    rows.force[row] = wp.vec3()

"""Standalone collision: geoms placed by the poses of a scene's bodies, contacts listed as a collision pipeline lists
them.
"""

import warp as wp

from newtonlite.collide.contact_budget import NO_WORLD, Offer
from newtonlite.collide.contact_rows import ContactRows, Side, write_row
from newtonlite.collide.speculative import Approach, is_expected
from newtonlite.collide.world_of_pair import owner_of
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom
from newtonlite.math.quaternion import quat_mul, quat_rotate, quat_to_mat
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.state_io.push import to_wxyz

kernel_module(__name__)


@wp.func
def place_geoms(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
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
    """Contacts that the engine found in all worlds, and the geoms, shapes and poses they belong to."""

    ncon: wp.array[int]
    needed: wp.array[int]  # [nworld] contacts that there are, listed or not
    near: wp.array[int]  # [nworld] near pairs that there are
    nbpmax: int
    dist: wp.array2d[float]
    pos: wp.array2d[wp.vec3]
    frame: wp.array2d[wp.mat33]
    geom: wp.array2d[wp.vec2i]
    geom_type: wp.array[int]
    geom_size: wp.array2d[wp.vec3]
    geom_margin: wp.array2d[float]
    shape_of_geom: wp.array2d[int]
    shape_body: wp.array[int]
    body_q: wp.array[wp.transformf]


@wp.func
def side(found: Detected, world: int, geom: int) -> Side:
    """A geom as a side of a contact; the core of a sphere or capsule is the point or segment that it is a rounding of."""
    out = Side()
    out.shape = found.shape_of_geom[world, geom]
    body = found.shape_body[out.shape]
    X = wp.transform_identity()
    if body >= 0:
        X = found.body_q[body]
    out.to_body = wp.transform_inverse(X)
    kind = found.geom_type[geom]
    out.core = wp.where(
        kind == MjtGeom.SPHERE or kind == MjtGeom.CAPSULE,
        found.geom_size[wp.min(world, found.geom_size.shape[0] - 1), geom][0],
        0.0,
    )
    out.margin = out.core + found.geom_margin[wp.min(world, found.geom_margin.shape[0] - 1), geom]
    return out


@wp.kernel(enable_backward=False)
def offer_detected(found: Detected, ahead: Approach, owner: wp.array[int], o: Offer, lost: wp.array2d[int]):
    """Offer contact ``c`` of a world as entry ``world nconmax + c``. Those that the engine had no room for are added to
    the first column of ``lost``, near pairs to the last.
    """
    world, c = wp.tid()
    at = world * found.dist.shape[1] + c
    o.world[at] = NO_WORLD
    if c < found.ncon[world]:
        geoms = found.geom[world, c]
        one = found.shape_of_geom[world, geoms[0]]
        other = found.shape_of_geom[world, geoms[1]]
        frame = found.frame[world, c]
        normal = wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
        k = wp.min(world, found.geom_margin.shape[0] - 1)
        apart = found.dist[world, c] - found.geom_margin[k, geoms[0]] - found.geom_margin[k, geoms[1]]
        if is_expected(ahead, one, other, found.pos[world, c], normal, apart):
            o.value[at] = found.dist[world, c]
            o.world[at] = owner_of(owner, one, other)
    if c == 0:
        # worlds that share one of the engine's count in the last row
        row = wp.where(found.ncon.shape[0] == 1, lost.shape[0] - 1, world)
        last = lost.shape[1] - 1
        lost[row, 0] = lost[row, 0] + found.needed[world] - found.ncon[world]
        lost[row, last] = lost[row, last] + wp.max(found.near[world] - found.nbpmax, 0)


@wp.kernel(enable_backward=False)
def list_detected(found: Detected, o: Offer, rows: ContactRows):
    """The row of contact ``c`` of a world, if it stays.

    ``point`` is on the core of a sphere or capsule, else on the surface, in the body's frame; ``margin`` is how far the
    surface rounded by the shape's margin is from it, ``offset`` the way there along the normal, in the body's frame.
    """
    world, c = wp.tid()
    at = world * found.dist.shape[1] + c
    if o.stays[at] == 0:
        return
    row = o.slot[at]
    geoms = found.geom[world, c]
    frame = found.frame[world, c]
    normal = wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
    write_row(
        rows,
        row,
        side(found, world, geoms[0]),
        side(found, world, geoms[1]),
        found.pos[world, c],
        normal,
        found.dist[world, c],
    )

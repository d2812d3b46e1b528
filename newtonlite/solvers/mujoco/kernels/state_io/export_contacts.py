"""Contact export: the contacts of the last step as one flat list over all worlds, worlds in order."""

import warp as wp

from newtonlite.collide.contact_rows import ContactRows
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtCone
from newtonlite.core.types import vec5
from newtonlite.math.quaternion import quat_conj, quat_rotate

kernel_module(__name__)


@wp.func
def contact_force(
    efc_force: wp.array2d[float], friction: vec5, world: int, row: int, dim: int, cone: int, k: int
) -> float:
    """Component ``k`` of a contact's force in its own frame: normal, two tangents [N], then torques [N m]."""
    if dim == 1 or cone == MjtCone.ELLIPTIC:
        return wp.where(k < dim, efc_force[world, row + wp.min(k, dim - 1)], 0.0)
    total = float(0.0)
    if k == 0:
        for i in range(2 * (dim - 1)):
            total += efc_force[world, row + i]
    elif k < dim:
        total = (efc_force[world, row + 2 * (k - 1)] - efc_force[world, row + 2 * (k - 1) + 1]) * friction[k - 1]
    return total


@wp.struct
class EngineContacts:
    """The engine's contacts of all worlds, under MuJoCo's names."""

    ncon: wp.array[int]
    start: wp.array[int]  # [nworld] contacts in the worlds before
    dist: wp.array2d[float]
    pos: wp.array2d[wp.vec3]
    frame: wp.array2d[wp.mat33]
    friction: wp.array2d[vec5]
    dim: wp.array2d[int]
    geom: wp.array2d[wp.vec2i]
    efc_address: wp.array2d[int]
    efc_force: wp.array2d[float]
    xpos: wp.array2d[wp.vec3]
    xquat: wp.array2d[wp.quat]  # w, x, y, z
    geom_bodyid: wp.array[int]
    cone: int


@wp.struct
class ShapesOfGeoms:
    """Tables that turn geoms into shapes."""

    shape_of_geom: wp.array2d[int]  # [nworld, ngeom]
    shape_body: wp.array[int]
    shape_margin: wp.array[float]
    body_com: wp.array[wp.vec3]


@wp.func
def in_body(found: EngineContacts, world: int, geom: int, point: wp.vec3) -> wp.vec3:
    """A point of the world in the frame of a geom's body, as it was when the contact was found."""
    body = found.geom_bodyid[geom]
    return quat_rotate(quat_conj(found.xquat[world, body]), point - found.xpos[world, body])


@wp.func
def wrench_of(found: EngineContacts, scene: ShapesOfGeoms, world: int, c: int, shape: int) -> wp.spatial_vector:
    """Force and torque of contact ``c`` on the body of its first shape, at its centre of mass (the world's origin for
    the world).
    """
    address = found.efc_address[world, c]
    if address < 0:
        return wp.spatial_vector()
    dim = found.dim[world, c]
    friction = found.friction[world, c]
    local = wp.vec3()
    twist = wp.vec3()
    for k in range(3):
        local[k] = contact_force(found.efc_force, friction, world, address, dim, found.cone, k)
        twist[k] = contact_force(found.efc_force, friction, world, address, dim, found.cone, k + 3)
    out = wp.transpose(found.frame[world, c])
    linear = -(out * local)
    com = wp.vec3()
    link = scene.shape_body[shape]
    if link >= 0:
        body = found.geom_bodyid[found.geom[world, c][0]]
        com = found.xpos[world, body] + quat_rotate(found.xquat[world, body], scene.body_com[link])
    return wp.spatial_vector(linear, wp.cross(found.pos[world, c] - com, linear) - out * twist)


@wp.kernel(enable_backward=False)
def list_contacts(found: EngineContacts, scene: ShapesOfGeoms, rows: ContactRows, force: wp.array[wp.spatial_vector]):
    """Row ``start[world] + c`` from contact ``c`` of a world; ``force`` acts on the first shape's body, at its centre
    of mass.

    Materials are those of the shapes: rows keep no stiffness, damping or friction of their own from before.
    """
    world, c = wp.tid()
    if c >= found.ncon[world]:
        return
    row = found.start[world] + c
    if row >= rows.shape0.shape[0]:
        return
    geoms = found.geom[world, c]
    if geoms[0] < 0 or geoms[1] < 0:
        # a soft body is no shape: a row without shapes, which nothing reads
        rows.shape0[row] = -1
        rows.shape1[row] = -1
        rows.normal[row] = wp.vec3()
        rows.force[row] = wp.vec3()
        if force:
            force[row] = wp.spatial_vector()
        return
    shape0 = scene.shape_of_geom[world, geoms[0]]
    shape1 = scene.shape_of_geom[world, geoms[1]]
    frame = found.frame[world, c]
    normal = wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
    pos = found.pos[world, c]
    half = 0.5 * found.dist[world, c]
    rows.shape0[row] = shape0
    rows.shape1[row] = shape1
    rows.point0[row] = in_body(found, world, geoms[0], pos - half * normal)
    rows.point1[row] = in_body(found, world, geoms[1], pos + half * normal)
    body0 = found.xquat[world, found.geom_bodyid[geoms[0]]]
    body1 = found.xquat[world, found.geom_bodyid[geoms[1]]]
    rows.offset0[row] = quat_rotate(quat_conj(body0), scene.shape_margin[shape0] * normal)
    rows.offset1[row] = quat_rotate(quat_conj(body1), -scene.shape_margin[shape1] * normal)
    rows.normal[row] = normal
    rows.margin0[row] = scene.shape_margin[shape0]
    rows.margin1[row] = scene.shape_margin[shape1]
    if rows.stiffness:
        rows.stiffness[row] = 0.0
        rows.damping[row] = 0.0
        rows.friction[row] = 0.0
    wrench = wrench_of(found, scene, world, c, shape0)
    rows.force[row] = wp.spatial_top(wrench)
    if force:
        force[row] = wrench


@wp.kernel(enable_backward=False)
def count_contacts(ncon: wp.array[int], start: wp.array[int], most: int, count: wp.array[int]):
    """Length of the list: all contacts, as far as they fit."""
    last = ncon.shape[0] - 1
    count[0] = wp.min(start[last] + ncon[last], most)


@wp.kernel(enable_backward=False)
def force_of_given(
    found: EngineContacts,
    scene: ShapesOfGeoms,
    rows: ContactRows,
    force: wp.array[wp.spatial_vector],
    count: wp.array[int],
    world_of_shape: wp.array[int],
    slot: wp.array[int],
    clear: bool,
):
    """Force of the contact that row ``row`` of the caller's list became, on the body of its first shape, at its centre
    of mass.

    Rows that became none get no force where ``clear`` is set, else they stay as they are.
    """
    row = wp.tid()
    if not clear and (row >= count[0] or slot[row] < 0):
        return
    linear = wp.vec3()
    wrench = wp.spatial_vector()
    if row < count[0] and slot[row] >= 0:
        shape0 = rows.shape0[row]
        world = wp.max(wp.max(world_of_shape[shape0], world_of_shape[rows.shape1[row]]), 0)
        wrench = wrench_of(found, scene, world, slot[row], shape0)
        linear = wp.spatial_top(wrench)
    rows.force[row] = linear
    if force:
        force[row] = wrench

"""Jacobians of points, of centres of mass, and their rates, for all worlds at once: ``[nworld, 3, nv]`` in world
coordinates.
"""

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.spatial import cross_motion

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def place_points(
    ids: wp.array[int], owner: wp.array[int], pos: wp.array2d[wp.vec3], point: wp.array[wp.vec3], body: wp.array[int]
):
    """Position of the chosen object of each world, and its body."""
    world = wp.tid()
    i = ids[world]
    point[world] = pos[world, i]
    body[world] = i
    if owner.shape[0] > 0:
        body[world] = owner[i]


@wp.kernel(enable_backward=False)
def of_point(
    chain_adr: wp.array[int],
    chain_dof: wp.array[int],
    rootid: wp.array[int],
    com: wp.array2d[wp.vec3],
    cdof: wp.array2d[wp.spatial_vector],
    point: wp.array[wp.vec3],
    body: wp.array[int],
    jacp: wp.array3d[float],
    jacr: wp.array3d[float],
):
    """Motion of a point of a body per unit of speed of the k-th dof of its chain."""
    world, k = wp.tid()
    b = body[world]
    if chain_adr[b] + k >= chain_adr[b + 1]:
        return
    i = chain_dof[chain_adr[b] + k]
    turn = wp.spatial_top(cdof[world, i])
    move = wp.spatial_bottom(cdof[world, i]) + wp.cross(turn, point[world] - com[world, rootid[b]])
    for c in range(3):
        if jacp.shape[0] > 0:
            jacp[world, c, i] = move[c]
        if jacr.shape[0] > 0:
            jacr[world, c, i] = turn[c]


@wp.kernel(enable_backward=False)
def of_subtree(
    nbody: int,
    parent: wp.array[int],
    chain_adr: wp.array[int],
    chain_dof: wp.array[int],
    rootid: wp.array[int],
    mass: wp.array2d[float],
    total: wp.array2d[float],
    com: wp.array2d[wp.vec3],
    ipos: wp.array2d[wp.vec3],
    cdof: wp.array2d[wp.spatial_vector],
    body: wp.array[int],
    jacp: wp.array3d[float],
):
    """Mean over a subtree, by mass, of the motion of its bodies' centres of mass per unit of speed of a dof."""
    world, i = wp.tid()
    top = body[world]
    row = world % mass.shape[0]
    sum = wp.vec3(0.0, 0.0, 0.0)
    turn = wp.spatial_top(cdof[world, i])
    for b in range(top, nbody):
        a = int(b)
        while a > top:
            a = parent[a]
        if a == top:
            for k in range(chain_adr[b], chain_adr[b + 1]):
                if chain_dof[k] == i:
                    arm = ipos[world, b] - com[world, rootid[b]]
                    sum += mass[row, b] * (wp.spatial_bottom(cdof[world, i]) + wp.cross(turn, arm))
    weight = total[world % total.shape[0], top]
    for c in range(3):
        if weight > 0.0:
            jacp[world, c, i] = sum[c] / weight
        else:
            jacp[world, c, i] = 0.0


@wp.func
def axis_rate(
    jntadr: wp.array[int],
    parent: wp.array[int],
    jnt_type: wp.array[int],
    dofadr: wp.array[int],
    jntid: wp.array[int],
    bodyid: wp.array[int],
    cvel: wp.array2d[wp.spatial_vector],
    cdof: wp.array2d[wp.spatial_vector],
    qvel: wp.array2d[float],
    world: int,
    i: int,
) -> wp.spatial_vector:
    """Rate of the axis of dof ``i``: it is carried by what moves before its joint, that of a turning joint also by the
    joint itself.
    """
    b = bodyid[i]
    v = cvel[world, parent[b]]
    for j in range(jntadr[b], jntid[i] + 1):
        kind = jnt_type[j]
        first = dofadr[j]
        count = int(1)
        if kind == MjtJoint.FREE:
            count = 6
        elif kind == MjtJoint.BALL:
            count = 3
        if j < jntid[i] or kind == MjtJoint.BALL or (kind == MjtJoint.FREE and i >= first + 3):
            for k in range(first, first + count):
                v += cdof[world, k] * qvel[world, k]
    if jnt_type[jntid[i]] == MjtJoint.FREE and i < dofadr[jntid[i]] + 3:
        return wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return cross_motion(v, cdof[world, i])


@wp.kernel(enable_backward=False)
def of_point_rate(
    chain_adr: wp.array[int],
    chain_dof: wp.array[int],
    rootid: wp.array[int],
    jntadr: wp.array[int],
    parent: wp.array[int],
    jnt_type: wp.array[int],
    dofadr: wp.array[int],
    jntid: wp.array[int],
    bodyid: wp.array[int],
    com: wp.array2d[wp.vec3],
    cvel: wp.array2d[wp.spatial_vector],
    cdof: wp.array2d[wp.spatial_vector],
    qvel: wp.array2d[float],
    point: wp.array[wp.vec3],
    body: wp.array[int],
    jacp: wp.array3d[float],
    jacr: wp.array3d[float],
):
    """Rate of the motion of a point of a body per unit of speed of the k-th dof of its chain."""
    world, k = wp.tid()
    b = body[world]
    if chain_adr[b] + k >= chain_adr[b + 1]:
        return
    i = chain_dof[chain_adr[b] + k]
    arm = point[world] - com[world, rootid[b]]
    v = cvel[world, b]
    rate = axis_rate(jntadr, parent, jnt_type, dofadr, jntid, bodyid, cvel, cdof, qvel, world, i)
    speed = wp.spatial_bottom(v) + wp.cross(wp.spatial_top(v), arm)
    turn = wp.spatial_top(rate)
    move = wp.spatial_bottom(rate) + wp.cross(turn, arm) + wp.cross(wp.spatial_top(cdof[world, i]), speed)
    for c in range(3):
        if jacp.shape[0] > 0:
            jacp[world, c, i] = move[c]
        if jacr.shape[0] > 0:
            jacr[world, c, i] = turn[c]


def jac(m, d, jacp: wp.array | None, jacr: wp.array | None, point: wp.array, body: wp.array) -> None:
    """Jacobians of the position (``jacp``) and rotation (``jacr``) of a point fixed to a body.

    ``point [nworld]`` (vec3, world frame) and ``body [nworld]`` choose it. Needs ``kinematics`` and ``com_pos``. Raises
    StateError for arrays of other shapes.
    """
    inputs = [m.chain_adr, m.chain_dof, m.body_rootid, d.subtree_com, d.cdof, point, body]
    _launch(of_point, m, d, inputs, jacp, jacr)


def jac_dot(m, d, jacp: wp.array | None, jacr: wp.array | None, point: wp.array, body: wp.array) -> None:
    """Rates of the Jacobians of ``jac``, the point moving with its body. Needs ``com_vel`` as well."""
    inputs = [
        m.chain_adr,
        m.chain_dof,
        m.body_rootid,
        m.body_jntadr,
        m.body_parentid,
        m.jnt_type,
        m.jnt_dofadr,
        m.dof_jntid,
        m.dof_bodyid,
        d.subtree_com,
        d.cvel,
        d.cdof,
        d.qvel,
        point,
        body,
    ]
    _launch(of_point_rate, m, d, inputs, jacp, jacr)


def jac_body(m, d, jacp: wp.array | None, jacr: wp.array | None, body) -> None:
    """``jac`` of the origin of a body: one for all worlds, or ``[nworld]``."""
    jac(m, d, jacp, jacr, *_points(m, d, body, m.nbody, "body", None, d.xpos))


def jac_body_com(m, d, jacp: wp.array | None, jacr: wp.array | None, body) -> None:
    """``jac`` of the centre of mass of a body."""
    jac(m, d, jacp, jacr, *_points(m, d, body, m.nbody, "body", None, d.xipos))


def jac_geom(m, d, jacp: wp.array | None, jacr: wp.array | None, geom) -> None:
    """``jac`` of the centre of a geom."""
    jac(m, d, jacp, jacr, *_points(m, d, geom, m.ngeom, "geom", m.geom_bodyid, d.geom_xpos))


def jac_site(m, d, jacp: wp.array | None, jacr: wp.array | None, site) -> None:
    """``jac`` of a site."""
    jac(m, d, jacp, jacr, *_points(m, d, site, m.nsite, "site", m.site_bodyid, d.site_xpos))


def jac_subtree_com(m, d, jacp: wp.array, body) -> None:
    """Jacobian of the centre of mass of a body and all below it."""
    body = _chosen(m, d, body, m.nbody, "body")
    _check(m, d, jacp=jacp)
    inputs = [
        m.nbody,
        m.body_parentid,
        m.chain_adr,
        m.chain_dof,
        m.body_rootid,
        m.body_mass,
        m.body_subtreemass,
        d.subtree_com,
        d.xipos,
        d.cdof,
        body,
    ]
    wp.launch(of_subtree, (d.nworld, m.nv), [*inputs, jacp], device=m.device)


def _launch(kernel, m, d, inputs: list, jacp, jacr) -> None:
    """Clear the arrays that are given and fill them."""
    _check(m, d, jacp=jacp, jacr=jacr)
    none = wp.empty((0, 0, 0), dtype=float, device=m.device)
    found = [none if a is None else a for a in (jacp, jacr)]
    for array in found:
        array.zero_()
    if m.nv:
        wp.launch(kernel, (d.nworld, m.nv), [*inputs, *found], device=m.device)


def _check(m, d, **arrays) -> None:
    for name, array in arrays.items():
        if array is not None and array.shape != (d.nworld, 3, m.nv):
            raise StateError(f"{name}: expected shape ({d.nworld}, 3, {m.nv}), got {array.shape}")


def _chosen(m, d, ids, count: int, what: str) -> wp.array:
    """One object per world."""
    if isinstance(ids, wp.array):
        if ids.shape != (d.nworld,):
            raise StateError(f"{what}: expected a number, or an array with shape ({d.nworld},), got {ids.shape}")
        return ids
    if not 0 <= int(ids) < count:
        raise StateError(f"{what}={ids}: the model has {count}")
    return wp.full(d.nworld, int(ids), dtype=int, device=m.device)


def _points(m, d, ids, count: int, what: str, owner, pos: wp.array) -> tuple[wp.array, wp.array]:
    """Points and bodies of the chosen objects."""
    ids = _chosen(m, d, ids, count, what)
    point, body = wp.zeros(d.nworld, dtype=wp.vec3, device=m.device), wp.zeros(d.nworld, dtype=int, device=m.device)
    owner = wp.empty(0, dtype=int, device=m.device) if owner is None else owner
    wp.launch(place_points, d.nworld, [ids, owner, pos, point, body], device=m.device)
    return point, body

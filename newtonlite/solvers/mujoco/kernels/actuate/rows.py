"""Moment rows of outputs that act between sites, at contacts, or rotate a body: lengths and gradients."""

import warp as wp

from newtonlite.core.mujoco import MjtTrn
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_to_rotvec
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import is_flex_side
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at


@wp.func
def is_ancestor(m: ModelFields, i: int, j: int) -> bool:
    """Whether dof ``j`` is an ancestor of ``i`` or itself; where rows are sparse the table has those of one tree alone."""
    if m.nsparse > 0:
        if m.dof_treeid[i] != m.dof_treeid[j]:
            return False
    return m.dof_ancestor[i, j] != 0.0


@wp.func
def moves(m: ModelFields, b: int, i: int) -> bool:
    """Whether dof ``i`` moves body ``b``."""
    end = m.chain_adr[b + 1]
    if end == m.chain_adr[b]:
        return False
    return is_ancestor(m, m.chain_dof[end - 1], i)


@wp.func
def point_column(m: ModelFields, d: DataFields, world: int, b: int, point: wp.vec3, i: int) -> wp.spatial_vector:
    """(linear, angular) velocity of a point of body ``b`` per speed of dof ``i``."""
    if moves(m, b, i):
        s = d.cdof[world, i]
        return wp.spatial_vector(linear_at(s, lever(m, d, world, b, point)), wp.spatial_top(s))
    return wp.spatial_vector()


@wp.func
def site_column(m: ModelFields, d: DataFields, world: int, s: int, i: int) -> wp.spatial_vector:
    """(linear, angular) velocity of a site per speed of dof ``i``; nothing for no site."""
    if s < 0:
        return wp.spatial_vector()
    return point_column(m, d, world, m.site_bodyid[s], d.site_xpos[world, s], i)


@wp.func
def relative_column(m: ModelFields, d: DataFields, world: int, s: int, ref: int, i: int) -> wp.spatial_vector:
    """Motion of a site less that of its reference; dofs that carry both do not count."""
    if ref >= 0 and moves(m, m.site_bodyid[s], i) and moves(m, m.site_bodyid[ref], i):
        return wp.spatial_vector()
    return site_column(m, d, world, s, i) - site_column(m, d, world, ref, i)


@wp.func
def site_quat(m: ModelFields, d: DataFields, world: int, s: int):
    """Orientation of a site."""
    return quat_mul(d.xquat[world, m.site_bodyid[s]], m.site_quat[world, s])


@wp.func
def site_rotation(m: ModelFields, d: DataFields, world: int, s: int, ref: int) -> wp.vec3:
    """Rotation vector from the reference site to the site."""
    return quat_to_rotvec(quat_mul(quat_conj(site_quat(m, d, world, ref)), site_quat(m, d, world, s)))


@wp.func
def site_row(m: ModelFields, d: DataFields, world: int, o: int, s: int, ref: int, lane: int, nlane: int) -> float:
    """A force and torque at a site, along the axes of the reference where there is one; its length is the pose
    difference.
    """
    gear = m.actuator_gear[world, o]
    frame = s
    length = float(0.0)
    if ref >= 0:
        frame = ref
        apart = wp.transpose(d.site_xmat[world, ref]) * (d.site_xpos[world, s] - d.site_xpos[world, ref])
        length = wp.dot(apart, wp.spatial_top(gear)) + wp.dot(
            site_rotation(m, d, world, s, ref), wp.spatial_bottom(gear)
        )
    axes = d.site_xmat[world, frame]
    wrench = wp.spatial_vector(axes * wp.spatial_top(gear), axes * wp.spatial_bottom(gear))
    row = m.out_momentrow[o]
    for i in range(lane, m.nv, nlane):
        d.actuator_moment[world, row, i] = wp.dot(wrench, relative_column(m, d, world, s, ref, i))
    return length


@wp.func
def crank_row(
    m: ModelFields, d: DataFields, world: int, o: int, crank: int, slider: int, lane: int, nlane: int
) -> float:
    """Slider-crank: position of the slider along its axis ``a`` at the end of a rod from the crank's pin.

    With ``v`` from slider site to pin, ``l = a.v - sqrt((a.v)^2 + rod^2 - v.v)``; a rod that is too short is a point on
    the axis.
    """
    rod = m.actuator_cranklength[world, m.out_actuator[o]]
    gear = m.actuator_gear[world, o][0]
    axes = d.site_xmat[world, slider]
    axis = wp.vec3(axes[0, 2], axes[1, 2], axes[2, 2])
    v = d.site_xpos[world, crank] - d.site_xpos[world, slider]
    along = wp.dot(axis, v)
    det = along * along + rod * rod - wp.dot(v, v)
    length = along
    by_v = axis
    by_axis = v
    if det > 0.0:
        root = wp.sqrt(det)
        length = along - root
        share = 1.0 - along / root
        by_v = axis * share + v / root
        by_axis = v * share
    row = m.out_momentrow[o]
    for i in range(lane, m.nv, nlane):
        base = site_column(m, d, world, slider, i)
        pin = site_column(m, d, world, crank, i)
        turning = wp.cross(wp.spatial_bottom(base), axis)
        arm = wp.dot(by_axis, turning) + wp.dot(by_v, wp.spatial_top(pin) - wp.spatial_top(base))
        d.actuator_moment[world, row, i] = arm * gear
    return length * gear


@wp.func
def contact_row(m: ModelFields, d: DataFields, world: int, o: int, b: int, lane: int, nlane: int) -> float:
    """Adhesion: pulls along the normals of all contacts of body ``b``, shared equally; it has no length. Flexes do not
    stick, as in MuJoCo.
    """
    row = m.out_momentrow[o]
    for i in range(lane, m.nv, nlane):
        total = float(0.0)
        count = float(0.0)
        for c in range(d.ncon[world]):
            b1 = int(-1)
            b2 = int(-1)
            if not is_flex_side(m, d, world, c, 1):
                b1 = m.geom_bodyid[d.contact_geom[world, c][0]]
                b2 = m.geom_bodyid[d.contact_geom[world, c][1]]
            if b1 == b or b2 == b:
                frame = d.contact_frame[world, c]
                normal = wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
                point = d.contact_pos[world, c]
                second = wp.spatial_top(point_column(m, d, world, b2, point, i))
                first = wp.spatial_top(point_column(m, d, world, b1, point, i))
                total += wp.dot(normal, second - first)
                count += 1.0
        d.actuator_moment[world, row, i] = -total / wp.max(count, 1.0)
    return 0.0


@wp.func
def rotation_row(m: ModelFields, d: DataFields, world: int, o: int, lane: int, nlane: int) -> float:
    """One of the three outputs of an orientation servo: component of the rotation vector, and of the angular velocity
    in the child.
    """
    u = m.out_actuator[o]
    k = o - m.actuator_outadr[u]
    target = m.actuator_trnid[u][0]
    ref = m.actuator_trnid[u][1]
    row = m.out_momentrow[o]
    for i in range(lane, m.nv, nlane):
        arm = wp.where(i - m.push_dof[m.push_adr[o]] == k, 1.0, 0.0)
        if ref >= 0:
            axes = d.site_xmat[world, target]
            axis = wp.vec3(axes[0, k], axes[1, k], axes[2, k])
            arm = wp.dot(axis, wp.spatial_bottom(relative_column(m, d, world, target, ref, i)))
        d.actuator_moment[world, row, i] = arm
    if ref >= 0:
        return site_rotation(m, d, world, target, ref)[k]
    return quat_to_rotvec(read_quat(m, d, world, m.jnt_qposadr[target]))[k]


@wp.func
def moment_row(m: ModelFields, d: DataFields, world: int, o: int, lane: int, nlane: int) -> float:
    """Fill the moment row of output ``o`` and return its length; all lanes together."""
    u = m.out_actuator[o]
    kind = m.actuator_trntype[u]
    target = m.actuator_trnid[u][0]
    other = m.actuator_trnid[u][1]
    length = float(0.0)
    if kind == MjtTrn.SITE:
        length = site_row(m, d, world, o, target, other, lane, nlane)
    elif kind == MjtTrn.SLIDERCRANK:
        length = crank_row(m, d, world, o, target, other, lane, nlane)
    elif kind == MjtTrn.BODY:
        length = contact_row(m, d, world, o, target, lane, nlane)
    elif kind == MjtTrn.SO3:
        length = rotation_row(m, d, world, o, lane, nlane)
    return length

"""Velocity sensors."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtDisableBit, MjtSensor
from newtonlite.math.spatial import inertia_mul
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane, sync
from newtonlite.solvers.mujoco.kernels.primitives.tree_sums import add_forces_to_parents
from newtonlite.solvers.mujoco.kernels.sense.objects import object_mat, object_pos, object_velocity
from newtonlite.solvers.mujoco.kernels.sense.position import limit_row_of
from newtonlite.solvers.mujoco.kernels.sense.write import one, put_all, several, three


@wp.func
def subtree_momentum(m: ModelFields, d: DataFields, world: int, b: int):
    """``P = sum m v`` and ``L = sum I w + r x m v`` of the subtree of ``b``, from its own and its children's.

    ``subtree_linvel`` is P over the mass; L is about the subtree's centre of mass.
    """
    com = d.subtree_com[world, b]
    v = d.cvel[world, b]
    arm = lever(m, d, world, b, d.xipos[world, b])
    own = linear_at(v, arm)
    p = m.body_mass[world, b] * own
    for k in range(m.child_adr[b], m.child_adr[b + 1]):
        c = m.child_body[k]
        p += m.body_subtreemass[world, c] * d.subtree_linvel[world, c]
    mean = p / wp.max(m.body_subtreemass[world, b], MINVAL)
    axes = d.ximat[world, b]
    spin = axes * wp.cw_mul(m.body_inertia[world, b], wp.transpose(axes) * wp.spatial_top(v))
    spin += m.body_mass[world, b] * wp.cross(d.xipos[world, b] - com, own - mean)
    for k in range(m.child_adr[b], m.child_adr[b + 1]):
        c = m.child_body[k]
        apart = wp.cross(d.subtree_com[world, c] - com, d.subtree_linvel[world, c] - mean)
        spin += d.subtree_angmom[world, c] + m.body_subtreemass[world, c] * apart
    d.subtree_linvel[world, b] = mean
    d.subtree_angmom[world, b] = spin


@wp.func
def momenta_by_team(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The same of all bodies but the world's: momenta about the trees' centres of mass, ``I v``, added up to the roots
    in ``cfrc``, which bias forces no longer need.
    """
    for b in range(1 + lane, m.nbody, nlane):
        d.cfrc[world, b] = inertia_mul(d.cinert[world, b], d.cvel[world, b])
    sync()
    add_forces_to_parents(m.body_parentid, m.child_adr, m.child_body, d.cfrc, world, lane, nlane)
    sync()
    for b in range(1 + lane, m.nbody, nlane):
        p = wp.spatial_bottom(d.cfrc[world, b])
        arm = lever(m, d, world, b, d.subtree_com[world, b])
        d.subtree_linvel[world, b] = p / wp.max(m.body_subtreemass[world, b], MINVAL)
        d.subtree_angmom[world, b] = wp.spatial_top(d.cfrc[world, b]) - wp.cross(arm, p)
    sync()


@wp.func
def subtree_vel(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Velocity of the centre of mass, and angular momentum about it, of every subtree; leaves first."""
    if m.nsubtreevel > 0:
        if one_lane():
            for k in range(m.nlevel):
                level = m.nlevel - 1 - k
                for i in range(m.level_adr[level], m.level_adr[level + 1]):
                    subtree_momentum(m, d, world, m.level_body[i])
        else:
            momenta_by_team(m, d, world, lane, nlane)
        if lane == 0:
            subtree_momentum(m, d, world, 0)
        sync()


@wp.func
def relative_velocity(m: ModelFields, d: DataFields, world: int, s: int) -> wp.vec4:
    """Linear or angular velocity of an object, as seen in the frame of another where one is given."""
    kind = m.sensor_type[s]
    type1 = m.sensor_objtype[s]
    id1 = m.sensor_objid[s]
    type2 = m.sensor_reftype[s]
    id2 = m.sensor_refid[s]
    v = object_velocity(m, d, world, type1, id1)
    if id2 >= 0:
        frame = object_velocity(m, d, world, type2, id2)
        apart = object_pos(m, d, world, type1, id1) - object_pos(m, d, world, type2, id2)
        turn = wp.transpose(object_mat(m, d, world, type2, id2))
        w = wp.spatial_top(frame)
        slide = wp.spatial_bottom(v) - wp.spatial_bottom(frame) - wp.cross(w, apart)
        v = wp.spatial_vector(turn * (wp.spatial_top(v) - w), turn * slide)
    if kind == MjtSensor.FRAMEANGVEL:
        return three(wp.spatial_top(v))
    return three(wp.spatial_bottom(v))


@wp.func
def limit_speed(d: DataFields, world: int, id: int, tendon: bool) -> float:
    """Speed at which a limit is left [m/s or rad/s]; 0 where it does not act."""
    r = limit_row_of(d, world, id, tendon)
    if r < 0:
        return 0.0
    return d.efc_vel[world, r]


@wp.func
def velocity_values(m: ModelFields, d: DataFields, world: int, s: int) -> wp.vec4:
    """Values of a sensor of velocities."""
    kind = m.sensor_type[s]
    id = m.sensor_objid[s]
    value = wp.vec4(0.0, 0.0, 0.0, 0.0)
    if kind == MjtSensor.JOINTVEL:
        value = one(d.qvel[world, m.jnt_dofadr[id]])
    elif kind == MjtSensor.FRAMELINVEL or kind == MjtSensor.FRAMEANGVEL:
        value = relative_velocity(m, d, world, s)
    elif kind == MjtSensor.GYRO or kind == MjtSensor.VELOCIMETER:
        v = object_velocity(m, d, world, m.sensor_objtype[s], id)
        u = wp.spatial_bottom(v)
        if kind == MjtSensor.GYRO:
            u = wp.spatial_top(v)
        value = three(wp.transpose(d.site_xmat[world, id]) * u)
    elif kind == MjtSensor.TENDONVEL:
        value = one(d.ten_velocity[world, id])
    elif kind == MjtSensor.ACTUATORVEL:
        value = several(d.actuator_velocity, world, m.sense_out[s], m.sensor_dim[s])
    elif kind == MjtSensor.BALLANGVEL:
        value = several(d.qvel, world, m.jnt_dofadr[id], 3)
    elif kind == MjtSensor.JOINTLIMITVEL:
        value = one(limit_speed(d, world, id, False))
    elif kind == MjtSensor.TENDONLIMITVEL:
        value = one(limit_speed(d, world, id, True))
    elif m.nsubtreevel > 0 and kind == MjtSensor.SUBTREELINVEL:
        value = three(d.subtree_linvel[world, id])
    elif m.nsubtreevel > 0 and kind == MjtSensor.SUBTREEANGMOM:
        value = three(d.subtree_angmom[world, id])
    return value


@wp.func
def sensor_vel(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Sensors of velocities, but for contacts."""
    if m.nsensevel > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for i in range(lane, m.nsensevel, nlane):
            s = m.sense_vel[i]
            put_all(m, d, world, s, velocity_values(m, d, world, s))
    sync()

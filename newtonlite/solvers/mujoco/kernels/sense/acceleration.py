"""Acceleration and force sensors."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtSensor, MjtTrn
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.point import lever
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.ray.site_volume import ray_hits_site_volume
from newtonlite.solvers.mujoco.kernels.sense.objects import object_acceleration, object_body
from newtonlite.solvers.mujoco.kernels.sense.position import limit_row_of
from newtonlite.solvers.mujoco.kernels.sense.write import one, put, put_all, several, three


@wp.func
def limit_force(d: DataFields, world: int, id: int, tendon: bool) -> float:
    """Force of a limit [N or N m]; 0 where it does not act."""
    r = limit_row_of(d, world, id, tendon)
    if r < 0:
        return 0.0
    return d.efc_force[world, r]


@wp.func
def actuator_force_on_joint(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """Sum of the forces of the actuators on a tendon."""
    total = float(0.0)
    for u in range(m.nactuator):
        if m.actuator_trntype[u] == MjtTrn.TENDON and m.actuator_trnid[u][0] == t:
            total += d.actuator_force[world, m.actuator_outadr[u]]
    return total


@wp.func
def joint_load(m: ModelFields, d: DataFields, world: int, s: int) -> wp.vec3:
    """Force, or torque about the site, that the parent of a site's body exerts on it, in the site's frame."""
    site = m.sensor_objid[s]
    b = m.site_bodyid[site]
    wrench = d.cfrc_int[world, b]
    v = wp.spatial_bottom(wrench)
    if m.sensor_type[s] == MjtSensor.TORQUE:
        v = wp.spatial_top(wrench) - wp.cross(lever(m, d, world, b, d.site_xpos[world, site]), v)
    return wp.transpose(d.site_xmat[world, site]) * v


@wp.func
def body_acceleration(m: ModelFields, d: DataFields, world: int, s: int) -> wp.vec3:
    """Acceleration as accelerometers (frame of their site) and sensors of a frame (world axes) have it."""
    kind = m.sensor_type[s]
    type = m.sensor_objtype[s]
    id = m.sensor_objid[s]
    if kind == MjtSensor.FRAMEANGACC:
        return wp.spatial_top(d.cacc[world, object_body(m, type, id)])
    a = object_acceleration(m, d, world, type, id)
    if kind == MjtSensor.ACCELEROMETER:
        a = wp.transpose(d.site_xmat[world, id]) * a
    return a


@wp.func
def acceleration_values(m: ModelFields, d: DataFields, world: int, s: int) -> wp.vec4:
    """Values of a sensor of accelerations or forces."""
    kind = m.sensor_type[s]
    id = m.sensor_objid[s]
    value = wp.vec4(0.0, 0.0, 0.0, 0.0)
    if m.nrne > 0 and (
        kind == MjtSensor.ACCELEROMETER or kind == MjtSensor.FRAMELINACC or kind == MjtSensor.FRAMEANGACC
    ):
        value = three(body_acceleration(m, d, world, s))
    elif m.nrne > 0 and (kind == MjtSensor.FORCE or kind == MjtSensor.TORQUE):
        value = three(joint_load(m, d, world, s))
    elif kind == MjtSensor.ACTUATORFRC:
        value = several(d.actuator_force, world, m.sense_out[s], m.sensor_dim[s])
    elif kind == MjtSensor.JOINTACTFRC:
        value = one(d.qfrc_actuator[world, m.jnt_dofadr[id]])
    elif kind == MjtSensor.TENDONACTFRC:
        value = one(actuator_force_on_joint(m, d, world, id))
    elif kind == MjtSensor.JOINTLIMITFRC:
        value = one(limit_force(d, world, id, False))
    elif kind == MjtSensor.TENDONLIMITFRC:
        value = one(limit_force(d, world, id, True))
    return value


@wp.func
def sensor_acc(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Sensors of accelerations and forces, but for touch and contacts."""
    if m.nsenseacc > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for i in range(lane, m.nsenseacc, nlane):
            s = m.sense_acc[i]
            put_all(m, d, world, s, acceleration_values(m, d, world, s))
    sync()


@wp.func
def touch_force(m: ModelFields, d: DataFields, world: int, s: int) -> float:
    """Sum of the normal forces of a body's contacts that push into the zone of a site, or from behind it."""
    site = m.sensor_objid[s]
    b = m.site_bodyid[site]
    total = float(0.0)
    for c in range(d.ncon[world]):
        geoms = d.contact_geom[world, c]
        first = bool(False)
        second = bool(False)
        if m.nflexgroup == 0 or geoms[0] >= 0:
            first = m.geom_bodyid[geoms[0]] == b
        if m.nflexgroup == 0 or geoms[1] >= 0:
            second = m.geom_bodyid[geoms[1]] == b
        normal = d.contact_force[world, c][0]
        if (second or first) and normal > 0.0:
            frame = d.contact_frame[world, c]
            away = wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
            if second:
                away = -away
            if ray_hits_site_volume(m, d, world, site, d.contact_pos[world, c], away):
                total += normal
    return total


@wp.func
def touch_sensors(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Touch sensors."""
    if m.ntouch > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for i in range(lane, m.ntouch, nlane):
            s = m.sense_touch[i]
            put(m, d, world, s, 0, touch_force(m, d, world, s))
    sync()

"""Contact sensors: matching contacts, their order, and the requested data of each."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import ContactReduce, MjtConDataField, MjtDisableBit, MjtObj
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.contact_flex import side_body, side_velocity
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_sensor_asleep
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.ray.site_volume import in_site_volume


@wp.func
def matches(m: ModelFields, d: DataFields, world: int, c: int, side: int, kind: int, id: int) -> bool:
    """Whether a side of a contact is, or is part of, what a sensor asks for: a geom, a body, or a subtree (an xbody)."""
    if kind == MjtObj.UNKNOWN or kind == MjtObj.SITE:
        return True
    if kind == MjtObj.GEOM:
        return d.contact_geom[world, c][side] == id
    b = side_body(m, d, world, c, side)
    if kind == MjtObj.BODY:
        return b == id
    if kind == MjtObj.XBODY:
        while b > id:
            b = m.body_parentid[b]
        return b == id
    return False


@wp.func
def sense_of(m: ModelFields, d: DataFields, world: int, s: int, c: int) -> float:
    """0 where contact ``c`` does not match sensor ``s``; -1 where its normal has to be turned round; else 1."""
    type1 = m.sensor_objtype[s]
    id1 = m.sensor_objid[s]
    type2 = m.sensor_reftype[s]
    id2 = m.sensor_refid[s]
    if type1 == MjtObj.SITE and not in_site_volume(m, d, world, id1, d.contact_pos[world, c]):
        return 0.0
    if matches(m, d, world, c, 0, type1, id1) and matches(m, d, world, c, 1, type2, id2):
        return 1.0
    if matches(m, d, world, c, 1, type1, id1) and matches(m, d, world, c, 0, type2, id2):
        return -1.0
    return 0.0


@wp.func
def rank_of(m: ModelFields, d: DataFields, world: int, c: int, reduce: int) -> float:
    """Key by which matching contacts are ordered, smallest first."""
    if reduce == ContactReduce.MINDIST:
        return d.contact_dist[world, c]
    if m.ncontactforce > 0 and reduce == ContactReduce.MAXFORCE:
        return -wp.length_sq(wp.spatial_top(d.contact_force[world, c]))
    return 0.0


@wp.func
def put_vector(d: DataFields, world: int, at: int, value: wp.vec3, width: int) -> int:
    """Write a field of one or three numbers; returns where the next one goes."""
    for i in range(width):
        d.sensordata[world, at + i] = value[i]
    return at + width


@wp.func
def flipped(v: wp.vec3, sign: float) -> wp.vec3:
    """Relative force or torque in the contact frame; seen from the other body, two axes turn round with it."""
    return wp.vec3(v[0], v[1], sign * v[2])


@wp.func
def put_contact(m: ModelFields, d: DataFields, world: int, c: int, sign: float, fields: int, count: int, at: int):
    """Write what is asked of contact ``c`` from ``at`` on; ``count`` contacts match."""
    frame = d.contact_frame[world, c]
    if (fields & (1 << MjtConDataField.FOUND)) != 0:
        at = put_vector(d, world, at, wp.vec3(float(count), 0.0, 0.0), 1)
    if m.ncontactforce > 0 and (fields & (1 << MjtConDataField.FORCE)) != 0:
        at = put_vector(d, world, at, flipped(wp.spatial_top(d.contact_force[world, c]), sign), 3)
    if m.ncontactforce > 0 and (fields & (1 << MjtConDataField.TORQUE)) != 0:
        at = put_vector(d, world, at, flipped(wp.spatial_bottom(d.contact_force[world, c]), sign), 3)
    if (fields & (1 << MjtConDataField.DIST)) != 0:
        at = put_vector(d, world, at, wp.vec3(d.contact_dist[world, c], 0.0, 0.0), 1)
    if (fields & (1 << MjtConDataField.POS)) != 0:
        at = put_vector(d, world, at, d.contact_pos[world, c], 3)
    for row in range(2):
        if (fields & (1 << (MjtConDataField.NORMAL + row))) != 0:
            at = put_vector(d, world, at, sign * wp.vec3(frame[row, 0], frame[row, 1], frame[row, 2]), 3)
    if (fields & ((1 << MjtConDataField.LINVEL) | (1 << MjtConDataField.ANGVEL))) != 0:
        motion = side_velocity(m, d, world, c, 1) - side_velocity(m, d, world, c, 0)
        if (fields & (1 << MjtConDataField.LINVEL)) != 0:
            slide = wp.spatial_bottom(motion)
            at = put_vector(d, world, at, flipped(frame * slide, sign), 3)
        if (fields & (1 << MjtConDataField.ANGVEL)) != 0:
            turn = wp.spatial_top(motion)
            at = put_vector(d, world, at, flipped(frame * turn, sign), 3)


@wp.func
def put_net(m: ModelFields, d: DataFields, world: int, s: int, fields: int, count: int, at: int):
    """Write the one contact that does what all matching ones do together, at their centre of force, in world axes."""
    center = wp.vec3(0.0, 0.0, 0.0)
    weight = float(0.0)
    force = wp.vec3(0.0, 0.0, 0.0)
    torque = wp.vec3(0.0, 0.0, 0.0)
    for c in range(d.ncon[world]):
        sign = sense_of(m, d, world, s, c)
        if sign != 0.0:
            wrench = d.contact_force[world, c]
            size = wp.length(wp.spatial_top(wrench))
            center += size * d.contact_pos[world, c]
            weight += size
    center = center / wp.max(weight, MINVAL)
    for c in range(d.ncon[world]):
        sign = sense_of(m, d, world, s, c)
        if sign != 0.0:
            wrench = sign * d.contact_force[world, c]
            turn = wp.transpose(d.contact_frame[world, c])
            push = turn * wp.spatial_top(wrench)
            force += push
            torque += turn * wp.spatial_bottom(wrench) + wp.cross(d.contact_pos[world, c] - center, push)
    if (fields & (1 << MjtConDataField.FOUND)) != 0:
        at = put_vector(d, world, at, wp.vec3(float(count), 0.0, 0.0), 1)
    if (fields & (1 << MjtConDataField.FORCE)) != 0:
        at = put_vector(d, world, at, force, 3)
    if (fields & (1 << MjtConDataField.TORQUE)) != 0:
        at = put_vector(d, world, at, torque, 3)
    if (fields & (1 << MjtConDataField.DIST)) != 0:
        at = put_vector(d, world, at, wp.vec3(0.0, 0.0, 0.0), 1)
    if (fields & (1 << MjtConDataField.POS)) != 0:
        at = put_vector(d, world, at, center, 3)
    if (fields & (1 << MjtConDataField.NORMAL)) != 0:
        at = put_vector(d, world, at, wp.vec3(1.0, 0.0, 0.0), 3)
    if (fields & (1 << MjtConDataField.TANGENT)) != 0:
        at = put_vector(d, world, at, wp.vec3(0.0, 1.0, 0.0), 3)


@wp.func
def next_contact(m: ModelFields, d: DataFields, world: int, s: int, reduce: int, rank: float, after: int) -> int:
    """The matching contact that comes after one of a given rank and number; -1 at the end."""
    found = int(-1)
    best = float(0.0)
    for c in range(d.ncon[world]):
        r = rank_of(m, d, world, c, reduce)
        later = after < 0 or r > rank or (r == rank and c > after)
        if later and (found < 0 or r < best) and sense_of(m, d, world, s, c) != 0.0:
            found = c
            best = r
    return found


@wp.func
def sense_contacts(m: ModelFields, d: DataFields, world: int, s: int):
    """All slots of contact sensor ``s``; those without a contact are zero. It keeps what it had while all it watches
    sleeps.
    """
    if m.nsleep > 0:
        if is_sensor_asleep(m, d, world, s):
            return
    fields = m.sensor_intprm[s, 0]
    reduce = m.sensor_intprm[s, 1]
    slots = m.sensor_intprm[s, 2]
    adr = m.sensor_adr[s]
    width = m.sensor_dim[s] / slots
    for k in range(m.sensor_dim[s]):
        d.sensordata[world, adr + k] = 0.0
    count = int(0)
    for c in range(d.ncon[world]):
        if sense_of(m, d, world, s, c) != 0.0:
            count += 1
    if m.ncontactforce > 0 and reduce == ContactReduce.NETFORCE:
        if count > 0:
            put_net(m, d, world, s, fields, count, adr)
        return
    last = int(-1)
    rank = float(0.0)
    for k in range(wp.min(slots, count)):
        c = next_contact(m, d, world, s, reduce, rank, last)
        last = c
        rank = rank_of(m, d, world, c, reduce)
        put_contact(m, d, world, c, sense_of(m, d, world, s, c), fields, count, adr + k * width)


@wp.func
def contact_sensors(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Contact sensors that ask for no forces."""
    if m.nsensecontact > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for i in range(lane, m.nsensecontact, nlane):
            sense_contacts(m, d, world, m.sense_contact[i])
    sync()


@wp.func
def contact_force_sensors(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Contact sensors that ask for forces."""
    if m.nsensecontactforce > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for i in range(lane, m.nsensecontactforce, nlane):
            sense_contacts(m, d, world, m.sense_contactforce[i])
    sync()

"""Position sensors."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtDisableBit, MjtObj, MjtSensor
from newtonlite.math.quaternion import quat_conj, quat_mul
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.ray.site_volume import in_site_volume
from newtonlite.solvers.mujoco.kernels.sense.objects import object_mat, object_pos, object_quat
from newtonlite.solvers.mujoco.kernels.sense.write import four, one, put_all, several, three


@wp.func
def limit_row_of(d: DataFields, world: int, id: int, tendon: bool) -> int:
    """The first row of a joint's or tendon's limit; -1 where it does not act."""
    first = d.ne[world] + d.nf[world]
    last = first + d.nl_jnt[world]
    if tendon:
        last = first + d.nl[world]
        first += d.nl_jnt[world]
    for r in range(first, last):
        if d.efc_id[world, r] == id:
            return r
    return -1


@wp.func
def limit_distance(d: DataFields, world: int, id: int, tendon: bool) -> float:
    """Distance of a limit inside its margin [m or rad]; 0 where it does not act."""
    r = limit_row_of(d, world, id, tendon)
    if r < 0:
        return 0.0
    return d.efc_pos[world, r] - d.efc_margin[world, r]


@wp.func
def relative_frame(m: ModelFields, d: DataFields, world: int, s: int) -> wp.vec4:
    """Position, axis or quaternion of an object, in the frame of another where one is given."""
    kind = m.sensor_type[s]
    type1 = m.sensor_objtype[s]
    id1 = m.sensor_objid[s]
    type2 = m.sensor_reftype[s]
    id2 = m.sensor_refid[s]
    if kind == MjtSensor.FRAMEQUAT:
        q = object_quat(m, d, world, type1, id1)
        if id2 >= 0:
            q = quat_mul(quat_conj(object_quat(m, d, world, type2, id2)), q)
        return four(q)
    v = wp.vec3(0.0, 0.0, 0.0)
    if kind == MjtSensor.FRAMEPOS:
        v = object_pos(m, d, world, type1, id1)
        if id2 >= 0:
            v = v - object_pos(m, d, world, type2, id2)
    else:
        mat = object_mat(m, d, world, type1, id1)
        axis = kind - MjtSensor.FRAMEXAXIS
        v = wp.vec3(mat[0, axis], mat[1, axis], mat[2, axis])
    if id2 >= 0:
        v = wp.transpose(object_mat(m, d, world, type2, id2)) * v
    return three(v)


@wp.func
def pixel_of(m: ModelFields, d: DataFields, world: int, s: int) -> wp.vec4:
    """Pixel at which a camera sees a site, from the top left corner; points behind it are projected too."""
    c = m.sensor_refid[s]
    p = wp.transpose(d.cam_xmat[world, c]) * (d.site_xpos[world, m.sensor_objid[s]] - d.cam_xpos[world, c])
    width = float(m.cam_resolution[c][0])
    height = float(m.cam_resolution[c][1])
    size = m.cam_sensorsize[world, c]
    fy = 0.5 * height / wp.tan(m.cam_fovy[world, c] * wp.PI / 360.0)
    fx = fy
    if size[0] != 0.0 and size[1] != 0.0:
        fx = m.cam_intrinsic[world, c][0] / size[0] * width
        fy = m.cam_intrinsic[world, c][1] / size[1] * height
    depth = p[2]
    if wp.abs(depth) < MINVAL:
        depth = wp.where(depth < 0.0, -MINVAL, MINVAL)
    return wp.vec4(0.5 * width - fx * p[0] / depth, 0.5 * height + fy * p[1] / depth, 0.0, 0.0)


@wp.func
def place_of(m: ModelFields, d: DataFields, world: int, kind: int, id: int) -> wp.vec3:
    """The point of an object that is looked for in a zone; of a body without mass, its subtree's centre of mass."""
    if kind == MjtObj.BODY and id > 0:
        if m.body_mass[world, id] < MINVAL and m.body_subtreemass[world, id] >= MINVAL:
            return d.subtree_com[world, id]
    return object_pos(m, d, world, kind, id)


@wp.func
def position_values(m: ModelFields, d: DataFields, world: int, s: int) -> wp.vec4:
    """Values of a sensor of positions."""
    kind = m.sensor_type[s]
    id = m.sensor_objid[s]
    value = wp.vec4(0.0, 0.0, 0.0, 0.0)
    if kind == MjtSensor.JOINTPOS:
        value = one(d.qpos[world, m.jnt_qposadr[id]])
    elif (
        kind == MjtSensor.FRAMEPOS
        or kind == MjtSensor.FRAMEQUAT
        or (kind >= MjtSensor.FRAMEXAXIS and kind <= MjtSensor.FRAMEZAXIS)
    ):
        value = relative_frame(m, d, world, s)
    elif kind == MjtSensor.TENDONPOS:
        value = one(d.ten_length[world, id])
    elif kind == MjtSensor.ACTUATORPOS:
        value = several(d.actuator_length, world, m.sense_out[s], m.sensor_dim[s])
    elif kind == MjtSensor.BALLQUAT:
        value = four(read_quat(m, d, world, m.jnt_qposadr[id]))
    elif kind == MjtSensor.MAGNETOMETER:
        value = three(wp.transpose(d.site_xmat[world, id]) * m.opt_magnetic[world])
    elif kind == MjtSensor.SUBTREECOM:
        value = three(d.subtree_com[world, id])
    elif kind == MjtSensor.JOINTLIMITPOS:
        value = one(limit_distance(d, world, id, False))
    elif kind == MjtSensor.TENDONLIMITPOS:
        value = one(limit_distance(d, world, id, True))
    elif kind == MjtSensor.INSIDESITE:
        point = place_of(m, d, world, m.sensor_objtype[s], id)
        value = one(wp.where(in_site_volume(m, d, world, m.sensor_refid[s], point), 1.0, 0.0))
    elif m.nsensecamera > 0 and kind == MjtSensor.CAMPROJECTION:
        value = pixel_of(m, d, world, s)
    elif m.nenergy > 0 and kind == MjtSensor.E_POTENTIAL:
        value = one(d.energy[world][0])
    elif m.nenergy > 0 and kind == MjtSensor.E_KINETIC:
        value = one(d.energy[world][1])
    elif kind == MjtSensor.CLOCK:
        value = one(d.time[world])
    return value


@wp.func
def sensor_pos(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Sensors of positions, but for rays, contacts and distances between geoms."""
    if m.nsensepos > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for i in range(lane, m.nsensepos, nlane):
            s = m.sense_pos[i]
            put_all(m, d, world, s, position_values(m, d, world, s))
    sync()

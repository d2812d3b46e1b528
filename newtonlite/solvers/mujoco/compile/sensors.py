"""Sensors: objects they measure, dimensions, and the stage after which each is computed."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco import enums as E
from newtonlite.solvers.mujoco.bindings.option import SENSORS
from newtonlite.solvers.mujoco.bindings.table import fill
from newtonlite.solvers.mujoco.compile.tree import Tree
from newtonlite.solvers.mujoco.compile.worlds import Worlds

FIELD_WIDTHS = {E.SENS_RANGEFINDER: (1, 3, 3, 3, 3, 1), E.SENS_CONTACT: (1, 3, 3, 1, 3, 3, 3, 3, 3)}
FORCE_FIELDS, VELOCITY_FIELDS = 0b110, 0b110000000
STRONGEST = 2
KINDS = {
    E.OBJ_BODY: "body",
    E.OBJ_XBODY: "body",
    E.OBJ_JOINT: "joint",
    E.OBJ_GEOM: "geom",
    E.OBJ_SITE: "site",
    E.OBJ_CAMERA: "mujoco:camera",
    E.OBJ_LIGHT: "mujoco:light",
    E.OBJ_TENDON: "mujoco:tendon",
    E.OBJ_ACTUATOR: "mujoco:actuator",
}
P, V, A = E.STAGE_POS, E.STAGE_VEL, E.STAGE_ACC
REAL, POSITIVE, AXIS, QUATERNION = E.DATA_REAL, E.DATA_POSITIVE, E.DATA_AXIS, E.DATA_QUATERNION
TABLE = {
    E.SENS_TOUCH: (1, POSITIVE, A),
    E.SENS_ACCELEROMETER: (3, REAL, A),
    E.SENS_VELOCIMETER: (3, REAL, V),
    E.SENS_GYRO: (3, REAL, V),
    E.SENS_FORCE: (3, REAL, A),
    E.SENS_TORQUE: (3, REAL, A),
    E.SENS_MAGNETOMETER: (3, REAL, P),
    E.SENS_RANGEFINDER: (1, REAL, P),
    E.SENS_CAMPROJECTION: (2, REAL, P),
    E.SENS_JOINTPOS: (1, REAL, P),
    E.SENS_JOINTVEL: (1, REAL, V),
    E.SENS_TENDONPOS: (1, REAL, P),
    E.SENS_TENDONVEL: (1, REAL, V),
    E.SENS_ACTUATORPOS: (1, REAL, P),
    E.SENS_ACTUATORVEL: (1, REAL, V),
    E.SENS_ACTUATORFRC: (1, REAL, A),
    E.SENS_JOINTACTFRC: (1, REAL, A),
    E.SENS_TENDONACTFRC: (1, REAL, A),
    E.SENS_BALLQUAT: (4, QUATERNION, P),
    E.SENS_BALLANGVEL: (3, REAL, V),
    E.SENS_JOINTLIMITPOS: (1, REAL, P),
    E.SENS_JOINTLIMITVEL: (1, REAL, V),
    E.SENS_JOINTLIMITFRC: (1, REAL, A),
    E.SENS_TENDONLIMITPOS: (1, REAL, P),
    E.SENS_TENDONLIMITVEL: (1, REAL, V),
    E.SENS_TENDONLIMITFRC: (1, REAL, A),
    E.SENS_FRAMEPOS: (3, REAL, P),
    E.SENS_FRAMEQUAT: (4, QUATERNION, P),
    E.SENS_FRAMEXAXIS: (3, AXIS, P),
    E.SENS_FRAMEYAXIS: (3, AXIS, P),
    E.SENS_FRAMEZAXIS: (3, AXIS, P),
    E.SENS_FRAMELINVEL: (3, REAL, V),
    E.SENS_FRAMEANGVEL: (3, REAL, V),
    E.SENS_FRAMELINACC: (3, REAL, A),
    E.SENS_FRAMEANGACC: (3, REAL, A),
    E.SENS_SUBTREECOM: (3, REAL, P),
    E.SENS_SUBTREELINVEL: (3, REAL, V),
    E.SENS_SUBTREEANGMOM: (3, REAL, V),
    E.SENS_INSIDESITE: (1, POSITIVE, P),
    E.SENS_GEOMDIST: (1, REAL, P),
    E.SENS_GEOMNORMAL: (3, AXIS, P),
    E.SENS_GEOMFROMTO: (6, REAL, P),
    E.SENS_CONTACT: (1, REAL, P),
    E.SENS_TACTILE: (3, REAL, V),
    E.SENS_E_POTENTIAL: (1, REAL, P),
    E.SENS_E_KINETIC: (1, REAL, P),
    E.SENS_CLOCK: (1, REAL, P),
}
"""Numbers, their kind and the stage they need, of each type; of rangefinders and contacts, for each ray or contact and
field.
"""


def compile_sensors(m, w: Worlds, tree: Tree) -> None:
    """Fill the sensor arrays; everything they can watch has to be there."""
    m.nsensor = w.size("mujoco:sensor") if w.has("mujoco:sensor_type") else 0
    m.nsensordata = 0
    m.names_sensor = w.first_labels("mujoco:sensor_label", "mujoco:sensor") if m.nsensor else []
    if not m.nsensor:
        return
    get = lambda name: w.first(f"mujoco:sensor_{name}")
    kind = get("type")
    for s in np.flatnonzero(~np.isin(kind, [*TABLE, E.SENS_USER])):
        raise ModelError(f"{m.name('sensor', s)}: type {kind[s]} is not supported; see newtonlite.schema.sensor.TYPES")
    m.set(
        sensor_type=kind,
        sensor_objtype=get("objtype"),
        sensor_objid=watched(m, w, tree, "obj"),
        sensor_reftype=get("reftype"),
        sensor_refid=watched(m, w, tree, "ref"),
        sensor_intprm=np.stack(
            [get("fields"), get("reduce"), np.where(kind == E.SENS_CONTACT, get("slots"), 0)], axis=1
        ),
    )
    shapes = np.array([shape_of(m, s, get) for s in range(m.nsensor)], np.int32).reshape(-1, 3)
    m.set(sensor_dim=shapes[:, 0], sensor_datatype=shapes[:, 1], sensor_needstage=shapes[:, 2])
    m.set(sensor_adr=np.cumsum(m.sensor_dim) - m.sensor_dim)
    m.nsensordata = int(m.sensor_dim.sum())
    fill(m, w, SENSORS)
    m.set(sensor_noise=get("noise"))
    compile_history(m, get("nsample"), get("interp"))


def shape_of(m, s: int, get) -> tuple[int, int, int]:
    """(numbers, kind of numbers, stage) of sensor ``s``."""
    kind = int(m.sensor_type[s])
    if kind == E.SENS_USER:
        return int(get("dim")[s]), int(get("datatype")[s]), int(get("needstage")[s])
    count, data, stage = TABLE[kind]
    fields, reduce, slots = (int(x) for x in m.sensor_intprm[s])
    if kind in FIELD_WIDTHS:
        count = sum(width for bit, width in enumerate(FIELD_WIDTHS[kind]) if fields >> bit & 1)
    if kind == E.SENS_RANGEFINDER and m.sensor_objtype[s] == E.OBJ_CAMERA:
        count *= int(np.prod(m.cam_resolution[m.sensor_objid[s]]))
    if kind == E.SENS_CONTACT:
        count *= slots
        stage = A if fields & FORCE_FIELDS or reduce >= STRONGEST else V if fields & VELOCITY_FIELDS else P
    if kind == E.SENS_TACTILE:
        count *= int(m.mesh_vertnum[m.sensor_objid[s]])
    if kind == E.SENS_INSIDESITE and fields:
        data = REAL
    if kind in (E.SENS_ACTUATORPOS, E.SENS_ACTUATORVEL, E.SENS_ACTUATORFRC):
        count = int(m.actuator_outnum[m.sensor_objid[s]])
    return count, data, stage


def watched(m, w: Worlds, tree: Tree, end: str) -> np.ndarray:
    """MuJoCo's numbers of what sensors watch; -1: nothing."""
    kinds, index = w.first(f"mujoco:sensor_{end}type"), w.first(f"mujoco:sensor_{end}id")
    if E.OBJ_MESH in kinds:
        names = w.first_labels("mujoco:sensor_mesh", "mujoco:sensor")
        index = [mesh_of(m, s, names[s]) if k == E.OBJ_MESH else i for s, (k, i) in enumerate(zip(kinds, index))]
    return np.array([one(m, w, tree, s, int(k), int(i)) for s, (k, i) in enumerate(zip(kinds, index))], np.int32)


def mesh_of(m, s: int, name: str) -> int:
    """The number of the mesh at whose vertices a tactile sensor feels."""
    if name not in m.names_mesh:
        raise ModelError(
            f"{m.name('sensor', s)}: feels at the vertices of mesh '{name}', which is not part of the model; keep that mesh, or remove the sensor"
        )
    return m.names_mesh.index(name)


def one(m, w: Worlds, tree: Tree, s: int, kind: int, index: int) -> int:
    """MuJoCo's number of one thing, given its kind and its index in the scene."""
    if kind == E.OBJ_UNKNOWN:
        return -1
    if kind == E.OBJ_MESH:
        return index
    what = KINDS.get(kind)
    if what == "body" and index >= -1:
        return int(tree.mujoco_body()[w.local("body", index)])
    tables = {
        "geom": (m.newton_geom, "shape"),
        "site": (m.newton_site, "shape"),
        "mujoco:tendon": (m.newton_tendon, "mujoco:tendon"),
    }
    if what == "joint" and index >= 0:
        return int(m.dof_jntid[np.flatnonzero(m.newton_dof == w.local("dof", index))[0]])
    if what in tables and index >= 0:
        table, frequency = tables[what]
        found = np.flatnonzero(table == w.local(frequency, index))
        if len(found):
            return int(found[0])
        what = what.rpartition(":")[2]
        raise ModelError(
            f"{m.name('sensor', s)}: the {what} it watches is not part of the model; keep that {what}, or remove the sensor"
        )
    if what and index >= 0:
        ahead = (
            m.nactuator - w.size(what) if kind == E.OBJ_ACTUATOR else 0
        )  # those that follow joint targets come first
        return int(w.local(what, index)) + ahead
    raise ModelError(
        f"{m.name('sensor', s)}: watches object {index} of kind {kind}; give an index of a kind in newtonlite.schema.namespace"
    )


def compile_history(m, samples, order) -> None:
    """Buffers of past values, after those of the actuators: a number, a cursor, times and samples."""
    size = np.where(samples > 0, 2 + samples * (1 + m.sensor_dim), 0)
    first = getattr(m, "nhistory", 0)
    m.set(
        sensor_history=np.stack([np.maximum(samples, 0), np.where(samples > 0, order, 0)], axis=1),
        sensor_historyadr=np.where(samples > 0, first + np.cumsum(size) - size, -1),
    )
    m.nhistory = int(first + size.sum())

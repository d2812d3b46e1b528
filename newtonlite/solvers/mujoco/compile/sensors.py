"""Sensors: objects they measure, dimensions, and the stage after which each is computed."""

import math

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.limits import most
from newtonlite.core.mujoco import ContactReduce, MjtDataType, MjtObj, MjtSensor, MjtStage
from newtonlite.solvers.mujoco.bindings.option import SENSORS
from newtonlite.solvers.mujoco.bindings.table import fill_fields
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.plugins import grid_shape
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds

FIELD_WIDTHS = {MjtSensor.RANGEFINDER: (1, 3, 3, 3, 3, 1), MjtSensor.CONTACT: (1, 3, 3, 1, 3, 3, 3, 3, 3)}
FORCE_FIELDS, VELOCITY_FIELDS = 0b110, 0b110000000
KINDS = {
    MjtObj.BODY: "body",
    MjtObj.XBODY: "body",
    MjtObj.JOINT: "joint",
    MjtObj.GEOM: "geom",
    MjtObj.SITE: "site",
    MjtObj.CAMERA: "mujoco:camera",
    MjtObj.LIGHT: "mujoco:light",
    MjtObj.TENDON: "mujoco:tendon",
    MjtObj.ACTUATOR: "mujoco:actuator",
}
P, V, A = MjtStage.POS, MjtStage.VEL, MjtStage.ACC
REAL, POSITIVE, AXIS, QUATERNION = MjtDataType.REAL, MjtDataType.POSITIVE, MjtDataType.AXIS, MjtDataType.QUATERNION
TABLE = {
    MjtSensor.TOUCH: (1, POSITIVE, A),
    MjtSensor.ACCELEROMETER: (3, REAL, A),
    MjtSensor.VELOCIMETER: (3, REAL, V),
    MjtSensor.GYRO: (3, REAL, V),
    MjtSensor.FORCE: (3, REAL, A),
    MjtSensor.TORQUE: (3, REAL, A),
    MjtSensor.MAGNETOMETER: (3, REAL, P),
    MjtSensor.RANGEFINDER: (1, REAL, P),
    MjtSensor.CAMPROJECTION: (2, REAL, P),
    MjtSensor.JOINTPOS: (1, REAL, P),
    MjtSensor.JOINTVEL: (1, REAL, V),
    MjtSensor.TENDONPOS: (1, REAL, P),
    MjtSensor.TENDONVEL: (1, REAL, V),
    MjtSensor.ACTUATORPOS: (1, REAL, P),
    MjtSensor.ACTUATORVEL: (1, REAL, V),
    MjtSensor.ACTUATORFRC: (1, REAL, A),
    MjtSensor.JOINTACTFRC: (1, REAL, A),
    MjtSensor.TENDONACTFRC: (1, REAL, A),
    MjtSensor.BALLQUAT: (4, QUATERNION, P),
    MjtSensor.BALLANGVEL: (3, REAL, V),
    MjtSensor.JOINTLIMITPOS: (1, REAL, P),
    MjtSensor.JOINTLIMITVEL: (1, REAL, V),
    MjtSensor.JOINTLIMITFRC: (1, REAL, A),
    MjtSensor.TENDONLIMITPOS: (1, REAL, P),
    MjtSensor.TENDONLIMITVEL: (1, REAL, V),
    MjtSensor.TENDONLIMITFRC: (1, REAL, A),
    MjtSensor.FRAMEPOS: (3, REAL, P),
    MjtSensor.FRAMEQUAT: (4, QUATERNION, P),
    MjtSensor.FRAMEXAXIS: (3, AXIS, P),
    MjtSensor.FRAMEYAXIS: (3, AXIS, P),
    MjtSensor.FRAMEZAXIS: (3, AXIS, P),
    MjtSensor.FRAMELINVEL: (3, REAL, V),
    MjtSensor.FRAMEANGVEL: (3, REAL, V),
    MjtSensor.FRAMELINACC: (3, REAL, A),
    MjtSensor.FRAMEANGACC: (3, REAL, A),
    MjtSensor.SUBTREECOM: (3, REAL, P),
    MjtSensor.SUBTREELINVEL: (3, REAL, V),
    MjtSensor.SUBTREEANGMOM: (3, REAL, V),
    MjtSensor.INSIDESITE: (1, POSITIVE, P),
    MjtSensor.GEOMDIST: (1, REAL, P),
    MjtSensor.GEOMNORMAL: (3, AXIS, P),
    MjtSensor.GEOMFROMTO: (6, REAL, P),
    MjtSensor.CONTACT: (1, REAL, P),
    MjtSensor.TACTILE: (3, REAL, V),
    MjtSensor.E_POTENTIAL: (1, REAL, P),
    MjtSensor.E_KINETIC: (1, REAL, P),
    MjtSensor.CLOCK: (1, REAL, P),
    MjtSensor.PLUGIN: (1, REAL, A),
}
"""Numbers, their kind and the stage they need, of each type; of rangefinders and contacts, for each ray or contact and
field.
"""


SIZED = [
    MjtSensor.USER,
    MjtSensor.PLUGIN,
    MjtSensor.RANGEFINDER,
    MjtSensor.CONTACT,
    MjtSensor.TACTILE,
    MjtSensor.INSIDESITE,
    MjtSensor.ACTUATORPOS,
    MjtSensor.ACTUATORVEL,
    MjtSensor.ACTUATORFRC,
]
"""Types whose row in ``TABLE`` the sensor itself adds to (``shape_of``)."""


def compile_sensors(m: CompiledModel, w: Worlds, tree: BodyTree) -> None:
    """Fill the sensor arrays; everything they can watch has to be there."""
    m.nsensor = w.size("mujoco:sensor") if w.has("mujoco:sensor_type") else 0
    m.nsensordata = 0
    m.names_sensor = w.first_labels("mujoco:sensor_label", "mujoco:sensor") if m.nsensor else []
    if not m.nsensor:
        return
    get = lambda name: w.first(f"mujoco:sensor_{name}")
    kind = get("type")
    for s in np.flatnonzero(~np.isin(kind, [*TABLE, MjtSensor.USER])).tolist():
        raise ModelError(f"{m.name('sensor', s)}: type {kind[s]} is not supported; see newtonlite.schema.sensor.TYPES")
    m.set(
        sensor_type=kind,
        sensor_objtype=get("objtype"),
        sensor_objid=watched(m, w, tree, "obj"),
        sensor_reftype=get("reftype"),
        sensor_refid=watched(m, w, tree, "ref"),
        sensor_intprm=np.stack(
            [get("fields"), get("reduce"), np.where(kind == MjtSensor.CONTACT, get("slots"), 0)], axis=1
        ),
    )
    shapes: list[tuple[int, int, int]] = [TABLE.get(k, (0, 0, 0)) for k in kind.tolist()]
    for s in np.flatnonzero(np.isin(kind, SIZED)).tolist():
        shapes[s] = shape_of(m, s, get)
    check_numbers(m, [count for count, *_ in shapes])
    rows = np.array(shapes, np.int32).reshape(-1, 3)
    m.set(sensor_dim=rows[:, 0], sensor_datatype=rows[:, 1], sensor_needstage=rows[:, 2])
    m.set(sensor_adr=np.cumsum(m.sensor_dim) - m.sensor_dim)
    m.nsensordata = int(m.sensor_dim.sum())
    fill_fields(m, w, SENSORS)
    m.set(sensor_noise=get("noise"))
    compile_history(m, get("nsample"), get("interp"))


def check_numbers(m: CompiledModel, counts: list[int]) -> None:
    """Raise ModelError where sensors have more numbers in all than are kept: pictures of rays are declared by their
    resolution alone.
    """
    total, limit = sum(counts), most("declared in all")
    if total > limit:
        s = max(range(len(counts)), key=counts.__getitem__)
        name, own = m.name("sensor", s), counts[s]
        raise ModelError(f"{name}: sensors have {total} numbers in all, this one {own}; at most {limit} are kept")


def shape_of(m: CompiledModel, s: int, get) -> tuple[int, int, int]:
    """(numbers, kind of numbers, stage) of sensor ``s``."""
    kind = int(m.sensor_type[s])
    if kind == MjtSensor.USER:
        return int(get("dim")[s]), int(get("datatype")[s]), int(get("needstage")[s])
    count, data, stage = TABLE[kind]
    fields, reduce, slots = (int(x) for x in m.sensor_intprm[s])
    if kind in FIELD_WIDTHS:
        count = sum(width for bit, width in enumerate(FIELD_WIDTHS[kind]) if fields >> bit & 1)
    if kind == MjtSensor.RANGEFINDER and m.sensor_objtype[s] == MjtObj.CAMERA:
        count *= math.prod(m.cam_resolution[m.sensor_objid[s]].tolist())
    if kind == MjtSensor.CONTACT:
        count *= slots
        stage = A if fields & FORCE_FIELDS or reduce >= ContactReduce.MAXFORCE else V if fields & VELOCITY_FIELDS else P
    if kind == MjtSensor.TACTILE:
        count *= int(m.mesh_vertnum[m.sensor_objid[s]])
    if kind == MjtSensor.PLUGIN:
        count = int(np.prod(grid_shape(m, s)))
    if kind == MjtSensor.INSIDESITE and fields:
        data = REAL
    if kind in (MjtSensor.ACTUATORPOS, MjtSensor.ACTUATORVEL, MjtSensor.ACTUATORFRC):
        count = int(m.actuator_outnum[m.sensor_objid[s]])
    return count, data, stage


def watched(m: CompiledModel, w: Worlds, tree: BodyTree, end: str) -> np.ndarray:
    """MuJoCo's numbers of what sensors watch; -1: nothing."""
    kinds, index = w.first(f"mujoco:sensor_{end}type"), w.first(f"mujoco:sensor_{end}id")
    if MjtObj.MESH in kinds:
        names = w.first_labels("mujoco:sensor_mesh", "mujoco:sensor")
        index = [mesh_of(m, s, names[s]) if k == MjtObj.MESH else i for s, (k, i) in enumerate(zip(kinds, index))]
    # kind by kind; what is not in the model is looked at one by one, in their order, for the message
    kinds, index = np.asarray(kinds), np.asarray(index)
    found = np.full(len(kinds), -1, np.int64)
    for kind in np.unique(kinds).tolist():
        rows = np.flatnonzero(kinds == kind)
        found[rows] = object_ids(m, w, tree, kind, index[rows])
    lost = (found < 0) & (kinds != MjtObj.UNKNOWN)
    for s in np.flatnonzero(lost).tolist():
        refuse(m, w, s, int(kinds[s]), int(index[s]))
    return found.astype(np.int32)


def mesh_of(m: CompiledModel, s: int, name: str) -> int:
    """The number of the mesh at whose vertices a tactile sensor feels."""
    if name not in m.names_mesh:
        raise ModelError(
            f"{m.name('sensor', s)}: feels at the vertices of mesh '{name}', which is not part of the model; keep that mesh, or remove the sensor"
        )
    return m.names_mesh.index(name)


def object_ids(m: CompiledModel, w: Worlds, tree: BodyTree, kind: int, index: np.ndarray) -> np.ndarray:
    """MuJoCo's numbers of things of one kind, given their indices in the scene; -1 for what is not in the model."""
    what, out = KINDS.get(kind), np.full(len(index), -1, np.int64)
    if kind == MjtObj.MESH:
        return index
    if what is None:
        return out
    if what == "body":
        here = index >= -1
        out[here] = tree.mujoco_body()[w.local("body", index[here])]
        return out
    here = index >= 0
    tables = {"geom": (m.newton_geom, "shape"), "site": (m.newton_site, "shape"), "joint": (m.newton_dof, "dof")}
    tables["mujoco:tendon"] = (m.newton_tendon, "mujoco:tendon")
    if what in tables:
        table, frequency = tables[what]
        found = first_places(table, w.local(frequency, index[here]))
        out[here] = np.where(found < 0, -1, m.dof_jntid[found]) if what == "joint" else found
        return out
    # actuators that follow joint targets come first
    out[here] = w.local(what, index[here]) + (m.nactuator - w.size(what) if kind == MjtObj.ACTUATOR else 0)
    return out


def first_places(table, values: np.ndarray) -> np.ndarray:
    """For each value the first place in a table that holds it, -1 for none."""
    table = np.asarray(table)
    order = np.argsort(table, kind="stable")
    at = np.searchsorted(table, values, sorter=order)
    found = order[np.minimum(at, len(table) - 1)] if len(table) else np.full(len(values), -1)
    return np.where(table[found] == values, found, -1) if len(table) else found


def refuse(m: CompiledModel, w: Worlds, s: int, kind: int, index: int) -> None:
    """ModelError for what a sensor watches and the model does not have."""
    what = (KINDS.get(kind) or "").rpartition(":")[2]
    if what and index >= 0:
        family = KINDS[MjtObj(kind)]
        name = w.name(family, int(w.local(family, index)))
        named = f"{what} '{name}'" if name else what
        text = f"the {named} it watches is not part of the model; keep that {what}, or remove the sensor"
    else:
        text = f"watches object {index} of kind {kind}; give an index of a kind in newtonlite.schema.namespace"
    raise ModelError(f"{m.name('sensor', s)}: {text}")


def compile_history(m: CompiledModel, samples, order) -> None:
    """Buffers of past values, after those of the actuators: a number, a cursor, times and samples."""
    size = np.where(samples > 0, 2 + samples * (1 + m.sensor_dim), 0)
    first = getattr(m, "nhistory", 0)
    m.set(
        sensor_history=np.stack([np.maximum(samples, 0), order], axis=1),
        sensor_historyadr=np.where(samples > 0, first + np.cumsum(size) - size, -1),
    )
    m.nhistory = int(first + size.sum())

"""Entity: the robot of a task as it is simulated. To what its file says come the actuators, the sensors and the ground
that the task names, and the pose that worlds start in.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from newtonlite.core.enums import GeoType, JointType, ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import ContactReduce, MjtJoint, MjtObj
from newtonlite.envs.capture import capturable
from newtonlite.envs.terrains import Terrain
from newtonlite.importers.files import ROWS_ALONE, add_file
from newtonlite.schema.sensor import CONTACT_FIELDS, TYPES
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.attributes import register
from newtonlite.solvers.mujoco.authoring.actuators import (
    ActuatorTarget,
    add_actuator_motor,
    add_actuator_position,
    add_actuator_velocity,
)
from newtonlite.solvers.mujoco.authoring.rows import add_row

PLANE, FLOOR = "plane", "floor"
OBJECTS = {"bodies": MjtObj.BODY, "geoms": MjtObj.GEOM, "sites": MjtObj.SITE, "joints": MjtObj.JOINT}


def called(pattern: str, label: str | None) -> bool:
    """Whether a label, or what follows its last slash, matches a pattern as a whole."""
    return bool(label) and bool(re.fullmatch(pattern, label) or re.fullmatch(pattern, label.rsplit("/", 1)[-1]))


def matches(kind: str, pattern, labels: list, only=None) -> list:
    """Numbers of the labels that match a pattern, or one of several. ModelError where a pattern matches none."""
    found = []
    for p in (pattern,) if isinstance(pattern, str) else tuple(pattern):
        hits = [i for i, label in enumerate(labels) if called(p, label) and (only is None or only(i))]
        if not hits:
            known = [label.rsplit("/", 1)[-1] for i, label in enumerate(labels) if label and (only is None or only(i))]
            raise ModelError(f"no {kind} is called {p!r}; there are: {', '.join(known) or 'none with a name'}")
        found += hits
    return sorted(set(found))


@dataclass
class InitialState:
    """Pose that worlds start in: ``pos`` [m] and ``rot`` (w, x, y, z) of the root, and ``joint_pos`` by pattern of joint
    names [rad or m]. What is None or not named stays as in the keyframe or the file.
    """

    pos: tuple | None = None
    rot: tuple | None = None
    joint_pos: dict | None = None


@dataclass
class BuiltinPositionActuator:
    """Position servos on the joints whose names match: ``stiffness (target - q) - damping qd``, at most
    ``effort_limit`` [N m or N].

    Numbers are for all joints, or dicts by pattern. ``armature`` and ``frictionloss`` replace those of the joints.
    """

    target_names_expr: str | tuple = ".*"
    stiffness: float | dict = 0.0
    damping: float | dict = 0.0
    effort_limit: float | dict | None = None
    armature: float | dict | None = None
    frictionloss: float | dict | None = None

    def add(self, builder, target, value, label: dict) -> None:
        """Add the actuator of a joint; ``value(name)`` is a number of it."""
        gains = {"kp": value("stiffness"), "kv": value("damping")}
        add_actuator_position(builder, target, **gains, **_limit(value("effort_limit")), custom_attributes=label)

    def add_to(self, builder, key: str) -> None:
        """Add the actuators to a builder. ModelError where no joint, or no number for a joint, is found."""
        labels = builder.joint_label
        single = lambda i: JointType(int(builder.joint_type[i])) in (JointType.REVOLUTE, JointType.PRISMATIC)
        for i in matches("hinge or slide", self.target_names_expr, labels, single):
            name, dof = labels[i].rsplit("/", 1)[-1], builder.joint_qd_start[i]
            value = lambda what, name=name: self._value(key, what, name)
            self.add(builder, ActuatorTarget.joint(i), value, {"mujoco:actuator_label": name})
            for what, table in (("armature", builder.joint_armature), ("frictionloss", builder.joint_friction)):
                if value(what) is not None:
                    table[dof] = float(value(what))

    def _value(self, key: str, what: str, joint: str):
        number = getattr(self, what, None)
        if not isinstance(number, dict):
            return number
        hits = [n for pattern, n in number.items() if re.fullmatch(pattern, joint)]
        if not hits:
            raise ModelError(f"actuators '{key}': {what} has no number for joint '{joint}'")
        return hits[-1]


@dataclass
class BuiltinVelocityActuator(BuiltinPositionActuator):
    """Velocity servos on the joints whose names match: ``damping (target - qd)``."""

    def add(self, builder, target, value, label: dict) -> None:
        limit = _limit(value("effort_limit"))
        add_actuator_velocity(builder, target, kv=value("damping"), **limit, custom_attributes=label)


@dataclass
class BuiltinMotorActuator(BuiltinPositionActuator):
    """Motors on the joints whose names match; an action of 1 is ``gear`` [N m or N], at most ``effort_limit``."""

    gear: float | dict = 1.0

    def add(self, builder, target, value, label: dict) -> None:
        limit, gear = value("effort_limit"), value("gear")
        band = {} if limit is None else {"ctrlrange": (-limit / gear, limit / gear), "ctrllimited": True}
        add_actuator_motor(builder, target, gear=(gear,), **band, custom_attributes=label)


def _limit(effort: float | None) -> dict:
    return {} if effort is None else {"forcerange": (-effort, effort), "forcelimited": True}


@capturable
@dataclass
class BuiltinSensor:
    """Sensors of MuJoCo's kind ``sensor_type``, one on each body, geom, site or joint whose name matches.

    A ``contact`` sensor shows whether there is contact, and the net force. They are named ``KEY_NAME``, after the sensor's key in the task and what it watches: ``"vel":
    BuiltinSensor("framelinvel", geoms="foot_.*")`` makes ``vel_foot_left`` and its like, which terms find by pattern.
    """

    sensor_type: str
    bodies: str | tuple | None = None
    geoms: str | tuple | None = None
    sites: str | tuple | None = None
    joints: str | tuple | None = None

    def add_to(self, builder, key: str) -> list:
        """Add the sensors to a builder; returns their names. ModelError for an unknown kind or name."""
        if self.sensor_type not in TYPES:
            raise ModelError(f"sensor '{key}': no type {self.sensor_type!r}; there are: {', '.join(TYPES)}")
        return [
            self._add(builder, f"{key}_{name}", objtype, index) for name, objtype, index in watched(builder, key, self)
        ]

    def _add(self, builder, name: str, objtype: int, index: int) -> str:
        values = {"type": TYPES.index(self.sensor_type), "label": name, "objtype": objtype, "objid": index}
        values |= {"reftype": 0, "refid": -2}
        if self.sensor_type == "contact":
            fields = sum(1 << CONTACT_FIELDS.index(field) for field in ("found", "force"))
            values |= {"fields": fields, "reduce": int(ContactReduce.NETFORCE), "slots": 1}
        add_row(builder, "sensor", {f"sensor_{k}": v for k, v in values.items()})
        return name

    adds = True

    def make(self, env, key: str) -> "BuiltinSensor":
        """The sensor at work: its numbers are the engine's, ``env.sim.data.sensordata``."""
        return self

    def update(self, mask) -> None:
        """Keep nothing beside the engine's numbers."""

    reset = update


def watched(builder, key: str, sensor) -> list:
    """(name, kind, index) of all that a sensor's patterns find."""
    site = lambda i: bool(int(builder.shape_flags[i]) & ShapeFlags.SITE)
    tables = {
        "bodies": (builder.body_label, None),
        "geoms": (builder.shape_label, lambda i: not site(i)),
        "sites": (builder.shape_label, site),
        "joints": (builder.joint_label, None),
    }
    found = []
    for what, kind in OBJECTS.items():
        if (pattern := getattr(sensor, what, None)) is not None:
            labels, only = tables[what]
            for i in matches(what[:-1].replace("bodie", "body"), pattern, labels, only):
                index = builder.joint_qd_start[i] if what == "joints" else i
                found.append((labels[i].rsplit("/", 1)[-1], kind, index))
    if not found:
        raise ModelError(f"sensor '{key}': name the bodies, geoms, sites or joints that it watches")
    return found


def builder_of(source, floating: bool | None = None, compiler: dict | None = None) -> ModelBuilder:
    """A builder with the model of a file, of MJCF text, or of a copy of a builder. ModelError for anything else."""
    one = ModelBuilder()
    register(one)
    options = {} if floating is None else {"floating": floating}
    options |= {"compiler": compiler} if compiler else {}
    if isinstance(source, ModelBuilder):
        one.add_builder(source)
    elif isinstance(source, str) and source.lstrip().startswith("<"):
        one.add_mjcf(source, **ROWS_ALONE, **options)
    elif isinstance(source, (str, Path)):
        add_file(one, source, **options)
    else:
        raise ModelError(
            f"the task's model is {type(source).__name__}; expected a file, MJCF text or a ModelBuilder to add to"
        )
    return one


def model_of(task):
    """Model that a task simulates: its own as it is, or a builder with what the task adds. ModelError names what does not
    fit.
    """
    source = task.model
    if callable(source) and not isinstance(source, ModelBuilder):
        source = source()
    sensors = {key: sensor for key, sensor in task.sensors.items() if getattr(sensor, "adds", False)}
    if not (task.actuators or sensors or task.terrain or task.compiler or task.floating is not None):
        return source
    one = builder_of(source, task.floating, task.compiler)
    for key, part in {**task.actuators, **sensors}.items():
        part.add_to(one, key)
    if isinstance(task.terrain, Terrain):
        put_terrain(one, task.terrain)
    elif task.terrain == PLANE:
        if planes(one):
            raise ModelError(f"terrain: the model has a plane, {name_of(one, planes(one)[0])}; leave terrain out")
        one.add_ground_plane(label=FLOOR)
    elif task.terrain is not None:
        raise ModelError(f"terrain: {task.terrain!r}; expected a Terrain, 'plane' or None")
    return one


def planes(builder) -> list:
    """Shapes of the world that are planes."""
    return [i for i, t in enumerate(builder.shape_type) if int(t) == GeoType.PLANE and builder.shape_body[i] == -1]


def name_of(builder, shape: int) -> str:
    """Name of a shape, for messages."""
    return repr((builder.shape_label[shape] or "").rsplit("/", 1)[-1])


def put_terrain(builder, terrain: Terrain) -> None:
    """Put the height field of a terrain in the place of the model's plane, or beside a model without one."""
    found = planes(builder)
    if len(found) > 1:
        raise ModelError(
            f"terrain: the model has {len(found)} planes, {', '.join(name_of(builder, i) for i in found)}; a terrain replaces one"
        )
    field = terrain.heightfield()
    if not found:
        builder.add_shape_heightfield(heightfield=field, label=FLOOR)
        return
    at = found[0]
    builder.shape_type[at], builder.shape_source[at] = GeoType.HFIELD, field
    builder.shape_scale[at] = (1.0, 1.0, 1.0)
    builder.shape_label[at] = FLOOR


def start_of(compiled, names: list, qpos: np.ndarray, state: InitialState | None) -> np.ndarray:
    """Coordinates that worlds start in, ``[nq]``. ModelError for joints that are none, or a root that does not move."""
    if state is None:
        return qpos
    qpos, types, adr = qpos.copy(), np.asarray(compiled.jnt_type), np.asarray(compiled.jnt_qposadr)
    for value, first, count in ((state.pos, 0, 3), (state.rot, 3, 4)):
        if value is not None:
            if not (types == MjtJoint.FREE).any():
                raise ModelError("init_state: the model has no free joint, so pos and rot move nothing; see floating")
            if len(value) != count:
                raise ModelError(f"init_state: expected {count} numbers, got {value}")
            at = adr[np.flatnonzero(types == MjtJoint.FREE)[0]] + first
            qpos[at : at + count] = np.asarray(value, float) / (np.linalg.norm(value) if first else 1.0)
    for pattern, value in (state.joint_pos or {}).items():
        for j in matches("hinge or slide", pattern, names, lambda j: types[j] > 1):
            qpos[adr[j]] = value
    return qpos

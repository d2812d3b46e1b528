"""Pairs, tendons, equalities, actuators, keyframes, cameras, lights and options as rows of the ``mujoco`` namespace."""

from collections.abc import Iterable
from itertools import product

import warp as wp

from newtonlite.core.enums import CtrlSource, CtrlType, JointTargetMode, ShapeFlags, TendonWrap, TrnType
from newtonlite.core.mujoco import MjtEq, MjtJoint, MjtLightType, MjtLimited, MjtObj
from newtonlite.core.table import keyword_of
from newtonlite.importers.equality_targets import add_equality_targets
from newtonlite.importers.mjcf.declared import put_declared_settings
from newtonlite.importers.mjcf.flexes import flex_rows
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.keys import key_row, of_keys
from newtonlite.importers.mjcf.records import records
from newtonlite.importers.mjcf.sensors import camera_lens, sensor_columns
from newtonlite.importers.mjcf.spec import Item, Spec, bound_columns, named
from newtonlite.math.quat import ONE, ZERO, rotate
from newtonlite.math.quat import product as quaternion
from newtonlite.schema.actuator import GENERAL
from newtonlite.schema.option import COMPILER, FLAG, OPTION, STATISTIC
from newtonlite.schema.tendon import SPATIAL
from newtonlite.sim.builder.attributes import add_custom_columns
from newtonlite.sim.namespace.settings import add_settings

WRAPS = keyword_of(TendonWrap).words
OBJECTS = keyword_of(MjtObj, "body joint site tendon flex").words
PLACES = {
    TrnType.JOINT: "dof",
    TrnType.JOINT_IN_PARENT: "dof",
    TrnType.TENDON: "tendon",
    TrnType.SITE: "shape",
    TrnType.SLIDERCRANK: "shape",
    TrnType.BODY: "body",
}
"""Tables of ``Built`` that have the targets of actuators, by transmission."""
DIRECTIONS = ("gravity", "wind", "magnetic")


def add_rows(builder, spec: Spec, meshes, built, options) -> None:
    """Add everything that is neither body, joint nor shape."""
    rows: list[dict] = []
    for item in spec.pairs:
        if all(id(end) in built.shape for end in item["ends"]):
            rows.append(pair_row(item, built))
    for item in spec.excludes:
        rows.append(exclude_row(item, built))
        filter_bodies(builder, spec, item, built)
    tendons = builder.custom_frequency_counts["mujoco:tendon"]
    tendon_rows(builder, spec, built, rows)
    rows += flex_rows(spec, built, builder.custom_frequency_counts, (options.pos, options.quat))
    if options.equalities:
        ties = [equality_row(item, built, options) for item in spec.equalities]
        rows += add_equality_targets(builder, ties) if options.equality_targets else ties
    actuators = actuator_columns(spec.actuators, built, options)
    follow_targets(builder, spec, built, options)
    rows += [camera_row(item, built, options) for item in spec.cameras]
    rows += [light_row(item, built, options) for item in spec.lights]
    counts = builder.custom_frequency_counts
    sensors = sensor_columns(spec, built, {name: counts[f"mujoco:{name}"] for name in ("camera", "light", "actuator")})
    first = of_keys(spec, built, counts["mujoco:actuator"], tendons)
    rows += [key_row(spec, item) | named("key", first) for item in spec.keys]
    empty = max((node.values.get("nkey", 0) for node in spec.document.sections["size"]), default=0) - len(spec.keys)
    rows += [{"mujoco:key_time": 0.0}] * empty
    rows += records(spec, meshes)
    builder.add_custom_values_batch(rows)
    blocks = ((actuators, len(spec.actuators)), sensors)
    add_custom_columns(builder, [block for block in blocks if block[1]])
    if options.settings:
        settings(builder, spec, options.turn)
        put_declared_settings(builder, built.declared, spec.document.sections["option"])
    if not options.self_collisions:
        filter_all(builder, spec, built)


def pair_row(item: Item, built) -> dict:
    """A contact pair."""
    one, two = (built.shape[id(end)] for end in item["ends"])
    return item.bound() | {"mujoco:pair_geom1": one, "mujoco:pair_geom2": two}


def exclude_row(item: Item, built) -> dict:
    """Two bodies that do not touch."""
    one, two = (built.body[id(body)] for body in item["bodies"])
    return item.bound() | {"mujoco:exclude_body1": one, "mujoco:exclude_body2": two}


def filter_bodies(builder, spec: Spec, item: Item, built) -> None:
    """Filter the pairs of shapes of two bodies."""
    one, two = ([built.shape[id(g)] for g in body.geoms if id(g) in built.shape] for body in item["bodies"])
    for a, b in product(one, two):
        if a != b:
            builder.add_shape_collision_filter_pair(a, b)


def filter_all(builder, spec: Spec, built) -> None:
    """Filter the pairs of all shapes of the model."""
    shapes = [built.shape[id(g)] for g in spec.geoms if id(g) in built.shape and g.body.parent is not None]
    shapes = [s for s in shapes if builder.shape_flags[s] & ShapeFlags.COLLIDE_SHAPES]
    for i, a in enumerate(shapes):
        for b in shapes[i + 1 :]:
            builder.add_shape_collision_filter_pair(a, b)


def tendon_rows(builder, spec: Spec, built, rows: list[dict]) -> None:
    """Tendons and what they run over; addresses count the rows that are there already."""
    counts = builder.custom_frequency_counts
    joints, wraps, first = counts["mujoco:tendon_joint"], counts["mujoco:tendon_wrap"], counts["mujoco:tendon"]
    for k, item in enumerate(spec.tendons):
        built.tendon[id(item)] = first + k
        fixed = item.node.tag == "fixed"
        path = [part for part in (wrap_row(*step, built) for step in item["path"]) if part is not None]
        adr = {"joint_adr": joints, "joint_num": len(path) if fixed else 0}
        adr |= {"wrap_adr": wraps, "wrap_num": 0 if fixed else len(path)}
        joints, wraps = joints + adr["joint_num"], wraps + adr["wrap_num"]
        # a fixed tendon cannot be given a look, but has that of its class
        rows.append(item.bound(SPATIAL) | named("tendon", adr | {"type": int(not fixed)}))
        rows += path


def wrap_row(what: str, thing, value, built) -> dict | None:
    """One step of a tendon's path; None for what was left out of the scene."""
    if what == "joint":
        return {
            "mujoco:tendon_joint": built.joint[id(thing)],
            "mujoco:tendon_joint_dof": built.dof[id(thing)],
            "mujoco:tendon_coef": value,
        }
    if what == "pulley":
        return {"mujoco:tendon_wrap_type": WRAPS[what], "mujoco:tendon_wrap_prm": value}
    side = -1 if value is None else built.shape.get(id(value), -1)
    return {
        "mujoco:tendon_wrap_type": WRAPS[what],
        "mujoco:tendon_wrap_shape": built.shape.get(id(thing), -1),
        "mujoco:tendon_wrap_sidesite": side,
    }


def equality_row(item: Item, built, options) -> dict:
    """An equality constraint; ends that do not exist stay -1."""
    row = {"type": item["eqtype"], "label": built.labels.of_model(item.name), "name": item.name}
    row |= {"objtype": OBJECTS[item["of"]]} | equality_ends(item, built)
    if item["eqtype"] in (MjtEq.CONNECT, MjtEq.WELD):
        row |= placed_tie(item, (options.pos, options.quat))
    return item.bound() | named("equality_constraint", row)


def equality_ends(item: Item, built) -> dict:
    """Indices of the two bodies, sites, joints or tendons that are tied."""
    row, of = {}, item["of"]
    where = {"body": built.body, "site": built.shape, "joint": built.joint, "tendon": built.tendon, "flex": built.flex}[
        of
    ]
    for k, end in enumerate(item["ends"], 1):
        if end is not None:
            row["flex" if of == "flex" else f"{of}{k}"] = where.get(id(end), -1)
            row |= {f"joint{k}_dof": built.dof[id(end)]} if of == "joint" else {}
    return row


def placed_tie(item: Item, world) -> dict:
    """Anchor of a connect or weld, and relative pose of a weld, where the file's world has the pose ``world`` on what
    carries it.

    A connect's anchor is on its first body; a weld's on its second, and the pose says where on the first that should
    be.
    """
    anchor, pose = item.values.get("anchor", ZERO), item.values.get("relpose", (*ZERO, *ZERO, 0.0))
    on_world = [item["of"] == "body" and end is not None and end.parent is None for end in item["ends"]]
    weld = item["eqtype"] == MjtEq.WELD
    if on_world[weld]:
        anchor = chain(*world, anchor, ONE)[0]
    if weld and any(pose[3:]):
        if on_world[0]:
            pose = tuple(x for part in chain(*world, pose[:3], pose[3:]) for x in part)
        elif on_world[1]:
            w, *v = world[1]
            pose = (*pose[:3], *quaternion(pose[3:], (w, *(-x for x in v))))
    return {"anchor": anchor} | ({"relpose": (*pose[:3], *pose[4:], pose[3])} if weld else {})


def actuator_columns(items: list[Item], built, options) -> dict[str, list]:
    """Actuators, their shortcuts spelled out."""
    if not items:
        return {}
    targets = zip(*(actuator_target(item, built) for item in items))
    columns: dict[str, Iterable] = dict(zip(("trntype", "trnid", "target_label", "refsite", "slidersite"), targets))
    columns["ctrlspec"] = [item.values["ctrlspec"] for item in items]
    columns["plugin"] = [item["plugin"].text() if item.values.get("plugin") else None for item in items]
    for attr in GENERAL.attrs:
        if attr.decides:
            columns[f"has_{attr.decides}"] = have_range(items, attr.name, attr.decides)
    servos = {
        "mujoco:ctrl_source": [
            CtrlSource.JOINT_TARGET if follows(item, options) else CtrlSource.CTRL_DIRECT for item in items
        ],
        "mujoco:ctrl_type": [servo_of(item) for item in items],
    }
    return bound_columns(items, GENERAL) | named("actuator", columns) | servos


def actuator_target(item: Item, built) -> tuple[int, tuple[int, int], str, int, int]:
    """Target of an actuator: kind, index, name; and its second sites."""
    values, shapes = item.values, built.shape
    kind, target = values["trntype"], values["target"]
    number = getattr(built, PLACES[kind]).get(id(target), -1)
    sites = (shapes.get(id(values[f"{name}_item"]), -1) for name in ("refsite", "slidersite"))
    return kind, (number, -1), target.name, *sites


def have_range(items: list[Item], flag: str, band: str) -> list[int]:
    """Whether a range of each actuator was given."""
    flags = [item.values.get(flag) == MjtLimited.AUTO for item in items]
    bands = [item.values.get(band, (0.0, 0.0)) for item in items]
    return [int(low < high if auto else (low, high) != (0.0, 0.0)) for auto, (low, high) in zip(flags, bands)]


def servo_of(item: Item) -> int:
    """Kind of shortcut of an actuator."""
    return {"position": CtrlType.POSITION, "velocity": CtrlType.VELOCITY}.get(item.node.tag, CtrlType.GENERAL)


def follows(item: Item, options) -> bool:
    """Whether an actuator follows the targets of its joint."""
    if options.ctrl_direct or servo_of(item) == CtrlType.GENERAL or item["trntype"] != TrnType.JOINT:
        return False
    return item["target"]["type"] in (MjtJoint.SLIDE, MjtJoint.HINGE)


def follow_targets(builder, spec: Spec, built, options) -> None:
    """Give dofs the target mode and the gains of the servos that follow their targets; the damping of a velocity servo
    comes before that of a position servo.
    """
    servos = [item for item in spec.actuators if follows(item, options) and id(item["target"]) in built.dof]
    for item in sorted(servos, key=servo_of):
        dof = built.dof[id(item["target"])]
        mode = builder.joint_target_mode[dof]
        if servo_of(item) == CtrlType.POSITION:
            builder.joint_target_mode[dof] = JointTargetMode.POSITION
            builder.joint_target_ke[dof] = item["gainprm"][0]
            builder.joint_target_kd[dof] = max(0.0, -item["biasprm"][2])
        else:
            both = mode in (JointTargetMode.POSITION, JointTargetMode.POSITION_VELOCITY)
            builder.joint_target_mode[dof] = JointTargetMode.POSITION_VELOCITY if both else JointTargetMode.VELOCITY
            builder.joint_target_kd[dof] = item["gainprm"][0]


def on_body(item: Item, built, options) -> tuple[int, tuple, tuple]:
    """The body something is on, and what moves it in the world."""
    body = built.body[id(item.body)]
    return body, *((options.pos, options.quat) if item.body.parent is None else (ZERO, ONE))


def target_of(item: Item, built) -> int:
    """The body a camera or light looks at; -2 for none."""
    target = item.values.get("target_body")
    return -2 if target is None else built.body[id(target)]


def camera_row(item: Item, built, options) -> dict:
    """A camera."""
    body, pos, quat = on_body(item, built, options)
    pos, quat = chain(pos, quat, item.pos, item.quat)
    own = {"body": body, "pos": pos, "quat": quat, "target": target_of(item, built)}
    return item.bound() | named("camera", camera_lens(item) | own)


def light_row(item: Item, built, options) -> dict:
    """A light."""
    body, pos, quat = on_body(item, built, options)
    pos, quat = chain(pos, quat, *chain(item.place.pos, item.place.quat, item["pos"], ONE))
    if item.values.get("directional"):
        item.values["type"] = MjtLightType.DIRECTIONAL
    own = {"body": body, "pos": pos, "dir": rotate(quat, item["dir"]), "target": target_of(item, built)}
    return item.bound() | named("light", own)


def settings(builder, spec: Spec, turn) -> None:
    """Options, flags and statistics; what the file does not say is MuJoCo's default. ``turn`` brings its directions
    into the scene.
    """
    document = spec.document
    option = document.option | {name: rotate(turn, document.option[name]) for name in DIRECTIONS}
    for element, values in (
        (OPTION, option),
        (FLAG, document.flags),
        (COMPILER, document.compiler),
        (STATISTIC, document.statistic),
    ):
        add_settings(builder, element, values)
    set_gravity(builder, option["gravity"])


def set_gravity(builder, gravity) -> None:
    """Gravity of the open world, or of the builder."""
    if builder.current_world >= 0:
        builder.world_gravity[builder.current_world] = wp.vec3(*gravity)
    else:
        builder.gravity = gravity

"""Pairs, tendons, equalities, actuators, keyframes, cameras, lights and options as rows of the ``mujoco`` namespace."""

from itertools import product

import warp as wp

from newtonlite.core.enums import CtrlSource, CtrlType, JointTargetMode, ShapeFlags, TendonWrap, TrnType
from newtonlite.core.mujoco import MjtEq, MjtJoint, MjtLimited, MjtObj
from newtonlite.core.table import keyword_of
from newtonlite.importers.mjcf.frame import ONE, ZERO, chain, rotate
from newtonlite.importers.mjcf.frame import product as quaternion
from newtonlite.importers.mjcf.keys import key_row, of_keys, text_of
from newtonlite.importers.mjcf.records import records
from newtonlite.importers.mjcf.sensors import camera_lens, sensor_rows
from newtonlite.importers.mjcf.spec import Item, Spec
from newtonlite.schema.namespace import PER_WORLD
from newtonlite.schema.option import FLAG

WRAPS = keyword_of(TendonWrap).words
OBJECTS = keyword_of(MjtObj, "body joint site tendon").words
CAMERA = ("mode", "ipd", "resolution", "sensorsize", "projection")
LIGHT = (
    "mode",
    "type",
    "castshadow",
    "active",
    "attenuation",
    "cutoff",
    "exponent",
    "ambient",
    "diffuse",
    "specular",
    "bulbradius",
    "intensity",
    "range",
    "softness",
)
WIDTH = 0.003
DIRECTIONS = ("gravity", "wind", "magnetic")


def add_rows(builder, spec: Spec, meshes, built, options) -> None:
    """Add everything that is neither body, joint nor shape."""
    rows: list[dict] = []
    for item in spec.pairs:
        if all(id(end) in built.shape for end in item["ends"]):
            rows.append(named("pair", pair_row(item, built)))
    for item in spec.excludes:
        rows.append(
            named(
                "exclude",
                {
                    "body1": built.body[id(item["bodies"][0])],
                    "body2": built.body[id(item["bodies"][1])],
                    "label": item.name,
                },
            )
        )
        filter_bodies(builder, spec, item, built)
    tendons = builder.custom_frequency_counts["mujoco:tendon"]
    tendon_rows(builder, spec, built, rows)
    if options.equalities:
        rows += [equality_row(item, built, options) for item in spec.equalities]
    rows += [actuator_row(item, built, options) for item in spec.actuators]
    follow_targets(builder, spec, built, options)
    rows += [named("camera", camera_row(item, built, options)) for item in spec.cameras]
    rows += [named("light", light_row(item, built, options)) for item in spec.lights]
    counts = builder.custom_frequency_counts
    rows += sensor_rows(spec, built, {name: counts[f"mujoco:{name}"] for name in ("camera", "light", "actuator")})
    first = of_keys(spec, built, counts["mujoco:actuator"], tendons)
    rows += [named("key", key_row(spec, item) | first) for item in spec.keys]
    empty = max((node.values.get("nkey", 0) for node in spec.document.sections["size"]), default=0) - len(spec.keys)
    rows += [{"mujoco:key_time": 0.0}] * empty
    rows += records(spec, meshes)
    builder.add_custom_values_batch(rows)
    if options.settings:
        add_settings(builder, spec, options.turn)
    if not options.self_collisions:
        filter_all(builder, spec, built)


def named(kind: str, values: dict) -> dict:
    """Values under their full names."""
    return {f"mujoco:{kind}_{name}": value for name, value in values.items()}


def numbers(value, width: int):
    """A tuple of exactly ``width`` numbers."""
    return tuple(value) + (0.0,) * (width - len(value))


def pair_row(item: Item, built) -> dict:
    """A contact pair."""
    one, two = (built.shape[id(end)] for end in item["ends"])
    values = {name: item[name] for name in ("condim", "friction", "solref", "solimp", "margin", "gap", "adhesion")}
    friction = item["solreffriction"]
    return values | {"geom1": one, "geom2": two, "label": item.name, "solreffriction": friction}


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
        adr = {"tendon_joint_adr": joints, "tendon_joint_num": len(path) if fixed else 0}
        adr |= {"tendon_wrap_adr": wraps, "tendon_wrap_num": 0 if fixed else len(path)}
        joints, wraps = joints + adr["tendon_joint_num"], wraps + adr["tendon_wrap_num"]
        same = ("stiffness", "damping", "frictionloss", "armature", "limited", "range", "margin", "springlength")
        values = {f"tendon_{name}": item[name] for name in same}
        values |= {"tendon_limited": item["authored_limited"]}
        values |= {"tendon_label": item.name, "tendon_type": int(not fixed), "tendon_solref_limit": item["solreflimit"]}
        values |= {"tendon_solimp_limit": item["solimplimit"], "tendon_solref_friction": item["solreffriction"]}
        values |= {
            "tendon_solimp_friction": item["solimpfriction"],
            "tendon_actuator_force_range": item["actuatorfrcrange"],
        }
        values |= {"tendon_actuator_force_limited": item["authored_actuatorfrclimited"]} | adr
        values |= {"tendon_stiffnesspoly": item["stiffnesspoly"], "tendon_dampingpoly": item["dampingpoly"]}
        values |= {f"tendon_{name}": item[name] for name in ("group", "springyield")}
        values |= {
            "tendon_width": item.values.get("width", WIDTH),
            "tendon_rgba": item.values.get("rgba", (0.5, 0.5, 0.5, 1.0)),
        }
        values |= {"tendon_material": material_of(item), "tendon_user": text_of(item.values.get("user"))}
        rows.append({f"mujoco:{name}": value for name, value in values.items()})
        rows += path


def material_of(item: Item) -> str:
    """The name of an item's material in the model; '' for none."""
    return item.place.owner + item.values["material"] if item.values.get("material") else ""


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
    kind, ends, of = item["eqtype"], item["ends"], item["of"]
    row = {
        "type": kind,
        "label": built.labels.of_model(item.name),
        "name": item.name,
        "enabled": item["active"],
        "objtype": OBJECTS[of],
    }
    for k, end in enumerate(ends, 1):
        if end is None:
            continue
        if of == "body":
            row[f"body{k}"] = built.body[id(end)]
        elif of == "site":
            row[f"site{k}"] = built.shape.get(id(end), -1)
        elif of == "tendon":
            row[f"tendon{k}"] = built.tendon[id(end)]
        else:
            row |= {f"joint{k}": built.joint[id(end)], f"joint{k}_dof": built.dof[id(end)]}
    if kind in (MjtEq.CONNECT, MjtEq.WELD):
        row["anchor"], pose = placed_tie(item, (options.pos, options.quat))
    if kind == MjtEq.WELD:
        row |= {"torquescale": item["torquescale"], "relpose": (*pose[:3], *pose[4:], pose[3])}
    if kind >= MjtEq.JOINT:
        row["polycoef"] = item["polycoef"]
    return named("equality_constraint", row) | {"mujoco:eq_solref": item["solref"], "mujoco:eq_solimp": item["solimp"]}


def placed_tie(item: Item, world) -> tuple[tuple, tuple]:
    """Anchor and relative pose (position, w, x, y, z) of a connect or weld, where the file's world has the pose
    ``world`` on what carries it.

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
    return anchor, pose


def actuator_row(item: Item, built, options) -> dict:
    """An actuator, its shortcut spelled out."""
    kind, target = item["trntype"], item["target"]
    where = {
        TrnType.JOINT: built.dof,
        TrnType.JOINT_IN_PARENT: built.dof,
        TrnType.TENDON: built.tendon,
        TrnType.SITE: built.shape,
        TrnType.SLIDERCRANK: built.shape,
        TrnType.BODY: built.body,
    }[kind]
    values = {
        name: item[name]
        for name in ("trntype", "dyntype", "gaintype", "biastype", "dynprm", "gainprm", "biasprm", "actdim", "actearly")
    }
    values |= {
        "trnid": (where.get(id(target), -1), -1),
        "label": item.name,
        "target_label": target.name,
        "group": item["group"],
    }
    values |= {"gear": item.values.get("gear", numbers((1.0,), 6)), "cranklength": item.values.get("cranklength", 0.0)}
    values |= {name: built.shape.get(id(item[f"{name}_item"]), -1) for name in ("refsite", "slidersite")}
    values |= {name: item.values.get(name, 0) for name in ("armature", "nsample", "interp", "delay", "ctrlspec")}
    values |= {name: item.values.get(name) or (0.0, 0.0) for name in ("velrange", "ffrange")}
    damping = item.values.get("damping", (0.0, 0.0, 0.0))
    values |= {"damping": damping[0], "dampingpoly": damping[1:], "user": text_of(item.values.get("user"))}
    values["lengthrange"] = item.values.get("lengthrange", (0.0, 0.0))
    for name in ("ctrl", "force", "act"):
        band = item.values.get(f"{name}range", (0.0, 0.0))
        given = band[0] < band[1] if item[f"authored_{name}limited"] == MjtLimited.AUTO else band != (0.0, 0.0)
        values |= {
            f"{name}range": band,
            f"{name}limited": item[f"authored_{name}limited"],
            f"has_{name}range": int(given),
        }
    source = CtrlSource.JOINT_TARGET if follows(item, options) else CtrlSource.CTRL_DIRECT
    return named("actuator", values) | {"mujoco:ctrl_source": source, "mujoco:ctrl_type": servo_of(item)}


def servo_of(item: Item) -> int:
    """Kind of shortcut of an actuator."""
    return {"position": CtrlType.POSITION, "velocity": CtrlType.VELOCITY}.get(item.node.tag, CtrlType.GENERAL)


def follows(item: Item, options) -> bool:
    """Whether an actuator follows the targets of its joint."""
    on_joint = item["trntype"] == TrnType.JOINT and item["target"]["type"] in (MjtJoint.SLIDE, MjtJoint.HINGE)
    return on_joint and servo_of(item) != CtrlType.GENERAL and not options.ctrl_direct


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
    return (
        {name: item[name] for name in CAMERA}
        | camera_lens(item)
        | {
            "user": text_of(item.values.get("user")),
            "body": body,
            "pos": pos,
            "quat": quat,
            "label": item.name,
            "target": target_of(item, built),
        }
    )


def light_row(item: Item, built, options) -> dict:
    """A light."""
    body, pos, quat = on_body(item, built, options)
    pos, quat = chain(pos, quat, *chain(item.place.pos, item.place.quat, item["pos"], ONE))
    direction = rotate(quat, item["dir"])
    if item.values.get("directional"):
        item.values["type"] = 1
    return {name: item[name] for name in LIGHT} | {
        "body": body,
        "pos": pos,
        "dir": direction,
        "label": item.name,
        "target": target_of(item, built),
        "texture": texture_of(item),
    }


def texture_of(item: Item) -> str:
    """The name of a light's texture in the model; '' for none."""
    return item.place.owner + item.node.values["texture"] if "texture" in item.node.values else ""


def add_settings(builder, spec: Spec, turn) -> None:
    """Options, flags and statistics; what the file does not say is MuJoCo's default. ``turn`` brings its directions
    into the scene.
    """
    row = max(builder.current_world, 0)
    document = spec.document
    option = document.option | {name: rotate(turn, document.option[name]) for name in DIRECTIONS}
    for name, value in option.items():
        key = f"mujoco:{name}"
        if name != "gravity" and key in builder.custom_attributes:
            builder.custom_attributes[key].values[row if name in PER_WORLD else 0] = value
    for attr in FLAG.attrs:
        for name in attr.custom():
            builder.custom_attributes[f"mujoco:{name}"].values[0] = document.flags[attr.name]
    groups = option.get("actuatorgroupdisable") or ()
    builder.custom_attributes["mujoco:actuator_group_disabled"].values[0] = sum(1 << g for g in set(groups))
    builder.custom_attributes["mujoco:autolimits"].values[0] = document.compiler["autolimits"]
    for name, value in document.statistic.items():
        builder.custom_attributes[f"mujoco:stat_{name}"].values[0] = value
    set_gravity(builder, option["gravity"])


def set_gravity(builder, gravity) -> None:
    """Gravity of the open world, or of the builder."""
    if builder.current_world >= 0:
        builder.world_gravity[builder.current_world] = wp.vec3(*gravity)
    else:
        builder.gravity = gravity

"""From a resolved ``Spec`` into a builder, in Newton's words."""

import math
from dataclasses import dataclass, field
from typing import Any

from newtonlite.core.enums import JointTargetMode, JointType
from newtonlite.sim.builder.config import JointDofConfig

from .base import Base, settle
from .frame import ONE, ZERO, Vec, chain
from .joints import BALL, FREE, HINGE, SLIDE
from .place_shapes import add_geom, add_site
from .rows import add_rows, text_of
from .select import Selection
from .spec import Body, Item, Spec

UNLIMITED = 1.0e10
UNLIMITED_EFFORT = 1.0e6
LIMIT_GAINS = (1.0e4, 1.0e1)
RAW, MJCF_DEFAULT = 1, 2
WORLD = -1


@dataclass
class Options:
    """What the caller of ``parse_mjcf`` wants; poses in MuJoCo's order."""

    pos: Vec = ZERO
    quat: Vec = ONE
    turn: Vec = ONE
    """Rotation of the file's up axis onto the builder's; ``quat`` has it already."""
    base: Base = field(default_factory=Base)
    merge: bool = False
    """Whether bodies without joints become part of what carries them."""
    balls: bool = False
    """Whether three hinges of a body become a ball joint."""
    skip_empty: bool = False
    """Whether bodies on the world without joints and mass become part of it."""
    armature_scale: float = 1.0
    sites: bool = True
    visuals: bool = True
    hide_visuals: bool = False
    meshes: bool = True
    settings: bool = True
    self_collisions: bool = True
    equalities: bool = True
    ctrl_direct: bool = False
    legacy_margin_gap: bool = False
    maxhullvert: int | None = None
    selection: Selection = field(default_factory=Selection)


@dataclass
class Built:
    """Where everything ended up: builder indices by id of body or item."""

    body: dict[int, int] = field(default_factory=dict)
    joint: dict[int, int] = field(default_factory=dict)
    between: dict[int, list[int]] = field(default_factory=dict)
    """Joints of massless links, by body."""
    dof: dict[int, int] = field(default_factory=dict)
    shape: dict[int, int] = field(default_factory=dict)
    tendon: dict[int, int] = field(default_factory=dict)
    carried: set[int] = field(default_factory=set)
    """Bodies that the caller's own joint carries, by id."""
    domain: int = 0
    world: tuple[Vec, Vec] = (ZERO, ONE)
    """Pose of the file's world in the scene's."""


def build(builder, spec: Spec, meshes, options: Options) -> Built:
    """Add a model to a builder; returns where everything went. ParseError before anything is added."""
    carried = settle(spec, options)
    built = Built(domain=next_domain(builder), carried=carried)
    built.body[id(spec.world)] = parent = options.base.parent
    built.world = chain(*pose_of(builder, parent), options.pos, options.quat)
    poses = {id(spec.world): built.world}
    trees: dict[int, list[int]] = {}
    for body in spec.bodies[1:]:
        poses[id(body)] = pose = chain(*poses[id(body.parent)], body.pos, body.quat)
        joint = add_body(builder, body, pose, built, options)
        trees.setdefault(id(root_of(body)), []).extend([*built.between.get(id(body), ()), joint])
    for body in spec.bodies[1:]:
        if id(body) in trees:
            builder.add_articulation(trees[id(body)], label=body.name or None)
    offset = {id(spec.world): (options.pos, options.quat)}
    for geom in spec.geoms:
        add_geom(builder, geom, offset.get(id(geom.body)), meshes, built, options)
    if options.sites:
        for site in spec.sites:
            add_site(builder, site, offset.get(id(site.body)), built)
    add_rows(builder, spec, meshes, built, options)
    return built


def pose_of(builder, body: int) -> tuple[Vec, Vec]:
    """Where a body of the builder is in the world, -1 being the world itself."""
    if body == WORLD:
        return ZERO, ONE
    x, y, z, a, b, c, w = (float(v) for v in builder.body_q[body])
    return (x, y, z), (w, a, b, c)


def next_domain(builder) -> int:
    """A number for this file's collision masks that no other file has."""
    known = builder.custom_attributes["mujoco:collision_mask_domain"]
    return int(known.array(builder.shape_count).max(initial=-1)) + 1


def root_of(body: Body) -> Body:
    """The body of its tree whose parent is the world."""
    while body.parent.parent is not None:
        body = body.parent
    return body


def add_body(builder, body: Body, pose: tuple[Vec, Vec], built: Built, options: Options) -> int:
    """A link and the joint that carries it; returns the joint."""
    link = builder.add_link(
        xform=transform(*pose),
        com=body.com,
        inertia=body.inertia,
        mass=body.mass,
        label=body.name or None,
        lock_inertia=True,
        custom_attributes={
            "mujoco:body_mocap": int(body.values["mocap"]),
            "mujoco:gravcomp": body.values["gravcomp"],
            "mujoco:sleep_policy": body.values["sleep"],
            "mujoco:body_iquat": body.iquat,
            "mujoco:body_unnamed": not body.name,
            "mujoco:body_user": text_of(body.values.get("user")),
        },
    )
    built.body[id(body)] = link
    return add_joint(builder, body, link, built, options)


def add_joint(builder, body: Body, link: int, built: Built, options: Options) -> int:
    """The Newton joints that stand for all joints of a body; returns the last, which carries it.

    Where they do not fit into one, massless links lie between them, in the pose that the body has.
    """
    parent = built.body[id(body.parent)]
    pos, quat = (body.pos, body.quat) if body.parent.parent is not None else chain(options.pos, options.quat, body.pos, body.quat)
    if id(body) in built.carried:
        return builder.add_joint(parent=parent, child=link, parent_xform=transform(pos, quat), **options.base.joint)
    if not body.joints:
        label = f"{body.name}_fixed" if body.name else None
        return builder.add_joint_fixed(parent, link, parent_xform=transform(pos, quat), label=label, collision_filter_parent=False)
    parts = split(body.joints)
    for joints in parts[:-1]:
        between = add_link_between(builder, body, link)
        joint = add_part(builder, joints, (parent, between), (pos, quat), built, options)
        built.between.setdefault(id(body), []).append(joint)
        parent, pos, quat = between, ZERO, ONE
    return add_part(builder, parts[-1], (parent, link), (pos, quat), built, options)


def split(joints: list[Item]) -> list[list[Item]]:
    """A body's joints in runs that a Newton joint can be: a ball, or up to three slides and three hinges."""
    parts: list[list[Item]] = []
    for item in joints:
        kind = item["type"]
        alone = kind in (BALL, FREE) or not parts or parts[-1][0]["type"] in (BALL, FREE)
        if alone or sum(other["type"] == kind for other in parts[-1]) == 3:
            parts.append([])
        parts[-1].append(item)
    return parts


def add_link_between(builder, body: Body, link: int) -> int:
    """A massless link where the body is."""
    custom = {"mujoco:body_link": 1, "mujoco:body_unnamed": True}
    return builder.add_link(xform=builder.body_q[link], label=f"{body.name}_link" if body.name else None, lock_inertia=True, custom_attributes=custom)


def add_part(builder, joints: list[Item], ends: tuple[int, int], frame: tuple[Vec, Vec], built: Built, options: Options) -> int:
    """One Newton joint, for joints that fit into one; ``frame`` is the body's pose in its parent."""
    first, lead, order = builder.joint_dof_count, joints[0], newton_order(joints)
    label = "_".join(item.name for item in joints if item.name) or None
    custom = joint_attributes(joints, order) | {"mujoco:joint_unnamed": label is None}
    common = dict(label=label, collision_filter_parent=False, custom_attributes=custom)
    for k, item in enumerate(order):
        built.dof[id(item)] = first + k
        built.joint[id(item)] = builder.joint_count
    if lead["type"] == FREE:
        return builder.add_joint(JointType.FREE, *ends, linear_axes=axes(lead, options), angular_axes=axes(lead, options), **common)
    common |= dict(parent_xform=transform(*chain(*frame, lead.pos, ONE)), child_xform=transform(lead.pos, ONE))
    if lead["type"] == BALL:
        return builder.add_joint(JointType.BALL, *ends, angular_axes=axes(lead, options), **common)
    groups = {SLIDE: [], HINGE: []}
    for item in order:
        groups[item["type"]].append(axis(item, options))
    kind = JointType.D6 if len(order) > 1 else JointType.REVOLUTE if groups[HINGE] else JointType.PRISMATIC
    return builder.add_joint(kind, *ends, linear_axes=groups[SLIDE], angular_axes=groups[HINGE], **common)


def newton_order(joints: list[Item]) -> list[Item]:
    """Slides, then hinges, as a D6 has them."""
    return sorted(joints, key=lambda item: item["type"] == HINGE)


def joint_attributes(joints: list[Item], order: list[Item]) -> dict[str, Any]:
    """Custom attributes of a joint: one value per dof, in Newton's order."""
    values = [dof_attributes(item, joints) for item in order]
    count = {FREE: 6, BALL: 3}.get(order[0]["type"], 0)
    if count:
        return {f"mujoco:{name}": [value] + [rest_of(name, value)] * (count - 1) for name, value in values[0].items()}
    return {f"mujoco:{name}": [v[name] for v in values] for name in values[0]}


def rest_of(name: str, value):
    """What the further dofs of a ball or free joint get: the same, but the name."""
    return "" if name in ("joint_dof_label", "joint_user") else value


def dof_attributes(item: Item, joints: list[Item]) -> dict[str, Any]:
    """Custom attributes of one MuJoCo joint, without their namespace."""
    found: dict[str, Any] = {"joint_dof_label": item.name, "jnt_group": item["group"]}
    if item.node.tag == "freejoint":
        return found
    raw = "solreflimit" in item.given
    found |= {
        "limit_margin": item["margin"],
        "solimplimit": item["solimplimit"],
        "solreflimit": item["solreflimit"] if raw else (0.0, 0.0),
        "solreflimit_mode": RAW if raw else MJCF_DEFAULT,
        "solreflimit_gain_baseline": LIMIT_GAINS,
        "solreffriction": item["solreffriction"],
        "solimpfriction": item["solimpfriction"],
        "jnt_actgravcomp": item["actuatorgravcomp"],
        "jnt_range": (math.nan, math.nan) if item["limited"] else item["range"],
        "jnt_stiffnesspoly": item["stiffnesspoly"],
        "jnt_springdamper": item["springdamper"],
        "dof_dampingpoly": item["dampingpoly"],
        "jnt_springyield": item["springyield"],
        "joint_user": text_of(item.values.get("user")),
    }
    if item["type"] in (SLIDE, HINGE):
        found["dof_ref"] = item["ref"]
        low, high = item["actuatorfrcrange"]
        plain = item["actuatorfrclimited"] and low == -high and high < UNLIMITED_EFFORT
        found["jnt_actfrcrange"] = (0.0, 0.0) if plain else (low, high)
    if len(joints) > 1:
        found |= {"dof_pos": item.pos, "dof_order": joints.index(item)}
    return found


def axis(item: Item, options: Options) -> JointDofConfig:
    """One hinge or slide, its coordinate counted from the pose of the file."""
    ref = item["ref"]
    low, high = (x - ref for x in item["range"]) if item["limited"] else (-UNLIMITED, UNLIMITED)
    effort = max(map(abs, item["actuatorfrcrange"])) if item["actuatorfrclimited"] else UNLIMITED_EFFORT
    return JointDofConfig(
        axis=item["axis"],
        limit_lower=low,
        limit_upper=high,
        limit_ke=LIMIT_GAINS[0],
        limit_kd=LIMIT_GAINS[1],
        target_q=0.0,
        stiffness=item["stiffness"],
        rest_q=item["springref"] - ref,
        damping=item["damping"],
        armature=item["armature"] * options.armature_scale,
        friction=item["frictionloss"],
        effort_limit=effort,
        actuator_mode=JointTargetMode.NONE,
    )


def axes(item: Item, options: Options) -> list[JointDofConfig]:
    """The three turning axes of a ball, each that of a hinge where it was made of three, or the three moving or turning ones of a free joint."""
    ball = item["type"] == BALL
    found = []
    for k, part in enumerate(item.values.get("hinges", (item,) * 3)):
        values = part.values
        low, high = values["range"] if ball and item["limited"] and (k == 0 or part is not item) else (-UNLIMITED, UNLIMITED)
        found.append(
            JointDofConfig(
                axis=k,
                limit_lower=low,
                limit_upper=high,
                limit_ke=LIMIT_GAINS[0] if ball else 0.0,
                limit_kd=LIMIT_GAINS[1] if ball else 0.0,
                stiffness=values.get("stiffness", 0.0),
                damping=values.get("damping", 0.0),
                armature=values.get("armature", 0.0) * options.armature_scale,
                friction=values.get("frictionloss", 0.0),
                actuator_mode=JointTargetMode.NONE,
            )
        )
    return found


def transform(pos: Vec, quat: Vec) -> tuple[float, ...]:
    """A pose in Newton's order: position, then (x, y, z, w)."""
    return (*pos, quat[1], quat[2], quat[3], quat[0])

"""Build: from a resolved ``Spec`` into a builder, in Newton's words."""

from dataclasses import dataclass, field, replace

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import JointType
from newtonlite.core.mujoco import MjtJoint
from newtonlite.importers.mjcf.declared import Declared, declared_attributes, declared_of_joint, declared_values
from newtonlite.importers.mjcf.dofs import WIDTH, joint_attributes, joint_axes, joint_axis
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.labels import Labels
from newtonlite.importers.mjcf.options import MjcfOptions
from newtonlite.importers.mjcf.place_shapes import is_visual, place_shapes
from newtonlite.importers.mjcf.rows import add_rows
from newtonlite.importers.mjcf.spec import Body, Item, Spec
from newtonlite.math.quat import ONE, ZERO, Vec

WORLD = -1


@dataclass
class Built:
    """Builder indices of everything that was built, by id of body or item."""

    labels: Labels
    declared: dict[F, Declared]
    body: dict[int, int] = field(default_factory=dict)
    joint: dict[int, int] = field(default_factory=dict)
    between: dict[int, list[int]] = field(default_factory=dict)
    """Joints of massless links, by body."""
    dof: dict[int, int] = field(default_factory=dict)
    shape: dict[int, int] = field(default_factory=dict)
    tendon: dict[int, int] = field(default_factory=dict)
    flex: dict[int, int] = field(default_factory=dict)
    domain: int = 0
    world: tuple[Vec, Vec] = (ZERO, ONE)
    """Pose of the file's world in the scene's."""


def build(builder, spec: Spec, meshes, options: MjcfOptions) -> Built:
    """Add a model, edited, to a builder; returns where everything went."""
    options = replace(options, joint=builder.default_joint_cfg, shape=builder.default_shape_cfg, paired=paired(spec))
    options.seen = options.seen or not any(is_visual(geom, options) for geom in spec.geoms)
    built = Built(Labels(spec, options.flat_labels), declared_attributes(builder), domain=next_domain(builder))
    built.body[id(spec.world)] = parent = options.base.parent
    built.world = chain(*pose_of(builder, parent), options.pos, options.quat)
    poses = {id(spec.world): built.world}
    trees: dict[int, list[int]] = {}
    for body in spec.bodies[1:]:
        poses[id(body)] = pose = chain(*poses[id(body.parent)], body.pos, body.quat)
        joint = add_body(builder, spec, body, pose, built, options)
        trees.setdefault(id(root_body(body)), []).extend([*built.between.get(id(body), ()), joint])
    articulate(builder, spec, trees, built, parent)
    frames = {id(spec.world): (options.pos, options.quat)}
    place_shapes(builder, in_scene_order(spec, options.sites), frames, meshes, built, options)
    add_rows(builder, spec, meshes, built, options)
    return built


def in_scene_order(spec: Spec, sites: bool) -> list[Item]:
    """Geoms and sites in the order of the scene: body by body, the geoms of each before its sites, the world last."""
    items = [*spec.geoms, *spec.sites] if sites else spec.geoms
    return sorted(items, key=lambda item: (item.body is spec.world, item.body.index))


def articulate(builder, spec: Spec, trees: dict[int, list[int]], built: Built, parent: int) -> None:
    """Make an articulation of the joints of each root; on a body of the scene they join that body's."""
    for body in spec.bodies[1:]:
        if id(body) not in trees:
            continue
        if parent == WORLD:
            builder.add_articulation(trees[id(body)], label=built.labels.articulation(body, len(trees) == 1))
        else:
            builder.extend_articulation(parent, trees[id(body)])


def pose_of(builder, body: int) -> tuple[Vec, Vec]:
    """World pose of a body of the builder, -1 being the world itself."""
    if body == WORLD:
        return ZERO, ONE
    x, y, z, a, b, c, w = (float(v) for v in builder.body_q[body])
    return (x, y, z), (w, a, b, c)


def paired(spec: Spec) -> frozenset[int]:
    """Ids of the geoms that contact pairs name."""
    return frozenset(id(end) for item in spec.pairs for end in item["ends"])


def next_domain(builder) -> int:
    """A number for this file's collision masks that no other file has."""
    known = builder.custom_attributes["mujoco:collision_mask_domain"]
    return int(known.array(builder.shape_count).max(initial=-1)) + 1


def root_body(body: Body) -> Body:
    """The body of its tree whose parent is the world."""
    while body.parent.parent is not None:
        body = body.parent
    return body


def add_body(builder, spec: Spec, body: Body, pose: tuple[Vec, Vec], built: Built, options: MjcfOptions) -> int:
    """A link and the joint that carries it; returns the joint."""
    link = builder.add_link(
        xform=transform(*pose),
        com=body.com,
        inertia=body.inertia,
        mass=body.mass,
        label=built.labels.body(body, builder.body_count),
        lock_inertia=True,
        custom_attributes=body.bound() | declared_values(built.declared[F.BODY], body.node),
    )
    built.body[id(body)] = link
    return add_joint(builder, spec, body, link, built, options)


def add_joint(builder, spec: Spec, body: Body, link: int, built: Built, options: MjcfOptions) -> int:
    """The Newton joints that stand for all joints of a body; returns the last, which carries it.

    Where they do not fit into one, massless links lie between them, in the pose that the body has.
    """
    parent = built.body[id(body.parent)]
    pos, quat = (
        (body.pos, body.quat)
        if body.parent.parent is not None
        else chain(options.pos, options.quat, body.pos, body.quat)
    )
    if id(body) in spec.carried:
        return builder.add_joint(
            parent=parent,
            child=link,
            parent_xform=transform(pos, quat),
            **{"label": built.labels.on(body, "base_joint")} | options.base.joint,
        )
    if not body.joints:
        label = built.labels.on(body, "fixed_base") if based(body, options) else built.labels.joint(body, [])
        return builder.add_joint_fixed(
            parent, link, parent_xform=transform(pos, quat), label=label, collision_filter_parent=False
        )
    parts = joint_parts(body.joints)
    for joints in parts[:-1]:
        between = add_link_between(builder, link)
        joint = add_part(builder, joints, (parent, between), (pos, quat), built, options)
        built.between.setdefault(id(body), []).append(joint)
        parent, pos, quat = between, ZERO, ONE
    return add_part(builder, parts[-1], (parent, link), (pos, quat), built, options)


def joint_parts(joints: list[Item]) -> list[list[Item]]:
    """A body's joints in runs that a Newton joint can be: a ball, or up to three slides and three hinges."""
    parts: list[list[Item]] = []
    for item in joints:
        kind = item["type"]
        alone = (
            kind in (MjtJoint.BALL, MjtJoint.FREE)
            or not parts
            or parts[-1][0]["type"] in (MjtJoint.BALL, MjtJoint.FREE)
        )
        if alone or sum(other["type"] == kind for other in parts[-1]) == 3:
            parts.append([])
        parts[-1].append(item)
    return parts


def based(body: Body, options: MjcfOptions) -> bool:
    """Whether the caller decided how a body stands on the world, or on what carries the file."""
    return body.parent.parent is None and (options.base.floating is not None or options.base.parent != WORLD)


def add_link_between(builder, link: int) -> int:
    """A massless link where the body is."""
    custom = {"mujoco:body_link": 1, "mujoco:body_unnamed": True}
    return builder.add_link(
        xform=builder.body_q[link],
        label=f"{builder.body_label[link]}_link",
        lock_inertia=True,
        custom_attributes=custom,
    )


def add_part(
    builder, joints: list[Item], ends: tuple[int, int], frame: tuple[Vec, Vec], built: Built, options: MjcfOptions
) -> int:
    """One Newton joint, for joints that fit into one; ``frame`` is the body's pose in its parent."""
    first, lead, order = builder.joint_dof_count, joints[0], newton_order(joints)
    body = lead.body
    made = lead["type"] == MjtJoint.FREE and options.base.floating and not lead.name
    label = built.labels.on(body, "floating_base") if made else built.labels.joint(body, joints)
    custom = joint_attributes(joints, order, options.joint)
    custom |= declared_of_joint(built.declared, order, WIDTH.get(lead["type"], 1))
    custom["mujoco:joint_unnamed"] = not any(item.name for item in joints)
    common = dict(label=label, collision_filter_parent=False, custom_attributes=custom)
    for k, item in enumerate(order):
        built.dof[id(item)] = first + k
        built.joint[id(item)] = builder.joint_count
    axes = lambda item: joint_axes(item, options.joint, options.armature_scale)
    if lead["type"] == MjtJoint.FREE:
        return builder.add_joint(JointType.FREE, *ends, linear_axes=axes(lead), angular_axes=axes(lead), **common)
    common |= dict(parent_xform=transform(*chain(*frame, lead.pos, ONE)), child_xform=transform(lead.pos, ONE))
    if lead["type"] == MjtJoint.BALL:
        return builder.add_joint(JointType.BALL, *ends, angular_axes=axes(lead), **common)
    groups = {MjtJoint.SLIDE: [], MjtJoint.HINGE: []}
    for item in order:
        groups[item["type"]].append(joint_axis(item, options.joint, options.armature_scale))
    kind = JointType.D6 if len(order) > 1 else JointType.REVOLUTE if groups[MjtJoint.HINGE] else JointType.PRISMATIC
    return builder.add_joint(
        kind, *ends, linear_axes=groups[MjtJoint.SLIDE], angular_axes=groups[MjtJoint.HINGE], **common
    )


def newton_order(joints: list[Item]) -> list[Item]:
    """Slides, then hinges, as a D6 has them."""
    return sorted(joints, key=lambda item: item["type"] == MjtJoint.HINGE)


def transform(pos: Vec, quat: Vec) -> tuple[float, ...]:
    """A pose in Newton's order: position, then (x, y, z, w)."""
    return (*pos, quat[1], quat[2], quat[3], quat[0])

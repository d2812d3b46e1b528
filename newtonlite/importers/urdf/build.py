"""URDF build: a robot into a builder, by Newton's rules."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from newtonlite.core.enums import GeoType, JointTargetMode, JointType, ShapeFlags
from newtonlite.core.errors import MissingFileError, ModelError, ParseError
from newtonlite.core.limits import SINGLE
from newtonlite.core.types import MAXVAL
from newtonlite.geometry.mesh import Mesh
from newtonlite.importers.mjcf.frame import from_z
from newtonlite.importers.mjcf.labels import under
from newtonlite.importers.report import Report
from newtonlite.importers.urdf.declared import declared_values
from newtonlite.importers.urdf.order import ordered, reached, stands
from newtonlite.importers.urdf.robot import Link, Robot, UrdfJoint, UrdfShape, X, Y, child
from newtonlite.importers.urdf.surfaces import MeshFiles
from newtonlite.math.quat import ONE, ZERO, Vec, rotate
from newtonlite.sim.builder import check
from newtonlite.sim.builder.config import JointDofConfig, ShapeConfig

WORLD = -1
WORLDS_NAME = "world"
"""Name of a root link that stands for the world."""


@dataclass
class UrdfOptions:
    """Options of ``parse_urdf`` as its caller gives them; poses as position and quaternion (w, x, y, z)."""

    pos: Vec = ZERO
    quat: Vec = ONE
    floating: bool | None = None
    base_joint: dict | None = None
    parent_body: int = WORLD
    scale: float = 1.0
    hide_visuals: bool = False
    visuals_collide: bool = False
    show_colliders: bool = False
    self_collisions: bool = True
    ignore_inertial: bool = False
    ordering: str | None = "dfs"
    bodies_follow: bool = True
    maxhullvert: int | None = None
    has_visuals: bool = False
    """Whether any link has a visual, so that what collides is not shown."""
    both_gains: bool = False
    damping_drives: bool = False
    whole_xform: bool = False
    """Whether a joint of the caller's own stands at the robot's pose, instead of at its position with its axes along
    the world's.
    """


def build(builder, robot: Robot, surfaces: MeshFiles, options: UrdfOptions, report: Report) -> dict[str, int]:
    """Add a robot to a builder; returns the body of each link. ParseError before anything is added."""
    options = replace(options, has_visuals=any(link.visuals for link in robot.links.values()))
    for link in robot.links.values():
        check_inertia(link, options)
    for joint in robot.joints:
        if joint.kind == "floating" and options.floating is False and joint.parent.carrier is None:
            joint.kind = "fixed"
        check_limits(joint, report)
        check_floating(joint, options)
    shapes = {
        id(link): [s for s in wanted(link, options) if loaded(*s, surfaces, report)] for link in robot.links.values()
    }
    joints = ordered(robot, options.ordering)
    poses = reached(robot, options.pos, options.quat, options.scale)
    links = in_order(robot, joints) if options.bodies_follow else list(robot.links.values())
    bodies = {link.name: add_link(builder, link, poses[link.name], label(robot, link.name), options) for link in links}
    added: dict[int, int] = {}
    heads = robot.roots + [joint.child for joint in joints if joint.kind == "floating"]
    for head in heads:
        if head.carrier is None:
            found = [add_base(builder, head, bodies, robot, options)]
        else:
            node = head.carrier.node
            added[id(head.carrier)] = builder.add_joint_free(
                bodies[head.name],
                label=label(robot, head.carrier.name),
                custom_attributes=declared_values(builder, node),
            )
            report.convert(node, "a free joint of the world, on which its parent link is fixed")
            found = [added[id(head.carrier)]]
        for joint in (j for j in joints if j.kind != "floating" and head_of(j.parent) is head):
            added[id(joint)] = add_joint(builder, joint, bodies, label(robot, joint.name), options, report)
            found.append(added[id(joint)])
        if options.parent_body == WORLD:
            builder.add_articulation(
                found, label=robot.name or None, custom_attributes=declared_values(builder, robot.node)
            )
        else:
            builder.extend_articulation(options.parent_body, found)
    for joint in robot.joints:
        if joint.mimic is not None:
            target, factor, offset = leader_of(joint)
            slides = options.scale if joint.kind == "prismatic" else 1.0
            per = options.scale if target.kind == "prismatic" else 1.0
            builder.set_joint_mimic(
                added[id(joint)], added[id(target)], coeffs=(offset * slides, factor * slides / per)
            )
    first = builder.shape_count
    for link in links:
        for shape, collides in shapes[id(link)]:
            add_shape(builder, shape, collides, link, bodies[link.name], label(robot, shape.name), surfaces, options)
        check_weight(builder, bodies[link.name], link)
    if not options.self_collisions:
        touching = [s for s in range(first, builder.shape_count) if builder.shape_flags[s] & ShapeFlags.COLLIDE_SHAPES]
        for a, b in combinations(touching, 2):
            builder.add_shape_collision_filter_pair(a, b)
    return bodies


def leader_of(joint: UrdfJoint) -> tuple[UrdfJoint, float, float]:
    """The joint at the head of a chain of joints that follow each other, and factor and offset from it."""
    target, factor, offset = joint.mimic
    while target.mimic is not None:
        target, inner, shift = target.mimic
        factor, offset = factor * inner, offset + factor * shift
    return target, factor, offset


def wanted(link: Link, options: UrdfOptions) -> list[tuple[UrdfShape, bool]]:
    """The shapes of a link that are added, each with whether it collides."""
    if options.visuals_collide:
        return [(shape, True) for shape in link.visuals]
    return [(shape, False) for shape in link.visuals] + [(shape, True) for shape in link.collisions]


def loaded(shape: UrdfShape, collides: bool, surfaces: MeshFiles, report: Report) -> bool:
    """Whether the file of a shape can be had; a shape whose file does not exist is left out with a warning, as in
    Newton.
    """
    try:
        if shape.kind == "mesh":
            surfaces.of(shape.part)
        return True
    except MissingFileError as problem:
        report.leave_out(problem)
        return False
    except ParseError as problem:
        if collides:
            raise
        report.unsupported(problem)
        return False


def check_inertia(link: Link, options: UrdfOptions) -> None:
    """ParseError for an inertia that no mass has."""
    if link.inertial is not None and not options.ignore_inertial:
        try:
            check.inertia(link.inertial.tensor * options.scale**2, "the tensor")
        except ModelError as problem:
            raise link.inertial.node.error(str(problem)) from None


def check_limits(joint: UrdfJoint, report: Report) -> None:
    """Reversed limits are refused, or dropped where the caller allows it."""
    limit = joint.limit
    if limit is not None and joint.kind in ("revolute", "prismatic", "planar") and limit["lower"] > limit["upper"]:
        report.unsupported(
            joint.node.error(
                f"its limits {limit['lower']:g} to {limit['upper']:g} are reversed; give the lower one first"
            )
        )
        limit["lower"], limit["upper"] = -MAXVAL, MAXVAL


def check_floating(joint: UrdfJoint, options: UrdfOptions) -> None:
    """ParseError for a floating joint whose parent link moves: a free joint stands on the world."""
    if joint.kind != "floating":
        return
    link = joint.parent
    while link.carrier is not None and link.carrier.kind == "fixed":
        link = link.carrier.parent
    if link.carrier is not None:
        raise joint.node.error(
            f"is floating below link '{joint.parent.name}', which the joint '{link.carrier.name}' moves; "
            "hang its child on the root link 'world', or put it into a robot of its own"
        )
    if (
        (options.floating and link.name != WORLDS_NAME)
        or options.base_joint is not None
        or options.parent_body != WORLD
    ):
        raise joint.node.error(
            f"is floating below link '{joint.parent.name}', which floating, base_joint or parent_body moves; "
            "leave these out: the joint makes the robot float by itself"
        )


def in_order(robot: Robot, joints: list[UrdfJoint]) -> list[Link]:
    """Roots, each followed by its links in the order of their joints."""
    found = []
    for root in robot.roots:
        found += [root] + [j.child for j in joints if root_link(j.parent) is root]
    return found


def root_link(link: Link) -> Link:
    """The link at the foot of a tree."""
    while link.carrier is not None:
        link = link.carrier.parent
    return link


def head_of(link: Link) -> Link:
    """The link at the foot of a tree, or of what a floating joint carries."""
    while link.carrier is not None and link.carrier.kind != "floating":
        link = link.carrier.parent
    return link


def label(robot: Robot, name: str) -> str | None:
    """The label of something with a name in the file; None for what has none."""
    return under(robot.name, name) if name else None


def add_link(builder, link: Link, pose: tuple[Vec, Vec], label: str, options: UrdfOptions) -> int:
    """A body. With an inertial its mass is settled, else its shapes weigh."""
    inertial = None if options.ignore_inertial else link.inertial
    common = dict(xform=transform(*pose), label=label, custom_attributes=declared_values(builder, link.node))
    if inertial is None:
        return builder.add_link(**common)
    return builder.add_link(
        com=tuple(options.scale * x for x in inertial.com),
        inertia=inertial.tensor * options.scale**2,
        mass=inertial.mass,
        lock_inertia=True,
        **common,
    )


def check_weight(builder, body: int, link: Link) -> None:
    """ParseError for a link whose shapes weigh what single precision does not hold."""
    mass, inertia = builder.body_mass[body], np.abs(builder.body_inertia[body])
    if not (mass <= SINGLE and np.max(inertia) <= SINGLE):
        raise link.node.error(
            f"its mass of {mass:g} kg, or its inertia, is beyond single precision; make its shapes smaller"
        )


def add_base(builder, root: Link, bodies: dict[str, int], robot: Robot, options: UrdfOptions) -> int:
    """The joint between a root and what the robot stands on."""
    body, parent, place = (
        bodies[root.name],
        options.parent_body,
        transform(*stands(root, options.pos, options.quat, options.scale)),
    )
    if options.base_joint is not None:
        settings = {"label": label(robot, "base_joint"), "joint_type": JointType.D6} | options.base_joint
        ends = (
            (place, None)
            if options.whole_xform
            else ((*place[:3], 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, *(-x for x in place[3:6]), place[6]))
        )
        return builder.add_joint(parent=parent, child=body, parent_xform=ends[0], child_xform=ends[1], **settings)
    if options.floating and not (root.name == WORLDS_NAME and any(j.kind == "floating" for j in root.joints)):
        return builder.add_joint_free(body, parent=parent, label=label(robot, "floating_base"))
    return builder.add_joint_fixed(parent, body, parent_xform=place, label=label(robot, "fixed_base"))


def add_joint(
    builder, joint: UrdfJoint, bodies: dict[str, int], label: str | None, options: UrdfOptions, report: Report
) -> int:
    """A joint in Newton's words; a planar one is two slides in the plane across its axis."""
    parent, body = bodies[joint.parent.name], bodies[joint.child.name]
    frame = dict(
        parent_xform=transform(tuple(options.scale * x for x in joint.pos), joint.quat),
        label=label,
        custom_attributes=declared_values(builder, joint.node),
    )
    if joint.kind == "fixed":
        return builder.add_joint_fixed(parent, body, **frame)
    if joint.kind == "planar":
        turn = from_z(joint.axis)
        report.convert(joint.node, "two slides across its axis; Newton's planar joint does not turn")
        axes = [axis(builder, joint, rotate(turn, a), options, report) for a in (X, Y)]
        return builder.add_joint_d6(parent, body, linear_axes=axes, **frame)
    only = axis(builder, joint, joint.axis, options, report)
    if joint.kind == "prismatic":
        return builder.add_joint_prismatic(parent, body, axis=only, **frame)
    return builder.add_joint_revolute(parent, body, axis=only, **frame)


def axis(builder, joint: UrdfJoint, direction: Vec, options: UrdfOptions, report: Report) -> JointDofConfig:
    """One axis: the builder's defaults, with the limits and losses of the file."""
    default = builder.default_joint_cfg
    names = (
        "limit_lower",
        "limit_upper",
        "limit_ke",
        "limit_kd",
        "target_ke",
        "target_kd",
        "damping",
        "stiffness",
        "armature",
    )
    settings: dict[str, Any] = {
        name: getattr(default, name) for name in (*names, "effort_limit", "velocity_limit", "friction", "actuator_mode")
    }
    dynamics, limit = joint.dynamics, joint.limit or {}
    if "damping" in given(joint, "dynamics"):
        settings["target_kd" if options.damping_drives else "damping"] = dynamics["damping"]
    if "friction" in given(joint, "dynamics"):
        settings["friction"] = dynamics["friction"]
    length = options.scale if joint.kind != "revolute" else 1.0
    if limit and joint.kind != "continuous":
        settings |= {"limit_lower": limit["lower"] * length, "limit_upper": limit["upper"] * length}
    for name in ("effort", "velocity"):
        if limit.get(name, 0.0) > 0:
            settings[f"{name}_limit"] = limit[name]
        elif limit and name in given(joint, "limit"):
            report.convert(joint.node, f"a {name} limit of 0 is read as none")
    # a file says no gains, so that a mode cannot follow from them: those that a program sets later count
    if settings["actuator_mode"] is None:
        settings["actuator_mode"] = (
            JointTargetMode.POSITION_VELOCITY if options.both_gains else JointTargetMode.POSITION
        )
    return JointDofConfig(axis=direction, **settings)


def given(joint: UrdfJoint, tag: str) -> dict:
    """The values that a child element of a joint gives."""
    return next((c.values for c in joint.node.children if c.tag == tag), {})


def add_shape(
    builder,
    shape: UrdfShape,
    collides: bool,
    link: Link,
    body: int,
    label: str | None,
    surfaces: MeshFiles,
    options: UrdfOptions,
) -> int:
    """A visual or collision shape; only those that collide can weigh."""
    weighs = collides and (link.inertial is None or options.ignore_inertial)
    cfg: ShapeConfig = builder.default_shape_cfg.copy()
    if not weighs:
        cfg.density = 0.0
    if not collides:
        cfg.has_shape_collision = cfg.has_particle_collision = False
        cfg.is_visible = not options.hide_visuals
    elif not (options.show_colliders or options.visuals_collide):
        cfg.is_visible = cfg.is_visible and not options.has_visuals
    kind, size, src = geometry(shape, surfaces, weighs, options)
    color, opacity = (None, None) if shape.color is None else (shape.color[:3], shape.color[3])
    return builder.add_shape(
        body=body,
        type=kind,
        xform=transform(tuple(options.scale * x for x in shape.pos), shape.quat),
        cfg=cfg,
        scale=size,
        src=src,
        color=color,
        opacity=opacity,
        label=label,
        custom_attributes=declared_values(builder, child(shape.node, "geometry")),
    )


def geometry(
    shape: UrdfShape, surfaces: MeshFiles, weighs: bool, options: UrdfOptions
) -> tuple[GeoType, Vec, Mesh | None]:
    """Type, sizes and source of a shape."""
    values, factor = shape.part.values, options.scale
    if shape.kind == "mesh":
        scale = tuple(factor * x for x in values.get("scale", (1.0, 1.0, 1.0)))
        return GeoType.MESH, scale, surfaces.mesh(shape.part, weighs, options.maxhullvert, shape.texture)
    if shape.kind == "box":
        return GeoType.BOX, tuple(0.5 * factor * x for x in values["size"]), None
    radius = factor * values["radius"]
    if shape.kind == "sphere":
        return GeoType.SPHERE, (radius, 0.0, 0.0), None
    kind = GeoType.CYLINDER if shape.kind == "cylinder" else GeoType.CAPSULE
    return kind, (radius, 0.5 * factor * values["length"], 0.0), None


def transform(pos: Vec, quat: Vec) -> tuple[float, ...]:
    """A pose in Newton's order: position, then (x, y, z, w)."""
    return (*pos, quat[1], quat[2], quat[3], quat[0])

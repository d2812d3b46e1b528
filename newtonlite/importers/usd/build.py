"""Building a scene from a resolved ``UsdSpec``, in Newton's words."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError
from newtonlite.importers.equality_targets import add_equality_targets
from newtonlite.importers.usd.actuators import actuator_row
from newtonlite.importers.usd.equalities import equality_row
from newtonlite.importers.usd.filters import exclude_row
from newtonlite.importers.usd.flexes import flex_rows
from newtonlite.importers.usd.keyframes import key_rows
from newtonlite.importers.usd.pairs import pair_row
from newtonlite.importers.usd.plugins import plugin_rows
from newtonlite.importers.usd.sensors import sensor_row
from newtonlite.importers.usd.skins import skin_rows
from newtonlite.importers.usd.soft import add_soft
from newtonlite.importers.usd.spec import Dof, UsdBody, UsdJoint, UsdShape, UsdSpec, UsdTree
from newtonlite.importers.usd.tendons import tendon_rows
from newtonlite.math.transform import IDENTITY, inverse, multiply, quat_rotate
from newtonlite.schema.option import FLAG, OPTION
from newtonlite.sim.builder.config import JointDofConfig
from newtonlite.sim.namespace.settings import add_settings

WORLD = -1


@dataclass
class UsdOptions:
    """Build options of ``parse_usd`` as its caller gives them."""

    place: np.ndarray = field(default_factory=IDENTITY.copy)
    """Pose of the stage in the scene, its up axis turned."""
    turn: np.ndarray = field(default_factory=lambda: IDENTITY[3:].copy())
    """Rotation of the stage's up axis onto the builder's."""
    override: bool = False
    floating: bool | None = None
    base_joint: dict | None = None
    parent_body: int = WORLD
    self_collisions: bool = True
    hide_colliders: bool = False
    show_colliders: bool = False
    settings: bool = True
    equality_targets: bool = True
    """Whether equality constraints have loop joints and mimic constraints beside their rows."""
    bodies_follow: bool = True


def build(builder, spec: UsdSpec, options: UsdOptions) -> None:
    """Add a stage to a builder; indices are left on the records."""
    first = builder.joint_count
    add_bodies(builder, spec, options)
    for run in runs(spec.trees):
        add_trees(builder, spec, run, options)
    for joint in spec.loops:
        add_joint(builder, joint, placement(spec, options, None), spec.scene.mjc)
    if any(builder.joint_articulation[joint] < 0 for joint in range(first, builder.joint_count)):
        builder.orphan_joints_allowed = True
    for shape in spec.shapes:
        add_shape(builder, spec, shape, options)
    add_filters(builder, spec, options)
    for joint in spec.joints:
        if joint.mimic is not None:
            leader, *coeffs = joint.mimic
            builder.set_joint_mimic(joint.place, leader.place, coeffs=coeffs)
    for soft in spec.soft:
        add_soft(builder, soft, multiply(world_of(builder, options), options.place))
    add_rows(builder, spec, options)
    if options.settings:
        add_settings(builder, OPTION, spec.scene.options)
        add_settings(builder, FLAG, spec.scene.flags)
    if spec.scene.gravity is not None:
        set_gravity(builder, quat_rotate(options.turn if options.override else options.place[3:], spec.scene.gravity))


def placement(spec: UsdSpec, options: UsdOptions, tree: UsdTree | None) -> np.ndarray:
    """Pose of the stage in the scene, for one tree: with ``override_root_xform`` its root prim stands at the pose
    itself.
    """
    if options.override and tree is not None and tree.prim is not None:
        return multiply(options.place, inverse(tree.prim.frame()[0]))
    return options.place


def add_bodies(builder, spec: UsdSpec, options: UsdOptions) -> None:
    """All links: those of trees in the order of their joints, or all in the order of their paths."""
    pairs = [(tree, body) for tree in spec.trees for body in tree.bodies]
    if not options.bodies_follow:
        pairs.sort(key=lambda pair: (pair[1].path, not pair[1].link))
    for tree, body in pairs:
        pose = multiply(world_of(builder, options), multiply(placement(spec, options, tree), body.pose))
        add_body(builder, body, pose, spec.scene.mjc)


def world_of(builder, options: UsdOptions) -> np.ndarray:
    """Pose of what the stage stands on."""
    return (
        IDENTITY if options.parent_body == WORLD else np.array(builder.columns["body_q"].numbers(options.parent_body))
    )


def add_body(builder, body: UsdBody, pose: np.ndarray, mujoco: bool) -> None:
    """A link, its mass settled; in files that speak of MuJoCo bodies that stand on the world are no mocap bodies."""
    if body.link:
        custom: dict[str, Any] = {"mujoco:body_link": 1, "mujoco:body_unnamed": True}
        body.index = builder.add_link(
            xform=pose, label=f"{body.path}_link", lock_inertia=True, custom_attributes=custom
        )
        return
    custom = ({"mujoco:body_mocap": 0, "mujoco:body_iquat": body.axes} if mujoco else {}) | body.custom
    try:
        body.index = builder.add_link(
            xform=pose,
            com=body.com,
            inertia=body.inertia,
            mass=body.mass,
            label=body.path,
            lock_inertia=True,
            is_kinematic=body.kinematic,
            custom_attributes=custom,
        )
    except ModelError as problem:
        raise body.prim.error(str(problem)) from None
    if body.velocity.any():
        turn = pose[3:]
        builder.body_qd[body.index] = wp.spatial_vector(
            *quat_rotate(turn, body.velocity[:3]), *quat_rotate(turn, body.velocity[3:])
        )


def runs(trees: list[UsdTree]) -> list[list[UsdTree]]:
    """Trees that make one articulation: those of one root prim that all stand on the world."""
    found: list[list[UsdTree]] = []
    for tree in trees:
        last = found[-1][-1] if found else None
        together = (
            last is not None
            and tree.prim is not None
            and tree.prim is last.prim
            and tree.base is None
            and last.base is None
        )
        if together:
            found[-1].append(tree)
        else:
            found.append([tree])
    return found


def add_trees(builder, spec: UsdSpec, trees: list[UsdTree], options: UsdOptions) -> None:
    """The joints of trees, and the articulation they make."""
    first, last = builder.joint_count, 0
    for tree in trees:
        last = add_tree(builder, spec, tree, options)
    if last > first:
        if options.parent_body != WORLD:
            extend(builder, list(range(first, last)), options.parent_body, trees[0].label)
        else:
            builder.add_articulation(list(range(first, last)), label=trees[0].label)


def add_tree(builder, spec: UsdSpec, tree: UsdTree, options: UsdOptions) -> int:
    """The joints of a tree; returns the end of those that make an articulation."""
    place = placement(spec, options, tree)
    joints = list(tree.joints)
    own = options.floating is not None or options.base_joint is not None or options.parent_body != WORLD
    rooted = [j for j in joints if j.parent is None]
    if own and tree.articulated and (tree.base is not None or (len(rooted) == 1 and rooted[0] is joints[0])):
        add_base(builder, tree, place, options)
        joints = joints if tree.base is not None else joints[1:]
    elif tree.base is not None:
        add_joint(builder, tree.base, place, spec.scene.mjc)
        set_speed(builder, tree)
    made = builder.joint_count
    for joint in joints:
        add_joint(builder, joint, place, spec.scene.mjc)
    return builder.joint_count if tree.articulated else made


def extend(builder, joints: list[int], parent: int, label: str) -> None:
    """Make joints part of the articulation of the body they stand on, which has to be the last one; ModelError where it
    is not.
    """
    carrier = next((j for j in range(joints[0]) if builder.joint_child[j] == parent), -1)
    owner = builder.joint_articulation[carrier] if carrier >= 0 else -1
    name = builder.body_label[parent]
    if owner < 0:
        raise ModelError(f"add_usd parent_body: '{name}' is not part of any articulation; make one of its joints first")
    if builder.articulation_end[owner] != joints[0]:
        raise ModelError(
            f"add_usd parent_body: '{name}' is not in the most recent articulation; import onto it before adding others"
        )
    for joint in joints:
        builder.joint_articulation[joint] = owner
    builder.articulation_end[owner] = joints[-1] + 1


def add_base(builder, tree: UsdTree, place: np.ndarray, options: UsdOptions) -> None:
    """The joint between a root and what the caller puts it on."""
    body, parent = tree.root.index, options.parent_body
    pose = multiply(place, tree.root.pose)
    if options.base_joint is not None:
        settings = {"label": "base_joint", "joint_type": JointType.D6} | options.base_joint
        builder.add_joint(parent=parent, child=body, parent_xform=pose, **settings)
    elif options.floating or (options.floating is None and parent == WORLD):
        builder.add_joint_free(body)
    else:
        builder.add_joint_fixed(parent, body, parent_xform=pose)


def set_speed(builder, tree: UsdTree) -> None:
    """A floating base starts with the velocity of its body."""
    body, joint = tree.root, tree.base
    if joint.kind is JointType.FREE and body.velocity.any():
        start = builder.joint_qd_start[joint.index]
        for k, value in enumerate(builder.body_qd[body.index]):
            builder.joint_qd[start + k] = float(value)


def add_joint(builder, joint: UsdJoint, place: np.ndarray, mujoco: bool) -> None:
    """One joint; those to the world stand where the stage does. ``mujoco``: contact masks decide what collides."""
    if joint.parent is None:
        X_p = multiply(place, joint.X_p) if joint.kind is not JointType.FREE else IDENTITY
    else:
        X_p = joint.X_p
    parent = WORLD if joint.parent is None else joint.parent.index
    dofs = joint.dofs
    first_dof, first_coord = builder.joint_dof_count, builder.joint_coord_count
    common = dict(
        label=joint.prim.path if joint.prim is not None else None,
        parent_xform=X_p,
        child_xform=joint.X_c,
        enabled=joint.enabled,
        collision_filter_parent=parent >= 0 and not joint.collides and not mujoco,
        custom_attributes=custom_of(joint),
    )
    linear, angular = ([config(d) for d in dofs if d.turns is turns] for turns in (False, True))
    if joint.kind in (JointType.FIXED, JointType.FREE):
        axes = {"linear_axes": linear, "angular_axes": angular} if dofs else {}
        joint.index = builder.add_joint(joint.kind, parent, joint.child.index, **axes, **common)
        for k, dof in enumerate(dofs):
            dof.index = first_dof + k
        return
    joint.index = builder.add_joint(
        joint.kind, parent, joint.child.index, linear_axes=linear, angular_axes=angular, **common
    )
    for k, dof in enumerate(dofs):
        dof.index = first_dof + k
        if joint.kind is not JointType.BALL:
            builder.joint_q[first_coord + k] = float(dof.position)
        builder.joint_qd[first_dof + k] = float(dof.speed)


def custom_of(joint: UsdJoint) -> dict[str, Any]:
    """Custom attributes: one value per dof of those that any dof has."""
    names = {name: None for dof in joint.dofs for name in dof.custom}
    found: dict[str, Any] = dict(joint.custom)
    for name in names:
        found[f"mujoco:{name}"] = {k: dof.custom[name] for k, dof in enumerate(joint.dofs) if name in dof.custom}
    anchors = {k: tuple(dof.anchor) for k, dof in enumerate(joint.dofs) if dof.anchor is not None}
    return found | ({"mujoco:dof_pos": anchors} if anchors else {})


def config(dof: Dof) -> JointDofConfig:
    """An axis in the builder's words."""
    return JointDofConfig(axis=dof.axis, limit_lower=dof.lower, limit_upper=dof.upper, **dof.settings)


def add_shape(builder, spec: UsdSpec, shape: UsdShape, options: UsdOptions) -> None:
    """A shape without mass; its body's mass is settled already."""
    on_body = shape.body is not None
    body = shape.body.index if on_body else WORLD
    pose = shape.pose if on_body else multiply(world_of(builder, options), multiply(options.place, shape.pose))
    if shape.site:
        shape.index = builder.add_site(
            body,
            xform=pose,
            type=shape.kind,
            scale=shape.size,
            label=shape.label,
            visible=shape.visible,
            custom_attributes=shape.custom,
        )
        for name, value in (("color", shape.color), ("opacity", shape.opacity)):
            if value is not None:
                getattr(builder, f"shape_{name}")[shape.index] = value
        return
    cfg = builder.default_shape_cfg.copy()
    for name, value in shape.settings.items():
        setattr(cfg, name, value)
    cfg.density = 0.0
    collides = shape.collides and shape.enabled
    if not collides:
        cfg.has_shape_collision = cfg.has_particle_collision = False
    cfg.is_visible = seen(spec, shape, options)
    try:
        shape.index = builder.add_shape(
            body=body,
            type=shape.kind,
            xform=pose,
            cfg=cfg,
            scale=shape.size,
            src=shape.source,
            color=shape.color,
            opacity=shape.opacity,
            label=shape.label,
            custom_attributes=shape.custom,
        )
    except ModelError as problem:
        raise shape.prim.error(str(problem)) from None


def seen(spec: UsdSpec, shape: UsdShape, options: UsdOptions) -> bool:
    """Whether a shape is drawn."""
    if not shape.collides:
        return shape.visible
    if (
        options.hide_colliders
        and shape.body is not None
        and any(not s.collides and not s.site for s in shape.body.shapes)
    ):
        return False
    return shape.visible or (options.show_colliders and shape.enabled)


def add_filters(builder, spec: UsdSpec, options: UsdOptions) -> None:
    """Pairs of shapes that do not collide."""
    pairs = {tuple(sorted((a.index, b.index))) for a, b in spec.filters}
    for tree in spec.trees:
        if tree.self_collisions:
            continue
        own = [s.index for body in tree.bodies for s in body.shapes if s.collides and s.enabled]
        pairs |= {(a, b) if a < b else (b, a) for i, a in enumerate(own) for b in own[i + 1 :]}
    for a, b in sorted(pairs):
        if a != b and a >= 0:
            builder.add_shape_collision_filter_pair(a, b)


def add_rows(builder, spec: UsdSpec, options: UsdOptions) -> None:
    """Tendons, actuators, equalities, sensors, keyframes and excludes."""
    before = builder.custom_frequency_counts["mujoco:actuator"]
    rows, at = tendon_rows(builder, spec)
    rows += [actuator_row(actuator, at) for actuator in spec.actuators]
    soft, flexes = flex_rows(builder, spec, placement(spec, options, None))
    ties = [equality_row(tie, options.place, at, flexes) for tie in spec.equalities]
    rows += soft + (add_equality_targets(builder, ties) if options.equality_targets else ties)
    rows += [pair_row(pair) for pair in spec.pairs]
    acting = {id(actuator): before + k for k, actuator in enumerate(spec.actuators)}
    rows += [sensor_row(sensor, builder, at, acting) for sensor in spec.sensors]
    mark_owners(builder, spec, rows)
    rows += key_rows(builder, spec, before, placement(spec, options, next(iter(spec.trees), None)))
    rows += [exclude_row(*pair) for pair in spec.excludes]
    rows += plugin_rows(spec) + skin_rows(spec, builder)
    if rows:
        builder.add_custom_values_batch(rows)


def mark_owners(builder, spec: UsdSpec, rows: list[dict]) -> None:
    """Tell the rows of tendons and actuators which articulation they belong to."""
    carrier = dict(zip(builder.joint_child, builder.joint_articulation))
    of = -1
    for row in rows:
        if "mujoco:tendon_joint" in row:
            of = row["mujoco:tendon_joint_articulation"] = builder.joint_articulation[row["mujoco:tendon_joint"]]
        elif "mujoco:tendon_wrap_type" in row:
            shape = row.get("mujoco:tendon_wrap_shape", -1)
            body = builder.shape_body[shape] if shape >= 0 else WORLD
            row["mujoco:tendon_wrap_articulation"] = of = carrier.get(body, of)
        else:
            of = -1
    following: dict | None = None
    for row in rows:
        if "mujoco:tendon_type" in row:
            following = row
        for name in ("tendon_joint_articulation", "tendon_wrap_articulation"):
            if following is not None and row.get(f"mujoco:{name}", -1) >= 0:
                following.setdefault("mujoco:tendon_articulation", row[f"mujoco:{name}"])


def set_gravity(builder, gravity: np.ndarray) -> None:
    """Gravity of the open world, or of the builder; rounding of the turned axes is taken out."""
    gravity = np.where(np.abs(gravity) < 1e-9 * np.abs(gravity).max(initial=0.0), 0.0, gravity)
    if builder.current_world >= 0:
        builder.world_gravity[builder.current_world] = wp.vec3(*gravity.tolist())
    else:
        builder.gravity = gravity.tolist()

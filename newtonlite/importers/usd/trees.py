"""Trees of bodies: which joints carry, which close loops, what bases are made up, and in which order all is added."""

from collections import defaultdict, deque

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError
from newtonlite.importers.usd.joints import turn_over
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdBody, UsdJoint, UsdSpec, UsdTree

ORDERS = ("dfs", "bfs", None, "authored")
STACKED = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.BALL)
CLOSABLE = (JointType.FIXED, JointType.REVOLUTE, JointType.BALL)
"""Joints that can hold a loop together."""


def resolve_trees(spec: UsdSpec, ordering: str | None) -> None:
    """Set the trees and loops of a stage; joints point from parent to child afterwards."""
    if ordering not in ORDERS:
        raise ModelError(f"add_usd joint_ordering={ordering!r}: unknown; use 'dfs', 'bfs', 'authored' or None")
    edges = stack(spec)
    roots = {prim.path: prim for prim in spec.walk.prims if prim.has("PhysicsArticulationRootAPI")}
    into: dict[int, list[UsdJoint]] = defaultdict(list)
    for joint in edges:
        into[id(joint.child)].append(joint)
    rank = {id(joint): k for k, joint in enumerate(edges)}
    for part in components(spec.bodies, edges):
        joints = sorted((joint for body in part for joint in into[id(body)]), key=lambda joint: rank[id(joint)])
        spec.trees.append(grow(spec, part, joints, root_prim(spec, part, joints, roots), ordering))
    spec.loops += [joint for joint in spec.joints if joint.excluded]
    first = {id(tree): min(body.order for body in tree.bodies) for tree in spec.trees}
    if ordering == "authored":
        spec.trees.sort(key=lambda tree: first[id(tree)])
    else:
        spec.trees.sort(
            key=lambda tree: (tree.prim is None, tree.prim.path if tree.prim is not None else "", first[id(tree)])
        )


def stack(spec: UsdSpec) -> list[UsdJoint]:
    """The joints of trees; several of one pair of bodies, which only turn or slide, count as one."""
    pairs: dict[tuple[int, int], list[UsdJoint]] = defaultdict(list)
    for joint in spec.joints:
        if not joint.excluded:
            pairs[tuple(sorted((order(joint.parent), order(joint.child))))].append(joint)
    found = []
    for group in pairs.values():
        if len(group) > 1 and all(joint.kind in STACKED for joint in group):
            found.append(stacked(group))
        else:
            found += group
    return found


def order(body: UsdBody | None) -> int:
    """Place of a body in the stage; -1 for the world."""
    return -1 if body is None else body.order


def stacked(group: list[UsdJoint]) -> UsdJoint:
    """Joints of one pair of bodies as members of one."""
    lead = group[0]
    for joint in group[1:]:
        if joint.child is not lead.child:
            turn_over(joint)
    return UsdJoint(
        lead.prim,
        lead.kind,
        lead.parent,
        lead.child,
        lead.X_p,
        lead.X_c,
        lead.dofs,
        all(j.enabled for j in group),
        all(j.collides for j in group),
        False,
        lead.grounded,
        members=group,
    )


def components(bodies: list[UsdBody], edges: list[UsdJoint]) -> list[list[UsdBody]]:
    """Bodies that joints connect, the world not counting; in the order of the stage."""
    near: dict[int, list[UsdBody]] = defaultdict(list)
    for joint in edges:
        if joint.parent is not None:
            near[id(joint.parent)].append(joint.child)
            near[id(joint.child)].append(joint.parent)
    seen: set[int] = set()
    found = []
    for body in bodies:
        if id(body) in seen:
            continue
        part, left = [], [body]
        seen.add(id(body))
        while left:
            here = left.pop()
            part.append(here)
            for other in near[id(here)]:
                if id(other) not in seen:
                    seen.add(id(other))
                    left.append(other)
        found.append(sorted(part, key=lambda b: b.order))
    return found


def root_prim(spec: UsdSpec, part: list[UsdBody], joints: list[UsdJoint], roots: dict[str, Prim]) -> Prim | None:
    """The outermost prim with the root schema that covers a component; None where none does."""
    paths = [body.path for body in part]
    paths += [member.prim.path for joint in joints for member in joint.members or [joint]]
    covering = {above: roots[above] for path in paths for above in lineage(path) if above in roots}
    outer = [prim for path, prim in covering.items() if not any(a in roots for a in lineage(path) if a != path)]
    outer.sort(key=lambda prim: prim.index)
    for prim in covering.values():
        if prim is not outer[0]:
            spec.report.ignore(prim, f"a root inside another articulation; the root is <{outer[0].path}>")
    return outer[0] if outer else None


def lineage(path: str) -> list[str]:
    """A path and those above it."""
    return [path, *(path[:k] for k, letter in enumerate(path) if letter == "/" and k > 0)]


def grow(
    spec: UsdSpec, part: list[UsdBody], joints: list[UsdJoint], prim: Prim | None, ordering: str | None
) -> UsdTree:
    """The tree of a component: joints that carry in order, loops put aside."""
    grounded = [joint for joint in joints if joint.parent is None]
    root = grounded[0].child if grounded else base_of(spec, part, joints, prim)
    carrying = spanning(part, joints, None if grounded else root)
    spec.loops += [joint for joint in joints if not any(joint is c for c in carrying)]
    near: dict[int, list[UsdJoint]] = defaultdict(list)
    for joint in carrying:
        near[order(joint.parent)].append(joint)
        near[order(joint.child)].append(joint)
    rank = {id(joint): (joint.path if ordering != "authored" else "", 0) for joint in carrying}
    ordered, bodies = walk(root, bool(grounded), near, rank, ordering)
    label = prim.path if prim is not None and (len(part) > 1 or grounded) else root.path
    tree = UsdTree(root, ordered, label, prim is not None or not joints, bodies, prim=prim)
    if not grounded:
        tree.base = base_joint(spec, tree)
    carrier = tree.base or ordered[0]
    if spec.scene.mjc and root.kinematic and carrier.kind is JointType.FIXED:
        root.kinematic, root.custom["mujoco:body_mocap"] = False, 1
        spec.report.convert(root.prim, "is moved by the user: MuJoCo's mocap body", "physics:kinematicEnabled")
    return tree


def base_of(spec: UsdSpec, part: list[UsdBody], joints: list[UsdJoint], prim: Prim | None) -> UsdBody:
    """The root of a floating component: the body with the root schema, else the first that no joint carries."""
    if prim is not None:
        for body in part:
            if body.path == prim.path:
                return body
    carried = {id(joint.child) for joint in joints}
    return next((body for body in part if id(body) not in carried), part[0])


def spanning(part: list[UsdBody], joints: list[UsdJoint], root: UsdBody | None) -> list[UsdJoint]:
    """Joints that make a tree from the root (None: the world); of a loop the farthest joint that can close it is left
    out.
    """
    start = order(root)
    near: dict[int, list[UsdJoint]] = defaultdict(list)
    for joint in joints:
        near[order(joint.parent)].append(joint)
        near[order(joint.child)].append(joint)
    depth, left = {start: 0}, deque([start])
    while left:
        here = left.popleft()
        for joint in near[here]:
            there = other_end(joint, here)
            if there not in depth:
                depth[there] = depth[here] + 1
                left.append(there)
    far = lambda joint: depth.get(order(joint.parent), 0) + depth.get(order(joint.child), 0)
    union: dict[int, int] = {}

    def top(x: int) -> int:
        while union.get(x, x) != x:
            x = union[x]
        return x

    chosen = []
    for joint in sorted(joints, key=lambda j: (j.kind in CLOSABLE and not j.members, far(j))):
        a, b = top(order(joint.parent)), top(order(joint.child))
        if a != b:
            union[a] = b
            chosen.append(joint)
    return chosen


def other_end(joint: UsdJoint, here: int) -> int:
    """The body at the other end of a joint, by its order."""
    parent, child = order(joint.parent), order(joint.child)
    return child if here == parent else parent


def walk(
    root: UsdBody, grounded: bool, near: dict, rank: dict, ordering: str | None
) -> tuple[list[UsdJoint], list[UsdBody]]:
    """Joints and bodies from the root outwards; joints that point inwards are turned over."""
    joints: list[UsdJoint] = []
    bodies: list[UsdBody] = []
    seen: set[int] = set()
    left: deque = deque()

    def follow(here: int) -> None:
        found = [joint for joint in near[here] if id(joint) not in seen]
        outward = sorted(found, key=lambda joint: rank[id(joint)] + (other_end(joint, here),))
        for joint in outward:
            seen.add(id(joint))
        if ordering == "bfs":
            left.extend((joint, here) for joint in outward)
        else:
            left.extendleft((joint, here) for joint in reversed(outward))

    if grounded:
        follow(-1)
    else:
        bodies.append(root)
        follow(root.order)
    while left:
        joint, here = left.popleft()
        if order(joint.parent) != here:
            for member in joint.members:
                turn_over(member)
            if joint.members:
                lead = joint.members[0]
                joint.parent, joint.child, joint.X_p, joint.X_c, joint.dofs = (
                    lead.parent,
                    lead.child,
                    lead.X_p,
                    lead.X_c,
                    lead.dofs,
                )
            else:
                turn_over(joint)
        joints.append(joint)
        bodies.append(joint.child)
        follow(joint.child.order)
    return joints, bodies


def base_joint(spec: UsdSpec, tree: UsdTree) -> UsdJoint:
    """Base joint of a root that no joint carries: a free joint; where the root has no mass, a fixed one."""
    if spec.scene.mjc and tree.root.kinematic and (tree.prim is None or not tree.joints):
        return UsdJoint(None, JointType.FIXED, None, tree.root, X_p=tree.root.pose.copy())
    heavy = any(body.mass > 0 for body in welded(tree))
    kind = JointType.FREE if heavy or tree.root.kinematic else JointType.FIXED
    if kind is JointType.FIXED:
        spec.report.convert(tree.root.prim, "has no mass; it stands where it is")
    return UsdJoint(
        None,
        kind,
        None,
        tree.root,
        X_p=tree.root.pose.copy() if kind is JointType.FIXED else UsdJoint(None, kind, None, None).X_p,
    )


def welded(tree: UsdTree) -> list[UsdBody]:
    """The root and what fixed joints tie to it."""
    found = [tree.root]
    for joint in tree.joints:
        if joint.kind is JointType.FIXED and any(joint.parent is body for body in found):
            found.append(joint.child)
    return found


def set_carried_poses(spec: UsdSpec) -> float:
    """Set the poses of carried bodies to those that the joints give; returns the largest distance [m] they moved.

    The pose of a joint to the world that says nothing there follows from its child's.
    """
    from newtonlite.importers.usd.motion import carried

    largest = 0.0
    for tree in spec.trees:
        for joint in tree.joints:
            if joint.parent is None and (not joint.grounded or not tree.articulated):
                joint.X_p = carried(joint, None)
            pose = carried(joint, joint.parent.pose if joint.parent is not None else None, forward=True)
            moved = float(np.linalg.norm(pose[:3] - joint.child.pose[:3]))
            turned = 2.0 * np.arccos(min(1.0, abs(float(pose[3:] @ joint.child.pose[3:]))))
            if max(moved, turned) > 1e-4:
                spec.report.convert(
                    joint.prim,
                    f"its frames put <{joint.child.path}> {moved:.4g} m and {turned:.4g} rad from where the file has it",
                )
            largest = max(largest, moved)
            joint.child.pose = pose
    return largest

"""Joint order of a robot, and the poses of its links."""

from collections import deque

from newtonlite.core.errors import ModelError
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.urdf.robot import Link, Robot, UrdfJoint
from newtonlite.math.quat import Vec


def ordered(robot: Robot, ordering: str | None) -> list[UrdfJoint]:
    """Joints depth first or breadth first from the roots, or as in the file; ParseError where that puts a child first."""
    if ordering not in ("dfs", "bfs", None):
        raise ModelError(f"add_urdf joint_ordering={ordering!r}: unknown; use 'dfs', 'bfs' or None")
    if ordering is None:
        seen: set[int] = set()
        for joint in robot.joints:
            if joint.parent.carrier is not None and id(joint.parent.carrier) not in seen:
                raise joint.node.error("comes before the joint of its parent link; use joint_ordering 'dfs' or 'bfs'")
            seen.add(id(joint))
        return robot.joints
    found: list[UrdfJoint] = []
    left = deque(joint for root in robot.roots for joint in root.joints)
    while left:
        joint = left.popleft()
        found.append(joint)
        if ordering == "bfs":
            left.extend(joint.child.joints)
        else:
            left.extendleft(reversed(joint.child.joints))
    return found


def stands(root: Link, pos: Vec, quat: Vec, scale: float) -> tuple[Vec, Vec]:
    """The pose of a root of a robot that is at a pose."""
    return chain(pos, quat, tuple(scale * x for x in root.place[0]), root.place[1])


def reached(robot: Robot, pos: Vec, quat: Vec, scale: float) -> dict[str, tuple[Vec, Vec]]:
    """The pose of every link, all joints at zero, with the roots at a pose; lengths of the file times ``scale``."""
    poses = {root.name: stands(root, pos, quat, scale) for root in robot.roots}
    for joint in ordered(robot, "dfs"):
        inner = tuple(scale * x for x in joint.pos)
        poses[joint.child.name] = chain(*poses[joint.parent.name], inner, joint.quat)
    return poses

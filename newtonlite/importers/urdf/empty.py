"""Empty roots: link ``world`` with a fixed joint to the first real link."""

from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.report import Report
from newtonlite.importers.urdf.robot import Link, Robot
from newtonlite.math.quat import ONE, ZERO


def drop_empty_roots(robot: Robot, report: Report) -> None:
    """Roots without mass and shapes, all of whose joints are fixed, go; the links they carry become roots where they
    stand.
    """
    roots = robot.roots
    while roots:
        root = roots.pop()
        if not is_empty(root):
            continue
        report.convert(root.node, "an empty root; what it carries stands in its place")
        del robot.links[root.name]
        for joint in root.joints:
            robot.joints.remove(joint)
            joint.child.carrier = None
            joint.child.place = chain(*root.place, joint.pos, joint.quat)
            roots.append(joint.child)


def stand_at_origin(robot: Robot) -> None:
    """Let the roots stand where the robot does."""
    for root in robot.roots:
        root.place = ZERO, ONE


def is_empty(root: Link) -> bool:
    """Whether a root only passes its place on."""
    weightless = root.inertial is None or root.inertial.mass == 0
    return (
        weightless
        and not root.visuals
        and not root.collisions
        and bool(root.joints)
        and all(j.kind == "fixed" for j in root.joints)
    )

"""Several joints of one pair of bodies: slides and hinges become one D6, balls get massless links between."""

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.importers.usd.spec import UsdBody, UsdJoint, UsdSpec
from newtonlite.math.transform import inverse, multiply, quat_inverse, quat_multiply, quat_rotate

NEAR = 1e-6
"""Distance [m] up to which anchors count as one."""


def resolve_stacks(spec: UsdSpec) -> None:
    """Replace joints with members in all trees by the joints that are built."""
    for tree in spec.trees:
        joints: list[UsdJoint] = []
        for joint in tree.joints:
            made = unstack(joint) if joint.members else [joint]
            for between in made[:-1]:
                tree.bodies.insert(next(i for i, b in enumerate(tree.bodies) if b is joint.child), between.child)
            joints += made
        tree.joints = joints


def split_stack(members: list[UsdJoint]) -> list[list[UsdJoint]]:
    """Members in runs that one joint can be: a ball, or up to three slides and three hinges."""
    parts: list[list[UsdJoint]] = []
    for joint in members:
        alone = JointType.BALL in (joint.kind, parts[-1][0].kind if parts else joint.kind)
        if not parts or alone or sum(other.kind is joint.kind for other in parts[-1]) == 3:
            parts.append([])
        parts[-1].append(joint)
    return parts


def unstack(joint: UsdJoint) -> list[UsdJoint]:
    """The joints that stand for a stack, from the parent outwards."""
    made: list[UsdJoint] = []
    parent = joint.parent
    for number, part in enumerate(split_stack(joint.members)):
        last = number == len(split_stack(joint.members)) - 1
        child = joint.child if last else link_of(joint.child)
        lead = part[0]
        X_p = lead.X_p if number == 0 else lead.X_c.copy()
        made.append(merged(part, parent, child, X_p))
        made[-1].grounded = joint.grounded or number > 0
        parent = child
    return made


def link_of(body: UsdBody) -> UsdBody:
    """A massless link where a body is."""
    return UsdBody(body.prim, body.pose.copy(), body.rest, order=body.order, link=True)


def merged(part: list[UsdJoint], parent: UsdBody | None, child: UsdBody, X_p: np.ndarray) -> UsdJoint:
    """One joint of members that fit into one; slides first, each with its place and its own anchor."""
    lead = part[0]
    dofs = []
    for number, member in enumerate(part):
        turn = quat_multiply(quat_inverse(lead.X_c[3:]), member.X_c[3:])
        for dof in member.dofs:
            dof.axis = quat_rotate(turn, dof.axis)
            if np.linalg.norm(member.X_c[:3] - lead.X_c[:3]) > NEAR:
                dof.anchor = member.X_c[:3]
            if len(part) > 1:
                dof.custom |= {"dof_order": number, "joint_dof_label": member.path}
            dofs.append(dof)
    kind = lead.kind if len(part) == 1 else JointType.D6
    joint = UsdJoint(
        lead.prim,
        kind,
        parent,
        child,
        X_p,
        lead.X_c,
        sorted(dofs, key=lambda d: d.turns),
        all(m.enabled for m in part),
        all(m.collides for m in part),
    )
    for member in part:
        member.owner = joint
    joint.members = part if len(part) > 1 else []
    return joint


def offset(joint: UsdJoint) -> np.ndarray:
    """The pose [7] of the child in the parent with all coordinates at zero."""
    return multiply(joint.X_p, inverse(joint.X_c))

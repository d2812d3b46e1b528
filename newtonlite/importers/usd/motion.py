"""Forward kinematics of joints at their first coordinates, in float64."""

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.importers.usd.spec import Dof, UsdJoint
from newtonlite.math.transform import IDENTITY, inverse, multiply


def carried(joint: UsdJoint, parent: np.ndarray | None, forward: bool = False) -> np.ndarray:
    """``forward``: the pose [7] of the child, the parent being at ``parent`` (None: the world); else the joint's frame
    on the world.
    """
    motion = displaced(joint)
    if forward:
        frame = joint.X_p if parent is None else multiply(parent, joint.X_p)
        return multiply(multiply(frame, motion), inverse(joint.X_c))
    return multiply(multiply(joint.child.pose, joint.X_c), inverse(motion))


def displaced(joint: UsdJoint) -> np.ndarray:
    """The motion [7] across a joint at its first coordinates; balls start at rest."""
    motion = IDENTITY.copy()
    if joint.kind in (JointType.FIXED, JointType.BALL, JointType.FREE, JointType.DISTANCE):
        return motion
    for dof in joint.dofs:
        if dof.position:
            motion = multiply(motion, step(dof))
    return motion


def step(dof: Dof) -> np.ndarray:
    """The motion [7] along or about one axis."""
    motion = IDENTITY.copy()
    if dof.turns:
        motion[3:6], motion[6] = np.sin(0.5 * dof.position) * dof.axis, np.cos(0.5 * dof.position)
    else:
        motion[:3] = dof.position * dof.axis
    return motion

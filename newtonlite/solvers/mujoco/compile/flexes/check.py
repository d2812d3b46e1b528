"""Checks of flexes: combinations of forces, constraints and bodies that MuJoCo refuses, in its words."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtJoint
from newtonlite.solvers.mujoco.compile.flexes.edges import body_dofs
from newtonlite.solvers.mujoco.compile.flexes.scene import SceneFlex


def check_forces(flex: SceneFlex, equality: int) -> None:
    """ModelError for springs beside constraints of the same edges."""
    where = f"flex '{flex.name}'"
    if equality and flex.numbers["edgestiffness"]:
        raise ModelError(f"{where}: flex constraints and edge stiffness cannot both be present; keep one")
    if equality and flex.is_elastic and flex.dim > 1 and flex.stretches():
        raise ModelError(f"{where}: flex constraints and elasticity (young) cannot both be present; keep one")


def slides(m, bodies: np.ndarray) -> np.ndarray:
    """Bodies that three slides and nothing else move, bool [n]."""
    count, first = np.asarray(m.body_jntnum)[bodies], np.asarray(m.body_jntadr)[bodies]
    kinds = [(np.asarray(m.jnt_type)[a : a + n] == MjtJoint.SLIDE).all() for a, n in zip(first, count, strict=True)]
    return (count == 3) & np.array(kinds, bool)


def check_attachments(m, flex: SceneFlex) -> None:
    """ModelError for soft bodies that slide in a body with joints which carries none of them, and for elastic ones on
    mocap bodies.
    """
    bodies = np.unique(flex.node_bodies if flex.order else flex.bodies)
    for parent in np.unique(m.body_parentid[bodies[slides(m, bodies)]]).tolist():
        if parent not in bodies and body_dofs(m, parent):
            raise ModelError(
                f"body '{m.names_body[parent]}': has joints but no flex vertices/nodes are pinned to it, of flex '{flex.name}'; "
                "pin one, or leave the joints out"
            )
    if flex.is_elastic and len(bodies) > 1 and not (flex.dim == 1 and not flex.numbers["damping"]):
        for b in bodies[m.body_mocapid[bodies] >= 0].tolist():
            raise ModelError(
                f"flex elasticity does not support mocap attachments, body '{m.names_body[b]}'; pin it to another body"
            )

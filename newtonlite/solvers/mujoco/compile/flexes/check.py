"""Checks of flexes: combinations of forces, constraints and bodies that MuJoCo refuses, in its words."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.compile.flexes.scene import SceneFlex


def check_forces(flex: SceneFlex, equality: int) -> None:
    """ModelError for springs beside constraints of the same edges."""
    where = f"flex '{flex.name}'"
    if equality and flex.numbers["edgestiffness"]:
        raise ModelError(f"{where}: flex constraints and edge stiffness cannot both be present; keep one")
    if equality and flex.is_elastic and flex.dim > 1 and flex.stretches():
        raise ModelError(f"{where}: flex constraints and elasticity (young) cannot both be present; keep one")


def check_attachments(m, flex: SceneFlex) -> None:
    """ModelError for soft bodies whose points fly apart from bodies with joints that carry none of them, and for elastic
    ones on mocap bodies.
    """
    bodies = np.unique(flex.node_bodies if flex.order else flex.bodies)
    if flex.is_elastic and len(bodies) > 1 and not (flex.dim == 1 and not flex.numbers["damping"]):
        for b in bodies[m.body_mocapid[bodies] >= 0].tolist():
            raise ModelError(
                f"flex elasticity does not support mocap attachments, body '{m.names_body[b]}'; pin it to another body"
            )

"""Loop joints: joints that close loops become connect and weld constraints of their two bodies.

Drives, limits, armature and friction of such joints are ignored.
"""

import warnings

from newtonlite.core.enums import JointType
from newtonlite.core.errors import NewtonWarning
from newtonlite.core.mujoco import MjtEq
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds


def loop_constraints(w: Worlds, tree: BodyTree, spoken_for: set[int]):
    """(kind, MuJoCo bodies, Newton joint, name) of each tie, but for joints that rows of constraints speak for; numbers
    come by ``bindings.equality``.
    """
    body = tree.mujoco_body()
    parent, child = w.local("body", w.first("joint_parent")), w.local("body", w.first("joint_child"))
    for j in sorted(set(tree.loops) - spoken_for):
        ends = int(body[parent[j]]), int(body[child[j]])
        name = w.label("joint", j)
        kind = meaning(w, j)
        if kind == JointType.FIXED:
            yield MjtEq.WELD, ends, j, name
        elif kind in (JointType.BALL, JointType.REVOLUTE):
            yield MjtEq.CONNECT, ends, j, name
            if kind == JointType.REVOLUTE:
                yield MjtEq.CONNECT, ends, j, ""
        else:
            text = f"joint '{name or j}': a D6 joint closes a loop with no, one or three angular axes alone; the loop stays open"
            warnings.warn(text, NewtonWarning, stacklevel=2)


def meaning(w: Worlds, j: int) -> JointType | None:
    """Type of a loop joint: its own, or that of the simple joint a D6 amounts to."""
    kind = JointType(w.first("joint_type")[j])
    if kind != JointType.D6:
        return kind
    linear, angular = (int(n) for n in w.first("joint_dof_dim")[j])
    known = {0: JointType.FIXED, 1: JointType.REVOLUTE, 3: JointType.BALL}
    return known.get(angular) if linear == 0 else None

"""Equality targets: loop joints and mimic constraints that say in Newton's words what rows of MuJoCo's equality
constraints say.

The rows stay what the engine simulates, with their softness and all terms of their polynomials; each knows its joint
or mimic constraint by ``equality_constraint_target``, and the compiler leaves these out.
"""

import logging
import warnings
from typing import Any

import numpy as np

from newtonlite.core.enums import EqType, EqualityTarget, JointType
from newtonlite.core.errors import NewtonDeprecationWarning, NewtonWarning, external
from newtonlite.math.transform import apply, inverse, multiply, transform
from newtonlite.sim.builder.equality import FREQUENCY

logger = logging.getLogger(__name__)
E = f"{FREQUENCY}_"
WORLD = -1
SHOWN = 5


def add_equality_targets(builder: Any, rows: list[dict]) -> list[dict]:
    """Add the joints and mimic constraints of rows that are about to be added to a builder; returns the rows, which name
    them.

    Joint equalities without a second joint, or with one of several axes, stay rows alone, with a warning; so do those of
    tendons and soft bodies.
    """
    alone: list[str] = []
    for k, row in enumerate(rows):
        kind = row[E + "type"]
        if kind in (EqType.CONNECT, EqType.WELD):
            mark(row, EqualityTarget.JOINT, loop_joint(builder, row))
        elif kind == EqType.JOINT and single_pair(builder, row):
            mark(row, EqualityTarget.MIMIC, mimic(builder, row))
        elif kind == EqType.JOINT:
            alone.append(row[E + "label"] or str(k))
    if alone:
        names = ", ".join(alone[:SHOWN]) + (", ..." if len(alone) > SHOWN else "")
        text = f"joint equalities {names}: they omit joint2 or name a multi-DoF joint, so no mimic constraint stands beside their rows"
        warnings.warn(text, NewtonWarning, stacklevel=external())
    return rows


def mark(row: dict, kind: EqualityTarget, target: int) -> None:
    """Let a row know its target, where it has one."""
    if target >= 0:
        row |= {E + "target_kind": int(kind), E + "target": target}


def single_pair(builder: Any, row: dict) -> bool:
    """Whether both joints of a row exist and have one axis each."""
    ends = [row.get(f"{E}joint{side}", -1) for side in (1, 2)]
    return all(joint >= 0 and sum(builder.joint_dof_dim[joint]) == 1 for joint in ends)


def mimic(builder: Any, row: dict) -> int:
    """The linear part of a polynomial as a mimic constraint; its index."""
    zero, one, *more = row[E + "polycoef"]
    if any(more):
        text = f"joint equality '{row[E + 'label']}': its mimic constraint lacks the higher-order polycoef terms, which its row keeps"
        warnings.warn(text, NewtonWarning, stacklevel=external())
    with warnings.catch_warnings():  # meant for those who write joints themselves
        warnings.simplefilter("ignore", NewtonDeprecationWarning)
        return builder.add_constraint_mimic(
            row[E + "joint1"],
            row[E + "joint2"],
            zero,
            one,
            enabled=row.get(E + "enabled", True),
            label=row[E + "label"] or None,
        )


def loop_joint(builder: Any, row: dict) -> int:
    """A fixed joint for a weld, a ball joint for a connect and for a weld without torques; -1 where both ends are one body, as
    two sites on it and what was merged, or the world.
    """
    # a joint's child is another body
    ends, frames = ends_of(builder, row), frames_of(builder, row)
    if ends[0] == ends[1]:
        return -1
    if ends[1] == WORLD:
        ends, frames = ends[::-1], frames[::-1]

    # what a fixed joint cannot say
    label, scale = row[E + "label"], row.get(E + "torquescale", 1.0)
    weld = row[E + "type"] == EqType.WELD
    kind = JointType.FIXED if weld and scale else JointType.BALL
    if weld and scale != 1.0:
        logger.warning(
            "weld '%s': torquescale %g is known to its row alone; its loop joint is a %s joint", label, scale, kind.name
        )

    # bodies that a constraint ties still collide, as in MuJoCo; beside a free joint is where many of them stand
    add = builder.add_joint_fixed if kind == JointType.FIXED else builder.add_joint_ball
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*another joint already connects", NewtonWarning)
        return add(
            *ends,
            parent_xform=frames[0],
            child_xform=frames[1],
            label=label or None,
            enabled=row.get(E + "enabled", True),
            collision_filter_parent=False,
        )


def ends_of(builder: Any, row: dict) -> tuple[int, int]:
    """The two bodies that a connect or weld ties, -1 for the world."""
    if E + "site1" in row:
        return builder.shape_body[row[E + "site1"]], builder.shape_body[row[E + "site2"]]
    return row.get(E + "body1", WORLD), row.get(E + "body2", WORLD)


def frames_of(builder: Any, row: dict) -> tuple[np.ndarray, np.ndarray]:
    """Frames [7] in the two bodies that coincide where the constraint holds."""
    # sites are such frames themselves
    if E + "site1" in row:
        one, two = (np.array(builder.shape_transform[row[f"{E}site{side}"]], float) for side in (1, 2))
        return one, two

    # a weld's anchor is on the second body, held at the relative pose in the first; without one, where it is now
    one, two = (
        transform() if body == WORLD else np.array(builder.body_q[body], float) for body in ends_of(builder, row)
    )
    anchor = np.array(row[E + "anchor"], float)
    if row[E + "type"] == EqType.WELD:
        there, pose = transform(anchor), np.array(row[E + "relpose"], float)
        return (pose if pose[3:].any() else multiply(inverse(one), multiply(two, there))), there

    # a connect's anchor is a point of the first body
    return transform(anchor), transform(apply(inverse(two), apply(one, anchor)))

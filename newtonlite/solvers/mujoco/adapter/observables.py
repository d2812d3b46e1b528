"""Observables: extended state attributes that a caller may request of a step."""

from dataclasses import dataclass
from typing import Any

import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.solvers import observables as base

KINDS = (
    "body_parent_f",
    "body_qdd",
    "contact_f",
    "overflow",
    "qfrc_actuator",
    "qfrc_bias",
    "qfrc_constraint",
    "qfrc_frictionloss",
)
OF_BODIES = ("body_parent_f", "body_qdd")
"""Kinds that need accelerations of bodies and the forces between them."""


class MuJoCoObservableKind(base.ObservableKind):
    """Names of the observables, as strings."""

    OVERFLOW = "overflow"
    QFRC_ACTUATOR = "qfrc_actuator"
    QFRC_BIAS = "qfrc_bias"
    QFRC_CONSTRAINT = "qfrc_constraint"
    QFRC_FRICTIONLOSS = "qfrc_frictionloss"


@dataclass(eq=False)
class MuJoCoObservables(base.Observables):
    """Observables of every solver, and: ``qfrc_*`` [joint_dof_count] generalised forces, ``overflow`` [world_count]
    ``OverflowBits`` of the step."""

    qfrc_actuator: Any = base.observable(dtype=wp.float32, frequency=F.JOINT_DOF)
    qfrc_bias: Any = base.observable(dtype=wp.float32, frequency=F.JOINT_DOF)
    qfrc_constraint: Any = base.observable(dtype=wp.float32, frequency=F.JOINT_DOF)
    qfrc_frictionloss: Any = base.observable(dtype=wp.float32, frequency=F.JOINT_DOF)
    overflow: Any = base.observable(dtype=wp.int32, frequency=F.WORLD)

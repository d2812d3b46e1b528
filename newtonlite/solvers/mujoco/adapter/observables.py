"""What a caller may ask to see of a step beyond the state."""

import warp as wp

from newtonlite.core.errors import StateError

KINDS = ("body_parent_f", "body_qdd", "contact_f", "overflow", "qfrc_actuator", "qfrc_bias", "qfrc_constraint", "qfrc_frictionloss")
OF_BODIES = ("body_parent_f", "body_qdd")
"""Kinds that need accelerations of bodies and the forces between them."""
SIZES = {"body_parent_f": "body_count", "body_qdd": "body_count", "overflow": "world_count"}
TYPES = {"body_parent_f": wp.spatial_vector, "body_qdd": wp.spatial_vector, "contact_f": wp.spatial_vector, "overflow": wp.int32}


class ObservableKind:
    """Names of the observables, as strings."""

    BODY_PARENT_F = "body_parent_f"
    BODY_QDD = "body_qdd"
    CONTACT_F = "contact_f"
    OVERFLOW = "overflow"
    QFRC_ACTUATOR = "qfrc_actuator"
    QFRC_BIAS = "qfrc_bias"
    QFRC_CONSTRAINT = "qfrc_constraint"
    QFRC_FRICTIONLOSS = "qfrc_frictionloss"


class Observables:
    """Arrays that ``step(..., observables=...)`` fills; those that were not asked for are None.

    ``body_qdd`` [body_count] acceleration of the centre of mass [m/s^2] and angular [rad/s^2], world frame. ``body_parent_f``
    [body_count] force [N] and torque [N m] that the parent's joint exerts at the centre of mass, world frame. ``contact_f``
    [rigid_contact_max] force and torque of each contact on the body of its first shape, at its centre of mass. ``qfrc_*``
    [joint_dof_count] generalised forces. ``overflow`` [world_count] ``OverflowBits`` of the step.
    """

    def __init__(self, model, kinds, contacts=None):
        for name in KINDS:
            setattr(self, name, None)
        for name in kinds:
            if name not in KINDS:
                raise StateError(f"observables: {name!r} is unknown; known are {', '.join(KINDS)}")
            if name == "contact_f" and contacts is None:
                raise StateError("observables: 'contact_f' has a row for each contact; pass contacts=model.contacts()")
            count = contacts.rigid_contact_max if name == "contact_f" else getattr(model, SIZES.get(name, "joint_dof_count"))
            setattr(self, name, wp.zeros(count, dtype=TYPES.get(name, wp.float32), device=model.device))
        self.contacts = contacts

    def __repr__(self) -> str:
        return f"<Observables {', '.join(name for name in KINDS if getattr(self, name) is not None)}>"

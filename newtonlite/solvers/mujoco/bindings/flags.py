"""Groups of the flags of ``notify_model_changed``, by which rows of the bindings are chosen."""

from newtonlite.core.enums import ModelFlags as Flag

DOF = Flag.JOINT_DOF_PROPERTIES | Flag.JOINT_DOF_FORCE_PROPERTIES
INERTIA = Flag.JOINT_DOF_PROPERTIES | Flag.JOINT_DOF_INERTIAL_PROPERTIES
FRAME = Flag.JOINT_PROPERTIES | Flag.BODY_PROPERTIES | Flag.JOINT_REFERENCE_POSE_PROPERTIES
ANCHOR = Flag.JOINT_PROPERTIES | Flag.JOINT_DOF_PROPERTIES
REFERENCE = DOF | Flag.JOINT_REFERENCE_POSE_PROPERTIES
SHAPE, EQUALITY = Flag.SHAPE_PROPERTIES, Flag.CONSTRAINT_PROPERTIES
TENDON, ACTUATOR = Flag.TENDON_PROPERTIES, Flag.ACTUATOR_PROPERTIES
WEIGHT = FRAME | ANCHOR | INERTIA | Flag.BODY_INERTIAL_PROPERTIES | EQUALITY | TENDON | ACTUATOR
"""Flags by which masses, inverse weights and lengths at the reference pose may change."""
LIMIT = WEIGHT | DOF | SHAPE
"""Flags by which gains of limits may change, which are scaled by inverse weights."""

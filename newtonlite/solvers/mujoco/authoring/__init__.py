"""Authoring functions of the ``mujoco`` namespace: actuators, equality constraints, tendons, contact pairs.

Every function checks what it is given, adds one row to the builder's custom frequencies, and returns its number.
"""

from newtonlite.solvers.mujoco.authoring.actuators import (
    ActuatorTarget,
    add_actuator_dcmotor,
    add_actuator_general,
    add_actuator_motor,
    add_actuator_position,
    add_actuator_velocity,
)
from newtonlite.solvers.mujoco.authoring.constraints import (
    add_contact_pair,
    add_equality_connect,
    add_equality_joint,
    add_equality_tendon,
    add_equality_weld,
)
from newtonlite.solvers.mujoco.authoring.tendons import (
    TendonWrapGeom,
    TendonWrapPulley,
    TendonWrapSite,
    add_tendon_fixed,
    add_tendon_spatial,
)

__all__ = [
    "ActuatorTarget",
    "TendonWrapGeom",
    "TendonWrapPulley",
    "TendonWrapSite",
    "add_actuator_dcmotor",
    "add_actuator_general",
    "add_actuator_motor",
    "add_actuator_position",
    "add_actuator_velocity",
    "add_contact_pair",
    "add_equality_connect",
    "add_equality_joint",
    "add_equality_tendon",
    "add_equality_weld",
    "add_tendon_fixed",
    "add_tendon_spatial",
]

"""Control laws for articulated robots: joint impedance, operational space, differential inverse kinematics.

Each law comes twice: with what it needs of the robot passed in (``...ModelFree``), and computing that from a ``Model``.
All robots of a scene are controlled at once; they may have different numbers of controlled joints.
"""

from newtonlite.controllers.controller import ControllerBase
from newtonlite.controllers.differential_ik import (
    ControllerDifferentialIK,
    ControllerDifferentialIKModelFree,
    DifferentialIKMethod,
)
from newtonlite.controllers.joint_impedance import ControllerJointImpedance, ControllerJointImpedanceModelFree
from newtonlite.controllers.operational_space import ControllerOperationalSpace, ControllerOperationalSpaceModelFree

__all__ = [
    "ControllerBase",
    "ControllerDifferentialIK",
    "ControllerDifferentialIKModelFree",
    "ControllerJointImpedance",
    "ControllerJointImpedanceModelFree",
    "ControllerOperationalSpace",
    "ControllerOperationalSpaceModelFree",
    "DifferentialIKMethod",
]

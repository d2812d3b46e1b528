"""Actuators outside the solver: drives that follow targets, delays of their commands, limits of their efforts.

An ``Actuator`` reads targets from a control and coordinates from a state and adds efforts to ``control.joint_f``,
before the solver steps. Neural drives are not here.
"""

from newtonlite.actuators.actuator import Actuator
from newtonlite.actuators.clamping import ClampingBase, ClampingDCMotor, ClampingMaxEffort, ClampingPositionBased
from newtonlite.actuators.delay import Delay
from newtonlite.actuators.drive import DriveBase
from newtonlite.actuators.pid import DrivePD, DrivePID
from newtonlite.actuators.response import JointSpaceResponse

__all__ = [
    "Actuator",
    "ClampingBase",
    "ClampingDCMotor",
    "ClampingMaxEffort",
    "ClampingPositionBased",
    "Delay",
    "DriveBase",
    "DrivePD",
    "DrivePID",
    "JointSpaceResponse",
]

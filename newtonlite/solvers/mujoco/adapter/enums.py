"""Enumerations that Newton keeps on its solver."""

from enum import IntEnum, IntFlag


class CtrlSource(IntEnum):
    """Control source of an actuator of the ``mujoco`` namespace."""

    JOINT_TARGET = 0
    CTRL_DIRECT = 1


class CtrlType(IntEnum):
    """Control type of such an actuator: its use of a joint target."""

    POSITION = 0
    VELOCITY = 1
    GENERAL = 2
    DCMOTOR = 3


class TrnType(IntEnum):
    """Transmission type of such an actuator: the object it acts on."""

    UNDEFINED = -1
    JOINT = 0
    JOINT_IN_PARENT = 1
    TENDON = 2
    SITE = 3
    BODY = 4
    SLIDERCRANK = 5


class SleepPolicy(IntEnum):
    """Whether a tree may sleep, as ``mujoco:sleep_policy`` says it."""

    AUTO = 0
    NEVER = 3
    ALLOWED = 4
    INIT = 5


class OverflowBits(IntFlag):
    """Overflow bits of the ``overflow`` observable, one per capacity; the third is newtonlite's own. The first: pairs
    of geoms that the broad phase found."""

    CONTACT_PIPELINE = 1 << 16
    SOLVER_NCONMAX = 1 << 17
    SOLVER_NJMAX = 1 << 18

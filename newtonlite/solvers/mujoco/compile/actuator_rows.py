"""Actuator rows under construction: one row of values each, as columns with or without a world dimension."""

from enum import IntEnum

import numpy as np


class ControlSource(IntEnum):
    """Source of a control; ``index`` counts within the world."""

    TARGET_Q = 0  # control.joint_target_q[index], plus the joint's ref
    TARGET_QD = 1  # control.joint_target_qd[index]
    BALL_X = 2  # rotation vector of the quaternion at control.joint_target_q[index]
    BALL_Y = 3
    BALL_Z = 4
    CTRL = 5  # control.mujoco.ctrl[index]
    MORE_1 = 6  # control.mujoco.ctrl_more[index][0], the second control of an actuator
    MORE_2 = 7
    MORE_3 = 8


INTS = (
    "trntype",
    "dyntype",
    "gaintype",
    "biastype",
    "forcelimited",
    "actlimited",
    "actearly",
    "actnum",
    "group",
    "ctrlspec",
)
REALS = ("armature", "damping", "cranklength", "delay")
WIDTH = {
    "trnid": 2,
    "dynprm": 10,
    "gainprm": 10,
    "biasprm": 10,
    "dampingpoly": 2,
    "history": 2,
    "forcerange": 2,
    "actrange": 2,
}
OUTPUT = {"gear": 6, "lengthrange": 2}
ORIGIN = {"own": -1, "drive": np.array([0, -1])}
"""Row of the scene's actuators that one comes from, -1: none; and how it takes a joint's gains (``bindings.actuator.SERVO`` ...)
and of which dof.
"""
RANGES = ("ctrlrange", "velrange", "ffrange")
"""Range attributes of controls; ``range`` of a control is the index of one, -1: none."""


class ActuatorRows:
    """Actuators under construction: one dictionary each, holding what differs from MuJoCo's default motor.

    ``controls`` is a list of dictionaries (``source``, ``index``, ``limited``, ``range``), one by default; ``outputs``
    a number.
    """

    def __init__(self):
        self.rows: list[dict] = []
        self.given: set[str] = set()
        """Fields that some row has."""

    def add(
        self, source: int = 0, index: int = 0, controls: list[dict] | None = None, outputs: int = 1, **values
    ) -> None:
        """Append an actuator, with one control from ``source`` unless ``controls`` tells more."""
        one = dict(source=source, index=index, limited=values.pop("ctrllimited", 0), range=-1)
        self.given.update(values)
        self.rows.append(values | dict(controls=[one] if controls is None else controls, outputs=outputs))

    def column(self, name: str) -> np.ndarray:
        """One field of all actuators: [nactuator, width], or [nworld, nactuator, width] where a value has a world
        dimension.
        """
        empty = default(name)
        if name not in self.given:
            return column([empty] * len(self.rows), empty)
        return column([row.get(name, empty) for row in self.rows], empty)

    def output_column(self, name: str) -> np.ndarray:
        """One field of all force outputs."""
        empty = default(name)
        return column([row.get(name, empty) for row in self.rows for _ in range(row["outputs"])], empty)

    def control_column(self, name: str, empty) -> np.ndarray:
        """One field of all controls."""
        return column([control[name] for row in self.rows for control in row["controls"]], empty)


def column(values: list, empty) -> np.ndarray:
    """Values of equal width, with or without a world dimension, as one array [..., n, width]."""
    if not values:
        return np.zeros((0, *np.shape(empty)), np.asarray(empty).dtype)
    kinds = set(map(type, values))
    if kinds == {type(empty)} and all(value is empty for value in values):
        return np.repeat(np.asarray(empty)[None], len(values), axis=0)
    if not any(issubclass(kind, np.ndarray) for kind in kinds):
        return np.array(values)
    return np.stack(np.broadcast_arrays(*map(np.asarray, values)), axis=-1 - np.ndim(empty))


def default(name: str):
    """MuJoCo's default for an actuator field."""
    if name in INTS:
        return 0
    if name in ORIGIN:
        return ORIGIN[name]
    if name in REALS:
        return 0.0
    if name in ("trnid", "history"):
        return np.full(2, -1 if name == "trnid" else 0)
    value = np.zeros((WIDTH | OUTPUT)[name])
    if name in ("gear", "dynprm", "gainprm"):
        value[0] = 1.0
    return value

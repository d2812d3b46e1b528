"""Bindings of gravity, sensors, and the poses of cameras and lights: the rows of neither bodies nor constraints."""

import numpy as np

from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.solvers.mujoco.bindings.table import SAME, Bind, Watch, named

SENSORS = named(
    "cutoff delay interval", lambda m: np.arange(m.nsensor), Flag.MODEL_PROPERTIES, "sensor_", "mujoco:sensor_"
)
GRAVITY = Bind("opt_gravity", "gravity", lambda m: np.zeros(1, int), Flag.MODEL_PROPERTIES)
"""Followed by the device alone; the compiler has it among the options."""
VIEWS = {"camera": "pos quat fovy sensorsize intrinsic", "light": "pos dir"}
WATCHES = tuple(Watch(f"mujoco:{kind}_{name}", SAME) for kind, names in VIEWS.items() for name in names.split())

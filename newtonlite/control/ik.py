"""Inverse kinematics: objectives, solvers, samplers; the names of ``newtonlite.ik``."""

from newtonlite.ik import *  # noqa: F403
from newtonlite.ik import __all__ as __all__

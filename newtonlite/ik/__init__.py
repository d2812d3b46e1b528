"""Inverse kinematics: joint coordinates for which links stand where they should, for many problems at once.

Objectives give residuals; an ``IKSolver`` makes the sum of their squares small, from one start or the best of several,
by Levenberg-Marquardt or limited-memory BFGS. All work is done on the model's device.
"""

from newtonlite.ik.damped import IKOptimizerLM
from newtonlite.ik.kinds import IKJacobianType, IKOptimizer, IKSampler
from newtonlite.ik.objectives import IKObjective, IKObjectiveJointLimit, IKObjectivePosition, IKObjectiveRotation
from newtonlite.ik.quasi_newton import IKOptimizerLBFGS
from newtonlite.ik.solver import IKSolver

__all__ = [
    "IKJacobianType",
    "IKObjective",
    "IKObjectiveJointLimit",
    "IKObjectivePosition",
    "IKObjectiveRotation",
    "IKOptimizer",
    "IKOptimizerLBFGS",
    "IKOptimizerLM",
    "IKSampler",
    "IKSolver",
]

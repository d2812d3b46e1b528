"""Rigid bodies: which prims are bodies, where they stand and how they move."""

import math
import warnings

import numpy as np

from newtonlite.core.errors import NewtonWarning
from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdBody, UsdSpec
from newtonlite.schema.body import WORLDBODY

RADIAN = math.pi / 180.0
BODY = WORLDBODY.child("body")


def read_bodies(spec: UsdSpec, enabled_only: bool) -> None:
    """All bodies, in the order of the stage; with ``enabled_only`` those that are switched off stay part of the world."""
    for prim in spec.walk.prims:
        if not prim.has("PhysicsRigidBodyAPI"):
            continue
        if enabled_only and not prim.flag("physics:rigidBodyEnabled", True):
            spec.report.convert(prim, "is switched off: what is on it stands still", "physics:rigidBodyEnabled")
            continue
        spec.report.used["body"] += 1
        pose, rest = prim.frame()
        if np.linalg.det(rest) < 0:
            text = f"{prim.where()}: the body is mirrored; its pose is a rotation, what is on it is mirrored instead"
            warnings.warn(text, NewtonWarning, stacklevel=4)
        body = UsdBody(prim, pose, rest, prim.flag("physics:kinematicEnabled", False), order=len(spec.bodies))
        body.velocity = velocity_of(prim, rest)
        body.custom = custom_of(prim)
        spec.bodies.append(body)
        spec.body_at[prim.path] = body
        spec.resolvers.collect(prim)
        for name in ("physics:startsAsleep", "physics:simulationOwner"):
            if name in prim.authored:
                spec.report.ignore(prim, "is not followed", name)


def velocity_of(prim: Prim, rest: np.ndarray) -> np.ndarray:
    """Linear velocity [m/s] and angular velocity [rad/s], in the body's frame."""
    linear = prim.numbers("physics:velocity", 3)
    angular = prim.numbers("physics:angularVelocity", 3)
    out = np.zeros(6)
    if linear is not None:
        out[:3] = linear * prim.walk.base[0, 0]
    if angular is not None:
        out[3:] = angular * RADIAN
    return out


def custom_of(prim: Prim) -> dict:
    """MuJoCo's attributes of a body."""
    found = {}
    lift = prim.finite("mjc:gravcomp", prim.finite("mjc:body:gravcomp"))
    if lift is not None:
        found["mujoco:gravcomp"] = lift
    sleep = mjc.values(prim, BODY, ("sleep",)).get("sleep")
    if sleep is not None:
        found["mujoco:sleep_policy"] = sleep
    return found

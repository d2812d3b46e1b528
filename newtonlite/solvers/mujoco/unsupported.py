"""Unsupported features: checks by which a compiled model is refused, each with the name of what is not supported."""

import warnings

import numpy as np

from newtonlite.core.errors import ModelError, NewtonWarning, external
from newtonlite.core.mujoco import (
    MjtCone,
    MjtDisableBit,
    MjtEnableBit,
    MjtEq,
    MjtGeom,
    MjtIntegrator,
    MjtObj,
    MjtSensor,
    MjtSleepPolicy,
    MjtSolver,
)
from newtonlite.core.plugins import PLUGINS, SLOTS
from newtonlite.solvers.mujoco.derive.enclosed import enclosing, parts_of
from newtonlite.solvers.mujoco.derive.sensor import sensor_geom_pairs
from newtonlite.solvers.mujoco.kernels.collide.geom_pairs import CONVEX, candidate_pairs
from newtonlite.solvers.mujoco.unsupported_flexes import flex_checks
from newtonlite.solvers.mujoco.unsupported_ipc import ipc_checks, passes_through

COMPACT = {MjtGeom.SPHERE, MjtGeom.CAPSULE, MjtGeom.ELLIPSOID, MjtGeom.CYLINDER, MjtGeom.BOX, MjtGeom.MESH}
"""Shapes that are bounded and convex; of a mesh its hull."""


def check_supported(mj) -> None:
    """Raise ModelError naming every feature of ``mj`` that the engine would otherwise ignore."""
    found = [text for text, present in _checks(mj) if present]
    if found:
        raise ModelError("the engine does not simulate: " + "; ".join(found) + ". Remove these elements from the model")
    if _asks_libccd(mj):
        text = "flag nativeccd is disabled; contacts of convex shapes come from newtonlite's own convex collision all the same, not from libccd"
        warnings.warn(f"{text}. Enable the flag, or leave it out", NewtonWarning, stacklevel=external())
    if passes_through(mj):
        text = "flag ipc keeps interpolated flexes of dimension 2 away from nothing: they pass through static geoms and surfaces, as in MuJoCo"
        warnings.warn(f"{text}. Let every vertex have a body of its own", NewtonWarning, stacklevel=external())


def _checks(mj):
    opt = mj.opt
    for name, number, known in (
        ("integrators", opt.integrator, MjtIntegrator),
        ("solvers", opt.solver, MjtSolver),
        ("friction cones", opt.cone, MjtCone),
    ):
        yield f"{name} that are not known (number {int(number)})", number not in list(known)
    flags = int(opt.enableflags)
    if opt.integrator == MjtIntegrator.DISCRETE:
        yield from _discrete_checks(mj, flags)
    known = (
        MjtEnableBit.OVERRIDE
        | MjtEnableBit.ENERGY
        | MjtEnableBit.FWDINV
        | MjtEnableBit.INVDISCRETE
        | MjtEnableBit.SLEEP
        | MjtEnableBit.DIAGEXACT
    )
    yield from ipc_checks(mj)
    known |= MjtEnableBit.IPC | MjtEnableBit.SPECULATIVE
    yield "flags that are not known", bool(flags & ~int(known) or int(opt.disableflags) & ~sum(MjtDisableBit))
    sleeps = bool(flags & MjtEnableBit.SLEEP)
    policy = np.asarray(getattr(mj, "tree_sleep_policy", ()), int)
    yield "sleep policies that are not known", not np.isin(policy, list(MjtSleepPolicy)).all()
    yield "sleep with equality constraints of tendons", sleeps and bool(np.any(np.asarray(mj.eq_type) == MjtEq.TENDON))
    yield from _sensor_checks(mj)
    yield from flex_checks(mj)
    yield from _plugin_checks(mj)


def _discrete_checks(mj, flags: int):
    yield (
        "flag sleep without islands with the integrator discrete, as MuJoCo 4.0 does not either (enable the flag island)",
        bool(flags & MjtEnableBit.SLEEP) and bool(int(mj.opt.disableflags) & MjtDisableBit.ISLAND),
    )
    yield (
        "flag fwdinv with the integrator discrete (leave it out; inverse dynamics itself is computed)",
        bool(flags & MjtEnableBit.FWDINV),
    )


def _plugin_checks(mj):
    unknown = sorted({int(slot) for slot in getattr(mj, "plugin", ())} - SLOTS.keys())
    yield f"plugins of others (slots {unknown}); MuJoCo's own are {', '.join(PLUGINS)}", bool(unknown)
    yield "plugins of bodies", bool(np.any(np.asarray(getattr(mj, "body_plugin", -1)) >= 0))


def _asks_libccd(mj) -> bool:
    """Whether the model asks for libccd, whose contacts of convex shapes differ, and has pairs that would go there."""
    if not int(mj.opt.disableflags) & MjtDisableBit.NATIVECCD:
        return False
    types = np.asarray(mj.geom_type)[np.asarray(candidate_pairs(mj)["cand_geom"], int).reshape(-1, 2)]
    return len(sensor_geom_pairs(mj)) > 0 or any(tuple(t) in CONVEX and t[0] != MjtGeom.PLANE for t in types.tolist())


def _sensor_checks(mj):
    kind = np.asarray(getattr(mj, "sensor_type", ()), int)
    if not len(kind):
        return
    measured = np.asarray(mj.geom_type)[sensor_geom_pairs(mj).ravel()]
    yield (
        "distances of height fields or signed distance fields",
        bool(np.isin(measured, (MjtGeom.HFIELD, MjtGeom.SDF)).any()),
    )
    parts = [part for s in enclosing(mj) for part in parts_of(mj, s) or [None]]
    shapes = {-1 if p is None else int(mj.geom_type[p[1]]) for p in parts if p is None or not p[0]}
    yield (
        "insidesite sensors with enclosed for what has no shape, or shapes that are not convex",
        bool(shapes - COMPACT),
    )
    meshes = [p[1] for p in parts if p and p[0] and mj.site_type[p[1]] >= MjtGeom.MESH]
    sites = np.asarray(mj.site_type)[[i for k, i in _zones(mj, kind)]]
    yield "sensors of zones, or of sites, that are meshes", bool(meshes or (sites >= MjtGeom.MESH).any())


def _zones(mj, kind):
    """(sensor, site) of those that look into the zone of a site."""
    for s, k in enumerate(kind):
        if k == MjtSensor.TOUCH or (k == MjtSensor.CONTACT and mj.sensor_objtype[s] == MjtObj.SITE):
            yield s, int(mj.sensor_objid[s])
        if k == MjtSensor.INSIDESITE:
            yield s, int(mj.sensor_refid[s])

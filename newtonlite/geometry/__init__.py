"""Geometry: meshes, inertia, contacts, signed distances and rays of shapes."""

from importlib import import_module

_HOME = {
    "HydroelasticSDF": "newtonlite.geometry.hydroelastic",
    "compute_inertia_shape": "newtonlite.geometry.inertia",
    "transform_inertia": "newtonlite.geometry.inertia",
}
_ABSENT = {
    "BroadPhaseAllPairs": "pass broad_phase='nxn' to CollisionPipeline",
    "BroadPhaseSAP": "pass broad_phase='sap' to CollisionPipeline",
    "BroadPhaseExplicit": "pass broad_phase='explicit' to CollisionPipeline",
    "NarrowPhase": "CollisionPipeline has its own",
}
"""Names of Newton's that are not here, and what to do instead."""


def __getattr__(name: str):
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    instead = f"; it is not supported: {_ABSENT[name]}" if name in _ABSENT else ""
    raise AttributeError(f"module 'newtonlite.geometry' has no attribute {name!r}{instead}")

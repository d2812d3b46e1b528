"""Geometry: meshes, inertia, contacts, signed distances and rays of shapes."""

_ABSENT = {
    "BroadPhaseAllPairs": "pass broad_phase='nxn' to CollisionPipeline",
    "BroadPhaseSAP": "pass broad_phase='sap' to CollisionPipeline",
    "BroadPhaseExplicit": "pass broad_phase='explicit' to CollisionPipeline",
    "NarrowPhase": "CollisionPipeline has its own",
}
"""Names of Newton's that are not here, and what to do instead."""


def __getattr__(name: str):
    if name == "HydroelasticSDF":
        from newtonlite.geometry.hydroelastic import HydroelasticSDF

        return HydroelasticSDF
    instead = f"; it is not supported: {_ABSENT[name]}" if name in _ABSENT else ""
    raise AttributeError(f"module 'newtonlite.geometry' has no attribute {name!r}{instead}")

"""Schemas applied to prims, registered or not, and where warnings about them point."""

import os
import sys

FOLDER = os.path.dirname(__file__)
IMPLIED = {
    "NewtonCollisionAPI": ("PhysicsCollisionAPI",),
    "NewtonMeshCollisionAPI": ("NewtonCollisionAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"),
    "NewtonArticulationRootAPI": ("PhysicsArticulationRootAPI",),
    "NewtonMassAPI": ("PhysicsMassAPI",),
    "NewtonMaterialAPI": ("PhysicsMaterialAPI",),
    "MjcSceneAPI": ("NewtonSceneAPI",),
    "MjcJointAPI": ("NewtonJointAPI",),
    "MjcCollisionAPI": ("NewtonCollisionAPI", "PhysicsCollisionAPI"),
    "MjcMeshCollisionAPI": (
        "NewtonMeshCollisionAPI",
        "NewtonCollisionAPI",
        "PhysicsMeshCollisionAPI",
        "PhysicsCollisionAPI",
    ),
    "MjcSiteAPI": ("NewtonSiteAPI",),
    "MjcMaterialAPI": ("NewtonMaterialAPI", "PhysicsMaterialAPI"),
    "MjcEqualityJointAPI": ("NewtonMimicAPI",),
}
"""Schemas that bring others along, whether or not their plugins are registered."""


def outside() -> int:
    """Frames from the caller up to the first one that is not of this folder, as ``stacklevel`` counts them."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(FOLDER):
        level, frame = level + 1, frame.f_back
    return level


def applied(usd) -> frozenset[str]:
    """The schemas applied to a prim and those they bring along, registered or not; of multiple ones also the bare name."""
    found: set[str] = set()
    for name in usd.GetPrimTypeInfo().GetAppliedAPISchemas():
        found.add(name)
        found.add(name.partition(":")[0])
        found.update(IMPLIED.get(name, ()))
    return frozenset(found)

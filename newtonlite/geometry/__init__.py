"""Geometry: meshes, inertia, contacts, signed distances and rays of shapes."""

from importlib import import_module

_BY_MODULE = {
    "newtonlite.collide.broad_phase": ("BroadPhaseAllPairs", "BroadPhaseExplicit", "BroadPhaseSAP"),
    "newtonlite.collide.narrow_phase": ("NarrowPhase",),
    "newtonlite.geometry.contact.values": (
        "collide_box_box",
        "collide_capsule_box",
        "collide_capsule_capsule",
        "collide_plane_box",
        "collide_plane_capsule",
        "collide_plane_cylinder",
        "collide_plane_ellipsoid",
        "collide_plane_sphere",
        "collide_sphere_box",
        "collide_sphere_capsule",
        "collide_sphere_cylinder",
        "collide_sphere_sphere",
    ),
    "newtonlite.geometry.signed_distance.functions": (
        "sdf_box",
        "sdf_capsule",
        "sdf_cone",
        "sdf_cylinder",
        "sdf_mesh",
        "sdf_plane",
        "sdf_sphere",
    ),
    "newtonlite.geometry.hydroelastic": ("HydroelasticSDF",),
    "newtonlite.geometry.inertia": ("compute_inertia_shape", "transform_inertia"),
}
_HOME = {name: module for module, names in _BY_MODULE.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'newtonlite.geometry' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})

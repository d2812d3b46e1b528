"""Doors: functions of upper layers that lower layers open when they are called, by name, and import nothing of them."""

from typing import Any

from newtonlite.core.lazy_import import import_module

DOORS = {
    "parse_mjcf": ("newtonlite.importers.mjcf", "ModelBuilder.add_mjcf"),
    "parse_urdf": ("newtonlite.importers.urdf", "ModelBuilder.add_urdf"),
    "parse_usd": ("newtonlite.importers.usd", "ModelBuilder.add_usd"),
    "get_mesh": ("newtonlite.importers.usd.mesh_source", "Mesh.create_from_usd"),
    "get_tetmesh": ("newtonlite.importers.usd.tetmesh", "TetMesh.create_from_usd"),
    "CollisionPipeline": ("newtonlite.solvers.mujoco.collision.pipeline", "Model.collide"),
    "Actuator": ("newtonlite.actuators", "ModelBuilder.finalize, where actuators were added"),
    "recover_elasticity": (
        "newtonlite.solvers.mujoco.compile.flexes.elastic_constants",
        "save_mjcf, of soft bodies that MuJoCo has compiled",
    ),
    "Delay": ("newtonlite.actuators", "ModelBuilder.finalize, where actuators were added"),
}
"""Module, and the method that opens it, by the name of what is behind it."""


def open_door(name: str) -> Any:
    """Function or class behind a door."""
    return getattr(import_module(DOORS[name][0]), name)

"""The physics scene: gravity, time step, and MuJoCo's options."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.resolvers import PrimType, Resolvers
from newtonlite.importers.usd.stage import Units
from newtonlite.schema.option import COMPILER, FLAG, OPTION

EARTH = 9.81
"""Gravity [m/s^2] of a scene that says none."""


@dataclass
class PhysicsScene:
    """Scene properties, which hold for the whole stage."""

    prim: Prim | None = None
    gravity: np.ndarray | None = None
    """In the stage's axes [m/s^2]; None: the builder's."""
    dt: float | None = None
    iterations: int | None = None
    mjc: bool = False
    """Whether MuJoCo's schema is applied, and its defaults hold."""
    options: dict[str, Any] = field(default_factory=dict)
    flags: dict[str, bool] = field(default_factory=dict)
    compiler: dict[str, Any] = field(default_factory=dict)


def read_scene(walk, resolvers: Resolvers, units: Units, up: np.ndarray) -> PhysicsScene:
    """The first scene of the stage; without one there is neither gravity nor a time step."""
    prims = walk.of_type("PhysicsScene")
    if not prims:
        return PhysicsScene()
    for other in prims[1:]:
        walk.report.ignore(other, f"only the first scene counts, <{prims[0].path}>")
    prim = prims[0]
    resolvers.collect(prim)
    scene = PhysicsScene(prim, mjc=prim.has("MjcSceneAPI"))
    scene.gravity = gravity_of(prim, resolvers, units, up)
    steps, by = resolvers.source(prim, PrimType.SCENE, "time_steps_per_second")
    step = prim.finite("mjc:option:timestep") if by in ("mjc", "") and "mjc" in resolvers.names() else None
    plain = "NewtonSceneAPI" in prim.usd.GetPrimTypeInfo().GetAppliedAPISchemas() and "newton" in resolvers.names()
    if step is None and not by and scene.mjc and not plain:
        step = OPTION.attr("timestep").default
    if scene.mjc and step is None and by == "newton" and "mjc" in resolvers.names():
        authored = prim.finite("mjc:option:timestep")
        if authored is not None and authored > 0 and abs(steps - 1.0 / authored) <= 1.0:
            step = authored  # whole steps a second are the same, rounded
    usual = resolvers.default(PrimType.SCENE, "time_steps_per_second")
    if by and not steps > 0:
        walk.report.ignore(prim, f"{steps} steps a second cannot be; the default, {usual}, counts")
        by = ""
    steps = steps if by else usual
    scene.dt = step if step is not None else 1.0 / float(steps) if steps and steps > 0 else None
    if scene.dt is not None and not scene.dt > 0:
        raise prim.error(f"{scene.dt:g} is no time step; give a positive number", "mjc:option:timestep")
    scene.iterations = iterations_of(prim, resolvers, scene)
    if "mjc" in resolvers.names():
        scene.options = mjc.values(prim, OPTION, defaults=scene.mjc)
        scene.flags = mjc.values(prim, FLAG, defaults=scene.mjc)
        scene.compiler = mjc.values(prim, COMPILER)
        scene.options.pop("gravity", None)
        authored, by = resolvers.source(prim, PrimType.SCENE, "max_solver_iterations")
        if by == "newton" and authored >= 0 and "mjc:option:iterations" not in prim.authored:
            scene.options["iterations"] = int(authored)
        if scene.dt is not None:
            scene.options["timestep"] = scene.dt
    return scene


def iterations_of(prim: Prim, resolvers: Resolvers, scene: PhysicsScene) -> int:
    """Most iterations of the solver."""
    value = resolvers.get(
        prim, PrimType.SCENE, "max_solver_iterations", OPTION.attr("iterations").default if scene.mjc else None
    )
    return int(value) if value is not None else -1


def gravity_of(prim: Prim, resolvers: Resolvers, units: Units, up: np.ndarray) -> np.ndarray:
    """Gravity in the stage's axes: downwards with that of the Earth where nothing is said."""
    enabled, by = resolvers.source(prim, PrimType.SCENE, "gravity_enabled")
    if enabled is not None and not enabled and not (by == "mjc" and prim.has("MjcSceneAPI")):
        return np.zeros(3)  # MuJoCo's flag switches it off by itself
    direction = prim.numbers("physics:gravityDirection", 3)
    if direction is None or not direction.any():
        direction = -up
    strength = prim.number("physics:gravityMagnitude", -1.0)
    if strength == float("inf"):
        raise prim.error("is not finite", "physics:gravityMagnitude")
    strength = EARTH if strength < 0 else strength * units.length
    return strength * direction / np.linalg.norm(direction)

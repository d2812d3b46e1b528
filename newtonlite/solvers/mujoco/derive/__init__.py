"""Derived fields that the stages need beyond a compiled model's own arrays: walks, lists and sizes, one file per
family.

``derive(mj)`` of a family gives values of fields, which go before the compiled model's own, and sizes that only shapes
need; sizes named ``rows_<family>`` are the most constraint rows the family can ask for.
"""

from newtonlite.solvers.mujoco.derive import (
    actuator,
    constraint,
    contact_override,
    contact_surface,
    coupled_rows,
    distance_field,
    enclosed,
    equality,
    flex,
    flex_contact,
    flex_equality,
    flex_forces,
    flex_rods,
    float64,
    frames,
    geom,
    hull,
    integrate,
    ipc,
    passive,
    ray,
    sensor,
    sleep,
    slider,
    sparse,
    tactile,
    tendon,
    touch_grid,
    tree,
)

FAMILIES = (
    actuator,
    constraint,
    coupled_rows,
    enclosed,
    equality,
    flex,
    flex_contact,
    flex_equality,
    flex_forces,
    flex_rods,
    float64,
    frames,
    hull,
    integrate,
    ipc,
    contact_override,
    passive,
    ray,
    sensor,
    sleep,
    slider,
    contact_surface,
    distance_field,
    sparse,
    tactile,
    touch_grid,
    tendon,
    tree,
)


def derived(mj, broadphase: str = "auto", kind: str = "cpu") -> dict:
    """All derived values of a compiled model (or a ``mujoco.MjModel``) for a ``"cpu"`` or a ``"gpu"``."""
    found = {name: value for family in FAMILIES for name, value in family.derive(mj).items()}
    return {**geom.derive(mj, broadphase, kind), **found, **sleep.island_sizes(mj, kind)}

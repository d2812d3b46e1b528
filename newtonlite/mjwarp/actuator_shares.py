"""Damping and armature of actuators: MuJoCo Warp keeps them apart from those of joints and tendons, the engine adds
them up.
"""

import numpy as np

from newtonlite.solvers.mujoco.derive.actuator import shares
from newtonlite.solvers.mujoco.derive.keep_features import KeepFeatures

OF_ACTUATORS = ("actuator_damping", "actuator_dampingpoly", "actuator_armature")
OWN = tuple(f"{thing}_{what}" for thing in ("dof", "tendon") for what in ("damping", "dampingpoly", "armature"))
"""Damping and armature of joints and tendons without actuators; the engine's fields of these names hold the sums."""


def loaded(source) -> bool:
    """Whether an actuator has damping or armature."""
    return any(np.any(getattr(source, name, 0.0)) for name in OF_ACTUATORS)


def given(m) -> dict:
    """Own values of joints, tendons and actuators, and gears, as they are now: ``[nworld, ...]``, or ``[...]`` where all
    worlds share them.
    """
    arrays = {name: m.host_arrays[name] for name in (*OWN, *OF_ACTUATORS) if name in m.host_arrays}
    values = {name: a.numpy() for name, a in (arrays | {"actuator_gear": m.arrays["actuator_gear"]}).items()}
    return {name: v[0] if len(v) == 1 else v for name, v in values.items()}


def add_up(m) -> None:
    """Write the sums into the engine's fields, where something they are made of has changed."""
    values = given(m)
    key = b"".join(v.tobytes() for v in values.values())
    if key == m.__dict__.get("shares_key"):
        return
    m.__dict__["shares_key"] = key
    total = shares(KeepFeatures(m.source, values=values))
    for name in OWN:
        if name in total or name in values:
            m.set_total(name, total.get(name, values.get(name)))

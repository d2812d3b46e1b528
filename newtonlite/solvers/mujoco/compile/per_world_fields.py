"""Per-world fields: splits a compiled model whose numbers differ between worlds into one world's model and the
differences.
"""

import copy

import numpy as np

from newtonlite.core.types import cell_shape
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.derive import frames
from newtonlite.solvers.mujoco.derive.actuator import shares
from newtonlite.solvers.mujoco.fields import MODEL

PARAMETERS = {f.name: f for f in MODEL if f.role == "param"}
WIDEST = ("geom_rbound", "geom_margin", "pair_margin")  # decide which pairs may touch, and how far away
ANY = ("dof_frictionloss", "tendon_frictionloss")  # decide which dofs and tendons get a row


def split_worlds(m: CompiledModel) -> tuple:
    """(model of the first world, {engine parameter: values [nworld, ...]} of those that differ).

    Where a list of the engine is made from a parameter, the first world's model holds the largest value of all worlds.
    """
    single, varied = copy.copy(m), {}
    single.opt, single.stat = copy.copy(m.opt), copy.copy(m.stat)
    for name, field in PARAMETERS.items():
        value = getattr(m, name, None)
        if value is None or np.ndim(value) <= rank(field):
            continue
        varied[name] = value
        setattr(single, name, value.max(axis=0) if name in WIDEST + ANY else value[0])
    varied |= split_options(m, single)
    for name, value in vars(m).items():
        if isinstance(value, np.ndarray) and name not in PARAMETERS and name in BATCHED and value.ndim > BATCHED[name]:
            setattr(single, name, value[0])
    for name, value in shares(m).items():  # of joints and tendons together with the actuators on them
        if name in PARAMETERS and value.ndim > rank(PARAMETERS[name]):
            varied[name] = value
    for name, value in frames.derive(m).items():
        if value.ndim > rank(PARAMETERS[name]) and (name in varied or (value != value[0]).any()):
            varied[name] = value
    return single, varied


BATCHED = {
    "dof_M0": 1,
    "actuator_length0": 1,
    "actuator_damping": 1,
    "actuator_dampingpoly": 2,
    "actuator_armature": 1,
    "site_size": 2,
}
"""Compiled fields that may have a world dimension and that the engine does not read, with their rank for one world."""


def world(m: CompiledModel, k: int):
    """The compiled model of world ``k`` alone."""
    one = copy.copy(m)
    one.opt, one.stat = copy.copy(m.opt), copy.copy(m.stat)
    ranks = BATCHED | {name: rank(field) for name, field in PARAMETERS.items()}
    for name, value in vars(m).items():
        if name in ranks and np.ndim(value) > ranks[name]:
            setattr(one, name, value[k])
    for group in (one.opt, one.stat):
        for name, value in vars(group).items():
            if np.ndim(value) > np.ndim(getattr(type(group)(), name, value)):
                setattr(group, name, value[k])
    return one


def rank(field) -> int:
    """Dimensions of a parameter of one world, vector components included."""
    return len((field.dims or "").split()) + len(cell_shape(field.dtype))


def split_options(m: CompiledModel, single) -> dict:
    """Options and statistics that differ, under the engine's names."""
    varied = {}
    for name, value in vars(m.opt).items():
        if np.ndim(value) > np.ndim(getattr(type(m.opt)(), name, value)):
            setattr(single.opt, name, value[0])
            if name == "tolerance":
                varied["opt_tolerance"] = np.maximum(value, 1e-6)
            elif name == "impratio":
                varied["opt_impratio_invsqrt"] = 1.0 / np.sqrt(value)
            else:
                varied[f"opt_{name}"] = value
    if np.ndim(m.stat.meaninertia):
        single.stat.meaninertia = m.stat.meaninertia[0]
    if np.ndim(m.stat.meanmass):
        single.stat.meanmass = m.stat.meanmass[0]
    return varied

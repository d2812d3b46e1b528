"""Equality constraints, mimic joints and loops: refused by name until the engine holds them."""

import numpy as np

from newtonlite.core.errors import ModelError

from .tree import Tree
from .worlds import Worlds


def compile_equality(m, w: Worlds, tree: Tree) -> None:
    """Raise ModelError for the first constraint found; leaves the equality arrays empty."""
    m.neq = 0
    m.set(eq_type=np.zeros(0, int), eq_obj1id=np.zeros(0, int), eq_obj2id=np.zeros(0, int), eq_active0=np.zeros(0, int))
    m.set(eq_data=np.zeros((0, 11)), eq_solref=np.zeros((0, 2)), eq_solimp=np.zeros((0, 5)))
    for what, name in constraints(w, tree):
        raise ModelError(f"{what} '{name}': equality constraints are not supported by SolverMuJoCo; remove it from the model")


def constraints(w: Worlds, tree: Tree):
    """(kind, name) of each equality constraint, mimic constraint and loop joint of the world."""
    for j in tree.loops:
        yield "loop joint", w.label("joint", j)
    if w.has("mujoco:equality_constraint_type"):
        for k in range(w.size("mujoco:equality_constraint")):
            yield "equality constraint", w.first_labels("mujoco:equality_constraint_label", "mujoco:equality_constraint")[k]
    for j in np.flatnonzero(w.first("joint_mimic_joint") >= 0):
        yield "mimic joint", w.label("joint", j)
    if w.model.constraint_mimic_count:
        for k in range(w.size("constraint_mimic")):
            yield "mimic constraint", w.label("constraint_mimic", k)

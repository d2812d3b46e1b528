"""Springs of MuJoCo's former names: ``dof_passive_stiffness`` and ``dof_springref`` become ``joint_stiffness`` and
``joint_rest_q`` when a model is finalized, where they are deprecated names of these (``attributes.DEPRECATED``).
"""

import warnings

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, external

STIFFNESS, SPRINGREF, REF = (f"mujoco:dof_{name}" for name in ("passive_stiffness", "springref", "ref"))
FORMER = (STIFFNESS, SPRINGREF)
"""Attributes of a builder that no model has as arrays of their own."""
SCALAR = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.D6)


def settle_springs(builder, arrays: dict[str, np.ndarray]) -> None:
    """Put springs of the former names into ``joint_stiffness`` and ``joint_rest_q`` of the arrays of a builder.

    A rest is the spring reference less ``dof_ref``; a stiffness given without one rests at reference 0. Warns; ModelError
    where both names say different things.
    """
    count = len(arrays["joint_stiffness"])
    stiffness, springref = (given_values(builder, key, count) for key in FORMER)
    for key, values in ((STIFFNESS, stiffness), (SPRINGREF, springref)):
        if np.isfinite(values).any():
            successor = "joint_stiffness" if key == STIFFNESS else "joint_rest_q, which is springref less ref"
            text = f"{key} is deprecated; set {successor}"
            warnings.warn(text, NewtonDeprecationWarning, stacklevel=external())
    given = np.flatnonzero(np.isfinite(stiffness))
    merge(arrays, "joint_stiffness", given, stiffness[given], STIFFNESS, given)

    # where a dof is said to rest, and which coordinate that is
    dof, coord = scalar_places(arrays)
    rests = np.where(np.isfinite(springref), springref, np.where(np.isfinite(stiffness), 0.0, np.nan))[dof]
    rests -= np.nan_to_num(given_values(builder, REF, count))[dof]
    asked = np.isfinite(springref[dof])
    chosen = np.isfinite(rests) & (asked | (arrays["joint_rest_q"][coord] == 0.0))
    merge(arrays, "joint_rest_q", coord[chosen], rests[chosen], SPRINGREF, dof[chosen])


def given_values(builder, key: str, count: int) -> np.ndarray:
    """Values of a custom attribute of dofs [count], NaN where none was given."""
    attribute = builder.custom_attributes.get(key)
    values = [None] * count if attribute is None else attribute.given(count)
    return np.array([np.nan if value is None else float(value) for value in values], float)


def scalar_places(arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Dofs of joints whose coordinates are their dofs, and these coordinates."""
    kinds, sizes = arrays["joint_type"], arrays["joint_dof_dim"].reshape(-1, 2).sum(axis=1)
    joints = np.flatnonzero(np.isin(kinds, SCALAR))
    within = [np.arange(sizes[j]) for j in joints]
    places = ([arrays[name][j] + w for j, w in zip(joints, within)] for name in ("joint_qd_start", "joint_q_start"))
    dof, coord = (np.concatenate([np.zeros(0, int), *parts]).astype(int) for parts in places)
    return dof, coord


def merge(arrays: dict[str, np.ndarray], name: str, rows, values, key: str, dofs) -> None:
    """Set rows of an array; ModelError where one has another number already."""
    if not len(rows):
        return
    old = arrays[name][rows]
    other = np.flatnonzero((old != 0.0) & ~np.isclose(old, values, rtol=1e-6, atol=1e-7))
    if len(other):
        k = other[0]
        raise ModelError(
            f"Conflicting {name} and deprecated {key} at dof {dofs[k]}: {old[k]:g} and {values[k]:g}; set {name} alone"
        )
    arrays[name] = arrays[name].copy()
    arrays[name][rows] = values

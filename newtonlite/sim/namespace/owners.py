"""Articulations of tendons and actuators of the ``mujoco`` namespace: the articulation that holds all that one acts on,
else none."""

from typing import Any

import numpy as np

from newtonlite.core.enums import TrnType


def values(builder: Any, name: str) -> np.ndarray:
    """All values of a column of the namespace."""
    attribute = builder.custom_attributes[f"mujoco:{name}"]
    return np.asarray(attribute.array(builder.custom_frequency_counts[attribute.frequency]))


def owners_at(owners: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Owners at indices, -1 for indices that are none."""
    ok = (index >= 0) & (index < len(owners))
    return np.where(ok, owners[np.where(ok, index, 0)] if len(owners) else -1, -1)


def of_bodies(builder: Any) -> np.ndarray:
    """The articulation whose joint moves each body."""
    articulation, child = builder.columns["joint_articulation"].array(), builder.columns["joint_child"].array()
    found = np.full(builder.body_count, -1)
    own = articulation >= 0
    found[child[own]] = articulation[own]
    return found


def of_shapes(builder: Any) -> np.ndarray:
    """The articulation of the body of each shape."""
    return owners_at(of_bodies(builder), builder.columns["shape_body"].array())


def of_dofs(builder: Any) -> np.ndarray:
    """The articulation of the joint of each dof."""
    starts = np.append(builder.columns["joint_qd_start"].array(), builder.joint_dof_count)
    return np.repeat(builder.columns["joint_articulation"].array(), np.diff(starts))


def tendon_joint_owners(builder: Any) -> np.ndarray:
    """Owners of the joints of fixed tendons."""
    return owners_at(builder.columns["joint_articulation"].array(), values(builder, "tendon_joint"))


def tendon_wrap_owners(builder: Any) -> np.ndarray:
    """Owners of the points of spatial tendons; pulleys belong where the rest of their tendon does."""
    shapes = values(builder, "tendon_wrap_shape")
    found = owners_at(of_shapes(builder), shapes)
    for first, count in zip(values(builder, "tendon_wrap_adr"), values(builder, "tendon_wrap_num"), strict=True):
        own = slice(first, first + count)
        if 0 <= first and first + count <= len(found):
            found[own] = np.where((found[own] < 0) & (shapes[own] < 0), agreed(found[own]), found[own])
    return found


def agreed(owners: np.ndarray) -> int:
    """The one articulation among owners; -1 for none or several."""
    found = set(owners[owners >= 0].tolist())
    return found.pop() if len(found) == 1 else -1


def tendon_owners(builder: Any) -> np.ndarray:
    """Owners of tendons."""
    rows = (("joint", tendon_joint_owners(builder)), ("wrap", tendon_wrap_owners(builder)))
    parts = [
        (of_row, values(builder, f"tendon_{kind}_adr"), values(builder, f"tendon_{kind}_num")) for kind, of_row in rows
    ]
    found = []
    for t in range(builder.custom_frequency_counts["mujoco:tendon"]):
        owners = []
        for of_row, starts, counts in parts:
            first, count = int(starts[t]), int(counts[t])
            if first < 0 or count < 0 or first + count > len(of_row):
                owners = [np.array([-1])]
                break
            owners.append(of_row[first : first + count])
        found.append(agreed(np.concatenate(owners)))
    return np.array(found, int)


def actuator_owners(builder: Any) -> np.ndarray:
    """Owners of actuators, by what they act on."""
    kind, target = values(builder, "actuator_trntype"), values(builder, "actuator_trnid").reshape(-1, 2).astype(int)
    shapes = of_shapes(builder)
    by_kind = {TrnType.TENDON: tendon_owners(builder), TrnType.SITE: shapes, TrnType.BODY: of_bodies(builder)}
    by_kind |= dict.fromkeys((TrnType.JOINT, TrnType.JOINT_IN_PARENT), of_dofs(builder))
    found = np.full(len(kind), -1)
    for number, owners in by_kind.items():
        found = np.where(kind == number, owners_at(owners, target[:, 0]), found)
    for i in np.flatnonzero(kind == TrnType.SLIDERCRANK):
        found[i] = agreed(owners_at(shapes, target[i]))
    return found


RESOLVERS = {
    "mujoco:actuator": actuator_owners,
    "mujoco:tendon": tendon_owners,
    "mujoco:tendon_joint": tendon_joint_owners,
    "mujoco:tendon_wrap": tendon_wrap_owners,
}
"""Functions that find the owners of each kind of rows."""

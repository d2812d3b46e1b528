"""Bodies: frames in their parents, masses, principal axes, mocap numbers."""

import numpy as np

from newtonlite.core.enums import BodyFlags, JointType
from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.bindings import body
from newtonlite.solvers.mujoco.bindings.table import fill_fields
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds


def compile_bodies(m: CompiledModel, w: Worlds, tree: BodyTree) -> None:
    """Fill the body arrays; derived ones come with the topology and the constants."""
    m.nbody = len(tree.body)
    m.set(
        body_parentid=tree.parent, newton_body=tree.body, newton_carrier=tree.joint, body_mocapid=mocap_numbers(w, tree)
    )
    floating = np.isin(w.first("joint_type")[tree.joint[1:]], (JointType.FREE, JointType.DISTANCE))
    m.set(newton_floating=np.append(False, floating))
    m.nmocap = int(m.body_mocapid.max()) + 1
    m.names_body = ["world"] + [w.name("body", b) for b in tree.body[1:]]
    check_masses(w, tree)
    fill_fields(m, w, body.BINDS)
    for row in body.DERIVED[:2]:
        m.set(**row.numpy(m, w))
    m.ngravcomp = int((m.body_gravcomp != 0).reshape(-1, m.nbody).any(axis=0).sum())


def check_masses(w: Worlds, tree: BodyTree) -> None:
    """Raise ModelError for a body whose mass or inertia single precision does not hold, as of a shape of 1e30 m."""
    if len(tree.body) == 1:
        return
    for name, dims in (("body_mass", 0), ("body_inertia", 2)):
        with np.errstate(over="ignore"):
            values = w.get(name).astype(np.float32)
        finite = np.isfinite(values.reshape(*values.shape[: values.ndim - dims], -1)).all(-1)
        finite = finite.reshape(-1, finite.shape[-1]).all(0)[tree.body[1:]]
        if not finite.all():
            label = w.label("body", tree.body[1 + int(np.argmin(finite))])
            raise ModelError(
                f"body '{label}': {name} is not a number of single precision; give smaller shapes or densities"
            )


def mocap_numbers(w: Worlds, tree: BodyTree) -> np.ndarray:
    """Roots of articulations and kinematic bodies that are fixed to the world are mocap bodies, numbered in order; -1 otherwise.

    ``mujoco:body_mocap`` decides where it is authored: 1 yes, 0 no (a static part of the scene).
    """
    moved = (w.first("body_flags")[w.local("body", w.first("joint_child"))] & BodyFlags.KINEMATIC) != 0
    fixed = (w.first("joint_type") == JointType.FIXED) & ((w.first("joint_articulation") >= 0) | moved)
    authored = w.first("mujoco:body_mocap") if w.has("mujoco:body_mocap") else np.full(w.size("body"), -1)
    numbers, n = np.full(len(tree.body), -1), 0
    for b in range(1, len(tree.body)):
        rooted = tree.parent[b] == 0 and fixed[tree.joint[b]]
        if rooted and authored[tree.body[b]] != 0:
            numbers[b], n = n, n + 1
    return numbers


def kinematic_bodies(w: Worlds, tree: BodyTree) -> np.ndarray:
    """Kinematic bodies, which the writer of the state moves: bool [nbody]. ModelError for one that is no root."""
    flags = w.first("body_flags")[tree.body[1:]]
    found = np.append(False, (flags & BodyFlags.KINEMATIC) != 0)
    for b in np.flatnonzero(found & (np.array(tree.parent) > 0)):
        name = w.label("body", tree.body[b])
        raise ModelError(
            f"body '{name}': only the root of an articulation can be kinematic; move it by its joint's drive instead"
        )
    return found

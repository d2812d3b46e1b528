"""Rows of the stiffness of flexes as MuJoCo Warp has them: which dofs elements, bending edges, cells and hinges of rods tie."""

from collections.abc import Iterator

import numpy as np

from newtonlite.core.mujoco import MjtJoint
from newtonlite.mjwarp.sparsity import Pattern, pattern
from newtonlite.solvers.mujoco.derive.flex_forces import bending_edges, cell_nodes, stretch_elements
from newtonlite.solvers.mujoco.derive.flex_rods import rod_hinges


def tied_dofs(mj) -> Pattern:
    """Dofs that the elasticity of flexes ties to each dof, itself among them; of flexes whose vertices slide alone."""
    rows: list[set] = [set() for _ in range(int(mj.nv))]
    for f, bodies in tied_bodies(mj) if int(getattr(mj, "nflex", 0)) else ():
        if is_simple(mj, f):
            dofs = {i for b in bodies for i in slides(mj, b)}
            for i in dofs:
                rows[i] |= dofs
    return pattern([sorted(row) for row in rows])


def triples(mj) -> np.ndarray:
    """First of every three dofs that such stiffness acts on."""
    covered = np.flatnonzero(tied_dofs(mj).rownnz)
    return covered[::3]


def tied_bodies(mj) -> Iterator[tuple[int, np.ndarray]]:
    """Flex, and the bodies that carry the points, of everything that is elastic."""
    bodies = np.asarray(mj.flex_vertbodyid, int)
    points = np.concatenate([bodies, np.asarray(getattr(mj, "flex_nodebodyid", ()), int).ravel()])
    edges = np.asarray(mj.flex_edge, int).reshape(-1, 2)
    for element in stretch_elements(mj):
        f = element["flex"]
        yield f, points[np.unique(edges[element["edges"]]) + int(mj.flex_vertadr[f])]
    for made in (bending_edges(mj), [c for c in cell_nodes(mj) if not c["held"]], rod_hinges(mj)):
        for found in made:
            yield found["flex"], points[found["points"]]


def slides(mj, body: int) -> range:
    """Dofs of what a body is welded to; none where that is static."""
    b = int(mj.body_weldid[body]) if body >= 0 else 0
    return range(int(mj.body_dofadr[b]), int(mj.body_dofadr[b] + mj.body_dofnum[b])) if b else range(0)


def is_simple(mj, f: int) -> bool:
    """Whether every point of a flex moves with a body that slides along its three axes on something static, or is static."""
    first, count = int(mj.flex_vertadr[f]), int(mj.flex_vertnum[f])
    bodies = np.asarray(mj.flex_vertbodyid, int)[first : first + count]
    if mj.flex_interp[f]:
        first, count = int(mj.flex_nodeadr[f]), int(mj.flex_nodenum[f])
        bodies = np.asarray(mj.flex_nodebodyid, int)[first : first + count]
    welded = {int(mj.body_weldid[b]) for b in bodies if b >= 0}
    return all(slides_freely(mj, b) for b in welded if b and mj.body_dofnum[b])


def slides_freely(mj, b: int) -> bool:
    """Whether a body on something static has three slides, along x, y and z."""
    joints = np.arange(int(mj.body_jntnum[b])) + int(mj.body_jntadr[b])
    static = int(mj.body_weldid[mj.body_parentid[b]]) == 0
    along = np.asarray(mj.jnt_axis, float).reshape(-1, 3)[joints]
    kinds = np.asarray(mj.jnt_type)[joints]
    return bool(static and len(joints) == 3 and (kinds == MjtJoint.SLIDE).all() and np.allclose(along, np.eye(3)))


def has_general_flex(mj) -> bool:
    """Whether a flex without nodes is elastic and has points that move otherwise."""
    if not int(getattr(mj, "nflex", 0)):
        return False
    return any(not mj.flex_interp[f] and not is_simple(mj, f) for f in {f for f, _ in tied_bodies(mj)})

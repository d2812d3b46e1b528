"""Profile factor: a sparse Hessian by rows from their first column on, its order, factor and solution.

``H = M + J' s'' J`` of a wide model couples few dofs with each other. Trees are placed in the order of Cuthill and McKee
(Reducing the Bandwidth of Sparse Symmetric Matrices, 1969), in which a row reaches little to the left, and stored from its
first column on: a profile, or skyline (George and Liu, Computer Solution of Large Sparse Positive Definite Systems, 4). A
factor taken from the last row on fills in nothing outside of it. Trees that are coupled with many others, such as a
gripper's arm with a towel, would lengthen all rows: they come first, as a border of columns that every row has. So do the
stems of trees with many branches, such as the body of a radial flex, or a hand and its fingers with soft pads: stems and
branches count as trees, a stem's inertia with each branch lies in the border.

Dofs have places ``H_place``; places that fill up the border to whole blocks are an identity. A row ``p`` of the band has
its border columns at ``H_rowadr[p]`` and its columns from ``H_low[p]`` on behind them.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.constraint.row import CONE_NORMAL
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, I1, INDEX

native = header(__file__, CONE_NORMAL=CONE_NORMAL)


@wp.func_native(native("place_trees"))
def place_trees(
    rownnz: I1,
    rowadr: I1,
    rowsuper: I1,
    colind: I1,
    tree_dofadr: INDEX,
    tree_dofnum: INDEX,
    dof_part: INDEX,
    part_dofadr: INDEX,
    part_dofnum: INDEX,
    part_carries: INDEX,
    part_linkadr: INDEX,
    part_link: INDEX,
    adjacent: I1,
    marks: I1,
    shape: I1,
    place: I1,
    low: I1,
    H_rowadr: I1,
    world: int,
    from_row: int,
    nrow: int,
    ntree: int,
    npart: int,
    capacity: int,
    coupled: bool,
    lane: int,
    nlane: int,
):
    """Places of the dofs, and profile and addresses of the rows, for ``nrow`` constraint rows from ``from_row`` on and what ``part_link`` ties; or of M alone, tree by tree,
    where they are not ``coupled``. ``shape`` is (places, places of the border, numbers of the profile), with 0 places
    where it has more numbers than ``capacity``, or the graph more edges than ``adjacent`` has room for. ``marks`` is
    scratch of five numbers for each tree, or root and branch.
    """
    ...


@wp.func_native(native("profile_inertia"))
def profile_inertia(
    M: A2,
    dof_treeid: INDEX,
    tree_dofadr: INDEX,
    tree_dofnum: INDEX,
    dof_part: INDEX,
    part_dofadr: INDEX,
    part_dofnum: INDEX,
    part_root: INDEX,
    coupled_rowadr: INDEX,
    coupled_colind: INDEX,
    couplings: A1,
    shape: I1,
    place: I1,
    low: I1,
    H_rowadr: I1,
    H: A1,
    world: int,
    nv: int,
    coupled: bool,
    lane: int,
    nlane: int,
):
    """``H = M``, or what of it lies within trees where they are not ``coupled``."""
    ...


@wp.func_native(native("copy_profile"))
def copy_profile(shape: I1, source: A1, target: A1, world: int, lane: int, nlane: int):
    """``target = source`` of the numbers that the profile has."""
    ...


@wp.func_native(native("profile_rows"))
def profile_rows(
    dof_treeid: INDEX,
    dof_part: INDEX,
    J: A2,
    rownnz: I1,
    rowadr: I1,
    rowsuper: I1,
    colind: I1,
    JT: A1,
    JT_rowadr: I1,
    JT_colind: I1,
    weight: A1,
    shape: I1,
    place: I1,
    low: I1,
    H_rowadr: I1,
    H: A1,
    world: int,
    nv: int,
    begin: int,
    end: int,
    coupled: bool,
    lane: int,
    nlane: int,
):
    """``H += J' diag(weight) J`` of rows ``begin`` to ``end - 1``, or what of it lies within trees where they are not
    ``coupled``. Rows with the same columns lie on one side of ``begin``, and of ``end``.
    """
    ...


@wp.func_native(native("add_cones"))
def add_cones(
    dof_treeid: INDEX,
    J: A2,
    rownnz: I1,
    rowadr: I1,
    colind: I1,
    JT: A1,
    JT_rowadr: I1,
    JT_colind: I1,
    id: I1,
    type: I1,
    address: I1,
    dim: I1,
    on_cone: I1,
    cone_W: A2,
    shape: I1,
    place: I1,
    low: I1,
    H_rowadr: I1,
    H: A1,
    world: int,
    nv: int,
    nrow: int,
    coupled: bool,
    lane: int,
    nlane: int,
):
    """``H += J' W'W J`` of the elliptic contacts whose force is on the boundary of the cone."""
    ...


@wp.func_native(native("profile_factor"))
def profile_factor(
    tree_dofadr: INDEX,
    tree_dofnum: INDEX,
    shape: I1,
    low: I1,
    H_rowadr: I1,
    H: A1,
    world: int,
    ntree: int,
    coupled: bool,
    lane: int,
    nlane: int,
):
    """In place ``H = L'L``, from the last row on, or tree by tree; the diagonal of L is stored as its reciprocal."""
    ...


@wp.func_native(native("tree_solve"))
def tree_solve(
    tree_dofadr: INDEX,
    tree_dofnum: INDEX,
    shape: I1,
    low: I1,
    H_rowadr: I1,
    H: A1,
    x: A1,
    world: int,
    ntree: int,
    lane: int,
    nlane: int,
):
    """In place ``x := (L'L)^-1 x``, tree by tree, where trees are not coupled and places are dofs."""
    ...


@wp.func_native(native("profile_solve"))
def profile_solve(
    shape: I1,
    place: I1,
    low: I1,
    H_rowadr: I1,
    H: A1,
    x: A1,
    work: A1,
    half: A1,
    world: int,
    nv: int,
    lane: int,
    nlane: int,
):
    """In place ``x := (L'L)^-1 x``, with two vectors of scratch over places."""
    ...

"""Primal solvers island by island: every island searches along its part of a direction, and stops by itself.

Neither the Hessian nor the inertia has entries between islands, so Newton's direction of each is its own. As in MuJoCo
an island is solved when its own gradient or improvement is below the tolerance, and one that needs many iterations does
not shorten the steps of the others.

MuJoCo documentation, Computation: Constraint islands.  Taken where ``nislandtree`` is not 0 and a solver has all
islands of a world before it.  Not the island calls of a CPU (``executor/cpu/island_call``): there a solver sees one island
as if it were a world, and ``nislandtree`` is 0 for it.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.iteration_limits import FEW_EVALUATIONS
from newtonlite.solvers.mujoco.kernels.constraint.row import CONE_NORMAL, CONE_TANGENT, HUBER, QUADRATIC
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.sleep.island_ids import number_islands
from newtonlite.solvers.mujoco.kernels.solve.cost import changes_zone
from newtonlite.solvers.mujoco.kernels.solve.line_search import line_search
from newtonlite.solvers.mujoco.kernels.solve.primal import DONE, EXACT, OPEN


@wp.func
def sort_by_island(
    island: wp.array2d[int], adr: wp.array2d[int], sorted: wp.array2d[int], world: int, nisland: int, count: int
):
    """Counting sort by island: of ``count`` things those of island ``k``, in their order, are ``sorted[adr[k]] ..
    sorted[adr[k + 1] - 1]``; before all of them come those of none. One lane.
    """
    # how many there are of each, in the place after its own; none, -1, at the front
    for k in range(nisland + 1):
        adr[world, k] = 0
    for i in range(count):
        k = island[world, i] + 1
        adr[world, k] = adr[world, k] + 1

    # running sums: where each island's stretch ends
    for k in range(nisland):
        adr[world, k + 1] = adr[world, k + 1] + adr[world, k]

    # filled from the back, ends become beginnings
    for back in range(count):  # last ones first, each before the one placed last
        i = count - 1 - back
        k = island[world, i] + 1
        adr[world, k] = adr[world, k] - 1
        sorted[world, adr[world, k]] = i

    # adr[0] was the stretch of those without island: all move one place to the front
    for k in range(nisland):
        adr[world, k] = adr[world, k + 1]
    adr[world, nisland] = count


@wp.func
def list_islands(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Rows and trees by island, in ``island_row`` and ``island_tree``."""
    if m.nislandtree > 0:
        if lane == 0:
            number_islands(m, d, world, False)
            sort_by_island(d.efc_island, d.island_adr, d.island_row, world, d.nisland[world], d.nefc[world])
            sort_by_island(d.tree_island, d.island_treeadr, d.island_tree, world, d.nisland[world], m.ntree)
        sync()


@wp.func
def open_islands(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """No island is done."""
    for k in range(lane, d.nisland[world], nlane):
        d.island_done[world, k] = OPEN
    sync()


@wp.func
def by_islands(m: ModelFields, d: DataFields, world: int) -> bool:
    """Whether solvers go island by island: not through the sparse rows of a world that are all of one island."""
    # one direction and one search for all, over whole vectors, is the same where there is one island
    if m.nsparse > 0 and m.nislandtree > 0:
        return d.nisland[world] > 1
    return m.nislandtree > 0


@wp.func
def count_islands(m: ModelFields, d: DataFields, world: int) -> int:
    """Number of islands: one of all rows where solvers do not go island by island."""
    if by_islands(m, d, world):
        return d.nisland[world]
    return 1


@wp.func
def island_rows(m: ModelFields, d: DataFields, world: int, island: int, nrow: int) -> wp.vec2i:
    """Places of an island's rows among those of all islands, first and last + 1."""
    if by_islands(m, d, world):
        return wp.vec2i(d.island_adr[world, island], d.island_adr[world, island + 1])
    return wp.vec2i(0, nrow)


@wp.func
def trees_of(m: ModelFields, d: DataFields, world: int, island: int) -> wp.vec2i:
    """Places of an island's trees in ``island_tree``, first and last + 1; one place where all dofs are one island."""
    if by_islands(m, d, world):
        return wp.vec2i(d.island_treeadr[world, island], d.island_treeadr[world, island + 1])
    return wp.vec2i(0, 1)


@wp.func
def dofs_of(m: ModelFields, d: DataFields, world: int, place: int) -> wp.vec2i:
    """Dofs at a place of ``trees_of``, first and last + 1."""
    if by_islands(m, d, world):
        t = d.island_tree[world, place]
        return wp.vec2i(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t])
    return wp.vec2i(0, m.nv)


@wp.func
def row_at(m: ModelFields, d: DataFields, world: int, place: int) -> int:
    """The row at a place among those of all islands."""
    if m.nislandtree > 0:
        return d.island_row[world, place]
    return place


@wp.func
def inertia_of(m: ModelFields, d: DataFields, world: int, island: int) -> float:
    """Sum of the inertias of an island's dofs: the unit of what sweeps gain."""
    sum = float(0.0)
    trees = trees_of(m, d, world, island)
    for place in range(trees[0], trees[1]):
        dofs = dofs_of(m, d, world, place)
        for i in range(dofs[0], dofs[1]):
            sum += d.M[world, i, i]
    return sum


@wp.func
def changes_piece(m: ModelFields, d: DataFields, world: int, r: int) -> bool:
    """Whether a full step takes a row to another piece of its cost, the first row of an elliptic cone the cone."""
    # which piece of its cost holds at jar + jv, beside the one that forces and curvature were taken from
    kind = d.efc_cost[world, r]
    x = d.jar[world, r] + d.jv[world, r]
    active = d.efc_active[world, r] != 0.0

    # a cone answers as a whole, with its first row; a quadratic row has one piece
    if kind == CONE_NORMAL:
        return changes_zone(m, d, world, d.efc_id[world, r], 1.0)
    if kind == CONE_TANGENT or kind == QUADRATIC:
        return False

    # Huber: quadratic between, linear with the sign of x beyond
    if kind == HUBER:
        reach = d.efc_R[world, r] * d.efc_frictionloss[world, r]
        if wp.abs(x) < reach:
            return not active
        return active or (x > 0.0) == (d.efc_force[world, r] > 0.0)
    return (x < 0.0) != active


@wp.func
def island_crosses(m: ModelFields, d: DataFields, world: int, k: int, lane: int, nlane: int) -> bool:
    """Whether some row of an island changes its piece in a full step."""
    count = float(0.0)
    for i in range(d.island_adr[world, k] + lane, d.island_adr[world, k + 1], nlane):
        if changes_piece(m, d, world, d.island_row[world, i]):
            count += 1.0
    return team_sum(d.team_f, world, count) > 0.0


@wp.func
def island_sums(m: ModelFields, d: DataFields, world: int, k: int, lane: int, nlane: int) -> wp.vec3:
    """First and second derivative of the Gauss cost along ``search``, and the squared gradient, over the dofs of an
    island.
    """
    # as gauss_slope and gradient, over the trees of one island
    first = float(0.0)
    second = float(0.0)
    size = float(0.0)
    trees = trees_of(m, d, world, k)
    for place in range(trees[0], trees[1]):
        dofs = dofs_of(m, d, world, place)
        for i in range(dofs[0] + lane, dofs[1], nlane):
            s = d.search[world, i]
            first += s * (d.Ma[world, i] - d.qfrc_smooth[world, i])
            second += s * d.Mv[world, i]
            size += d.grad[world, i] * d.grad[world, i]
    first = team_sum(d.team_f, world, first)
    second = team_sum(d.team_f, world, second)
    return wp.vec3(first, second, team_sum(d.team_f, world, size))


@wp.func
def island_step(
    m: ModelFields, d: DataFields, world: int, k: int, scale: float, newton: bool, lane: int, nlane: int
) -> wp.vec2:
    """Step length of an island, and how that ends it: the whole way along Newton's direction where no row changes its
    piece, or where the search says.
    """
    # an island whose gradient is small does not move any more
    sums = island_sums(m, d, world, k, lane, nlane)
    if not (scale * wp.sqrt(sums[2]) >= m.opt_tolerance[world]):
        return wp.vec2(0.0, float(EXACT))

    # the whole of Newton's step is exact where no row of the island changes its piece
    if newton and not island_crosses(m, d, world, k, lane, nlane):
        return wp.vec2(1.0, float(EXACT))

    # otherwise a search over the rows of the island, with its part of the Gauss cost
    found = line_search(m, d, world, 0, wp.vec2(sums[0], sums[1]), False, k, lane, nlane)
    return wp.vec2(found[0], float(wp.where(scale * found[1] >= m.opt_tolerance[world], OPEN, DONE)))


@wp.func
def choose_steps(m: ModelFields, d: DataFields, world: int, scale: float, newton: bool, lane: int, nlane: int) -> int:
    """``island_alpha`` of every island, along ``newton``'s direction or another; returns how that ends the search of
    all, the least of ``island_done``.
    """
    # the search of all ends as the worst of its islands does: OPEN < DONE < EXACT
    end = int(EXACT)
    for k in range(d.nisland[world]):
        # islands that are done keep their end, and stay
        step = wp.vec2(0.0, float(d.island_done[world, k]))
        if d.island_done[world, k] == OPEN:
            step = island_step(m, d, world, k, scale, newton, lane, nlane)
        sync()
        if lane == 0:
            d.island_alpha[world, k] = step[0]
            d.island_done[world, k] = int(step[1])
        end = wp.min(end, int(step[1]))
    sync()
    return end


@wp.func
def step_islands(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Move ``qacc``, ``M qacc`` and ``jar``, each island as far as it goes; trees without constraints go the whole way."""
    # dofs by the step of their island; trees without rows end at their minimum, the whole way along -M^-1 grad
    for i in range(lane, m.nv, nlane):
        k = d.tree_island[world, m.dof_treeid[i]]
        alpha = float(1.0)
        if k >= 0:
            alpha = d.island_alpha[world, k]
        d.qacc[world, i] = d.qacc[world, i] + alpha * d.search[world, i]
        d.Ma[world, i] = d.Ma[world, i] + alpha * d.Mv[world, i]

    # rows by that of the island they are in
    for r in range(lane, nrow, nlane):
        k = d.efc_island[world, r]
        if k >= 0:
            d.jar[world, r] = d.jar[world, r] + d.island_alpha[world, k] * d.jv[world, r]
    sync()


@wp.func
def is_stalled(m: ModelFields, d: DataFields, world: int, k: int, lane: int, nlane: int) -> bool:
    """Whether a step of an island, with the gradient before it in ``grad``, left the slope along it as it was, to a half:
    ``jar`` and ``qacc`` have no digits for it.
    """
    # the slope along the direction just taken: before the step by grad, after it by the forces there
    before = float(0.0)
    after = float(0.0)
    trees = trees_of(m, d, world, k)
    for place in range(trees[0], trees[1]):
        dofs = dofs_of(m, d, world, place)
        for i in range(dofs[0] + lane, dofs[1], nlane):
            s = d.search[world, i]
            before += s * d.grad[world, i]
            after += s * (d.Ma[world, i] - d.qfrc_smooth[world, i] - d.qfrc_constraint[world, i])
    before = team_sum(d.team_f, world, before)
    after = team_sum(d.team_f, world, after)

    # a minimum along the line would leave a slope of 0, a kink one of the other sign
    return wp.abs(after - before) <= 0.5 * wp.abs(before)


@wp.func
def end_stalled(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int) -> int:
    """Islands that are stalled are done; returns how that ends the search of all. Searches that the file cuts short may
    leave any slope.
    """
    # a search that was cut short may stop anywhere, and says nothing about digits
    if m.opt_ls_iterations < FEW_EVALUATIONS:
        return OPEN

    # the search of all is stalled where every open island is
    end = int(DONE)
    for k in range(count_islands(m, d, world)):
        if not by_islands(m, d, world) or d.island_done[world, k] == OPEN:
            if not is_stalled(m, d, world, k, lane, nlane):
                end = OPEN
            elif by_islands(m, d, world):
                sync()
                if lane == 0:
                    d.island_done[world, k] = DONE
    sync()
    return end

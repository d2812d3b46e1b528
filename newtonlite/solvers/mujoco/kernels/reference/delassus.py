"""The problem in constraint space: the definitions that ``kernels.solve.delassus`` is tested against."""

import warp as wp

from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, B1, B2, I1
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.reference.dense import reaches


@wp.func
def half_solve_rows(
    J: A2,
    row_block: B2,
    smooth: A1,
    L: A2,
    dof_end: wp.array[int],
    B: A2,
    world: int,
    nrow: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``B = L'^-1 [J', smooth]``: ``L[j, j] B[j] = J'[j] - sum_k L[k, j] B[k]`` over ``k`` of the subtree below ``j``."""
    for c in range(lane, nrow + 1, nlane):
        for j in range(n - 1, -1, -1):
            value = float(0.0)
            if c == nrow:
                value = smooth[world, j]
            elif reaches(row_block[world, c], j):
                value = J[world, c, j]
            for k in range(j + 1, dof_end[j]):
                value -= L[world, k, j] * B[world, k, c]
            B[world, j, c] = value * L[world, j, j]


@wp.func
def delassus(B: A2, row_block: B2, A: A2, world: int, nrow: int, n: int, lane: int, nlane: int):
    """``A = B'B``: rows 0 to nrow - 1, columns 0 to nrow."""
    for c in range(lane, nrow + 1, nlane):
        for r in range(nrow):
            sum = float(0.0)
            for k in range(n):
                sum += B[world, k, r] * B[world, k, c]
            A[world, r, c] = sum


@wp.func
def delassus_mul(A: A2, force: A1, y: A1, world: int, nrow: int, lane: int, nlane: int):
    """``y = A force``."""
    for r in range(lane, nrow, nlane):
        sum = float(0.0)
        for c in range(nrow):
            sum += A[world, r, c] * force[world, c]
        y[world, r] = sum


@wp.func
def active_system(
    A: A2,
    active: A1,
    force: A1,
    b: A1,
    K: A2,
    K_block: B1,
    rhs: A1,
    root: A1,
    index: I1,
    world: int,
    nrow: int,
    lane: int,
    nlane: int,
) -> int:
    """``K = I + G'AG`` (lower triangle) and ``rhs = -G'(b + A c)`` over the active rows, ``G = sqrt(active)``.

    ``c`` are the forces of the other rows.  Returns how many rows are active; ``index`` lists them, ``root`` is their
    G.
    """
    count = int(0)
    for r in range(nrow):
        if active[world, r] != 0.0:
            if lane == 0:
                index[world, count] = r
                root[world, count] = wp.sqrt(active[world, r])
            count += 1
    sync()
    for i in range(lane, count, nlane):
        row = index[world, i]
        push = b[world, row]
        for c in range(nrow):
            if active[world, c] == 0.0:
                push += A[world, row, c] * force[world, c]
        rhs[world, i] = -root[world, i] * push
        for j in range(i):
            K[world, i, j] = root[world, i] * root[world, j] * A[world, row, index[world, j]]
        K[world, i, i] = 1.0 + active[world, row] * A[world, row, row]
        for j in range(i + 1, 16 * (i / 16 + 1)):
            K[world, i, j] = 0.0
        K_block[world, i] = wp.vec2i(0, K_block[world, i][1])
    for i in range(count + lane, 16 * ((count + 15) / 16), nlane):
        rhs[world, i] = 0.0
    sync()
    return count


@wp.func
def spread_forces(
    active: A1,
    force: A1,
    rhs: A1,
    root: A1,
    index: I1,
    target: A1,
    world: int,
    nrow: int,
    count: int,
    lane: int,
    nlane: int,
):
    """Row forces from the solution of the active system: ``G y``, other rows keep theirs; zero in the pad."""
    for r in range(lane, 16 * ((nrow + 15) / 16), nlane):
        value = float(0.0)
        if r < nrow and active[world, r] == 0.0:
            value = force[world, r]
        target[world, r] = value
    sync()
    for i in range(lane, count, nlane):
        target[world, index[world, i]] = root[world, i] * rhs[world, i]


@wp.func
def dual_acceleration(
    B: A2,
    force: A1,
    L: A2,
    dof_parentid: wp.array[int],
    dof_end: wp.array[int],
    x: A1,
    world: int,
    nrow: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``x = L^-1 B [force, 1]``: from the roots down, each dof takes its share off those of its subtree."""
    for k in range(lane, n, nlane):
        sum = B[world, k, nrow]
        for c in range(nrow):
            sum += B[world, k, c] * force[world, c]
        x[world, k] = sum
    sync()
    for k in range(n):
        down = x[world, k] * L[world, k, k]
        sync()
        for i in range(k + lane, dof_end[k], nlane):
            if i == k:
                x[world, k] = down
            else:
                x[world, i] = x[world, i] - down * L[world, i, k]
        sync()

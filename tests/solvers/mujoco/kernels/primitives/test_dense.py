"""The dense primitives against NumPy, on matrices shaped like those of kinematic trees."""

import numpy as np
import pytest
import warp as wp

from newtonlite.solvers.mujoco.kernels.primitives import dense, factor
from newtonlite.solvers.mujoco.kernels.primitives.team import lane_id, sync
from tests.tolerance import assert_close, assert_same

WORLDS, PAD = 5, 16
SIZES = [1, 6, 16, 27, 40]


@wp.kernel(enable_backward=False)
def run_factor_solve(A: dense.A2, block: dense.B1, x: dense.A1, work: dense.A1, n: int):
    nlane = wp.block_dim()
    world = wp.tid() / nlane
    lane = lane_id()
    factor.factor(A, block, world, n, lane, nlane)
    sync()
    factor.solve(A, block, x, work, world, n, lane, nlane)


@wp.kernel(enable_backward=False)
def run_products(
    A: dense.A2,
    dof_block: wp.array[wp.vec2i],
    J: dense.A2,
    row_block: dense.B2,
    x: dense.A1,
    f: dense.A1,
    Ax: dense.A1,
    Jx: dense.A1,
    Jf: dense.A1,
    H: dense.A2,
    H_block: dense.B1,
    n: int,
    nrow: int,
):
    nlane = wp.block_dim()
    world = wp.tid() / nlane
    lane = lane_id()
    dense.sym_mul(A, dof_block, x, Ax, world, n, lane, nlane)
    dense.rows_mul(J, row_block, x, Jx, world, nrow, lane, nlane)
    dense.rows_mul_t(J, row_block, f, Jf, world, nrow, lane, nlane)
    dense.copy_rows(A, dof_block, H_block, H, world, n, lane, nlane)
    sync()
    dense.add_rows(J, row_block, f, H, world, nrow, n, lane, nlane)


@wp.kernel(enable_backward=False)
def run_solve_damped_tree(
    A: dense.A2,
    dof_block: wp.array[wp.vec2i],
    damping: dense.A1,
    H: dense.A2,
    x: dense.A1,
    work: dense.A1,
    first: int,
    last: int,
):
    factor.solve_damped_tree(A, dof_block, damping, H, x, work, wp.tid(), first, last)


class Problem:
    """Random symmetric positive matrices with one block per tree, rows that touch one tree each, vectors; padded by
    zeros.
    """

    def __init__(self, trees: list[int], nrow: int = 23):
        rng = np.random.default_rng(sum(trees))
        self.n, self.nrow = sum(trees), nrow
        self.width = -(-self.n // PAD) * PAD
        self.starts = starts = np.cumsum([0, *trees])
        self.A = np.zeros((WORLDS, self.n, self.width))
        self.blocks = np.zeros((self.n, 2), np.int32)
        for first, last in zip(starts, starts[1:], strict=False):
            root = rng.standard_normal((WORLDS, last - first, last - first))
            self.A[:, first:last, first:last] = root @ root.transpose(0, 2, 1) + (last - first) * np.eye(last - first)
            self.blocks[first:last] = first // PAD, -(-last // PAD)
        self.J = np.zeros((WORLDS, nrow, self.width))
        self.row_blocks = np.zeros((nrow, 4), np.int32)
        for row in range(nrow):
            tree = rng.integers(len(trees))
            self.J[:, row, starts[tree] : starts[tree + 1]] = rng.standard_normal((WORLDS, trees[tree]))
            self.row_blocks[row] = self.blocks[starts[tree]][[0, 1, 1, 1]]
        self.x = np.pad(rng.standard_normal((WORLDS, self.n)), ((0, 0), (0, self.width - self.n)))
        self.f = np.where(rng.random((WORLDS, nrow)) < 0.3, 0.0, rng.random((WORLDS, nrow)))

    @property
    def square(self):
        return self.A[:, :, : self.n]

    def tiled(self, blocks, device):
        return wp.array(np.tile(blocks, (WORLDS, 1, 1)), dtype=wp.types.vector(blocks.shape[1], int), device=device)


def launch(kernel, inputs, device):
    """One team per world: a single lane on the CPU, a warp on a GPU."""
    nlane = 32 if wp.get_device(device).is_cuda else 1
    wp.launch(kernel, dim=WORLDS * nlane, inputs=inputs, device=device, block_dim=nlane)


def floats(values, device):
    return wp.array(values.astype(np.float32), dtype=float, device=device)


TREES = [[n] for n in SIZES] + [[6, 6, 6], [20, 3, 30], [27, 27, 27], [1] * 40, [150]]


@pytest.fixture(params=TREES, ids=str)
def problem(request):
    return Problem(request.param)


def test_factor_and_solve_invert_the_matrix(problem, device):
    p = problem
    A, x = floats(p.A, device), floats(p.x, device)
    inputs = [A, p.tiled(p.blocks, device), x, wp.empty_like(x), p.n]
    launch(run_factor_solve, inputs, device)
    want = np.linalg.solve(p.square, p.x[:, : p.n, None])[..., 0]
    assert_close(x.numpy()[:, : p.n], want, "native")
    assert not x.numpy()[:, p.n :].any()


def test_the_factor_is_the_leaf_first_one(problem, device):
    """A = L'L with L lower triangular, its diagonal held as reciprocals."""
    p = problem
    A, x = floats(p.A, device), floats(p.x, device)
    inputs = [A, p.tiled(p.blocks, device), x, wp.empty_like(x), p.n]
    launch(run_factor_solve, inputs, device)
    L = np.tril(A.numpy()[:, :, : p.n].astype(float))
    diagonal = np.arange(p.n)
    L[:, diagonal, diagonal] = 1.0 / L[:, diagonal, diagonal]
    assert_close(L.transpose(0, 2, 1) @ L, p.square, "native")


@pytest.mark.parametrize("seed", range(8))
def test_a_stiff_matrix_gives_a_direction_of_descent(seed, device):
    """Rounding takes all that is left of its pivots: those of ``M`` beside rows of ``D = 1e10``."""
    if device != "cpu":
        pytest.skip("for one lane")
    rng = np.random.default_rng(seed)
    J = rng.standard_normal((WORLDS, 8, 12))
    A = np.zeros((WORLDS, 12, PAD))
    A[:, :, :12] = 1e-2 * np.eye(12) + 1e10 * J.transpose(0, 2, 1) @ J
    b = np.pad(rng.standard_normal((WORLDS, 12)), ((0, 0), (0, PAD - 12)))
    x, blocks = floats(b, device), wp.zeros((WORLDS, 12), dtype=wp.vec2i, device=device)
    launch(run_factor_solve, [floats(A, device), blocks, x, wp.empty_like(x), 12], device)
    assert (np.sum(x.numpy() * b, axis=1) > 0).all()


def test_a_damped_tree_is_solved_by_itself(problem, device):
    """The vector stays where it belongs to other trees."""
    if device != "cpu":
        pytest.skip("for one lane")
    p = problem
    damping = np.random.default_rng(1).uniform(0, 3, p.x.shape)
    inputs = [floats(p.A, device), wp.array(p.blocks, dtype=wp.vec2i, device=device), floats(damping, device)]
    for first, last in zip(p.starts, p.starts[1:], strict=False):
        x = floats(p.x, device)
        launch(run_solve_damped_tree, [*inputs, floats(0 * p.A, device), x, wp.empty_like(x), first, last], device)
        own = slice(first, last)
        system = p.square[:, own, own] + np.apply_along_axis(np.diag, 1, damping[:, own])
        assert_close(x.numpy()[:, own], np.linalg.solve(system, p.x[:, own, None])[..., 0], "native")
        others = np.delete(np.arange(p.width), np.arange(first, last))
        assert_same(x.numpy()[:, others], p.x.astype(np.float32)[:, others], "others")


def test_products_and_updates(problem, device):
    p = problem
    x, f = floats(p.x, device), floats(p.f, device)
    Ax, Jf = wp.empty_like(x), wp.empty_like(x)
    Jx, H = wp.empty_like(f), floats(np.zeros_like(p.A), device)
    inputs = [
        floats(p.A, device),
        wp.array(p.blocks, dtype=wp.vec2i, device=device),
        floats(p.J, device),
        p.tiled(p.row_blocks, device),
        x,
        f,
        Ax,
        Jx,
        Jf,
        H,
        p.tiled(p.blocks, device),
        p.n,
        p.nrow,
    ]
    launch(run_products, inputs, device)
    J, vector = p.J[:, :, : p.n], p.x[:, : p.n, None]
    assert_close(Ax.numpy()[:, : p.n], (p.square @ vector)[..., 0], "native")
    assert_close(Jx.numpy(), (J @ vector)[..., 0], "native")
    assert_close(Jf.numpy()[:, : p.n], np.einsum("wri,wr->wi", J, p.f), "native")
    want = np.tril(p.square + np.einsum("wri,wr,wrj->wij", J, p.f, J))
    assert_close(np.tril(H.numpy()[:, :, : p.n]), want, "native")
    for padded in (Ax, Jf):
        assert not padded.numpy()[:, p.n :].any()

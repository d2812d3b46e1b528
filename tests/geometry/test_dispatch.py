"""Warp functions that call one of several others, by the rows of a table."""

import warp as wp

from newtonlite.geometry.contact.colliders import COLLIDERS, collide_geoms, has_pair, pair_bits
from newtonlite.geometry.dispatch import switch
from newtonlite.solvers.mujoco.executor.specialize import specialized
from newtonlite.solvers.mujoco.kernels.collide.geom_pairs import COLLIDERS as COLLIDED
from newtonlite.solvers.mujoco.kernels.collide.geom_pairs import OWN


@wp.func
def doubled(x: float) -> float:
    return 2.0 * x


@wp.func
def squared(x: float) -> float:
    return x * x


answer = switch(
    "answer(kind: int, x: float) -> float",
    "A function of the kind of x.",
    [("kind == 1", "doubled(x)"), ("kind == 2 and x > 0.0", "squared(x)")],
    "-1.0",
    globals(),
    [doubled, squared],
)


@wp.kernel(enable_backward=False)
def answers(out: wp.array2d[float]):
    kind = wp.tid()
    out[kind, 0] = answer(kind, 3.0)
    out[kind, 1] = answer(kind, -3.0)


def test_the_first_case_that_holds_is_called(device):
    out = wp.zeros((4, 2), dtype=float, device=device)
    wp.launch(answers, dim=4, inputs=[out], device=device)
    assert out.numpy().tolist() == [[-1.0, -1.0], [6.0, -6.0], [9.0, -1.0], [-1.0, -1.0]]


PAIRS = wp.constant(pair_bits([row for row in COLLIDERS if max(row.types) < 8]))


@wp.kernel(enable_backward=False)
def has(out: wp.array2d[bool]):
    i, j = wp.tid()
    out[i, j] = has_pair(PAIRS, i, j)


def test_pairs_of_the_table_have_a_bit_each(device):
    out = wp.zeros((8, 8), dtype=bool, device=device)
    wp.launch(has, dim=(8, 8), inputs=[out], device=device)
    assert set(zip(*map(list, out.numpy().nonzero()))) == {tuple(map(int, pair)) for pair in OWN} < COLLIDED


def test_a_model_without_round_pairs_and_box_pairs_has_no_code_of_them():
    """What the general kernel calls for a pair is in the table; a specialised one leaves out what the model lacks."""
    for absent in ((), ("nroundpair",), ("nboxpair",), ("nroundpair", "nboxpair")):
        source = specialized(collide_geoms, tuple((name, 0) for name in absent)).adj.source
        for row in COLLIDERS:
            called = f"{row.function.key}(hits" in source
            assert called == (row.types in OWN and row.feature not in absent), (row, absent)

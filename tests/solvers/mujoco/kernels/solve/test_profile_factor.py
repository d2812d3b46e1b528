"""Profile of a sparse Hessian: places, border, factor and solution beside the dense matrix in float64."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.derive import sparse
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK
from tests import oracle
from tests.harness import wide_scenes
from tests.harness.engine import Engine
from tests.harness.flex_scenes import flex, world
from tests.harness.soft_bodies import bent_states
from tests.harness.soft_stages import solve_again, solve_coupled, solve_first, solve_tree_by_tree
from tests.harness.sparse_rows import dense_rows
from tests.tolerance import tolerance

WORLDS = 3
BENDS = (0.005,) * WORLDS


EDGES, STRAIN = '<edge equality="true"/>', '<edge equality="strain"/>'
BALL = '<body name="o" pos=".03 .02 -.09"><freejoint/><geom size=".1"/></body>'
PLATE = '<body name="o" pos=".03 .02 .098"><freejoint/><geom type="box" size=".2 .2 .01"/></body>'
HINGED = '<body name="h" pos="0 0 .1"><joint axis="0 1 0"/><geom size=".01"/>{}</body>'
BOX = {"dim": 3, "type": "box", "spacing": ".06 .06 .06", "inside": EDGES}


def rooted(name: str, pos: str, count: str = "4 4 4") -> str:
    """A free body, the root of slides along rays, one for every vertex."""
    soft = flex(name, dof="radial", count=count, **BOX)
    return f'<body name="{name}_root" pos="{pos}"><freejoint/><geom size=".02"/>{soft}</body>'


SCENES = {
    "cloth and ball": world(BALL, flex(inside=EDGES)),
    "cloth and rope": world(flex(inside=EDGES), flex("g", dim=1, count="7 1 1", pos=".03 .04 .012", inside=EDGES)),
    "pinned to a turning body": world(
        HINGED.format(flex(inside=EDGES + '<pin id="3 4"/>'))
    ),
    "cells": world(BALL, flex(dim=3, count="3 3 2", spacing=".06 .06 .06", dof="trilinear", cellcount="2 2 1", inside=STRAIN)),
    "one root": world(BALL, rooted("f", "0 0 .13")),
    "roots and a cloth": world(
        rooted("a", "0 0 0"),
        rooted("b", ".2 .03 .02"),
        PLATE,
        flex("c", pos="0 0 .09", inside=EDGES),
    ),
    "more roots than a block": world(
        *(rooted(f"f{i}", f"{0.2 * i} 0 0") for i in range(5))
    ),
}  # fmt: skip
BORDER = {"one root": (1, 6), "roots and a cloth": (2, 12), "more roots than a block": (2, 12)}
"""Roots in the border, and their dofs."""


class Solved:
    """A stage's solutions of random right sides, and dense Hessians of the same rows in float64."""

    def __init__(self, mj, device, stage):
        self.engine = engine = Engine(mj, bent_states(mj, BENDS), device, mode="staged").forward()
        assert engine.m.nsparse
        self.b = np.float32(np.random.default_rng(4).normal(size=(WORLDS, mj.nv)))
        engine.fill("qacc", self.b)
        engine.run((stage,))
        self.x = engine.read("qacc").astype(float)
        J, weights, count = dense_rows(engine), engine.read("efc_D").astype(float), engine.read("nefc").ravel()
        self.H = np.zeros((WORLDS, mj.nv, mj.nv))
        for w in range(WORLDS):
            inertia = oracle.dense_mass_matrix(mj, oracle.forward(mj, bent_states(mj, BENDS), w))
            self.H[w] = inertia + J[w, : count[w]].T @ (weights[w, : count[w], None] * J[w, : count[w]])

    def residual(self, H: np.ndarray) -> float:
        """Largest ``|b - H x|`` of a world, beside ``|H| |x|``."""
        size = np.abs(H) @ np.abs(self.x)[..., None]
        return float((np.abs(H @ self.x[..., None] - self.b[..., None]) / (size + np.abs(self.b)[..., None])).max())

    def factor(self, w: int) -> tuple[np.ndarray, np.ndarray]:
        """L of a world, whose diagonal is stored as its reciprocal, with zeros outside of the profile; places of the dofs."""
        places, border, _ = self.engine.read("H_shape")[w]
        low, adr, numbers = (self.engine.read(f"H_{name}")[w] for name in ("low", "rowadr", "profile"))
        L = np.zeros((places, places))
        for p in range(places):
            edge = 0 if p < border else border
            L[p, :edge] = numbers[adr[p] : adr[p] + edge]
            first = 0 if p < border else low[p]
            L[p, first : p + 1] = numbers[adr[p] + edge : adr[p] + edge + p + 1 - first]
            L[p, p] = 1.0 / L[p, p]
        return L, self.engine.read("H_place")[w]


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """All models are wide ones."""
    monkeypatch.setattr(sparse, "WIDE_DOFS", 0)
    monkeypatch.setattr(sparse, "SOFT_DOFS", 3)


@pytest.mark.parametrize("name", SCENES)
def test_factor_and_solution_are_those_of_the_dense_matrix(name, device):
    mj = oracle.compile_xml(SCENES[name])
    solved = Solved(mj, device, solve_coupled)
    assert solved.residual(solved.H) < tolerance("factor")
    for w in range(WORLDS):
        L, place = solved.factor(w)
        H = np.eye(len(L))  # what fills up the border is an identity
        H[np.ix_(place, place)] = solved.H[w]
        assert np.abs(L.T @ L - H).max() < tolerance("factor") * np.abs(H).max(), w


@pytest.mark.parametrize("name", SCENES)
def test_trees_by_themselves(name, device):
    mj = oracle.compile_xml(SCENES[name])
    solved = Solved(mj, device, solve_tree_by_tree)
    tree = np.asarray(mj.dof_treeid)
    assert solved.residual(np.where(tree[:, None] == tree[None], solved.H, 0.0)) < tolerance("factor")


@pytest.mark.parametrize("name", ("cloth and ball", "roots and a cloth"))
def test_a_second_factor_of_the_same_rows_has_the_bits_of_a_first_one(name, device):
    """M and the rows whose curvature stays are not summed again; others are, at what they weigh now."""
    mj = oracle.compile_xml(SCENES[name])
    first, again, whole = (Solved(mj, device, stage) for stage in (solve_first, solve_again, solve_coupled))
    kept, rows = (first.engine.read(n).ravel() for n in ("H_nkept", "nefc"))
    assert (kept == first.engine.read("ne").ravel()).all() and (0 < kept).all() and (kept < rows).any()
    assert (again.x == first.x).all()
    assert ((whole.x != first.x).any(axis=1) == (kept < rows)).all()


@pytest.mark.parametrize("name", BORDER)
def test_roots_are_in_the_border_and_branches_are_not(name, device):
    """Those of one block: roots beyond that are in the band with their branches."""
    mj = oracle.compile_xml(SCENES[name])
    roots, dofs = BORDER[name]
    solved = Solved(mj, device, solve_coupled)
    carries, first, number = (getattr(solved.engine.m, f"part_{n}").numpy() for n in ("carries", "dofadr", "dofnum"))
    assert carries.sum() == roots and number[carries > 0].sum() == dofs
    inside = np.zeros(mj.nv, bool)
    for k in np.flatnonzero(carries):
        inside[first[k] : first[k] + number[k]] = True
    for w in range(WORLDS):
        places, border, numbers = solved.engine.read("H_shape")[w]
        place, low = solved.engine.read("H_place")[w], solved.engine.read("H_low")[w]
        assert sorted(place[inside]) == list(range(dofs)) and sorted(place[place >= border]) == list(
            range(border, places)
        )
        # behind roots come trees of many neighbours; the rest of a block is filled up
        beside = int((place < border).sum())
        assert border == -(-beside // BLOCK) * BLOCK and (beside == dofs) == (name != "roots and a cloth")
        assert (np.diff(low[border:places]) >= 0).all() and (low[border:places] <= np.arange(border, places)).all()
        assert numbers < 0.9 * places * (places + BLOCK) / 2


def test_a_row_of_every_tree_puts_a_tree_of_many_neighbours_into_the_border(device):
    """Trees come after roots there, as long as it has room."""
    mj = wide_scenes.cloth(8, 'solver="Newton"', "tendon", extra=wide_scenes.PLATE)
    solved = Solved(mj, device, solve_coupled)
    assert solved.residual(solved.H) < tolerance("factor")
    assert solved.engine.read("H_shape")[:, 1].max() == BLOCK

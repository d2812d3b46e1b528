"""Solvers called for one island after the other find what solvers of whole worlds find, and every world has its results."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.executor.cpu import island_call, kernel_chain
from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close, assert_same, relative_error, tolerance

WORLDS = 24
MODELS = [
    "many_small_trees",
    "heap_of_convex_shapes",
    "equality_with_contacts",
    "free_bodies_condim_1_3_4_6",
    "elliptic_condim_1_3_4_6",
    "gauss_seidel_elliptic",
    "conjugate_gradients_on_boxes",
    "less_slip_on_a_slope",
]
RESULTS = ("qacc", "qfrc_constraint", "efc_force")


@pytest.fixture
def cpu(device):
    if device != "cpu":
        pytest.skip("islands are called for on the CPU")
    return device


def heap(options: str = "", count: int = 12) -> str:
    """Boxes dropped on each other, in an order that is not that of the file, and a chain that hangs above them."""
    rng = np.random.default_rng(3)
    boxes = "".join(
        f'<body pos="{rng.uniform(-0.12, 0.12):.3f} {rng.uniform(-0.12, 0.12):.3f} {0.06 + 0.05 * k:.3f}" euler="{rng.uniform(0, 90):.0f} {rng.uniform(0, 90):.0f} 0">'
        '<freejoint/><geom type="box" size=".06 .05 .04"/></body>'
        for k in rng.permutation(count)
    )
    link = '<body pos="0 0 -.2"><joint type="ball" damping=".01"/><geom type="capsule" fromto="0 0 0 0 0 -.2" size=".02" contype="0" conaffinity="0"/>'
    chain = '<body pos="0 0 3"><geom size=".02" contype="0" conaffinity="0"/>' + 3 * link + 4 * "</body>"
    return (
        f'<mujoco><option {options}/><worldbody><geom type="plane" size="9 9 .1"/>{boxes}{chain}</worldbody></mujoco>'
    )


def solved(mj, states, device, monkeypatch, apart: bool, **options) -> dict:
    """Results of a forward pass, island by island or of whole worlds."""
    with monkeypatch.context() as patch:
        if not apart:
            patch.setattr(kernel_chain, "solves_apart", lambda value: False)
        engine = Engine(mj, states, device, mode="staged", **options)
        engine.schedule.forward()
        found = {name: engine.read(name) for name in (*RESULTS, "nefc", "nisland")}
    return found | {"apart": island_call.solves_apart(lambda _, name: engine.m.sizes[name])}


@pytest.mark.parametrize("name", MODELS)
def test_islands_have_the_results_of_whole_worlds(name, cpu, monkeypatch):
    mj = oracle.named_model(name)
    states = oracle.gentle_states(mj, WORLDS)
    got, want = (solved(mj, states, cpu, monkeypatch, apart) for apart in (True, False))
    assert got["apart"] and got["nisland"].max() > 0
    assert np.median(relative_error(got["qacc"], want["qacc"])) <= tolerance("qacc_median")
    there = np.arange(got["efc_force"].shape[1]) < got["nefc"][:, None]
    push = np.abs(mj.body_mass).sum() * 9.81
    for field in ("qfrc_constraint", "efc_force"):
        mine, other = (np.where(there, r[field], 0) if field == "efc_force" else r[field] for r in (got, want))
        assert np.median(np.abs(mine - other).max(axis=1)) <= 1e-3 * push


@pytest.mark.parametrize("options", ["", 'cone="elliptic"', 'solver="CG"', 'jacobian="sparse" solver="PGS"'])
def test_a_heap_of_one_island_is_solved_as_mujoco_does(options, cpu):
    """Its trees are in another order there: rows of H reach little to the left."""
    mj = oracle.compile_xml(heap(options))
    states = oracle.rollout_states(mj, WORLDS, length=30)
    engine, want = Engine(mj, states, cpu, mode="staged").step(), oracle.step(mj, states)
    trees = engine.read("tree_island")[:, : mj.ntree]
    assert max(np.bincount(row[row >= 0]).max() for row in trees if (row >= 0).any()) >= 6
    assert (trees[:, -1] == -1).all()  # the chain has no constraint
    error = relative_error(engine.read("qacc"), want.qacc)
    assert np.median(error) <= 10 * tolerance("qacc_median")


def test_trees_without_constraints_are_solved_to_the_last_digit(cpu):
    """Those of up to six dofs in the lanes of a vector, larger ones by themselves."""
    chain = "".join(
        f'<body pos=".2 0 {-0.1 * (k + 1)}"><joint axis="{k % 2} {1 - k % 2} 0" armature=".01"/><geom size=".05"/>'
        for k in range(9)
    )
    small = "".join(
        f'<body pos="{k} 2 2"><joint type="{kind}"/><geom type="box" size=".1 .{k % 7 + 1} .2"/></body>'
        for k, kind in enumerate(["free", "ball", "slide", "hinge"] * 5)
    )
    mj = oracle.compile_xml(
        f'<mujoco><worldbody><body pos="0 0 9"><freejoint/><geom size=".1"/>{chain}{"</body>" * 9}</body>{small}</worldbody></mujoco>'
    )
    assert mj.ntree == 21 and mj.tree_dofnum.max() == 15
    states = oracle.rollout_states(mj, WORLDS)
    got, want = Engine(mj, states, cpu).step().read("qacc"), oracle.step(mj, states)
    assert_close(got, want.qacc_smooth, "qacc", want.pull)


def test_results_do_not_depend_on_other_worlds_or_threads(cpu):
    mj = oracle.compile_xml(heap())
    states = oracle.rollout_states(mj, WORLDS)
    want = Engine(mj, states, cpu).step(5).arrays()
    for order, threads in ((np.arange(WORLDS)[::-1], 1), (np.arange(WORLDS), 3), (np.arange(3, 7), 2)):
        got = Engine(mj, states[order], cpu, threads=threads).step(5).arrays()
        for name in ("qpos", "qvel", "qacc"):
            assert_same(got[name], want[name][order], name)


def test_damping_of_one_tree_leaves_the_acceleration_of_others(cpu):
    """Euler's step of a chain with damped joints beside boxes without."""
    mj = oracle.compile_xml(heap())
    states = oracle.rollout_states(mj, WORLDS)
    engine, want = Engine(mj, states, cpu, mode="staged").step(), oracle.step(mj, states)
    boxes = np.arange(mj.nv) < mj.nv - 9
    assert_same(engine.read("search")[:, boxes], engine.read("qacc")[:, boxes], "boxes")
    assert (engine.read("search")[:, ~boxes] != engine.read("qacc")[:, ~boxes]).any()
    assert_close(engine.read("qvel")[:, ~boxes], want.qvel[:, ~boxes], "next")


@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_few_dofs_take_newtons_method_for_conjugate_gradients(solver, cpu):
    """The minimum is the same, and found in fewer iterations than conjugate gradients take."""
    mj = oracle.compile_xml(heap(f'solver="{solver}"'))
    states = oracle.rollout_states(mj, WORLDS, length=30)
    engine = Engine(mj, states, cpu).step()
    assert engine.read("solver_niter").max() <= 20
    assert np.median(relative_error(engine.read("qacc"), oracle.step(mj, states).qacc)) <= 10 * tolerance("qacc_median")

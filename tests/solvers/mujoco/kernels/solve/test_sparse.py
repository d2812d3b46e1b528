"""Sparse storage of wide models against MuJoCo, and against the dense one: small models, which are taken for wide ones."""

import numpy as np
import pytest

from newtonlite.core.mujoco import MjtSolver
from newtonlite.solvers.mujoco import data
from newtonlite.solvers.mujoco.derive import sparse
from newtonlite.solvers.mujoco.executor.memory import memory_report
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness import wide_scenes
from tests.harness.engine import Engine
from tests.harness.sparse_rows import dense_rows
from tests.tolerance import assert_close, relative_error, tolerance

WORLDS = 6
SCENES = {
    "cloth of connects": lambda options: wide_scenes.cloth(6, options),
    "cloth of tendons": lambda options: wide_scenes.cloth(6, options, "tendon"),
    "cloth under a plate": lambda options: wide_scenes.cloth(7, options, "tendon", extra=wide_scenes.PLATE),
    "chain": lambda options: wide_scenes.chain(40, options),
    "heap": lambda options: wide_scenes.heap(12, options),
    "heaps apart": lambda options: wide_scenes.heap(9, options, apart=0.35),
}
OPTIONS = ('solver="Newton"', 'solver="CG"', 'solver="Newton" cone="elliptic"', 'solver="CG" cone="elliptic"')


@pytest.fixture
def wide(monkeypatch):
    """All models are wide ones."""
    monkeypatch.setattr(sparse, "WIDE_DOFS", 0)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_wide_model_is_solved_as_by_mujoco(name, options, wide, device):
    """The minimum is Newton's, whichever solver is asked for."""
    mj = SCENES[name](options)
    states = oracle.rollout_states(mj, WORLDS, length=60)
    got = Engine(mj, states, device).step()
    assert got.m.nsparse
    mj.opt.solver, mj.opt.tolerance, mj.opt.iterations = int(MjtSolver.NEWTON), 1e-12, 200
    want = oracle.step(mj, states)
    error = relative_error(got.read("qacc"), want.qacc)
    allowed = "qacc" if "Newton" in options else "qacc_cg"
    assert np.median(error) <= tolerance(allowed) and error.max() <= 5 * tolerance(allowed), error


@pytest.mark.parametrize("name", SCENES)
def test_sparse_rows_are_those_of_mujoco(name, wide, device):
    mj = SCENES[name]('solver="Newton" cone="elliptic"')
    states = oracle.rollout_states(mj, WORLDS, length=60)
    got = Engine(mj, states, device, mode="staged").step()
    J = dense_rows(got)
    for w in range(WORLDS):
        want = oracle.dense_jacobian(mj, oracle.forward(mj, states, w))
        assert_close(J[w, : len(want)], want, "row")


@pytest.mark.parametrize("options", OPTIONS)
def test_a_worlds_bits_are_its_own(options, wide, device):
    """Whatever the batch, the order of worlds in it, and the threads."""
    mj = SCENES["cloth of tendons"](options)
    states = oracle.rollout_states(mj, WORLDS, length=60)
    whole = Engine(mj, states, device).step(3)
    turned = Engine(mj, states[::-1], device, threads=2).step(3)
    alone = Engine(mj, states[2:3], device).step(3)
    for name in ("qpos", "qvel", "qacc"):
        found = whole.read(name)
        assert np.array_equal(found, turned.read(name)[::-1]) and np.array_equal(found[2:3], alone.read(name)), name


def test_without_room_for_the_factor_conjugate_gradients_get_there(wide, monkeypatch, device):
    mj = wide_scenes.cloth(12, 'solver="Newton" iterations="300"')
    states = oracle.rollout_states(mj, WORLDS, length=60)
    monkeypatch.setattr(data, "PROFILE_WIDTH", 0)
    got = Engine(mj, states, device, mode="staged").step()
    assert (got.read("H_shape")[:, 1] == 0).all() and (got.read("solver_niter") > 10).all()
    error = relative_error(got.read("qacc"), oracle.step(mj, states).qacc)
    assert np.median(error) <= tolerance("qacc_cg")


def test_a_tree_of_many_neighbours_is_in_the_border(wide, device):
    """Otherwise the rows of all that it touches would reach as far as they lie apart."""
    mj = SCENES["cloth under a plate"]('solver="Newton"')
    got = Engine(mj, oracle.rollout_states(mj, WORLDS, length=3, every=1, speed=0.0), device, mode="staged").step()
    shape = got.read("H_shape")
    assert (shape[:, 1] == 16).all() and (shape[:, 2] < 0.6 * mj.nv * mj.nv).all()


PAD = """<flexcomp name="{0}" type="grid" dim="2" count="7 7 1" spacing=".02 .02 .02" radius=".004" mass=".05" pos="0 0 -.03">
    <pin range="0 2"/><edge equality="true"/><contact selfcollide="none"/></flexcomp>"""
HAND = f"""<mujoco><option timestep=".001" {{}}/><worldbody><geom type="plane" size="1 1 .1"/>
  <body pos="0 0 .033"><joint type="slide" axis="0 0 1"/><geom size=".01" contype="0" conaffinity="0"/>
  <body name="left" pos="-.1 0 0"><joint type="slide" axis="1 0 0"/><geom size=".01" contype="0" conaffinity="0"/>{PAD.format("l")}</body>
  <body name="right" pos=".1 0 0"><joint axis="0 1 0"/><geom size=".01" contype="0" conaffinity="0"/>{PAD.format("r")}</body></body>
  <body pos="0 0 .2"><freejoint/><geom size=".03"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("options", OPTIONS)
def test_a_hand_and_fingers_with_soft_pads_are_in_the_border(options, device):
    """One tree, whose Hessian would be one dense block: stems on a stem, and what they carry."""
    mj = oracle.compile_xml(HAND.format(options))
    parts = sparse.profile_trees(mj, True)
    assert np.flatnonzero(parts["part_carries"]).tolist() == [0, 1, 48] and parts["part_root"][
        [0, 1, 2, 48, 49]
    ].tolist() == [-1, 0, 1, 0, 48]
    assert mj.ntree == 2 and parts["npart"] == 1 + 2 * 47 + 1 and parts["part_dofnum"].sum() == mj.nv
    states = oracle.rollout_states(mj, WORLDS, length=60)
    got = Engine(mj, states, device, mode="staged").step()
    shape = got.read("H_shape")
    assert got.m.nsparse and (shape[:, 1] > 0).all() and (shape[:, 2] < 0.6 * mj.nv * mj.nv).all()
    mj.opt.solver, mj.opt.tolerance, mj.opt.iterations = int(MjtSolver.NEWTON), 1e-12, 200
    error = relative_error(got.read("qacc"), oracle.step(mj, states).qacc)
    allowed = tolerance("qacc" if "Newton" in options else "qacc_cg")
    assert np.median(error) <= allowed and error.max() <= 5 * allowed, error


def test_memory_grows_with_the_number_of_dofs(device):
    """Four times the points, four times the bytes; no array has dofs by dofs."""
    reports = []
    for side in (20, 40):
        mj = wide_scenes.cloth(side, 'solver="Newton"')
        model = put_model(mj, 1, device)
        assert model.nsparse and max(a.size for a in model.arrays.values()) < 100 * mj.nv
        reports.append(memory_report(model, 1, scratch="per_world"))
    small, large = (report.per_world for report in reports)
    assert large < 4.4 * small
    assert max(reports[1].data.values()) < 4 * data.PROFILE_WIDTH * 1.1 * 4800


def test_gauss_seidel_and_noslip_stay_dense(wide):
    for options in ('solver="PGS"', 'noslip_iterations="3"'):
        assert not put_model(wide_scenes.chain(8, options)).nsparse

"""Kernels made for a model's features do what the kernels of everything do, and hold no stage that has nothing to do."""

import ast
import inspect
import textwrap

import pytest

from newtonlite.core.mujoco import MjtIntegrator, MjtSolver
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.executor.views import fields_used, source
from newtonlite.solvers.mujoco.kernels.collide import broadphase_pair
from newtonlite.solvers.mujoco.kernels.solve import truncated_newton
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

MODELS = ["humanoid", "implicitfast_damped_arm", pytest.param("elliptic_condim_1_3_4_6", marks=pytest.mark.nightly)]


@pytest.fixture
def specialised(monkeypatch):
    monkeypatch.setattr(specialize, "enabled", True)


@pytest.mark.parametrize("name", MODELS)
def test_a_specialised_step_is_the_general_one(name, device, monkeypatch):
    mj = oracle.named_model(name)
    states = oracle.rollout_states(mj, 16)
    general = Engine(mj, states, device).step(3).arrays()
    monkeypatch.setattr(specialize, "enabled", True)
    monkeypatch.setenv("NEWTONLITE_KERNELS", "wait")
    special = Engine(mj, states, device).step(3).arrays()
    for field in ("qpos", "qvel", "qacc", "ncon", "nefc"):
        assert_close(special[field], general[field], "qacc", floor=1.0, what=field)


def test_the_humanoid_has_no_stage_it_does_not_need(specialised):
    m = put_model(oracle.named_model("humanoid"), device="cpu")
    folded = specialize.features(m)
    stages = specialize.constant_fold(pipeline.STEP, folded)
    assert len(stages) < len(pipeline.STEP)
    absent = {name for name, value in folded if value == 0}
    for stage in stages:
        tree = ast.parse(textwrap.dedent(inspect.getsource(stage.func)))
        assert not [n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr in absent], stage.key


def test_sizes_that_are_members_of_an_enumeration_fold():
    """As those that a call asks for, such as slopes of a model whose own integrator needs none."""
    text = ast.parse("m.opt_integrator == MjtIntegrator.IMPLICIT", mode="eval")
    folded = specialize._Fold({"opt_integrator": MjtIntegrator.IMPLICIT}).visit(text)
    assert ast.unparse(folded) == "True"


def test_functions_of_one_name_keep_their_texts():
    folded = (("nspeculative", 0), ("nsparse", 0), ("opt_solver", int(MjtSolver.CG)))
    near, close = (
        specialize.specialized(stage, folded) for stage in (broadphase_pair.is_near, truncated_newton.is_near)
    )
    assert near.key == close.key and near is not broadphase_pair.is_near and close is not truncated_newton.is_near
    assert "gap_between" in source(near) and "takes_conjugate_gradients" in source(close)
    assert ("m", "npair") in fields_used(near)

"""Effective inertia stored sparse, against MuJoCo and against the dense one: small models, which are taken for large ones."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco import data, pipeline
from newtonlite.solvers.mujoco.derive import sparse
from newtonlite.solvers.mujoco.executor.memory import memory_report
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.discrete_scenes import FLEXES, PASSIVE, PLANE, flex_scene, hung_cloth
from tests.harness.engine import Engine
from tests.tolerance import assert_close, relative_error, tolerance

WORLDS = 4
BOUNDS = ("WIDE_DOFS", "SOFT_DOFS", "DENSE_DOFS")
OPTIONS = ('solver="Newton"', 'solver="CG"')


@pytest.fixture
def large(monkeypatch):
    """All models are large ones."""
    for bound in BOUNDS:
        monkeypatch.setattr(sparse, bound, 0)


@pytest.mark.parametrize("name", FLEXES)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_step_of_flexes_is_mujocos_and_the_dense_one(name, options, monkeypatch, device):
    mj = oracle.compile_xml(flex_scene(FLEXES[name], options))
    states = oracle.rollout_states(mj, WORLDS)
    want = oracle.step(mj, states)
    dense = Engine(mj, states, device).step()
    for bound in BOUNDS:
        monkeypatch.setattr(sparse, bound, 0)
    got = Engine(mj, states, device).step()
    assert got.m.nsparse and not dense.m.nsparse
    np.testing.assert_array_equal(got.read("nefc"), want.nefc)
    for part in ("qpos", "qvel"):
        assert_close(got.read(part), getattr(want, part), "next", what=part)
        assert_close(got.read(part), dense.read(part), "next", what=part)


PASSIVE_CLOTH = (
    PLANE
    + """<flexcomp name="a" type="grid" dim="2" count="5 5 1" spacing=".05 .05 .05" mass=".9" radius=".01" pos="0 0 .009">
      <elasticity young="1e4" poisson=".2" damping=".01" thickness=".005" elastic2d="both"/><contact passive="true"
      selfcollide="none"/></flexcomp><body pos=".03 .02 .045"><freejoint/><geom size=".03" mass=".1"/></body>"""
)
SPRINGS = {
    **{name: scene for name, scene in PASSIVE.items() if "rows" not in name},
    "elastic cloth between a plane and a ball": PASSIVE_CLOTH,
}


def smooth_acceleration(mj, states, device) -> np.ndarray:
    """``qacc_smooth`` of the engine."""
    engine = Engine(mj, states, device, mode="staged").forward()
    rows = engine.read("nefc")
    engine.run(pipeline.SMOOTH_OF_STEP)
    np.testing.assert_array_equal(engine.read("nefc"), rows)
    return engine.read("qacc_smooth")


@pytest.mark.parametrize("name", SPRINGS)
@pytest.mark.parametrize("options", (*OPTIONS, 'solver="Newton" cone="elliptic"'))
def test_a_step_with_passive_contacts_is_mujocos(name, options, monkeypatch, device):
    """Of which no row is left after it; the smooth acceleration, which moves with the rounding of depths, is the dense one."""
    option = f'<option integrator="discrete" timestep=".002" tolerance="1e-12" iterations="300" {options}/>'
    mj = oracle.compile_xml(f"<mujoco>{option}<worldbody>{SPRINGS[name]}</worldbody></mujoco>")
    states = oracle.rollout_states(mj, WORLDS)
    want, dense = oracle.step(mj, states), smooth_acceleration(mj, states, device)
    for bound in BOUNDS:
        monkeypatch.setattr(sparse, bound, 0)
    got = Engine(mj, states, device, mode="staged").step()
    assert got.m.nefmrow and got.read("ncon").max() > 0
    np.testing.assert_array_equal(got.read("nefc"), want.nefc)
    assert_close(got.read("qvel"), want.qvel, "next", what="qvel")
    assert_close(smooth_acceleration(mj, states, device), dense, "next", what="qacc_smooth")
    forward = Engine(mj, states, device, mode="staged").forward()
    for w in range(WORLDS):
        data = oracle.forward(mj, states, w)
        size = np.linalg.norm(data.qfrc_passive) + np.linalg.norm(data.qfrc_constraint)
        assert_close(forward.read("qfrc_constraint")[w], data.qfrc_constraint, "qacc", size, "qfrc_constraint")


@pytest.mark.parametrize("name", ("tetrahedra under a ball", "cells", "cloth on an arm"))
@pytest.mark.parametrize("room", (True, False))
def test_the_smooth_acceleration_is_mujocos(name, room, large, monkeypatch, device):
    """Also where the factor has no room, and conjugate gradients solve for it."""
    mj = oracle.compile_xml(flex_scene(FLEXES[name]))
    states = oracle.rollout_states(mj, WORLDS)
    if not room:
        monkeypatch.setattr(data, "PROFILE_WIDTH", 0)
    engine = Engine(mj, states, device, mode="staged").forward()
    engine.run(pipeline.SMOOTH_OF_STEP)
    want = [oracle.forward(mj, states, w).qacc_smooth for w in range(WORLDS)]
    assert_close(engine.read("qacc_smooth"), np.array(want), "qacc", what="qacc_smooth")


@pytest.mark.parametrize("name", ("tetrahedra under a ball", "cloth on an arm"))
def test_without_room_for_the_factor_conjugate_gradients_get_there(name, large, monkeypatch, device):
    mj = oracle.compile_xml(flex_scene(FLEXES[name]))
    states = oracle.rollout_states(mj, WORLDS)
    monkeypatch.setattr(data, "PROFILE_WIDTH", 0)
    got = Engine(mj, states, device).step()
    error = relative_error(got.read("qacc"), oracle.step(mj, states).qacc)
    assert error.max() <= tolerance("qacc_cg"), error


@pytest.mark.parametrize("name", ("tetrahedra under a ball", "cells"))
def test_inertia_and_forces_are_the_models_own_after_a_step(name, large, device):
    """Those of the same state under Euler."""
    found = []
    for integrator in (4, 0):
        mj = oracle.compile_xml(flex_scene(FLEXES[name]))
        states = oracle.rollout_states(mj, WORLDS)
        mj.opt.integrator = integrator
        engine = Engine(mj, states, device, mode="staged").forward()
        found.append([engine.read(part) for part in ("M", "qfrc_smooth")])
    for first, second in zip(*found, strict=True):
        np.testing.assert_array_equal(first[second != 0.0], second[second != 0.0])


@pytest.mark.parametrize("options", OPTIONS)
def test_a_worlds_bits_are_its_own(options, large, device):
    """Whatever the batch, the order of worlds in it, and the threads."""
    mj = oracle.compile_xml(flex_scene(FLEXES["tetrahedra under a ball"], options))
    states = oracle.rollout_states(mj, WORLDS, length=20)
    whole = Engine(mj, states, device).step(3)
    turned = Engine(mj, states[::-1], device, threads=2).step(3)
    alone = Engine(mj, states[2:3], device).step(3)
    for name in ("qpos", "qvel", "qacc"):
        found = whole.read(name)
        assert np.array_equal(found, turned.read(name)[::-1]) and np.array_equal(found[2:3], alone.read(name)), name


@pytest.mark.parametrize("options", OPTIONS)
def test_a_cloth_of_4446_dofs_is_simulated_as_by_mujoco(options, device):
    """One vertex more each way than dense storage is for, in the air and on a plane, by forward passes and steps."""
    solved = f'{options} tolerance="1e-10" iterations="200"'
    mj = oracle.compile_xml(hung_cloth(39, solved, 0.006))
    assert mj.nv > sparse.DENSE_DOFS
    states = oracle.rollout_states(mj, 2, length=8, every=4)
    got, want = Engine(mj, states, device).step(), oracle.step(mj, states)
    assert got.m.ncoupled and want.nefc.max() > 0
    np.testing.assert_array_equal(got.read("nefc"), want.nefc)
    assert relative_error(got.read("qacc"), want.qacc).max() <= tolerance("qacc")
    for part in ("qpos", "qvel"):
        assert_close(got.read(part), getattr(want, part), "next", what=part)


def test_passive_contacts_of_a_cloth_of_4446_dofs_are_mujocos(device):
    """Of a world in which depths are not at a tie."""
    text = hung_cloth(39, 'tolerance="1e-10" iterations="200"', 0.006)
    mj = oracle.compile_xml(text.replace("<contact ", '<contact passive="true" '))
    states = oracle.rollout_states(mj, 1, length=4)
    got, want = Engine(mj, states, device).step(), oracle.step(mj, states)
    assert got.m.nefmrow and want.ncon.max() > 0 and not got.read("nefc").any()
    np.testing.assert_array_equal(got.read("ncon"), want.ncon)
    assert_close(got.read("qacc"), want.qacc, "qacc", what="qacc")
    assert_close(got.read("qpos"), want.qpos, "next", what="qpos")


def test_what_keeps_large_models_dense_is_refused_by_name(monkeypatch):
    """Exact diagonals, and trees of as many dofs."""
    for bound in BOUNDS:
        monkeypatch.setattr(sparse, bound, 16)
    soft = """<flexcomp name="f" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" mass=".2"><elasticity young="1e4"
      elastic2d="both" thickness=".01"/><pin id="0 1"/><contact {} selfcollide="none"/></flexcomp>"""
    exact = '<option integrator="discrete"><flag diagexact="enable"/></option>'
    for passive in ("", 'passive="true"'):
        for body, option in (
            (f'<body name="b"><freejoint/><geom size=".01"/>{soft}</body>', '<option integrator="discrete"/>'),
            (soft, exact),
        ):
            mj = oracle.compile_xml(f"<mujoco>{option}<worldbody>{PLANE}{body.format(passive)}</worldbody></mujoco>")
            with pytest.raises(
                ModelError, match="passive contacts of flexes in" if passive else "elasticity of flexes with"
            ):
                put_model(mj)


def test_memory_grows_with_the_number_of_elements(device):
    """Four times the points, four times the bytes; no array has dofs by dofs."""
    reports = []
    for side in (39, 77):
        model = put_model(oracle.compile_xml(hung_cloth(side)), 1, device)
        assert model.nsparse and max(a.size for a in model.arrays.values()) < 100 * model.nv
        reports.append(memory_report(model, 1, scratch="per_world"))
    assert reports[1].per_world < 4.4 * reports[0].per_world

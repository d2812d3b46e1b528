"""A solver that is stopped early stops every island where MuJoCo does, which solves each by itself."""

import numpy as np
import pytest

from newtonlite.core import warp_internals
from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close, relative_error, tolerance

WORLDS = 24
NEWTON = ('iterations="1"', 'iterations="3"', 'iterations="2" cone="elliptic"')
CG = ('solver="CG" iterations="1"', 'solver="CG" iterations="2"', 'solver="CG" iterations="3" ls_tolerance="1e-6"')
PGS = ('solver="PGS" iterations="2"', 'solver="PGS" iterations="4" cone="elliptic"')


def falling_boxes(options: str):
    """Eight boxes that fall on a floor, apart from each other, and a slider without constraints."""
    rng = np.random.default_rng(0)
    place = lambda i: f"{i % 4 * 0.5} {i // 4 * 0.5} {0.15 + 0.3 * rng.random():.3f}"
    boxes = "".join(
        f'<body pos="{place(i)}" euler="{rng.uniform(-90, 90):.1f} {rng.uniform(-90, 90):.1f} 0"><freejoint/><geom type="box" size=".1 .08 .06"/></body>'
        for i in range(8)
    )
    slider = '<body pos="0 9 9"><joint type="slide"/><geom size=".1"/></body>'
    return oracle.compile_xml(
        f'<mujoco><option {options}/><worldbody><geom type="plane" size="9 9 .1"/>{boxes}{slider}</worldbody></mujoco>'
    )


@pytest.mark.parametrize("options", [*NEWTON, *CG, *PGS])
def test_islands_are_stopped_one_by_one(device, options):
    """Three states of four; in others a search along the direction ends within its tolerance, which one step more would
    mend.

    Conjugate directions in float32 are no longer MuJoCo's after three steps.
    """
    mj = falling_boxes(options)
    states = oracle.rollout_states(mj, WORLDS)
    together = falling_boxes(options)
    together.opt.disableflags = oracle.DISABLE_ISLAND
    apart, whole = oracle.step(mj, states), oracle.step(together, states)
    assert np.quantile(relative_error(whole.qacc, apart.qacc), 0.75) > tolerance(
        "optimality"
    )  # it makes a difference here
    for model, want in ((mj, apart), (together, whole)):
        engine = Engine(model, states, device).step()
        assert engine.m.nislandtree == (9 if model is mj else 0)
        error = relative_error(engine.read("qacc"), want.qacc)
        assert np.median(error) <= tolerance("qacc_median") and np.quantile(error, 0.75) <= tolerance("qacc"), error


@pytest.mark.parametrize(
    "options", ['iterations="100"', 'iterations="100" cone="elliptic"', 'solver="CG" iterations="200"']
)
def test_solvers_that_run_to_the_end_leave_out_islands_that_are_done(device, options):
    """On a CPU, where trees are many; the minimum is that of all islands at once, which a GPU goes for."""
    mj, together = falling_boxes(options), falling_boxes(options)
    together.opt.disableflags = oracle.DISABLE_ISLAND
    states = oracle.rollout_states(mj, WORLDS)
    engine = Engine(mj, states, device).step()
    assert engine.m.nislandtree == (9 if engine.m.device.is_cpu else 0)
    for got in (engine, Engine(together, states, device).step()):
        assert np.quantile(relative_error(got.read("qacc"), oracle.step(mj, states).qacc), 0.9) <= tolerance("qacc")


@pytest.mark.parametrize("options", ["", 'cone="elliptic"', 'solver="CG"', 'solver="PGS"'])
def test_trees_without_constraints_have_the_smooth_acceleration(device, options):
    """Seven spheres in one block of 16 dofs and the next ones, of which those at odd places are on the floor."""
    spheres = "".join(
        f'<body pos="{i} 0 {0.099 if i % 2 else 5}"><joint type="slide" axis="1 0 .2" damping=".1"/><joint type="slide" axis="0 0 1"/>'
        f'<geom size=".1"/></body>'
        for i in range(7)
    )
    mj = oracle.compile_xml(
        f'<mujoco><option {options}/><worldbody><geom type="plane" size="9 9 .1"/>{spheres}</worldbody></mujoco>'
    )
    states = oracle.rollout_states(mj, WORLDS, length=1)
    got, want = Engine(mj, states, device, mode="staged").step(), oracle.step(mj, states)
    assert_close(got.read("qacc"), want.qacc, "qacc", want.pull)
    free = np.isin(np.arange(mj.nv) // 2 % 2, 0)
    assert_close(got.read("qacc")[:, free], want.qacc_smooth[:, free], "qacc", want.pull)
    constraint = got.read("qfrc_constraint")[:, : mj.nv][:, free]
    assert_close(constraint, np.zeros_like(constraint), "force", np.abs(mj.body_mass).sum() * 9.81)
    if 'solver="CG"' in options and warp_internals.used():  # islands are solved one by one
        assert not constraint.any()  # left out: exactly none


FOLDED = """<mujoco><option cone="elliptic"/><worldbody><geom type="sphere" size=".05" pos=".1 .05 .01" condim="4"/>
  <flexcomp name="f" type="direct" dim="2" point="0 0 0 .1 0 0 .2 0 0 .1 .1 0 .2 .1 0" pos="0 0 .05" mass=".1"
    element="0 1 3 1 2 3 2 4 3" radius=".008">
    <edge equality="true"/>
    <contact condim="4" selfcollide="none"/>
  </flexcomp></worldbody></mujoco>"""


def test_a_cone_whose_torsion_moves_nothing_is_solved_as_a_whole(device):
    """Points of a flex do not turn: one row of each contact has no entries, and so no tree of its own."""
    mj = oracle.compile_xml(FOLDED)
    states = oracle.rollout_states(mj, WORLDS)
    engine, want = Engine(mj, states, device).step(), oracle.step(mj, states)
    assert np.mean(want.ncon) > 1.0
    assert_close(engine.read("qacc"), want.qacc, "qacc", want.pull)

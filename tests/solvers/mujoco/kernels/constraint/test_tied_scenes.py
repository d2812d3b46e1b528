"""Trees nobody chose: all kinds of joints, shapes, actuators, tendons and equality constraints together, against
MuJoCo's step.
"""

from collections import Counter

import numpy as np
import pytest

from tests import oracle
from tests.harness.equality_scene import TiedScene
from tests.harness.features import features
from tests.harness.shaken import shaken_model, shaken_states
from tests.solvers.mujoco.test_parity import WEDGED, assert_parity

STATES = 20
WEDGED_ALWAYS = (1, 7, 20, 92, 129, 181)
TIED_TO_ITSELF = (
    203,
)  # a weld of bodies that do not move against each other: MuJoCo has its rows or not, as rounding makes their zeros
AT_AN_EDGE = (
    27,
    173,
    186,
    204,
)  # MuJoCo's own numbers move as far: 27 (5e-4) and 186 for one rounding of its inputs, the others for ten
SEEDS = [seed for seed in range(212) if seed not in (*WEDGED_ALWAYS, *TIED_TO_ITSELF, *AT_AN_EDGE)]
SHAKES = 8
CONVERGED = 1e-12  # with its default, MuJoCo's forces and accelerations of elliptic contacts differ by 1e-3 N m
FEATURES = {
    "joints": {"free", "ball", "slide", "hinge", "two on a body", "none on a body"},
    "wraps": {"joint", "pulley", "site", "sphere", "cylinder", "side site"},
    "equalities": {"connect body", "connect site", "weld body", "weld site", "joint", "tendon"},
    "transmissions": {"joint", "jointinparent", "slidercrank", "tendon", "site", "site with refsite", "body"},
    "dynamics": {"none", "integrator", "filter", "filterexact", "muscle", "dcmotor"},
    "gains": {"fixed", "affine", "muscle", "dcmotor"},
    "of tendons": {"stiffness", "damping", "frictionloss", "limit", "armature", "dead band"},
    "of joints": {"stiffness", "damping", "frictionloss", "limit", "armature"},
}


def test_two_hundred_scenes_mix_everything():
    """Every kind of joint, tendon, equality and actuator is in ten scenes or more, and most scenes have something of
    all four.
    """
    seen, mixed = Counter(), 0
    for seed in SEEDS:
        mj = oracle.compile_xml(TiedScene(seed).text)
        seen.update({(family, kind) for family, kinds in features(mj).items() for kind in kinds})
        mixed += bool(mj.njnt > 1 and mj.ntendon and mj.neq and mj.nactuator)
    rare = {
        (family, kind): seen[family, kind]
        for family, kinds in FEATURES.items()
        for kind in kinds
        if seen[family, kind] < 10
    }
    assert len(SEEDS) >= 200 and mixed > 150 and not rare, rare


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_of_a_tied_scene_is_mujocos(seed, device):
    mj = oracle.compile_xml(TiedScene(seed).text)
    mj.opt.tolerance = CONVERGED
    states = oracle.rollout_states(mj, STATES, seed=seed)
    states = states[oracle.step(mj, states).depth <= WEDGED]
    sure = has_sure_rows(mj, states)
    assert np.mean(sure) > 0.8
    assert_parity(mj, states[sure], device)


def has_sure_rows(mj, states) -> np.ndarray:
    """States in which MuJoCo itself has as many contacts and rows if every input is moved by a rounding of float32."""
    want, sure = oracle.step(mj, states), np.full(len(states), True)
    for seed in range(SHAKES):
        other = oracle.step(shaken_model(mj, seed), shaken_states(states, seed))
        sure &= (other.ncon == want.ncon) & (other.nefc == want.nefc)
    return sure

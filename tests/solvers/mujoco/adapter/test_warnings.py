"""Warnings of what works, and perhaps not as intended."""

import pytest

from newtonlite.core.errors import NewtonWarning
from newtonlite.solvers import SolverMuJoCo
from tests.harness.engine_scenes import builder


def scene(joint: str = ""):
    b = builder()
    b.add_mjcf(f'<mujoco><worldbody><body><joint name="j" {joint}/><geom size=".1"/></body></worldbody></mujoco>')
    return b


def test_runge_kutta_keeps_the_callers_contacts():
    model = scene().finalize(device="cpu")
    with pytest.warns(NewtonWarning, match="RK4 keeps the caller's contacts in its intermediate stages"):
        SolverMuJoCo(model, integrator="rk4", use_mujoco_contacts=False)


def test_limits_whose_reference_has_mixed_signs():
    with pytest.warns(NewtonWarning, match='<joint name="j"> solreflimit: invalid solreflimit -1 1'):
        scene('solreflimit="-1 1"')

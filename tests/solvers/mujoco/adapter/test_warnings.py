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


def test_actuators_of_no_world_are_left_out_with_a_warning(device):
    one, b = builder(), builder()
    one.add_mjcf(
        '<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody><actuator><motor joint="a"/></actuator></mujoco>'
    )
    b.replicate(one, 2)
    rows = {k: a.default for k, a in b.custom_attributes.items() if a.frequency == "mujoco:actuator"}
    b.add_custom_values(**(rows | {"mujoco:actuator_target_label": "/missing", "mujoco:actuator_world": -1}))
    with pytest.warns(NewtonWarning, match=r"unresolved target '/missing'.*belong to no world"):
        s = SolverMuJoCo(b.finalize(device=device))
    assert s.mj_model.nu == 1

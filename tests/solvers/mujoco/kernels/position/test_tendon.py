"""Tendons in the engine: real models, degenerate paths, worlds that differ, and kernels without them."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.engine import Engine
from tests.harness.expected import expected
from tests.solvers.mujoco.test_parity import assert_parity
from tests.tolerance import assert_close

ROBOTS = [
    "mjwarp_test/tendon/armature.xml",
    "mjwarp_test/tendon/damping.xml",
    "mjwarp_test/tendon/fixed.xml",
    "mjwarp_test/tendon/tendon_limit.xml",
    "mjwarp_test/pendula.xml",
    "mujoco_mjx/tendon/fixed_site_wrap.xml",
    "mujoco_mjx/tendon/pulley_site_wrap.xml",
    "mujoco_mjx/tendon/wrap_sidesite.xml",
    "mujoco_mjx/actuator/arm26.xml",
    "mujoco_test/common/tendon_wrap.xml",
    "mujoco_test/engine/core_smooth/tendon_wrap_cylinder.xml",
    "mujoco_test/engine/core_smooth/tendon_wrap_sphere.xml",
    "mujoco_test/engine/core_constraint/dofless_tendon_limited.xml",
    "mujoco_model/car/car.xml",
    "mujoco_usd_converter/tendon_pulley.xml",
    "mujoco_usd_converter/tendon_fixed_attributes.xml",
    "myo_sim/finger/myofinger_v0.xml",
    "myo_sim/elbow/myoelbow_2dof6muscles.xml",
]
WITH_INERTIA = [
    "ten_J2",
    "ten_armature_0",
    "ten_armature_1",
    "ten_armature_2",
    "ten_armature_3",
    "ten_armature_4",
    "ten_armature_offtree",
]
AT_REST = [
    "fixed_site",
    "pulley_site",
    "pulley_fixed_site",
    "pulley_site_fixed",
    "pulley_wrap",
    "site",
    "site_fixed",
    "wrap",
]


@pytest.mark.parametrize("path", ROBOTS)
def test_a_step_of_a_real_model_is_mujocos(path, device, assets):
    mj = oracle.compile_xml(assets / "mjcf" / path)
    mj.opt.iterations, mj.opt.ls_iterations = 100, 50  # where a solver is stopped before its end is its own affair
    assert_parity(mj, oracle.rollout_states(mj, 24, length=60), device)


@pytest.mark.parametrize("name", WITH_INERTIA)
def test_inertia_of_tendons_is_mujocos(name, device, assets):
    mj = oracle.compile_xml(assets / "mjcf" / "mujoco_test" / "engine" / "core_smooth" / f"{name}.xml")
    mj.opt.integrator, mj.opt.enableflags = 0, 0
    assert_parity(mj, oracle.rollout_states(mj, 24, length=60), device)


@pytest.mark.parametrize("name", AT_REST)
def test_lengths_and_arms_of_models_without_forces_are_mujocos(name, device, assets):
    """Their accelerations vanish, so lengths and Jacobians say more than steps."""
    mj = oracle.compile_xml(assets / "mjcf" / "mjwarp_test" / "tendon" / f"{name}.xml")
    states = oracle.rollout_states(mj, 24, length=60)
    engine, want = Engine(mj, states, device, mode="staged").forward(), expected(mj, states)
    assert_close(engine.read("ten_length"), want["ten_length"], "kinematics")
    assert_close(engine.read("ten_J"), want["ten_J"], "inertia", 1.0)
    assert_close(engine.read("ten_velocity"), want["ten_velocity"], "velocity", 1.0)


DEGENERATE = {
    "two sites in one place": '<site site="a"/><site site="same"/>',
    "an end in the centre of a sphere": '<site site="centre"/><geom geom="ball"/><site site="b"/>',
    "an end inside a sphere": '<site site="inner"/><geom geom="ball"/><site site="b"/>',
    "both ends in one place beside a sphere": '<site site="a"/><geom geom="ball"/><site site="same"/>',
    "through a sphere, ends in one place": '<site site="a"/><geom geom="ball" sidesite="inner"/><site site="same"/>',
    "a side in the centre": '<site site="a"/><geom geom="ball" sidesite="centre"/><site site="b"/>',
    "a huge divisor": '<site site="a"/><site site="b"/><pulley divisor="1e9"/><site site="a"/><site site="b"/>',
    "one piece of a body": '<site site="a"/><site site="end"/>',
}


@pytest.mark.parametrize("path", DEGENERATE.values(), ids=DEGENERATE)
def test_degenerate_paths_do_what_mujocos_do(path, device):
    mj = oracle.compile_xml(f"""<mujoco><worldbody>
      <geom name="ball" size="0.2" pos="0 0 1" contype="0" conaffinity="0"/><site name="centre" pos="0 0 1"/><site name="inner" pos="0.1 0 1"/>
      <body name="arm" pos="0.5 0 1"><joint axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
        <site name="a"/><site name="end" pos="0.3 0 0"/></body>
      <body name="free" pos="0.5 0 1"><joint type="slide" axis="0 0 1"/><geom size="0.03" contype="0" conaffinity="0"/><site name="same"/></body>
      <body pos="-0.5 0.1 1"><joint type="slide" axis="0 0 1"/><geom size="0.03"/><site name="b"/></body>
    </worldbody><tendon><spatial stiffness="10" damping="1" springlength="0.1">{path}</spatial></tendon></mujoco>""")
    still = oracle.States(*(np.zeros((1, n)) for n in (mj.nq, mj.nv, mj.nv, mj.nu)))
    want = oracle.step(mj, still)
    engine = Engine(mj, still, device).step()
    assert np.isfinite(engine.read("qacc")).all()
    assert_close(engine.read("qacc"), want.qacc, "qacc", want.pull)


def test_worlds_may_differ_in_their_numbers(device):
    mj = oracle.small_model("tendon_over_sites")
    states = oracle.rollout_states(mj, 3)
    engine = Engine(mj, states, device)
    scale, wanted = np.array([1.0, 2.0, 0.5]), []
    stiffness, prm = scale[:, None] * mj.tendon_stiffness, np.tile(mj.wrap_prm, (3, 1))
    prm[:, mj.wrap_type == 2] *= scale[:, None]
    engine.m.set("tendon_stiffness", stiffness)
    engine.m.set("wrap_prm", prm)
    engine.step()
    for world in range(3):
        mj.tendon_stiffness[:], mj.wrap_prm[:] = stiffness[world], prm[world]
        wanted.append(oracle.step(mj, states[world]))
    assert_close(
        engine.read("qacc"), np.concatenate([w.qacc for w in wanted]), "qacc", np.concatenate([w.pull for w in wanted])
    )


def test_models_without_tendons_and_equalities_have_kernels_without_them(monkeypatch):
    monkeypatch.setattr(specialize, "enabled", True)
    m = put_model(oracle.small_model("pendulum_double_hinge"), device="cpu")
    names = {stage.key.split(".")[-1] for stage in specialize.constant_fold(pipeline.STEP, specialize.features(m))}
    assert not {name for name in names if "tendon" in name}
    assert "equality_rows" in names  # it starts the rows of a world

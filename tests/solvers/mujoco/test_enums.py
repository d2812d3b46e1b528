"""Every member of MuJoCo's enumerations occurs in a model that is stepped beside MuJoCo, or is refused by name."""

import numpy as np
import pytest

from tests import oracle
from tests.harness import questions
from tests.harness.engine import Engine
from tests.solvers.mujoco.kernels.sense.test_tactile import SCENE as TACTILE
from tests.tolerance import assert_close

IN_MODELS = {
    "mjtSensor": "sensor_type",
    "mjtDyn": "actuator_dyntype",
    "mjtGain": "actuator_gaintype",
    "mjtBias": "actuator_biastype",
    "mjtTrn": "actuator_trntype",
    "mjtEq": "eq_type",
    "mjtWrap": "wrap_type",
    "mjtJoint": "jnt_type",
    "mjtGeom": "geom_type",
    "mjtCamLight": "cam_mode light_mode",
}
FLEX = """<worldbody><flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="1">{}</flexcomp></worldbody>"""
BODY = '<worldbody><body><freejoint/><geom name="g" size="0.1"/></body></worldbody>'
ELSEWHERE = {
    "mjINT_DISCRETE": "integrate/test_effective_inertia.py",
    "mjEQ_FLEX": "constraint/test_flex.py",
    "mjEQ_FLEXSTRAIN": "constraint/test_flex.py",
    "mjSENS_PLUGIN": "test_parity.py",
    "mjSENS_TACTILE": "test_tactile.py",
    "mjGEOM_SDF": "signed distance fields",
    "mjENBL_SLEEP": "sleeping",
    "mjENBL_IPC": "ipc/test_step.py",
}
NEVER = {
    "mjEQ_FLEXVERT": "MuJoCo does not make it",
    "mjEQ_DISTANCE": "MuJoCo does not make it",
    "mjTRN_UNDEFINED": "an error in MuJoCo",
    "mjWRAP_NONE": "no path has it",
}
DRAWN = ("ARROW", "ARROW1", "ARROW2", "LINE", "LINEBOX", "FLEX", "SKIN", "LABEL", "TRIANGLE", "NONE")
"""Types of geoms that only pictures have."""

EVERYTHING = """<mujoco><option timestep="0.003"/>
<worldbody><geom type="plane" size="3 3 .1"/>
  <body pos="0 0 .3"><joint name="a" axis="0 1 0" range="-20 20" stiffness="3" damping=".5" frictionloss=".1" actuatorfrcrange="-1 1"/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".05"/>
    <body pos=".3 0 0"><joint name="b" axis="0 1 0" range="-40 40" stiffness="1" damping=".1" armature=".01"/>
      <geom type="capsule" fromto="0 0 0 .3 0 -.2" size=".06"/><site name="tip" pos=".3 0 -.2"/></body></body>
  <body pos="1 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body name="c" pos="1 1 .5"><freejoint/><geom size=".1"/></body> <site name="hook" pos=".5 0 1"/></worldbody>
<tendon><spatial name="t" range="0 .6" stiffness="5" damping=".2" frictionloss=".1"><site site="hook"/><site site="tip"/></spatial></tendon>
<equality><connect body1="c" anchor="0 0 .3"/></equality>
<actuator><motor joint="a" gear="3" ctrlrange="-.3 .3"/><position joint="b" kp="5" ctrlrange="-.2 .2"/></actuator>
<sensor><jointpos joint="a"/><framelinvel objtype="site" objname="tip"/><force site="tip"/></sensor></mujoco>"""


def members(name: str) -> dict:
    """Members that models can have."""
    found = questions.enum_members(name)
    drawn = {f"mjGEOM_{kind}" for kind in DRAWN} if name == "mjtGeom" else set()
    return {key: value for key, value in found.items() if not key.startswith("mjN") and key not in drawn}


@pytest.fixture(scope="module")
def in_models():
    """By enumeration, the members that the small models have."""
    found = {name: set() for name in IN_MODELS}
    for mj in map(oracle.small_model, oracle.model_names()):
        for name, fields in IN_MODELS.items():
            for field in fields.split():
                found[name] |= set(np.ravel(getattr(mj, field)).tolist())
    return found


@pytest.mark.parametrize("name", IN_MODELS)
def test_every_member_is_in_a_model_or_elsewhere(name, in_models):
    for key, value in members(name).items():
        assert value in in_models[name] or key in {**ELSEWHERE, **NEVER}, key


def test_tactile_sensors_are_elsewhere():
    assert "<tactile" in TACTILE


def stepped(mj, states, device) -> Engine:
    """A step of the engine, judged by MuJoCo's."""
    engine, want = Engine(mj, states, device).step(), oracle.step(mj, states)
    np.testing.assert_array_equal(engine.read("nefc"), want.nefc)
    assert_close(engine.read("qvel"), want.qvel, "next", want.pull)
    assert_close(engine.read("qpos"), want.qpos, "next")
    return engine


@pytest.mark.parametrize("key", members("mjtDisableBit"))
def test_every_part_can_be_disabled(key, device):
    mj = oracle.compile_xml(EVERYTHING)
    states = oracle.rollout_states(mj, 16)
    mj.opt.disableflags |= members("mjtDisableBit")[key]
    engine = stepped(mj, states, device)
    want = np.array([oracle.forward(mj, states, w).sensordata for w in range(len(states))])
    assert_close(engine.read("sensordata"), want, "qacc", floor=10.0)


@pytest.mark.parametrize("key", [k for k in members("mjtEnableBit") if k not in ELSEWHERE])
def test_every_part_can_be_enabled(key, device):
    mj = oracle.compile_xml(EVERYTHING)
    states = oracle.rollout_states(mj, 16)
    mj.opt.enableflags |= members("mjtEnableBit")[key]
    mj.opt.o_solref[:] = 0.05, 0.8
    stepped(mj, states, device)


@pytest.mark.parametrize("name", ["mjtIntegrator", "mjtSolver", "mjtCone"])
def test_every_option_is_stepped(name, device):
    field = {"mjtIntegrator": "integrator", "mjtSolver": "solver", "mjtCone": "cone"}[name]
    for value in members(name).values():
        mj = oracle.compile_xml(EVERYTHING)
        states = oracle.rollout_states(mj, 16)
        setattr(mj.opt, field, value)
        mj.opt.iterations = 500
        stepped(mj, states, device)

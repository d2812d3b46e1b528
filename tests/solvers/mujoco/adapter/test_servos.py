"""Servos of files: they follow joint targets, whose mode and gains the dofs have; and what refers to actuators."""

import numpy as np
import pytest

from newtonlite.core.enums import JointTargetMode as Mode
from newtonlite.core.enums import ModelFlags
from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.engine_scenes import builder
from tests.harness.newton_scenes import solver
from tests.tolerance import assert_close, assert_same

LINKS = """<body><joint name="h" axis="0 1 0"/><geom size=".1"/><site name="tip"/>
  <body pos="1 0 0"><joint name="k" type="slide"/><geom size=".1"/></body></body>"""
SERVOS = """<motor joint="k"/><position joint="h" kp="100" kv="3"/><velocity joint="k" kv="10"/>
  <position joint="k" kp="50" gear="2"/>"""


def scene(actuators: str, device, worlds: int = 1, **options):
    one, all_ = builder(), builder()
    one.add_mjcf(f"<mujoco><worldbody>{LINKS}</worldbody><actuator>{actuators}</actuator></mujoco>", **options)
    all_.replicate(one, worlds)
    return all_.finalize(device=device)


def laws(s) -> np.ndarray:
    """Gain, stiffness and damping of all actuators."""
    gain, bias = s.mjw_model.actuator_gainprm.numpy(), s.mjw_model.actuator_biasprm.numpy()
    return np.concatenate([gain[..., :1], bias[..., 1:3]], axis=-1)


def test_dofs_have_the_gains_of_their_servos_and_servos_follow_them(device):
    model = scene(SERVOS, device, worlds=2)
    assert model.joint_target_mode.numpy().tolist() == [Mode.POSITION, Mode.POSITION_VELOCITY] * 2
    assert model.joint_target_ke.numpy().tolist() == [100.0, 50.0] * 2
    assert model.joint_target_kd.numpy().tolist() == [3.0, 10.0] * 2
    s = solver(model)
    assert laws(s)[0].tolist() == [[1, 0, 0], [100, -100, -3], [10, 0, -10], [50, -50, 0]]
    assert s.mjc_actuator_ctrl_source.numpy().tolist() == [1, 0, 0, 0]
    assert s.mjc_actuator_to_newton_idx.numpy().tolist() == [0, 0, -3, 1]
    assert s.mjc_actuator_to_newton_actuator_idx.numpy().tolist() == [0, 1, 2, 3]
    model.joint_target_ke.assign([7.0, 8.0, 9.0, 10.0])
    model.joint_target_kd.assign([1.0, 2.0, 3.0, 4.0])
    s.notify_model_changed(ModelFlags.JOINT_DOF_PROPERTIES)
    assert laws(s)[0].tolist() == [[1, 0, 0], [7, -7, -1], [2, 0, -2], [8, -8, 0]]
    assert laws(s)[1].tolist() == [[1, 0, 0], [9, -9, -3], [4, 0, -4], [10, -10, 0]]


def test_direct_servos_and_two_of_a_kind_keep_gains_of_their_own(device):
    direct = scene(SERVOS, device, ctrl_direct=True)
    assert direct.joint_target_mode.numpy().tolist() == [Mode.NONE, Mode.NONE]
    twice = compile_model(scene('<position joint="h" kp="3"/><position joint="h" kp="5" kv="1"/>', device))
    assert twice.actuator_gainprm[:, 0].tolist() == [3.0, 5.0]
    damped = compile_model(scene('<position joint="h" kp="3" kv="2"/><velocity joint="h" kv="5"/>', device))
    assert damped.actuator_biasprm[:, 2].tolist() == [-2.0, -5.0]


def test_sites_that_something_refers_to_are_kept(device):
    kept = compile_model(scene('<motor site="tip" gear="0 0 1"/>', device), include_sites=False)
    assert kept.nsite == 1 and kept.actuator_trnid[0, 0] == 0
    assert compile_model(scene("", device), include_sites=False).nsite == 0


@pytest.mark.parametrize("count, need", [(1, 1), (2, 1), (0, 1)])
def test_activations_of_a_motor_are_those_of_its_parameters(count, need):
    motor = (
        f'<general joint="h" dyntype="dcmotor" gaintype="dcmotor" biastype="dcmotor" actearly="true" actdim="{count}"'
    )
    text = motor + ' input="pos" gainprm="2 .05" dynprm="0 0 0 0 0 0 0 10 2"/>'
    if count == need:
        assert compile_model(scene(text, "cpu")).actuator_actnum.tolist() == [need]
    else:
        with pytest.raises(ParseError, match=f"actdim: {count} activations where the parameters have {need}"):
            scene(text, "cpu")


def test_everything_of_a_scene_without_the_namespace_is_followed(device):
    """A scene that never declared the ``mujoco`` namespace: changes of all kinds give what compiling anew gives."""
    b = builder()
    base = b.add_link(mass=1.0, inertia=np.eye(3))
    joint = b.add_joint_revolute(-1, base, axis=(0, 1, 0), limit_lower=-1.0, limit_upper=1.0)
    b.add_articulation([joint])
    b.add_shape_sphere(base, radius=0.1)
    model = b.finalize(device=device)
    s = solver(model)
    model.shape_material_ke.fill_(1e4)
    model.body_mass.fill_(3.0)
    model.joint_limit_ke.fill_(500.0)
    s.notify_model_changed()
    fresh = solver(model)
    for name in ("geom_solref", "body_mass", "jnt_solref", "body_inertia"):
        found, want = (getattr(x.mjw_model, name).numpy() for x in (s, fresh))
        assert_close(found.reshape(1, -1), want.reshape(1, -1), "parameter")


def test_joints_outside_articulations_are_world_roots_with_a_warning(device):
    b = builder()
    body = b.add_link(mass=1.0, inertia=np.eye(3))
    b.add_joint_revolute(-1, body, label="lone")
    with pytest.warns(NewtonWarning, match="standalone world roots: 'lone'"):
        assert solver(b.finalize(device=device)).mj_model.nv == 1


def test_a_joint_of_the_host_model_has_its_coordinates():
    m = compile_model(scene("", "cpu"))
    assert_same(m.joint("h").qpos0, m.qpos0[:1])
    b = builder()
    b.add_mjcf("<mujoco><worldbody><body pos='1 2 3'><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    assert compile_model(b.finalize(device="cpu")).joint(0).qpos0.tolist() == [1, 2, 3, 1, 0, 0, 0]

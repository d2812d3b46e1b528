"""Host versions: models and data of the MuJoCo that is installed, be it 3.11 or 4.0, simulate as there.

``make test-mujoco-versions`` runs this file with each version.
"""

import numpy as np
import pytest
import warp as wp

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import ModelError
from newtonlite.mjwarp import host_version
from tests import oracle
from tests.tolerance import assert_close

BALL = "<body pos='{x} 0 {z}'><freejoint/><geom size='.1' mass='1' {looks}/></body>"
ARM = "<body name='a' pos='0 3 1'><joint name='j' axis='0 1 0' range='-1 1' damping='.1'/><geom name='g' size='.1' pos='.2 0 0' mass='1'/>{inner}</body>"
ACTUATORS = (
    "<motor joint='j' gear='2'/>",
    "<position joint='j' kp='30' kv='1'/>",
    "<velocity joint='j' kv='2'/>",
    "<intvelocity joint='j' kp='3' actrange='-1 1'/>",
    "<damper joint='j' kv='2' ctrlrange='0 1'/>",
    "<cylinder joint='j' timeconst='.2' area='3' bias='1 2 3'/>",
    "<muscle joint='j' lengthrange='-1 1'/>",
    "<general joint='j' dyntype='filterexact' dynprm='.1' biastype='affine' biasprm='1 -2 -.3'/>",
    "<dcmotor joint='j' motorconst='.5' resistance='2'/>",
    "<dcmotor joint='j' motorconst='.5' resistance='2' thermal='10 2 20 .004 25 20'/>",
    "<dcmotor joint='j' motorconst='.5' resistance='2' inductance='.01'/>",
    "<position joint='j' kp='1' delay='.005' nsample='3'/>",
)
EQUALITIES = (
    "<weld body1='a' body2='b'/>",
    "<weld body1='b' relpose='0 -4 -.98 1 0 0 0' torquescale='2'/>",
    "<connect body1='b' body2='a' anchor='0 .1 0'/>",
    "<joint joint1='j' joint2='k' polycoef='.1 .5 0 0 0'/>",
    "<tendon tendon1='t' polycoef='.1 0 0 0 0'/>",
)
SCENES = {
    "contacts_within_margins": (
        "<geom type='plane' size='9 9 1' margin='.03' gap='.02'/>"
        + "".join(
            BALL.format(x=x, z=z, looks=looks)
            for x, z, looks in ((0, 0.09, ""), (1, 0.12, "margin='.01'"), (2, 0.14, ""), (3, 0.16, "gap='.05'"))
        ),
        "",
    ),
    **{f"actuator_{i}": (ARM.format(inner=""), f"<actuator>{text}</actuator>") for i, text in enumerate(ACTUATORS)},
    **{
        f"equality_{i}": (
            ARM.format(inner="")
            + "<body name='b' pos='0 4 1'><joint name='k' type='slide'/><joint type='ball'/><geom size='.1' pos='.1 0 .1'/></body>",
            f"<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon><equality>{text}</equality>",
        )
        for i, text in enumerate(EQUALITIES)
    },
    "mocap_and_keyframe": (
        "<body name='m' mocap='true' pos='0 3 .8'><geom size='.1'/></body>" + ARM.format(inner=""),
        "<keyframe><key qpos='.4' qvel='1' mpos='0 3 .7'/></keyframe>",
    ),
    "sensors": (
        ARM.format(inner="<site name='s' pos='.1 0 0'/>"),
        "<sensor><gyro site='s'/><accelerometer site='s'/><jointpos joint='j' cutoff='.2'/><framelinvel objtype='site' objname='s'/></sensor>",
    ),
}


def host_of(name: str):
    bodies, more = SCENES[name]
    return oracle.compile_xml(f"<mujoco><option timestep='.004'/><worldbody>{bodies}</worldbody>{more}</mujoco>")


def moving(mj):
    """A data of the host after some steps that were pushed."""
    data = oracle.mujoco.MjData(mj)
    data.qvel[:] = 0.3
    data.ctrl[:] = 0.4
    oracle.mujoco.mj_step(mj, data, 3)
    oracle.mujoco.mj_forward(mj, data)
    return data


@pytest.mark.parametrize("name", SCENES)
def test_a_model_of_the_installed_version_steps_as_there(name, device):
    mj = host_of(name)
    data = moving(mj)
    with wp.ScopedDevice(device):
        m, d = mjw.put_model(mj), mjw.put_data(mj, data, nworld=2)
        for _ in range(5):
            mjw.step(m, d)
            oracle.mujoco.mj_step(mj, data)
        mjw.forward(m, d)
    oracle.mujoco.mj_forward(mj, data)
    for field in ("qvel", "qacc", "act", "sensordata", "actuator_force"):
        want = np.tile(getattr(data, field), (2, 1))
        assert_close(getattr(d, field).numpy(), want, "next", floor=1.0, what=field)
    back = oracle.mujoco.MjData(mj)
    mjw.get_data_into(back, mj, d, 1)
    assert (back.ncon, back.nefc) == (data.ncon, data.nefc)


def test_a_keyframe_of_the_installed_version_is_reset_to(device):
    mj = host_of("mocap_and_keyframe")
    m = mjw.put_model(mj, device=device)
    d = mjw.make_data(mj, 2, device=device)
    mjw.reset_data_keyframe(m, d, 0)
    np.testing.assert_array_equal(d.qpos.numpy(), np.float32([[0.4], [0.4]]))
    assert m.key_plastic.shape == (1, 0)


def test_older_versions_are_refused_by_name(monkeypatch):
    monkeypatch.setattr(oracle.mujoco, "__version__", "3.10.0")
    with pytest.raises(ModelError, match=r"MuJoCo 3\.10\.0; 3\.11 to 4\.0"):
        host_version.of_version(host_of("sensors"))

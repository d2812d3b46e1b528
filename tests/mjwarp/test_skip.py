"""Forward and inverse passes without their first stages, and noise of sensors."""

import numpy as np
import pytest

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import ModelError, StateError
from newtonlite.core.mujoco import MjtDataType
from newtonlite.schema.sensor import TYPES
from newtonlite.solvers.mujoco.kernels.position.kinematics import kinematics
from newtonlite.solvers.mujoco.kernels.velocity.bias import com_vel
from tests import oracle
from tests.tolerance import assert_close, tolerance

SCENE = """<mujoco>
<worldbody>
  <geom type="plane" size="3 3 1"/>
  <body pos="0 0 .19"><freejoint/><geom type="box" size=".1 .1 .2"/><site name="s"/></body>
  <body pos="1 0 1"><joint name="j" axis="0 1 0" damping=".3"/><geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/></body>
</worldbody>
<actuator><motor joint="j" gear="3"/></actuator>
<sensor>
  <framepos objtype="site" objname="s" noise=".1"/> <framequat objtype="site" objname="s" noise=".2"/> <framezaxis objtype="site" objname="s" noise=".1"/>
  <gyro site="s" noise=".3" cutoff=".5"/> <jointvel joint="j" noise=".2"/> <touch site="s" noise="30"/> <actuatorfrc actuator="actuator"/>
</sensor>
</mujoco>""".replace('<motor joint="j"', '<motor name="actuator" joint="j"')
WORLDS = 400


@pytest.fixture(scope="module")
def mj():
    return oracle.compile_xml(SCENE)


def moved(mj, rng):
    """Another state of everything that a pass reads."""
    qpos = mj.qpos0 + 0.02 * rng.normal(size=mj.nq)
    return {
        "qpos": qpos,
        "qvel": rng.normal(size=mj.nv),
        "ctrl": rng.normal(size=mj.nu),
        "qacc": rng.normal(size=mj.nv),
    }


@pytest.mark.parametrize("skipsensor", [False, True])
@pytest.mark.parametrize("skipstage", [0, 1, 2])
def test_a_pass_without_its_first_stages_is_mujocos(mj, device, skipstage, skipsensor):
    rng = np.random.default_rng(skipstage)
    m, d, host = mjw.put_model(mj, device=device), mjw.make_data(mj, 1, device=device), oracle.empty_data(mj)
    for first in (True, False):
        for name, value in list(moved(mj, rng).items())[0 if first else skipstage :]:
            getattr(d, name).assign(value[None].astype(np.float32))
            getattr(host, name)[:] = d.qpos.numpy()[0] if name == "qpos" else value.astype(np.float32)
        stages = (0, False) if first else (skipstage, skipsensor)
        schedule, asked, held = d.schedule(m), host.qacc.copy(), d.sensordata.numpy().copy()
        mjw.inverse_skip(m, d, *stages)
        oracle.mujoco.mj_inverseSkip(mj, host, *stages)
        assert_close(
            d.qfrc_inverse.numpy()[0], host.qfrc_inverse, "qacc", floor=max(1.0, np.abs(host.qfrc_inverse).max())
        )
        assert_close(
            d.sensordata.numpy()[0, :-1], host.sensordata[:-1], "qacc", floor=max(1.0, np.abs(host.sensordata).max())
        )
        host.qacc[:] = asked  # the last sensor, of an actuator's force, MuJoCo leaves to forward passes
        mjw.forward_skip(m, d, *stages)
        oracle.mujoco.mj_forwardSkip(mj, host, *stages)
        assert_close(d.qacc.numpy()[0], host.qacc, "qacc", floor=max(1.0, np.abs(host.qacc).max()))
        assert_close(d.sensordata.numpy()[0], host.sensordata, "qacc", floor=max(1.0, np.abs(host.sensordata).max()))
    done = schedule.stages(f"forward_{skipstage}_{skipsensor}")
    assert (kinematics in done, com_vel in done) == (skipstage < 1, skipstage < 2)
    assert (held == d.sensordata.numpy()).all() == skipsensor


def test_what_cannot_be_skipped_is_refused(mj, device):
    m = mjw.put_model(mj, device=device)
    with pytest.raises(StateError, match="skipstage=3"):
        mjw.forward_skip(m, mjw.make_data(m, 1), 3)
    with pytest.raises(StateError, match="per_world"):
        mjw.forward_skip(m, mjw.make_data(m, 1, scratch="shared"), 1)


@pytest.fixture(scope="module")
def noisy(mj, device):
    """What many worlds in the same state measure with noise, and what one measures without."""
    m = mjw.put_model(mj, keep=("sensor_noise",), device=device)
    d, quiet = mjw.make_data(m, WORLDS, device=device), mjw.make_data(mj, 1, device=device)
    mjw.forward(m, d)
    mjw.forward(mjw.put_model(mj, device=device), quiet)
    return m, d, d.sensordata.numpy().astype(float), quiet.sensordata.numpy()[0].astype(float)


def values(mj, rows, name: str):
    """The numbers of the first sensor of a type."""
    s = int(np.flatnonzero(mj.sensor_type == TYPES.index(name))[0])
    return rows[..., mj.sensor_adr[s] : mj.sensor_adr[s] + mj.sensor_dim[s]]


def test_noise_has_the_deviation_of_its_sensor_around_what_is_measured(mj, noisy):
    _, _, rows, quiet = noisy
    for name, size in (("framepos", 0.1), ("jointvel", 0.2)):
        off = values(mj, rows, name) - values(mj, quiet, name)
        assert np.abs(off.mean(axis=0)).max() < 4 * size / np.sqrt(WORLDS)
        np.testing.assert_allclose(off.std(axis=0), size, rtol=4 / np.sqrt(2 * WORLDS))
        assert np.abs(np.corrcoef(off[:-1, 0], off[1:, 0])[0, 1]) < 4 / np.sqrt(
            WORLDS
        )  # neighbours have nothing in common
    assert (values(mj, rows, "actuatorfrc") == values(mj, quiet, "actuatorfrc")).all()


def test_noise_keeps_the_kind_of_what_is_measured(mj, noisy):
    _, _, rows, quiet = noisy
    for s in np.flatnonzero(np.isin(mj.sensor_datatype, (MjtDataType.AXIS, MjtDataType.QUATERNION))):
        part = rows[:, mj.sensor_adr[s] : mj.sensor_adr[s] + mj.sensor_dim[s]]
        np.testing.assert_allclose(np.linalg.norm(part, axis=1), 1.0, atol=tolerance("unit"))
    turn = 2 * np.arccos(np.clip(np.abs(values(mj, rows, "framequat") @ values(mj, quiet, "framequat")), 0, 1))
    np.testing.assert_allclose(np.sqrt((turn**2).mean() / 3), 0.2, rtol=tolerance("deviation"))
    touch, gyro = values(mj, rows, "touch"), values(mj, rows, "gyro")
    assert touch.min() == 0.0 and touch.std() > 5.0
    assert np.abs(gyro).max() == 0.5


def test_the_same_state_and_seed_give_the_same_noise(mj, noisy):
    m, d, rows, _ = noisy
    mjw.forward(m, d)
    assert (d.sensordata.numpy() == rows).all()
    alone = mjw.make_data(m, 1)
    alone.noise_seed.fill_(7)
    mjw.reset_data(m, alone)
    mjw.forward(m, alone)
    assert (alone.sensordata.numpy()[0] == rows[7]).all()
    alone.time.fill_(0.5)
    mjw.forward(m, alone)
    assert (values(mj, alone.sensordata.numpy()[0], "framepos") != values(mj, rows[7], "framepos")).all()


def test_nothing_is_added_unasked(mj, device):
    with pytest.raises(ModelError, match="keep"):
        mjw.put_model(mj, device=device).sensor_noise = np.ones(mj.nsensor)

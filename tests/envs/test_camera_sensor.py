"""Camera sensors of environments: pictures as observations."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import ModelError
from newtonlite.envs import CameraSensor, Environment, ObservationGroup, ObservationTerm, tasks
from newtonlite.envs.camera_sensor import camera_pixels
from tests.tolerance import tolerance

SIZE = 24


def made(worlds: int, kind: str, history: int = 0) -> Environment:
    """Cart-poles before their camera."""
    task = tasks.load("cartpole")
    task.sensors["eye"] = CameraSensor("fixed", SIZE, SIZE, kind)
    task.observations["eye"] = ObservationGroup(
        {"pixels": ObservationTerm(camera_pixels, {"sensor_name": "eye"}, history_length=history)}
    )
    env = Environment(task, worlds, seed=3)
    for _ in range(4):
        env.step(np.linspace(-1.0, 1.0, worlds, dtype=np.float32)[:, None])
    return env


@pytest.mark.parametrize("kind", ["depth", "grey", "rgb"])
def test_pixels_are_those_of_the_renderer_at_the_present_pose(kind):
    env = made(3, kind)
    m, d = mjw.put_model(env.sim.compiled), mjw.make_data(env.sim.compiled, nworld=3)
    wp.copy(d.qpos, env.sim.data.qpos)
    mjw.forward(m, d)
    asked = {"render_depth": kind == "depth", "render_rgb": kind != "depth"}
    rc = mjw.create_render_context(env.sim.compiled, 3, (SIZE, SIZE), **asked, use_precomputed_rays=False)
    mjw.render(m, d, rc)
    shape = (3, 3 if kind == "rgb" else 1, SIZE, SIZE)
    if kind == "depth":
        expected = np.clip(rc.picture("depth", 0).numpy() / 5.0, 0.0, 1.0)[:, None]
    else:
        expected = np.zeros((3, 3, SIZE, SIZE), np.float32)
        out = wp.zeros(expected.shape, dtype=float, device=m.device)
        mjw.get_rgb(rc, 0, out)
        expected = out.numpy()
        if kind == "grey":
            expected = np.tensordot(expected, [0.299, 0.587, 0.114], axes=([1], [0]))[:, None]
    pixels = env.observations["eye"].numpy().reshape(shape)
    assert pixels.std() > 0.05
    np.testing.assert_allclose(pixels, expected, atol=tolerance("camera_pixels"))


def test_a_history_holds_the_last_pictures_and_a_world_has_the_same_bits_alone():
    env = made(2, "depth", history=2)
    rows = env.observations["eye"].numpy().reshape(2, 2, -1)
    assert (rows[:, 1] == env.sensor("eye").pixels.numpy()).all() and (rows[0, 0] != rows[0, 1]).any()
    alone = made(1, "depth", history=2)
    alone.reset(seed=3)
    env.reset(seed=3)
    assert env.observations["eye"].numpy()[0].tobytes() == alone.observations["eye"].numpy()[0].tobytes()


def test_worlds_outside_the_mask_keep_their_pictures():
    env = made(2, "grey")
    before = env.sensor("eye").pixels.numpy().copy()
    mask = wp.array([False, True], dtype=wp.bool, device=env.device)
    for _ in range(5):
        env.step(np.ones((2, 1), np.float32), mask)
    after = env.sensor("eye").pixels.numpy()
    assert after[0].tobytes() == before[0].tobytes() and after[1].tobytes() != before[1].tobytes()


def test_settings_that_do_not_fit_are_refused_by_name():
    with pytest.raises(ModelError, match="kind='colour'"):
        CameraSensor("fixed", kind="colour")
    with pytest.raises(ModelError, match="width=0"):
        CameraSensor("fixed", 0)
    task = tasks.load("cartpole")
    task.sensors["eye"] = CameraSensor("ceiling")
    with pytest.raises(ModelError, match="ceiling"):
        Environment(task, 1)


def test_the_task_by_pixels_shows_pictures_to_the_policy_alone():
    env = Environment(tasks.load("cartpole_pixels"), 2, seed=0)
    assert env.observations["policy"].shape == (2, 3 * 64 * 64) and env.observations["critic"].shape == (2, 5)

"""The scripts in examples/ run and do what they say."""

import importlib.util

import numpy as np
import pytest

from newtonlite.viewer import load_recording
from tests.house.project import ROOT
from tests.tolerance import assert_close, tolerance


def example(name: str):
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_pendulum_swings():
    script = example("pendulum").Example(frames=20)
    assert abs(script.run() - 1.2) > 0.1 and np.isfinite(script.state_0.body_q.numpy()).all()


def test_arms_beside_humanoids_reach_their_targets():
    q = example("many_robots").run(arms=4, humanoids=2, steps=200)
    assert q.shape == (4, 3) and (np.diff(q[:, 0]) > 0.0).all()


def test_a_stack_rests_on_the_pipelines_contacts():
    height, force = example("pipeline_contacts").run(frames=40)
    assert_close([height], [0.3], "contact_rest")
    weight = 1000.0 * 0.2**3 * 9.81
    assert abs(force - weight) <= 10.0 * tolerance("law") * weight


def test_a_usd_arm_sags_below_its_target():
    pose = example("usd_robot").main(seconds=0.5).body_q.numpy()[0]
    assert 0.6 < pose[2] < 1.0 - 0.3 * np.sin(np.pi / 6)


def test_a_urdf_arm_follows_its_targets():
    wanted, reached = example("urdf_targets").run(worlds=4, steps=300)
    assert wanted.shape == (4, 2) and np.ptp(wanted[:, 0]) > 1.0
    assert np.abs(wanted - reached).max() < 0.05


def test_contact_forces_carry_a_robots_weight():
    up, weight = example("contact_forces").run(worlds=2)
    assert_close(up, [weight, weight], "contact_rest", floor=weight)


def test_a_picture_shows_something(tmp_path):
    image = example("picture").run(file=str(tmp_path / "robot.png"), steps=1)
    assert image.shape == (480, 640, 3) and image.std() > 5.0 and (tmp_path / "robot.png").stat().st_size > 1000


def test_boxes_of_little_friction_slide():
    friction, slid = example("randomisation").run(worlds=16, steps=150)
    steep = np.tan(0.3)
    assert (slid[friction > steep + 0.05] < 0.01).all() and (slid[friction < steep - 0.1] > 0.05).all()


def test_a_task_of_ones_own_is_learned(tmp_path):
    pytest.importorskip("torch")
    rows = example("ppo").run(str(tmp_path / "pole"), iterations=2)
    assert rows


def test_a_robot_comes_back_from_usd():
    assert example("usd_round_trip").run() <= tolerance("authored")


def test_a_recorded_loop_replays():
    heights = example("graph_capture").run(worlds=4, replays=5)
    assert np.isfinite(heights).all() and np.ptp(heights) > 0.0  # another phase of the control in each world


def test_a_program_for_mujoco_warp_runs():
    total = example("mjwarp_port").run(worlds=4, steps=20)
    assert (total[::2] != total[1::2]).all() and (total > 10.0).all()  # worlds 0 and 2 start again halfway


def test_sensors_read_what_they_should():
    quiet = example("sensors").run(worlds=2, steps=20, noise=False)
    noisy = example("sensors").run(worlds=2, steps=20)
    assert_close(quiet["gyro"][:, 1], quiet["speed"][:, 0], "law")
    assert np.array_equal(quiet["gyro"][0], quiet["gyro"][1]) and not np.array_equal(noisy["gyro"][0], noisy["gyro"][1])


def test_a_rollout_says_where_hips_are(capsys):
    example("rollout")
    assert "heights of the hips" in capsys.readouterr().out


def test_an_arm_reaches_points_and_holds_its_pose(device):
    script = example("inverse_kinematics")
    model = script.arm(device)
    found = script.reach(model)
    assert_close([script.tip_of(model, q) for q in found], script.TARGETS, "reached")
    held = script.hold(model, found[0])
    mass = model.body_mass.numpy()
    sag = (
        9.81 * sum(m * 0.4 * (k + 0.5) for k, m in enumerate(mass)) / 400.0
    )  # the most that gravity turns the first joint
    assert np.isfinite(held).all() and 0.0 < np.abs(held - found[0]).max() < sag


def test_a_gripper_lifts_a_soft_cube(tmp_path):
    cube = example("soft_grasp").run(str(tmp_path / "cube.png"))
    assert_close(cube["height"][:1], [0.05], "contact_rest")
    assert cube["height"][-1] > cube["height"][0] + 0.1 and cube["width"][-1] < 0.089
    assert (tmp_path / "cube.png").stat().st_size > 1000


def test_a_towel_hangs_over_a_bar(tmp_path):
    points = example("towel").run(str(tmp_path / "towel.npz"), str(tmp_path / "towel.png"))
    across, height = points[:, 0], points[:, 2]
    assert height.min() > 0.05 and height.max() < 0.56  # neither on the floor nor where it was
    assert across.min() < -0.03 and across.max() > 0.03  # on both sides of the bar
    recording = load_recording(tmp_path / "towel.npz")
    assert recording.look.soft and len(recording.times) > 40 and (tmp_path / "towel.png").stat().st_size > 1000

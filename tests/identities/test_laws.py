"""Laws of rigid bodies that need no other simulator: falling, sliding, holding, swinging, resting."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.oracle import States
from tests.tolerance import assert_close

G = 9.81
SLIDER = """<mujoco><option timestep="0.002" cone="{cone}"/><default><geom friction="{friction}"/></default><worldbody>
<geom type="plane" size="0 0 1" zaxis="{tilt} 0 1"/>
<body pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.2 0.1" solref="0.01 1"/></body></worldbody></mujoco>"""


def at_rest(mj, count: int, **changes) -> States:
    states = States(
        np.tile(mj.qpos0, (count, 1)), np.zeros((count, mj.nv)), np.zeros((count, mj.nv)), np.zeros((count, mj.nu))
    )
    for name, values in changes.items():
        getattr(states, name)[:] = values
    return oracle.rounded(states)


def test_a_body_falls_as_galileo_says(device):
    """Semi-implicit Euler falls g h^2 n (n + 1) / 2 in n steps, to rounding."""
    mj = oracle.compile_xml(
        '<mujoco><worldbody><body pos="0 0 9"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    steps, h = 200, mj.opt.timestep
    engine = Engine(mj, at_rest(mj, 1), device).step(steps)
    assert_close(engine.read("qpos")[:, 2], [9 - G * h * h * steps * (steps + 1) / 2], "trajectory")
    assert_close(engine.read("qvel")[:, 2], [-G * h * steps], "trajectory")


PUSHED = """<mujoco><option timestep="0.002" cone="{cone}"/>
<default><geom friction="0.3" solimp="0.99 0.999 0.001"/></default><worldbody>
<geom type="plane" size="0 0 1"/><body pos="0 0 0.1"><joint name="x" type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
<geom type="box" size="0.2 0.2 0.1" mass="2"/></body></worldbody><actuator><motor joint="x"/></actuator></mujoco>"""


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize(("push", "gain"), [(0.25, 0.0), (0.5, 0.2), (1.0, 0.7)])
def test_friction_takes_its_share_of_a_push_and_no_more(cone, push, gain, device):
    """Pushed by a share of its weight, a box gains that share less 0.3 of g, or stays."""
    mj = oracle.compile_xml(PUSHED.format(cone=cone))
    settled = Engine(mj, at_rest(mj, 1), device).step(500)
    settled.write("ctrl", np.array([[push * 2 * G]]))
    before = settled.step(100).read("qvel")[0, 0]
    gained = settled.step(200).read("qvel")[0, 0] - before
    assert_close([gained], [gain * G * 200 * mj.opt.timestep], "law", floor=push * G * 200 * mj.opt.timestep)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_a_box_holds_below_the_angle_of_friction_and_slides_above(cone, device):
    """On a slope of tangent t: at rest for t < mu, else the acceleration g (sin - mu cos)."""
    for tilt, friction in ((0.3, 0.6), (0.5, 0.2)):
        mj = oracle.compile_xml(SLIDER.format(cone=cone, tilt=-tilt, friction=friction))
        angle = np.arctan(tilt)
        turned = np.r_[0, 0, 0.1 * np.cos(angle), np.cos(angle / 2), 0, -np.sin(angle / 2), 0]
        turned[:3] = 0.1 * np.array([-np.sin(angle), 0, np.cos(angle)])
        engine = Engine(mj, at_rest(mj, 1, qpos=turned), device).step(100)
        before = np.linalg.norm(engine.read("qvel")[0, :3])
        engine.step(200)
        gained = np.linalg.norm(engine.read("qvel")[0, :3]) - before
        pull = G * (np.sin(angle) - friction * np.cos(angle))
        want = pull * 200 * mj.opt.timestep if tilt > friction else 0.0
        assert_close([gained], [want], "law", floor=G * np.sin(angle) * 200 * mj.opt.timestep)


def test_a_pendulum_swings_in_the_time_of_its_length(device):
    """Small swings of a point mass take 2 pi sqrt(l / g): the angle is zero after a quarter, reversed after a half."""
    length = 0.7
    body = f'<body><joint axis="0 1 0"/><inertial pos="0 0 {-length}" mass="1" diaginertia="1e-9 1e-9 1e-9"/></body>'
    mj = oracle.compile_xml(f'<mujoco><option timestep="0.0005"/><worldbody>{body}</worldbody></mujoco>')
    engine = Engine(mj, at_rest(mj, 1, qpos=0.02), device)
    quarter = round(np.pi / 2 * np.sqrt(length / G) / mj.opt.timestep)
    assert_close(engine.step(quarter).read("qpos")[0], [0.0], "law", floor=0.02)
    assert_close(engine.step(quarter).read("qpos")[0], [-0.02], "law")


def test_the_floor_carries_the_weight(device):
    """Forces of the contacts of a body at rest add up to its weight."""
    mj = oracle.compile_xml(SLIDER.format(cone="elliptic", tilt=0, friction=1))
    engine = Engine(mj, at_rest(mj, 1), device, mode="staged").step(1000)
    assert_close(engine.read("qfrc_constraint")[:, 2], [mj.body_mass.sum() * G], "law")


def test_a_stack_of_ten_boxes_stands(device):
    boxes = "".join(
        f'<body pos="0 0 {0.1 + 0.2 * i}"><freejoint/><geom type="box" size="0.15 0.15 0.1"/></body>' for i in range(10)
    )
    mj = oracle.compile_xml(
        f'<mujoco><option timestep="0.004"/><worldbody><geom type="plane" size="0 0 1"/>{boxes}</worldbody></mujoco>'
    )
    engine = Engine(mj, at_rest(mj, 2), device, nconmax=100, njmax=500).step(500)
    place = engine.read("qpos").reshape(2, 10, 7)
    assert not engine.read("overflow").any()
    assert_close(place[..., 2], np.tile(0.1 + 0.2 * np.arange(10), (2, 1)), "law")
    assert_close(place[..., :2], np.zeros((2, 10, 2)), "law", floor=1.0)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("friction", [0.0, 1e-4])
def test_a_box_without_friction_keeps_its_speed(friction, cone, device):
    mj = oracle.compile_xml(SLIDER.format(cone=cone, tilt=0, friction=friction))
    engine = Engine(mj, at_rest(mj, 1, qvel=[[1.5, 0.5, 0, 0, 0, 0]]), device).step(300)
    assert not engine.read("bad_count").any()
    assert_close(engine.read("qvel")[:, :3], [[1.5, 0.5, 0]], "law")
    assert_close(engine.read("qpos")[:, 2], [0.1], "law")


SLIPPERY = """<mujoco><option timestep="0.004" cone="{cone}"/><default><geom friction="0 0 0" contype="2"/></default><worldbody>
<geom type="plane" size="0 0 1" contype="1"/><body pos="0 0 0.11"><freejoint/><geom type="box" size="0.12 0.1 0.11"/></body>
<body pos="0.5 0 0.08" euler="0 90 20"><freejoint/><geom type="capsule" size="0.08 0.1" condim="4"/></body>
<body pos="1 0 0.12"><freejoint/><geom type="sphere" size="0.12" condim="6" friction="0 0.01 0"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_contacts_of_every_dimension_carry_without_friction(cone, device):
    mj = oracle.compile_xml(SLIPPERY.format(cone=cone))
    speed = np.random.default_rng(4).uniform(-1, 1, (16, 3, 6)) * [1, 1, 0, 0, 0, 0]
    engine = Engine(mj, at_rest(mj, 16, qvel=speed.reshape(16, 18)), device).step(300)
    assert not engine.read("bad_count").any()
    assert_close(engine.read("qpos").reshape(16, 3, 7)[..., 2], np.tile([0.11, 0.08, 0.12], (16, 1)), "law")
    assert_close(engine.read("qvel").reshape(16, 3, 6)[..., :2], speed[..., :2], "law")

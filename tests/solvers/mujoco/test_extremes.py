"""The smallest models, the largest numbers of worlds, and shapes in awkward places."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.oracle import States
from tests.tolerance import assert_close, assert_same

FLOOR = '<geom type="plane" size="1 1 1"/>'
SLIDE = '<body><joint type="slide"/><geom size="0.1" contype="0"/></body>'
SMALLEST = {
    "nothing": "",
    "a static geom": f'{FLOOR}<body><geom size="0.1"/></body>',
    "a body without geoms": '<body><freejoint/><inertial pos="0.1 0 0" mass="1" diaginertia="1 2 2.5"/></body>',
    "a slide": '<body><joint type="slide"/><geom size="0.1"/></body>',
    "a hinge at its limit": '<body><joint range="-10 0"/><geom size="0.1" pos="0.1 0.2 0"/></body>',
    "a ball over a plane": f'{FLOOR}<body pos="0 0 0.0999"><freejoint/><geom size="0.1"/></body>',
    "sixteen slides": SLIDE * 16,
    "seventeen slides": SLIDE * 17,
}


def resting(mj, count=3) -> States:
    rng = np.random.default_rng(0)
    speed = 0.3 * rng.standard_normal((count, mj.nv))
    return oracle.rounded(
        States(np.tile(mj.qpos0, (count, 1)), speed, np.zeros((count, mj.nv)), np.zeros((count, mj.nu)))
    )


@pytest.mark.parametrize("mode", ["auto", "staged"])
@pytest.mark.parametrize("name", SMALLEST)
def test_the_smallest_models_step(name, mode, device):
    mj = oracle.compile_xml(f"<mujoco><worldbody>{SMALLEST[name]}</worldbody></mujoco>")
    states = resting(mj)
    engine = Engine(mj, states, device, mode=mode).step(20)
    want = oracle.roll(mj, states, 20)
    assert not engine.read("bad_count").any() and not engine.read("overflow").any()
    assert_close(engine.read("qpos"), want.qpos, "trajectory", 1.0)
    assert_close(engine.read("qvel"), want.qvel, "trajectory", 1.0)


def test_more_worlds_than_sixteen_bits_count(device):
    mj = oracle.named_model("pendulum_double_hinge")
    states = oracle.rollout_states(mj, 7)
    many = states[np.arange(2**16 + 1) % 7]
    engine, few = Engine(mj, many, device).step(), Engine(mj, states, device).step()
    assert_same(engine.read("qpos"), few.read("qpos")[np.arange(2**16 + 1) % 7])


@pytest.mark.parametrize("far", [1e2, 1e4])
def test_a_robot_far_from_the_origin_steps_nearly_as_one_near_it(far, device):
    """Coordinates lose digits with distance: the step must not lose more than they do, nor make a world bad."""
    mj = oracle.named_model("humanoid")
    states = oracle.rollout_states(mj, 16)
    moved = States(states.qpos.copy(), states.qvel, states.qacc_warmstart, states.ctrl)
    moved.qpos[:, :2] += far
    engine = Engine(mj, oracle.rounded(moved), device).step(5)
    assert not engine.read("bad_count").any()
    assert np.isfinite(engine.read("qacc")).all()


def test_an_unnormalised_quaternion_is_normalised_where_it_is_read(device):
    mj = oracle.named_model("free_bodies_condim_1_3_4_6")
    states = oracle.rollout_states(mj, 8)
    scaled = States(states.qpos.copy(), states.qvel, states.qacc_warmstart, states.ctrl)
    for address in (3, 10, 17, 24):
        scaled.qpos[:, address : address + 4] *= 1.3
    want = oracle.step(mj, oracle.rounded(scaled))
    engine = Engine(mj, oracle.rounded(scaled), device).step()
    assert_close(engine.read("qacc"), want.qacc, "qacc", want.pull)
    assert_close(engine.read("qpos"), want.qpos, "next")


def test_a_zero_quaternion_stands_for_no_rotation(device):
    mj = oracle.named_model("free_bodies_condim_1_3_4_6")
    states = resting(mj, 2)
    states.qpos[:, 3:7] = 0.0
    engine = Engine(mj, states, device).step()
    assert np.isfinite(engine.read("qpos")).all() and np.isfinite(engine.read("qacc")).all()
    assert_close(engine.read("qpos"), oracle.step(mj, states).qpos, "next")


DEEP = States(
    *(
        np.array([numbers], np.float32)
        for numbers in (
            [-0.00053, -0.00017, 0.94152, -0.13001, 0.27662, -0.14185, 0.75241, -0.25691, 0.54454]
            + [-0.26712, -0.00141, -0.52643, 1.08721, -0.47156, -0.11629, -0.17615, -0.18123],
            [-0.1059, -0.0114, -43.4066, 92.0675, -46.549, -92.6358, 196.0675, -96.5747, -0.1407]
            + [-78.7844, 188.6157, -49.8356, -22.8982, -31.5507, -29.3469],
            [-13.112, 1.498, -2352.054, 4904.261, -2204.163, -7737.008, 15486.987, -7628.633, 0.0]
            + [-4096.72, 12355.805, 6594.252, -2092.773, -1871.667, -801.342],
            [-0.4764, 0.2451],
        )
    )
)
"""Position, velocity, warm start and control of mujoco_mjx/sensor/model.xml, bodies of which are deep inside others."""


def test_a_pivot_that_rounding_takes_does_not_make_a_world_bad(device, assets):
    """Rows are 1e7 times as stiff as the lightest dof is heavy; MuJoCo goes on from there in double precision."""
    if device != "cpu":
        pytest.skip("factors of a team are bounded by a constant")
    mj = oracle.compile_xml(assets / "mjcf/mujoco_mjx/sensor/model.xml")
    engine = Engine(mj, DEEP, device).step()
    assert engine.read("nefc")[0] == 20
    assert not engine.read("bad_count").any()

"""Sleep under the integrator discrete: trees that tendons and actuators tie are islands, and sleep, as MuJoCo's."""

import numpy as np
import pytest

from tests.harness.soft_bodies import Softened
from tests.tolerance import assert_close

SCENE = """<mujoco><option integrator="discrete" solver="{solver}" gravity="0 0 0" timestep=".01" sleep_tolerance=".01"><flag sleep="enable"
  {flags}/></option><worldbody>
  <body name="one" sleep="{one}"><joint name="a" type="slide" axis="1 0 0" {held}/><geom size=".1" mass="1"/><site name="sa"/></body>
  <body pos="0 1 0"><joint name="b" type="slide" axis="1 0 0" frictionloss=".01"/><geom size=".1" mass="1"/></body>
  <body name="two" pos="0 2 0" sleep="{two}"><joint name="c" type="slide" axis="1 0 0"/><geom size=".1" mass="2"/>
    <site name="sc" pos="0 -2 0"/></body></worldbody>{drive}</mujoco>"""
BELT = '<tendon><fixed name="t" {}><joint joint="a" coef="1"/><joint joint="c" coef="-1"/></fixed></tendon>'
SITES = '<actuator><{} site="sa" refsite="sc" gear="1 0 0 0 0 0" {}/></actuator>'
BOTH = {"one": "allowed", "two": "allowed"}
SCENES = {
    "spring": {"drive": BELT.format('stiffness="3"')},
    "damper": {"drive": BELT.format('damping="3"')},
    "damper that is off": {"drive": BELT.format('damping="3"'), "flags": 'damper="disable"'},
    "dead band": {"drive": BELT.format('stiffness="3" springlength="-1 1"')},
    "servo of a tendon": {"drive": BELT.format("") + '<actuator><position tendon="t" kp="20"/></actuator>', **BOTH},
    "motor of a tendon": {"drive": BELT.format("") + '<actuator><motor tendon="t"/></actuator>', **BOTH},
    "servo between sites": {"drive": SITES.format("position", 'kp="20"'), **BOTH},
    "servo across": {"drive": SITES.format("position", 'kp="20"').replace("1 0 0 0", "0 1 0 0"), **BOTH},
    "motor between sites": {"drive": SITES.format("motor", ""), **BOTH},
    "no actuation": {"drive": SITES.format("position", 'kp="20"'), "flags": 'actuation="disable"', **BOTH},
    "asleep at the start": {"drive": SITES.format("position", 'kp="20"'), "one": "init", "two": "init"},
    "Gauss-Seidel": {"drive": SITES.format("position", 'kp="20"'), "solver": "PGS", **BOTH},
}
PLAIN = {"solver": "Newton", "flags": "", "one": "auto", "two": "auto", "held": 'frictionloss=".01"'}


@pytest.mark.parametrize("name", SCENES)
def test_trees_that_drives_tie_are_islands_and_sleep_as_mujocos(name, device):
    soft = Softened(SCENE.format(**{**PLAIN, **SCENES[name]}), device, worlds=2, bend=0.0, speed=0.0005).forward()
    for w, data in enumerate(soft.datas):
        assert soft.d.nisland.numpy()[w] == data.nisland
        assert np.array_equal(soft.d.tree_island.numpy()[w], data.tree_island)
    for _ in range(25):
        soft.step()
        want = np.stack([data.tree_asleep for data in soft.datas])
        assert np.array_equal(soft.d.tree_asleep.numpy(), want)


def test_a_servo_moves_its_tree_against_one_that_sleeps(device):
    """Without constraints there are no islands: the tree asleep has a part in the inertia, and stays."""
    parts = {**PLAIN, "held": "", "one": "init", "drive": SITES.format("position", 'kp="3000"')}
    soft = Softened(SCENE.format(**parts).replace('frictionloss=".01"', ""), device, worlds=2, bend=0.0, speed=0.0)
    for data in soft.datas:
        data.ctrl[:] = -0.01
    soft.d.ctrl.fill_(-0.01)
    for _ in range(5):
        soft.step()
    want = np.stack([data.qvel for data in soft.datas])
    assert abs(want[0, 2]) > 0.1
    assert_close(soft.d.qvel.numpy()[:, :3], want, "next", what="qvel")
    assert np.array_equal(soft.d.tree_asleep.numpy(), np.stack([data.tree_asleep for data in soft.datas]))

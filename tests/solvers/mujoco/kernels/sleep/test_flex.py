"""Sleep of flexes: what an equality ties sleeps as one island, what is only elastic never, as in MuJoCo; a touch wakes."""

import numpy as np
import pytest

from tests.harness.flex_scenes import flex, world
from tests.harness.soft_bodies import Softened, flexcomp, scene
from tests.tolerance import tolerance

SLEEP = '<option><flag sleep="enable"/></option>'
STILL = 'gravity="0 0 0" sleep_tolerance=".01"'
FLEXES = {
    "edges": flexcomp('<edge equality="true"/>'),
    "strain": flexcomp(
        '<edge equality="strain"/>', dim=3, type="box", count="3 3 3", dof="trilinear", cellcount="2 1 1"
    ),
    "elastic": flexcomp('<elasticity young="1e3" damping=".01"/>', dim=3, count="3 2 2"),
    "two": flexcomp('<edge equality="true"/>') + flexcomp('<edge equality="true"/>', name="g", dim=1, count="4 1 1"),
}
LEAD = '<body name="lead" pos="0 0 1"><joint axis="0 1 0" damping="1"/><geom size=".05" contype="0" conaffinity="0"/>{}</body>'
FLEXES["on a body"] = LEAD.format(flexcomp('<edge equality="true"/><pin id="0 3"/>'))


@pytest.mark.parametrize("name", FLEXES)
def test_trees_sleep_as_mujocos(name, device):
    soft = Softened(scene(FLEXES[name], option=STILL, extra=SLEEP), device, worlds=2, bend=0.0, speed=0.001)
    for _ in range(25):
        soft.step()
        want = np.stack([data.tree_asleep for data in soft.datas])
        assert np.array_equal(soft.d.tree_asleep.numpy(), want)
    assert (want[0] >= 0).all() == (name != "elastic")


DISCRETE = {
    "block": flexcomp('<elasticity young="1e3" damping=".01"/>', dim=3, count="3 2 2"),
    "rod": flexcomp('<edge equality="true"/><elasticity young="1e3" shear="1e3"/>', dim=1, count="5 1 1"),
    "on a body": LEAD.format(flexcomp('<elasticity young="1e3" thickness=".01" elastic2d="both"/><pin id="0 3"/>')),
}


@pytest.mark.parametrize("name", DISCRETE)
def test_elastic_trees_sleep_as_one_under_discrete(name, device):
    option = STILL + ' integrator="discrete"'
    soft = Softened(scene(DISCRETE[name], option=option, extra=SLEEP), device, worlds=2, bend=0.0, speed=0.001)
    for _ in range(25):
        soft.step()
        want = np.stack([data.tree_asleep for data in soft.datas])
        assert np.array_equal(soft.d.tree_asleep.numpy(), want)
    assert (want[0] >= 0).all()


LINK = '<body pos="0 0 2"><joint frictionloss=".1"/><geom size=".1"/></body>'
ISLANDS = {name: FLEXES[name] for name in ("edges", "strain", "on a body", "elastic")}
ISLANDS |= {"rod": DISCRETE["rod"], "block and link": FLEXES["elastic"] + LINK}


@pytest.mark.parametrize("name", ISLANDS)
def test_islands_are_mujocos(name, device):
    soft = Softened(scene(ISLANDS[name]), device, bend=0.005).forward()
    for w, data in enumerate(soft.datas):
        assert soft.d.nisland.numpy()[w] == data.nisland
        assert np.array_equal(soft.d.tree_island.numpy()[w], data.tree_island)


FLOOR = '<geom type="plane" size="2 2 .1"/>'
ELASTIC = '<elasticity young="1e3" damping=".01" thickness=".01" elastic2d="both"/>'
TIED = {
    "rows of one corner": (FLOOR, flex(count="4 4 1", inside=ELASTIC, pos="0 0 .04", euler="8 10 0")),
    "no rows": (
        FLOOR,
        flex(dim=2, count="3 3 1", inside=ELASTIC, pos="0 0 2"),
        '<body pos="0 0 .08"><freejoint/><geom size=".1"/></body>',
    ),
}


@pytest.mark.parametrize("name", TIED)
def test_trees_that_elasticity_alone_ties_are_solved(name, device):
    soft = Softened(world(*TIED[name]), device, worlds=2, bend=0.002, speed=0.1).forward()
    for w, data in enumerate(soft.datas):
        assert soft.d.nefc.numpy()[w] == data.nefc > 0
        assert np.array_equal(soft.d.tree_island.numpy()[w], data.tree_island)
    assert soft.error("qacc") <= tolerance("qacc")


FALL = '<option sleep_tolerance=".05" timestep=".004"><flag sleep="enable"/></option>'
GROUND = '<geom type="plane" size="2 2 .1"/>'
HELD = '<edge equality="true" solref=".01 1"/>'
BALL = '<body pos=".02 .01 .2"><freejoint/><geom size=".05"/></body>'
BOX = '<body pos=".02 .01 .0499"><freejoint/><geom type="box" size=".05 .05 .05"/></body>'
LYING = flex(count="3 3 1", inside=HELD, pos="0 0 .01")
CELLS = {
    "dim": 3,
    "count": "3 3 3",
    "spacing": ".05 .05 .05",
    "dof": "trilinear",
    "inside": '<edge equality="strain"/>',
}
TOUCHES = {
    "a ball wakes a cloth": (GROUND, LYING, BALL),
    "a cloth wakes a box": (GROUND, BOX, flex(count="3 3 1", inside=HELD, pos="0 0 .25")),
    "a box wakes a rope": (GROUND, flex(dim=1, count="5 1 1", inside=HELD, pos="0 0 .01"), BOX.replace(".0499", ".3")),
    "a cloth wakes a cloth": (GROUND, LYING, flex("g", count="4 3 1", inside=HELD, pos=".03 .02 .15")),
    "a ball wakes cells": (GROUND, flex(pos="0 0 .06", **CELLS), BALL.replace(".2", ".3")),
}
WOKEN = 3
"""Steps after which the comparison ends: counts of slow steps then hang on speeds close to the tolerance."""


@pytest.mark.parametrize("name", TOUCHES)
def test_a_touch_wakes_what_sleeps(name, device):
    """Contacts, and which trees sleep, are MuJoCo's in every step until some after the touch. In the step in which trees
    fall asleep MuJoCo looks for contacts once more.
    """
    soft = Softened(world(*TOUCHES[name], option=FALL), device, worlds=2, bend=0.0, speed=0.0)
    slept, after = False, 0
    while after < WOKEN:
        soft.step()
        want = np.stack([data.tree_asleep for data in soft.datas])
        assert np.array_equal(soft.d.tree_asleep.numpy() >= 0, want >= 0)
        asleep = bool((want >= 0).any())
        if slept == asleep:
            assert soft.d.engine.ncon.numpy().tolist() == [data.ncon for data in soft.datas]
        slept = slept or asleep
        after += slept and not asleep
        assert soft.datas[0].time < 1.0


def test_contacts_of_flexes_tie_trees(device):
    """A cloth and the ball on it are one island, numbered as MuJoCo's."""
    soft = Softened(world(GROUND, LYING, BALL.replace(".2", ".065")), device, bend=0.001).forward()
    for w, data in enumerate(soft.datas):
        assert soft.d.nisland.numpy()[w] == data.nisland
        assert np.array_equal(soft.d.tree_island.numpy()[w], data.tree_island)

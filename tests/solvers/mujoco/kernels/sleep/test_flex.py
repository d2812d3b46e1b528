"""Sleep of flexes: what an equality ties sleeps as one island, what is only elastic never, as in MuJoCo."""

import numpy as np
import pytest

from tests.harness.soft_bodies import Softened, flexcomp, scene

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


@pytest.mark.parametrize("name", ["edges", "strain", "on a body"])
def test_islands_are_mujocos(name, device):
    soft = Softened(scene(FLEXES[name]), device, bend=0.005).forward()
    for w, data in enumerate(soft.datas):
        assert soft.d.nisland.numpy()[w] == data.nisland
        assert np.array_equal(soft.d.tree_island.numpy()[w], data.tree_island)

"""Flex kinematics: places of nodes and vertices, lengths of edges with their Jacobian, boxes of elements, as MuJoCo has them."""

import numpy as np
import pytest

from tests.harness.soft_bodies import Softened, flexcomp, scene
from tests.tolerance import tolerance

DAMPED = ""  # edge damping, once the engine has it: until then no edge needs a Jacobian
ARM = '<body name="{name}" pos="0 0 1"><joint axis="0 1 0"/><geom size=".05" contype="0" conaffinity="0"/>{flex}</body>'
SCENES = {
    "rope": flexcomp(DAMPED, dim=1, count="5 1 1"),
    "cloth": flexcomp(DAMPED + '<pin id="0 1"/>', euler="10 20 30"),
    "block": flexcomp(DAMPED, dim=3, count="3 2 2", radius=".01"),
    "radial": flexcomp(DAMPED, dim=3, type="box", count="3 3 3", dof="radial"),
    "rigid": flexcomp("", rigid="true"),
    "on an arm": ARM.format(name="arm", flex=flexcomp(DAMPED + '<pin id="0 3"/>')),
    "two": flexcomp(DAMPED) + flexcomp(DAMPED, name="g", dim=3, count="2 2 2"),
    "trilinear": flexcomp("", dim=3, type="box", count="4 4 4", dof="trilinear", cellcount="2 1 1"),
    "quadratic": flexcomp("", dim=3, type="ellipsoid", count="4 4 4", dof="quadratic"),
    "shell": flexcomp(
        '<elasticity young="0" thickness=".01" elastic2d="stretch"/>',
        type="ellipsoid",
        count="4 4 4",
        dof="trilinear",
        cellcount="3 2 2",
    ),
}


@pytest.mark.parametrize("name", SCENES)
def test_places_lengths_and_boxes_are_mujocos(name, device):
    soft = Softened(scene(SCENES[name]), device).forward()
    assert soft.error("flexvert_xpos") <= tolerance("kinematics")
    assert soft.error("flexelem_aabb") <= tolerance("kinematics")
    assert soft.error("flexedge_length") <= tolerance("kinematics")
    if soft.mjm.flexedge_J_rownnz.any():
        assert soft.error("flexedge_J") <= tolerance("velocity")
        assert soft.error("flexedge_velocity") <= tolerance("velocity")


def test_nothing_needs_the_jacobian_of_edges_without_forces(device):
    soft = Softened(scene(SCENES["cloth"].replace(DAMPED, "")), device).forward()
    assert not soft.d.flexedge_velocity.numpy().any()
    assert np.abs(soft.d.flexedge_length.numpy()).min() > 0.0

"""Rows of contacts of flexes: MuJoCo's Jacobian, regularisation and reference, over whatever carries the vertices."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.flex_scenes import SHAPES, TWO_ROPES, flex, on_shape, world
from tests.harness.soft_bodies import Softened
from tests.tolerance import tolerance

BALL = f'<body name="o"><freejoint/><geom {SHAPES["sphere"]} condim="{{}}"/></body>'
GROUND = '<geom type="plane" size="1 1 1" pos="0 0 .01" euler="2 3 0"/>'
LINKS = "".join(
    f'<body name="v{i}" pos="{x} {y} 0"><joint axis="0 1 {i}"/><joint axis="1 0 0" pos=".3 0 .2"/>'
    '<inertial pos=".01 0 0" mass="1" diaginertia=".01 .02 .03"/></body>'
    for i, (x, y) in enumerate(((-0.1, -0.1), (0.1, -0.1), (0, 0.1)))
)
RAW = (
    '<deformable><flex name="r" dim="2" body="v0 v1 v2" vertex="0 0 0 .02 0 0 0 0 .01" element="0 1 2" radius=".01"/>'
    "</deformable>"
)


def soft(dof: str, **given) -> str:
    """An interpolated flex above ``BALL``."""
    return flex(**{"dim": 3, "count": "4 4 3", "dof": dof, "pos": "0 0 .1", **given})


SCENES = {
    "cloth on a ball": on_shape("sphere", 2),
    "rope on a capsule": on_shape("capsule", 1),
    "block on a box": on_shape("capsule", 3),
    "vertices on a plane": on_shape("plane", 3),
    "two ropes": TWO_ROPES,
    "no friction": world(BALL.format(1), flex(contact='condim="1"')),
    "spin": world(BALL.format(4), flex()),
    "roll": world(BALL.format(6), flex()),
    "elliptic": world(BALL.format(6), flex(), option='<option cone="elliptic"/>'),
    "trilinear": world(GROUND, flex(dim=3, count="3 3 3", dof="trilinear", pos="0 0 .1")),
    "quadratic": world(GROUND, flex(dim=3, count="3 3 3", dof="quadratic", pos="0 0 .1")),
    "trilinear on a ball": world(BALL.format(3), soft("trilinear")),
    "cells on a ball": world(BALL.format(6), soft("trilinear", cellcount="3 3 2")),
    "quadratic on a ball": world(BALL.format(3), soft("quadratic")),
    "shell on a ball": world(BALL.format(3), soft("trilinear", dim=2, type="ellipsoid", cellcount="3 3 3")),
    "quadratic shell on a ball": world(BALL.format(3), soft("quadratic", dim=2, type="ellipsoid", cellcount="2 2 2")),
    "rigid": world(
        BALL.format(3),
        f'<body name="b"><freejoint/><inertial pos="0 0 .1" mass="2" diaginertia=".1 .2 .3"/>{flex(rigid="true")}</body>',
    ),
    "bodies with hinges": world(BALL.format(6), LINKS, extra=RAW),
    "pinned": world(BALL.format(3), flex(inside='<pin id="7 12"/>')),
}


@pytest.mark.parametrize("name", SCENES)
def test_rows_are_those_of_mujoco(name, device):
    s = Softened(SCENES[name], device, worlds=3, bend=0.005).forward()
    e, nv = s.d.engine, s.mjm.nv
    for w, data in enumerate(s.datas):
        n = data.nefc
        assert n > 0 and e.nefc.numpy()[w] == n
        J = oracle.dense_jacobian(s.mjm, data)
        np.testing.assert_allclose(s.d.efc.J.numpy()[w][:n, :nv], J, atol=tolerance("searched_normal"))
        for field, limit in (("efc_R", "contact_rows"), ("efc_aref", "contact_rows")):
            want = np.asarray(getattr(data, field))
            error = np.abs(getattr(e, field).numpy()[w][:n] - want).max() / np.abs(want).max()
            assert error < tolerance(limit), (field, error)
        assert np.abs(s.d.qacc.numpy()[w] - data.qacc).max() < tolerance("contact_rows") * np.abs(data.qacc).max()


def test_sensors_see_contacts_of_flexes(device):
    """On the side of the geom, and by the first vertex of the element; velocities by weights."""
    kinds = ('geom1="g"', 'body1="f_12"', 'body1="f_13" body2="o"', 'subtree1="f_12"', 'subtree1="world"')
    data = "found force dist pos normal"
    sensors = "".join(f'<contact {kind} data="{data}" num="3"/>' for kind in kinds)
    sensors += (
        '<contact geom1="g" data="found linvel angvel" num="3"/><contact geom1="g" reduce="netforce" data="force"/>'
    )
    sensors += '<touch site="t"/>'
    ball = '<body name="o"><freejoint/><geom name="g" size=".12" pos=".03 .02 -.08"/><site name="t" size=".5"/></body>'
    s = Softened(world(ball, flex(), extra=f"<sensor>{sensors}</sensor>"), device, worlds=3, bend=0.005).forward()
    for w, data in enumerate(s.datas):
        own = s.d.sensordata.numpy()[w]
        assert np.abs(data.sensordata).max() > 1
        np.testing.assert_allclose(own, data.sensordata, rtol=tolerance("sensed_force"), atol=tolerance("sensed_force"))

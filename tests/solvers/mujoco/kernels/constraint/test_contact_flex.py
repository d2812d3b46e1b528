"""Rows of contacts of flexes: MuJoCo's Jacobian, regularisation and reference, over whatever carries the vertices."""

import numpy as np
import pytest

from newtonlite import mjwarp
from newtonlite.core.constants import MINVAL
from tests import oracle
from tests.harness.engine import Engine
from tests.harness.flex_scenes import SHAPES, TWO_ROPES, flex, on_shape, world
from tests.harness.soft_bodies import Softened
from tests.tolerance import assert_close, tolerance

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


def shell(dof: str, cells: str) -> str:
    """A hollow one, whose grid has inner nodes that follow those of its surface."""
    elastic = '<elasticity young="1e3" poisson=".2" thickness=".01" elastic2d="both"/>'
    return soft(dof, dim=2, type="ellipsoid", cellcount=cells, inside=elastic)


ROD = '<elasticity young="1e5" poisson=".2"/>'
FLAT = '<body name="o" pos=".02 .01 -.03"><freejoint/><geom type="box" size=".5 .4 .025" condim="6"/></body>'
ARM = '<body name="arm"><joint axis="0 1 0" pos="-.3 0 0"/><geom size=".01" contype="0" conaffinity="0"/>{}</body>'
OVAL = '<option cone="elliptic"/>'


def rod(inside: str = "", **given) -> str:
    """A rod that bends and twists."""
    return flex(dim=1, inside=ROD + inside, contact='condim="6"', **{"count": "5 1 1", **given})


SCENES = {
    "rod on a box": world(FLAT, rod(), option=OVAL),
    "rod on a box, pyramids": world(FLAT, rod()),
    "rod on a plane": world(GROUND, rod(), option=OVAL),
    "clamped rod": world(FLAT, rod('<pin id="0 1"/>'), option=OVAL),
    "rod clamped to an arm": world(FLAT, ARM.format(rod('<pin id="0 1"/>')), option=OVAL),
    "rod pinned to an arm": world(FLAT, ARM.format(rod('<pin id="2"/>')), option=OVAL),
    "rod held by an arm": world(
        FLAT, ARM.format(rod('<pin id="2 3"/>')).replace('axis="0 1 0"', 'type="ball"'), option=OVAL
    ),
    "rod held by an arm above a plane": world(GROUND, ARM.format(rod('<pin id="2 3"/>')), option=OVAL),
    "closed rod": world(FLAT, rod(type="circle", count="8 1 1"), option=OVAL),
    "two rods": world(rod(), rod(name="g", pos=".03 .04 .015", euler="0 0 50"), option=OVAL),
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
    "vertex at a pinned node": world(
        GROUND, flex(dim=3, count="3 3 3", dof="quadratic", pos="0 0 .1", inside='<pin id="0 2"/>')
    ),
    "trilinear on a ball": world(BALL.format(3), soft("trilinear")),
    "cells on a ball": world(BALL.format(6), soft("trilinear", cellcount="3 3 2")),
    "quadratic on a ball": world(BALL.format(3), soft("quadratic")),
    "cells on a plane": world(GROUND, soft("trilinear", cellcount="2 2 2")),
    "shell on a ball": world(BALL.format(3), shell("trilinear", "3 3 3")),
    "quadratic shell on a ball": world(BALL.format(3), shell("quadratic", "2 2 2")),
    "shell on a plane": world(GROUND, shell("trilinear", "3 3 3")),
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
        limit = "contact_rows" if s.mjm.flex_interp.any() else "searched_normal"
        np.testing.assert_allclose(s.d.efc_J.numpy()[w][:n, :nv], J, atol=tolerance(limit))
        for field in ("efc_pos", "efc_D", "efc_R", "efc_aref"):
            want = np.asarray(getattr(data, field))
            error = np.abs(getattr(e, field).numpy()[w][:n] - want).max() / np.abs(want).max()
            assert error < tolerance("contact_rows"), (field, error)
        assert np.abs(s.d.qacc.numpy()[w] - data.qacc).max() < tolerance("contact_rows") * np.abs(data.qacc).max()


@pytest.mark.parametrize("name", ("cells on a ball", "quadratic shell on a ball"))
def test_a_world_is_the_same_alone(name, device):
    """Bit by bit: its acceleration does not depend on the others."""
    s = Softened(SCENES[name], device, worlds=3, bend=0.005).forward()
    alone = mjwarp.make_data(s.mjm, 1, device=device)
    alone.qpos.assign(s.d.qpos.numpy()[2:])
    alone.qvel.assign(s.d.qvel.numpy()[2:])
    mjwarp.forward(s.m, alone)
    assert np.array_equal(alone.qacc.numpy()[0], s.d.qacc.numpy()[2])


REVERSED = """<flexcomp name="f" type="direct" dim="1" radius=".015" mass=".12" point="0 0 .012 .08 0 .014 .16 0 .012 .24 0 .014"
  element="3 2 0 1 2 1"><contact selfcollide="none" condim="6"/><elasticity young="1e5"/></flexcomp>"""


@pytest.mark.parametrize("scene", ["rod on a box", "rod on a plane", "rod clamped to an arm", "reversed"])
def test_frames_of_the_last_step_roll_with_the_edges_of_a_rod(scene, device):
    """Contact rows after a step that kept frames, at a pose some way from where it kept them; elements run either way."""
    text = world(GROUND, REVERSED, option=OVAL) if scene == "reversed" else SCENES[scene]
    s, rng = Softened(text, device, worlds=3, bend=0.002), np.random.default_rng(4)
    nv, turns = s.mjm.nv, 0.0
    for data in s.datas:
        oracle.advance(s.mjm, data)
        oracle.displace(s.mjm, data, rng.normal(0.0, 0.01, nv))
    for name in ("qpos", "qvel", "plastic"):
        getattr(s.d, name).assign(np.stack([getattr(data, name) for data in s.datas]).astype(np.float32))
    s.forward()
    for w, data in enumerate(s.datas):
        n = data.nefc
        assert s.d.engine.nefc.numpy()[w] == n and np.abs(data.plastic).max() > 0.5
        J = oracle.dense_jacobian(s.mjm, data)
        np.testing.assert_allclose(s.d.efc_J.numpy()[w][:n, :nv], J, atol=tolerance("searched_normal"))

        # the same contacts with nothing kept: what the rest of this test would not have seen
        data.plastic[:] = 0.0
        oracle.forward_into(s.mjm, data)
        turns = max(turns, np.abs(oracle.dense_jacobian(s.mjm, data) - J).max(initial=0.0))
    assert turns > 100 * tolerance("searched_normal")


def test_a_vertex_moves_by_the_cell_it_is_in(device):
    """Not by the one that its place follows."""
    mjm = oracle.compile_xml(SCENES["cells on a plane"])
    other = np.array(mjm.flex_vertcell)
    mjm.flex_vertcell[:] = other ^ 4
    s = Softened(mjm, device, worlds=2, bend=0.005).forward()
    for w, data in enumerate(s.datas):
        n = data.nefc
        assert n == s.d.engine.nefc.numpy()[w] > 0
        J = oracle.dense_jacobian(mjm, data)
        np.testing.assert_allclose(s.d.efc_J.numpy()[w][:n, : mjm.nv], J, atol=tolerance("contact_rows"))


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


WEIGHTLESS = """<mujoco><option solver="{}" cone="{}" iterations="100" tolerance="1e-10"/><worldbody><geom type="sphere" size=".02"
  pos="-.062 -.017 -.01"/><flexcomp name="f" type="ellipsoid" dim="3" count="3 3 3" spacing=".045 .052 .045" radius=".0075"
  mass=".33" dof="quadratic"><pin gridrange="0 0 0 0 1 1"/><edge equality="strain"/><contact selfcollide="none"/></flexcomp>
  </worldbody></mujoco>"""
"""A sphere in a quadratic flex where negative weights of nodes leave contacts no inverse inertia at qpos0."""


@pytest.mark.parametrize("solver", ("PGS", "Newton"))
@pytest.mark.parametrize("cone", ("pyramidal", "elliptic"))
def test_contacts_without_inverse_weight_are_as_stiff_as_float32_tells(solver, cone, device):
    mj = oracle.compile_xml(WEIGHTLESS.format(solver, cone))
    states = oracle.States(mj.qpos0[None], *(np.zeros((1, n)) for n in (mj.nv, mj.nv, mj.nu)))
    want = oracle.forward(
        oracle.compile_xml(WEIGHTLESS.format("PGS", cone)), states, 0
    )  # others of MuJoCo's stop short of it
    assert want.efc_R.min() < MINVAL * 10
    engine = Engine(mj, states, device).forward()
    assert engine.read("nefc")[0] == want.nefc
    assert_close(engine.read("qacc"), want.qacc[None], "qacc", what="qacc")

"""Incremental potential contact: MuJoCo's motion of surfaces that fall on shapes, each other and themselves, and no crossing."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as R

from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from newtonlite.solvers.mujoco.derive import sparse
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import tolerance

STEPS = 40
OPTION = '<option integrator="discrete" timestep=".004" {}><flag ipc="enable"/></option>'
SOFT = '<elasticity young="1e5" poisson=".3" thickness=".002" elastic2d="both" damping=".01"/>'
PINNED = SOFT + '<pin id="0"/>'


def cloth(name: str = "f", count: str = "5 5 1", pos: str = "0 0 0", inside: str = SOFT) -> str:
    """A square cloth, a thousandth of a metre thick."""
    return (
        f'<flexcomp name="{name}" type="grid" dim="2" count="{count}" spacing=".05 .05 .05" pos="{pos}" mass=".1" radius=".001">'
        f"{inside}</flexcomp>"
    )


def strip() -> str:
    """A strip that is folded over, its upper half above the lower."""
    bend = [(0, 0), (0.05, 0), (0.1, 0), (0.15, 0), (0.17, 0.02), (0.15, 0.04), (0.1, 0.04), (0.05, 0.04), (0, 0.04)]
    points = " ".join(f"{x} {y} {z}" for x, z in bend for y in (0, 0.05))
    elements = " ".join(f"{i} {i + 2} {i + 1} {i + 1} {i + 2} {i + 3}" for i in range(0, 16, 2))
    return (
        f'<flexcomp name="f" type="direct" dim="2" point="{points}" element="{elements}" mass=".1" radius=".001">'
        '<elasticity young="1e4" poisson=".3" thickness=".001" elastic2d="both" damping=".01"/></flexcomp>'
    )


def vertex(k: int, pos: str) -> str:
    """Body of a vertex on three slides."""
    axes = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    return f'<body name="v{k}" pos="{pos}">{axes}<inertial pos="0 0 0" mass=".01" diaginertia="1e-5 1e-5 1e-5"/></body>'


CARRIED = (
    '<deformable><flex name="f" dim="2" radius=".001" body="a a v0 v1" vertex="0 0 0 .05 0 0 0 0 0 0 0 0" element="0 1 2 1 3 2">'
    f"{SOFT}</flex></deformable>"
)
SCENES = {
    "sphere": '<geom type="sphere" size=".1" pos="0 0 -.11"/>' + cloth(),
    "box": '<geom type="box" size=".06 .06 .06" pos="0 0 -.07" euler="0 0 20"/>' + cloth(),
    "cylinder": '<geom type="cylinder" size=".06 .05" pos="0 0 -.06"/>' + cloth(),
    "ellipsoid": '<geom type="ellipsoid" size=".12 .1 .08" pos="0 0 -.09"/>' + cloth(),
    "capsule": '<geom type="capsule" size=".03 .08" pos=".01 .013 -.04" euler="0 90 30"/>' + cloth(),
    "mesh": '<geom type="mesh" mesh="m" pos="0 0 -.06"/>' + cloth(),
    "pinned": '<geom type="sphere" size=".05" pos="0 0 -.06"/>' + cloth(inside=SOFT + '<pin gridrange="0 0 0 4"/>'),
    "held by one body": cloth(count="3 3 1", inside=SOFT + '<pin id="0 1 3 4 5 6 7 8"/>')
    + cloth("g", "3 3 1", "0 0 .0005", SOFT + '<pin id="4"/>'),
    "edges": '<geom type="sphere" size=".1" pos="0 0 -.11"/>' + cloth(inside='<edge equality="true"/>'),
    "ball on a cloth": '<geom type="plane" size="1 1 1" pos="0 0 -.05"/><body pos="0 0 .04"><freejoint/>'
    '<geom type="sphere" size=".03" mass=".05"/></body>' + cloth(),
    "two": '<geom type="plane" size="1 1 1" pos="0 0 -.02"/>' + cloth() + cloth("g", "4 4 1", ".01 .013 .01"),
    "folded": '<geom type="plane" size="1 1 1" pos="0 0 -.01"/>' + strip(),
    "carried": '<geom type="sphere" size=".03" pos=".02 .02 -.05"/><body name="a"><joint type="slide" axis="0 0 1"/>'
    '<geom size=".01" mass=".1" contype="0" conaffinity="0"/></body>' + vertex(0, "0 .05 0") + vertex(1, ".05 .05 0"),
}


def document(world: str, options: str = "") -> str:
    """A document with the flag, a mesh, and a flex on bodies where there are such."""
    mesh = '<asset><mesh name="m" vertex="-.06 -.05 -.05 .06 -.06 -.06 .01 .07 -.05 .013 .01 .05"/></asset>'
    flex = CARRIED if 'name="v1"' in world else ""
    return f"<mujoco>{OPTION.format(options)}{mesh}<worldbody>{world}</worldbody>{flex}</mujoco>"


def rest(mj, speed: float = 0.0) -> oracle.States:
    """One world at qpos0, all dofs at one speed."""
    return oracle.States(mj.qpos0[None], np.full((1, mj.nv), speed), np.zeros((1, mj.nv)), np.zeros((1, mj.nu)))


@pytest.mark.parametrize("name", SCENES)
def test_surfaces_move_as_mujocos(name, device):
    mj = oracle.compile_xml(document(SCENES[name]))
    states = rest(mj)
    want = {
        field: oracle.rolled(mj, states, STEPS, field)[0] for field in ("qpos", "flexvert_lambda", "qfrc_constraint")
    }
    assert np.any(want["flexvert_lambda"] > 0)
    engine = Engine(mj, states, device, mode="staged").step(STEPS)
    np.testing.assert_allclose(engine.read("qpos")[0], want["qpos"], atol=tolerance("touching"))
    np.testing.assert_array_equal(
        engine.read("flexvert_conage")[0], oracle.rolled(mj, states, STEPS, "flexvert_conage")[0]
    )
    for field in ("flexvert_lambda", "qfrc_constraint"):
        size = np.abs(want[field]).max()
        np.testing.assert_allclose(engine.read(field)[0], want[field], atol=tolerance("pair_force") * size)
    assert engine.read("nefc")[0] == oracle.rolled(mj, states, STEPS, "nefc")[0, ...]
    assert engine.read("ipc_incomplete")[0] == 0


@pytest.mark.parametrize("name", ("pinned", "edges", "two", "folded", "carried"))
def test_surfaces_move_as_mujocos_where_rows_are_sparse(name, monkeypatch, device):
    """As in models of so many dofs that nothing has rows and columns of all."""
    for bound in ("WIDE_DOFS", "SOFT_DOFS", "DENSE_DOFS"):
        monkeypatch.setattr(sparse, bound, 0)
    test_surfaces_move_as_mujocos(name, device)
    assert put_model(oracle.compile_xml(document(SCENES[name]))).nsparse


def test_a_forward_pass_is_free_flight(device):
    mj = oracle.compile_xml(document(SCENES["sphere"]))
    states = rest(mj)
    later = oracle.roll(mj, states, STEPS)
    engine = Engine(mj, later, device, mode="staged").forward()
    np.testing.assert_array_equal(engine.read("qacc"), engine.read("qacc_smooth"))
    assert not engine.read("qfrc_constraint").any()
    assert not engine.read("ncon").any()


def test_a_world_is_the_same_alone_and_among_others(device):
    mj = oracle.compile_xml(document(SCENES["folded"]))
    worlds = [rest(mj, speed) for speed in (0.0, -0.1, 0.2)]
    together = Engine(mj, oracle.stacked(worlds), device, threads=2).step(10)
    for w, world in enumerate(worlds):
        alone = Engine(mj, world, device).step(10)
        for name in ("qpos", "flexvert_lambda", "flexvert_conage"):
            np.testing.assert_array_equal(alone.read(name)[0], together.read(name)[w])


def crossings(x: np.ndarray, edges: np.ndarray, triangles: np.ndarray) -> int:
    """Number of edges that pass through triangles with which they share no vertex."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    normal, found = np.cross(b - a, c - a), 0
    for one, two in edges:
        p, q = x[one], x[two]
        apart = ~np.any((triangles == one) | (triangles == two), axis=1)
        sides = np.sum(normal * (p - a), axis=1) * np.sum(normal * (q - a), axis=1)
        around = np.stack([np.cross(u - p, v - p) @ (q - p) for u, v in ((a, b), (b, c), (c, a))])
        found += np.sum(apart & (sides < 0) & (np.all(around > 0, axis=0) | np.all(around < 0, axis=0)))
    return int(found)


def test_a_thrown_cloth_crosses_neither_itself_nor_a_box(device):
    """At 6 m/s it goes 24 mm in a step, 24 times its thickness; edges of the box are met between vertices."""
    shapes = '<geom type="box" size=".05 .05 .05" pos="0 0 -.06" euler="10 20 30"/><geom type="plane" size="1 1 1" pos="0 0 -.15"/>'
    inside = '<elasticity young="1e4" poisson=".3" thickness=".001" elastic2d="both" damping=".01"/>'
    mj = oracle.compile_xml(document(shapes + cloth(count="6 6 1", inside=inside)))
    states = rest(mj)
    states.qvel[:, 2::3] = -6.0
    engine = Engine(mj, states, device, mode="staged")
    edges, triangles = np.array(mj.flex_edge), np.array(mj.flex_elem).reshape(-1, 3)
    turn = R.from_euler("XYZ", (10, 20, 30), degrees=True).as_matrix()
    for _ in range(60):
        engine.step()
        x = engine.read("flexvert_xpos")[0] + engine.read("ipc_safe")[0]
        assert crossings(x, edges, triangles) == 0
        assert np.all(np.abs((x - (0.0, 0.0, -0.06)) @ turn).max(axis=1) > 0.05)


REFUSED = {
    "flag ipc requires integrator='discrete'": document(cloth()).replace('integrator="discrete"', 'integrator="Euler"'),
    "flag ipc requires solver='Newton' or 'CG'": document(cloth(inside='<edge equality="true"/>'), 'solver="PGS"'),
    "flag ipc does not support flag fwdinv: inverse dynamics is not available": document(cloth()).replace(
        "<flag", '<flag fwdinv="enable"'
    ),
    "flag ipc does not support flag sleep": document(cloth()).replace("<flag", '<flag sleep="enable"'),
    "flexes with free vertices under a jointed body": document(
        f'<body name="a"><joint type="slide"/><geom size=".01" mass="1"/>{cloth(inside=PINNED)}</body>'
    ),
    "chain moves on a joint that is not a slide": document(
        SCENES["carried"].replace('<joint type="slide" axis="0 0 1"/>', '<joint type="hinge" axis="0 0 1"/>')
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_mujoco_refuses_is_refused_in_its_words(words):
    builder = ModelBuilder()
    builder.add_mjcf(REFUSED[words])
    with pytest.raises(ModelError, match=re.escape(words)):
        SolverMuJoCo(builder.finalize("cpu"))


def test_pairs_that_do_not_fit_are_counted(device):
    mj = oracle.compile_xml(document(SCENES["two"]))
    engine = Engine(mj, rest(mj), device, njmax=8).step(30)
    assert engine.read("overflow")[0] > 0
    assert engine.read("nefc_max")[0] > 8


def test_flag_and_forces_go_through_the_scene_and_a_reset_clears_them():
    builder = ModelBuilder()
    builder.add_mjcf(document(SCENES["sphere"]))
    model = builder.finalize("cpu")
    solver, state = SolverMuJoCo(model), model.state()
    for _ in range(STEPS):
        solver.step(state, state, model.control(), None, 0.004)
    assert solver.mjw_data.flexvert_lambda.numpy().any()
    mj = oracle.compile_xml(document(SCENES["sphere"]))
    np.testing.assert_allclose(
        solver.mjw_data.qpos.numpy()[0], oracle.roll(mj, rest(mj), STEPS).qpos[0], atol=tolerance("touching")
    )
    solver.reset(state)
    assert not solver.mjw_data.flexvert_lambda.numpy().any()


def test_a_model_without_surfaces_is_that_of_no_flag(device):
    body = '<worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    flagged = put_model(oracle.compile_xml(f"<mujoco>{OPTION.format('')}{body}"), device=device)
    assert flagged.nipcpoint == 0


def test_interpolated_surfaces_pass_through_as_in_mujoco(device):
    """The ball has contacts with them, and with the plane; a cloth beside them is kept apart from it."""
    shell = (
        '<flexcomp name="s" type="box" dim="2" count="3 3 3" spacing=".05 .05 .05" pos="{} 0 .06" mass=".1" radius=".005" dof="trilinear">'
        '<elasticity young="1e4" thickness=".005" elastic2d="both"/></flexcomp>'
    )
    ball = '<geom type="plane" size="1 1 1"/><body pos="0 0 .14"><freejoint/><geom size=".03" mass=".1"/></body>'
    for world in (ball + shell.format(0), ball + shell.format(0) + cloth(pos=".4 0 .002")):
        mj = oracle.compile_xml(document(world))
        with pytest.warns(NewtonWarning, match="pass through static geoms"):
            engine = Engine(mj, rest(mj), device, mode="staged").step(60)
        np.testing.assert_allclose(
            engine.read("qpos")[0], oracle.roll(mj, rest(mj), 60).qpos[0], atol=tolerance("touching")
        )
        assert engine.read("flexvert_xpos")[0, :, 2].min() < -0.05

"""Flexes and skins in stills and recordings: surfaces that MuJoCo draws, from the poses of bodies alone."""

import numpy as np
import pytest

from newtonlite.sim.builder import ModelBuilder
from newtonlite.viewer.batches import appearance
from newtonlite.viewer.recording.file import load, save
from newtonlite.viewer.recording.recording import Recording, restricted
from newtonlite.viewer.still import Stills
from tests import oracle
from tests.tolerance import tolerance

FLEXES = """<mujoco><worldbody><flexcomp name="cloth" type="grid" count="4 3 1" spacing=".2 .2 .2" dim="2" radius=".02" pos="0 0 1" rgba="1 0 0 1">
<edge damping="1"/></flexcomp><flexcomp name="block" type="grid" count="3 3 3" spacing=".1 .1 .1" dim="3" radius=".02" pos="1 0 1" rgba="0 0 1 1">
<edge damping="1"/></flexcomp><flexcomp name="soft" type="grid" count="4 4 4" spacing=".1 .1 .1" dim="3" dof="trilinear" pos="0 1 1"><edge damping="1"/>
</flexcomp></worldbody></mujoco>"""
SKIN = """<mujoco><worldbody><body name="a"><joint axis="0 1 0"/><geom size=".01"/><body name="b" pos=".2 0 0"><joint axis="0 1 0"/><geom size=".01"/></body></body>
</worldbody><deformable><skin name="s" inflate=".01" rgba=".2 .9 .3 1" vertex="0 -.1 0 0 .1 0 .2 -.1 0 .2 .1 0 .4 0 0" face="0 2 1 2 3 1 2 4 3">
<bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 1 3"/>
<bone body="b" bindpos=".2 0 0" bindquat="1 .1 0 0" vertid="2 3 4" vertweight="3 1 2"/></skin></deformable></mujoco>"""
SCENES = {"flexes": FLEXES, "skin": SKIN}


def two_worlds(xml: str):
    """A model of two worlds of a file."""
    one = ModelBuilder()
    one.add_mjcf(xml)
    both = ModelBuilder()
    both.replicate(one, 2)
    return both.finalize(device="cpu")


@pytest.mark.parametrize("name", SCENES)
def test_surfaces_are_those_that_mujoco_draws(name):
    look = appearance(two_worlds(SCENES[name]))
    mj = oracle.compile_xml(SCENES[name])
    data = oracle.mujoco.MjData(mj)
    oracle.mujoco.mj_forward(mj, data)
    drawn = oracle.soft_triangles(mj, data)
    assert len(look.soft) == len(drawn)
    for mesh, (_, _, triangles) in zip(look.soft, drawn, strict=True):
        for row in range(2):
            ours = mesh.surface(look.body_q, row)
            # the same triangles, in whatever order: each corner of theirs is where one of ours is
            corners = ours.vertices[ours.faces]
            assert corners.shape == triangles.shape
            apart = np.linalg.norm(corners[:, None] - triangles[None], axis=-1).max(-1)
            assert apart.min(axis=0).max() <= tolerance("ray") and apart.min(axis=1).max() <= tolerance("ray")


def test_a_still_shows_both_colours_of_a_scene():
    picture = Stills(two_worlds(FLEXES)).draw(width=96, height=72, side=1).astype(int)
    red, blue = picture[..., 0] - picture[..., 2], picture[..., 2] - picture[..., 0]
    assert (red > 60).sum() > 40 and (blue > 60).sum() > 40


def test_a_recording_of_one_world_keeps_its_meshes(tmp_path):
    look = appearance(two_worlds(FLEXES))
    alone = restricted(look, [1])
    frames = np.stack([alone.body_q, alone.body_q + np.float32(0.1)])
    again = load(save(Recording(alone, np.array([1]), np.array([0.0, 0.1]), frames), tmp_path / "run.npz"))
    for kept, mesh, whole in zip(again.look.soft, alone.soft, look.soft, strict=True):
        np.testing.assert_array_equal(kept.surface(again.body_q[1], 0).vertices, mesh.surface(frames[1], 0).vertices)
        np.testing.assert_array_equal(mesh.vertices(alone.body_q, 0), whole.vertices(look.body_q, 1))

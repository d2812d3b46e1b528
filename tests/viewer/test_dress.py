"""Which shapes that collide a picture shows: those without which there is nothing to see of their body."""

import numpy as np
import pytest

from newtonlite.sim.builder import ModelBuilder
from newtonlite.viewer import Camera, still
from newtonlite.viewer.batches import appearance, shown_by_default

SEEN = 'contype="0" conaffinity="0" group="1"'
TORSO = '<geom name="hull" type="box" size=".25 .14 .08"/>'
LEG = f'<body name="leg" pos="0 0 -.2"><joint axis="0 1 0"/><geom name="shell" size=".04" {SEEN}/><geom name="pad" size=".042"/></body>'


def shown(text: str, kind: str = "mjcf") -> set[str]:
    """Names of the shapes that a picture shows."""
    builder = ModelBuilder()
    getattr(builder, f"add_{kind}")(text)
    model = builder.finalize(device="cpu")
    labels = [
        model.shape_label[row] for b in appearance(model).batches if shown_by_default(b.layer) for row in b.shapes
    ]
    return {label.rpartition("/")[2] for label in labels}


def robot(torso: str) -> str:
    """A torso with some shapes, and a leg that is seen."""
    return f'<mujoco><worldbody><body name="torso" pos="0 0 1"><freejoint/>{torso}{LEG}</body></worldbody></mujoco>'


@pytest.mark.parametrize(
    ("torso", "wanted"),
    [
        (TORSO, {"hull", "shell"}),
        (TORSO + f'<geom name="token" type="box" size=".0005 .0005 .0005" {SEEN}/>', {"hull", "token", "shell"}),
        (TORSO + f'<geom name="lamp" size=".02" pos=".3 0 0" {SEEN}/>', {"hull", "lamp", "shell"}),
        (TORSO + f'<geom name="skin" type="box" size=".2 .1 .05" {SEEN}/>', {"skin", "shell"}),
        (TORSO.replace("/>", ' group="3"/>'), {"shell"}),
    ],
)
def test_a_body_is_dressed_by_what_is_seen_of_it_unless_that_is_a_token(torso, wanted):
    assert shown(robot(torso)) == wanted


@pytest.mark.parametrize(("at", "wanted"), [("0 0 0", {"skin", "shell"}), (".3 0 0", {"skin", "shell", "rotor"})])
def test_a_body_that_only_collides_is_shown_where_that_which_carries_it_does_not_enclose_it(at, wanted):
    torso = TORSO + f'<geom name="skin" type="box" size=".2 .1 .05" {SEEN}/>'
    rotor = f'<body pos="{at}"><joint axis="1 0 0"/><geom name="rotor" type="cylinder" size=".04 .02"/></body>'
    assert shown(robot(torso + rotor)) == wanted


URDF = """<robot name="r"><link name="trunk"><inertial><mass value="3"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial>
  <collision name="trunk_box"><geometry><box size=".5 .28 .16"/></geometry></collision></link>
  <link name="leg"><inertial><mass value="1"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial>
  <visual name="shell"><geometry><sphere radius=".04"/></geometry></visual><collision name="pad"><geometry><sphere radius=".042"/></geometry></collision></link>
  <joint name="hip" type="continuous"><parent link="trunk"/><child link="leg"/><origin xyz="0 0 -.2"/><axis xyz="0 1 0"/></joint></robot>"""


def test_a_link_of_a_urdf_without_visuals_is_seen():
    assert len(shown(URDF, "urdf")) == 2


def test_a_picture_has_the_trunk_whose_only_visual_is_a_token():
    builder = ModelBuilder()
    builder.add_mjcf(robot(TORSO + f'<geom type="box" size=".0005 .0005 .0005" {SEEN}/>'))
    model = builder.finalize(device="cpu")
    camera = Camera((0.0, -3.0, 1.0), (0.0, 0.0, 1.0), fov=30.0)
    bare = ModelBuilder()
    bare.add_mjcf("<mujoco><worldbody><body pos='0 0 -9'><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    with_trunk, without = (still(m, camera=camera, width=40, height=30) for m in (model, bare.finalize(device="cpu")))
    middle = np.abs(with_trunk[14:16, 18:22].astype(int) - without[14:16, 18:22]).max(axis=-1)
    assert (middle > 20).all()

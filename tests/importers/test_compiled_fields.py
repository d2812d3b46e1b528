"""What newtonlite compiles from a file is what MuJoCo compiles, field by field."""

import numpy as np
import pytest

from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.importers.mjcf.mesh_files import read_obj
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness import import_fields
from tests.oracle import MODELS, compile_xml, model_names
from tests.tolerance import tolerance

REAL = """
    mjwarp_bench/humanoid/humanoid.xml mjwarp_bench/franka_emika_panda/scene.xml unitree_g1/g1_29dof.xml unitree_h1/mjcf/h1_with_hand.xml
    mujoco_mjx/shadow_hand/right_hand.xml mujoco_mjx/pendula.xml mujoco_model/tendon_arm/arm26.xml mujoco_model/humanoid/humanoid100.xml
    mujoco_model/replicate/newton_cradle.xml mujoco_model/slider_crank/slider_crank.xml mujoco_test/user/fitmesh_aabb.xml
    mujoco_test/user/fitmesh_inertiabox.xml mujoco_test/user/freejoint.xml mujoco_test/user/dzhanibekov.xml mujoco_test/user/auto_limits.xml
    mujoco_test/user/hfield_png.xml mujoco_test/engine/sensor/contact_net.xml mujoco_test/python/msh.xml mujoco_test/render/pbr.xml
""".split()


def differences(source, assets=None) -> dict[str, float]:
    """The fields that differ, but for the axes of symmetric meshes."""
    builder = ModelBuilder()
    builder.add_mjcf(str(source), assets=assets)
    ours = compile_model(builder.finalize(device="cpu"))
    found, turned = import_fields.differences(compile_xml(source, assets), ours, tolerance("compiled"))
    return {} if turned else found


@pytest.mark.parametrize("name", model_names())
def test_small_models(name):
    assert differences(MODELS / f"{name}.xml") == {}


@pytest.mark.filterwarnings("ignore:.*Clamping opacity")
@pytest.mark.parametrize("name", REAL)
def test_real_models(assets, name):
    assert differences(assets / "mjcf" / name) == {}


SETTINGS = [
    "",
    '<compiler angle="radian" eulerseq="ZYx"/>',
    '<compiler boundmass="0.5" boundinertia="0.01"/>',
    '<compiler balanceinertia="true" inertiafromgeom="true"/>',
    '<compiler inertiagrouprange="0 1"/>',
    '<compiler alignfree="true"/>',
    '<compiler discardvisual="true"/>',
    '<size nkey="3" nuser_body="2" nuserdata="5"/>',
    '<option integrator="RK4" cone="elliptic" o_margin="0.1" density="3" wind="1 2 3"><flag override="disable" gravity="disable"/></option>',
]
SCENE = """
<asset><material name="shiny" rgba="1 0 0 1" shininess="0.7"/><texture name="t" builtin="flat" width="4" height="4"/>
  <mesh name="wedge" vertex="0 0 0 1 0 0 0 2 0 0 0 3 1 2 .5"/></asset>
<worldbody>
  <geom type="plane" size="1 1 1"/> <camera name="c" pos="0 0 3"/> <light name="l" dir="1 0 -1"/>
  <frame euler="10 20 30" pos="1 0 0">
    <body name="a" pos="0 0 1" user="1 2"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 0 0" material="shiny" user="3"/><geom size=".1" group="2" contype="0" conaffinity="0"/></body>
  </frame>
  <body name="b" pos="0 1 1"><joint name="s" type="slide" axis="0 1 1" range="-1 1" springdamper=".1 .7"/><joint name="q" type="ball" range="0 1"/>
    <geom type="capsule" fromto="0 0 0 .3 .2 0" size=".04" fluidshape="ellipsoid"/><site name="x" pos=".1 0 0" user="1 2 3"/>
    <body name="c" gravcomp=".5"><joint name="h" axis="1 0 0" ref="20" springref="10" stiffness="3 1 2" damping="1 .2 .1"/><joint axis="0 1 0"/><joint axis="0 0 1"/><joint type="slide"/>
      <inertial pos=".1 0 0" mass="2" fullinertia="1 1 1 .1 .1 0"/><geom type="mesh" mesh="wedge" mass="1"/><geom type="cylinder" mesh="wedge" fitscale=".5"/></body></body>
  <body name="m" mocap="true" pos="1 2 3"/>
</worldbody>
<custom><numeric name="n" size="4" data="1 2"/><text name="t" data="hello"/><tuple name="p"><element objtype="body" objname="b" prm="2"/></tuple></custom>
<keyframe><key name="k" qpos="1 2 3"/></keyframe>
"""


@pytest.mark.parametrize("settings", SETTINGS)
def test_compiler_settings(settings):
    assert differences(f"<mujoco>{settings}{SCENE}</mujoco>") == {}


MESHES = [
    'vertex="0 0 0 2 0 0 0 1 0 0 0 3 .1 .1 .1 .3 .1 .2"',  # two of them inside the hull
    'builtin="sphere" params="1.7" scale="1 2 -3" refpos="1 2 3" refquat="0 1 1 0"',
    'builtin="hemisphere" params="2" inertia="shell"',
    'builtin="cone" params="5 .5" scale="1 2 3"',
    'builtin="supersphere" params="12 .4 2" scale="1 2 3" inertia="convex"',
    'builtin="supertorus" params="8 .5 .4 .7" scale="1 2 3" inertia="exact"',
    'builtin="wedge" params="4 3 45 20 .3"',
    'builtin="ellipsoid" params="4 3 5 .1 .2 .3 3"',
]


@pytest.mark.parametrize("mesh", MESHES)
def test_meshes_without_files(mesh):
    assert (
        differences(
            f'<mujoco><asset><mesh name="m" {mesh}/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
        )
        == {}
    )


MESH = '<mujoco><asset><mesh name="m" file="m.obj"/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'


def barrel(seed: int) -> bytes:
    """An OBJ file of a barrel with bent faces of four to eight corners, some repeated, thin, or of two corners only."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 9))
    angle = np.sort(rng.uniform(0, 6.28, n))
    rim = np.stack([np.cos(angle), np.sin(angle)], 1) * rng.uniform(0.4, 1.6, (n, 1))
    points = np.r_[np.c_[rim, np.full(n, -1.0)], np.c_[0.8 * rim, np.full(n, 1.0)]] + rng.normal(0, 0.05, (2 * n, 3))
    faces = [[*range(n)][::-1], [*range(n, 2 * n)]]
    faces += [[i, (i + 1) % n, n + (i + 1) % n, n + i] for i in range(n)]
    faces[2] = [*faces[2], faces[2][-1]]
    faces += [faces[-1], [0, 1, 1, 0], [0, 1]]
    order = [faces[k] for k in rng.permutation(len(faces))]
    lines = ["v " + " ".join(f"{x:.7g}" for x in 0.1 * point) for point in points]
    lines += ["usemtl a", *("f " + " ".join(f"{i + 1}//1" for i in face) for face in order), "o other", "f 1 2 3"]
    return "\n".join(lines).encode()


@pytest.mark.parametrize("seed", range(8))
def test_polygons_of_a_file_are_cut_into_the_same_triangles(seed):
    assets = {"m.obj": barrel(seed)}
    assert np.array_equal(read_obj(assets["m.obj"])[1], compile_xml(MESH, assets).mesh_face)
    assert differences(MESH, assets) == {}


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
FACES = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def test_faces_with_corners_that_do_not_exist_are_refused():
    with pytest.raises(ParseError, match="<mesh name=.m.> file: .*names vertex 9; there are 4"):
        differences(MESH, {"m.obj": (TETRAHEDRON + "f 1 2 3 9\n").encode()})


@pytest.mark.parametrize("corners", [99, 100, 101, 260])
def test_faces_of_more_than_a_hundred_corners_are_left_out_and_named(corners):
    angle = np.linspace(0.0, 6.28, corners, endpoint=False)
    rim = "".join(f"v {np.cos(a):.9g} {np.sin(a):.9g} 0\n" for a in angle)
    face = "f " + " ".join(str(5 + k) for k in range(corners)) + "\n"
    assets = {"m.obj": (TETRAHEDRON + rim + FACES + face).encode()}
    if corners <= 100:
        assert differences(MESH, assets) == {}
    else:
        with pytest.warns(NewtonWarning, match=f"more than 100 corners, one of them {corners}"):
            assert differences(MESH, assets) == {}


DIVISIONS = [
    "o",
    "o ",
    "g",
    "g\t",
    " o x",
    "o\r",
    "g x y",
    "ox",
    "p 1\no x",
    "p 1\ng x",
    "l 1 2\ng",
    "p\no x",
    "usemtl a\ng",
]


@pytest.mark.parametrize("line", DIVISIONS)
@pytest.mark.parametrize("first", ["", "f 1 2 3\nf 1 2 4\nf 2 3 4\n"])
def test_objects_of_a_file_are_divided_where_mujocos_reader_divides_them(line, first):
    assert differences(MESH, {"m.obj": f"{TETRAHEDRON}v 2 2 1\n{first}{line}\n{FACES}f 1 2 5\n".encode()}) == {}


BODIES = {
    "force range of balls and free joints": """<default><joint actuatorfrcrange="-18 18"/></default><worldbody>
        <body><joint type="free"/><geom size=".1"/><body><joint type="ball"/><geom size=".1"/></body></body></worldbody>""",
    "slides along the same axes": """<worldbody><body><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>
        <joint type="slide" axis="0 0 1"/><joint type="slide" axis="1 1 0"/><geom type="box" size=".05 .05 .05" mass="1"/></body></worldbody>""",
    "frames that nearly agree": """<worldbody><body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 2 3"/><geom size=".01" pos="0 4e-7 0"/></body>
        <body><joint pos="1 0 0"/><inertial pos="1 0 0" mass="1" diaginertia="1 2 3"/><geom size=".01" pos="1 4e-7 0"/></body>
        <body><joint pos="1 0 0"/><inertial pos="1 0 0" euler="0 0 20" mass="1" diaginertia="1 2 3"/><geom size=".01" euler="0 0 20" pos="1 4e-7 0"/></body></worldbody>""",
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies_as_files_have_them(name):
    assert differences(f"<mujoco>{BODIES[name]}</mujoco>") == {}


@pytest.mark.parametrize(
    "shape",
    [
        'type="sphere" size=".3"',
        'type="capsule" size=".1 .2"',
        'type="cylinder" size=".1 .2"',
        'type="box" size=".1 .2 .3"',
        'type="ellipsoid" size=".1 .2 .3"',
    ],
)
@pytest.mark.parametrize("weight", ['density="7"', 'mass="2"'])
def test_shells_of_primitives(shape, weight):
    geom = f'<geom {shape} {weight} shellinertia="true" pos=".1 0 0" euler="10 20 30"/>'
    assert differences(f"<mujoco><worldbody><body><freejoint/>{geom}</body></worldbody></mujoco>") == {}


def test_a_builder_keeps_the_digits_of_a_file():
    """Numbers that float32 cannot hold come out of finalize and compile as they were written."""
    builder = ModelBuilder()
    builder.add_mjcf(
        '<mujoco><worldbody><body pos=".1 .2 .3"><freejoint/><geom size=".123456789012"/></body></worldbody></mujoco>'
    )
    m = compile_model(builder.finalize(device="cpu"))
    assert m.geom_size[0, 0] == 0.123456789012 and m.body_pos[1].tolist() == [0.1, 0.2, 0.3]


def test_height_fields_are_in_the_order_of_the_file_used_or_not():
    fields_of = '<asset><hfield name="{}" nrow="2" ncol="2" size="1 2 3 4" elevation="0 1 2 {}"/></asset>'
    assets = "".join(fields_of.format(name, k) for k, name in enumerate("abc"))
    geoms = "".join(f'<geom type="hfield" hfield="{name}"/>' for name in "cac")
    assert differences(f"<mujoco>{assets}<worldbody>{geoms}</worldbody></mujoco>") == {}

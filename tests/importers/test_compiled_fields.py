"""What newtonlite compiles from a file is what MuJoCo compiles, field by field."""

import pytest

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


def differences(source) -> dict[str, float]:
    """The fields that differ, but for the axes of symmetric meshes."""
    builder = ModelBuilder()
    builder.add_mjcf(str(source))
    ours = compile_model(builder.finalize(device="cpu"))
    found, turned = import_fields.differences(compile_xml(source), ours, tolerance("compiled"))
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

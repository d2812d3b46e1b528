"""Bodies without joints that become part of what carries them, on the way into the builder."""

import pytest

from newtonlite.core.enums import JointType
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from tests import oracle
from tests.harness.import_fields import tensors
from tests.harness.import_names import names
from tests.importers.test_build import values
from tests.tolerance import assert_close

TREE = """<mujoco>{}<worldbody>
<body name="stand" pos="0 0 1"><geom name="g0" size=".1"/>
<body name="post" pos="0 0 .2" euler="0 30 0"><geom name="g1" size=".2 .1 .1" type="box"/>
<body name="arm" pos=".1 0 .2"><joint name="j" axis="0 1 0"/><geom name="g2" size=".1"/>
<body name="tip" pos="0 .3 0" euler="40 0 0"><geom name="g3" size=".1 .2" type="capsule"/><site name="s" pos="0 0 .1"/>
<body name="eye" pos="0 0 .1"><geom name="g4" size=".05"/></body></body></body></body></body></worldbody>
<sensor><framepos objtype="body" objname="eye"/></sensor></mujoco>"""
FIELDS = "body_pos body_quat body_mass body_inertia body_ipos geom_pos geom_quat geom_bodyid site_pos site_bodyid jnt_pos dof_invweight0".split()


def built(text: str, **options) -> ModelBuilder:
    builder = ModelBuilder()
    builder.add_mjcf(text, **options)
    return builder


def compiled(builder: ModelBuilder):
    return SolverMuJoCo(builder.finalize("cpu")).mj_model


def test_the_merged_model_is_that_of_fusestatic():
    """As MuJoCo compiles the file with ``fusestatic``; the body that a sensor names stays."""
    b = built(TREE.format(""), collapse_fixed_joints=True)
    assert (names(b.body_label), b.joint_type[:]) == (["arm", "eye"], [JointType.REVOLUTE, JointType.FIXED])
    want, got = oracle.compile_xml(TREE.format('<compiler fusestatic="true"/>')), compiled(b)
    for name in FIELDS:
        assert_close(getattr(got, name), getattr(want, name), "compiled", floor=1.0, what=name)


def test_a_floating_root_is_not_merged():
    b = built(TREE.format(""), collapse_fixed_joints=True, floating=True)
    assert names(b.body_label) == ["stand", "arm", "eye"] and b.joint_type[0] == JointType.FREE
    whole = built(TREE.format(""), floating=True)
    assert_close([sum(b.body_mass)], [sum(whole.body_mass)], "authored")
    assert_close([b.body_mass[0]], [sum(whole.body_mass[:2])], "authored")


def test_roots_on_a_body_of_the_scene_keep_their_mass():
    b = ModelBuilder()
    cart = b.add_body(mass=1.0)
    b.add_mjcf(TREE.format(""), collapse_fixed_joints=True, parent_body=cart)
    assert names(b.body_label)[1:] == ["stand", "arm", "eye"] and b.body_mass[cart] == 1.0


EMPTY = """<mujoco><worldbody><body name="base" pos="0 0 1"><site name="s"/><body name="base2" pos="0 1 0" euler="0 0 90">
<body name="trunk" pos="1 0 0">{}<geom size=".1"/></body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("floating, kind", [(None, JointType.FIXED), (True, JointType.FREE)])
def test_empty_roots_are_dropped(floating, kind):
    b = built(EMPTY.format(""), collapse_massless_fixed_root=True, floating=floating)
    assert (names(b.body_label), b.joint_type[:]) == (["trunk"], [kind]) and "s" in names(b.shape_label)
    assert_close(list(b.body_q[0])[:3], [0, 2, 1], "authored")
    assert names(built(EMPTY.format("")).body_label) == ["base", "base2", "trunk"]


def test_a_root_with_mass_stays():
    b = built(TREE.format(""), collapse_massless_fixed_root=True)
    assert len(b.body_label) == 5


def test_the_builders_own_method_merges_what_a_file_gave():
    """Plain bodies are merged, with the compiled masses of ``fusestatic``; special ones and those that a sensor names
    stay.
    """
    b = built(TREE.format(""))
    b.collapse_fixed_joints()
    assert names(b.body_label) == ["arm", "eye"] and values(b, "sensor_objid") == [1]
    want, got = oracle.compile_xml(TREE.format('<compiler fusestatic="true"/>')), compiled(b)
    for name in ("body_pos", "body_quat", "body_mass", "body_ipos", "jnt_pos", "dof_invweight0"):
        assert_close(getattr(got, name), getattr(want, name), "compiled", floor=1.0, what=name)
    assert_close(tensors(got), tensors(want), "compiled", what="inertia tensors")


@pytest.mark.parametrize("special", ['mocap="true"', 'gravcomp="0.5"', 'sleep="never"', 'user="1 2"'])
def test_special_bodies_stay(special):
    size = "<size nuser_body='2'/>" if "user" in special else ""
    b = built(
        f'<mujoco>{size}<worldbody><body name="a" {special}><geom size=".1"/></body><body name="b"><geom size=".1"/></body></worldbody></mujoco>'
    )
    b.collapse_fixed_joints()
    assert names(b.body_label) == ["a"] and len(b.joint_type) == 1


def test_what_is_merged_keeps_its_labels():
    """Shapes and bodies are found where the file has them, whether fixed joints are collapsed or not."""
    b = ModelBuilder()
    b.add_mjcf(
        """<mujoco model="r"><worldbody><body name="base"><freejoint/><geom size=".1"/><geom name="own" size=".1"/>
    <body name="part"><geom size=".1"/><site/><body name="arm"><joint name="j"/><geom size=".1"/></body><body name="tip"><geom size=".1"/></body></body></body>
    </worldbody></mujoco>""",
        collapse_fixed_joints=True,
    )
    assert list(b.body_label) == ["r/worldbody/base", "r/worldbody/base/part/arm"]
    part = "r/worldbody/base/part"
    kept = [f"{part}/part_geom_0", f"{part}/part_site_0", f"{part}/tip/tip_geom_0", f"{part}/arm/arm_geom_0"]
    assert {"r/worldbody/base/base_geom_0", "r/worldbody/base/own", *kept} == set(b.shape_label)

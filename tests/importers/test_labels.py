"""Labels are paths: Newton's, whatever the file names or leaves without name."""

import numpy as np
import pytest

from newtonlite.selection import ArticulationView
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from tests.importers.test_build import values

ROBOT = """<mujoco model="rob"><worldbody><geom name="floor" type="plane" size="1 1 1"/><geom size=".1"/><site/>
<body name="a-b"><freejoint/><geom size=".1"/><geom size=".1" contype="0" conaffinity="0"/><geom name="gg" size=".1"/><site name="gg"/>
  <body name="b"><joint name="j"/><joint axis="1 0 0"/><geom size=".1"/><frame pos="0 0 1"><body name="c/d"><joint name="k-l"/><geom size=".1"/></body></frame></body>
  <body><geom size=".1"/><joint type="ball"/></body>
</body>
<body name="e"><geom size=".1"/></body></worldbody>
<equality><joint name="tie" joint1="j" joint2="k-l"/></equality>
<actuator><motor name="m" joint="j"/></actuator></mujoco>"""
URDF = """<robot name="ur"><link name="base"/><link name="arm"><collision name="box"><geometry><sphere radius=".1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def built(text: str, **options) -> ModelBuilder:
    builder = ModelBuilder()
    (builder.add_urdf if "<robot" in text else builder.add_mjcf)(text, **options)
    return builder


def test_labels_are_paths():
    b = built(ROBOT)
    root = "rob/worldbody"
    assert list(b.body_label) == [
        f"{root}/a_b",
        f"{root}/a_b/b",
        f"{root}/a_b/b/c/d",
        f"{root}/a_b/body_3",
        f"{root}/e",
    ]
    joints = ["a_b/a_b_freejoint", "a_b/b/j_b_joint_1", "a_b/b/c/d/k_l", "a_b/body_3/body_3_joint_0", "e/e_joint"]
    assert list(b.joint_label) == [f"{root}/{name}" for name in joints]
    shapes = ["a_b/a_b_geom_0", "a_b/a_b_geom_0_visual", "a_b/gg", "a_b/gg", "a_b/b/b_geom_0"]
    assert list(b.shape_label)[:5] == [f"{root}/{name}" for name in shapes]
    assert list(b.shape_label)[-3:] == [f"{root}/floor", f"{root}/world_geom_1", f"{root}/world_site_0"]
    assert list(b.articulation_label) == ["rob/a_b", "rob/e"]
    assert values(b, "equality_constraint_label") == ["rob/tie"] and values(b, "actuator_label") == ["m"]


def test_a_model_of_one_root_gives_its_articulation_its_name():
    one = '<body name="a"><joint/><geom size=".1"/></body>'
    assert list(built(f'<mujoco model="x"><worldbody>{one}</worldbody></mujoco>').articulation_label) == ["x"]
    bare = built(f"<mujoco><worldbody>{one}</worldbody></mujoco>")
    assert (list(bare.body_label), list(bare.articulation_label)) == (["worldbody/a"], ["a"])


@pytest.mark.parametrize(
    "options, joint",
    [
        ({}, "a/a_joint"),
        ({"floating": True}, "a/floating_base"),
        ({"floating": False}, "a/fixed_base"),
        ({"base_joint": {}}, "a/base_joint"),
        ({"base_joint": {"label": "own"}}, None),
    ],
)
def test_joints_that_the_caller_gives_say_so(options, joint):
    b = built('<mujoco><worldbody><body name="a"><geom size=".1"/></body></worldbody></mujoco>', **options)
    assert list(b.joint_label) == [f"worldbody/{joint}" if joint else "own"]


@pytest.mark.parametrize("convention", ["newton", "mujoco"])
def test_labels_of_urdf_are_the_robots_and_the_links(convention):
    b = built(URDF, convention=convention)
    assert b.body_label[-1] == "ur/arm" and b.joint_label[-1] == "ur/j" and b.shape_label[-1] == "ur/box"
    assert b.articulation_label[0] == "ur"


def test_the_engine_knows_the_names_of_the_file():
    mj = SolverMuJoCo(built(ROBOT).finalize("cpu")).mj_model
    assert mj.names_body == ["world", "a-b", "b", "c/d", "", "e"] and mj.names_joint == ["", "j", "", "k-l", ""]
    assert [name for name in mj.names_geom if name] == ["floor", "gg"] and [name for name in mj.names_site if name] == [
        "gg"
    ]
    assert mj.names_equality == ["tie"] and mj.names_actuator == ["m"]


def test_two_of_a_kind_are_told_apart_by_their_labels():
    scene = ModelBuilder()
    for side in ("left", "right"):
        scene.add_builder(built(ROBOT), label_prefix=side)
    assert list(scene.finalize("cpu").mujoco.actuator_label) == ["left/m", "right/m"]
    names = SolverMuJoCo(scene.finalize("cpu")).mj_model.names_body
    assert "left/rob/worldbody/a_b" in names and len(set(names)) == len(names) - 1


def test_patterns_find_labels_by_path_or_by_name():
    scene = ModelBuilder()
    scene.replicate(built(ROBOT), 2)
    model = scene.finalize("cpu")
    for pattern in ("rob/a_b", "a_b", "*a_b"):
        view = ArticulationView(model, pattern, include_links=["b", "rob/worldbody/a_b"])
        assert (view.count, view.body_names) == (2, ["a_b", "b"])
    assert np.array(view.articulation_ids.numpy()).tolist() == [[0], [2]]

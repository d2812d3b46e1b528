"""What Newton's reader makes of a file beside the physics: defaults of the builder, collision groups, visibility, files
beside includes.
"""

import numpy as np
import pytest

from newtonlite.core.enums import ShapeFlags
from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from tests.harness.import_names import names
from tests.importers.test_build import built, values
from tests.tolerance import assert_close

CUBE = (
    "\n".join(f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    + "\nf 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
)
TWO = '<body name="a"><freejoint/><geom name="ga" size=".1" {}/></body><body name="b"><freejoint/><geom name="gb" size=".1" {}/></body>'
NO_MASKS = 'contype="0" conaffinity="0"'


def flagged(builder: ModelBuilder, flag: ShapeFlags) -> list[str]:
    """The names of the shapes with a flag."""
    return [name for name, flags in zip(names(builder.shape_label), builder.shape_flags) if flags & flag]


def test_what_a_file_leaves_open_is_the_builders_default():
    builder = ModelBuilder()
    builder.default_joint_cfg.armature, builder.default_joint_cfg.damping, builder.default_joint_cfg.limit_ke = (
        0.3,
        0.7,
        5.0,
    )
    builder.default_shape_cfg.mu, builder.default_shape_cfg.ke, builder.default_shape_cfg.density = 0.4, 77.0, 500.0
    builder.add_mjcf(
        '<mujoco><worldbody><body><joint/><geom size=".1"/></body><body><joint armature=".1" damping=".2"/>'
        '<geom size=".1" friction=".9" density="1000" solref=".1 1"/></body></worldbody></mujoco>'
    )
    assert_close([builder.joint_armature[:], builder.joint_damping[:]], [[0.3, 0.1], [0.7, 0.2]], "authored")
    assert_close(builder.shape_material_mu[:], [0.4, 0.9], "authored")
    assert_close(builder.shape_material_ke[:], [77.0, 100.0], "authored")
    assert_close(builder.body_mass[1], 2 * builder.body_mass[0], "authored")
    assert set(values(builder, "solreflimit_mode")) == {0}


@pytest.mark.parametrize(
    "a, b, meet",
    [
        ("", "", True),
        ('contype="2"', "", True),
        ('contype="2" conaffinity="2"', "", False),
        ('contype="0"', 'contype="0"', False),
    ],
)
def test_masks_of_one_file_decide_in_pipelines_too(a, b, meet):
    model = built(TWO.format(a, b)).finalize("cpu")
    assert (len(model.shape_contact_pairs) == 1) == meet


def test_files_are_told_apart_when_builders_are_merged():
    """One that asks for contacts alone meets another such one of another file: their masks are not compared."""
    one, two = (built('<body><freejoint/><geom size=".1" contype="0"/></body>') for _ in range(2))
    scene = ModelBuilder()
    scene.add_builder(one)
    scene.add_builder(two)
    model = scene.finalize("cpu")
    first, second = model.mujoco.collision_mask_domain.numpy()
    assert first != second and model.shape_contact_pairs.numpy().tolist() == [[0, 1]]
    mj = SolverMuJoCo(model).mj_model
    assert mj.geom_contype[0] & mj.geom_conaffinity[1] or mj.geom_contype[1] & mj.geom_conaffinity[0]


def test_worlds_of_one_file_beside_shared_shapes_are_still_alike():
    scene = built('<geom type="plane" size="1 1 1"/>')
    scene.replicate(built('<body><freejoint/><geom size=".1"/></body>'), 3)
    solver = SolverMuJoCo(scene.finalize("cpu"))
    assert solver.mjw_data.qpos.shape[0] == 3


def test_links_to_another_world_are_refused():
    scene = ModelBuilder()
    for _ in range(2):
        scene.begin_world()
        scene.add_mjcf(
            '<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><equality><joint joint1="j"/></equality></mujoco>'
        )
        scene.end_world()
    scene.custom_attributes["mujoco:equality_constraint_joint1_dof"].values[1] = 0
    with pytest.raises(ModelError, match="of another world"):
        SolverMuJoCo(scene.finalize("cpu"))


@pytest.mark.parametrize(
    "rest",
    [
        "",
        '<contact><pair geom1="ga" geom2="gb"/></contact>',
        '<contact><pair geom1="worldbody/a/ga" geom2="worldbody/b/gb"/></contact>',
    ],
)
def test_geoms_of_pairs_collide_in_group_zero(rest):
    b = built(TWO.format(NO_MASKS, NO_MASKS), rest, parse_visuals=False)
    assert b.shape_collision_group[:] == ([0, 0] if rest else [])
    if rest:
        assert SolverMuJoCo(b.finalize("cpu")).mj_model.npair == 1 and flagged(b, ShapeFlags.COLLIDE_SHAPES) == [
            "ga",
            "gb",
        ]


def test_colliders_without_masks_are_in_group_zero():
    default = f'<default><default class="collision"><geom {NO_MASKS}/></default></default>'
    b = built('<body><freejoint/><geom size=".1"/><geom size=".1" class="collision"/></body>', default)
    assert b.shape_collision_group[:] == [1, 0]
    assert SolverMuJoCo(b.finalize("cpu")).mj_model.geom_contype.tolist() == [1, 0]


def test_colliders_are_shown_where_nothing_else_is():
    visual = f'<geom name="v" size=".1" {NO_MASKS}/>'
    world = '<geom name="floor" type="plane" size="1 1 1"/><body><geom name="c" size=".1"/>{}</body>'
    assert flagged(built(world.format("")), ShapeFlags.VISIBLE) == ["c", "floor"]
    assert flagged(built(world.format(visual)), ShapeFlags.VISIBLE) == ["v", "floor"]
    assert flagged(built(world.format(visual), force_show_colliders=True), ShapeFlags.VISIBLE) == ["c", "v", "floor"]
    assert flagged(built(world.format(visual), hide_visuals=True), ShapeFlags.VISIBLE) == ["floor"]


def test_planes_are_endless_and_keep_their_size_for_pictures():
    b = built('<geom type="plane" size="5 4 .1"/>')
    assert list(b.shape_scale[0]) == [0, 0, 0]
    assert_close(SolverMuJoCo(b.finalize("cpu")).mj_model.geom_size[0], [5, 4, 0.1], "authored")


def test_self_collisions_are_filtered_among_what_collides():
    b = built(
        f'<body><geom size=".1"/><geom size=".1" {NO_MASKS}/><body><joint/><geom size=".1"/></body></body>',
        enable_self_collisions=False,
    )
    assert {tuple(sorted(pair)) for pair in b.shape_collision_filter_pairs} == {(0, 2)}


def test_limits_of_controls_stay_as_authored_and_mean_the_same():
    rest = '<actuator><motor joint="j" ctrlrange="-1 2"/><motor joint="j"/><motor joint="j" ctrllimited="true" ctrlrange="-1 1"/></actuator>'
    b = built('<body><joint name="j"/><geom size=".1"/></body>', rest)
    assert b.custom_attributes["mujoco:actuator_ctrllimited"].array(3).tolist() == [2, 2, 1]
    assert SolverMuJoCo(b.finalize("cpu")).mj_model.actuator_ctrllimited.tolist() == [1, 0, 1]


def test_what_is_fixed_to_a_floating_root_without_mass_becomes_part_of_it():
    inner = '<inertial pos="0 0 0" mass="2" diaginertia=".1 .1 .1"/><body name="s" pos="0 0 1"><inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/></body>'
    b = built(
        f'<body name="base"><freejoint/><body name="chassis">{inner}</body></body>', collapse_massless_fixed_root=True
    )
    assert names(b.body_label) == ["base", "s"] and b.body_mass[:] == [2.0, 1.0]


def write(folder, **files: str) -> str:
    """Files in a folder; the path of main.xml."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_xml", ".xml").replace("_obj", ".obj")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if text.startswith("v ") else f"<mujoco>{text}</mujoco>")
    return str(folder / "main.xml")


ASSET = '<asset><mesh name="{0}" file="{1}"/></asset><worldbody><body name="{0}"><geom type="mesh" mesh="{0}"/></body></worldbody>'


@pytest.mark.parametrize(
    "files",
    [
        {
            "main_xml": '<include file="robot/robot.xml"/>',
            "robot__robot_xml": ASSET.format("m", "meshes/m.obj"),
            "robot__meshes__m_obj": CUBE,
        },
        {
            "main_xml": '<include file="robot/robot.xml"/>',
            "robot__robot_xml": '<compiler meshdir="own"/>' + ASSET.format("m", "m.obj"),
            "robot__own__m_obj": CUBE,
        },
        {
            "main_xml": '<compiler meshdir="all"/><include file="robot/robot.xml"/>',
            "robot__robot_xml": ASSET.format("m", "m.obj"),
            "all__m_obj": CUBE,
        },
        {
            "main_xml": '<include file="a.xml"/>' + ASSET.format("n", "n.obj"),
            "a_xml": '<compiler meshdir="own"/>' + ASSET.format("m", "m.obj"),
            "own__m_obj": CUBE,
            "n_obj": CUBE,
        },
        {
            "main_xml": '<include file="sub/a.xml"/>',
            "sub__a_xml": '<include file="b.xml"/>',
            "sub__b_xml": ASSET.format("m", "m.obj"),
            "m_obj": CUBE,
        },
    ],
)
def test_assets_of_included_files_are_found_beside_them(tmp_path, files):
    builder = ModelBuilder()
    builder.add_mjcf(write(tmp_path, **files))
    assert builder.shape_count == builder.body_count > 0


def test_a_file_may_be_included_twice(tmp_path):
    builder = ModelBuilder()
    builder.add_mjcf(
        write(
            tmp_path,
            main_xml='<worldbody><include file="g.xml"/><body><include file="g.xml"/></body></worldbody>',
            g_xml='<geom size=".1"/>',
        )
    )
    assert builder.shape_count == 2


def test_a_resolver_may_answer_with_the_text_of_an_include(tmp_path):
    asked = []

    def resolver(base, path):
        asked.append((base, path))
        return '<mujoco><worldbody><body name="b"><geom size=".1"/></body></worldbody></mujoco>'

    for source in (write(tmp_path, main_xml='<include file="any.xml"/>'), '<mujoco><include file="any.xml"/></mujoco>'):
        builder = ModelBuilder()
        builder.add_mjcf(source, path_resolver=resolver)
        assert names(builder.body_label) == ["b"]
    assert asked == [(str(tmp_path), "any.xml"), (None, "any.xml")]


def test_files_that_do_not_exist_are_of_pythons_kind_too():
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        ModelBuilder().add_mjcf("nowhere.xml")
    with pytest.raises(KeyError, match="there is no joint 'k'"):
        built("", '<actuator><motor joint="k"/></actuator>')


def test_what_is_left_out_is_logged_too_where_asked(caplog):
    with pytest.warns(NewtonWarning, match="there is no body 'x'"):
        built('<body name="b"/>', '<contact><exclude body1="b" body2="x"/></contact>', verbose=True)
    assert "<exclude>" in caplog.text


def test_lengths_of_contacts_and_servos_scale():
    rest = '<actuator><position joint="s" ctrlrange="-1 1"/><position joint="h" ctrlrange="-1 1"/><motor joint="s" ctrlrange="-1 1"/></actuator>'
    world = '<body><joint name="s" type="slide" range="-1 1" margin=".1"/><joint name="h"/><geom name="a" size=".1" margin=".02" gap=".01"/></body><geom name="b" size=".1" pos="9 0 0"/>'
    b = built(world, rest + '<contact><pair geom1="a" geom2="b" margin=".1" gap=".02"/></contact>', scale=2.0)
    assert_close([b.shape_margin[0], b.shape_gap[0]], [0.04, 0.02], "authored")
    assert_close(
        [values(b, "pair_margin")[0], values(b, "pair_gap")[0], values(b, "limit_margin")[0]],
        [0.2, 0.04, 0.2],
        "authored",
    )
    assert_close(np.array(values(b, "actuator_ctrlrange")), [[-2, 2], [-1, 1], [-1, 1]], "authored")


def test_without_visuals_what_collides_is_seen():
    text = """<mujoco><worldbody><body><geom size=".1"/><geom type="box" size=".1 .1 .1" contype="0" conaffinity="0"/>
    </body></worldbody></mujoco>"""
    flags = {}
    for parsed in (True, False):
        builder = ModelBuilder()
        builder.add_mjcf(text, parse_visuals=parsed)
        flags[parsed] = builder.shape_flags[0]
    assert not flags[True] & ShapeFlags.VISIBLE and flags[False] & ShapeFlags.VISIBLE

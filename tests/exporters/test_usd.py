"""Models written as USD come back as they were: fields of the compiled model, and what the files are like."""

import numpy as np
import pytest

import newtonlite
from conformance.usd_mjcf import compiled
from conformance.usd_round_trip import differences, validated
from newtonlite.cli.main import main
from newtonlite.core.errors import ModelError
from newtonlite.exporters.usd import save_usd
from newtonlite.images.png import read_png
from newtonlite.importers.report import Report
from newtonlite.models import path as path_of
from tests.tolerance import assert_close, tolerance

EVERYTHING = """
<mujoco model="every thing">
  <option timestep="0.015" integrator="implicitfast" cone="elliptic" impratio="3" gravity="0 1 -5">
    <flag energy="enable" gravity="disable" sleep="enable"/>
  </option>
  <asset>
    <mesh name="wedge" scale="1 -1 2" vertex="0 0 0  1 0 0  0 1 0  0 0 1  1 1 1"/>
    <hfield name="hills" nrow="3" ncol="4" size="2 1 .5 .1" elevation="0 1 2 3 1 2 3 4 0 0 1 0"/>
    <texture name="check" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="8" height="4"/>
    <material name="red" rgba="1 0 0 .5" texture="check" roughness=".3" metallic=".6"/>
  </asset>
  <worldbody>
    <geom name="hills" type="hfield" hfield="hills"/>
    <geom name="floor" type="plane" size="2 3 .1" pos="0 0 -1" friction=".7"/>
    <body name="anchor" pos="0 0 2"/>
    <body name="moved" mocap="true" pos="3 0 1"><geom size=".1" contype="0" conaffinity="0"/>
      <body name="carried" pos="0 0 1"><joint name="swing"/><geom size=".1"/></body>
    </body>
    <body name="trunk" pos="0 0 3" quat="1 .2 .3 .1" gravcomp=".5" sleep="never">
      <joint name="root" type="free" armature=".2" damping=".3" frictionloss=".1"/>
      <geom name="wedge" type="mesh" mesh="wedge" material="red" margin=".02" gap=".01" condim="4" priority="2"/>
      <geom name="pod" type="ellipsoid" size=".1 .2 .3" pos="1 0 0" solref="-100 -3" solimp=".5 .8 .01" adhesion="2"/>
      <site name="s1" pos=".1 .2 .3" type="box" size=".1 .2 .3"/>
      <body name="arm" pos=".5 0 0" euler="20 30 40">
        <joint name="hip x" axis="1 .2 0" range="-20 50" ref="5" springref="10" stiffness="3 .1" damping="2" margin=".01"/>
        <joint name="hip y" axis="0 1 0" pos="0 0 .1" armature=".03" actuatorfrcrange="-2 3"/>
        <geom name="tube" type="cylinder" size=".1 .3" rgba="0 1 0 1" group="4"/>
        <site name="s2" pos="0 0 .5"/>
        <body name="ball" pos="0 0 -.5">
          <joint name="ball" type="ball" range="0 40" limited="true" solreflimit=".05 .9"/>
          <geom name="b" size=".1"/>
          <body name="welded" pos="0 .3 0"><geom name="plate" material="red" type="box" size=".1 .1 .2" contype="2" conaffinity="3"/></body>
        </body>
      </body>
    </body>
    <body name="cart" pos="4 0 0">
      <joint name="slide" type="slide" axis="-1 0 1" range="-1 2" frictionloss=".2"/>
      <geom name="cart" type="capsule" fromto="0 0 0 .3 .3 .3" size=".05"/>
      <site name="s3" pos=".1 0 0"/>
    </body>
  </worldbody>
  <contact>
    <pair geom1="floor" geom2="cart" friction="1 2 .1 .1 .1" solref=".03 .8"/>
    <exclude body1="arm" body2="welded"/>
    <exclude body1="world" body2="cart"/>
  </contact>
  <tendon>
    <fixed name="sum"><joint joint="hip x" coef="2"/><joint joint="slide" coef="-1"/></fixed>
    <fixed name="other"><joint joint="hip y" coef="1"/></fixed>
    <spatial name="string" range="0 9" limited="true" stiffness="3 .1" damping="1">
      <site site="s1"/><geom geom="b" sidesite="s2"/><site site="s3"/><pulley divisor="2"/><site site="s1"/><site site="s2"/>
    </spatial>
  </tendon>
  <equality>
    <connect body1="trunk" body2="cart" anchor=".1 .2 .3"/>
    <weld body1="welded" body2="arm" anchor=".1 0 0" torquescale=".5" active="false"/>
    <weld site1="s1" site2="s3" solref=".1 1"/>
    <joint joint1="hip x" joint2="slide" polycoef=".1 .2 .3 0 0"/>
    <tendon tendon1="sum" tendon2="other" polycoef="0 .5 0 0 0"/>
  </equality>
  <actuator>
    <position name="p" joint="hip x" kp="20" kv="1" ctrlrange="-1 1"/>
    <motor name="m" joint="ball" gear="1 2 3"/>
    <muscle name="t" tendon="string" lengthrange=".1 2"/>
    <general name="s" site="s3" refsite="s1" gear="0 0 1 0 0 0" dyntype="filter" dynprm=".3" actlimited="true" actrange="-1 2"/>
    <adhesion name="a" body="cart" ctrlrange="0 1" gain="3"/>
    <motor name="f" joint="root" gear="1 0 0 0 2 0"/>
    <pid name="i" joint="hip y" kp="3" ki=".2" input="pos vel ff" velrange="-2 2" ffrange="-3 3"/>
  </actuator>
  <sensor>
    <framepos name="where" objtype="body" objname="arm" reftype="site" refname="s3" noise=".1"/>
    <jointpos joint="hip x" cutoff="2"/>
    <ballquat joint="ball"/>
    <tendonpos tendon="sum"/>
    <actuatorfrc actuator="m" nsample="4" interp="linear" delay=".03"/>
    <touch site="s2"/>
    <subtreecom body="trunk"/>
    <rangefinder site="s1" data="dist normal" interval=".1 -.02"/>
    <contact subtree1="cart" geom2="floor" num="3" data="found force dist" reduce="maxforce"/>
    <distance geom1="pod" body2="ball"/>
    <insidesite objtype="geom" objname="pod" site="s3" enclosed="true"/>
    <user dim="2" datatype="real" needstage="vel" objtype="joint" objname="root" user="1 2"/>
    <clock/>
  </sensor>
  <keyframe>
    <key name="k" time="2" qpos=".1 0 0 3 1 0 0 0 .1 .2 1 0 0 0 .3" ctrl="1 2 3 4 .5 6 7"/>
  </keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """The compiled model of nearly every element, its file, and what it became."""
    model = compiled(lambda b: b.add_mjcf(EVERYTHING))
    path = save_usd(model, tmp_path_factory.mktemp("usd") / "every thing.usda", "every thing")
    return model, path, compiled(lambda b: b.add_usd(path, joint_ordering="authored", only_load_enabled_joints=False))


def test_every_field_comes_back(everything):
    model, _, back = everything
    assert model.nsensor == 13
    assert {name: error for error, name in differences(back, model) if error > tolerance("authored")} == {}


def test_layers_compose_to_the_same_stage(everything, tmp_path):
    from pxr import Sdf, Usd

    model, path, _ = everything
    outer = save_usd(model, tmp_path / "every thing.usda", "every thing", layers=True)
    folder = tmp_path / "payload"
    assert {file.stem for file in folder.glob("*.usda")} == {"contents", "materials", "physics", "geometry"}
    flat, layered = Usd.Stage.Open(str(path)), Usd.Stage.Open(str(outer))
    kept = lambda prim: (
        {a.GetName(): str(a.Get()) for a in prim.GetAttributes()} | {"apis": sorted(prim.GetAppliedSchemas())}
    )
    prims = {str(prim.GetPath()): kept(prim) for prim in flat.TraverseAll()}
    for name, values in prims.items():
        found = kept(layered.GetPrimAtPath(name))
        assert {k: v for k, v in found.items() if "file" not in k} == {
            k: v for k, v in values.items() if "file" not in k
        }
    geometry = Sdf.Layer.FindOrOpen(str(folder / "geometry.usda"))
    assert "physics:" not in geometry.ExportToString() and "mjc:" not in geometry.ExportToString()
    back = compiled(lambda b: b.add_usd(outer, joint_ordering="authored", only_load_enabled_joints=False))
    assert max(differences(back, model))[0] <= tolerance("authored")
    with pytest.raises(ModelError, match="a package has one layer"):
        save_usd(model, tmp_path / "a.usdz", layers=True)


def test_pictures_are_read_back_with_the_meshes_they_lie_on(everything):
    model, path, _ = everything
    builder = newtonlite.ModelBuilder()
    builder.add_usd(str(path), only_load_enabled_joints=False)
    wedge = builder.shape_source[list(builder.shape_label).index("/every_thing/Geometry/trunk/wedge")]
    picture = read_png((path.parent / "textures" / "check_0.png").read_bytes())
    assert picture.shape[:2] == (4, 8) and wedge.texture.endswith("textures/check_0.png")
    assert wedge.roughness == pytest.approx(0.3) and wedge.metallic == pytest.approx(0.6)


def test_keyframes_and_colours_come_back(everything):
    model, _, back = everything
    for name in ("key_time", "key_qpos", "key_ctrl", "key_qvel"):
        assert_close(getattr(back, name), getattr(model, name), "authored", floor=1.0)
    own = np.asarray(model.geom_matid) < 0
    assert_close(back.geom_rgba[own], model.geom_rgba[own], "authored", floor=1.0)
    wedge, plate = (list(model.names_geom).index(name) for name in ("wedge", "plate"))
    assert_close(back.geom_rgba[wedge], (1, 1, 1, 0.5), "authored", floor=1.0)  # its picture has the colour
    assert_close(back.geom_rgba[plate], (1, 0, 0, 0.5), "authored", floor=1.0)


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usdz", ".usd"])
def test_every_kind_of_file_holds_the_same(suffix, tmp_path, capsys):
    out = tmp_path / f"cartpole{suffix}"
    assert main(["convert", "cartpole", str(out)]) == 0
    assert "2 joints" in capsys.readouterr().out
    model = compiled(lambda b: b.add_mjcf(path_of("cartpole")))
    assert max(differences(compiled(lambda b: b.add_usd(out)), model))[0] <= tolerance("authored")


def test_files_stand_the_validators_of_openusd(everything, tmp_path):
    model, path, _ = everything
    assert validated(path) == []
    assert validated(save_usd(model, tmp_path / "layered.usda", layers=True)) == []


def test_names_that_are_no_identifiers_are_kept_for_people(everything):
    from pxr import Usd

    stage = Usd.Stage.Open(str(everything[1]))
    hip = stage.GetPrimAtPath("/every_thing/Geometry/trunk/arm/hip_x")
    assert hip.GetDisplayName() == "hip x"
    assert stage.GetDefaultPrim().GetPath() == "/every_thing" and stage.GetMetadata("metersPerUnit") == 1.0


def test_other_readers_get_the_masses_from_the_bodies_alone(everything):
    """UsdPhysics' attributes stand for themselves: without MuJoCo's and Newton's the bodies weigh the same."""
    model, path, _ = everything
    text = "\n".join(line for line in path.read_text().splitlines() if "newton:inertia" not in line)
    builder = newtonlite.ModelBuilder()
    found = builder.add_usd(text, joint_ordering="authored", schema_resolvers=[], on_unsupported="warn")
    names = [path.rpartition("/")[2] for path in found["path_body_map"]]
    weights = {str(name): mass for name, mass in zip(model.names_body, model.body_mass)}
    moving = [name for name in names if weights[name] > 0]
    assert len(moving) == 7
    for name, path in zip(names, found["path_body_map"]):
        if weights[name] > 0:
            assert_close(builder.body_mass[found["path_body_map"][path]], weights[name], "authored")


def test_geoms_that_collide_by_a_distance_field_still_do(tmp_path):
    text = """<mujoco><asset><mesh name="m" vertex="0 0 .08 .07 0 -.02 -.04 .065 -.02 -.04 -.065 -.02"/></asset>
        <worldbody><geom type="sdf" mesh="m"/><geom type="mesh" mesh="m" pos="1 0 0"/><body pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    model = compiled(lambda b: b.add_mjcf(text))
    back = compiled(lambda b: b.add_usd(str(save_usd(model, tmp_path / "a.usda"))))
    assert back.geom_type.tolist() == model.geom_type.tolist() == [8, 7, 2]
    assert len(model.oct_coeff) and back.oct_coeff.shape == model.oct_coeff.shape
    assert max(differences(back, model))[0] <= tolerance("authored")


def test_what_has_no_place_is_reported(tmp_path):
    text = '<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><light/><camera name="c" resolution="2 2"/><body><freejoint/><geom size=".1"/><site name="s"/></body></worldbody><sensor><clock/><camprojection site="s" camera="c"/></sensor></mujoco>'
    report = Report("warn")
    save_usd(compiled(lambda b: b.add_mjcf(text)), tmp_path / "a.usda", report=report)
    assert {group.what for group in report.ignored} == {"light", "camera", "camprojection", "mesh"}
    with pytest.raises(ModelError, match=r"ends in '\.txt'"):
        save_usd(None, tmp_path / "a.txt")

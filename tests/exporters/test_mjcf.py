"""What we write, MuJoCo reads as the model that was written."""

import pytest

from newtonlite.core.errors import ModelError
from newtonlite.exporters.mjcf import save_mjcf, write_mjcf
from tests.harness.export_scenes import SCENES, scene
from tests.harness.same_model import differences
from tests.oracle import ROOT, compile_xml, model_names, small_model

ASSETS = ROOT.parent / "shared" / "assets" / "mjcf"
REAL = ("mujoco_model/humanoid/humanoid.xml", "unitree_g1/g1_29dof.xml", "so101/so101_new_calib.xml")


def again(model):
    """MuJoCo's model of what we write."""
    return compile_xml(*write_mjcf(model))


@pytest.mark.parametrize("name", SCENES)
def test_sections(name):
    model = compile_xml(scene(name))
    assert not differences(model, again(model))


@pytest.mark.parametrize("name", model_names())
def test_small_models(name):
    model = small_model(name)
    assert not differences(model, again(model))


@pytest.mark.skipif(not ASSETS.is_dir(), reason="needs the folder of real robots beside the project")
@pytest.mark.parametrize("path", REAL)
def test_real_models(path):
    if not (ASSETS / path).is_file():
        pytest.skip("this model is not there")
    model = compile_xml(ASSETS / path)
    assert not differences(model, again(model))


def test_what_is_spoken_of_gets_a_name():
    text = scene("without names").replace("<sensor/>", "")
    model = compile_xml(
        text.replace("<joint/>", "<joint name='x'/>", 1).replace(
            "</mujoco>", "<sensor><jointpos joint='x'/></sensor></mujoco>"
        )
    )
    plain = compile_xml(text)
    written, _ = write_mjcf(model)
    assert 'joint="x"' in written and "name=" not in write_mjcf(plain)[0].replace('model=""', "")


def test_textures_go_beside_the_file(tmp_path):
    path = save_mjcf(compile_xml(scene("looks")), tmp_path / "scene.xml")
    assert [p.name for p in sorted((tmp_path / "scene_textures").iterdir())] == ["sky_1.png", "t_0.png"]
    assert not differences(compile_xml(scene("looks")), compile_xml(path))


def test_text_that_xml_cannot_hold_is_refused_and_the_rest_is_quoted():
    model = compile_xml("<mujoco/>")
    with pytest.raises(ModelError, match=r"MJCF writer: mujoco model 'a\\x07b': XML has no control characters"):
        write_mjcf(model, name="a\x07b")
    assert compile_xml(write_mjcf(model, name='<a "b" & c>')[0]).names.split(b"\0")[0] == b'<a "b" & c>'

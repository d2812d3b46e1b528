"""What we write, MuJoCo reads as the model that was written."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.exporters.mjcf import save_mjcf, write_mjcf
from tests.exporters.scenes import SCENES, scene
from tests.importers.fields import compare
from tests.oracle import ROOT, compile_xml, model_names, small_model
from tests.tolerance import tolerance

ASSETS = ROOT.parent / "shared" / "assets" / "mjcf"
REAL = ("mujoco_model/humanoid/humanoid.xml", "unitree_g1/g1_29dof.xml", "so101/so101_new_calib.xml")
FRAMES = ("mesh_pos", "mesh_quat", "geom_pos", "geom_quat", "geom_size", "geom_aabb", "geom_rbound")
"""Fields that follow the axes of meshes."""


def differences(model, back) -> dict[str, float]:
    """The fields that are not the same; meshes may turn within their frames as long as their points stay where they are."""
    errors = compare(model, back)
    if model.nmesh:
        one, two = mesh_points(model), mesh_points(back)
        size = max(np.abs(one).max(initial=0.0), 1.0)
        errors = {name: error for name, error in errors.items() if name not in FRAMES or error > tolerance("mesh frame")}
        errors["mesh points"] = np.abs(one - two).max(initial=0.0) / size if one.shape == two.shape else np.inf
        errors.pop("mesh_vert", None)
    return {name: error for name, error in errors.items() if error > tolerance("compiled") and name != "tex_colorspace"}


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


def mesh_points(model) -> np.ndarray:
    """The vertices of all mesh geoms [n, 3] in the frames of their bodies."""
    found = [np.zeros((0, 3))]
    for g in np.flatnonzero(model.geom_type == 7):
        mesh = model.geom_dataid[g]
        start = model.mesh_vertadr[mesh]
        w, x, y, z = model.geom_quat[g]
        turn = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]  # fmt: skip
        found.append(model.mesh_vert[start : start + model.mesh_vertnum[mesh]] @ np.transpose(turn) + model.geom_pos[g])
    return np.concatenate(found)


@pytest.mark.skipif(not ASSETS.is_dir(), reason="needs the folder of real robots beside the project")
@pytest.mark.parametrize("path", REAL)
def test_real_models(path):
    if not (ASSETS / path).is_file():
        pytest.skip("this model is not there")
    model = compile_xml(ASSETS / path)
    assert not differences(model, again(model))


def test_what_is_spoken_of_gets_a_name():
    text = scene("without names").replace("<sensor/>", "")
    model = compile_xml(text.replace("<joint/>", "<joint name='x'/>", 1).replace("</mujoco>", "<sensor><jointpos joint='x'/></sensor></mujoco>"))
    plain = compile_xml(text)
    written, _ = write_mjcf(model)
    assert 'joint="x"' in written and "name=" not in write_mjcf(plain)[0].replace('model=""', "")


def test_textures_go_beside_the_file(tmp_path):
    path = save_mjcf(compile_xml(scene("looks")), tmp_path / "scene.xml")
    assert [p.name for p in sorted((tmp_path / "scene_textures").iterdir())] == ["sky_1.png", "t_0.png"]
    assert not differences(compile_xml(scene("looks")), compile_xml(path))


@pytest.mark.parametrize("what, text", [("flexes", "<worldbody><flexcomp name='f' type='grid' count='3 3 1' spacing='.1 .1 .1' dim='2'/></worldbody>")])
def test_what_cannot_be_written_is_named(what, text):
    with pytest.raises(ModelError, match=f"MJCF writer: {what} are not supported"):
        write_mjcf(compile_xml(f"<mujoco>{text}</mujoco>"))

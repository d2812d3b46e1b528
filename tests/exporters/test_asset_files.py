"""Files of meshes and height fields beside a written model."""

import numpy as np
import pytest

from newtonlite.cli.main import main
from newtonlite.exporters.mjcf import save_mjcf, write_mjcf
from newtonlite.exporters.mjcf.asset_files import AssetFiles, msh, obj, stl
from newtonlite.importers.mjcf.mesh_files import read_msh, read_obj, read_stl
from newtonlite.mjwarp import load
from tests.oracle import compile_xml
from tests.tolerance import assert_close

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 0.3], [1.1, 0.2, 0.7]], np.float32)
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 4], [2, 3, 4], [3, 1, 4], [0, 3, 2]])
MESHES = {"a wheel.STL": stl(POINTS, FACES), "part/hull.obj": obj(POINTS, FACES), "old.msh": msh(POINTS, FACES)}
MODEL = """<mujoco><asset><mesh name="wheel" file="a wheel.STL"/><mesh file="part/hull.obj"/><mesh name="mirrored" file="part/hull.obj" scale="-1 1 2"/>
  <mesh name="old" file="old.msh"/><mesh name="own" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><mesh name="lost" file="part/hull.obj" inertia="shell"/>
  <hfield name="hills" nrow="3" ncol="4" size="1 1 .5 .1" elevation="0 1 2 3 4 5 6 7 8 9 10 11"/></asset>
  <worldbody><geom type="hfield" hfield="hills"/><body><freejoint/><geom type="mesh" mesh="wheel"/><geom type="mesh" mesh="hull"/>
  <geom type="mesh" mesh="mirrored"/><geom type="mesh" mesh="old"/><geom type="mesh" mesh="own"/></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def model():
    return load(MODEL, MESHES)


@pytest.mark.parametrize(("write", "read"), [(stl, read_stl), (obj, read_obj), (msh, read_msh)])
def test_a_mesh_file_brings_back_its_vertices_and_faces(write, read):
    points = POINTS[
        FACES.ravel()[np.sort(np.unique(FACES.ravel(), return_index=True)[1])]
    ]  # by first use, as STL has them
    order = [int(np.flatnonzero((points == p).all(axis=1))[0]) for p in POINTS]
    faces = np.array(order)[FACES]
    found, again = read(write(points, faces))
    assert np.array_equal(found.astype(np.float32), points) and np.array_equal(again, faces)


def test_meshes_keep_the_names_and_kinds_of_their_files(model):
    text, files = write_mjcf(model, folder="robot_")
    names = {name.rpartition("/")[2] for name in files}
    assert names == {"a_wheel.STL", "hull.obj", "old.msh", "own.obj", "hills.hf"}
    assert all(name.startswith("robot_meshes/") for name in files)
    assert "vertex=" not in text and "elevation=" not in text and text.count("meshes/hull.obj") == 3


def test_what_is_written_is_the_same_model_to_mujoco_and_to_us(model):
    text, files = write_mjcf(model)
    back, ours = compile_xml(text, files), load(text, files)
    for name in ("geom_pos", "geom_quat", "geom_size", "body_mass", "body_inertia", "hfield_data"):
        want = np.asarray(getattr(model, name), float)
        for found in (back, ours):
            assert_close(np.asarray(getattr(found, name), float).reshape(want.shape), want, "compiled")
    for found in (back, ours):  # each face from its lowest corner on
        one, two = (np.array([np.roll(f, -np.argmin(f)) for f in m.mesh_face]) for m in (found, model))
        assert np.array_equal(one, two)


def test_inline_meshes_stand_in_the_text(model):
    text, files = write_mjcf(model, inline=True)
    assert not files and "vertex=" in text and "elevation=" in text
    assert compile_xml(text).nmesh == model.nmesh


def test_a_round_trip_grows_neither_text_nor_files(model, tmp_path):
    sizes = []
    for k in range(3):
        folder = tmp_path / str(k)
        folder.mkdir()
        path = save_mjcf(model, folder / "robot.xml")
        files = {str(f.relative_to(folder)): f.stat().st_size for f in folder.rglob("*") if f.is_file()}
        sizes.append(files)
        model = load(path)
    assert set(sizes[0]) == set(sizes[1]) == set(sizes[2])
    assert sum(sizes[2].values()) <= 1.15 * sum(sizes[0].values())  # numbers get all their digits


def test_files_of_one_name_and_another_content_are_kept_apart():
    files = AssetFiles()
    paths = [files.mesh("a.obj", POINTS * k, FACES) for k in (1, 2, 1)]
    assert paths == ["meshes/a.obj", "meshes/a_1.obj", "meshes/a.obj"]


@pytest.mark.parametrize("name", ["../../etc/x.obj", "/abs/x.obj", "..", "a\\..\\b.stl", "x.dae", "", "CON:.obj"])
def test_names_of_files_stay_in_their_folder(name):
    path = AssetFiles().mesh(name or "x", POINTS, FACES)
    assert path.startswith("meshes/") and path.count("/") == 1 and not path.endswith("/..")


def test_convert_writes_meshes_beside_the_model_or_inline(tmp_path):
    for name, data in MESHES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "in.xml").write_text(MODEL)
    assert main(["convert", str(tmp_path / "in.xml"), str(tmp_path / "out.xml")]) == 0
    assert (tmp_path / "out_meshes" / "a_wheel.STL").is_file()
    assert main(["convert", str(tmp_path / "in.xml"), str(tmp_path / "one" / "out.xml"), "--inline"]) == 0
    assert [f.name for f in (tmp_path / "one").iterdir()] == ["out.xml"]


def test_a_trip_through_usd_keeps_meshes_names_and_files(model, tmp_path):
    pytest.importorskip("pxr")
    from newtonlite.cli.convert import compile_source
    from newtonlite.exporters.usd import save_usd

    counts, sizes = [], []
    for k in range(2):
        model = compile_source(save_usd(model, tmp_path / f"{k}.usdc"))
        text, files = write_mjcf(model)
        counts.append(sorted(name.rpartition("/")[2] for name in files))
        sizes.append(len(text))
    assert counts[0] == counts[1] and {"a_wheel.STL", "hull.obj", "own.obj"} <= set(counts[0])
    assert sizes[1] <= sizes[0] + 20
    assert {"wheel", "hull", "own"} <= set(model.names_mesh)

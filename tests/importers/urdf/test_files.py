"""Where mesh files are looked for, and what is made of them."""

import os
import struct
import warnings

import numpy as np
import pytest

from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.geometry.mesh import Mesh
from newtonlite.importers.urdf.translate import stl
from newtonlite.sim.builder import ModelBuilder
from tests.harness.urdf_robots import built, link, robot
from tests.tolerance import tolerance

CUBE = Mesh.create_box(1.0, 1.0, 1.0)
STL = stl(CUBE.vertices, CUBE.triangles)
OBJ = b"mtllib none.mtl\no one\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1/1 2/2 3/3 4/4\nf 1 2 5\no two\nf -1 -2 -3\nf 1 5 4\n"
MSH = struct.pack("<4i", len(CUBE.vertices), 0, 0, len(CUBE.triangles))
MSH += np.asarray(CUBE.vertices, "<f4").tobytes() + np.asarray(CUBE.triangles, "<i4").tobytes()
ASCII = b"solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n"
DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="cm" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array><technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/><vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>
<lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1</p></lines>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>100 0 0</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>
<node><matrix>1 0 0 0 0 1 0 0 0 0 1 100 0 0 0 1</matrix><instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def shaped(name: str, tag: str = "collision", scale: str = "1 1 1") -> str:
    """A robot with one mesh."""
    return robot(link("a", f"<{tag}><geometry><mesh filename='{name}' scale='{scale}'/></geometry></{tag}>"))


@pytest.mark.parametrize(
    "name, data, faces",
    [
        ("m.stl", STL, 12),
        ("M.STL", STL, 12),
        ("m.obj", OBJ, 5),
        ("m.stl", ASCII, 1),
        ("m.dae", DAE.encode(), 2),
        ("m.msh", MSH, 12),
    ],
)
def test_kinds_of_files(name, data, faces):
    builder, _ = built(shaped(name, "visual"), assets={name: data})
    assert len(builder.shape_source[0].triangles) == faces


def test_collada_has_transformations_and_a_unit():
    builder, _ = built(shaped("m.dae", "visual"), assets={"m.dae": DAE.encode()})
    want = np.array([[1, 0, 2], [1, 0.02, 2], [0.98, 0.02, 2], [0.98, 0, 2]])
    assert np.allclose(builder.shape_source[0].vertices, want, rtol=0, atol=tolerance("authored"))


def test_scale_counts_for_shape_and_mass():
    builder, _ = built(shaped("m.stl", scale="1 2 3"), assets={"m.stl": STL})
    volume = np.prod(np.ptp(CUBE.vertices, axis=0))
    assert tuple(builder.shape_scale[0]) == (1, 2, 3)
    assert np.allclose(builder.body_mass[0], 6000 * volume, rtol=tolerance("authored"))


def test_shapes_of_a_file_share_it():
    text = robot(*(link(n, "<visual><geometry><mesh filename='m.stl'/></geometry></visual>") for n in "ab"))
    builder, _ = built(text, assets={"m.stl": STL})
    assert builder.shape_source[0] is builder.shape_source[1]


@pytest.fixture
def tree(tmp_path):
    """A robot package with meshes, and one beside it."""
    for folder in ("robot/urdf", "robot/meshes", "hand/meshes", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    for path in ("robot/urdf/beside.stl", "robot/meshes/own.stl", "hand/meshes/other.stl", "elsewhere/far.stl"):
        (tmp_path / path).write_bytes(STL)
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "beside.stl",
        "./beside.stl",
        "../meshes/own.stl",
        "meshes/own.stl",
        "package://robot/meshes/own.stl",
        "package://hand/meshes/other.stl",
        "model://robot/meshes/own.stl",
        "package://unknown/meshes/own.stl",
        "file://beside.stl",
    ],
)
def test_places(tree, name):
    path = tree / "robot" / "urdf" / "r.urdf"
    path.write_text(shaped(name))
    assert built(path)[0].shape_count == 1


def test_package_dirs(tree):
    path = tree / "robot" / "urdf" / "r.urdf"
    path.write_text(shaped("package://far_away/far.stl"))
    with pytest.warns(NewtonWarning, match="Could not resolve URI.*package_dirs"):
        assert built(path)[0].shape_count == 0
    (tree / "elsewhere").rename(tree / "far_away")
    assert built(path, package_dirs=[str(tree / "far_away")])[0].shape_count == 1


@pytest.mark.parametrize("convention", ["newton", "mujoco"])
def test_the_mesh_folder_of_the_compiler_settings(tree, convention):
    path = tree / "robot" / "r.urdf"
    text = shaped("package://lost/own.stl").replace(
        'name="r">', 'name="r"><mujoco><compiler meshdir="meshes"/></mujoco>'
    )
    path.write_text(text)
    assert built(path, convention=convention)[0].shape_count == 1


@pytest.mark.parametrize(
    "name, message",
    [
        ("", "names no file"),
        ("http://x/y.stl", "is not a path of a file on this machine"),
        ("../../elsewhere/far.stl", "is outside the robot's root"),
        ("package://robot/../../../../../../../../etc/hostname", "does not exist|outside"),
        ("file://host/x.stl", "names another machine"),
        ("file:///x.stl?version=2", "Invalid local file URI"),
    ],
)
def test_files_that_cannot_be_had(tree, name, message):
    path = tree / "robot" / "urdf" / "r.urdf"
    path.write_text(shaped(name))
    with pytest.raises(ParseError, match=rf"r\.urdf:1:\d+: <mesh> filename: .*({message})"):
        built(path, allow_outside=False)


@pytest.mark.parametrize("part", ["visual", "collision"])
@pytest.mark.parametrize(
    "name", ["none.stl", "package://../elsewhere/far.stl", "a.xyz", "9" * 5000 + ".stl", "file:///none.stl"]
)
def test_shapes_of_files_that_do_not_exist_are_left_out_with_a_warning(tree, name, part):
    path = tree / "robot" / "urdf" / "r.urdf"
    path.write_text(shaped(name, part))
    with pytest.warns(NewtonWarning, match=r"r\.urdf:1:\d+: <mesh> filename: file '.*' does not exist"):
        assert built(path)[0].shape_count == 0


def test_files_elsewhere_are_read(tree, monkeypatch):
    path = tree / "robot" / "urdf" / "r.urdf"
    path.write_text(shaped("../../elsewhere/far.stl"))
    assert built(path)[0].shape_count == 1
    monkeypatch.setenv("NEWTONLITE_ALLOW_OUTSIDE", "0")
    with pytest.raises(ParseError, match="outside the robot's root"):
        built(path)
    assert built(path, allow_outside=True)[0].shape_count == 1


@pytest.mark.parametrize(
    "name",
    [
        "{}/elsewhere/far.stl",
        "file://localhost{}/elsewhere/far.stl",
        "file:{}/elsewhere/far.stl",
        "FILE://{}/elsewhere/far.stl",
    ],
)
def test_absolute_paths_and_uris(tree, name):
    text = shaped(name.format(tree))
    assert built(text)[0].shape_count == 1


def test_packages_are_found_through_the_environment(tree, monkeypatch):
    (tree / "share" / "far_away").mkdir(parents=True)
    (tree / "elsewhere" / "far.stl").rename(tree / "share" / "far_away" / "far.stl")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tree))
    assert built(shaped("package://far_away/far.stl"))[0].shape_count == 1


def test_a_robot_is_named_by_a_uri(tree):
    path = tree / "robot" / "urdf" / "r.urdf"
    path.write_text(shaped("../meshes/own.stl"))
    for source in (path.as_uri(), "package://robot/urdf/r.urdf"):
        assert built(source, package_dirs=[str(tree)])[0].shape_count == 1
    with pytest.raises(FileNotFoundError, match="Could not resolve URI"):
        built("package://robot/urdf/none.urdf")


@pytest.mark.parametrize(
    "name, data",
    [
        ("m.stl", b""),
        ("m.stl", b"x" * 83),
        ("m.stl", b"\0" * 80 + b"\xff\xff\xff\x7f"),
        ("m.obj", b"v 0 0 0\n"),
        ("m.obj", b"v 0 0\nf 1 1 1"),
        ("m.obj", b"v 0 0 0\nf 1 2 3"),
        ("m.obj", b"v 0 0 nan\nf 1 1 1"),
        ("m.dae", b"<COLLADA/>"),
        ("m.dae", b"<!DOCTYPE x><COLLADA/>"),
        ("m.dae", DAE.replace("<vcount>4", "<vcount>9").encode()),
        ("m.xyz", b""),
    ],
)
def test_damaged_files(name, data):
    with pytest.raises(ParseError, match=r"<string>:1:\d+: <mesh> filename: file 'm\."):
        built(shaped(name), assets={name: data})


def test_a_missing_visual_may_be_left_out():
    builder = ModelBuilder()
    with pytest.warns(NewtonWarning, match="does not exist"):
        builder.add_urdf(shaped("none.stl", "visual"), on_unsupported="warn")
    assert builder.body_count == 1 and builder.shape_count == 0


OUTSIDE = {
    "a folder above": "package://{up}/secret/s.stl",
    "a folder beside one above": "package://secret/s.stl",
    "three slashes": "package:///secret/s.stl",
    "dots": "package://robot/../../secret/s.stl",
    "encoded dots": "package://robot/..%2f..%2fsecret/s.stl",
    "backslashes": "package://robot\\..\\..\\secret\\s.stl",
    "another scheme": "model://secret/s.stl",
    "capitals": "PACKAGE://secret/s.stl",
    "a linked folder": "package://linked/s.stl",
    "a linked file": "link.stl",
    "absolute": "{top}/secret/s.stl",
    "a URI": "file://{top}/secret/s.stl",
    "an encoded URI": "file://{top}/robot/%2e%2e/secret/s.stl",
}


@pytest.fixture
def guarded(tree):
    """A robot two folders deep in a package without a manifest, and a file outside."""
    (tree / "secret").mkdir()
    (tree / "secret" / "s.stl").write_bytes(STL)
    (tree / "robot" / "urdf" / "deep").mkdir()
    (tree / "robot" / "urdf" / "linked").symlink_to(tree / "secret")
    (tree / "robot" / "urdf" / "deep" / "link.stl").symlink_to(tree / "secret" / "s.stl")
    return tree


@pytest.mark.parametrize("how", OUTSIDE)
def test_a_robot_that_is_not_trusted_reads_nothing_outside(guarded, how):
    path = guarded / "robot" / "urdf" / "deep" / "r.urdf"
    path.write_text(shaped(OUTSIDE[how].format(top=guarded, up=guarded.name), "collision"))
    with pytest.raises(ParseError, match=r"is outside the robot's root|does not exist"), warnings.catch_warnings():
        warnings.simplefilter("error", NewtonWarning)
        try:
            built(path, allow_outside=False)
        except NewtonWarning as left_out:
            raise ParseError(str(left_out)) from None


def test_a_package_with_a_manifest_around_the_robot_is_its_own(guarded):
    path = guarded / "robot" / "urdf" / "deep" / "r.urdf"
    path.write_text(shaped("package:///robot/meshes/own.stl"))
    with pytest.raises(ParseError, match="is outside the robot's root"):
        built(path, allow_outside=False)
    (guarded / "robot" / "package.xml").write_text("<package/>")
    assert built(path, allow_outside=False)[0].shape_count == 1
    path.write_text(shaped("package://robot/../secret/s.stl"))
    with pytest.raises(ParseError, match="is outside the robot's root"):
        built(path, allow_outside=False)


def test_three_slashes_name_a_package_too(tree):
    path = tree / "robot" / "urdf" / "r.urdf"
    path.write_text(shaped("package:///hand/meshes/other.stl"))
    assert built(path)[0].shape_count == 1


def test_a_mesh_that_is_a_pipe_is_refused_not_waited_for(tree):
    os.mkfifo(tree / "robot" / "urdf" / "pipe.stl")
    path = tree / "robot" / "urdf" / "r.urdf"
    path.write_text(shaped("pipe.stl", "collision"))
    with pytest.raises(ParseError, match="filename: file 'pipe.stl' is a device or a pipe"):
        built(path)


BOX_OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
STRANGE = {
    "underscore.obj": BOX_OBJ.replace(b"1 0 0", b"1_0 0 0"),
    "script.obj": BOX_OBJ.replace(b"1 0 0", "١ 0 0".encode()),
    "corner.obj": BOX_OBJ.replace(b"f 1 3 2", "f １ 3 2".encode()),
    "large.obj": BOX_OBJ + b"f 1 2 99999999999999999999999\n",
    "pairs.obj": b"v 0 0 0\nv 1 0 0\nf 1 2\n",
    "points.obj": b"f 1 2 3\n",
    "nothing.msh": bytes(16),
    "corner.msh": np.array([4, 0, 0, 1], "<i4").tobytes() + bytes(48) + np.array([0, 1, 7], "<i4").tobytes(),
    "underscore.off": b"OFF\n3 1 0\n0 0 0\n1_0 0 0\n0 1 0\n3 0 1 2\n",
    "beyond.stl": bytes(80) + b"\1\0\0\0" + np.full(12, 1e38, "<f4").tobytes() + bytes(2),
}


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("convention", ["newton", "mujoco"])
def test_strange_mesh_files_end_in_an_error_with_a_place(name, convention):
    with pytest.raises(ParseError, match=r"^<string>:1:\d+: <mesh"):
        built(shaped(name, "collision"), assets={name: STRANGE[name]}, convention=convention)

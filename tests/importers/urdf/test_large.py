"""Mesh files with more than is read are refused in time, whatever their kind, with the words of MJCF's reader."""

import json
import re
import struct
import time

import pytest

from newtonlite.core.errors import ParseError
from newtonlite.schema.asset import MAX_FACES, MAX_VERTICES
from newtonlite.sim.builder import ModelBuilder
from tests.harness.urdf_robots import link, robot
from tests.importers.test_faults import SECONDS, huge_stl

VERTICES = f"the mesh has {MAX_VERTICES + 1} vertices; at most {MAX_VERTICES} are read, decimate it"
FACES = f"the mesh has {MAX_FACES + 1} faces; at most {MAX_FACES} are read, decimate it"


def glb(vertices: int, corners: int, nodes: int) -> bytes:
    """A scene that shows one mesh by many nodes, without its numbers."""
    mesh = {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}
    accessors = [
        {"count": vertices, "type": "VEC3", "componentType": 5126},
        {"count": corners, "type": "SCALAR", "componentType": 5125},
    ]
    text = json.dumps(
        {"asset": {"version": "2.0"}, "accessors": accessors, "meshes": [mesh], "nodes": nodes * [{"mesh": 0}]}
    ).encode()
    return struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text), len(text), b"JSON") + text


def collada(vertices: int, nodes: int) -> bytes:
    """A scene that shows one list of vertices with a triangle by many nodes."""
    node = "<node><instance_geometry url='#g'/></node>"
    return f"""<COLLADA><library_geometries><geometry id="g"><mesh>
        <source id="p"><float_array>{vertices * "0 1 2 "}</float_array><technique_common><accessor stride="3"/></technique_common></source>
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
        <library_visual_scenes><visual_scene id="s">{nodes * node}</visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def doubling(levels: int) -> bytes:
    """Nodes of a library, each of which names the next one twice."""
    twice = [2 * f"<instance_node url='#n{i + 1}'/>" for i in range(levels)]
    nodes = "".join(f"<node id='n{i}'>{inner}</node>" for i, inner in enumerate(twice))
    return f"""<COLLADA><library_nodes>{nodes}<node id="n{levels}"/></library_nodes>
        <library_visual_scenes><visual_scene id="s"><node><instance_node url="#n0"/></node></visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def ply(vertices: int, faces: int) -> bytes:
    return f"ply\nformat ascii 1.0\nelement vertex {vertices}\nproperty float x\nelement face {faces}\nend_header\n".encode()


LARGE = {
    "vertices.obj": (lambda: (MAX_VERTICES + 1) * b"v 0 0 0\n" + b"f 1 2 3\n", VERTICES),
    "faces.obj": (lambda: 4 * b"v 0 0 0\n" + (MAX_FACES + 1) * b"f 1 2 3\n", FACES),
    "places.stl": (huge_stl, VERTICES),
    "text.stl": (lambda: b"solid s\n" + (MAX_FACES + 1) * b"endfacet\n", FACES),
    "vertices.ply": (lambda: ply(MAX_VERTICES + 1, 1), VERTICES),
    "faces.ply": (lambda: ply(3, MAX_FACES + 1), FACES),
    "vertices.off": (lambda: f"OFF\n# some\n{MAX_VERTICES + 1} 1 0\n".encode(), VERTICES),
    "faces.off": (lambda: f"OFF 3 {MAX_FACES + 1} 0\n".encode(), FACES),
    "vertices.glb": (lambda: glb(MAX_VERTICES + 1, 3, 1), VERTICES),
    "faces.glb": (lambda: glb(3, 3 * MAX_FACES + 3, 1), FACES),
    "nodes.glb": (
        lambda: glb(1000, 3000, 5001),
        "the mesh has 5001000 vertices; at most 5000000 are read, decimate it",
    ),
    "nodes.dae": (lambda: collada(1000, 5001), "the mesh has 5001000 vertices; at most 5000000 are read, decimate it"),
}


@pytest.mark.parametrize("make, problem", LARGE.values(), ids=LARGE)
def test_more_than_is_read(request, make, problem):
    name = request.node.callspec.id
    text = robot(link("a", f"<collision><geometry><mesh filename='{name}'/></geometry></collision>"))
    assets, builder, start = {name: make()}, ModelBuilder(), time.process_time()
    with pytest.raises(ParseError, match=re.escape(f"<string>:1:53: <mesh> {problem}")):
        builder.add_urdf(text, assets=assets)
    assert time.process_time() - start < SECONDS
    assert builder.shape_count == 0


def test_nodes_that_name_each_other_twice_at_every_level():
    start = time.process_time()
    with pytest.raises(ParseError, match="cannot be read as a mesh .it shows more than 100000 nodes"):
        ModelBuilder().add_urdf(
            robot(link("a", "<collision><geometry><mesh filename='a.dae'/></geometry></collision>")),
            assets={"a.dae": doubling(40)},
        )
    assert time.process_time() - start < SECONDS


def test_headers_that_make_no_sense_are_left_to_the_readers():
    """Nothing is counted, and the message is that of a damaged file."""
    for name, data in (
        ("a.ply", b"ply\nelement vertex many\n"),
        ("a.off", b"OFF\nx y\n"),
        ("a.glb", b"glTF" + 30 * b"{"),
        ("a.stl", b"\0" * 20),
    ):
        text = robot(link("a", f"<collision><geometry><mesh filename='{name}'/></geometry></collision>"))
        with pytest.raises(ParseError, match=f"file '{name}' cannot be read as a mesh"):
            ModelBuilder().add_urdf(text, assets={name: data})

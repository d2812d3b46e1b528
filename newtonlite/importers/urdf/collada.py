"""COLLADA reader (.dae): the triangles of a scene, in metres. Its up axis is ignored, as ROS does."""

from collections import deque
from xml.etree import ElementTree

import numpy as np

from newtonlite.core.errors import ParseError
from newtonlite.core.numerals import plain, real, whole
from newtonlite.importers.mjcf.mesh_files import refuse_many
from newtonlite.importers.mjcf.read import parse

MAX_DEPTH = 64
"""Deepest nesting of nodes."""
MAX_NODES = 100_000
"""Most nodes of a scene: one that is named twice at every level doubles with each."""
Surface = tuple[np.ndarray, np.ndarray]


def read_collada(data: bytes) -> Surface:
    """Vertices [n, 3] and triangles [m, 3] of everything that the scene shows. ParseError, ValueError where it makes no
    sense.
    """
    parse(data, "<mesh>")  # bounds depth and size, and refuses document types, before the tree is built
    root = ElementTree.fromstring(data)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    ids = {"#" + e.get("id", ""): e for e in root.iter() if e.get("id")}
    scale = real(root.find("asset/unit").get("meter", "1")) if root.find("asset/unit") is not None else 1.0
    instance = root.find("scene/instance_visual_scene")
    scene = ids.get(instance.get("url")) if instance is not None else None
    surfaces: list[Surface] = []
    read: dict[str, Surface] = {}
    size = np.zeros(2, np.int64)
    if scene is None:
        surfaces = [geometry(e, ids) for e in root.iter("geometry")]
    else:
        waiting = deque((node, np.eye(4), 0) for node in scene.findall("node"))
        shown = len(waiting)
        while waiting:
            node, outer, depth = waiting.popleft()
            if depth > MAX_DEPTH:
                raise ParseError(f"nodes are nested more than {MAX_DEPTH} deep")
            pose = outer @ node_matrix(node)
            inner = node.findall("node") + [ids[e.get("url")] for e in node.findall("instance_node")]
            shown += len(inner)
            if shown > MAX_NODES:
                raise ParseError(f"it shows more than {MAX_NODES} nodes")
            waiting += [(child, pose, depth + 1) for child in inner]
            for use in node.findall("instance_geometry"):
                url = use.get("url")
                if url not in read:
                    read[url] = geometry(ids[url], ids)
                vertices, triangles = read[url]
                size += len(vertices), len(triangles)
                refuse_many(*size.tolist())  # one surface may be shown by many nodes
                surfaces.append(
                    (
                        vertices @ pose[:3, :3].T + pose[:3, 3],
                        triangles[:, ::-1] if np.linalg.det(pose[:3, :3]) < 0 else triangles,
                    )
                )
    vertices, triangles = join_surfaces(surfaces)
    return vertices * scale, triangles


def join_surfaces(surfaces: list[Surface]) -> Surface:
    """Several surfaces as one."""
    starts = np.cumsum([0] + [len(v) for v, _ in surfaces])
    vertices = np.concatenate([np.zeros((0, 3)), *(v for v, _ in surfaces)])
    triangles = np.concatenate([np.zeros((0, 3), np.int64), *(t + start for (_, t), start in zip(surfaces, starts))])
    if not len(triangles):
        raise ParseError("it has no faces")
    return vertices, triangles


def parse_numbers(text: str | None, width: int | None = None) -> np.ndarray:
    """The numbers of a text."""
    found = np.array(plain(text or "").split(), float)
    if width is not None and len(found) != width:
        raise ParseError(f"{len(found)} numbers where {width} are expected")
    return found


def node_matrix(node) -> np.ndarray:
    """The matrix [4, 4] of a node: its transformations one after the other."""
    total = np.eye(4)
    for element in node:
        step = np.eye(4)
        if element.tag == "matrix":
            step = parse_numbers(element.text, 16).reshape(4, 4)
        elif element.tag == "translate":
            step[:3, 3] = parse_numbers(element.text, 3)
        elif element.tag == "scale":
            step[:3, :3] = np.diag(parse_numbers(element.text, 3))
        elif element.tag == "rotate":
            x, y, z, angle = parse_numbers(element.text, 4)
            axis = np.array((x, y, z)) / max(np.linalg.norm((x, y, z)), 1e-300)
            skew = np.array(((0, -axis[2], axis[1]), (axis[2], 0, -axis[0]), (-axis[1], axis[0], 0)))
            a = np.radians(angle)
            step[:3, :3] = np.eye(3) + np.sin(a) * skew + (1 - np.cos(a)) * skew @ skew
        elif element.tag in ("lookat", "skew"):
            raise ParseError(f"<{element.tag}> is not supported")
        total = total @ step
    return total


def geometry(element, ids: dict) -> Surface:
    """The triangles of a geometry; lines and curves have none."""
    surfaces = []
    for mesh in element.findall("mesh"):
        for part in mesh:
            if part.tag in ("triangles", "polylist", "polygons", "trifans", "tristrips"):
                surfaces.append(primitive(part, ids))
    return join_surfaces(surfaces) if surfaces else (np.zeros((0, 3)), np.zeros((0, 3), np.int64))


def primitive(part, ids: dict) -> Surface:
    """Positions and triangles of one list of faces; faces with more corners become fans."""
    inputs = part.findall("input")
    stride = 1 + max(whole(i.get("offset", "0")) for i in inputs)
    vertex = next(i for i in inputs if i.get("semantic") == "VERTEX")
    source = next(i for i in ids[vertex.get("source")].findall("input") if i.get("semantic") == "POSITION")
    vertices = positions(ids[source.get("source")])
    lists = [
        parse_numbers(p.text).astype(np.int64).reshape(-1, stride)[:, whole(vertex.get("offset", "0"))]
        for p in part.findall("p")
    ]
    corners = np.concatenate([np.zeros(0, np.int64), *lists])
    if part.tag == "triangles":
        return vertices, corners.reshape(-1, 3)
    if part.tag == "tristrips":
        faces = [
            strip[[k, k + 1, k + 2] if k % 2 == 0 else [k + 1, k, k + 2]]
            for strip in lists
            for k in range(len(strip) - 2)
        ]
        return vertices, np.array(faces, np.int64).reshape(-1, 3)
    counts = (
        parse_numbers(part.findtext("vcount")).astype(np.int64)
        if part.tag == "polylist"
        else np.array([len(p) for p in lists], np.int64)
    )
    if counts.sum() != len(corners) or (counts < 0).any():
        raise ParseError("the corners of the faces do not add up")
    return vertices, fans(corners, counts)


def fans(corners: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Triangles [m, 3] of faces given by their numbers of corners."""
    each = np.maximum(counts - 2, 0)
    start = np.repeat(np.cumsum(counts) - counts, each)
    step = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    return np.stack([corners[start], corners[start + step + 1], corners[start + step + 2]], axis=1)


def positions(source) -> np.ndarray:
    """The points [n, 3] of a source."""
    values = parse_numbers(source.findtext("float_array"))
    accessor = source.find("technique_common/accessor")
    stride, offset = (
        (whole(accessor.get("stride", "3")), whole(accessor.get("offset", "0"))) if accessor is not None else (3, 0)
    )
    if stride < 3 or offset < 0:
        raise ParseError("positions need three numbers each")
    values = values[offset:]
    return values[: len(values) // stride * stride].reshape(-1, stride)[:, :3]

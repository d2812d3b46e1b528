"""Mesh file counts: vertices and faces a file says it has, before it is read."""

import json
import re
import struct

from newtonlite.importers.mjcf.mesh_files import faces_of_stl, point_ids, refuse_many

HEADER = 1 << 16
"""Bytes of a file in which a text header is looked for."""


def of_obj(data: bytes) -> tuple[int, int]:
    """Lines that begin like vertices and like faces."""
    vertices, faces = (data.count(b"\n" + head) + data.startswith(head) for head in (b"v ", b"f "))
    return vertices, faces


def of_stl(data: bytes) -> tuple[int, int]:
    """Faces of a binary file by its header where that fits its length, else by the words of a text; vertices are the
    places of corners.
    """
    count = struct.unpack_from("<I", data, 80)[0] if len(data) >= 84 else 0
    if not count or len(data) < 84 + 50 * count:
        return 0, data.count(b"endfacet")
    refuse_many(0, count)
    point_ids(faces_of_stl(data, count)["v"].reshape(-1, 3))
    return 0, count


def of_ply(data: bytes) -> tuple[int, int]:
    """The elements that the header names."""
    found = dict(
        re.findall(
            rb"^element[ \t]+(vertex|face)[ \t]+(\d{1,18})\b", data[:HEADER].partition(b"end_header")[0], re.MULTILINE
        )
    )
    return int(found.get(b"vertex", 0)), int(found.get(b"face", 0))


def of_off(data: bytes) -> tuple[int, int]:
    """The first two numbers after the name of the format, comments left out."""
    words = re.sub(rb"#[^\n]*", b"", data[:HEADER]).split(maxsplit=3)[1:3]
    return (
        (int(words[0]), int(words[1]))
        if len(words) == 2 and all(re.fullmatch(rb"\d{1,18}", w) for w in words)
        else (0, 0)
    )


def of_glb(data: bytes) -> tuple[int, int]:
    """Accessors of all meshes, as often as nodes show them; nothing of a file that makes no sense."""
    try:
        length, kind = struct.unpack_from("<I4s", data, 12)
        scene = json.loads(data[20 : 20 + length]) if kind == b"JSON" else {}
        sizes = [_of_primitives(mesh["primitives"], scene["accessors"]) for mesh in scene.get("meshes", ())]
        shown = [sizes[node["mesh"]] for node in scene.get("nodes", ()) if "mesh" in node] or sizes
        return sum(v for v, _ in shown), sum(f for _, f in shown)
    except (struct.error, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return 0, 0


def _of_primitives(primitives: list, accessors: list) -> tuple[int, int]:
    vertices = [int(accessors[p["attributes"]["POSITION"]]["count"]) for p in primitives]
    corners = [
        int(accessors[p["indices"]]["count"]) if "indices" in p else n
        for p, n in zip(primitives, vertices, strict=True)
    ]
    return sum(vertices), sum(corners) // 3


COUNTS = {"obj": of_obj, "stl": of_stl, "ply": of_ply, "off": of_off, "glb": of_glb}
"""By kind of file. Others tell only as they are read."""

"""Skins: surfaces that follow several bodies, from numbers in the model or an SKN file, as records of the scene."""

import json
import struct

import numpy as np

from newtonlite.core.packed_array import pack_array
from newtonlite.importers.mjcf.defaults import complete
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import ElementContext, Spec

NAME_BYTES = 40
"""Length of a body's name in an SKN file."""


def resolve_skins(spec: Spec) -> None:
    """Give each skin its surface and its bones under the names of their bodies."""
    bodies = spec.names.get("body", {})
    nameless = any(not body.name for body in spec.bodies)
    for item in spec.skins:
        item.values = skin_values(item.node, item.place)
        for bone in item.values["bones"]:
            if bone["body"] not in bodies and not (nameless and not bone["body"]):
                raise item.node.error(f"unknown body '{bone['body']}' in skin")


def skin_values(node: Node, place: ElementContext) -> dict:
    """The values of a skin: its arrays packed, and its bones; ParseError for what does not fit together."""
    values = complete(node.element, node.values)
    data = ("vertex", "texcoord", "face")
    if "file" in node.values:
        if node.children or any(name in node.values for name in data):
            raise node.error(f"Both skin data and file were specified: {node.values['file']}", "file")
        surface, bones = read_skn(node, *place.document.open(node, "file", "mesh"))
    else:
        surface = {name: np.array(node.values.get(name, ())) for name in data}
        bones = [dict(child.values) for child in node.children]
    if not (len(surface["vertex"]) and len(surface["face"]) and bones):
        raise node.error("Missing data in skin: give vertex, face and bones")
    check_sizes(node, surface)
    count = len(surface["vertex"]) // 3
    weights = np.zeros(count)
    for bone in bones:
        check_bone(node, bone, count)
        bone["body"] = f"{place.prefix}{bone['body']}{place.suffix if 'file' not in node.values else ''}"
        np.add.at(weights, np.array(bone["vertid"], int), bone["vertweight"])
    if not (weights > 0).all():
        raise node.error(f"vertex {int(np.argmin(weights > 0))} must have positive total weight in skin")
    packed = {name: pack_array(np.asarray(surface[name], float)) for name in data}
    material = place.owner + values["material"] if values.get("material") else ""
    kept = {name: values[name] for name in ("inflate", "rgba", "group")}
    return kept | {"material": material, "bones": json.loads(json.dumps(bones, default=np.ndarray.tolist))} | packed


def check_sizes(node: Node, surface: dict) -> None:
    """Three numbers for each vertex and face, two for each texture coordinate; faces of vertices that exist."""
    for name, width in (("vertex", 3), ("face", 3), ("texcoord", 2)):
        if len(surface[name]) % width:
            raise node.error(f"has {len(surface[name])} numbers; give a multiple of {width}", name)
    count = len(surface["vertex"]) // 3
    if len(surface["texcoord"]) not in (0, 2 * count):
        raise node.error(f"has {len(surface['texcoord'])} numbers; give two for each of {count} vertices", "texcoord")
    wrong = [int(k) for k in surface["face"] if not 0 <= k < count]
    if wrong:
        raise node.error(f"face vertex index {wrong[0]} out of range in skin")


def check_bone(node: Node, bone: dict, count: int) -> None:
    """Vertices that exist, and a weight for each."""
    if len(bone["vertid"]) != len(bone["vertweight"]) or not len(bone["vertid"]):
        raise node.error("Unexpected vertid or vertweight size in skin: give a weight for each vertex")
    if min(bone["vertid"]) < 0 or max(bone["vertid"]) >= count:
        raise node.error(f"bone of body '{bone['body']}': a vertex that the skin does not have; there are {count}")
    if not np.any(bone["bindquat"]):
        raise node.error(f"bone of body '{bone['body']}': bindquat has length zero")


def read_skn(node: Node, data: bytes, name: str) -> tuple[dict, list[dict]]:
    """Arrays and bones of an SKN file: counts, vertices, texture coordinates, faces, then bone after bone."""
    try:
        if not name.lower().endswith("skn"):
            raise ValueError("its ending is not skn")
        nvert, ntexcoord, nface, nbone = struct.unpack_from("<4i", data)
        if min(nvert, ntexcoord, nface, nbone) < 0:
            raise ValueError("a count is negative")
        at, surface = 16, {}
        for key, kind, size in (
            ("vertex", "<f4", 3 * nvert),
            ("texcoord", "<f4", 2 * ntexcoord),
            ("face", "<i4", 3 * nface),
        ):
            surface[key] = np.frombuffer(data, kind, size, at)
            at += 4 * size
        bones = []
        for _ in range(nbone):
            body = data[at : at + NAME_BYTES].split(b"\0")[0].decode()
            bind = np.frombuffer(data, "<f4", 7, at + NAME_BYTES)
            (many,) = struct.unpack_from("<i", data, at + NAME_BYTES + 28)
            at += NAME_BYTES + 32
            vertid = np.frombuffer(data, "<i4", many, at)
            vertweight = np.frombuffer(data, "<f4", many, at + 4 * many)
            at += 8 * many
            bones.append(dict(body=body, bindpos=bind[:3], bindquat=bind[3:], vertid=vertid, vertweight=vertweight))
        arrays = [surface["vertex"], surface["texcoord"]]
        arrays += [bone[name] for bone in bones for name in ("bindpos", "bindquat", "vertweight")]
        if not all(np.isfinite(array).all() for array in arrays):
            raise ValueError("it has a number that is not finite")
        if at != len(data):
            raise ValueError(f"it has {len(data)} bytes where its counts say {at}")
    except (ValueError, struct.error) as problem:
        raise node.error(f"file '{name}' cannot be read as a skin ({problem})", "file") from None
    return surface, bones

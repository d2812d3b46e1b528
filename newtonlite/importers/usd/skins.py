"""Skins: prims of our own type over bodies that are there, whose weights MuJoCo's are; no schema has these."""

import json

import numpy as np

from newtonlite.core.packed_array import pack_array
from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdSpec
from newtonlite.schema.skin import SKIN

TYPE, START = "NewtonSkin", "newton:skin:"
ARRAYS = {"vertex": 3, "texcoord": 2, "face": 3}
"""Arrays of a surface, and numbers in a row of each."""
BONES = {"bindpos": 3, "bindquat": 4, "count": 1}
"""Arrays with a row for each bone: ``count`` is that of its vertices."""


def skin_rows(spec: UsdSpec, builder) -> list[dict]:
    """Records of all skins, in the order of the stage; ParseError for lists that do not belong together."""
    rows = []
    for prim in spec.walk.of_type(TYPE):
        values = {attr.name: attr.default for attr in SKIN.attrs if attr.name in ("inflate", "rgba", "group")}
        values |= mjc.values(prim, SKIN, values)
        surface = {name: table(prim, name, width) for name, width in ARRAYS.items()}
        bones = bones_of(spec, builder, prim, len(surface["vertex"]))
        check(prim, surface, bones)
        record = values | {name: pack_array(rows.astype(float)) for name, rows in surface.items()}
        rows.append(
            {
                "mujoco:record_kind": "skin",
                "mujoco:record_label": prim.path,
                "mujoco:record_values": json.dumps(record | {"material": "", "bones": bones}),
            }
        )
        spec.report.used["skin"] += 1
    return rows


def table(prim: Prim, name: str, width: int) -> np.ndarray:
    """Numbers [n, width] of a list; ParseError where they are not so many."""
    numbers = prim.numbers(START + name)
    numbers = np.zeros(0) if numbers is None else numbers
    if numbers.size % width:
        raise prim.error(f"has {numbers.size} numbers; {width} each are needed", START + name)
    return numbers.reshape(-1, width)


def bones_of(spec: UsdSpec, builder, prim: Prim, vertices: int) -> list[dict]:
    """The bones of a skin: their bodies, poses, and the vertices that follow each."""
    paths, order = prim.targets(START + "body"), table(prim, "body:indices", 1)[:, 0].astype(int)
    if order.size and (order.min() < 0 or order.max() >= len(paths)):
        raise prim.error(f"names body {order.max()}; there are {len(paths)}", START + "body:indices")
    bodies = [spec.body_of(spec.walk.find(path)) for path in paths]
    names = ["world" if body is None else builder.body_label[body.index] for body in bodies]
    rows = {name: table(prim, name, width) for name, width in BONES.items()}
    ids, weights = (table(prim, name, 1)[:, 0] for name in ("vertid", "vertweight"))
    counts = rows["count"][:, 0].astype(int)
    fits = len(order) == len(counts) == len(rows["bindpos"]) == len(rows["bindquat"])
    if not (fits and np.all(counts > 0) and counts.sum() == len(ids) == len(weights)):
        raise prim.error("has bones whose bodies, poses, vertices and weights are not as many", START + "count")
    if ids.size and (ids.min() < 0 or ids.max() >= vertices):
        raise prim.error(f"has bones of vertices that it does not have; there are {vertices}", START + "vertid")
    ends = np.cumsum(counts)
    return [
        {
            "body": names[order[k]],
            "bindpos": rows["bindpos"][k].tolist(),
            "bindquat": rows["bindquat"][k].tolist(),
            "vertid": ids[end - count : end].astype(int).tolist(),
            "vertweight": weights[end - count : end].tolist(),
        }
        for k, (count, end) in enumerate(zip(counts, ends, strict=True))
    ]


def check(prim: Prim, surface: dict[str, np.ndarray], bones: list[dict]) -> None:
    """Faces and texture coordinates of vertices that there are, each of which a bone carries."""
    count, faces = len(surface["vertex"]), surface["face"]
    if not (count and len(faces) and bones):
        raise prim.error("needs vertices, faces and bones", START + "vertex")
    if faces.min() < 0 or faces.max() >= count:
        raise prim.error(f"has faces of vertices that it does not have; there are {count}", START + "face")
    if len(surface["texcoord"]) not in (0, count):
        raise prim.error(
            f"has texture coordinates of {len(surface['texcoord'])} of {count} vertices", START + "texcoord"
        )
    if not all(np.any(bone["bindquat"]) for bone in bones):
        raise prim.error("has a rotation of length zero", START + "bindquat")
    carried = np.zeros(count)
    for bone in bones:
        np.add.at(carried, np.array(bone["vertid"], int), bone["vertweight"])
    if not (carried > 0).all():
        raise prim.error(f"vertex {int(np.argmin(carried > 0))} has no positive weight", START + "vertweight")

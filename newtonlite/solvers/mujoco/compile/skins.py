"""Skins: vertices, faces, and the bones that carry them, from records of the scene; single precision, as MuJoCo's."""

import numpy as np

from newtonlite.core.packed_array import unpack_array
from newtonlite.solvers.mujoco.compile.records import find, read_records, whole_record
from newtonlite.solvers.mujoco.compile.worlds import Worlds


def compile_skins(m, w: Worlds) -> None:
    """Fill ``skin_*``; the weights of a vertex sum to 1 over its bones."""
    skins, bones = [], []
    for name, values in read_records(w)["skin"]:
        with whole_record("skin", name):
            arrays = {
                key: unpack_array(values[key], float, (-1, width))
                for key, width in (("vertex", 3), ("texcoord", 2), ("face", 3))
            }
            skins.append((name, values, arrays))
            bones.append([bound_bone(m, bone) for bone in values["bones"]])
            normalize(bones[-1], len(arrays["vertex"]))
    m.nskin, m.names_skin = len(skins), [name for name, _, _ in skins]
    counts = lambda key: np.array([len(arrays[key]) for _, _, arrays in skins], int)
    flat = [bone for group in bones for bone in group]
    many = np.array([len(group) for group in bones], int)
    held = np.array([len(bone["vertid"]) for bone in flat], int)
    texcoords = counts("texcoord")
    m.set(
        skin_vertadr=starts(counts("vertex")),
        skin_vertnum=counts("vertex"),
        skin_faceadr=starts(counts("face")),
        skin_facenum=counts("face"),
        skin_texcoordadr=np.where(texcoords > 0, starts(texcoords), -1),
        skin_boneadr=starts(many),
        skin_bonenum=many,
        skin_bonebodyid=np.array([bone["body"] for bone in flat], int),
        skin_bonevertadr=starts(held),
        skin_bonevertnum=held,
        skin_bonevertid=np.array([i for bone in flat for i in bone["vertid"]], int),
        skin_face=stacked([arrays["face"] for _, _, arrays in skins], 3).astype(int),
        skin_group=np.array([values["group"] for _, values, _ in skins], int),
        skin_matid=np.array([find(m.names_material, v["material"]) if v["material"] else -1 for _, v, _ in skins], int),
    )
    singles = dict(
        skin_vert=stacked([arrays["vertex"] for _, _, arrays in skins], 3),
        skin_texcoord=stacked([arrays["texcoord"] for _, _, arrays in skins], 2),
        skin_inflate=np.array([values["inflate"] for _, values, _ in skins]),
        skin_rgba=np.array([values["rgba"] for _, values, _ in skins], float).reshape(-1, 4),
        skin_bonebindpos=np.array([bone["bindpos"] for bone in flat], float).reshape(-1, 3),
        skin_bonebindquat=np.array([bone["bindquat"] for bone in flat], float).reshape(-1, 4),
        skin_bonevertweight=np.array([x for bone in flat for x in bone["vertweight"]], float),
    )
    m.set(**{name: values.astype(np.float32) for name, values in singles.items()})
    m.nskinvert, m.nskintexvert, m.nskinface = (len(getattr(m, f"skin_{n}")) for n in ("vert", "texcoord", "face"))
    m.nskinbone, m.nskinbonevert = len(flat), int(held.sum())


def bound_bone(m, bone: dict) -> dict:
    """A bone with the number of its body and a unit quaternion. ValueError for a body that the model does not have, or no quaternion."""
    body = find(m.names_body, bone["body"]) if bone["body"] else last_nameless(m.names_body)
    if body < 0:
        raise ValueError(f"there is no body '{bone['body']}'")
    quat = np.asarray(bone["bindquat"], float)
    length = np.linalg.norm(quat)
    if not length > 0:  # of numbers whose squares are none
        raise ValueError(f"bone of body '{bone['body']}': bindquat has length zero")
    return bone | {"body": body, "bindquat": quat / length}


def last_nameless(names: list[str]) -> int:
    """The last of those without a name, -1 where all have one."""
    return max((i for i, name in enumerate(names) if not name), default=-1)


def normalize(bones: list[dict], count: int) -> None:
    """Divide weights by their sum over the bones of a vertex."""
    total = np.zeros(count)
    for bone in bones:
        np.add.at(total, np.asarray(bone["vertid"], int), bone["vertweight"])
    for bone in bones:
        bone["vertweight"] = np.asarray(bone["vertweight"], float) / total[np.asarray(bone["vertid"], int)]


def starts(counts: np.ndarray) -> np.ndarray:
    """First index of each of some parts, laid end to end."""
    return (np.cumsum(counts) - counts).astype(int)


def stacked(parts: list, width: int) -> np.ndarray:
    """Rows of all parts, one after the other."""
    return np.concatenate([np.zeros((0, width)), *parts])

"""MJCF skins."""

import numpy as np

from newtonlite.exporters.mjcf.source import NamedModel
from newtonlite.exporters.mjcf.text import Tag, number_list


def skin(source: NamedModel, i: int) -> Tag:
    """A skin with its bones, its arrays as numbers."""
    model = source.model
    tag = source.tag("deformable/skin", "skin", i)
    part = lambda name, first, count: np.asarray(getattr(model, f"skin_{name}"))[first : first + count]
    first, count = int(model.skin_vertadr[i]), int(model.skin_vertnum[i])
    tag.set(vertex=number_list(part("vert", first, count).ravel()))
    tag.set(face=number_list(part("face", int(model.skin_faceadr[i]), int(model.skin_facenum[i])).ravel()))
    if model.skin_texcoordadr[i] >= 0:
        tag.set(texcoord=number_list(part("texcoord", int(model.skin_texcoordadr[i]), count).ravel()))
    bones = range(int(model.skin_boneadr[i]), int(model.skin_boneadr[i]) + int(model.skin_bonenum[i]))
    return tag.add(*(bone(source, b) for b in bones))


def bone(source: NamedModel, b: int) -> Tag:
    """The vertices that follow a body."""
    model = source.model
    rows = slice(int(model.skin_bonevertadr[b]), int(model.skin_bonevertadr[b]) + int(model.skin_bonevertnum[b]))
    return Tag(
        "bone",
        body=source.ref("body", int(model.skin_bonebodyid[b])),
        bindpos=number_list(model.skin_bonebindpos[b]),
        bindquat=number_list(model.skin_bonebindquat[b]),
        vertid=number_list(model.skin_bonevertid[rows]),
        vertweight=number_list(model.skin_bonevertweight[rows]),
    )

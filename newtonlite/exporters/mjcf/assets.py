"""MJCF assets: meshes and height fields as files or numbers, textures as files, materials."""

import struct
import zlib

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtGeom, MjtTexture, MjtTextureRole
from newtonlite.exporters.mjcf.asset_files import AssetFiles
from newtonlite.exporters.mjcf.plugins import choose
from newtonlite.exporters.mjcf.source import NamedModel, mesh_file
from newtonlite.exporters.mjcf.text import Tag, number_list
from newtonlite.geometry import inertia
from newtonlite.geometry.hull import convex_hull
from newtonlite.images.texture import KTX
from newtonlite.math.quat import matrix

MODES = ("legacy", "exact", "convex", "shell")
"""Ways to get the inertia of a mesh, MuJoCo's default first."""


def mesh(source: NamedModel, i: int, files: AssetFiles) -> Tag:
    """A mesh in the coordinates of its file, with the kind of inertia that brings its frame back."""
    model = source.model
    field = field_of(source, i)
    if field is not None:
        return Tag("mesh", name=source.ref("mesh", i)).add(choose(source, Tag("plugin"), field))
    start, count = int(model.mesh_vertadr[i]), int(model.mesh_vertnum[i])
    compiled = np.asarray(model.mesh_vert[start : start + count], float)
    pos, turn = np.asarray(model.mesh_pos[i], float), matrix(tuple(map(float, model.mesh_quat[i])))
    vertices = compiled @ turn.T + pos
    first, many = int(model.mesh_faceadr[i]), int(model.mesh_facenum[i])
    faces = np.asarray(model.mesh_face[first : first + many])
    mode = kind_of_inertia(vertices, faces, pos, turn)
    scale = np.asarray(source.get("mesh_scale", i, (1.0, 1.0, 1.0)), float)
    tag = Tag("mesh", name=source.ref("mesh", i), inertia=None if mode == "legacy" else mode)
    tag.set(scale=None if np.all(scale == 1) else number_list(scale))
    original = (vertices / scale).astype(np.float32)  # files have float32 vertices; most come back exactly
    faces = faces[:, ::-1] if scale.prod() < 0 else faces
    if files.inline:
        return tag.set(vertex=number_list(original), face=number_list(faces))
    return tag.set(file=files.mesh(mesh_file(source.model, i) or source.ref("mesh", i), original, faces))


def field_of(source: NamedModel, i: int) -> int | None:
    """The instance of the plugin that a mesh is the surface of: that of a geom with it, where its frame is the field's."""
    model = source.model
    if np.any(model.mesh_pos[i]) or not np.array_equal(model.mesh_quat[i], (1.0, 0.0, 0.0, 0.0)):
        return None
    users = np.flatnonzero((np.asarray(model.geom_dataid) == i) & (np.asarray(model.geom_type) == MjtGeom.SDF))
    found = [int(source.get("geom_plugin", g, -1)) for g in users]
    return next((instance for instance in found if instance >= 0), None)


def kind_of_inertia(vertices: np.ndarray, faces: np.ndarray, pos: np.ndarray, turn: np.ndarray) -> str:
    """The way of computing the inertia whose frame is nearest to a given one."""
    errors = {}
    for mode in MODES:
        found = properties(mode, vertices, faces)
        if found is None or found.mass <= 0:
            errors[mode] = np.inf
            continue
        away = np.abs(found.com - pos).max() / max(np.ptp(vertices, axis=0).max(), 1e-12)
        diagonal = turn.T @ found.inertia @ turn
        errors[mode] = away + np.abs(diagonal - np.diag(np.diag(diagonal))).max() / max(np.abs(diagonal).max(), 1e-300)
    best = min(errors.values())
    return next(mode for mode in MODES if errors[mode] <= best + 1e-6)


def properties(mode: str, vertices: np.ndarray, faces: np.ndarray):
    """Mass properties of a mesh in one of the ways; None where there are none."""
    if mode == "legacy":
        return inertia.legacy_mesh(vertices, faces)
    if mode == "shell":
        return inertia.surface(1.0, vertices, faces, 1.0)
    try:
        return inertia.mesh(1.0, *(convex_hull(vertices) if mode == "convex" else (vertices, faces)))
    except ModelError:
        return None


def hfield(source: NamedModel, i: int, files: AssetFiles) -> Tag:
    """A height field; the first row of numbers is the farthest."""
    model = source.model
    rows, columns = int(model.hfield_nrow[i]), int(model.hfield_ncol[i])
    start = int(model.hfield_adr[i])
    heights = np.asarray(model.hfield_data[start : start + rows * columns]).reshape(rows, columns)
    tag = Tag("hfield", name=source.ref("hfield", i), size=number_list(model.hfield_size[i]))
    if files.inline:
        return tag.set(nrow=str(rows), ncol=str(columns), elevation=number_list(heights[::-1]))
    return tag.set(file=files.hfield(source.ref("hfield", i), heights))


def material(source: NamedModel, i: int) -> Tag:
    """A material and the textures it uses."""
    source.ref("material", i)
    tag = source.tag("asset/material", "material", i)
    textures = np.asarray(source.get("mat_texid", i, ())).reshape(-1)
    used = [(role, int(t)) for role, t in enumerate(textures) if t >= 0]
    if len(used) == 1 and used[0][0] == MjtTextureRole.RGB:
        return tag.set(texture=source.ref("texture", used[0][1]))
    return tag.add(
        *(Tag("layer", role=MjtTextureRole(role).name.lower(), texture=source.ref("texture", t)) for role, t in used)
    )


def texture(source: NamedModel, i: int, files: AssetFiles) -> Tag:
    """A texture, its picture in a PNG file; without pixels one of a single colour.  Cubes have six sides below each
    other.
    """
    model = source.model
    width, height, channels = (int(source.get(f"tex_{n}", i)) for n in ("width", "height", "nchannel"))
    kind = int(model.tex_type[i])
    name = (
        source.names["texture"][i] if kind == MjtTexture.SKYBOX else source.ref("texture", i)
    )  # the sky alone needs no name
    tag = Tag("texture", name=name or None, type=("2d", "cube", "skybox")[kind])
    tag.set(colorspace=(None, "linear", "sRGB")[int(source.get("tex_colorspace", i, 0))])
    start = int(model.tex_adr[i])
    if start < 0:
        return tag.set(file=path_of(source, i), embed="false", nchannel=None if channels == 3 else str(channels))
    if not source.has("tex_data") or not width * height * channels:
        return tag.set(builtin="flat", width=str(max(width, 1)), height=str(max(height, 1)))
    pixels = np.asarray(model.tex_data[start : start + width * height * channels], np.uint8).reshape(
        height, width, channels
    )
    if pixels.tobytes()[:4] == KTX:  # kept as it is
        return tag.set(file=files.texture(f"{name}_{i}.ktx", pixels.tobytes()))
    tag.set(file=files.texture(f"{name}_{i}.png", png(pixels)), nchannel=None if channels == 3 else str(channels))
    return tag.set(gridsize="6 1", gridlayout="RLUDFB") if kind and height == 6 * width else tag


def path_of(source: NamedModel, i: int) -> str:
    """Path of the image file of a texture whose pixels are not in the model, as far as the model knows."""
    if source.has("tex_pathadr"):
        return bytes(source.get("paths"))[int(source.get("tex_pathadr", i)) :].split(b"\0")[0].decode()
    kept = source.get("tex_source")
    return (kept[i].get("file") if kept else None) or f"{source.ref('texture', i)}.png"


def png(pixels: np.ndarray) -> bytes:
    """A PNG file of pixels [height, width, 1 to 4 channels]."""
    height, width, channels = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    head = struct.pack(">2I5B", width, height, 8, (0, 4, 2, 6)[channels - 1], 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)

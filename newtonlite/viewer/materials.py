"""Textures of shapes: the picture that a mesh or a material of an MJCF file names, and where on a surface it lies."""

import json
import warnings
from os import PathLike
from typing import NamedTuple

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.core.errors import FileError, ModelError, NewtonWarning
from newtonlite.images.picture import read_picture
from newtonlite.solvers.mujoco.compile.compiled import texture_pixels
from newtonlite.viewer.surfaces import Surface, vertex_normals

FLAT = 0  # type of a texture that is one picture; others are cubes
ROLES = ("1", "8")  # layers of a material that give colours: without and with opacity
UNSAID = (0.5, 0.5, 0.5, 1.0)  # rgba of shapes of a file that says nothing about it
MESHES = (GeoType.MESH, GeoType.CONVEX_MESH)
# of each side of a cube, right, left, up, down, front, back: the axis it is across, its side of it, and the axes and
# directions along which its picture goes right and down (OpenGL 4.6, table 8.19)
CUBE = (
    (0, 1, (2, -1), (1, -1)),
    (0, -1, (2, 1), (1, -1)),
    (1, 1, (0, 1), (2, 1)),
    (1, -1, (0, 1), (2, -1)),
    (2, 1, (0, 1), (1, -1)),
    (2, -1, (0, -1), (1, -1)),
)


class Finish(NamedTuple):
    """Finish of a shape with a texture."""

    picture: np.ndarray  # [height, width, 3 or 4] uint8; of a cube the six sides below each other
    cube: bool = False
    repeat: tuple[float, float] = (1.0, 1.0)  # how often the picture is there, along x and y
    uniform: bool = False  # per metre instead of per shape
    color: tuple[float, float, float] = (1.0, 1.0, 1.0)  # times the picture, for shapes without a colour of their own
    own: bool = False  # the mesh's own: its colours are the picture's alone


class ShapeTextures:
    """Textures of shapes; read once from a model."""

    def __init__(self, model):
        self.kind, self.scale, self.source = model.shape_type.numpy(), model.shape_scale.numpy(), model.shape_source
        mujoco = getattr(model, "mujoco", None)
        self.rgba = None if getattr(mujoco, "shape_rgba", None) is None else mujoco.shape_rgba.numpy()
        self.rows: dict[str, dict[str, dict]] = {"texture": {}, "material": {}}
        kinds = getattr(mujoco, "record_kind", None) or []
        for kind, label, values in zip(
            kinds, *(getattr(mujoco, f"record_{name}") for name in ("label", "values") if len(kinds)), strict=False
        ):
            if kind in self.rows and label not in self.rows[kind]:
                self.rows[kind][label] = json.loads(values)
        self.finishes: list[Finish] = []
        named = getattr(mujoco, "shape_material", None)
        names = list(named) if named is not None and len(kinds) else [""] * len(self.kind)
        self._of_name: dict[str, int] = {"": 0}
        self._of_mesh: dict[int, int] = {}
        self.numbers = [self._number(row, name) for row, name in enumerate(names)]

    def _number(self, row: int, name: str) -> int:
        """A number for the texture of a shape, 0 for none: its mesh's own, or that of its material."""
        mesh = self.source[row]
        if getattr(mesh, "texture", None) is not None and mesh.uvs is not None:
            if id(mesh) not in self._of_mesh:
                self._of_mesh[id(mesh)] = self._keep(own_picture(mesh.texture), own=True)
            return self._of_mesh[id(mesh)]
        if name not in self._of_name:
            self._of_name[name] = self._material(name)
        return self._of_name[name]

    def _material(self, name: str) -> int:
        """The number of a material's texture."""
        values = self.rows["material"].get(name, {})
        layers = values.get("layers", {})
        texture = values.get("texture") or next((layers[role] for role in ROLES if role in layers), None)
        if not texture or (row := self.rows["texture"].get(values.get("prefix", "") + texture)) is None:
            return 0
        repeat = tuple(float(x) for x in values["texrepeat"])
        return self._keep(
            pixels(texture, row),
            cube=row["type"] != FLAT,
            repeat=repeat,
            uniform=bool(values["texuniform"]),
            color=tuple(values["rgba"][:3]),
        )

    def _keep(self, picture: np.ndarray | None, **options) -> int:
        if picture is None:
            return 0
        self.finishes.append(Finish(picture, **options))
        return len(self.finishes)

    def of(self, row: int) -> int:
        """A number for the texture of a shape, 0 for none."""
        return self.numbers[row]

    def picture(self, number: int) -> np.ndarray | None:
        """The texture [height, width, 3 or 4] uint8 of that number."""
        return self.finishes[number - 1].picture if number else None

    def tint(self, row: int, color) -> np.ndarray:
        """[3] colour that the texture of a shape is multiplied by: its own, or its material's; white for pictures of
        meshes. ``color`` where it has no texture.
        """
        if not self.numbers[row]:
            return np.asarray(color)
        finish = self.finishes[self.numbers[row] - 1]
        own = self.rgba is not None and not finish.own and not np.allclose(self.rgba[row], UNSAID)
        return self.rgba[row, :3] if own else np.array(finish.color)

    def mapped(self, row: int, surface: Surface) -> Surface:
        """The surface with its texture coordinates, or without where the shape has no texture."""
        number = self.numbers[row]
        if not number:
            return surface._replace(uvs=None)
        finish = self.finishes[number - 1]
        mesh = self.source[row] if self.kind[row] in MESHES else None
        if finish.own:
            return surface
        if mesh is not None and mesh.corner_uvs is not None and not finish.cube:
            corners = mesh.corner_uvs[:, ::-1] if np.prod(self.scale[row]) < 0 else mesh.corner_uvs
            return split_vertices(surface, corners * finish.repeat)
        low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
        half = np.ones(3) if mesh is not None else np.maximum((high - low) / 2, 1e-9)
        places = (surface.vertices - (low + high) / 2)[surface.faces]
        if finish.cube:
            return split_vertices(
                surface, on_cube(places if finish.uniform else places / half, len(finish.picture) // 6)
            )
        scale = np.asarray(finish.repeat) * (1.0 if finish.uniform else 1.0 / half[:2])
        return split_vertices(surface, 0.5 * places[..., :2] * scale + 0.5)


def own_picture(texture) -> np.ndarray | None:
    """The picture of a mesh: an array, or that of a file; None with a warning where there is none."""
    if not isinstance(texture, str | PathLike):
        return np.asarray(texture)
    try:
        image = read_picture(texture)
        image = image[:, :, None] if image.ndim == 2 else image
        if image.shape[2] < 3:  # grey, with or without opacity
            image = np.concatenate([np.repeat(image[..., :1], 3, axis=2), image[..., 1:]], axis=2)
        return image
    except FileError as problem:
        warnings.warn(f"texture {texture}: cannot be shown ({problem})", NewtonWarning, stacklevel=2)
        return None


def pixels(name: str, values: dict) -> np.ndarray | None:
    """The picture of a texture of an MJCF file; None with a warning where it cannot be read, and for KTX files."""
    try:
        found = texture_pixels(name, values)
    except ModelError as problem:
        warnings.warn(str(problem), NewtonWarning, stacklevel=2)
        return None
    if not found.size or values.get("raw"):
        return None
    found = found.reshape(values["height"], values["width"], values["nchannel"])
    return found if found.shape[2] >= 3 else np.repeat(found[..., :1], 3, axis=2)


def split_vertices(surface: Surface, uvs: np.ndarray) -> Surface:
    """A surface whose corners have texture coordinates [m, 3, 2]: vertices are made several where they have several,
    and keep their normals.
    """
    faces = surface.faces.reshape(-1)
    bits = np.ascontiguousarray(uvs.reshape(-1, 2), np.float32).view(np.int32)
    _, first, corner = np.unique(np.column_stack([faces, bits]), axis=0, return_index=True, return_inverse=True)
    return Surface(
        surface.vertices[faces[first]],
        corner.reshape(-1, 3).astype(np.int32),
        uvs.reshape(-1, 2)[first].astype(np.float32),
        vertex_normals(surface)[faces[first]],
    )


def on_cube(places: np.ndarray, size: int) -> np.ndarray:
    """[m, 3, 2] texture coordinates of corners at ``places`` [m, 3, 3] on the six sides of a cube around the origin,
    whose pictures of ``size`` pixels are below each other. A triangle is on the side that its middle looks at.
    """
    middle = places.mean(axis=1)
    axis = np.abs(middle).argmax(axis=1)
    found = np.zeros((*places.shape[:2], 2))
    edge = 0.5 / max(size, 1)
    for side, (across, sign, (right, turn), (down, fall)) in enumerate(CUBE):
        here = (axis == across) & (np.sign(np.take_along_axis(middle, axis[:, None], 1)[:, 0]) * sign > 0)
        far = np.maximum(np.abs(places[here][..., across]), 1e-9)
        s, t = (
            np.clip(0.5 + 0.5 * way * places[here][..., k] / far, edge, 1.0 - edge)
            for k, way in ((right, turn), (down, fall))
        )
        found[here] = np.stack([s, 1.0 - (side + t) / 6.0], axis=-1)
    return found

"""Instanced meshes of a model: every body's shapes merged into meshes, one mesh for all bodies that look alike.

A batch is a mesh in the frame of a body and the bodies that carry it, over all worlds: one draw call for thousands of
copies.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.viewer.dress import undressed
from newtonlite.viewer.materials import ShapeTextures
from newtonlite.viewer.soft import SoftMesh, soft_meshes
from newtonlite.viewer.surfaces import Surface, join_surfaces, shape_surface

WORLD = -1  # the body of what is fixed to the world
HIDDEN_GROUPS = (3, 4, 5)  # as MuJoCo's viewer has it


class Layer(NamedTuple):
    """Layer of a shape: the properties that decide whether it is shown."""

    group: int  # geom group of the MJCF file, 0 to 5
    visual: bool  # it is meant to be seen
    collides: bool
    site: bool


@dataclass
class InstanceBatch:
    """A mesh and who carries it."""

    name: str
    surface: Surface
    layer: Layer
    bodies: np.ndarray  # [n] body, -1 for the world
    worlds: np.ndarray  # [n] world, -1 for global
    colors: np.ndarray  # [n, 3] red, green, blue of the screen, 0 to 1
    opacity: np.ndarray  # [n]
    texture: np.ndarray | None = None  # [height, width, 3 or 4] uint8
    shapes: list[int] = field(default_factory=list)  # shapes of the first of the bodies
    coarser: Callable[[float], Surface] | None = None  # the surface with about a part of its triangles

    def detail(self, share: float) -> Surface:
        """The surface in about that part of its triangles; in full where it has a texture or comes from a file."""
        return self.surface if share >= 1.0 or self.coarser is None else self.coarser(share)

    @property
    def flat(self) -> bool:
        """Whether it has two sides: planes and grounds do."""
        return abs(self.surface.volume) < 1e-12


class GroundPlane(NamedTuple):
    """A horizontal plane without end."""

    height: float  # [m]
    color: np.ndarray  # [3]


@dataclass
class Appearance:
    """Appearance of a model: made from the model, or read from a recording of it."""

    batches: list[InstanceBatch]
    grounds: list[GroundPlane]  # planes without end, the lowest first
    world_count: int
    body_q: np.ndarray  # [body_count, 7] where bodies start
    body_label: list[str]
    body_world: np.ndarray  # [body_count], -1 for global
    soft: list[SoftMesh] = field(default_factory=list)  # flexes and skins


def appearance(model) -> Appearance:
    """Appearance of a model.

    Bodies share a batch where their shapes have the same types, sizes, sources and places; colours may differ.
    """
    shapes = HostShapes(model)
    found: dict[tuple, list[tuple[int, list[int]]]] = {}
    for body, world, rows in shapes.carriers():
        for part in shapes.parts(rows):
            found.setdefault(shapes.key(part), []).append((body, world, part))
    made = [shapes.batch(members) for members in found.values()]
    names: dict[str, int] = {}
    for batch in made:
        names[batch.name] = names.get(batch.name, -1) + 1
        batch.name += f"_{names[batch.name]}" if names[batch.name] else ""
    body_q = model.body_q.numpy().copy() if model.body_count else np.zeros((0, 7), np.float32)
    worlds = max(model.world_count, 1)
    soft = soft_meshes(model)
    return Appearance(made, shapes.grounds(), worlds, body_q, list(model.body_label), shapes.body_world, soft)


class HostShapes:
    """The arrays of a model's shapes, on the host."""

    def __init__(self, model):
        self.kind, self.flags = model.shape_type.numpy(), model.shape_flags.numpy()
        self.body, self.world = model.shape_body.numpy(), model.shape_world.numpy()
        self.scale, self.pose = model.shape_scale.numpy(), model.shape_transform.numpy()
        self.color, self.opacity = model.shape_color.numpy(), model.shape_opacity.numpy()
        self.source, self.label = model.shape_source, model.shape_label
        self.body_label, self.body_world = (
            model.body_label,
            model.body_world.numpy() if model.body_count else np.zeros(0, int),
        )
        group = getattr(getattr(model, "mujoco", None), "geom_group", None)
        self.group = group.numpy() if group is not None else np.zeros(len(self.kind), int)
        open_group = ~np.isin(self.group, HIDDEN_GROUPS) & (self.kind != GeoType.PLANE)
        bare = undressed(model, open_group)
        self.flags = np.where(bare, self.flags | int(ShapeFlags.VISIBLE), self.flags)
        self.materials = ShapeTextures(model)
        self._number()
        drawn = (self.kind != GeoType.NONE) & (self.kind != GeoType.GAUSSIAN)
        shown = ShapeFlags.VISIBLE | ShapeFlags.COLLIDE_SHAPES | ShapeFlags.SITE
        self.endless = (self.kind == GeoType.PLANE) & (self.body < 0) & (self.scale[:, :2] == 0).all(axis=1)
        self.endless &= np.abs(self.pose[:, 3:5]).max(axis=1, initial=0) < 1e-4
        self.rows = np.flatnonzero(drawn & (self.flags & int(shown) != 0) & ~self.endless)

    def carriers(self):
        """(body, world, rows) of everything that carries shapes: bodies, and each world's fixed frame."""
        order = self.rows[np.lexsort((self.rows, self.world[self.rows], self.body[self.rows]))]
        keys = np.stack([self.body[order], np.where(self.body[order] < 0, self.world[order], 0)], axis=1)
        cuts = np.flatnonzero(np.any(np.diff(keys, axis=0) != 0, axis=1)) + 1
        for rows in np.split(order, cuts) if len(order) else ():
            body = int(self.body[rows[0]])
            yield body, int(self.world[rows[0]] if body < 0 else self.body_world[body]), rows

    def layer(self, row: int) -> Layer:
        """Layer of the shape, which decides whether it is shown."""
        flags = int(self.flags[row])
        site = bool(flags & ShapeFlags.SITE)
        return Layer(
            int(self.group[row]), bool(flags & ShapeFlags.VISIBLE), bool(flags & ShapeFlags.COLLIDE_SHAPES), site
        )

    def parts(self, rows) -> list[list[int]]:
        """The shapes of a carrier, those of one layer, colour, opacity and texture together."""
        split: dict[int, list[int]] = {}
        for row in rows.tolist():
            split.setdefault(self.dye[row], []).append(row)
        return list(split.values())

    def key(self, part: list[int]) -> tuple:
        """Key of a part: parts with equal keys share a mesh."""
        return self.finish[part[0]], *(self.form[row] for row in part)

    def _number(self) -> None:
        """Number what shapes have in common: ``form`` (type, size, place), ``finish`` (layer, texture, see-through),
        ``dye`` (that and colour).
        """
        source = np.unique([id(s) for s in self.source], return_inverse=True)[1] if len(self.kind) else np.zeros(0, int)
        texture = np.array(self.materials.numbers, int)
        tint = np.where(texture[:, None] > 0, bits(self.color), 0)  # copies of a textured mesh have one colour
        finish = [self.flags, self.group, self.body < 0, texture, self.opacity < 1.0, tint]
        self.form = group_numbers([self.kind, bits(self.scale), bits(self.pose), source])
        self.finish = group_numbers(finish)
        self.dye = group_numbers([*finish, bits(self.color), bits(self.opacity)])

    def batch(self, members: list) -> InstanceBatch:
        """The batch of parts that are the same mesh."""
        body, _, part = members[0]
        first = [row for _, _, (row, *_) in members]
        texture = self.materials.of(part[0])
        label = self.body_label[body] if body >= 0 else "world"
        return InstanceBatch(
            name=label.replace("/", "_") or f"body_{body}",
            surface=self.surface(part),
            layer=self.layer(part[0]),
            bodies=np.array([member[0] for member in members]),
            worlds=np.array([member[1] for member in members]),
            colors=np.array([self.materials.tint(row, self.color[row]) for row in first]),
            opacity=self.opacity[first],
            texture=self.materials.picture(texture),
            shapes=list(part),
            coarser=None if texture else partial(self.surface, part),
        )

    def surface(self, part: list[int], share: float = 1.0) -> Surface:
        """Surface of some shapes of a body, in about that part of their triangles."""
        pieces = [shape_surface(self.kind[row], self.scale[row], self.source[row], share) for row in part]
        return join_surfaces(
            [self.materials.mapped(row, one).placed(self.pose[row]) for row, one in zip(part, pieces, strict=True)]
        )

    def grounds(self) -> list[GroundPlane]:
        """Horizontal planes without end, those at one height once."""
        found = {round(float(self.pose[row, 2]), 6): self.color[row] for row in np.flatnonzero(self.endless)[::-1]}
        return [GroundPlane(height, color) for height, color in sorted(found.items())]


def bits(values: np.ndarray) -> np.ndarray:
    """The bits of float32 values as integers."""
    return np.ascontiguousarray(values, np.float32).view(np.int32)


def group_numbers(columns: list[np.ndarray]) -> list[int]:
    """A number for each row of some columns, the same for equal rows."""
    if not len(columns[0]):
        return []
    table = np.column_stack([np.asarray(column).reshape(len(columns[0]), -1) for column in columns]).astype(np.int64)
    return np.unique(table, axis=0, return_inverse=True)[1].reshape(-1).tolist()


def shown_by_default(layer: Layer) -> bool:
    """Whether a viewer shows a layer before anyone chooses."""
    return layer.visual and not layer.site and layer.group not in HIDDEN_GROUPS

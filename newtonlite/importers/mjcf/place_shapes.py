"""Geoms and sites of MJCF as shapes of the builder."""

import math
import warnings

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import GeoType, SolrefMode
from newtonlite.core.errors import NewtonWarning
from newtonlite.core.mujoco import MjtGeom
from newtonlite.core.table import CUSTOM
from newtonlite.importers.mjcf.declared import declared_values
from newtonlite.importers.mjcf.edit.select import class_of
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.spec import Item
from newtonlite.math.quat import Vec
from newtonlite.sim.builder.config import ShapeConfig
from newtonlite.sim.builder.shapes import NewShape, add_shapes

TYPES = (
    GeoType.PLANE,
    GeoType.HFIELD,
    GeoType.SPHERE,
    GeoType.CAPSULE,
    GeoType.ELLIPSOID,
    GeoType.CYLINDER,
    GeoType.BOX,
    GeoType.MESH,
    GeoType.MESH,
)
OF_FILES = (MjtGeom.HFIELD, MjtGeom.MESH, MjtGeom.SDF)
"""Types whose shape is in a file."""
WORLD = -1
NOWHERE = (math.nan,) * 3


def place_shapes(builder, items: list[Item], frames: dict[int, tuple[Vec, Vec]], meshes, built, options) -> None:
    """Add geoms and sites, in this order, as shapes; ``frames`` moves those of some bodies, by id."""
    site_cfg = builder.default_site_cfg
    site_cfg.is_visible = False
    placed: list[Item] = []
    shapes: list[NewShape] = []
    for item in items:
        frame = frames.get(id(item.body))
        if item.node.tag == "site":
            shape = site_shape(item, frame, built, site_cfg)
        else:
            shape = geom_shape(item, frame, meshes, built, options)
        if shape is not None:
            placed.append(item)
            shapes.append(shape)
    first = add_shapes(builder, shapes)
    built.shape |= {id(item): first + k for k, item in enumerate(placed)}


def geom_shape(geom: Item, frame, meshes, built, options) -> NewShape | None:
    """A geom as a shape without mass, as its body's mass is settled already; None where it is not wanted."""
    visual, kind = is_visual(geom, options), geom["type"]
    meshed = kind in (MjtGeom.MESH, MjtGeom.SDF)
    if (visual and not options.visuals) or (meshed and not options.meshes):
        return None
    src = meshes.mesh(geom) if meshed else meshes.hfield(geom) if kind == MjtGeom.HFIELD else None
    if src is not None and meshed and options.maxhullvert is not None:
        src.maxhullvert = options.maxhullvert
    color, opacity = look(geom)
    bound = geom.bound()
    stays = (
        kind == MjtGeom.PLANE and geom.body.parent is None
    )  # a plane cannot move: that of the file's world stays in the scene's
    return NewShape(
        body=WORLD if stays else built.body[id(geom.body)],
        type=TYPES[kind],
        xform=pose(geom, built.world if stays else frame),
        cfg=config(geom, visual, options, bound),
        scale=(1.0, 1.0, 1.0) if src is not None else (0.0, 0.0, 0.0) if kind == MjtGeom.PLANE else used_size(geom),
        src=src,
        color=color,
        opacity=opacity,
        label=built.labels.geom(geom, visual),
        custom_attributes=attributes(geom, built, bound)
        | declared_values(built.declared[F.SHAPE], geom.node, geom.values),
    )


def has_unused_size(geom: Item) -> bool:
    """Whether a third number that MuJoCo does not use would make a barrel of a cylinder."""
    return geom["type"] == MjtGeom.CYLINDER and geom["size"][2] != 0.0


def used_size(geom: Item) -> tuple:
    """Sizes of a shape: those of the file, without the third of a cylinder."""
    return (*geom["size"][:2], 0.0) if has_unused_size(geom) else geom["size"]


def is_visual(geom: Item, options) -> bool:
    """Whether a geom is only seen: its masks are empty, no contact pair names it, and its class is not one of
    colliders.
    """
    label = class_of(geom)
    return not (
        geom["contype"]
        or geom["conaffinity"]
        or id(geom) in options.paired
        or (label and options.selection.collider(label))
    )


def config(geom: Item, visual: bool, options, bound: dict) -> ShapeConfig:
    """The shape's material, the builder's default where the file says nothing; density 0 because masses are settled."""
    cfg = options.shape.copy()
    cfg.density = 0.0
    cfg.is_site = cfg.collision_filter_parent = False
    for name, value in bound.items():
        if name.startswith("shape_"):
            setattr(cfg, name.removeprefix("shape_").removeprefix("material_"), value)
    if "solref" in geom.given and (gains := gains_of(*geom["solref"])):
        cfg.ke, cfg.kd = gains
    if options.legacy_margin_gap:
        cfg.margin = geom["margin"] - geom["gap"]
    cfg.has_shape_collision = cfg.has_particle_collision = not visual
    if not visual and not (geom["contype"] or geom["conaffinity"]):
        cfg.collision_group = 0
    floor = geom["type"] == MjtGeom.PLANE and 0 <= geom["group"] <= 2
    cfg.is_visible = not options.hide_visuals if visual else options.seen or floor
    return cfg


def gains_of(first: float, second: float) -> tuple[float, float] | None:
    """Stiffness and damping of a contact that ``solref`` amounts to at unit mass; None for one that makes no sense."""
    if first > 0 and second > 0:
        square = (first * second) ** 2
        return (1.0 / square, 2.0 / first) if square > 0 else None
    return (-first, -second) if first < 0 and second < 0 else None


def attributes(geom: Item, built, bound: dict) -> dict:
    """Custom attributes of a geom."""
    found = {name: value for name, value in bound.items() if name.startswith(CUSTOM)}
    found["mujoco:collision_mask_domain"] = built.domain
    if geom["type"] == MjtGeom.PLANE or has_unused_size(geom):
        found["mujoco:authored_size"] = geom["size"]
    if geom["type"] == MjtGeom.SDF:
        found["mujoco:shape_field"] = True
    if geom.values.get("plugin"):
        found["mujoco:shape_plugin"] = geom["plugin"].text()
    if not geom.name:
        found["mujoco:shape_unnamed"] = True
    return found | contact_reference(geom)


def contact_reference(geom: Item) -> dict:
    """Constraint reference of contacts: as authored, else MuJoCo's default."""
    if "solref" not in geom.given:
        return {"mujoco:solref_mode": SolrefMode.MJCF_DEFAULT}
    return {"mujoco:solref": geom["solref"], "mujoco:solref_mode": SolrefMode.RAW}


def site_shape(site: Item, frame, built, cfg: ShapeConfig) -> NewShape:
    """A site as a shape that is a site. Error of its element where it has the form of something that a file holds."""
    values = site.values
    if values["type"] in OF_FILES:
        raise site.node.error(
            "a site has no file with its shape; give it the type of a sphere, a capsule or a box", "type"
        )
    return NewShape(
        body=built.body[id(site.body)],
        type=TYPES[values["type"]],
        xform=pose(site, frame),
        cfg=cfg,
        scale=values["size"],
        label=built.labels.site(site),
        custom_attributes=site.bound() | {"mujoco:shape_unnamed": not site.name},
    )


def pose(item: Item, frame: tuple[Vec, Vec] | None) -> tuple[float, ...]:
    """Pose of a shape on its body, in Newton's order; ``frame`` moves shapes that stand in the world."""
    pos, quat = (item.pos, item.quat) if frame is None else chain(*frame, item.pos, item.quat)
    return (*pos, quat[1], quat[2], quat[3], quat[0])


def look(item: Item) -> tuple[tuple[float, ...], float]:
    """Colour and opacity, each between 0 and 1; a warning where the opacity is not."""
    if not 0.0 <= item["look"][3] <= 1.0:
        text = f"Clamping opacity {item['look'][3]:g} to between 0 and 1"
        warnings.warn(
            str(item.node.error(text, "rgba" if "rgba" in item.node.values else None)), NewtonWarning, stacklevel=2
        )
    rgba = [min(max(c, 0.0), 1.0) for c in item["look"]]
    return tuple(rgba[:3]), rgba[3]

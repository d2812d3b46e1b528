"""Geoms and sites as shapes of the builder."""

from functools import cache

from newtonlite.core.enums import GeoType
from newtonlite.importers.namespace import columns
from newtonlite.sim.builder.config import ShapeConfig

from .frame import Vec, chain
from .shapes import HFIELD, MESH
from .rows import material_of, text_of
from .spec import Item

TYPES = (GeoType.PLANE, GeoType.HFIELD, GeoType.SPHERE, GeoType.CAPSULE, GeoType.ELLIPSOID, GeoType.CYLINDER, GeoType.BOX, GeoType.MESH)
PLANE, WORLD = 0, -1
RAW, MJCF_DEFAULT = 1, 2
RARE = ("fluidshape", "fluidcoef", "surfacevel", "adhesion", "castshadow")
"""What few geoms say; the others keep the default."""


def add_geom(builder, geom: Item, frame, meshes, built, options) -> None:
    """A geom as a shape without mass; its body's mass is settled already."""
    collides = bool(geom["contype"] or geom["conaffinity"])
    kind = geom["type"]
    if (not collides and not options.visuals) or (kind == MESH and not options.meshes):
        return
    src = meshes.mesh(geom) if kind == MESH else meshes.hfield(geom) if kind == HFIELD else None
    if src is not None and kind == MESH and options.maxhullvert is not None:
        src.maxhullvert = options.maxhullvert
    color, opacity = look(geom)
    stays = kind == PLANE and geom.body.parent is None  # a plane cannot move: that of the file's world stays in the scene's
    built.shape[id(geom)] = builder.add_shape(
        body=WORLD if stays else built.body[id(geom.body)],
        type=TYPES[kind],
        xform=pose(geom, built.world if stays else frame),
        cfg=config(geom, collides, options),
        scale=(1.0, 1.0, 1.0) if src is not None else geom["size"],
        src=src,
        color=color,
        opacity=opacity,
        label=geom.name or None,
        custom_attributes=attributes(geom, built),
    )


def config(geom: Item, collides: bool, options) -> ShapeConfig:
    """The shape's material; density 0 because masses are settled."""
    slide, spin, roll = geom["friction"]
    margin = geom["margin"] - (geom["gap"] if options.legacy_margin_gap else 0.0)
    return ShapeConfig(
        density=0.0,
        mu=slide,
        mu_torsional=spin,
        mu_rolling=roll,
        margin=margin,
        gap=geom["gap"] if "gap" in geom.given else None,
        has_shape_collision=collides,
        has_particle_collision=collides,
        is_visible=collides or not options.hide_visuals,
        collision_filter_parent=False,
    )


def attributes(geom: Item, built) -> dict:
    """Custom attributes of a geom."""
    raw = "solref" in geom.given
    found = {
        "mujoco:contype": geom["contype"],
        "mujoco:conaffinity": geom["conaffinity"],
        "mujoco:collision_mask_domain": built.domain,
        "mujoco:condim": geom["condim"],
        "mujoco:geom_group": geom["group"],
        "mujoco:shape_unnamed": not geom.name,
        "mujoco:geom_priority": geom["priority"],
        "mujoco:geom_solimp": geom["solimp"],
        "mujoco:geom_solmix": geom["solmix"],
        "mujoco:geom_gap": geom["gap"],
        "mujoco:shape_user": text_of(geom.values.get("user")),
        "mujoco:shape_material": material_of(geom),
        "mujoco:shape_rgba": geom["authored_rgba"],
        "mujoco:solref": geom["solref"] if raw else (0.0, 0.0),
        "mujoco:solref_mode": RAW if raw else MJCF_DEFAULT,
    } | {f"mujoco:geom_{name}": geom[name] for name in RARE if name in geom.given}
    silent = defaults()
    return {key: value for key, value in found.items() if value != silent[key]}


@cache
def defaults() -> dict:
    """What the attributes of the namespace are where nothing is said."""
    return {f"mujoco:{name}": column.default for name, column in columns().items()}


def add_site(builder, site: Item, frame, built) -> None:
    """A site as a shape that is a site."""
    built.shape[id(site)] = builder.add_site(
        built.body[id(site.body)],
        xform=pose(site, frame),
        type=TYPES[site["type"]],
        scale=site["size"],
        label=site.name or None,
        custom_attributes={
            "mujoco:geom_group": site["group"],
            "mujoco:shape_unnamed": not site.name,
            "mujoco:shape_user": text_of(site.values.get("user")),
            "mujoco:shape_material": material_of(site),
            "mujoco:shape_rgba": site["authored_rgba"],
        },
    )


def pose(item: Item, frame: tuple[Vec, Vec] | None) -> tuple[float, ...]:
    """Where a shape is on its body, in Newton's order; ``frame`` moves what stands in the world."""
    pos, quat = (item.pos, item.quat) if frame is None else chain(*frame, item.pos, item.quat)
    return (*pos, quat[1], quat[2], quat[3], quat[0])


def look(item: Item) -> tuple[tuple[float, ...], float]:
    """Colour and opacity, each between 0 and 1."""
    rgba = [min(max(c, 0.0), 1.0) for c in item["rgba"]]
    return tuple(rgba[:3]), rgba[3]

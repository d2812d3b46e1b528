"""Shapes: colliders, visuals and sites of a stage, each on its body."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonlite.core.enums import GeoType, SolrefMode
from newtonlite.core.table import CUSTOM
from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.approximate import approximate
from newtonlite.importers.usd.gprims import KNOWN, OTHER, Geometry, read_gprim, round_shape, source_of
from newtonlite.importers.usd.looks import NEUTRAL, Looks, encoded
from newtonlite.importers.usd.materials import Materials
from newtonlite.importers.usd.meshes import MeshLibrary, named
from newtonlite.importers.usd.plugins import read_plugin
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.resolvers import PrimType
from newtonlite.importers.usd.sdf import fielded, read_fields
from newtonlite.importers.usd.spec import Material, UsdBody, UsdShape, UsdSpec
from newtonlite.math.transform import inverse, multiply
from newtonlite.schema.execute import scene_values
from newtonlite.schema.geom import GEOM

SITES = {"Sphere", "Capsule", "Cylinder", "Cone", "Cube"}


@dataclass
class Wanted:
    """Selection of shapes that the caller asks for, and their options."""

    sites: bool = True
    visuals: bool = True
    static_visuals: bool = True
    approximate: bool = True
    maxhullvert: int | None = None
    legacy_margin_gap: bool = False
    domain: int = 0


def read_shapes(spec: UsdSpec, wanted: Wanted) -> None:
    """All shapes, in the order of the stage."""
    prims = [prim for prim in spec.walk.prims if prim.tag in KNOWN]
    for prim in spec.walk.of_type(*OTHER):
        what = "a collider" if prim.has("PhysicsCollisionAPI") else "not drawn"
        spec.report.ignore(
            prim,
            f"{prim.tag} is no rigid shape; it is {what} that is left out"
            if what == "a collider"
            else f"{prim.tag} is {what}",
        )
    meshes, looks = MeshLibrary(), Looks(spec.walk)
    colliders = [prim for prim in prims if prim.has("PhysicsCollisionAPI")]
    materials = Materials(spec).of(colliders)
    looks.bind(list(prims))
    for prim in prims:
        body = spec.body_of(prim)
        if prim.has("NewtonSiteAPI"):
            if wanted.sites:
                add_site(spec, prim, body, looks)
        elif prim.has("PhysicsCollisionAPI"):
            add_collider(spec, prim, body, materials.get(prim.path), meshes, looks, wanted)
        elif any(above.has("PhysicsCollisionAPI") for above in list(prim.above())[1:]):
            spec.report.ignore(prim, "lies inside a collider, which no geometry may")
        elif wanted.visuals if body is not None else wanted.static_visuals:
            add_visual(spec, prim, body, meshes, looks)


def new_shape(
    spec: UsdSpec, prim: Prim, geometry: Geometry, body: UsdBody | None, pose: np.ndarray, rest: np.ndarray, source: Any
) -> UsdShape:
    """A shape, posed in its body."""
    local = multiply(pose, geometry.pose)
    if body is not None:
        local = multiply(inverse(body.pose), local)
    scale = np.diagonal(rest) / spec.units.length
    return UsdShape(prim, geometry.kind, body, local, geometry.size, source, label=prim.path, scale=scale)


def keep(spec: UsdSpec, shape: UsdShape, path: str | None = None) -> None:
    """Take in a shape, found by its path."""
    spec.shapes.append(shape)
    if path:
        spec.shape_at[path] = shape
    if shape.body is not None:
        shape.body.shapes.append(shape)


def add_site(spec: UsdSpec, prim: Prim, body: UsdBody | None, looks: Looks) -> None:
    """A named frame."""
    if prim.tag not in SITES:
        spec.report.ignore(prim, f"a site that is a {prim.tag} is left out; use {', '.join(sorted(SITES))}")
        return
    spec.report.used["site"] += 1
    pose, rest = prim.frame()
    geometry = round_shape(prim, rest) if prim.tag == "Cone" else read_gprim(prim, rest, MeshLibrary(), False)
    if geometry.triangles is not None:
        spec.report.unsupported(prim.error("a site cannot be sheared; give it a scale along its axes", "xformOpOrder"))
        return
    shape = new_shape(spec, prim, geometry, body, pose, rest, None)
    shape.site, shape.visible = True, True
    shape.color, shape.opacity = looks.color(prim)
    group = mjc.values(prim, GEOM, ("group",)).get("group", prim.get("mjc:group"))
    if group is not None:
        shape.custom["mujoco:geom_group"] = int(group)
    keep(spec, shape, prim.path)


def add_collider(
    spec: UsdSpec,
    prim: Prim,
    body: UsdBody | None,
    material: Material | None,
    meshes: MeshLibrary,
    looks: Looks,
    wanted: Wanted,
) -> None:
    """A collider; one that is drawn too and simplified leaves the drawing behind as a shape of its own."""
    spec.resolvers.collect(prim)
    enabled = prim.flag("physics:collisionEnabled", True)
    visible = looks.visible(prim)
    pose, rest = prim.frame()
    geometry = read_gprim(prim, rest, meshes, True)
    if geometry is None:
        return
    spec.report.used["collider" if enabled else "disabled collider"] += 1
    pieces = [(geometry, "")]
    if prim.word("physics:approximation", "none") != "none" and fielded(spec, prim):
        prim.doubt("physics:approximation is ignored: the signed distance field is that of the mesh")
    elif geometry.kind is GeoType.MESH and enabled and wanted.approximate and not hull_anyway(spec, prim):
        pieces = approximate(prim, geometry, meshes)
    apart = (
        visible
        and pieces[0][0].kind is not geometry.kind
        and geometry.kind is GeoType.MESH
        and prim.word("physics:approximation", "none") != "none"
    )
    plain = named(prim) if geometry.kind is GeoType.MESH else {}
    look = looks.own(prim, plain) if visible and not apart else {}
    options = mesh_options(spec, prim, wanted) | look | plain
    for piece, suffix in pieces:
        source = source_of(piece, meshes, **options) if piece.triangles is not None else piece.source
        shape = new_shape(spec, prim, piece, body, pose, rest, source)
        shape.collides, shape.enabled, shape.material, shape.label = True, enabled, material, prim.path + suffix
        shape.color, shape.opacity = looks.color(prim)
        shape.visible = visible and not (apart and wanted.visuals)
        set_contact_parameters(spec, shape, wanted)
        if collides_by_field(spec, prim):
            shape.custom["mujoco:shape_field"] = True
        if (plugin := read_plugin(prim, "geom")) is not None:
            shape.custom["mujoco:shape_plugin"] = plugin
        keep(spec, shape, prim.path if not suffix else None)
        if suffix and prim.path not in spec.shape_at:
            spec.shape_at[prim.path] = shape
    if apart and wanted.visuals:
        drawn = new_shape(spec, prim, geometry, body, pose, rest, looks.drawn(prim, geometry, meshes))
        drawn.label = f"{prim.path}_visual"
        drawn.color, drawn.opacity = looks.color(prim)
        keep(spec, drawn)


def add_visual(spec: UsdSpec, prim: Prim, body: UsdBody | None, meshes: MeshLibrary, looks: Looks) -> None:
    """A shape that is only seen; a mesh with materials by face becomes one per material."""
    pose, rest = prim.frame()
    geometry = read_gprim(prim, rest, meshes, False)
    if geometry is None:
        return
    spec.report.used["visual"] += 1
    for path, source_prim, part in looks.parts(prim, geometry):
        hull = {"maxhullvert": -1} if spec.scene.mjc else {}
        source = looks.drawn(prim, part, meshes, source_prim, **hull) if part.triangles is not None else part.source
        shape = new_shape(spec, prim, part, body, pose, rest, source)
        shape.label, shape.visible = path, looks.visible(prim)
        shape.color, shape.opacity = looks.color(source_prim, prim)
        shape.color = shape.color or 3 * (encoded(NEUTRAL),)
        if "mjc" in spec.resolvers.names():
            mujoco_look(spec, shape)
        keep(spec, shape, path)


def mesh_options(spec: UsdSpec, prim: Prim, wanted: Wanted) -> dict[str, Any]:
    """Bounds of a collider's hull."""
    most, by = spec.resolvers.source(prim, PrimType.SHAPE, "max_hull_vertices")
    if most is None or int(most) < 0:
        most = wanted.maxhullvert if wanted.maxhullvert is not None else -1 if spec.scene.mjc else None
    elif 0 <= int(most) < 4:
        raise prim.error(f"{int(most)} vertices make no hull; give at least 4, or -1 for any number")
    return {} if most is None else {"maxhullvert": int(most)}


def set_contact_parameters(spec: UsdSpec, shape: UsdShape, wanted: Wanted) -> None:
    """Contact parameters: what is authored on the shape, then on its material; the builder's stay for what nobody says."""
    prim, length = shape.prim, spec.units.length
    settings = shape.settings
    if shape.material is not None:
        settings |= {"mu": shape.material.mu, "restitution": shape.material.restitution} | shape.material.values
    order = spec.resolvers.names()
    for key in ("ke", "kd", "kf", "ka"):
        value, by = spec.resolvers.source(prim, PrimType.SHAPE, key)
        first = by == "mjc" and ("newton" not in order or order.index("mjc") < order.index("newton"))
        if value is not None and by != "mjc" and key not in settings or first:
            settings[key] = is_non_negative(prim, key, value)
    margin, by = spec.resolvers.source(prim, PrimType.SHAPE, "margin")
    gap, gap_by = spec.resolvers.source(prim, PrimType.SHAPE, "gap")
    if wanted.legacy_margin_gap and by == "mjc":
        margin = max(float(margin) - float(prim.finite("mjc:gap", 0.0)), 0.0)
    if margin is not None and math.isfinite(margin):
        settings["margin"] = is_non_negative(prim, "margin", margin) * length
    if gap is None and by == "mjc":
        gap = 0.0
    if gap is not None and math.isfinite(gap):
        settings["gap"] = float(gap) * length
    if shape.source is None and spec.resolvers.source(prim, PrimType.SHAPE, "mass_model")[0] == "shell":
        settings["is_solid"] = False
    read_fields(spec, shape)
    if "mjc" in order:
        mujoco(spec, shape, wanted)


def is_non_negative(prim: Prim, key: str, value: Any) -> float:
    """A finite number of at least 0."""
    value = float(value)
    if not 0.0 <= value < math.inf:
        raise prim.error(f"{key} is {value:g}; give a finite number of at least 0")
    return value


def hull_anyway(spec: UsdSpec, prim: Prim) -> bool:
    """Whether a mesh is MuJoCo's, which draws the mesh and collides by its hull, and needs no other shape for it."""
    return spec.scene.mjc and prim.has("MjcMeshCollisionAPI") and prim.word("physics:approximation") == "convexHull"


def collides_by_field(spec: UsdSpec, prim: Prim) -> bool:
    """Whether a mesh is MuJoCo's of the type sdf, which collides by its distance field."""
    return spec.scene.mjc and prim.has("MjcMeshCollisionAPI") and prim.word("physics:approximation") == "sdf"


def mujoco_look(spec: UsdSpec, shape: UsdShape) -> None:
    """MuJoCo's attributes of a geom that collides with nothing."""
    mujoco_rows(shape, "contype", "conaffinity")
    gap, margin = shape.prim.finite("mjc:gap"), shape.prim.finite("mjc:margin")
    if gap is not None:
        shape.custom["mujoco:geom_gap"] = shape.settings["gap"] = gap
    if margin is not None:
        shape.settings["margin"] = is_non_negative(shape.prim, "margin", margin)


def mujoco_rows(shape: UsdShape, *less: str) -> dict[str, Any]:
    """MuJoCo's attributes of a geom, but ``less``, by MJCF name; its custom attributes take those that rows bind."""
    found = mjc.values(shape.prim, GEOM)
    group = shape.prim.get("mjc:group")
    if group is not None:
        found["group"] = int(group)
    bound = scene_values(GEOM, {name: value for name, value in found.items() if name not in less})
    shape.custom |= {name: value for name, value in bound.items() if name.startswith(CUSTOM)}
    contact_reference(shape, found.get("solref"))
    return found


def contact_reference(shape: UsdShape, solref: tuple | None) -> None:
    """Constraint reference of contacts, as authored."""
    if solref is not None:
        shape.custom |= {"mujoco:solref": solref, "mujoco:solref_mode": SolrefMode.RAW}


def mujoco(spec: UsdSpec, shape: UsdShape, wanted: Wanted) -> None:
    """MuJoCo's attributes of a geom that collides."""
    prim, found = shape.prim, mujoco_rows(shape)
    if found.get("condim", 3) not in (1, 3, 4, 6):
        raise prim.error(f"{found['condim']} is no dimension of contacts; give 1, 3, 4 or 6", "mjc:condim")
    gap = prim.finite("mjc:gap", shape.settings.get("gap") if spec.scene.mjc else None)
    if gap is not None:
        shape.custom["mujoco:geom_gap"] = gap
    if spec.scene.mjc or "contype" in found or "conaffinity" in found:
        shape.custom = (
            {"mujoco:contype": 1, "mujoco:conaffinity": 1}
            | shape.custom
            | {"mujoco:collision_mask_domain": wanted.domain}
        )

"""Geoms and sites: the shapes of the scene, by body."""

import numpy as np

from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.enums import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    HFIELD,
    MESH,
    OBJ_BODY,
    OBJ_GEOM,
    PLANE,
    SENS_GEOMDIST,
    SENS_GEOMFROMTO,
    SENS_GEOMNORMAL,
    SENS_RANGEFINDER,
    SPHERE,
)

from .extent import bounding_radii, geom_boxes
from .fluid import fluid_coefficients
from .gains import DEFAULT_SOLIMP, shape_gains, shape_solref
from .hfields import compile_hfields
from .meshes import compile_meshes
from .rotation import product, rotate, to_wxyz
from .tree import Tree
from .worlds import Worlds

GEOM_TYPE = {
    GeoType.PLANE: PLANE,
    GeoType.SPHERE: SPHERE,
    GeoType.CAPSULE: CAPSULE,
    GeoType.ELLIPSOID: ELLIPSOID,
    GeoType.CYLINDER: CYLINDER,
    GeoType.BOX: BOX,
    GeoType.MESH: MESH,
    GeoType.CONVEX_MESH: MESH,
    GeoType.HFIELD: HFIELD,
}
NAMED = {GeoType.PLANE: "plane", GeoType.HFIELD: "height field"}
SITE_TYPES = (GeoType.SPHERE, GeoType.CAPSULE, GeoType.ELLIPSOID, GeoType.CYLINDER, GeoType.BOX)
PLANE_SIZE = (5.0, 5.0, 5.0)  # for drawing, where none is given; planes are infinite
DISTANCES = (SENS_GEOMDIST, SENS_GEOMNORMAL, SENS_GEOMFROMTO)
USED_SIZES = {PLANE: 0, SPHERE: 1, CAPSULE: 2, ELLIPSOID: 3, CYLINDER: 2, BOX: 3, MESH: 0, HFIELD: 0}


def compile_geoms(m, w: Worlds, tree: Tree, skip_visual: bool = False, cones: bool = False) -> None:
    """Fill the geom arrays. ``skip_visual`` leaves out shapes that collide with nothing; ``cones`` makes cylinders of cones."""
    keep = ~is_site(w)
    if skip_visual:
        keep &= collides(w) | is_paired(w) | is_wrapped(w) | is_sensed(w) | is_wetted(w)
    shapes, body = by_body(w, tree, keep)
    m.ngeom = len(shapes)
    kinds, moving = w.first("shape_type")[shapes].tolist(), m.body_treeid[body] >= 0
    m.set(newton_geom=shapes, geom_bodyid=body, geom_type=[geom_type(w, *one, cones) for one in zip(shapes, kinds, moving)])
    m.geom_type = m.geom_type.reshape(-1).astype(np.int32)
    m.names_geom = [w.name("shape", s) for s in shapes]
    m.body_geomnum = np.bincount(body, minlength=m.nbody).astype(np.int32)
    first = np.searchsorted(body, np.arange(m.nbody))
    m.body_geomadr = np.where(m.body_geomnum > 0, first, -1).astype(np.int32)
    m.set(
        geom_condim=w.first("mujoco:condim")[shapes] if w.has("mujoco:condim") else np.full(m.ngeom, 3),
        geom_priority=w.first("mujoco:geom_priority")[shapes] if w.has("mujoco:geom_priority") else np.zeros(m.ngeom, int),
        geom_group=w.first("mujoco:geom_group")[shapes] if w.has("mujoco:geom_group") else np.zeros(m.ngeom, int),
    )
    m.set(
        geom_rgba=colours(w, shapes),
        geom_castshadow=w.first("mujoco:geom_castshadow")[shapes] if w.has("mujoco:geom_castshadow") else np.ones(m.ngeom, bool),
        geom_surfacevel=w.get_or("mujoco:geom_surfacevel", (0.0,) * 6, "shape")[..., shapes, :],
        geom_adhesion=w.get_or("mujoco:geom_adhesion", 0.0, "shape")[..., shapes],
    )
    compile_meshes(m, w, shapes, (collides(w) | is_paired(w))[shapes])
    compile_hfields(m, w, shapes)
    geom_parameters(m, w)
    fluid(m, w)


def fluid(m, w: Worlds) -> None:
    """What each geom is to the fluid around it."""
    shape = w.first("mujoco:geom_fluidshape")[m.newton_geom] if w.has("mujoco:geom_fluidshape") else np.zeros(m.ngeom, int)
    wet = shape.any()
    coefficients = w.get("mujoco:geom_fluidcoef")[..., m.newton_geom, :] if wet else np.zeros((m.ngeom, 5))
    m.set(geom_fluid=fluid_coefficients(m.geom_type, m.geom_size if wet else np.zeros((m.ngeom, 3)), shape, coefficients))


def colours(w: Worlds, shapes) -> np.ndarray:
    """Colour and opacity [n, 4]: as authored, else those of the shape."""
    own = np.concatenate([w.first("shape_color")[shapes], w.first("shape_opacity")[shapes, None]], axis=1)
    told = w.first("mujoco:shape_rgba")[shapes] if w.has("mujoco:shape_rgba") else np.full((len(shapes), 4), np.nan)
    return np.where(np.isnan(told), own, told)


def geom_parameters(m, w: Worlds) -> None:
    """The real-valued geom arrays."""
    shapes = m.newton_geom
    pos, quat = geom_frames(m, w)
    size = geom_sizes(m, w)
    material = [w.get(f"shape_material_{name}")[..., shapes] for name in ("mu", "mu_torsional", "mu_rolling")]
    m.set(
        geom_pos=pos,
        geom_quat=quat,
        geom_size=size,
        geom_rbound=bounding_radii(m.geom_type, size, asset_radii(m)),
        geom_aabb=geom_boxes(m, size),
        geom_friction=np.stack(np.broadcast_arrays(*material), axis=-1),
        geom_solref=shape_solref(w, shapes),
        geom_gains=shape_gains(w, shapes),
        geom_solimp=w.get_or("mujoco:geom_solimp", DEFAULT_SOLIMP, "shape")[..., shapes, :],
        geom_solmix=w.get_or("mujoco:geom_solmix", 1.0, "shape")[..., shapes],
        geom_margin=w.get("shape_margin")[..., shapes],
        geom_gap=w.get_or("mujoco:geom_gap", 0.0, "shape")[..., shapes],
    )


def geom_sizes(m, w: Worlds) -> np.ndarray:
    """Half-sizes [..., ngeom, 3] in MuJoCo's sense, zero where a type has fewer, unless a file gave them."""
    scale = w.get("shape_scale")[..., m.newton_geom, :]
    used = np.array([USED_SIZES[int(kind)] for kind in m.geom_type])[:, None]
    size = np.where((np.arange(3) < used) | from_file(w, m.newton_geom)[:, None], scale, 0.0)
    plane = np.where(scale.any(-1, keepdims=True), scale, PLANE_SIZE)
    size = np.where((m.geom_type == PLANE)[:, None], plane, size)
    return np.where(np.isin(m.geom_type, (MESH, HFIELD))[:, None], asset_sizes(m), size)


def asset_sizes(m) -> np.ndarray:
    """Half-sizes [ngeom, 3] of boxes about the frames that hold the meshes, and about height fields; 0 for other geoms."""
    size = np.zeros((m.ngeom, 3))
    mesh, field = m.geom_type == MESH, m.geom_type == HFIELD
    box = m.mesh_box[m.geom_dataid[mesh]]
    size[mesh] = np.abs(box[:, :3]) + box[:, 3:]
    x, y, high, base = m.hfield_size[m.geom_dataid[field]].T
    size[field] = np.stack([x, y, 0.25 * high + 0.5 * base], axis=-1)
    return size


def geom_frames(m, w: Worlds) -> tuple[np.ndarray, np.ndarray]:
    """Position [..., ngeom, 3] and quaternion of each geom: its shape's, or, of a mesh or height field, that of the asset in it."""
    transform = w.get("shape_transform")[..., m.newton_geom, :]
    pos, quat = transform[..., :3], to_wxyz(transform[..., 3:])
    offset, turn = np.zeros((m.ngeom, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (m.ngeom, 1))
    mesh, field = m.geom_type == MESH, m.geom_type == HFIELD
    offset[mesh], turn[mesh] = m.mesh_pos[m.geom_dataid[mesh]], m.mesh_quat[m.geom_dataid[mesh]]
    offset[field, 2] = m.hfield_low[m.geom_dataid[field]]
    moved = (mesh | field)[:, None]
    return np.where(moved, pos + rotate(quat, offset), pos), np.where(moved, product(quat, turn), quat)


def asset_radii(m) -> np.ndarray:
    """Radius [ngeom] about the geom's frame that holds its mesh or height field; 0 for other geoms."""
    radius = np.zeros(m.ngeom)
    mesh, field = m.geom_type == MESH, m.geom_type == HFIELD
    radius[mesh] = np.linalg.norm(asset_sizes(m)[mesh], axis=1)
    size = m.hfield_size[m.geom_dataid[field]]
    radius[field] = np.sqrt(size[:, 0] ** 2 + size[:, 1] ** 2 + size[:, 2:].max(axis=1, initial=0.0) ** 2)
    return radius


def from_file(w: Worlds, shapes) -> np.ndarray:
    """Which shapes came from MJCF, whose unused sizes are kept."""
    return w.get_or("mujoco:collision_mask_domain", -1, "shape")[..., shapes] >= 0


def geom_type(w: Worlds, shape: int, number: int, moving: bool, cones: bool = False) -> int:
    """MuJoCo's type of a shape of Newton's type ``number``; ModelError for shapes that SolverMuJoCo does not take. ``moving`` is False on bodies without joints above."""
    kind = GeoType(number)
    if kind == GeoType.CONE and cones:
        return CYLINDER
    if kind not in GEOM_TYPE:
        known = ", ".join(k.name for k in GEOM_TYPE)
        hint = ", or use_mujoco_contacts=False" if kind == GeoType.CONE else ""
        raise ModelError(f"shape '{w.label('shape', shape)}': {kind.name} is not supported by SolverMuJoCo's own contacts; use {known}{hint}")
    if kind in (GeoType.PLANE, GeoType.HFIELD) and moving:
        raise ModelError(f"shape '{w.label('shape', shape)}': a {NAMED[kind]} must be attached to the world (body=-1) or to a body that never moves")
    return GEOM_TYPE[kind]


def compile_sites(m, w: Worlds, tree: Tree, include: bool = True) -> None:
    """Fill the site arrays. Sites of other types than sphere, capsule, ellipsoid, cylinder and box become spheres."""
    shapes, body = by_body(w, tree, is_site(w) & include)
    m.nsite = len(shapes)
    m.names_site = [w.name("shape", s) for s in shapes]
    kinds = [GeoType(k) for k in w.first("shape_type")[shapes]]
    types = [GEOM_TYPE[k] if k in SITE_TYPES else SPHERE for k in kinds]
    m.set(newton_site=shapes, site_bodyid=body, site_type=np.array(types, np.int32), site_rgba=colours(w, shapes), site_dataid=np.full(m.nsite, -1))
    m.set(site_group=w.first("mujoco:geom_group")[shapes] if w.has("mujoco:geom_group") else np.zeros(m.nsite, int))
    site_parameters(m, w)


def site_parameters(m, w: Worlds) -> None:
    """The real-valued site arrays."""
    transform = w.get("shape_transform")[..., m.newton_site, :]
    m.set(site_pos=transform[..., :3], site_quat=to_wxyz(transform[..., 3:]), site_size=w.get("shape_scale")[..., m.newton_site, :])


def by_body(w: Worlds, tree: Tree, keep) -> tuple[np.ndarray, np.ndarray]:
    """The shapes to keep, sorted by MuJoCo body, and their bodies; shapes of one body keep their order."""
    body = tree.mujoco_body()[w.local("body", w.first("shape_body"))]
    shapes = np.flatnonzero(keep)
    shapes = shapes[np.argsort(body[shapes], kind="stable")]
    return shapes.astype(np.int32), body[shapes].astype(np.int32)


def is_site(w: Worlds) -> np.ndarray:
    """Which shapes are sites."""
    return (w.first("shape_flags") & ShapeFlags.SITE) != 0


def is_paired(w: Worlds) -> np.ndarray:
    """Which shapes an explicit contact pair names: those collide with each other whatever their flags."""
    paired = np.zeros(w.size("shape"), bool)
    if w.has("mujoco:pair_geom1"):
        for k in (1, 2):
            paired[w.local("shape", w.first(f"mujoco:pair_geom{k}"))] = True
    return paired


def is_wrapped(w: Worlds) -> np.ndarray:
    """Which shapes a tendon runs around."""
    wrapped = np.zeros(w.size("shape") + 1, bool)
    if w.has("mujoco:tendon_wrap_shape"):
        wrapped[w.local("shape", w.first("mujoco:tendon_wrap_shape"))] = True
    return wrapped[:-1]


def is_wetted(w: Worlds) -> np.ndarray:
    """Which shapes are ellipsoids to a fluid."""
    return w.first("mujoco:geom_fluidshape") != 0 if w.has("mujoco:geom_fluidshape") else np.zeros(w.size("shape"), bool)


def is_sensed(w: Worlds) -> np.ndarray:
    """Which shapes a sensor watches: all where one casts rays or measures the distance of bodies."""
    sensed = np.zeros(w.size("shape"), bool)
    if not w.has("mujoco:sensor_type"):
        return sensed
    kind = w.first("mujoco:sensor_type")
    for end in ("obj", "ref"):
        types, objects = w.first(f"mujoco:sensor_{end}type"), w.first(f"mujoco:sensor_{end}id")
        sensed[w.local("shape", objects[types == OBJ_GEOM])] = True
        sensed |= bool(((kind == SENS_RANGEFINDER) | (np.isin(kind, DISTANCES) & (types == OBJ_BODY))).any())
    return sensed


def collides(w: Worlds) -> np.ndarray:
    """Which shapes may touch others."""
    return (w.first("shape_flags") & ShapeFlags.COLLIDE_SHAPES) != 0

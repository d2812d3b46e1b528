"""Geoms and sites: the shapes of the scene, by body."""

import numpy as np

from newtonlite.core.enums import GeoType, ShapeFlags, TrnType
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtGeom, MjtObj, MjtSensor
from newtonlite.geometry.kinds import KIND_OF
from newtonlite.sim.shape_bounds import barrels
from newtonlite.solvers.mujoco.bindings import geom
from newtonlite.solvers.mujoco.bindings.table import fill_fields
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.extent import geom_boxes
from newtonlite.solvers.mujoco.compile.fluid import fluid_coefficients
from newtonlite.solvers.mujoco.compile.hfields import compile_hfields
from newtonlite.solvers.mujoco.compile.joints import anywhere
from newtonlite.solvers.mujoco.compile.meshes import compile_meshes
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds

GEOM_TYPE = KIND_OF | {GeoType.CONE: int(MjtGeom.MESH)}
"""Types of geoms; MuJoCo has no cones and no barrels, a mesh stands for each."""
NAMED = {GeoType.PLANE: "plane", GeoType.HFIELD: "height field"}
SHAPE_REFERENCES = (
    "actuator_refsite",
    "actuator_slidersite",
    "tendon_wrap_shape",
    "tendon_wrap_sidesite",
    "equality_constraint_site1",
    "equality_constraint_site2",
)
"""Attributes of the ``mujoco`` namespace that are shapes."""
SITE_TARGETS = (TrnType.SITE, TrnType.SLIDERCRANK)
"""Transmissions by sites."""
SITE_TYPES = (GeoType.SPHERE, GeoType.CAPSULE, GeoType.ELLIPSOID, GeoType.CYLINDER, GeoType.BOX)
PLANE_SIZE = (5.0, 5.0, 5.0)  # for drawing, where none is given; planes are infinite
DISTANCES = (MjtSensor.GEOMDIST, MjtSensor.GEOMNORMAL, MjtSensor.GEOMFROMTO)
USED_SIZES = {
    MjtGeom.PLANE: 0,
    MjtGeom.SPHERE: 1,
    MjtGeom.CAPSULE: 2,
    MjtGeom.ELLIPSOID: 3,
    MjtGeom.CYLINDER: 2,
    MjtGeom.BOX: 3,
    MjtGeom.MESH: 0,
    MjtGeom.HFIELD: 0,
    MjtGeom.SDF: 0,
}
MESHED = (MjtGeom.MESH, MjtGeom.SDF)
"""Types that have a mesh."""


def compile_geoms(m: CompiledModel, w: Worlds, tree: BodyTree, skip_visual: bool = False, flat: bool = False) -> None:
    """Fill the geom arrays. ``skip_visual`` leaves out shapes that are not colliders; ``flat`` lets meshes without
    volume pass.
    """
    keep = ~is_site(w)
    if skip_visual:
        keep &= is_collider(w) | is_paired(w) | is_wrapped(w) | is_sensed(w) | is_wetted(w) | takes_turns(w)
    shapes, body = by_body(w, tree, keep)
    m.ngeom = len(shapes)
    kinds, moving = w.first("shape_type")[shapes].tolist(), m.body_treeid[body] >= 0
    m.set(newton_geom=shapes, geom_bodyid=body, geom_type=[geom_type(w, *one) for one in zip(shapes, kinds, moving)])
    m.geom_type = np.where(
        barrels(w.first("shape_type")[shapes], w.first("shape_scale")[shapes]), MjtGeom.MESH, m.geom_type
    )
    fields = w.first("mujoco:shape_field")[shapes] if w.has("mujoco:shape_field") else np.zeros(m.ngeom, bool)
    m.geom_type = np.where(fields & (m.geom_type == MjtGeom.MESH), MjtGeom.SDF, m.geom_type)
    m.geom_type = m.geom_type.reshape(-1).astype(np.int32)
    m.names_geom = [w.name("shape", s) for s in shapes]
    m.body_geomnum = np.bincount(body, minlength=m.nbody).astype(np.int32)
    first = np.searchsorted(body, np.arange(m.nbody))
    m.body_geomadr = np.where(m.body_geomnum > 0, first, -1).astype(np.int32)
    m.set(
        geom_condim=w.first("mujoco:condim")[shapes] if w.has("mujoco:condim") else np.full(m.ngeom, 3),
        geom_priority=w.first("mujoco:geom_priority")[shapes]
        if w.has("mujoco:geom_priority")
        else np.zeros(m.ngeom, int),
        geom_group=w.first("mujoco:geom_group")[shapes] if w.has("mujoco:geom_group") else np.zeros(m.ngeom, int),
    )
    cast = w.first("mujoco:geom_castshadow")[shapes] if w.has("mujoco:geom_castshadow") else np.ones(m.ngeom, bool)
    m.set(geom_rgba=colours(w, shapes), geom_castshadow=cast)
    compile_meshes(m, w, shapes, (collides(w) | is_paired(w))[shapes], flat=flat)
    compile_hfields(m, w, shapes)
    geom_parameters(m, w)
    fluid(m, w)


def fluid(m: CompiledModel, w: Worlds) -> None:
    """Fluid coefficients of each geom."""
    shape = (
        w.first("mujoco:geom_fluidshape")[m.newton_geom] if w.has("mujoco:geom_fluidshape") else np.zeros(m.ngeom, int)
    )
    wet = shape.any()
    coefficients = w.get("mujoco:geom_fluidcoef")[..., m.newton_geom, :] if wet else np.zeros((m.ngeom, 5))
    m.set(
        geom_fluid=fluid_coefficients(m.geom_type, m.geom_size if wet else np.zeros((m.ngeom, 3)), shape, coefficients)
    )


def colours(w: Worlds, shapes) -> np.ndarray:
    """Colour and opacity [n, 4]: as authored, else those of the shape."""
    own = np.concatenate([w.first("shape_color")[shapes], w.first("shape_opacity")[shapes, None]], axis=1)
    authored = w.first("mujoco:shape_rgba")[shapes] if w.has("mujoco:shape_rgba") else np.full((len(shapes), 4), np.nan)
    return np.where(np.isnan(authored), own, authored)


def geom_parameters(m: CompiledModel, w: Worlds) -> None:
    """The real-valued geom arrays."""
    size_geoms(m, w)
    m.set(geom_rbound=asset_radii(m))
    fill_fields(m, w, geom.BINDS)
    for row in geom.DERIVED:
        m.set(**row.numpy(m, w))
    gap = w.get_or("mujoco:geom_gap", 0.0, "shape")[..., m.newton_geom]
    m.set(geom_aabb=geom_boxes(m, m.geom_size), geom_gap=gap)


def size_geoms(m: CompiledModel, w: Worlds) -> None:
    """``geom_size`` of what has another than its shape, and ``geom_sized``: words that are the shape's half-sizes in
    MuJoCo's sense, not those for which a type has no use, unless a file gave them.
    """
    used = np.array([USED_SIZES[int(kind)] for kind in m.geom_type])[:, None]
    plane, asset = ((m.geom_type == MjtGeom.PLANE)[:, None], np.isin(m.geom_type, (*MESHED, MjtGeom.HFIELD))[:, None])
    given = anywhere(w.words("shape_scale")[..., m.newton_geom, :].any(-1))[:, None]
    own = np.where(plane, given, (np.arange(3) < used) | from_file(w, m.newton_geom)[:, None])
    authored = w.get_or("mujoco:authored_size", (np.nan,) * 3, "shape")[..., m.newton_geom, :]
    drawn = np.where(np.isnan(authored), PLANE_SIZE, authored)
    unused = (
        (m.geom_type == MjtGeom.CYLINDER)[:, None] & anywhere(~np.isnan(authored).any(-1))[:, None] & (np.arange(3) > 1)
    )
    size = np.where(plane, drawn, np.where(unused, authored, asset_sizes(m)))
    m.set(geom_sized=own & ~asset & ~unused, geom_size=size)


def asset_sizes(m: CompiledModel) -> np.ndarray:
    """Half-sizes [ngeom, 3] of boxes about the frames that hold the meshes, and about height fields; 0 for other geoms."""
    size = np.zeros((m.ngeom, 3))
    mesh, field = np.isin(m.geom_type, MESHED), m.geom_type == MjtGeom.HFIELD
    box = m.mesh_box[m.geom_dataid[mesh]]
    size[mesh] = np.abs(box[:, :3]) + box[:, 3:]
    x, y, high, base = m.hfield_size[m.geom_dataid[field]].T
    size[field] = np.stack([x, y, 0.25 * high + 0.5 * base], axis=-1)
    return size


def asset_radii(m: CompiledModel) -> np.ndarray:
    """Radius [ngeom] about the geom's frame that holds its mesh or height field; 0 for other geoms."""
    radius = np.zeros(m.ngeom)
    mesh, field = np.isin(m.geom_type, MESHED), m.geom_type == MjtGeom.HFIELD
    radius[mesh] = np.linalg.norm(asset_sizes(m)[mesh], axis=1)
    size = m.hfield_size[m.geom_dataid[field]]
    radius[field] = np.sqrt(size[:, 0] ** 2 + size[:, 1] ** 2 + size[:, 2:].max(axis=1, initial=0.0) ** 2)
    return radius


def from_file(w: Worlds, shapes) -> np.ndarray:
    """Mask of the shapes that came from MJCF, whose unused sizes are kept."""
    if not w.has("mujoco:collision_mask_domain"):
        return np.zeros(len(shapes), bool)
    return w.first("mujoco:collision_mask_domain")[shapes] >= 0


def geom_type(w: Worlds, shape: int, number: int, moving: bool) -> int:
    """MuJoCo's type of a shape of Newton's type ``number``; ModelError for shapes that SolverMuJoCo does not take.
    ``moving`` is False on bodies without joints above.
    """
    kind = GeoType(number)
    if kind not in GEOM_TYPE:
        known = ", ".join(k.name for k in GEOM_TYPE)
        raise ModelError(
            f"shape '{w.label('shape', shape)}': {kind.name} is not supported by SolverMuJoCo's own contacts; use {known}"
        )
    if kind in (GeoType.PLANE, GeoType.HFIELD) and moving:
        raise ModelError(
            f"shape '{w.label('shape', shape)}': a {NAMED[kind]} must be attached to the world (body=-1) or to a body that never moves"
        )
    return GEOM_TYPE[kind]


def compile_sites(m: CompiledModel, w: Worlds, tree: BodyTree, include: bool = True) -> None:
    """Fill the site arrays: all sites, or those that something refers to. Sites of other types than sphere, capsule,
    ellipsoid, cylinder and box become spheres.
    """
    shapes, body = by_body(w, tree, is_site(w) & (include | is_referred(w)))
    m.nsite = len(shapes)
    m.names_site = [w.name("shape", s) for s in shapes]
    kinds = [GeoType(k) for k in w.first("shape_type")[shapes]]
    types = [GEOM_TYPE[k] if k in SITE_TYPES else MjtGeom.SPHERE for k in kinds]
    m.set(
        newton_site=shapes,
        site_bodyid=body,
        site_type=np.array(types, np.int32),
        site_rgba=colours(w, shapes),
        site_dataid=np.full(m.nsite, -1),
    )
    m.set(site_group=w.first("mujoco:geom_group")[shapes] if w.has("mujoco:geom_group") else np.zeros(m.nsite, int))
    fill_fields(m, w, geom.SITES)
    for row in geom.OF_SITES:
        m.set(**row.numpy(m, w))


def by_body(w: Worlds, tree: BodyTree, keep) -> tuple[np.ndarray, np.ndarray]:
    """The shapes to keep, sorted by MuJoCo body, and their bodies; shapes of one body keep their order."""
    body = tree.mujoco_body()[w.local("body", w.first("shape_body"))]
    shapes = np.flatnonzero(keep)
    shapes = shapes[np.argsort(body[shapes], kind="stable")]
    return shapes.astype(np.int32), body[shapes].astype(np.int32)


def is_site(w: Worlds) -> np.ndarray:
    """Mask of the shapes that are sites."""
    return (w.first("shape_flags") & ShapeFlags.SITE) != 0


def is_referred(w: Worlds) -> np.ndarray:
    """Mask of the shapes that actuators, tendons, equality constraints or sensors refer to."""
    found = np.zeros(w.size("shape"), bool)
    for name in SHAPE_REFERENCES:
        if w.has(f"mujoco:{name}"):
            mark(w, found, w.first(f"mujoco:{name}"))
    if w.has("mujoco:actuator_trntype"):
        mark(w, found, w.first("mujoco:actuator_trnid")[np.isin(w.first("mujoco:actuator_trntype"), SITE_TARGETS)])
    for kind, index in (("objtype", "objid"), ("reftype", "refid")):
        if w.has(f"mujoco:sensor_{kind}"):
            mark(w, found, w.first(f"mujoco:sensor_{index}")[w.first(f"mujoco:sensor_{kind}") == MjtObj.SITE])
    return found


def mark(w: Worlds, found: np.ndarray, shapes: np.ndarray) -> None:
    """Mark the shapes of a list of references; those below 0 are none."""
    shapes = np.asarray(shapes, int).ravel()
    found[w.local("shape", shapes[shapes >= 0])] = True


def is_paired(w: Worlds) -> np.ndarray:
    """Mask of the shapes that an explicit contact pair names: those collide with each other whatever their flags."""
    paired = np.zeros(w.size("shape"), bool)
    if w.has("mujoco:pair_geom1"):
        for k in (1, 2):
            paired[w.local("shape", w.first(f"mujoco:pair_geom{k}"))] = True
    return paired


def is_wrapped(w: Worlds) -> np.ndarray:
    """Mask of the shapes that a tendon wraps around."""
    wrapped = np.zeros(w.size("shape") + 1, bool)
    if w.has("mujoco:tendon_wrap_shape"):
        wrapped[w.local("shape", w.first("mujoco:tendon_wrap_shape"))] = True
    return wrapped[:-1]


def is_wetted(w: Worlds) -> np.ndarray:
    """Mask of the shapes that are ellipsoids to a fluid."""
    return (
        w.first("mujoco:geom_fluidshape") != 0 if w.has("mujoco:geom_fluidshape") else np.zeros(w.size("shape"), bool)
    )


def is_sensed(w: Worlds) -> np.ndarray:
    """Mask of the shapes that a sensor watches: all where one casts rays or measures the distance of bodies."""
    sensed = np.zeros(w.size("shape"), bool)
    if not w.has("mujoco:sensor_type"):
        return sensed
    kind = w.first("mujoco:sensor_type")
    for end in ("obj", "ref"):
        types, objects = w.first(f"mujoco:sensor_{end}type"), w.first(f"mujoco:sensor_{end}id")
        sensed[w.local("shape", objects[types == MjtObj.GEOM])] = True
        sensed |= bool(((kind == MjtSensor.RANGEFINDER) | (np.isin(kind, DISTANCES) & (types == MjtObj.BODY))).any())
    return sensed


def takes_turns(w: Worlds) -> np.ndarray:
    """Shapes that a body has in turn with others, as its variants, and that may collide: also where they are empty."""
    taking = np.zeros(w.model.shape_count + 1, bool)
    for declared in w.model._declared:
        collides = np.array(declared.set.rows, int) == 0
        taking[declared.rows(np.arange(len(declared.bodies)))[:, collides]] = True
    return taking[w.rows("shape")[0]] if w.size("shape") else np.zeros(0, bool)


def is_collider(w: Worlds) -> np.ndarray:
    """Mask of the shapes that are flagged as colliders, whatever their masks."""
    return (w.first("shape_flags") & ShapeFlags.COLLIDE_SHAPES) != 0


def collides(w: Worlds) -> np.ndarray:
    """Mask of the shapes that may touch others: not those of group 0 without masks, which contact pairs alone let
    touch."""
    solid = is_collider(w)
    if not w.has("mujoco:contype"):
        return solid
    return solid & (
        (w.first("shape_collision_group") != 0)
        | (w.first("mujoco:contype") != 0)
        | (w.first("mujoco:conaffinity") != 0)
    )

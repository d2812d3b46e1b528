"""Geoms, sites and contact pairs: frames, sizes, friction, references of contacts."""

import numpy as np
import warp as wp

from newtonlite.math.quaternion import quat_mul, quat_rotate
from newtonlite.math.rotation import product, rotate, to_wxyz
from newtonlite.solvers.mujoco.bindings.gains import FORCE_SPACE, RAW, solref_from_gains
from newtonlite.solvers.mujoco.bindings.table import NONE, SAME, SHAPE, Bind, Watch, component, derived, named, words_of
from newtonlite.solvers.mujoco.enums import BOX, CAPSULE, CYLINDER, ELLIPSOID, ENABLE_OVERRIDE, HFIELD, MESH, SPHERE
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import force_space
from newtonlite.solvers.mujoco.kernels.state_io.model_update import write_pair, write_quat, write_value, write_vec3
from newtonlite.solvers.mujoco.kernels.state_io.push import rotation_of
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import NONZERO


def shapes(m) -> np.ndarray:
    """The scene's shape of each geom."""
    return np.asarray(m.newton_geom)


def site_shapes(m) -> np.ndarray:
    """The scene's shape of each site."""
    return np.asarray(m.newton_site)


def pairs(m) -> np.ndarray:
    """The scene's row of each contact pair."""
    return np.arange(m.npair)


# frames and radii


def asset_frames(m) -> tuple[np.ndarray, np.ndarray]:
    """Frames of meshes and height fields in their shapes: positions [ngeom, 3] and quaternions."""
    offset, turn = np.zeros((m.ngeom, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (m.ngeom, 1))
    mesh, field = m.geom_type == MESH, m.geom_type == HFIELD
    offset[mesh], turn[mesh] = m.mesh_pos[m.geom_dataid[mesh]], m.mesh_quat[m.geom_dataid[mesh]]
    offset[field, 2] = m.hfield_low[m.geom_dataid[field]]
    return offset, turn


def frames_np(m, w) -> dict:
    """Frames of geoms, those of meshes and height fields placed in their shapes, and radii about primitives; the radii
    of meshes and height fields stay.
    """
    transform = w.get("shape_transform")[..., shapes(m), :]
    pos, quat = transform[..., :3], to_wxyz(transform[..., 3:])
    offset, turn = asset_frames(m)
    moved = np.isin(m.geom_type, (MESH, HFIELD))[:, None]
    return {
        "geom_pos": np.where(moved, pos + rotate(quat, offset), pos),
        "geom_quat": np.where(moved, product(quat, turn), quat),
        "geom_rbound": bounding_radii(m.geom_type, m.geom_size, m.geom_rbound),
    }


def bounding_radii(kind, size, others=0.0) -> np.ndarray:
    """Radius [..., n], in m, of the sphere about a geom's frame that holds it: of primitives from half-sizes [..., n,
    3], else ``others``.
    """
    x, y, _ = np.moveaxis(np.asarray(size, float), -1, 0)
    radius = {
        SPHERE: x,
        CAPSULE: x + y,
        ELLIPSOID: np.max(size, axis=-1, initial=0.0),
        CYLINDER: np.hypot(x, y),
        BOX: np.linalg.norm(size, axis=-1),
    }
    return np.select([np.asarray(kind) == k for k in radius], list(radius.values()), others)


def frame_tables(m) -> dict:
    """Geoms, and where their assets are."""
    offset, turn = asset_frames(m)
    return dict(shape=shapes(m), offset=offset, turn=turn)


@derived("geom_pos geom_quat geom_rbound", SHAPE, frames_np, frame_tables, offset=wp.vec3, turn=wp.quat)
def frames(m, s, t, changed):
    """Frames of geoms, those of meshes and height fields ``offset`` and turned in their shapes, and radii about
    primitives.
    """
    world, g = wp.tid()
    X = s.shape_transform[world, t.shape[g]]
    quat = rotation_of(X)
    arm = quat_rotate(quat, t.offset[g])
    pos = wp.transform_get_translation(X) + arm
    write_vec3(m.geom_pos, world, g, pos, wp.length(arm) + wp.length(pos), changed)
    write_quat(m.geom_quat, world, g, quat_mul(quat, t.turn[g]), changed)
    size = m.geom_size[world, g]
    kind = m.geom_type[g]
    radius = m.geom_rbound[world, g]
    if kind == SPHERE:
        radius = size[0]
    elif kind == CAPSULE:
        radius = size[0] + size[1]
    elif kind == ELLIPSOID:
        radius = wp.max(size)
    elif kind == CYLINDER:
        radius = wp.sqrt(size[0] * size[0] + size[1] * size[1])
    elif kind == BOX:
        radius = wp.length(size)
    write_value(m.geom_rbound, world, g, radius, 0.0, changed)


# gains of contacts


def contact_gains_np(m, w) -> dict:
    """``geom_solref``: the author's numbers where RAW, else from the shape's gains, unscaled; ``geom_gains`` [..., ngeom,
    3]: stiffness [N/m], damping [N s/m], and 1 where a shape's gains are forces per displacement.
    """
    mode, raw = w.read("mujoco:solref_mode")[..., shapes(m)], w.read("mujoco:solref")[..., shapes(m), :]
    ke, kd = w.get("shape_material_ke")[..., shapes(m)], w.get("shape_material_kd")[..., shapes(m)]
    return {
        "geom_solref": np.where((mode == RAW)[..., None], raw, solref_from_gains(ke, kd)),
        "geom_gains": np.stack(np.broadcast_arrays(ke, kd, mode == FORCE_SPACE), axis=-1).astype(float),
    }


def gain_tables(m) -> dict:
    """Shapes of geoms, where contacts have parameters of their own."""
    return dict(shape=NONE if override(m) else shapes(m))


@derived("geom_solref geom_gains", SHAPE, contact_gains_np, gain_tables)
def contact_gains(m, s, mjc, t, changed):
    """References of contacts: the author's numbers, or from a shape's gains; and the gains for contacts in force space."""
    world, g = wp.tid()
    i = t.shape[g]
    ke = s.shape_material_ke[world, i]
    kd = s.shape_material_kd[world, i]
    mode = mjc.solref_mode[world, i]
    found = mjc.solref[world, i]
    if mode != RAW:
        found = force_space(ke, kd, 1.0)
    write_pair(m.geom_solref, world, g, found, changed)
    m.geom_gains[world, g] = wp.vec3(ke, kd, wp.where(mode == FORCE_SPACE, 1.0, 0.0))


# the table


def sized(m) -> np.ndarray:
    """Words of a geom's size that are those of its shape, [ngeom, 3]."""
    return m.geom_sized != 0


def override(m) -> np.bool_:
    """Whether one set of parameters stands for those of all contacts."""
    return np.bool_(int(m.opt.enableflags) & ENABLE_OVERRIDE)


def margins_dropped(m) -> np.bool_:
    """Whether margins of geoms are zero or overridden."""
    return override(m) | (not m.margins_kept)


def wet(m) -> np.ndarray:
    """Geoms that are ellipsoids to a fluid."""
    return np.asarray(m.geom_fluid).reshape(-1, m.ngeom, 12)[0, :, 0] > 0 if m.ngeom else np.zeros(0, bool)


def fixed_size_words(m, w) -> np.ndarray:
    """Sizes that are worked into tables: those of meshes and height fields, and of what a fluid flows round."""
    return words_of(shapes(m)[np.isin(m.geom_type, (MESH, HFIELD)) | wet(m)], 3)


def fluid_words(m, w) -> np.ndarray:
    """Coefficients of all shapes, where there is a fluid."""
    return np.arange(w.first("mujoco:geom_fluidcoef").size) if wet(m).any() else NONE


BINDS = (
    Bind("geom_size", "shape_scale", shapes, SHAPE, mask=sized),
    Bind("geom_friction", "shape_material_mu", shapes, SHAPE, component(0)),
    Bind("geom_friction", "shape_material_mu_torsional", shapes, SHAPE, component(1)),
    Bind("geom_friction", "shape_material_mu_rolling", shapes, SHAPE, component(2)),
    Bind("geom_margin", "shape_margin", shapes, SHAPE, unless=margins_dropped),
    Bind("geom_solimp", "mujoco:geom_solimp", shapes, SHAPE, unless=override),
    *named("solmix adhesion surfacevel", shapes, SHAPE, "geom_", "mujoco:geom_"),
)
SITES = (
    Bind("site_pos", "shape_transform", site_shapes, SHAPE, ((0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0))),
    Bind("site_quat", "shape_transform", site_shapes, SHAPE, ((0, 6, 1.0), (1, 3, 1.0), (2, 4, 1.0), (3, 5, 1.0))),
    Bind("site_size", "shape_scale", site_shapes, SHAPE),
)
PAIRS = (
    *named("friction gap adhesion", pairs, SHAPE, "pair_", "mujoco:pair_"),
    *named("solref solreffriction solimp margin", pairs, SHAPE, "pair_", "mujoco:pair_", unless=override),
)
DERIVED = (frames, contact_gains)
WATCHES = (
    Watch("mujoco:geom_adhesion", NONZERO, one=True),
    Watch("mujoco:pair_adhesion", NONZERO, one=True),
    Watch("mujoco:geom_surfacevel", NONZERO, one=True),
    Watch("shape_scale", SAME, fixed_size_words),
    Watch("mujoco:geom_fluidcoef", SAME, fluid_words),
)

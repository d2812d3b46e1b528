"""Geoms, sites and contact pairs: frames, sizes, friction, references of contacts."""

import numpy as np
import warp as wp

from newtonlite.math.quaternion import quat_mul, quat_rotate
from newtonlite.math.rotation import product, rotate, to_wxyz
from newtonlite.solvers.mujoco.bindings.gains import FORCE_SPACE, RAW, solref_from_gains
from newtonlite.solvers.mujoco.bindings.table import NONE, SAME, SHAPE, Bind, Derived, Watch, component, named, words_of
from newtonlite.solvers.mujoco.enums import BOX, CAPSULE, CYLINDER, ELLIPSOID, ENABLE_OVERRIDE, HFIELD, MESH, SPHERE
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import force_space
from newtonlite.solvers.mujoco.kernels.state_io.model_update import update_quat, update_value, update_vec3, write_pair
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
    """Where meshes and height fields are in their shapes' frames: positions [ngeom, 3] and quaternions."""
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


@wp.kernel(enable_backward=False)
def geom_frames_kernel(
    shape: wp.array(dtype=int),
    geom_type: wp.array(dtype=int),
    offset: wp.array(dtype=wp.vec3),
    turn: wp.array(dtype=wp.quat),
    transform: wp.array2d(dtype=wp.transformf),
    geom_size: wp.array2d(dtype=wp.vec3),
    changed: wp.array(dtype=int),
    geom_pos: wp.array2d(dtype=wp.vec3),
    geom_quat: wp.array2d(dtype=wp.quat),
    geom_rbound: wp.array2d(dtype=float),
):
    """Frames of geoms, those of meshes and height fields ``offset`` and turned in their shapes, and radii about
    primitives.
    """
    world, g = wp.tid()
    X = transform[world, shape[g]]
    quat = rotation_of(X)
    arm = quat_rotate(quat, offset[g])
    pos = wp.transform_get_translation(X) + arm
    geom_pos[world, g] = update_vec3(geom_pos[world, g], pos, wp.length(arm) + wp.length(pos), world, changed)
    geom_quat[world, g] = update_quat(geom_quat[world, g], quat_mul(quat, turn[g]), world, changed)
    s = geom_size[world, g]
    kind = geom_type[g]
    radius = geom_rbound[world, g]
    if kind == SPHERE:
        radius = s[0]
    elif kind == CAPSULE:
        radius = s[0] + s[1]
    elif kind == ELLIPSOID:
        radius = wp.max(s)
    elif kind == CYLINDER:
        radius = wp.sqrt(s[0] * s[0] + s[1] * s[1])
    elif kind == BOX:
        radius = wp.length(s)
    geom_rbound[world, g] = update_value(geom_rbound[world, g], radius, 0.0, world, changed)


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


@wp.kernel(enable_backward=False)
def contact_gains_kernel(
    shape: wp.array(dtype=int),
    mode: wp.array2d(dtype=int),
    raw: wp.array2d(dtype=wp.vec2),
    ke: wp.array2d(dtype=float),
    kd: wp.array2d(dtype=float),
    changed: wp.array(dtype=int),
    geom_solref: wp.array2d(dtype=wp.vec2),
    geom_gains: wp.array2d(dtype=wp.vec3),
):
    """References of contacts: the author's numbers, or from a shape's gains; and the gains for contacts in force space."""
    world, g = wp.tid()
    i = shape[g]
    told = mode[world, i]
    found = wp.vec2(0.02, 1.0)
    if told == RAW:
        found = raw[world, i]
    elif ke[world, i] > 0.0 and kd[world, i] > 0.0:
        found = force_space(ke[world, i], kd[world, i], 1.0)
    write_pair(geom_solref, world, g, found, changed)
    geom_gains[world, g] = wp.vec3(ke[world, i], kd[world, i], wp.where(told == FORCE_SPACE, 1.0, 0.0))


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
FRAMES = Derived(
    "geom_pos geom_quat geom_rbound",
    SHAPE,
    frames_np,
    geom_frames_kernel,
    frame_tables,
    dict(transform="shape_transform"),
)
GAINS = Derived(
    "geom_solref geom_gains",
    SHAPE,
    contact_gains_np,
    contact_gains_kernel,
    lambda m: dict(shape=NONE if override(m) else shapes(m)),
    dict(mode="mujoco:solref_mode", raw="mujoco:solref", ke="shape_material_ke", kd="shape_material_kd"),
)
DERIVED = (FRAMES, GAINS)
WATCHES = (
    Watch("mujoco:geom_adhesion", NONZERO, one=True),
    Watch("mujoco:pair_adhesion", NONZERO, one=True),
    Watch("mujoco:geom_surfacevel", NONZERO, one=True),
    Watch("shape_scale", SAME, fixed_size_words),
    Watch("mujoco:geom_fluidcoef", SAME, fluid_words),
)

"""Geoms, sites and contact pairs: frames, sizes, friction, references of contacts."""

import numpy as np
import warp as wp

from newtonlite.core.enums import SolrefMode
from newtonlite.core.mujoco import MjtEnableBit, MjtGeom
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate
from newtonlite.solvers.mujoco.bindings.arrays import NONE, words_of
from newtonlite.solvers.mujoco.bindings.flags import SHAPE
from newtonlite.solvers.mujoco.bindings.table import SAME, Bind, Watch, component, formula, named, sized
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import force_space
from newtonlite.solvers.mujoco.kernels.state_io.push import rotation_of
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import NONZERO

PRIMITIVES = (MjtGeom.SPHERE, MjtGeom.CAPSULE, MjtGeom.ELLIPSOID, MjtGeom.CYLINDER, MjtGeom.BOX)


def pairs(m) -> np.ndarray:
    """The scene's row of each contact pair."""
    return np.arange(m.npair)


# frames and radii


def asset_frames(m) -> tuple[np.ndarray, np.ndarray]:
    """Frames of meshes and height fields in their shapes: positions [ngeom, 3] and quaternions."""
    offset, turn = np.zeros((m.ngeom, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (m.ngeom, 1))
    mesh, field = np.isin(m.geom_type, (MjtGeom.MESH, MjtGeom.SDF)), m.geom_type == MjtGeom.HFIELD
    offset[mesh], turn[mesh] = m.mesh_pos[m.geom_dataid[mesh]], m.mesh_quat[m.geom_dataid[mesh]]
    offset[field, 2] = m.hfield_low[m.geom_dataid[field]]
    return offset, turn


def frame_tables(m) -> dict:
    """Geoms, and where their assets are."""
    offset, turn = asset_frames(m)
    return dict(shape=m.newton_geom, offset=offset, turn=turn)


@formula("geom_pos geom_quat", SHAPE, frame_tables, offset=wp.vec3, turn=wp.quat)
def frames(m, s, t, g):
    """Frames of geoms, those of meshes and height fields ``offset`` and turned in their shapes."""
    X = s.shape_transform[t.shape[g]]
    arm = quat_rotate(rotation_of(X), t.offset[g])
    pos = wp.transform_get_translation(X) + arm
    return sized(pos, wp.length(arm) + wp.length(pos)), quat_mul(rotation_of(X), t.turn[g])


@formula(" ".join(f"geom_surfacevel:{i}" for i in range(6)), SHAPE, frame_tables, offset=wp.vec3, turn=wp.quat)
def surface_velocities(m, mjc, t, g):
    """Velocities of surfaces in the geoms' frames: those of meshes are written in the file's."""
    # v + w x offset is the velocity at the frame's origin
    v = mjc.geom_surfacevel[t.shape[g]]
    w = wp.vec3(v[3], v[4], v[5])
    linear = quat_rotate(quat_conj(t.turn[g]), wp.vec3(v[0], v[1], v[2]) + wp.cross(w, t.offset[g]))
    angular = quat_rotate(quat_conj(t.turn[g]), w)
    return linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]


@formula("geom_rbound", SHAPE, lambda m: dict(to=np.flatnonzero(np.isin(m.geom_type, PRIMITIVES))))
def radii(m, t, k):
    """Radii [m] of the spheres about primitives' frames that hold them; those of meshes and height fields stay."""
    size, kind = m.geom_size[t.to[k]], m.geom_type[t.to[k]]
    x, y = size[0], size[1]
    straight = (
        x + y if kind == MjtGeom.CAPSULE else wp.sqrt(x * x + y * y) if kind == MjtGeom.CYLINDER else wp.length(size)
    )
    return x if kind == MjtGeom.SPHERE else wp.max(size) if kind == MjtGeom.ELLIPSOID else straight


@formula("site_size", SHAPE, lambda m: dict(shape=m.newton_site))
def site_sizes(m, s, t, i):
    """Sizes of sites; those that are 0 are the first that is not."""
    size = s.shape_scale[t.shape[i]]
    first = size[0] if size[0] != 0.0 else size[1] if size[1] != 0.0 else size[2]
    return wp.vec3(
        size[0] if size[0] != 0.0 else first, size[1] if size[1] != 0.0 else first, size[2] if size[2] != 0.0 else first
    )


# gains of contacts


@formula(
    "geom_solref geom_gains:0 geom_gains:1 geom_gains:2 geom_gains:3",
    SHAPE,
    lambda m: dict(shape=m.newton_geom),
    unless=lambda m: override(m),
)
def contact_gains(m, s, mjc, t, g):
    """References of contacts: the author's numbers, or from a shape's gains, unscaled; and the gains for contacts in force
    space: stiffness [N/m], damping [N s/m], 1 where a shape's gains are forces per displacement, and damping of friction
    [N s/m].
    """
    i = t.shape[g]
    ke, kd, mode = s.shape_material_ke[i], s.shape_material_kd[i], mjc.solref_mode[i]
    solref = mjc.solref[i] if mode == SolrefMode.RAW else force_space(ke, kd, 1.0)
    return solref, ke, kd, 1.0 if mode == SolrefMode.FORCE_SPACE else 0.0, s.shape_material_kf[i]


# the table


def override(m) -> np.bool_:
    """Whether one set of parameters stands for those of all contacts."""
    return np.bool_(int(m.opt.enableflags) & MjtEnableBit.OVERRIDE)


def margins_dropped(m) -> np.bool_:
    """Whether margins of geoms are zero or overridden."""
    return override(m) | (not m.margins_kept)


def wet(m) -> np.ndarray:
    """Geoms that are ellipsoids to a fluid."""
    return np.asarray(m.geom_fluid).reshape(-1, m.ngeom, 12)[0, :, 0] > 0 if m.ngeom else np.zeros(0, bool)


def fixed_size_words(m, w) -> np.ndarray:
    """Sizes that are worked into tables: those of meshes and height fields, and of what a fluid flows round."""
    return words_of(m.newton_geom[np.isin(m.geom_type, (MjtGeom.MESH, MjtGeom.SDF, MjtGeom.HFIELD)) | wet(m)], 3)


def fluid_words(m, w) -> np.ndarray:
    """Coefficients of all shapes, where there is a fluid."""
    return np.arange(w.first("mujoco:geom_fluidcoef").size) if wet(m).any() else NONE


BINDS = (
    Bind("geom_size", "shape_scale", "newton_geom", SHAPE, mask="geom_sized"),
    Bind("geom_friction", "shape_material_mu", "newton_geom", SHAPE, component(0)),
    Bind("geom_friction", "shape_material_mu_torsional", "newton_geom", SHAPE, component(1)),
    Bind("geom_friction", "shape_material_mu_rolling", "newton_geom", SHAPE, component(2)),
    Bind("geom_margin", "shape_margin", "newton_geom", SHAPE, unless=margins_dropped),
    Bind("geom_solimp", "mujoco:geom_solimp", "newton_geom", SHAPE, unless=override),
    *named("solmix adhesion", "newton_geom", SHAPE, "geom_", "mujoco:geom_"),
)
SITES = (
    Bind("site_pos", "shape_transform", "newton_site", SHAPE, ((0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0))),
    Bind("site_quat", "shape_transform", "newton_site", SHAPE, ((0, 6, 1.0), (1, 3, 1.0), (2, 4, 1.0), (3, 5, 1.0))),
)
PAIRS = (
    *named("friction gap adhesion", pairs, SHAPE, "pair_", "mujoco:pair_"),
    *named("solref solreffriction solimp margin", pairs, SHAPE, "pair_", "mujoco:pair_", unless=override),
)
DERIVED = (frames, surface_velocities, radii, contact_gains)
OF_SITES = (site_sizes,)
WATCHES = (
    Watch("mujoco:geom_adhesion", NONZERO, one=True),
    Watch("mujoco:pair_adhesion", NONZERO, one=True),
    Watch("mujoco:geom_surfacevel", NONZERO, one=True),
    Watch("shape_scale", SAME, fixed_size_words),
    Watch("mujoco:geom_fluidcoef", SAME, fluid_words),
)

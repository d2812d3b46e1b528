"""Model constants by groups (``mj_setConst``): bounds of geoms, and what follows from masses and geometry at ``qpos0``."""

import warnings

import numpy as np
import warp as wp

from newtonlite.core.constants import MAXVAL
from newtonlite.core.errors import NewtonDeprecationWarning, external
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtEq, MjtGeom, MjtObj
from newtonlite.mjwarp.enums import SetConstGroup
from newtonlite.solvers.mujoco import model_constants
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.kernels.constant import reference_pose

kernel_module(__name__)

RENAMED = "{} is deprecated; call set_const with the groups that are meant"
VIEWS = ("cam_pos0", "cam_poscom0", "cam_mat0", "light_pos0", "light_poscom0", "light_dir0")
"""Places of cameras and lights at ``qpos0``, which follow from those in their bodies."""
VIEW_INPUTS = ("cam_pos", "cam_quat", "light_pos", "light_dir")
RESULTS = {
    SetConstGroup.FIXED: ("body_subtreemass",),
    SetConstGroup.KIN0: ("tendon_length0", "eq_data", *VIEWS),
    SetConstGroup.INERT0: (
        "body_invweight0",
        "dof_invweight0",
        "tendon_invweight0",
        "actuator_acc0",
        "stat_meaninertia",
    ),
}
"""Parameters of each group that the engine recomputes together; bounds of geoms belong to ``FIXED`` too."""
STAGES = (reference_pose.equality_poses, reference_pose.view_references)
EMPTY_BOX = wp.constant(wp.vec3(0.0, 0.0, 0.0))


@wp.kernel(enable_backward=False)
def bound_geoms(
    kinds: wp.array[int],
    assets: wp.array[int],
    fields: wp.array[wp.vec4],
    size: wp.array2d[wp.vec3],
    rbound: wp.array2d[float],
    aabb: wp.array3d[wp.vec3],
):
    """Bounding sphere and box (centre, half-lengths) of geoms that are described by their sizes, and of height fields, whose
    sizes follow; of meshes and distance fields they stay as they are.
    """
    world, g = wp.tid()
    kind = kinds[g]
    if kind == MjtGeom.MESH or kind == MjtGeom.SDF:
        return
    s = size[world % size.shape[0], g]
    middle, half, radius = EMPTY_BOX, s, wp.length(s)
    if kind == MjtGeom.HFIELD:
        f = fields[assets[g]]  # half-lengths, height above and depth below
        middle, half = wp.vec3(0.0, 0.0, 0.5 * (f[2] - f[3])), wp.vec3(f[0], f[1], 0.5 * (f[2] + f[3]))
        radius = wp.length(wp.vec3(f[0], f[1], wp.max(f[2], f[3])))
        size[world % size.shape[0], g] = wp.vec3(f[0], f[1], 0.25 * f[2] + 0.5 * f[3])
    if kind == MjtGeom.PLANE:  # a half-space, whose sphere is infinite: 0
        middle, half, radius = wp.vec3(0.0, 0.0, -0.5 * MAXVAL), wp.vec3(MAXVAL, MAXVAL, 0.5 * MAXVAL), 0.0
    elif kind == MjtGeom.SPHERE:
        half, radius = wp.vec3(s[0]), s[0]
    elif kind == MjtGeom.CAPSULE:
        half, radius = wp.vec3(s[0], s[0], s[0] + s[1]), s[0] + s[1]
    elif kind == MjtGeom.CYLINDER:
        half, radius = wp.vec3(s[0], s[0], s[1]), wp.sqrt(s[0] * s[0] + s[1] * s[1])
    elif kind == MjtGeom.ELLIPSOID:
        radius = wp.max(s)
    aabb[world, g, 0] = middle
    aabb[world, g, 1] = half
    rbound[world, g] = radius


def set_const(m, d, groups: int = SetConstGroup.ALL, restore: bool = True) -> None:
    """Recompute what follows from parameters, in every world that has its own, in the groups that ``groups`` names.

    ``FIXED``: subtree masses, and bounds of geoms (``geom_rbound``, ``geom_aabb``) from ``geom_size`` and ``hfield_size``.
    ``KIN0``: lengths of tendons, anchors of equalities, cameras and lights at ``qpos0``. ``INERT0``: inverse weights and ``actuator_acc0``. State and inputs
    are kept whatever ``restore`` says. The first call may allocate.
    """
    if groups & SetConstGroup.FIXED:
        _set_bounds(m, d.nworld)
    model_constants.prepare(m, d.nworld, ("eq_data", *VIEWS))
    _spread_views(m, d.nworld)
    others = [name for group, names in RESULTS.items() if not groups & group for name in names]
    before = {name: wp.clone(m.arrays[name]) for name in others if m.arrays[name].size}
    for name in ("body_invweight0", "tendon_invweight0"):  # of what does not move nothing is computed
        m.arrays[name].zero_()
    _anchor_connects(m)
    ncon = wp.clone(d.engine.ncon)
    d.engine.ncon.zero_()  # actuators that stick by contacts move nothing at the reference pose
    model_constants.set_const(m, d.engine, d.schedule(m), "set_const_poses", STAGES)
    wp.copy(d.engine.ncon, ncon)
    # groups that were not asked for are as they were
    for name, values in before.items():
        wp.copy(m.arrays[name], values)
    d.batch.recorded.extend([ncon, *before.values()])


def set_const_0(m, d, restore: bool = True) -> None:
    """``set_const`` of the groups at ``qpos0``, which is what to call instead."""
    warnings.warn(RENAMED.format("set_const_0"), NewtonDeprecationWarning, stacklevel=external())
    set_const(m, d, SetConstGroup.KIN0 | SetConstGroup.INERT0, restore)


def set_const_fixed(m, d) -> None:
    """``set_const`` of the group ``FIXED``, which is what to call instead."""
    warnings.warn(RENAMED.format("set_const_fixed"), NewtonDeprecationWarning, stacklevel=external())
    set_const(m, d, SetConstGroup.FIXED)


def _set_bounds(m, nworld: int) -> None:
    """Bounds of geoms from their sizes; by world where the sizes are."""
    if not m.ngeom:
        return
    size, aabb = m.arrays["geom_size"], m.geom_aabb
    rows = min(nworld, max(len(size), len(aabb), len(m.arrays["geom_rbound"])))
    if len(aabb) < rows:
        m.geom_aabb = aabb = wp.array(np.repeat(aabb.numpy(), rows, axis=0), dtype=wp.vec3, device=m.device)
    if len(m.arrays["geom_rbound"]) < rows:
        m.set("geom_rbound", m.arrays["geom_rbound"].numpy().repeat(rows, axis=0))
    bounds = [m.arrays["geom_rbound"], aabb]
    inputs = [m.geom_type, m.arrays["geom_dataid"], m.arrays["hfield_size"], size]
    wp.launch(bound_geoms, (rows, m.ngeom), inputs, bounds, device=m.device)


def _spread_views(m, nworld: int) -> None:
    """A row per world for places of cameras and lights where these, in their bodies, have one."""
    if any(m.arrays[name].size and len(m.arrays[name]) > 1 for name in VIEW_INPUTS):
        for name in VIEWS:
            if m.arrays[name].size and len(m.arrays[name]) != nworld:
                m.set(name, m.arrays[name].numpy().repeat(nworld, axis=0))


def _anchor_connects(m) -> None:
    """Have the second anchors of bodies that are tied at a point follow from the first, also where no scene says so."""
    done = m.__dict__.get("anchored")
    if m.neq and done is not m.arrays["eq_posed"]:
        mj = m.source
        tied = (np.asarray(mj.eq_type) == MjtEq.CONNECT) & (np.asarray(mj.eq_objtype) == MjtObj.BODY)
        with outside_capture(m.device):
            m.arrays["eq_posed"].assign((m.arrays["eq_posed"].numpy() | tied).astype(np.int32))
        m.__dict__["anchored"] = m.arrays["eq_posed"]

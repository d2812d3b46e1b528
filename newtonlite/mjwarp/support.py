"""Products with ``M``, forces of contacts, rays, constants that follow from others, for all worlds at once."""

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtCone
from newtonlite.core.types import vec5
from newtonlite.mjwarp import sparsity
from newtonlite.mjwarp.contacts import ContactView
from newtonlite.mjwarp.enums import TrnType
from newtonlite.mjwarp.products import columns, multiply, multiply_sparse
from newtonlite.mjwarp.stages import FLEXES
from newtonlite.solvers.mujoco import pipeline, raycast

kernel_module(__name__)


def mul_m(m, d, res: wp.array, vec: wp.array, skip: wp.array | None = None, M: wp.array | None = None) -> None:
    """``res = M vec``, both ``[nworld, nv]``; worlds of the mask ``skip`` are left alone. Needs ``crb``.

    ``M`` takes the place of the data's: dense ``[nworld, nv, nv]``, or the entries ``[nworld, nC]`` of its lower triangle.
    """
    skip = wp.empty(0, dtype=bool, device=m.device) if skip is None else skip
    if M is None or M.ndim == 3:
        inputs = [d.engine.M if M is None else M, *columns(d, M is None), vec, skip, res]
        wp.launch(multiply, (d.nworld, m.nv), inputs, device=m.device)
        return
    kept = sparsity.inertia(m.source)
    at = [d.kept_index(f"M_{which}", getattr(kept, which)) for which in sparsity.Pattern._fields]
    wp.launch(multiply_sparse, d.nworld, [M, *at, vec, skip, m.nv, res], device=m.device)


def factor_m(m, d) -> None:
    """Factor ``M``: nothing to do, since ``solve_m``, the solver and the integrators factor it where they need it."""


def flex(m, d) -> None:
    """Flex kinematics: places of nodes and vertices, edges with their rates, and boxes of elements. Needs ``com_pos``."""
    d.run(m, "flex_position", FLEXES)


def solve_m(m, d, x: wp.array, y: wp.array, x_scratch: wp.array | None = None) -> None:
    """``x = M^-1 y``, both ``[nworld, nv]``. Needs ``crb``; ``qacc_smooth`` and ``qfrc_smooth`` keep their values."""
    own = d.batch.unpadded("qacc_smooth", d.engine.qacc_smooth)
    kept = [(a, wp.clone(a)) for a in (own, d.qfrc_smooth)]
    wp.copy(d.qfrc_smooth, y)
    d.run(m, "smooth_acceleration", pipeline.SMOOTH)
    found = wp.clone(own)
    for array, value in kept:
        wp.copy(array, value)
    wp.copy(x, found)


@wp.kernel(enable_backward=False)
def spread_forces(
    bodyid: wp.array[int],
    end: wp.array[int],
    rootid: wp.array[int],
    nbody: int,
    parent: wp.array[int],
    com: wp.array2d[wp.vec3],
    ipos: wp.array2d[wp.vec3],
    cdof: wp.array2d[wp.spatial_vector],
    force: wp.array2d[wp.spatial_vector],
    qfrc: wp.array2d[float],
):
    """Share of the bodies' applied forces on one dof: those of all bodies below it."""
    world, i = wp.tid()
    top = bodyid[i]
    turn = wp.spatial_top(cdof[world, i])
    move = wp.spatial_bottom(cdof[world, i])
    total = float(0.0)
    for b in range(top, nbody):
        a = int(b)
        while a > top:
            a = parent[a]
        if a == top:
            f = wp.spatial_top(force[world, b])
            arm = ipos[world, b] - com[world, rootid[b]]
            total += wp.dot(move + wp.cross(turn, arm), f) + wp.dot(turn, wp.spatial_bottom(force[world, b]))
    qfrc[world, i] = qfrc[world, i] + total


def xfrc_accumulate(m, d, qfrc: wp.array) -> None:
    """Add ``xfrc_applied``, as forces on dofs, to ``qfrc [nworld, nv]``. Needs ``kinematics`` and ``com_pos``."""
    inputs = [
        m.dof_bodyid,
        m.dof_end,
        m.body_rootid,
        m.nbody,
        m.body_parentid,
        d.subtree_com,
        d.xipos,
        d.cdof,
        d.xfrc_applied,
    ]
    wp.launch(spread_forces, (d.nworld, m.nv), [*inputs, qfrc], device=m.device)


@wp.kernel(enable_backward=False)
def forces_of(
    ids: wp.array[int],
    nacon: wp.array[int],
    source: wp.array[int],
    nconmax: int,
    address: wp.array2d[int],
    dims: wp.array2d[int],
    friction: wp.array2d[vec5],
    frame: wp.array2d[wp.mat33],
    adhesion: wp.array2d[float],
    efc: wp.array2d[float],
    cone: int,
    world_frame: bool,
    force: wp.array[wp.spatial_vector],
):
    """Force and torque of one contact: along the normal and tangents, rows of the frame, or turned to the world."""
    i = wp.tid()
    k = ids[i]
    f = wp.spatial_vector()
    if k >= 0 and k < nacon[0]:
        world = source[k] / nconmax
        c = source[k] - world * nconmax
        row = address[world, c]
        dim = dims[world, c]
        if row >= 0:
            if dim == 1 or cone == MjtCone.ELLIPTIC:
                for a in range(dim):
                    f[a] = efc[world, row + a]
            else:
                for a in range(dim - 1):
                    up = efc[world, row + 2 * a]
                    down = efc[world, row + 2 * a + 1]
                    f[0] = f[0] + up + down
                    f[a + 1] = (up - down) * friction[world, c][a]
            if adhesion.shape[1] > 0:
                f[0] = f[0] - adhesion[world, c]
        if world_frame:
            back = wp.transpose(frame[world, c])
            f = wp.spatial_vector(back * wp.spatial_top(f), back * wp.spatial_bottom(f))
    force[i] = f


def contact_force(m, d, contact_ids: wp.array, to_world_frame: bool, force: wp.array) -> None:
    """Force and torque (spatial vectors) of the contacts with these numbers in ``d.contact``; zero where there is none."""
    e, found = d.engine, ContactView(d)
    inputs = [
        contact_ids,
        found.nacon,
        found.source,
        max(1, e.nconmax),
        e.contact_efc_address,
        e.contact_dim,
        e.contact_friction,
        e.contact_frame,
        e.contact_adhesion,
        e.efc_force,
        m.opt_cone,
        bool(to_world_frame),
    ]
    wp.launch(forces_of, contact_ids.size, inputs, [force], device=m.device)


def set_length_range(m, d, index: int = -1) -> None:
    """Set ``m.actuator_lengthrange`` of all actuators, or of ``index``, from the limits of the joint or tendon they
    move, times their gear, per world.

    Those that move nothing limited get (0, 0). On the host, as MuJoCo Warp has it: nothing is simulated; what compiles
    files does that. Raises StateError for an actuator that does not exist.
    """
    if not -1 <= index < m.nactuator:
        raise StateError(f"index={index}: the model has actuators 0 to {m.nactuator - 1}; -1: all")
    first = np.asarray(m.source.actuator_outadr)
    gear, bands = m.actuator_gear.numpy()[..., 0], {TrnType.TENDON: ("tendon", m.tendon_range.numpy())}
    bands |= dict.fromkeys((TrnType.JOINT, TrnType.JOINTINPARENT), ("jnt", m.jnt_range.numpy()))
    out = m.actuator_lengthrange.numpy().copy()
    worlds = max(len(a) for a in (out, gear, *(band for _, band in bands.values())))
    out = np.array(np.broadcast_to(out, (worlds, *out.shape[1:])))
    for i in range(m.nactuator) if index < 0 else [index]:
        kind, band = bands.get(m.source.actuator_trntype[i], ("", None))
        target, o = m.source.actuator_trnid[i][0], first[i]
        limited = kind and getattr(m.source, f"{kind}_limited")[target]
        out[:, o] = np.sort(band[:, target] * gear[:, o, None], axis=-1) if limited else 0.0
    m.set("actuator_lengthrange", out)


def ray(
    m, d, pnt: wp.array, vec: wp.array, geomgroup=None, flg_static: bool = True, bodyexclude: int = -1, rc=None
) -> tuple[wp.array, wp.array, wp.array]:
    """(distances, geoms, normals), ``[nworld, nray]`` each, of the hits of the rays ``pnt + t vec``; -1, -1 and zero
    where nothing is hit.

    ``pnt`` and ``vec`` are ``[nworld or 1, nray]`` vec3. ``geomgroup``: six flags, or None for all groups; -1 in each
    also means all; a render context ``rc`` leaves the groups that it has. Raises StateError for shapes that do not fit.
    """
    return tuple(raycast.ray(d.schedule(m), pnt, vec, met_groups(geomgroup, rc), flg_static, bodyexclude))


def met_groups(geomgroup, rc=None):
    """Six flags of the groups that rays meet, None for all; a render context leaves those that it has."""
    if rc is not None:
        return rc.groups(geomgroup)
    return None if geomgroup is None or all(g == -1 for g in geomgroup) else geomgroup


def rays(
    m,
    d,
    pnt,
    vec,
    geomgroup,
    flg_static: bool,
    bodyexclude: wp.array,
    dist: wp.array,
    geomid: wp.array,
    normal: wp.array,
    rc=None,
) -> None:
    """Ray casting as by ``ray``, with a body passed for each ray, into arrays ``[nworld, nray]`` of the caller."""
    raycast.cast_into(
        d.schedule(m),
        raycast.RayHits(dist, geomid, normal),
        pnt,
        vec,
        met_groups(geomgroup, rc),
        flg_static,
        bodyexclude,
    )

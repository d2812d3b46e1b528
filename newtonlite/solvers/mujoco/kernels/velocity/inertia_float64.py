"""Mass matrix and smooth force in double, summed from the float32 inertias, axes and forces of single bodies.

Rounding in those is that of a robot whose parts differ a little. Sums over a subtree are another matter: a light link
is what is left of its own inertia and that of a heavy load far out when all that moves the load is taken out.
"""

import warp as wp

from newtonlite.core.types import vec6d, vec10d
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_dof_asleep
from newtonlite.solvers.mujoco.kernels.primitives.float64_tree import factor_float64
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.bias import body_force
from newtonlite.solvers.mujoco.kernels.velocity.passive import lift
from newtonlite.solvers.mujoco.kernels.velocity.wrench import about_tree


@wp.func
def widened(v: wp.spatial_vector) -> vec6d:
    """A spatial vector in double."""
    return vec6d(
        wp.float64(v[0]), wp.float64(v[1]), wp.float64(v[2]), wp.float64(v[3]), wp.float64(v[4]), wp.float64(v[5])
    )


@wp.func
def inertia_mul_float64(a: vec10d, v: vec6d) -> vec6d:
    """Momentum ``I v`` of a motion vector, as ``inertia_mul``."""
    return vec6d(
        a[0] * v[0] + a[3] * v[1] + a[4] * v[2] + a[7] * v[5] - a[8] * v[4],
        a[3] * v[0] + a[1] * v[1] + a[5] * v[2] + a[8] * v[3] - a[6] * v[5],
        a[4] * v[0] + a[5] * v[1] + a[2] * v[2] + a[6] * v[4] - a[7] * v[3],
        a[9] * v[3] - a[7] * v[2] + a[8] * v[1],
        a[9] * v[4] - a[8] * v[0] + a[6] * v[2],
        a[9] * v[5] - a[6] * v[1] + a[7] * v[0],
    )


@wp.func
def body_inertia_float64(m: ModelFields, d: DataFields, world: int, b: int) -> vec10d:
    """Inertia of a body about its tree's centre of mass, as ``shift_inertia``."""
    frame = wp.mat33d(d.ximat[world, b])
    moments = wp.vec3d(m.body_inertia[world, b])
    a = frame * wp.diag(moments) * wp.transpose(frame)
    r = wp.vec3d(d.xipos[world, b]) - wp.vec3d(d.subtree_com[world, m.body_rootid[b]])
    mass = wp.float64(m.body_mass[world, b])
    far = wp.dot(r, r)
    return vec10d(
        a[0, 0] + mass * (far - r[0] * r[0]),
        a[1, 1] + mass * (far - r[1] * r[1]),
        a[2, 2] + mass * (far - r[2] * r[2]),
        a[0, 1] - mass * r[0] * r[1],
        a[0, 2] - mass * r[0] * r[2],
        a[1, 2] - mass * r[1] * r[2],
        mass * r[0],
        mass * r[1],
        mass * r[2],
        mass,
    )


@wp.func
def own_force(m: ModelFields, d: DataFields, world: int, b: int) -> vec6d:
    """Force that a body needs at ``qacc = 0``, less the wrench that the caller applies."""
    applied = d.xfrc_applied[world, b]
    outside = about_tree(m, d, world, b, d.xipos[world, b], wp.spatial_top(applied), wp.spatial_bottom(applied))
    return widened(body_force(m, d, world, b)) - widened(outside)


@wp.func
def sum_subtrees(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``crb64``, ``cfrc64`` and ``clift64``, leaf to root."""
    for back in range(m.nlevel):
        level = m.nlevel - 1 - back
        for k in range(m.level_adr[level] + lane, m.level_adr[level + 1], nlane):
            b = m.level_body[k]
            inertia = body_inertia_float64(m, d, world, b)
            force = own_force(m, d, world, b)
            lifted = vec6d()
            if m.ngravcomp > 0:
                push = lift(m, world, b)
                lifted = widened(about_tree(m, d, world, b, d.xipos[world, b], push, wp.vec3(0.0, 0.0, 0.0)))
            for c in range(m.child_adr[b], m.child_adr[b + 1]):
                child = m.child_body[c]
                inertia += d.crb64[world, child]
                force += d.cfrc64[world, child]
                if m.ngravcomp > 0:
                    lifted += d.clift64[world, child]
            d.crb64[world, b] = inertia
            d.cfrc64[world, b] = force
            d.clift64[world, b] = lifted
        sync()


@wp.func
def mass_row_float64(m: ModelFields, d: DataFields, world: int, i: int):
    """``M_ij = S_j . (I_subtree(i) S_i)`` for the ancestors of a dof, with armatures; both triangles."""
    momentum = inertia_mul_float64(d.crb64[world, m.dof_bodyid[i]], widened(d.cdof[world, i]))
    j = int(i)
    while j >= 0:
        value = wp.dot(widened(d.cdof[world, j]), momentum)
        if j == i:
            value += wp.float64(m.dof_armature[world, i])
        for t in range(m.ntendon):
            if m.tendon_armature[world, t] != 0.0:
                arm = wp.float64(d.ten_J[world, t, i]) * wp.float64(d.ten_J[world, t, j])
                value += wp.float64(m.tendon_armature[world, t]) * arm
        d.M64[world, i, j] = value
        d.M64[world, j, i] = value
        j = m.dof_parentid[j]


@wp.func
def mass_matrix_float64(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M64``, zero between dofs that are not on one chain."""
    for i in range(lane, m.nv, nlane):
        for j in range(m.nv):
            d.M64[world, i, j] = wp.float64(0.0)
    sync()
    for i in range(lane, m.nv, nlane):
        mass_row_float64(m, d, world, i)
    sync()


@wp.func
def factor_inertia_float64(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M64`` and its factor ``L64``."""
    sum_subtrees(m, d, world, lane, nlane)
    mass_matrix_float64(m, d, world, lane, nlane)
    factor_float64(m, d, world, lane, nlane)


@wp.func
def smooth_force_float64(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``force64``: passive, applied and actuator forces less the bias, with sums over bodies in double."""
    for i in range(lane, m.nv, nlane):
        b = m.dof_bodyid[i]
        axis = widened(d.cdof[world, i])
        force = wp.float64(d.qfrc_spring[world, i]) + wp.float64(d.qfrc_damper[world, i])
        force += wp.float64(d.qfrc_applied[world, i]) + wp.float64(d.qfrc_actuator[world, i])
        force -= wp.dot(axis, d.cfrc64[world, b])
        if m.ngravcomp > 0 and m.jnt_actgravcomp[m.dof_jntid[i]] == 0:
            force += wp.dot(axis, d.clift64[world, b])
        if m.nfluid > 0:
            force += wp.float64(d.qfrc_fluid[world, i])
        if m.nadhesion > 0:
            force += wp.float64(d.qfrc_adhesion[world, i])
        if m.nspatial > 0:
            for t in range(m.ntendon):
                if d.ten_bias[world, t] != 0.0:
                    force -= wp.float64(d.ten_J[world, t, i]) * wp.float64(d.ten_bias[world, t])
        if m.nsleep > 0:
            if is_dof_asleep(m, d, world, i):
                force = wp.float64(0.0)
        d.force64[world, i] = force
    sync()

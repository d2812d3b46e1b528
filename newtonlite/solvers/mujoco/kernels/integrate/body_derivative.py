"""Velocity derivatives of body forces: Coriolis and centrifugal forces, fluid.

With ``S_k`` the axis of dof k, ``v`` the body's velocity and ``v-``, ``v+`` its velocity before and after dof k's
joint, ``d(I a + v x* I v) / d qvel_k = I ((v- + v+) x S_k) + C S_k`` with ``C S = S x* I v + v x* I S - I (v x S)``.
Both parts add up over subtrees, so that ``d qfrc_bias_i / d qvel_k`` needs only the subtree of the deeper of the two
dofs.

Taken for implicit integrators: ``implicit`` with both parts, ``implicitfast`` with those of fluids alone.  On entry
``cvel``, ``cinert``, ``crb`` and ``cdof`` are those of the step; on exit H has the derivatives in it.
"""

import warp as wp

from newtonlite.core.mujoco import MjtIntegrator, MjtJoint
from newtonlite.math.spatial import cross_motion, inertia_mul
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.fluid_derivative import fluid_derivative
from newtonlite.solvers.mujoco.kernels.velocity.passive import has_passive


@wp.func
def coriolis_derivative(m: ModelFields, d: DataFields, world: int, b: int):
    """``C`` of a body; its blocks by moving are zero."""
    # C S = S x* I v + v x* I S - I (v x S), its columns by the three rotations and the three translations of S
    inertia = d.cinert[world, b]
    v = d.cvel[world, b]
    momentum = inertia_mul(inertia, v)

    # spatial products as 3 x 3 blocks: inertia about the centre of the tree, h = m c
    turn = wp.skew(wp.spatial_top(v))
    about = wp.mat33(
        inertia[0], inertia[3], inertia[4], inertia[3], inertia[1], inertia[5], inertia[4], inertia[5], inertia[2]
    )
    h = wp.skew(wp.vec3(inertia[6], inertia[7], inertia[8]))
    u = wp.skew(wp.spatial_bottom(v))

    # torque and force by turning; the blocks by moving vanish
    d.cderivative[world, b, 0] = turn * about - about * turn - h * u - u * h - wp.skew(wp.spatial_top(momentum))
    d.cderivative[world, b, 1] = wp.mat33(0.0)
    d.cderivative[world, b, 2] = -2.0 * wp.skew(wp.spatial_bottom(momentum))
    d.cderivative[world, b, 3] = wp.mat33(0.0)


@wp.func
def rate_group(
    m: ModelFields, d: DataFields, world: int, first: int, count: int, v: wp.spatial_vector
) -> wp.spatial_vector:
    """``cdof_rate`` of dofs that move together; returns the velocity after them."""
    # dofs of a ball, or translations of a free joint, share v- and v+
    after = v
    for k in range(first, first + count):
        after += d.cdof[world, k] * d.qvel[world, k]
    for k in range(first, first + count):
        d.cdof_rate[world, k] = cross_motion(v + after, d.cdof[world, k])
    return after


@wp.func
def axis_rates(m: ModelFields, d: DataFields, world: int, b: int):
    """``(v- + v+) x S`` of a body's dofs."""
    v = d.cvel[world, m.body_parentid[b]]
    for j in range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b]):
        adr = m.jnt_dofadr[j]
        kind = m.jnt_type[j]
        count = int(1)
        if kind == MjtJoint.FREE:
            v = rate_group(m, d, world, adr, 3, v)
            adr += 3
        if kind <= MjtJoint.BALL:
            count = 3
        v = rate_group(m, d, world, adr, count, v)


@wp.func
def body_derivatives(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``cderivative`` of every subtree."""
    # each body by itself: Coriolis forces for implicit alone
    for b in range(lane, m.nbody, nlane):
        if m.opt_integrator == MjtIntegrator.IMPLICIT:
            coriolis_derivative(m, d, world, b)
        else:
            for k in range(4):
                d.cderivative[world, b, k] = wp.mat33(0.0)

    # v- + v+ of each dof, for the part with the subtree's inertia
    for b in range(1 + lane, m.nbody, nlane):
        axis_rates(m, d, world, b)
    sync()

    # fluids add their derivative at the body
    if m.nfluid > 0 and has_passive(m):
        for k in range(lane, m.nfluid, nlane):
            fluid_derivative(m, d, world, k)
        sync()

    # sums over subtrees, from the leaves to the root
    for k in range(m.nlevel):
        level = m.nlevel - 1 - k
        for i in range(m.level_adr[level] + lane, m.level_adr[level + 1], nlane):
            b = m.level_body[i]
            for c in range(m.child_adr[b], m.child_adr[b + 1]):
                for part in range(4):
                    d.cderivative[world, b, part] = (
                        d.cderivative[world, b, part] + d.cderivative[world, m.child_body[c], part]
                    )
        sync()


@wp.func
def derivative_times(m: ModelFields, d: DataFields, world: int, b: int, k: int) -> wp.spatial_vector:
    """Derivative by dof ``k``'s speed of the force that the subtree of ``b`` needs."""
    # C S_k, blocks by rotation and translation of the axis
    turn = wp.spatial_top(d.cdof[world, k])
    move = wp.spatial_bottom(d.cdof[world, k])
    f = wp.spatial_vector(
        d.cderivative[world, b, 0] * turn + d.cderivative[world, b, 1] * move,
        d.cderivative[world, b, 2] * turn + d.cderivative[world, b, 3] * move,
    )

    # plus I ((v- + v+) x S_k), with the inertia of the subtree
    if m.opt_integrator == MjtIntegrator.IMPLICIT:
        f += inertia_mul(d.crb[world, b], d.cdof_rate[world, k])
    return f


@wp.func
def add_derivatives(m: ModelFields, d: DataFields, world: int, i: int, dt: float, symmetric: bool):
    """Add ``dt d(force needed)_i / d qvel_k`` to H for the dofs ``k`` from the root to ``i``, and its counterparts.

    ``symmetric``: the symmetric part, to the lower triangle.
    """
    # dof i, and each k on its way to the root: the force on i by k's speed, and the force on k by i's, need the subtree
    # of i alone
    b = m.dof_bodyid[i]
    own = derivative_times(m, d, world, b, i)
    for e in range(m.chain_adr[b], m.chain_adr[b + 1]):
        k = m.chain_dof[e]
        if k <= i:
            down = wp.dot(d.cdof[world, i], derivative_times(m, d, world, b, k))
            up = wp.dot(d.cdof[world, k], own)
            # half of both where one triangle has to do
            if symmetric:
                down = 0.5 * (down + up)
            elif k < i:
                d.H[world, k, i] = d.H[world, k, i] + dt * up
            d.H[world, i, k] = d.H[world, i, k] + dt * down

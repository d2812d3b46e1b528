"""Blocks of stiffness between points of flexes, in the effective inertia and its right side."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.integrate.add_inertia import add_inertia
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at, point_velocity
from newtonlite.solvers.mujoco.kernels.velocity.flex import point_place


@wp.func
def body_of_point(m: ModelFields, p: int) -> int:
    """Body that carries a vertex, or a node behind all vertices."""
    if p < m.nflexvert:
        return m.flex_vertbodyid[p]
    return m.flex_nodebodyid[p - m.nflexvert]


@wp.func
def add_block(m: ModelFields, d: DataFields, world: int, p: int, q: int, block: wp.mat33, scale: wp.vec2):
    """``M += scale_0 J_p' block J_q`` and ``efm_c -= scale_1 J_p' block J_q qvel`` of two points."""
    # bodies and places of both points
    b1 = body_of_point(m, p)
    b2 = body_of_point(m, q)
    x1 = point_place(m, d, world, p)
    x2 = point_place(m, d, world, q)
    # force on the first by the way that the second goes in a step
    push = scale[1] * (block * point_velocity(m, d, world, b2, x2))
    arm1 = lever(m, d, world, b1, x1)
    arm2 = lever(m, d, world, b2, x2)
    # down to the dofs of both chains
    for e in range(m.chain_adr[b1], m.chain_adr[b1 + 1]):
        i = m.chain_dof[e]
        left = linear_at(d.cdof[world, i], arm1)
        d.efm_c[world, i] = d.efm_c[world, i] - wp.dot(left, push)
        side = scale[0] * (wp.transpose(block) * left)
        place = int(-1)
        for f in range(m.chain_adr[b2], m.chain_adr[b2 + 1]):
            j = m.chain_dof[f]
            place = add_inertia(m, d, world, i, j, wp.dot(side, linear_at(d.cdof[world, j], arm2)), place)


@wp.func
def add_block_between(
    m: ModelFields, d: DataFields, world: int, one: wp.vec2i, two: wp.vec2i, block: wp.mat33, scale: wp.vec2
):
    """``block`` between the differences of two pairs of points: four blocks, with signs."""
    # counted at run time: written out, the block's code would be there four times
    n = int(4)
    for k in range(n):
        r = k // 2
        c = k % 2
        add_block(m, d, world, one[r], two[c], wp.where(r == c, 1.0, -1.0) * block, scale)


@wp.func
def step_scale(m: ModelFields, world: int, f: int) -> wp.vec2:
    """``(h^2 + h beta, h)`` of flex ``f``, without what flags switch off."""
    # the spring at the end of the step, and Rayleigh's damper, a multiple of the same matrix
    h = m.opt_timestep[world]
    scale = wp.vec2(0.0, 0.0)
    if (m.opt_disableflags & MjtDisableBit.SPRING) == 0:
        scale = wp.vec2(h * h, h)
    if (m.opt_disableflags & MjtDisableBit.DAMPER) == 0:
        scale += wp.vec2(h * wp.max(0.0, m.flex_damping[world, f]), 0.0)
    return scale

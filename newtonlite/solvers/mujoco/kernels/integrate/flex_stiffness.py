"""Stiffness of flexes in the effective inertia: elements against stretching, bending edges and cells, each as 3 x 3 blocks
between the points that it acts on.

Of the Hessian of an energy the positive part is taken: tensions that push, and the part of bending that turns the rest
angle, are left out (MuJoCo documentation, Computation: Numerical integration, discrete).  On entry tensions and rotations
of cells are those of ``flex_passive``.
"""

import warp as wp

from newtonlite.math.quaternion import quat_to_mat
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.integrate.flex_block import add_block, add_block_between, step_scale
from newtonlite.solvers.mujoco.kernels.integrate.rod_stiffness import rod_stiffness
from newtonlite.solvers.mujoco.kernels.velocity.flex_stretch import triangle_row
from newtonlite.solvers.mujoco.kernels.velocity.flex_volume import material, material_block, shape_slope


@wp.func
def stretch_stiffness(m: ModelFields, d: DataFields, world: int, k: int):
    """An element: ``2 K_ab e_a e_b'`` between its edges, and of each edge in tension that tension in all directions."""
    scale = step_scale(m, world, m.flexstretch_flexid[k])
    first = m.flexstretch_tensionadr[k]
    n = m.flexstretch_tensionadr[k + 1] - first
    for a in range(n):
        ea = m.flextension_edge[first + a]
        va = m.flexedge_vert[ea]
        xa = d.flexvert_xpos[world, va[0]] - d.flexvert_xpos[world, va[1]]
        for b in range(n):
            eb = m.flextension_edge[first + b]
            vb = m.flexedge_vert[eb]
            xb = d.flexvert_xpos[world, vb[0]] - d.flexvert_xpos[world, vb[1]]
            # slope of the tension in edge a by the place of edge b, along both
            entry = m.flex_stiffness[world, triangle_row(m.flexstretch_adr[k], n, a, b)]
            block = (2.0 * entry) * wp.outer(xa, xb)
            # a pulled edge also resists being turned
            if a == b:
                block += wp.max(0.0, d.flextension_spring[world, first + a]) * wp.identity(3, dtype=float)
            add_block_between(m, d, world, va, vb, block, scale)


@wp.func
def volume_stiffness(m: ModelFields, d: DataFields, world: int, k: int):
    """A Neo-Hookean tetrahedron: the positive part of its material's stiffness, between all pairs of vertices."""
    scale = step_scale(m, world, m.flexstretch_flexid[m.flexvolume_stretch[k]])
    h = material(m, d, world, k)
    b = m.flexvolume_inverse[k]
    vert = m.flexvolume_vert[k]
    n = int(16)
    for e in range(n):
        block = material_block(h, shape_slope(b, e // 4), shape_slope(b, e % 4))
        add_block(m, d, world, vert[e // 4], vert[e % 4], block, scale)


@wp.func
def bend_stiffness(m: ModelFields, d: DataFields, world: int, k: int):
    """A bending edge: its matrix over four vertices, alike in all directions."""
    # without the multiple of the volume that turns the rest angle
    scale = step_scale(m, world, m.flexbend_flexid[k])
    adr = m.flexbend_adr[k]
    # all pairs of vertices, counted at run time
    n = int(16)
    for e in range(n):
        block = m.flex_bending[world, adr + e] * wp.identity(3, dtype=float)
        add_block(m, d, world, m.flexbend_vert[k][e // 4], m.flexbend_vert[k][e % 4], block, scale)


@wp.func
def cell_stiffness(m: ModelFields, d: DataFields, world: int, c: int):
    """A cell or a face of a shell: ``R K R'``, of a matrix that is stored with the sign of a force."""
    if m.flexcell_held[c] == 0:
        scale = step_scale(m, world, m.flexcell_flexid[c])
        first = m.flexcell_nodeadr[c]
        n = m.flexcell_nodeadr[c + 1] - first
        # each pair of nodes: three by three numbers of the matrix, turned with the cell
        turn = quat_to_mat(d.flexcell_quat[world, c])
        for i in range(n):
            for j in range(n):
                entries = wp.mat33(0.0)
                for r in range(3):
                    at = m.flexcell_adr[c] + 3 * n * (3 * i + r) + 3 * j
                    for s in range(3):
                        entries[r, s] = -m.flex_stiffness[world, at + s]
                block = turn * entries * wp.transpose(turn)
                p = m.flexcellnode_point[first + i]
                add_block(m, d, world, p, m.flexcellnode_point[first + j], block, scale)


@wp.func
def flex_stiffness(m: ModelFields, d: DataFields, world: int):
    """``M += (h^2 + h beta) K`` and ``efm_c -= h K qvel`` of all flexes. One lane: elements share points."""
    # element after element, in one order
    for k in range(m.nflexstretch):
        neo_hookean = int(0)
        if m.nflexvolume > 0:
            neo_hookean = wp.where(m.flexstretch_volume[k] >= 0, 1, 0)
        if neo_hookean == 0:
            stretch_stiffness(m, d, world, k)
    for k in range(m.nflexvolume):
        volume_stiffness(m, d, world, k)
    for k in range(m.nflexbend):
        bend_stiffness(m, d, world, k)
    for c in range(m.nflexcell):
        cell_stiffness(m, d, world, c)
    for h in range(m.nflexrod):
        rod_stiffness(m, d, world, h)

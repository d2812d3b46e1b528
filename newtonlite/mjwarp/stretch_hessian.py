"""Hessian of the energy of stretching of flexes, as MuJoCo Warp keeps it: a block of each vertex and of each edge."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.solvers.mujoco.executor.views import share
from newtonlite.solvers.mujoco.kernels.velocity.flex_stretch import triangle_row
from newtonlite.solvers.mujoco.kernels.velocity.flex_volume import material, material_block, shape_slope

kernel_module(__name__)


@wp.func
def add_to_vertex(out: wp.array2d[wp.spatial_vector], world: int, v: int, block: wp.mat33):
    """The upper triangle of a block, row by row."""
    known = out[world, v]
    known[0] += block[0, 0]
    known[1] += block[0, 1]
    known[2] += block[0, 2]
    known[3] += block[1, 1]
    known[4] += block[1, 2]
    known[5] += block[2, 2]
    out[world, v] = known


@wp.kernel(enable_backward=False)
def stretch_blocks(
    nstretch: int,
    adr: wp.array[int],
    volume: wp.array[int],
    tensionadr: wp.array[int],
    tension_edge: wp.array[int],
    edge_vert: wp.array[wp.vec2i],
    stiffness: wp.array2d[float],
    tension: wp.array2d[float],
    place: wp.array2d[wp.vec3],
    verts: wp.array2d[wp.spatial_vector],
    edges: wp.array2d[wp.mat33],
):
    """Sums over elements of ``2 K_ab x_a x_b'`` between the edges a and b, and of the tension of an edge that is pulled."""
    world = wp.tid()
    row = world % stiffness.shape[0]
    for k in range(nstretch):
        first = tensionadr[k]
        n = tensionadr[k + 1] - first
        # Neo-Hookean tetrahedra come by themselves
        if volume[k] >= 0:
            n = int(0)
        for a in range(n):
            va = edge_vert[tension_edge[first + a]]
            xa = place[world, va[0]] - place[world, va[1]]
            for b in range(n):
                vb = edge_vert[tension_edge[first + b]]
                xb = place[world, vb[0]] - place[world, vb[1]]
                block = (2.0 * stiffness[row, triangle_row(adr[k], n, a, b)]) * wp.outer(xa, xb)
                if a == b:
                    block += wp.max(0.0, tension[world, first + a]) * wp.identity(3, dtype=float)
                # between an end of one and an end of the other: a vertex, or the edge of both
                for r in range(2):
                    for c in range(2):
                        part = wp.where(r == c, 1.0, -1.0) * block
                        if va[r] == vb[c]:
                            add_to_vertex(verts, world, va[r], part)
                        else:
                            for e in range(n):
                                ends = edge_vert[tension_edge[first + e]]
                                if ends[0] == va[r] and ends[1] == vb[c]:
                                    edges[world, tension_edge[first + e]] += part


@wp.struct
class VolumeModel:
    """Fields of a model that the stiffness of Neo-Hookean tetrahedra reads."""

    nflexplastic: int
    flexstretch_adr: wp.array[int]
    flexstretch_plastic: wp.array[int]
    flexvolume_stretch: wp.array[int]
    flexvolume_vert: wp.array[wp.vec4i]
    flexvolume_inverse: wp.array[wp.mat33]
    flex_stiffness: wp.array2d[float]


@wp.struct
class VolumeData:
    """Fields of data that it reads."""

    flexvert_xpos: wp.array2d[wp.vec3]
    plastic: wp.array2d[float]


@wp.kernel(enable_backward=False)
def volume_blocks(
    nvolume: int,
    m: VolumeModel,
    d: VolumeData,
    tensionadr: wp.array[int],
    tension_edge: wp.array[int],
    edge_vert: wp.array[wp.vec2i],
    verts: wp.array2d[wp.spatial_vector],
    edges: wp.array2d[wp.mat33],
):
    """Sums over Neo-Hookean tetrahedra of the positive part of their material's stiffness."""
    world = wp.tid()
    for k in range(nvolume):
        h = material(m, d, world, k)  # pyright: ignore[reportArgumentType]
        b = m.flexvolume_inverse[k]
        vert = m.flexvolume_vert[k]
        first = tensionadr[m.flexvolume_stretch[k]]
        n = int(16)
        for pair in range(n):
            i = pair // 4
            j = pair % 4
            part = material_block(h, shape_slope(b, i), shape_slope(b, j))
            if i == j:
                add_to_vertex(verts, world, vert[i], part)
            else:
                for e in range(6):
                    ends = edge_vert[tension_edge[first + e]]
                    if ends[0] == vert[i] and ends[1] == vert[j]:
                        edges[world, tension_edge[first + e]] += part


def names_of(struct) -> tuple[str, ...]:
    """Fields of a struct."""
    return tuple(struct.cls.__annotations__)


def view_of(struct, arrays: dict, nworld: int):
    """A struct with the arrays of its names; numbers that all worlds share are given to each."""
    found = struct()
    for name, value in arrays.items():
        shared = isinstance(value, wp.array) and value.ndim == 2 and value.shape[0] == 1 and nworld > 1
        setattr(found, name, share(value, nworld) if shared else value)
    return found


def stretch_hessian(d, last) -> tuple:
    """``flexvert_hessian [nworld, nflexvert]`` and ``flexedge_hessian [nworld, nflexedge]`` of the present places; zeros but
    under the integrator discrete.
    """
    m, e = d.engine.model, d.engine
    if last is None:
        shapes = ((m.nflexvert, wp.spatial_vector), (m.nflexedge, wp.mat33))
        last = tuple(wp.zeros((d.nworld, n), dtype=dtype, device=e.device) for n, dtype in shapes)
    for array in last:
        array.zero_()
    if m.ndiscretedof and m.nflexstretch:
        tables = [
            m.flexstretch_adr,
            m.flexstretch_volume,
            m.flexstretch_tensionadr,
            m.flextension_edge,
            m.flexedge_vert,
        ]
        state = [m.arrays["flex_stiffness"], e.flextension_spring, e.flexvert_xpos]
        wp.launch(stretch_blocks, d.nworld, [m.nflexstretch, *tables, *state, *last], device=e.device)
        if m.nflexvolume:
            own = {name: getattr(m, name) for name in names_of(VolumeModel) if name != "flex_stiffness"}
            model = view_of(VolumeModel, own | {"flex_stiffness": m.arrays["flex_stiffness"]}, d.nworld)
            data = view_of(VolumeData, {name: getattr(e, name) for name in names_of(VolumeData)}, d.nworld)
            wp.launch(volume_blocks, d.nworld, [m.nflexvolume, model, data, *tables[2:], *last], device=e.device)
    return last

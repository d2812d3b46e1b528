"""Kernels that write MuJoCo's sparse forms of the engine's matrices, and the points of tendons' paths."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtJoint, MjtTrn, MjtWrap
from newtonlite.math.quaternion import quat_conj, quat_rotate

kernel_module(__name__)

SITE, PULLEY = wp.constant(-1), wp.constant(-2)
"""Entries of ``wrap_obj`` that stand in place of a geom."""


@wp.kernel(enable_backward=False)
def gather_entries(matrix: wp.array3d[float], rows: wp.array[int], columns: wp.array[int], out: wp.array2d[float]):
    """Entries of a matrix at these rows and columns."""
    world, k = wp.tid()
    out[world, k] = matrix[world, rows[k], columns[k]]


@wp.kernel(enable_backward=False)
def scatter_entries(values: wp.array2d[float], rows: wp.array[int], columns: wp.array[int], matrix: wp.array3d[float]):
    """Entries of the lower triangle into a symmetric matrix that is kept whole."""
    world, k = wp.tid()
    matrix[world, rows[k], columns[k]] = values[world, k]
    matrix[world, columns[k], rows[k]] = values[world, k]


@wp.kernel(enable_backward=False)
def factor_inertia(
    nv: int,
    rownnz: wp.array[int],
    rowadr: wp.array[int],
    colind: wp.array[int],
    LD: wp.array2d[float],
    inverse: wp.array2d[float],
):
    """``M = L' D L`` in place, from the last dof to the first. Featherstone, table 6.3."""
    world = wp.tid()
    for r in range(nv):
        k = nv - 1 - r
        start = rowadr[k]
        last = start + rownnz[k] - 1
        scale = wp.where(LD[world, last] != 0.0, 1.0 / LD[world, last], 0.0)
        inverse[world, k] = scale
        for s in range(rownnz[k] - 1):
            a = last - 1 - s
            i = colind[a]
            share = LD[world, a] * scale
            for j in range(rownnz[i]):
                LD[world, rowadr[i] + j] = LD[world, rowadr[i] + j] - share * LD[world, start + j]
        for a in range(start, last):
            LD[world, a] = LD[world, a] * scale


@wp.kernel(enable_backward=False)
def actuator_moments(
    push_adr: wp.array[int],
    push_dof: wp.array[int],
    momentrow: wp.array[int],
    actuator: wp.array[int],
    trntype: wp.array[int],
    trnid: wp.array[wp.vec2i],
    kinds: wp.array[int],
    dofadr: wp.array[int],
    qposadr: wp.array[int],
    gears: wp.array2d[wp.spatial_vector],
    rows: wp.array3d[float],
    ten_J: wp.array3d[float],
    qpos: wp.array2d[float],
    out: wp.array2d[float],
):
    """Moment arms of one output on the dofs that it pushes."""
    world, o = wp.tid()
    gear = gears[world % gears.shape[0], o]
    u = actuator[o]
    target = trnid[u][0]
    for k in range(push_adr[o], push_adr[o + 1]):
        i = push_dof[k]
        if momentrow[o] >= 0:
            out[world, k] = rows[world, momentrow[o], i]
        elif trntype[u] == MjtTrn.TENDON:
            out[world, k] = gear[0] * ten_J[world, target, i]
        elif kinds[target] > MjtJoint.BALL:
            out[world, k] = gear[0]
        else:
            c = i - dofadr[target]
            adr = qposadr[target]
            axis = wp.vec3(gear[0], gear[1], gear[2])
            if kinds[target] == MjtJoint.FREE and c > 2:
                axis = wp.vec3(gear[3], gear[4], gear[5])
                adr += 3
            if trntype[u] == MjtTrn.JOINTINPARENT and not (kinds[target] == MjtJoint.FREE and c < 3):
                q = wp.quat(qpos[world, adr], qpos[world, adr + 1], qpos[world, adr + 2], qpos[world, adr + 3])
                axis = quat_rotate(quat_conj(wp.normalize(q)), axis)
            out[world, k] = axis[c % 3]


@wp.func
def put_point(
    objects: wp.array2d[wp.vec2i], points: wp.array2d[wp.spatial_vector], world: int, n: int, thing: int, at: wp.vec3
):
    """Write point ``n`` of all paths: two share an entry."""
    pair = objects[world, n / 2]
    both = points[world, n / 2]
    pair[n % 2] = thing
    for c in range(3):
        both[3 * (n % 2) + c] = at[c]
    objects[world, n / 2] = pair
    points[world, n / 2] = both


@wp.kernel(enable_backward=False)
def wrap_points(
    ntendon: int,
    spatial: wp.array[int],
    first: wp.array[int],
    number: wp.array[int],
    kinds: wp.array[int],
    objid: wp.array[int],
    length: wp.array2d[float],
    onto: wp.array2d[wp.vec3],
    off: wp.array2d[wp.vec3],
    sites: wp.array2d[wp.vec3],
    adr: wp.array2d[int],
    count: wp.array2d[int],
    objects: wp.array2d[wp.vec2i],
    points: wp.array2d[wp.spatial_vector],
):
    """Sites, pulleys, and points on geoms along each tendon, in order; nothing for sums of joints."""
    world = wp.tid()
    n = int(0)
    for t in range(ntendon):
        adr[world, t] = n
        w = first[t]
        end = w + number[t] - 1
        if spatial[t] == 0:
            w = end
        while w < end:
            if kinds[w] == MjtWrap.PULLEY or kinds[w + 1] == MjtWrap.PULLEY:
                if kinds[w] == MjtWrap.PULLEY:
                    put_point(objects, points, world, n, PULLEY, wp.vec3(0.0, 0.0, 0.0))
                    n += 1
                w += 1
            else:
                put_point(objects, points, world, n, SITE, sites[world, objid[w]])
                n += 1
                w += 1
                if kinds[w] != MjtWrap.SITE:
                    if length[world, w] >= 0.0:
                        put_point(objects, points, world, n, objid[w], onto[world, w])
                        put_point(objects, points, world, n + 1, objid[w], off[world, w])
                        n += 2
                    w += 1
                ends = w == end
                if not ends:
                    ends = kinds[w + 1] == MjtWrap.PULLEY
                if ends:
                    put_point(objects, points, world, n, SITE, sites[world, objid[w]])
                    n += 1
        count[world, t] = n - adr[world, t]

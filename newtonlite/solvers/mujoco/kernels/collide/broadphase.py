"""Broad phase: the candidates whose bounding spheres are near enough."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.team import sync, team_scan

PLANE = 0
DISABLE_CONSTRAINT = 1 << 0
DISABLE_CONTACT = 1 << 4

_NEAR_PAIRS = """
{
    const int* geom = (const int*)cand_geom.data;
    const int* type = (const int*)geom_type.data;
    const float* bound = (const float*)((const char*)cand_bound.data + (size_t)world * cand_bound.strides[0]);
    const float* size = (const float*)((const char*)geom_size.data + (size_t)world * geom_size.strides[0]);
    const float* pos = (const float*)((const char*)geom_xpos.data + (size_t)world * geom_xpos.strides[0]);
    const float* mat = (const float*)((const char*)geom_xmat.data + (size_t)world * geom_xmat.strides[0]);
    int* out = (int*)((char*)cand.data + (size_t)world * cand.strides[0]);
    int spheres = 0, kept = 0;
    for (int k = 0; k < count; k++) {
        const int g1 = geom[2 * k], g2 = geom[2 * k + 1];
        const float* a = pos + 3 * g1;
        const float* b = pos + 3 * g2;
        const float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
        const float r = bound[k];
        bool far;
        if (type[g1] == 0) {
            const float* n = mat + 9 * g1;
            far = x * n[2] + y * n[5] + z * n[8] > r;
        } else {
            far = x * x + y * y + z * z > r * r;
        }
        out[spheres] = k;
        spheres += !far;
    }
    for (int i = 0; i < spheres; i++) {
        const int k = out[i], g1 = geom[2 * k], g2 = geom[2 * k + 1];
        const float* a = pos + 3 * g1;
        const float* b = pos + 3 * g2;
        const float* m1 = mat + 9 * g1;
        const float* m2 = mat + 9 * g2;
        const float h1 = type[g1] == 3 ? size[3 * g1 + 1] : 0.0f, h2 = type[g2] == 3 ? size[3 * g2 + 1] : 0.0f;
        const float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
        const float u = m1[2], v = m1[5], w = m1[8], p = m2[2], q = m2[5], s = m2[8];
        const float dot = u * p + v * q + w * s;
        const float r = bound[k] - h1 - h2;
        bool far;
        if (type[g1] == 0) {
            far = x * u + y * v + z * w - h2 * (dot < 0 ? -dot : dot) > r + 1e-5f * bound[k];
        } else {
            const float ahead1 = u * x + v * y + w * z, ahead2 = -(p * x + q * y + s * z);
            float sine2 = 1.0f - dot * dot;
            sine2 = sine2 > 1e-6f ? sine2 : 1e-6f;
            float t1 = (ahead1 + dot * ahead2) / sine2;
            t1 = t1 > h1 ? h1 : (t1 < -h1 ? -h1 : t1);
            float t2 = ahead2 + dot * t1;
            t2 = t2 > h2 ? h2 : (t2 < -h2 ? -h2 : t2);
            t1 = ahead1 + dot * t2;
            t1 = t1 > h1 ? h1 : (t1 < -h1 ? -h1 : t1);
            const float dx = x + t2 * p - t1 * u, dy = y + t2 * q - t1 * v, dz = z + t2 * s - t1 * w;
            far = dx * dx + dy * dy + dz * dz > r * r + 1e-3f * bound[k] * bound[k];
        }
        out[kept] = k;
        kept += !far;
    }
    return kept;
}
"""


@wp.func_native(_NEAR_PAIRS)
def near_pairs(
    cand_geom: wp.array(dtype=wp.vec2i),
    cand_bound: wp.array2d(dtype=float),
    geom_type: wp.array(dtype=int),
    geom_size: wp.array2d(dtype=wp.vec3),
    geom_xpos: wp.array2d(dtype=wp.vec3),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    cand: wp.array2d(dtype=int),
    world: int,
    count: int,
) -> int:
    """One lane's pass over all candidates, without branches; returns how many it left in ``cand``."""
    ...


@wp.func
def is_near(m: Any, d: Any, world: int, k: int) -> bool:
    """Whether the bounding spheres of candidate ``k`` (of a plane: the half-space) are within its bound."""
    pair = m.cand_geom[k]
    apart = d.geom_xpos[world, pair[1]] - d.geom_xpos[world, pair[0]]
    bound = m.cand_bound[world, k]
    if m.geom_type[pair[0]] == PLANE:
        plane = d.geom_xmat[world, pair[0]]
        return wp.dot(apart, wp.vec3(plane[0, 2], plane[1, 2], plane[2, 2])) <= bound
    return wp.dot(apart, apart) <= bound * bound


@wp.func
def broadphase(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Candidates ``k`` with ``|x2 - x1| <= bound[k]``, in order, into ``cand``."""
    count = m.ncandidate
    if (m.opt_disableflags & (DISABLE_CONSTRAINT | DISABLE_CONTACT)) != 0:
        count = 0
    kept = int(0)
    if nlane == 1:
        kept = near_pairs(m.cand_geom, m.cand_bound, m.geom_type, m.geom_size, d.geom_xpos, d.geom_xmat, d.cand, world, count)
    else:
        for first in range(0, count, nlane):
            k = first + lane
            near = int(0)
            if k < count:
                near = wp.where(is_near(m, d, world, k), 1, 0)
            slots = team_scan(d.team_i, world, near)
            if near == 1:
                d.cand[world, kept + slots[0]] = k
            kept += slots[1]
    if lane == 0:
        d.ncand[world] = kept
    sync()

"""The walk down the tree: poses of all bodies from positions of joints, the same for the engine's kinematics and for a solver's pull.

One lane takes bodies in order, in vectors of four, with the sines of 16 half angles at a time; a team takes them level by level.
"""

import warp as wp

from newtonlite.solvers.mujoco.enums import FREE, HINGE, SLIDE
from newtonlite.solvers.mujoco.kernels.four import END_FOUR, FOUR
from newtonlite.solvers.mujoco.kernels.native import A1, native
from newtonlite.solvers.mujoco.kernels.row import ahead

INDEX = wp.array(dtype=int)
VEC3 = wp.array2d(dtype=wp.vec3)
QUAT = wp.array2d(dtype=wp.quat)
SPATIAL = wp.array2d(dtype=wp.spatial_vector)
POSE = wp.array2d(dtype=wp.transformf)
TABLE = wp.array2d(dtype=int)

# frame (p, q), velocity v of its origin and angular w; an anchor moves with what is before its joint, the body turns about it
_PLACE = """
    const int* parent = body_parentid.data; const int* jntadr = body_jntadr.data; const int* jntnum = body_jntnum.data;
    const int* mocap = body_mocapid.data; const int* type = jnt_type.data; const int* qposadr = jnt_qposadr.data; const int* dofadr = jnt_dofadr.data;
    const float* bpos = ROW(body_pos); const float* bquat = ROW(body_quat); const float* jpos = ROW(jnt_pos); const float* jaxis = ROW(jnt_axis);
    const float* Q = ROW(qpos); const float* Q0 = ROW(qpos0); const float* D = ROW(qvel);
    const float* mpos = ROW(mocap_pos); const float* mquat = ROW(mocap_quat);
    float* X = ROW(xpos); float* R = ROW(xquat); float* anchor = ROW(xanchor); float* axis = ROW(xaxis); float* vel = ROW(xvel);
    auto place = [=](int b, auto&& half_angle) {
        const int first = jntadr[b], last = first + jntnum[b];
        F p, q, v = F{0.0f, 0.0f, 0.0f, 0.0f}, w = v;
        if (last == first + 1 && type[first] == FREE) {
            const int adr = qposadr[first], dof = dofadr[first];
            p = three(Q + adr);
            q = unit(four(Q + adr + 3));
            if (moving) { v = three(D + dof); w = turn(q, three(D + dof + 3)); }
            else { put(anchor + 3 * first, p); put(axis + 3 * first, three(jaxis + 3 * first)); }
        } else if (mocap[b] >= 0) {
            p = three(mpos + 3 * mocap[b]);
            q = unit(four(mquat + 4 * mocap[b]));
        } else {
            const int on = parent[b];
            q = four(R + 4 * on);
            const F arm = turn(q, three(bpos + 3 * b));
            p = three(X + 3 * on) + arm;
            const F tilt = four(bquat + 4 * b);
            if (some(tilt - F{1.0f, 0.0f, 0.0f, 0.0f})) q = times(q, tilt);
            if (moving) { w = three(vel + 6 * on + 3); v = three(vel + 6 * on) + cross(w, arm); }
            for (int j = first; j < last; j++) {
                const int adr = qposadr[j], dof = dofadr[j], kind = type[j];
                const F local = three(jpos + 3 * j), about = three(jaxis + 3 * j);
                const bool aside = some(local);
                const F across = times(q, about), a = about + cross(q, across) * 2.0f;  // the turned axis, from a product that a hinge needs too
                const F r = aside ? turn(q, local) : F{0.0f, 0.0f, 0.0f, 0.0f};
                if (!moving) { put(anchor + 3 * j, p + r); put(axis + 3 * j, a); }
                if (kind == SLIDE) {
                    const F shift = a * (Q[adr] - Q0[adr]);
                    p = p + shift;
                    if (moving) v = v + cross(w, shift) + a * D[dof];
                    continue;
                }
                if (aside) {
                    p = p + r;
                    if (moving) v = v + cross(w, r);
                }
                if (kind == HINGE) {
                    float c, s;
                    half_angle(adr, c, s);
                    q = q * c + across * s;
                    if (moving) w = w + a * D[dof];
                } else {
                    q = times(q, unit(four(Q + adr)));
                    if (moving) w = w + turn(q, three(D + dof));
                }
                if (aside) {
                    const F back = turn(q, local);
                    p = p - back;
                    if (moving) v = v - cross(w, back);
                }
            }
            if (last > first) q = q * (1.5f - 0.5f * square(q));
        }
        put(X + 3 * b, p);
        put_four(R + 4 * b, q);
        if (moving) { put(vel + 6 * b, v); put(vel + 6 * b + 3, w); }
    };
"""

# x = k pi/2 + r, |r| <= pi/4 (Cody and Waite, pi/2 in three parts); minimax polynomials in r^2; the C library's where k gets large
_ONE_LANE = """
    const int nbody = body_parentid.shape[0], nq = qpos.shape[1];
    typedef int K __attribute__((vector_size(64), aligned(4)));
    ONCE {
    float c[16], s[16];
    int from = -16;
    auto half_angle = [&](int adr, float& cosine, float& sine) {
        if ((unsigned)(adr - from) >= 16u) {
            from = adr;
            float x16[16], far = 0.0f;
            for (int k = 0; k < 16; k++) x16[k] = adr + k < nq ? 0.5f * (Q[adr + k] - Q0[adr + k]) : 0.0f;
            const V x = *(V*)x16;
            V n = x * 0.636619772f + 12582912.0f;
            const K k = (K)n;
            n -= 12582912.0f;
            const V r = ((x - n * 1.5703125f) - n * 4.83751297e-4f) - n * 7.54979013e-8f, z = r * r;
            const V a = r + r * z * (-1.666665386e-1f + z * (8.332113040e-3f - z * 1.950874123e-4f));
            const V b = 1.0f - 0.5f * z + z * z * (4.166664565e-2f + z * (-1.388730604e-3f + z * 2.443120502e-5f));
            const K other = ((K)a ^ (K)b) & -(k & 1);
            *(V*)s = (V)(((K)a ^ other) ^ ((k & 2) << 30));
            *(V*)c = (V)(((K)b ^ other) ^ (((k + 1) & 2) << 30));
            if (__builtin_reduce_or((x > 8192.0f) | (x < -8192.0f))) for (int i = 0; i < 16; i++) { s[i] = wp::sin(x16[i]); c[i] = wp::cos(x16[i]); }
        }
        cosine = c[adr - from];
        sine = s[adr - from];
    };
    for (int b = 1; b < nbody; b++) place(b, half_angle);
    } CALL;
"""

_TEAM = """
    auto half_angle = [=](int adr, float& cosine, float& sine) {
        const float x = 0.5f * (Q[adr] - Q0[adr]);
        cosine = wp::cos(x);
        sine = wp::sin(x);
    };
    const int* adr = level_adr.data;
    const int nlevel = level_adr.shape[0] - 1;
    for (int level = 0; level < nlevel; level++) {
        for (int k = adr[level] + lane; k < adr[level + 1]; k += nlane) place(level_body.data[k], half_angle);
        SYNC;
    }
"""

for _name, _value in (("FREE", FREE), ("SLIDE", SLIDE), ("HINGE", HINGE)):
    _PLACE = _PLACE.replace(_name, str(int(_value)))

_WALK = native(
    FOUR
    + _PLACE
    + f"#if WP_TILE_BLOCK_DIM == 1\n{_ONE_LANE}#else\n{_TEAM}#endif\n{END_FOUR}"
)


@wp.func_native(_WALK)
def walk_tree(
    body_parentid: INDEX, body_jntadr: INDEX, body_jntnum: INDEX, body_mocapid: INDEX, jnt_type: INDEX, jnt_qposadr: INDEX, jnt_dofadr: INDEX,
    level_adr: INDEX, level_body: INDEX, body_pos: VEC3, body_quat: QUAT, jnt_pos: VEC3, jnt_axis: VEC3, qpos0: A1, qpos: A1, qvel: A1,
    mocap_pos: VEC3, mocap_quat: QUAT, xpos: VEC3, xquat: QUAT, xanchor: VEC3, xaxis: VEC3, xvel: SPATIAL, moving: int,
    world: int, lane: int, nlane: int,
):  # fmt: skip
    """``x_b = x_parent o X_b o prod_j exp(S_j (q_j - q0_j))`` for all bodies but the world, which must be there in ``xpos`` and ``xquat``.

    ``moving`` 0: with the joints' anchors and axes; 1: with the velocities of the bodies' origins and their angular ones in the world
    frame, ``xvel``, instead; the world's must be there.
    """
    ...


_SHOW = native(
    FOUR
    + """
    const int* link = AT(int, link_of_body);
    const float* com = ROW(body_ipos); const float* X = ROW(xpos); const float* R = ROW(xquat); const float* vel = ROW(xvel);
    float* pose = ROW(body_q); float* rate = ROW(body_qd);
    for (int b = 1 + lane; b < xpos.shape[1]; b += nlane) {
        const F q = four(R + 4 * b), w = three(vel + 6 * b + 3);
        put(pose + 7 * link[b], three(X + 3 * b));
        put_four(pose + 7 * link[b] + 3, PICK(q, 1, 2, 3, 0));
        put(rate + 6 * link[b], three(vel + 6 * b) + cross(w, turn(q, three(com + 3 * b))));
        put(rate + 6 * link[b] + 3, w);
    }
"""
    + END_FOUR
    + ahead("body_q", "body_qd")
)


@wp.func_native(_SHOW)
def show_links(
    link_of_body: TABLE, body_ipos: VEC3, xpos: VEC3, xquat: QUAT, xvel: SPATIAL, body_q: POSE, body_qd: SPATIAL, world: int, lane: int, nlane: int
):  # fmt: skip
    """What ``walk_tree`` left of all bodies but the world as a scene has it: poses, and velocities of centres of mass, then angular ones."""
    ...

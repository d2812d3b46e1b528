// Forward kinematics: poses of all bodies from positions of joints, the same for the engine and for a solver's pull.
//
// One lane takes bodies in order, in vectors of four, with the sines of 16 half angles at a time. A team first places
// all bodies against their parents, as if these were the world, and then moves them level by level. FREE, SLIDE and
// HINGE are mjtJoint's, from Python (core/mujoco.py).
#pragma once
#include "../primitives/simd16.h"
#include "../primitives/simd4.h"

// Cosine and sine of half the angle of a hinge, from its place in qpos.
#if ONE_LANE || defined(SPMD)
// Sines and cosines of 16 numbers: x = k pi/2 + r, |r| <= pi/4 (Cody and Waite, pi/2 in three parts); minimax polynomials
// in r^2; the C library's where k gets large.
typedef plain V16 __attribute__((vector_size(64), aligned(4)));
INLINE static void sine_and_cosine(V16 x, plain* s, plain* c) {
    typedef int K __attribute__((vector_size(64), aligned(4)));
    V16 n = x * 0.636619772f + 12582912.0f;
    const K k = (K)n;
    n -= 12582912.0f;
    const V16 r = ((x - n * 1.5703125f) - n * 4.83751297e-4f) - n * 7.54979013e-8f, z = r * r;
    const V16 a = r + r * z * (-1.666665386e-1f + z * (8.332113040e-3f - z * 1.950874123e-4f));
    const V16 b = 1.0f - 0.5f * z + z * z * (4.166664565e-2f + z * (-1.388730604e-3f + z * 2.443120502e-5f));
    const K other = ((K)a ^ (K)b) & -(k & 1);
    *(V16*)s = (V16)(((K)a ^ other) ^ ((k & 2) << 30));
    *(V16*)c = (V16)(((K)b ^ other) ^ (((k + 1) & 2) << 30));
    const K large = (x > 8192.0f) | (x < -8192.0f);
    if (__builtin_reduce_or(large)) {
        for (int i = 0; i < 16; i++) {
            if (large[i]) {
                s[i] = wp::sin(x[i]);
                c[i] = wp::cos(x[i]);
            }
        }
    }
}
#endif
#if ONE_LANE
struct HalfAngles {
    const float *Q, *Q0;
    int nq;
    int from = -16;  // c and s hold those of 16 places from here on
    float c[16], s[16];

    INLINE HalfAngles(const float* Q, const float* Q0, int nq) : Q(Q), Q0(Q0), nq(nq) {}

    INLINE void fill(int adr) {
        from = adr;
        float x[16];
        for (int k = 0; k < 16; k++) x[k] = adr + k < nq ? 0.5f * (Q[adr + k] - Q0[adr + k]) : 0.0f;
        sine_and_cosine(*(V16*)x, s, c);
    }

    INLINE void at(int adr, float& cosine, float& sine) {
        if ((unsigned)(adr - from) >= 16u) fill(adr);
        cosine = c[adr - from];
        sine = s[adr - from];
    }
};
#elif defined(SPMD)
struct HalfAngles {
    const float *Q, *Q0;

    INLINE HalfAngles(const float* Q, const float* Q0, int nq) : Q(Q), Q0(Q0) {}

    INLINE void at(int adr, float& cosine, float& sine) {
        sine_and_cosine((0.5f * (Q[adr] - Q0[adr])).v, (plain*)&sine, (plain*)&cosine);
    }
};
#else
struct HalfAngles {
    const float *Q, *Q0;

    INLINE HalfAngles(const float* Q, const float* Q0, int nq) : Q(Q), Q0(Q0) {}

    INLINE void at(int adr, float& cosine, float& sine) {
        const float x = 0.5f * (Q[adr] - Q0[adr]);
        cosine = wp::cos(x);
        sine = wp::sin(x);
    }
};
#endif

// One world's bodies and joints, and where their poses go.
struct Tree {
    const int *parent, *jntadr, *jntnum, *mocap, *type, *qposadr, *dofadr;
    const float *bpos, *bquat, *jpos, *jaxis, *Q, *Q0, *D, *mpos, *mquat;
    float *X, *R, *anchor, *axis, *vel;
    int moving;

    // Pose (p, q) of a body, velocity v of its origin and angular w. An anchor moves with what is before its joint; the
    // body turns about it. With `apart` the parent counts as the world.
    INLINE void place(int b, HalfAngles& half_angles, bool apart) const {
        const int first = jntadr[b], last = first + jntnum[b];
        F p, q, v = F{0.0f, 0.0f, 0.0f, 0.0f}, w = v;
        if (last == first + 1 && type[first] == FREE) {
            const int adr = qposadr[first], dof = dofadr[first];
            p = three(Q + adr);
            q = unit(four(Q + adr + 3));
            if (moving) {
                v = three(D + dof);
                w = turn(q, three(D + dof + 3));
            } else {
                put(anchor + 3 * first, p);
                put(axis + 3 * first, three(jaxis + 3 * first));
            }
        } else if (mocap[b] >= 0) {
            p = three(mpos + 3 * mocap[b]);
            q = unit(four(mquat + 4 * mocap[b]));
        } else {
            const int on = parent[b];
            q = apart ? F{1.0f, 0.0f, 0.0f, 0.0f} : four(R + 4 * on);
            const F arm = apart ? three(bpos + 3 * b) : turn(q, three(bpos + 3 * b));
            p = apart ? arm : three(X + 3 * on) + arm;
            const F tilt = four(bquat + 4 * b);
            if (some(tilt - F{1.0f, 0.0f, 0.0f, 0.0f})) q = times(q, tilt);
            if (moving && !apart) {
                w = three(vel + 6 * on + 3);
                v = three(vel + 6 * on) + cross(w, arm);
            }
            for (int j = first; j < last; j++) {
                const int adr = qposadr[j], dof = dofadr[j], kind = type[j];
                const F local = three(jpos + 3 * j), about = three(jaxis + 3 * j);
                const bool aside = some(local);
                const F across = times(q, about);
                const F a = about + cross(q, across) * 2.0f;  // the turned axis, from a product that a hinge needs too
                const F r = aside ? turn(q, local) : F{0.0f, 0.0f, 0.0f, 0.0f};
                if (!moving) {
                    put(anchor + 3 * j, p + r);
                    put(axis + 3 * j, a);
                }
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
                    half_angles.at(adr, c, s);
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
        if (moving) {
            put(vel + 6 * b, v);
            put(vel + 6 * b + 3, w);
        }
    }

#if !ONE_LANE
    // A body that was placed apart goes with its parent.
    INLINE void move(int b) const {
        const int on = parent[b];
        const F turned = four(R + 4 * on), q = times(turned, four(R + 4 * b)), arm = turn(turned, three(X + 3 * b));
        put(X + 3 * b, three(X + 3 * on) + arm);
        put_four(R + 4 * b, q * (1.5f - 0.5f * square(q)));
        if (moving) {
            const F w = three(vel + 6 * on + 3), v = three(vel + 6 * on) + cross(w, arm);
            put(vel + 6 * b, v + turn(turned, three(vel + 6 * b)));
            put(vel + 6 * b + 3, w + turn(turned, three(vel + 6 * b + 3)));
        }
    }

    // The same of a body's joints.
    INLINE void move_joints(int b) const {
        const int on = parent[b], first = jntadr[b], last = first + jntnum[b];
        const F turned = four(R + 4 * on), p = three(X + 3 * on);
        for (int j = first; on > 0 && j < last; j++) {
            put(anchor + 3 * j, p + turn(turned, three(anchor + 3 * j)));
            put(axis + 3 * j, turn(turned, three(axis + 3 * j)));
        }
    }
#endif
};

#if ONE_LANE || defined(SPMD)
NOINLINE static void place_in_order(const Tree tree, int nbody, int nq) {
    HalfAngles half_angles(tree.Q, tree.Q0, nq);
    for (int b = 1; b < nbody; b++) tree.place(b, half_angles, false);
}
#endif

INLINE static void forward_kinematics(const Ints& body_parentid, const Ints& body_jntadr, const Ints& body_jntnum,
                                      const Ints& body_mocapid, const Ints& jnt_type, const Ints& jnt_qposadr,
                                      const Ints& jnt_dofadr, const Ints& level_adr, const Ints& level_body,
                                      const Vec3s& body_pos, const Quats& body_quat, const Vec3s& jnt_pos,
                                      const Vec3s& jnt_axis, const Floats& qpos0, const Floats& qpos,
                                      const Floats& qvel, const Vec3s& mocap_pos, const Quats& mocap_quat,
                                      const Vec3s& xpos, const Quats& xquat, const Vec3s& xanchor, const Vec3s& xaxis,
                                      const Spatials& xvel, int moving, int world, int lane, int nlane) {
    OPAQUE(world);
    const Tree tree = {body_parentid.data, body_jntadr.data,
                       body_jntnum.data,   body_mocapid.data,
                       jnt_type.data,      jnt_qposadr.data,
                       jnt_dofadr.data,    ROW(body_pos),
                       ROW(body_quat),     ROW(jnt_pos),
                       ROW(jnt_axis),      ROW(qpos),
                       ROW(qpos0),         ROW(qvel),
                       ROW(mocap_pos),     ROW(mocap_quat),
                       ROW(xpos),          ROW(xquat),
                       ROW(xanchor),       ROW(xaxis),
                       ROW(xvel),          moving};
#if ONE_LANE || defined(SPMD)
    place_in_order(tree, body_parentid.shape[0], qpos.shape[1]);
#else
    HalfAngles half_angles(tree.Q, tree.Q0, qpos.shape[1]);
    const int* adr = level_adr.data;
    const int nlevel = level_adr.shape[0] - 1;
    const int nbody = body_parentid.shape[0];
    for (int b = 1 + lane; b < nbody; b += nlane) tree.place(b, half_angles, true);
    SYNC();
    for (int level = 1; level < nlevel; level++) {
        for (int k = adr[level] + lane; k < adr[level + 1]; k += nlane) tree.move(level_body.data[k]);
        SYNC();
    }
    if (!moving)
        for (int b = 1 + lane; b < nbody; b += nlane) tree.move_joints(b);
#endif
}

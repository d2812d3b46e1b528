// Forward kinematics: poses of all bodies from positions of joints, the same for the engine and for a solver's pull.
//
// One lane takes bodies in order, in vectors of four, with the sines of 16 half angles at a time. A team first places
// all bodies against their parents, as if these were the world, and then moves them level by level. FREE, SLIDE and
// HINGE are mjtJoint's, from Python (core/mujoco.py).
#pragma once
#include "../primitives/simd16.h"
#include "../primitives/simd4.h"

// cosine and sine of half the angle of a hinge, from its place in qpos
#if ONE_LANE || defined(SPMD)
#include "sines.h"
#endif
#if ONE_LANE
#include "half_angles_lane.h"
#elif defined(SPMD)
#include "half_angles_gang.h"
#else
#include "half_angles_team.h"
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
};

#if ONE_LANE || defined(SPMD)
#include "place_in_order.h"
#else
#include "place_by_levels.h"
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
    place_bodies(tree, level_adr, level_body, body_parentid.shape[0], qpos.shape[1], lane, nlane);
}

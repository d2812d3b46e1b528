// Half angles of hinges for a lane of a team, one by one.
#pragma once

struct HalfAngles {
    const float *Q, *Q0;

    INLINE HalfAngles(const float* Q, const float* Q0, int nq) : Q(Q), Q0(Q0) {}

    INLINE void at(int adr, float& cosine, float& sine) {
        const float x = 0.5f * (Q[adr] - Q0[adr]);
        cosine = wp::cos(x);
        sine = wp::sin(x);
    }
};

// Half angles of hinges for a gang of worlds: those of one joint in 16 worlds at a time.
#pragma once

struct HalfAngles {
    const float *Q, *Q0;

    INLINE HalfAngles(const float* Q, const float* Q0, int nq) : Q(Q), Q0(Q0) {}

    INLINE void at(int adr, float& cosine, float& sine) {
        sine_and_cosine((0.5f * (Q[adr] - Q0[adr])).v, (plain*)&sine, (plain*)&cosine);
    }
};

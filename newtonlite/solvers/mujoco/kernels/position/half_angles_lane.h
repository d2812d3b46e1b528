// Half angles of hinges for one lane: 16 at a time, kept until a joint beyond them is met.
#pragma once

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

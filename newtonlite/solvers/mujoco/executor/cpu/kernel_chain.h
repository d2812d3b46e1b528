// Kernel chain: kernels entered one after the other, world after world or all worlds of a block at a time.
#pragma once

#define INLINE inline __attribute__((always_inline))

// A program over worlds 0 to nworld - 1. Round r has kernels start[r] to start[r + 1] - 1.
struct Chain {
    const void* const* entries;  // of every kernel: addresses of code, launch bounds, arguments
    const int* use;              // of every kernel: all blocks of worlds, whole gangs, or smaller ones
    const int* start;
    const int* together;  // of every round: all worlds of a block through a kernel before the next one
    const int* mask;      // worlds with 0 are left out; null where all run
    int nround, nworld, block;
};

enum { EVERY, GANGS, FEWER, GANG = 16 };

// Run kernel i for worlds first to last - 1, the third and fourth of its arguments.
INLINE static void enter(const Chain* c, int i, int first, int last) {
    const void* const* entry = c->entries + 3 * i;
    char* arguments = (char*)entry[2];
    *(int*)(arguments + 16) = first;
    *(int*)(arguments + 20) = last;
    ((void (*)(const void*, const void*))entry[0])(entry[1], arguments);
}

// Whether all of these worlds run.
INLINE static int all_run(const int* mask, int first, int last) {
    for (int world = first; mask && world < last; ++world)
        if (!mask[world]) return 0;
    return 1;
}

// Run all rounds for one block of worlds after the other; where some of a block are left out, one world at a time.
INLINE static void run_chain(unsigned long long chain) {
    const Chain* c = (const Chain*)chain;
    for (int begin = 0; begin < c->nworld; begin += c->block) {
        int end = begin + c->block < c->nworld ? begin + c->block : c->nworld;
        const int whole = all_run(c->mask, begin, end);
        const int other = whole && end - begin == GANG ? FEWER : GANGS;
        for (int r = 0; r < c->nround; ++r) {
            int count = c->together[r] && whole ? c->block : 1;
            for (int world = begin; world < end; world += count) {
                if (!whole && !c->mask[world]) continue;
                int last = world + count < end ? world + count : end;
                for (int i = c->start[r]; i < c->start[r + 1]; ++i)
                    if (c->use[i] != other) enter(c, i, world, last);
            }
        }
    }
}

// Thread pool: recorded launches of several threads, begun by one call and without Python in between.
#pragma once

#define INLINE inline __attribute__((always_inline))

// What a pool's threads share. Addresses are 64-bit numbers; waiting is on 32-bit ones (Linux' futex).
struct Control {
    int round;        // counts calls: a worker that sees a new one has work
    int pending;      // workers still at work
    int sleeping;     // workers that need a call of the kernel to wake up
    int waiting;      // whether the caller needs one
    int* claims;      // for every thread the last round whose job somebody has taken
    long long jobs;   // for every thread the address of its job
    long long count;  // how often a job's waves are repeated
    long long syscall;
};

INLINE static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield");
#endif
}

// Sleep while *where is `value`.
INLINE static void sleep_on(Control* c, int* where, int value) {
    ((long (*)(long, ...))c->syscall)(FUTEX, where, FUTEX_WAIT_PRIVATE, value, (void*)0);
}

INLINE static void wake_up(Control* c, int* where, int count) {
    ((long (*)(long, ...))c->syscall)(FUTEX, where, FUTEX_WAKE_PRIVATE, count);
}

// Run a job: how many waves, and for each how many launches and their addresses of code, bounds and arguments.
INLINE static void run_job(const long long* job, long long count) {
    long long nwave = *job++;
    for (long long w = 0; w < nwave; ++w) {
        long long n = *job++;
        for (long long k = 0; k < count; ++k)
            for (long long i = 0; i < n; ++i)
                ((void (*)(void*, void*))job[3 * i])((void*)job[3 * i + 1], (void*)job[3 * i + 2]);
        job += 3 * n;
    }
}

// Take job `index` of a round; true for the first thread that asks.
INLINE static int claim(Control* c, int index, int round) {
    int before = (int)((unsigned)round - 1u);
    return __atomic_compare_exchange_n(c->claims + index, &before, round, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

// The life of worker `index`: wait for work, do it unless the caller has, report.
INLINE static void work(unsigned long long control, int index) {
    Control* c = (Control*)control;
    int seen = 0;
    for (;;) {
        for (int i = 0; i < SPINS && __atomic_load_n(&c->round, __ATOMIC_ACQUIRE) == seen; ++i) pause();
        while (__atomic_load_n(&c->round, __ATOMIC_SEQ_CST) == seen) {
            __atomic_add_fetch(&c->sleeping, 1, __ATOMIC_SEQ_CST);
            if (__atomic_load_n(&c->round, __ATOMIC_SEQ_CST) == seen) sleep_on(c, &c->round, seen);
            __atomic_sub_fetch(&c->sleeping, 1, __ATOMIC_SEQ_CST);
        }
        seen = __atomic_load_n(&c->round, __ATOMIC_ACQUIRE);
        if (!claim(c, index, seen)) continue;
        run_job(((const long long**)c->jobs)[index], c->count);
        if (__atomic_sub_fetch(&c->pending, 1, __ATOMIC_SEQ_CST) == 0 && __atomic_load_n(&c->waiting, __ATOMIC_SEQ_CST))
            wake_up(c, &c->pending, 1);
    }
}

// One call: begin a round of `nworker` workers, do the first job oneself, and those of workers that are not awake by
// then, wait for the others.
INLINE static void run_round(unsigned long long control, int nworker) {
    Control* c = (Control*)control;
    const int round = (int)((unsigned)c->round + 1u);
    if (nworker > 0) {
        __atomic_store_n(&c->pending, nworker, __ATOMIC_SEQ_CST);
        __atomic_add_fetch(&c->round, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&c->sleeping, __ATOMIC_SEQ_CST) > 0) wake_up(c, &c->round, nworker);
    }
    run_job(((const long long**)c->jobs)[0], c->count);
    for (int i = 1; i <= nworker; ++i) {
        if (!claim(c, i, round)) continue;
        run_job(((const long long**)c->jobs)[i], c->count);
        __atomic_sub_fetch(&c->pending, 1, __ATOMIC_SEQ_CST);
    }
    for (int i = 0; i < SPINS && nworker > 0 && __atomic_load_n(&c->pending, __ATOMIC_ACQUIRE) > 0; ++i) pause();
    if (nworker > 0 && __atomic_load_n(&c->pending, __ATOMIC_SEQ_CST) > 0) {
        __atomic_store_n(&c->waiting, 1, __ATOMIC_SEQ_CST);
        for (int left; (left = __atomic_load_n(&c->pending, __ATOMIC_SEQ_CST)) > 0;) sleep_on(c, &c->pending, left);
        __atomic_store_n(&c->waiting, 0, __ATOMIC_SEQ_CST);
    }
}

"""Frame rate under a budget of CPU time: frames become fewer where they would slow the simulation."""

import os
import time as clock

LOOK = 0.01  # how often the state of the main thread is read [s]
BUSY = 0.3  # a loop that runs or waits for a core this part of the time does not pace itself
STATISTICS = "/proc/thread-self/schedstat"


class Budget:
    """Decides when the next frame is due.

    There are at most ``fps`` frames a second, and they take at most ``share`` of the CPU time that the process gets;
    where the program paces itself, and so is idle most of the time, of the time of all cores.

    ``with budget:`` around the making of a frame measures it; ``cost`` [s] is the CPU time of a frame, that of the
    server's threads, which pack and send it, included, and ``total`` [s] that of all frames. What a single frame takes
    longer than the one before, such as the compilation of a kernel, delays no other.
    """

    def __init__(self, fps: float, share: float, threads=()):
        self.fps, self.share = float(fps), float(share)
        self.threads = list(threads)
        self.cost, self.total, self.last = 0.0, 0.0, 0.0
        self.cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.spent: float | None = None
        self.next = self.next_cpu = self.next_idle = self.next_look = 0.0
        self.since = (clock.perf_counter(), active_time())

    def due(self) -> bool:
        """Whether a frame may be made now."""
        now = clock.perf_counter()
        if now < self.next:
            return False
        if clock.process_time() >= self.next_cpu:
            return True
        if now < self.next_idle or now < self.next_look:
            return False
        self.next_look = now + LOOK
        return active_time() - self.since[1] < BUSY * (now - self.since[0])

    def __enter__(self):
        self.began = clock.thread_time()
        return self

    def __exit__(self, *problem) -> None:
        own, others = clock.thread_time() - self.began, self._others()
        cost = own + (max(others - self.spent, 0.0) if self.spent is not None else 0.0)
        self.spent, self.total = others, self.total + cost
        usual, self.last = min(cost, self.last), cost
        self.cost = usual if not self.cost else 0.8 * self.cost + 0.2 * usual
        now = clock.perf_counter()
        self.next, self.next_cpu = now + 1.0 / self.fps, clock.process_time() + self.cost / self.share
        self.next_idle, self.since = now + self.cost / (self.share * self.cores), (now, active_time())

    def _others(self) -> float:
        """CPU time [s] of the server's threads since they began; 0 where the system does not say."""
        if not hasattr(clock, "pthread_getcpuclockid"):
            return 0.0
        alive = [thread.ident for thread in self.threads if thread.is_alive() and thread.ident]
        return sum(clock.clock_gettime(clock.pthread_getcpuclockid(ident)) for ident in alive)


def active_time() -> float:
    """Time [s] that this thread has run or waited for a core; where the system does not say, that it has run."""
    try:
        with open(STATISTICS) as file:
            ran, waited = file.read().split()[:2]
        return 1e-9 * (int(ran) + int(waited))
    except (OSError, ValueError):
        return clock.thread_time()

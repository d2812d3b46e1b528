"""Python pool: recorded launches run by several threads, which Python starts.

A process that is forked has none of these threads: its pools begin anew.
"""

import os
import weakref
from concurrent.futures import ThreadPoolExecutor


class PythonPool:
    """Runs jobs on ``nthread`` threads, the caller's among them."""

    def __init__(self, nthread: int):
        self.nthread = nthread
        self.forget()
        _pools.add(self)

    def forget(self) -> None:
        """Begin anew, without the threads there were."""
        self.pool = ThreadPoolExecutor(self.nthread - 1) if self.nthread > 1 else None

    def prepare(self, jobs: list) -> list:
        """Jobs as ``run`` takes them, one for each thread: lists of waves, which are lists of launches."""
        return jobs

    def run(self, jobs: list, count: int) -> None:
        """Run the launches of every wave ``count`` times; returns when all threads are done."""
        # the caller works too: one thread less to wake
        others = [self.pool.submit(launch_all, job, count) for job in jobs[1:]] if self.pool else []
        launch_all(jobs[0], count)
        # an error in a thread is raised here
        for job in others:
            job.result()


def launch_all(waves: list, count: int) -> None:
    """Run the launches of every wave ``count`` times, in turn."""
    for launches in waves:
        for _ in range(count):
            for launch in launches:
                launch.launch()


_pools: weakref.WeakSet = weakref.WeakSet()


def _after_fork() -> None:
    """In a child process: its pools begin anew."""
    for pool in list(_pools):
        pool.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

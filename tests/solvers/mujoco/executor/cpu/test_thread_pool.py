"""Threads of a step: every job runs as often as asked for, again after idleness, from several threads of the caller, and
after a fork.
"""

import os
import threading
import time

import numpy as np
import pytest
import warp as wp

from newtonlite.solvers.mujoco.executor.cpu import thread_pool as thread_pool_module
from newtonlite.solvers.mujoco.executor.cpu.thread_pool import NativePool, thread_pool
from newtonlite.solvers.mujoco.executor.fused_kernel import unique_kernel
from newtonlite.solvers.mujoco.executor.python_pool import PythonPool


def add(counts: wp.array[int], i: int):
    counts[i] = counts[i] + 1


@pytest.fixture(scope="module")
def kernel():
    return unique_kernel(add, 1, 0)


def jobs_of(kernel, counts: wp.array, nthread: int) -> list:
    """For every thread two waves of one launch, each of which counts by itself."""

    def launch(i):
        return wp.launch(kernel, dim=1, inputs=[counts, i], block_dim=1, device="cpu", record_cmd=True)

    return [[[launch(2 * t)], [launch(2 * t + 1)]] for t in range(nthread)]


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("nthread", [1, 2, 5])
def test_every_job_runs_as_often_as_asked_for(native, nthread, kernel):
    counts = wp.zeros(2 * nthread, dtype=int, device="cpu")
    pool = thread_pool(nthread) if native else PythonPool(nthread)
    jobs = pool.prepare(jobs_of(kernel, counts, nthread))
    done = 0
    for count in [1, 0, 3] * 200:
        pool.run(jobs, count)
        done += count
        np.testing.assert_array_equal(counts.numpy(), done)
    time.sleep(0.01)  # workers are asleep
    pool.run(jobs, 1)
    np.testing.assert_array_equal(counts.numpy(), done + 1)


def test_pools_of_a_size_share_their_threads():
    assert thread_pool(3) is thread_pool(3)
    assert isinstance(thread_pool(3), NativePool) and PythonPool(3) is not PythonPool(3)


def test_callers_of_one_pool_wait_for_each_other(kernel):
    pool = thread_pool(3)
    counts = [wp.zeros(6, dtype=int, device="cpu") for _ in range(4)]

    def run(own):
        jobs = pool.prepare(jobs_of(kernel, own, 3))
        for _ in range(300):
            pool.run(jobs, 1)

    callers = [threading.Thread(target=run, args=(own,)) for own in counts]
    for c in callers:
        c.start()
    for c in callers:
        c.join(60)
    for own in counts:
        np.testing.assert_array_equal(own.numpy(), 300)


def status_of_child(work) -> int:
    """Exit status of a forked process that does ``work``, which says whether all is right; fails where it hangs."""
    child = os.fork()
    if not child:
        try:
            right = work()
        except BaseException:
            right = False
        os._exit(int(not right))
    end = time.monotonic() + 30
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return status
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("nthread", [1, 2, 4])
def test_a_forked_process_starts_threads_of_its_own(native, nthread, kernel):
    pool = thread_pool(nthread) if native else PythonPool(nthread)
    counts = wp.zeros(2 * nthread, dtype=int, device="cpu")
    jobs = pool.prepare(jobs_of(kernel, counts, nthread))
    pool.run(jobs, 1)

    def grandchild():
        pool.run(jobs, 1)
        return np.all(counts.numpy() == 4)

    def child():
        pool.run(jobs, 2)
        return np.all(counts.numpy() == 3) and status_of_child(grandchild) == 0 and np.all(counts.numpy() == 3)

    assert status_of_child(child) == 0
    np.testing.assert_array_equal(counts.numpy(), 1)
    pool.run(jobs, 1)
    np.testing.assert_array_equal(counts.numpy(), 2)


@pytest.mark.parametrize("native", [True, False])
def test_a_fork_while_another_thread_is_at_work_does_not_hang(native, kernel):
    pool = thread_pool(2) if native else PythonPool(2)
    counts, others = (wp.zeros(4, dtype=int, device="cpu") for _ in range(2))
    jobs, busy = pool.prepare(jobs_of(kernel, counts, 2)), pool.prepare(jobs_of(kernel, others, 2))
    stop = threading.Event()

    def work():
        while not stop.is_set():
            pool.run(busy, 500)

    thread = threading.Thread(target=work)
    thread.start()

    def child():
        pool.run(jobs, 3)
        return np.all(counts.numpy() == 3)

    try:
        for _ in range(6):
            time.sleep(0.003)
            assert status_of_child(child) == 0
    finally:
        stop.set()
        thread.join()


def test_a_fork_waits_for_code_that_another_thread_generates():
    """What holds the lock of Warp's code generation would be missing in the child, which could compile nothing."""
    held, go = threading.Event(), threading.Event()

    def generate():
        with thread_pool_module._generating:
            held.set()
            go.wait(10)

    thread = threading.Thread(target=generate)
    thread.start()
    held.wait(10)
    threading.Timer(0.05, go.set).start()

    def child():
        counts = wp.zeros(2, dtype=int, device="cpu")
        wp.launch(unique_kernel(add, 1, 0), dim=1, inputs=[counts, 1], device="cpu")
        return counts.numpy().tolist() == [0, 1]

    assert status_of_child(child) == 0
    thread.join()

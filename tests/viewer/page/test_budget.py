"""Frames take their share of the CPU time, and one that takes long once delays no other."""

import time

from newtonlite.viewer.page.budget import Budget

SHARE = 0.05


def frame(budget: Budget, seconds: float) -> None:
    """A frame that takes so much CPU time."""
    with budget:
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            pass


def delay(budget: Budget) -> float:
    """CPU time [s] until the next frame is due."""
    return budget.next_cpu - time.process_time()


def test_frames_wait_until_their_share_allows_another():
    budget = Budget(fps=1000.0, share=SHARE)
    for _ in range(6):
        frame(budget, 0.004)
    assert 0.004 <= budget.cost < 0.02 and delay(budget) > 0.5 * 0.004 / SHARE
    assert not budget.due()


def test_a_frame_that_takes_long_once_delays_no_other():
    budget = Budget(fps=1000.0, share=SHARE)
    frame(budget, 0.3)
    assert delay(budget) <= 0.0
    frame(budget, 0.001)
    frame(budget, 0.3)
    frame(budget, 0.001)
    assert budget.cost < 0.02 and delay(budget) < 0.02 / SHARE

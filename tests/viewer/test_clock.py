"""Clock: pause, single steps, speed."""

import time

import pytest

from newtonlite.viewer.clock import Clock


def steps_in(clock: Clock, seconds: float, dt: float) -> int:
    """Steps that a loop takes that obeys the clock."""
    steps, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        if clock.due(steps * dt):
            steps += 1
        else:
            time.sleep(0.0005)
    return steps


@pytest.mark.parametrize("speed", [0.5, 4.0])
def test_simulated_time_passes_at_the_speed(speed):
    # a machine with other work may hold the loop up, which makes it slower, never faster
    taken = steps_in(Clock(speed=speed), 0.5, 0.005) * 0.005
    assert 0.2 * speed <= taken <= 0.5 * speed + 0.02


def test_paused_takes_the_steps_that_are_asked_for():
    clock = Clock(paused=True)
    assert steps_in(clock, 0.02, 0.01) == 0
    clock.advance(3)
    assert steps_in(clock, 0.02, 0.01) == 3
    clock.pause(False)
    assert clock.due(0.0)


def test_as_fast_as_possible_is_always_due():
    clock = Clock(speed=None)
    assert all(clock.due(float(k)) for k in range(100))


@pytest.mark.parametrize("speed", [0.0, -1.0])
def test_a_speed_is_positive(speed):
    with pytest.raises(ValueError, match="positive"):
        Clock().speed = speed

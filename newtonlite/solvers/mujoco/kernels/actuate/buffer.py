"""History buffers of timestamped samples, in MuJoCo's layout: user's number, cursor, times, values.

Times are compared up to a thousandth of the time step and a few roundings of the time, so that samples are found in
float32 too.
"""

import warp as wp


@wp.func
def nth(cursor: int, count: int, age: int) -> int:
    """Place of a sample by age: 0 the oldest."""
    return (cursor + 1 + age) % count


@wp.func
def slack(t: float, dt: float) -> float:
    """Largest difference [s] of two times that count as the same."""
    return 1.0e-3 * dt + 4.0e-7 * wp.abs(t)


@wp.func
def buffer_after(history: wp.array2d[float], world: int, adr: int, count: int, t: float, same: float) -> int:
    """Age of the first sample that is not older than ``t``; ``count`` where all are."""
    cursor = int(history[world, adr + 1])
    found = int(count)
    for back in range(count):
        age = count - 1 - back
        if history[world, adr + 2 + nth(cursor, count, age)] >= t - same:
            found = age
    return found


@wp.func
def buffer_place(history: wp.array2d[float], world: int, adr: int, count: int, t: float, dt: float) -> wp.vec3:
    """Place of ``t`` in a buffer: (age of the sample at or after it, share of the way from the one before, seconds
    between the two).

    Before the oldest and after the newest sample, and at a sample's own time, the share is 1.
    """
    same = slack(t, dt)
    cursor = int(history[world, adr + 1])
    after = buffer_after(history, world, adr, count, t, same)
    if after == count:
        return wp.vec3(float(count - 1), 1.0, 0.0)
    upper = history[world, adr + 2 + nth(cursor, count, after)]
    if after == 0 or upper <= t + same:
        return wp.vec3(float(after), 1.0, 0.0)
    lower = history[world, adr + 2 + nth(cursor, count, after - 1)]
    return wp.vec3(float(after), (t - lower) / (upper - lower), upper - lower)


@wp.func
def buffer_value(
    history: wp.array2d[float], world: int, adr: int, shape: wp.vec2i, width: int, k: int, place: wp.vec3
) -> float:
    """Number ``k`` of ``width`` at a place in a buffer, interpolated as ``shape = (samples, order)`` says: hold, line,
    or cubic.
    """
    count = shape[0]
    order = shape[1]
    cursor = int(history[world, adr + 1])
    age = int(place[0])
    x = place[1]
    times = adr + 2
    values = times + count
    upper = history[world, values + nth(cursor, count, age) * width + k]
    if x == 1.0:
        return upper
    lower = history[world, values + nth(cursor, count, age - 1) * width + k]
    if order == 0:
        return lower
    if order == 1:
        return lower + x * (upper - lower)
    slope_low = float(0.0)
    slope_high = float(0.0)
    if age > 1:
        p = nth(cursor, count, age - 2)
        span = history[world, times + nth(cursor, count, age)] - history[world, times + p]
        slope_low = (upper - history[world, values + p * width + k]) / span
    if age < count - 1:
        p = nth(cursor, count, age + 1)
        span = history[world, times + p] - history[world, times + nth(cursor, count, age - 1)]
        slope_high = (history[world, values + p * width + k] - lower) / span
    y = 1.0 - x
    bent = x * y * (y * slope_low - x * slope_high) * place[2]
    return (1.0 + 2.0 * x) * y * y * lower + x * x * (3.0 - 2.0 * x) * upper + bent


@wp.func
def buffer_insert(history: wp.array2d[float], world: int, adr: int, count: int, width: int, t: float, dt: float) -> int:
    """Make room for a sample at ``t`` and return where its values go: in place of one of the same time, else of the
    oldest.
    """
    same = slack(t, dt)
    cursor = int(history[world, adr + 1])
    after = buffer_after(history, world, adr, count, t, same)
    values = adr + 2 + count
    place = nth(cursor, count, after % count)
    if after == count:
        history[world, adr + 1] = float(place)
    elif after > 0 and history[world, adr + 2 + place] > t + same:
        for age in range(after - 1):
            old = nth(cursor, count, age + 1)
            new = nth(cursor, count, age)
            history[world, adr + 2 + new] = history[world, adr + 2 + old]
            for k in range(width):
                history[world, values + new * width + k] = history[world, values + old * width + k]
        place = nth(cursor, count, after - 1)
    history[world, adr + 2 + place] = t
    return values + place * width

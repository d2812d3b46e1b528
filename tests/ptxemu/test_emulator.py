"""Opcodes against Warp on the CPU, and faults that must be found."""

import numpy as np
import warp as wp

import ptxemu

N = 333


@wp.kernel(enable_backward=False, module="unique")
def floats(x: wp.array[float], y: wp.array[float], out: wp.array2d[float]):
    i = wp.tid()
    a, b = x[i], y[i]
    out[i, 0] = a + b * a - b
    out[i, 1] = a / (b + 3.0e-3)
    out[i, 2] = wp.sqrt(wp.abs(a)) + wp.floor(b) - wp.ceil(a) + wp.round(b) + wp.trunc(a)
    out[i, 3] = wp.min(a, b) - wp.max(a, 0.25) + wp.clamp(b, -0.5, 0.5) + wp.sign(a)
    out[i, 4] = wp.sin(a) * wp.cos(b) + wp.tan(0.3 * a)
    out[i, 5] = wp.exp(0.1 * a) + wp.log(1.0 + wp.abs(b)) + wp.pow(wp.abs(a) + 0.1, 0.7)
    out[i, 6] = wp.atan2(a, b) + wp.asin(a / 2000.0) + wp.acos(b / 2000.0) + wp.tanh(a)
    out[i, 7] = wp.mod(a, 0.37) + wp.float32(wp.int32(a * 10.0)) + wp.float32(wp.uint32(wp.abs(b)))
    q = wp.normalize(wp.quat(a, b, 1.0, 0.5))
    out[i, 8] = wp.quat_rotate(q, wp.vec3(a, b, 1.0))[1]
    out[i, 9] = wp.determinant(wp.mat33(a, b, 1.0, 2.0, a, b, 0.5, 1.0, a))
    out[i, 10] = wp.float32(wp.float16(a)) + wp.cbrt(b)
    out[i, 11] = wp.where(a > b, a, b) if a * b > 0.0 else wp.float32(i)


@wp.kernel(enable_backward=False, module="unique")
def doubles(x: wp.array[float], y: wp.array[float], out: wp.array2d[wp.float64]):
    i = wp.tid()
    a, b = wp.float64(x[i]), wp.float64(y[i])
    out[i, 0] = a * b + a / (b + wp.float64(0.01))
    out[i, 1] = wp.sqrt(wp.abs(a)) + wp.sin(a) + wp.exp(b * wp.float64(0.01))
    out[i, 2] = wp.floor(a) + wp.max(a, b) + wp.float64(wp.int64(b * wp.float64(1.0e6)))


@wp.kernel(enable_backward=False, module="unique")
def integers(x: wp.array[float], y: wp.array[float], out: wp.array2d[wp.int64]):
    i = wp.tid()
    a, b = wp.int32(x[i] * 1.0e6), wp.int32(y[i] * 1.0e3)
    u, v = wp.uint32(a), wp.uint32(b)
    p, q = wp.int64(a) * wp.int64(7919), wp.int64(b) + wp.int64(1)
    out[i, 0] = wp.int64(a * b + a - b)
    out[i, 1] = wp.int64(a / wp.max(wp.abs(b), 1)) + wp.int64(a % wp.max(wp.abs(b), 1))
    out[i, 2] = wp.int64((a << 3) ^ (b >> 2) | (a & 255))
    out[i, 3] = wp.int64(u / (v | wp.uint32(1))) + wp.int64(u % (v | wp.uint32(1))) + wp.int64(u >> wp.uint32(5))
    out[i, 4] = p / (q | wp.int64(1)) + p % (q | wp.int64(1)) + (p >> wp.int64(7))
    out[i, 5] = wp.int64(wp.int16(a)) + wp.int64(wp.uint8(b)) + wp.int64(wp.int8(a)) + wp.int64(wp.uint16(b))
    out[i, 7] = wp.int64(wp.randi(wp.rand_init(a, b))) + wp.int64(wp.uint64(p) >> wp.uint64(3))


@wp.kernel(enable_backward=False, module="unique")
def loops(x: wp.array[float], y: wp.array[float], out: wp.array2d[float]):
    i = wp.tid()
    s, c = float(0.0), int(i * 7 % 23)
    local = wp.zeros(shape=(8,), dtype=float)
    for k in range(i % 17):
        if k % 3 == 0:
            continue
        s += x[(i + k) % N] * y[k]
        local[k % 8] = s
        if s > 40.0:
            break
    while c != 1 and c > 0:
        if c % 2 == 0:
            c = c / 2
        else:
            c = 3 * c + 1
        s += 1.0
    out[i, 0] = s + local[i % 8]


@wp.kernel(enable_backward=False, module="unique")
def atomics(x: wp.array[float], y: wp.array[float], out: wp.array2d[wp.int32]):
    i = wp.tid()
    a = wp.int32(x[i])
    wp.atomic_add(out, 0, 0, a)
    wp.atomic_max(out, 1, 0, a)
    wp.atomic_min(out, 2, 0, a)
    wp.atomic_add(out, 3, i % 5, 1)


def run(kernel, device, columns, dtype, zero=False):
    """Results of a kernel on a device."""
    rng = np.random.default_rng(4)
    x, y = (rng.normal(size=N) * rng.choice([0.1, 1, 30], size=N) for _ in range(2))
    a = [wp.array(v.astype(np.float32), device=device) for v in (x, y)]
    out = wp.zeros((N, columns), dtype=dtype, device=device)
    wp.launch(kernel, dim=N, inputs=[*a, out], device=device)
    return out.numpy()


def check_same(kernel, columns, dtype, tolerance):
    with ptxemu.emulated(check=True):
        ours = run(kernel, "cuda:0", columns, dtype)
    theirs = run(kernel, "cpu", columns, dtype)
    if tolerance == 0:
        np.testing.assert_array_equal(ours, theirs)
    else:
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def test_floats():
    check_same(floats, 12, float, 2e-4)


def test_doubles():
    check_same(doubles, 3, wp.float64, 1e-9)


def test_integers():
    check_same(integers, 8, wp.int64, 0)


def test_divergent_loops():
    check_same(loops, 1, float, 1e-5)


def test_atomics():
    check_same(atomics, 5, wp.int32, 0)


SUM = """
    for (int o = 16; o > 0; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);
    return x + (float)__popc(__ballot_sync(0xffffffffu, x > 0.0f)) + (float)__reduce_add_sync(0xffffffffu, 1u);
"""
SHARED = """
    __shared__ float s[128];
    s[threadIdx.x] = x;
    WAIT
    return s[(threadIdx.x + SHIFT) % 128];
"""
DIVERGED = "if (lane % 2) { __syncwarp(); x += 1.0f; __syncwarp(); } else { __syncwarp(); } return x;"
LOPSIDED = "if (lane < 16) x = __shfl_xor_sync(0xffffu, x, 16); return x;"
PAST = "p.data[lane + 1] = x; return x;"


@wp.func_native(SUM)
def warp_sum(x: float) -> float: ...


@wp.func_native(SHARED.replace("WAIT", "__syncthreads();").replace("SHIFT", "37"))
def rotate(x: float) -> float: ...


@wp.func_native(SHARED.replace("WAIT", "").replace("SHIFT", "1"))
def rotate_at_once(x: float) -> float: ...


@wp.func_native("__shared__ float s[64]; if (lane < 8) s[lane] = x; __syncwarp(); return s[lane];")
def unwritten(x: float, lane: int) -> float: ...


@wp.func_native(DIVERGED)
def diverged(x: float, lane: int) -> float: ...


@wp.func_native(LOPSIDED)
def lopsided(x: float, lane: int) -> float: ...


@wp.func_native(PAST)
def past_the_end(p: wp.array[float], x: float, lane: int) -> float: ...


@wp.kernel(enable_backward=False, module="unique")
def sums(out: wp.array[float]):
    i = wp.tid()
    out[i] = warp_sum(float(i % 32))


@wp.kernel(enable_backward=False, module="unique")
def rotates(out: wp.array[float]):
    i = wp.tid()
    out[i] = rotate(float(i))


@wp.kernel(enable_backward=False, module="unique")
def races(out: wp.array[float]):
    i = wp.tid()
    out[i] = rotate_at_once(float(i))


@wp.kernel(enable_backward=False, module="unique")
def reads_unwritten(out: wp.array[float]):
    i = wp.tid()
    out[i] = unwritten(float(i), i)


@wp.kernel(enable_backward=False, module="unique")
def waits_apart(out: wp.array[float]):
    i = wp.tid()
    out[i] = diverged(float(i), i)


@wp.kernel(enable_backward=False, module="unique")
def reads_sleeping(out: wp.array[float]):
    i = wp.tid()
    out[i] = lopsided(float(i), i)


@wp.kernel(enable_backward=False, module="unique")
def writes_past(out: wp.array[float]):
    i = wp.tid()
    past_the_end(out, 1.0, i)


def launch(kernel, n, block, **settings):
    """(result, faults) of a kernel by blocks."""
    with ptxemu.emulated(on_fault="keep", **settings) as e:
        e.faults.clear()
        out = wp.zeros(n, dtype=float, device="cuda:0")
        wp.launch(kernel, dim=n, inputs=[out], block_dim=block, device="cuda:0")
        return out.numpy(), [f["text"] for f in e.faults]


def test_shuffles_votes():
    out, faults = launch(sums, 64, 32)
    assert (out == 496 + 32 + 32).all() and not faults


def test_barrier_of_four_warps():
    out, faults = launch(rotates, 128, 128, races=True)
    assert (out == (np.arange(128) + 37) % 128).all() and not faults


def test_race_is_found():
    assert any("race" in f for f in launch(races, 128, 128, races=True)[1])


def test_shared_memory_is_poisoned():
    out, _ = launch(reads_unwritten, 32, 32)
    assert np.isfinite(out[:8]).all() and np.isnan(out[8:]).all()


def test_divergent_wait_is_found():
    assert any("divergent wait" in f for f in launch(waits_apart, 32, 32)[1])


def test_shuffle_from_a_sleeping_lane_is_found():
    assert any("does not take part" in f for f in launch(reads_sleeping, 32, 32)[1])


def test_write_past_the_end_is_found():
    assert any("out of bounds" in f for f in launch(writes_past, 32, 32, check=True)[1])

"""Control signals made on the device: zero, uniform noise held for a few steps, or an Ornstein-Uhlenbeck process."""

import numpy as np
import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)

KINDS = ("zero", "random", "ou")
HOLD = 5
CORRELATION = 0.1


@wp.kernel
def draw_random(
    seed: int, first: int, amount: float, middle: wp.array[float], half: wp.array[float], ctrl: wp.array2d[float]
):
    """Uniform over the share ``amount`` of each control's range."""
    world, u = wp.tid()
    state = wp.rand_init(seed, (first + world) * ctrl.shape[1] + u)
    ctrl[world, u] = middle[u] + amount * half[u] * wp.randf(state, -1.0, 1.0)


@wp.kernel
def draw_ou(
    seed: int,
    first: int,
    amount: float,
    keep: float,
    middle: wp.array[float],
    half: wp.array[float],
    ctrl: wp.array2d[float],
):
    """x' = keep (x - middle) + middle + sqrt(1 - keep²) amount half z, with z normal: deviation ``amount half`` in the
    long run.
    """
    world, u = wp.tid()
    state = wp.rand_init(seed, (first + world) * ctrl.shape[1] + u)
    push = wp.sqrt(1.0 - keep * keep) * amount * half[u] * wp.randn(state)
    ctrl[world, u] = middle[u] + keep * (ctrl[world, u] - middle[u]) + push


class Drive:
    """Writes the controls of all worlds, step after step; the same seed gives the same signals on every device.

    ``first`` is the number of the first world: worlds of a part have the signals that they have among all. ``count`` is
    the number of steps that were written.
    """

    def __init__(
        self, kind: str, low, high, timestep: float, amount: float = 1.0, seed: int = 0, device=None, first: int = 0
    ):
        """``low``, ``high`` [nu]: ranges; ``timestep`` [s]; ``amount``: the share of half a range to use or deviate by."""
        if kind not in KINDS:
            raise ValueError(f"control: expected one of {', '.join(KINDS)}, got {kind!r}")
        low, high = np.asarray(low, np.float32), np.asarray(high, np.float32)
        self.kind, self.amount, self.seed, self.count, self.first = kind, amount, seed, 0, first
        self.keep = float(np.exp(-timestep / CORRELATION))
        self.middle = wp.array((low + high) / 2, dtype=float, device=device)
        self.half = wp.array((high - low) / 2, dtype=float, device=device)

    def write(self, ctrl: wp.array) -> None:
        """Write the controls of the next step to ``ctrl`` [nworld, nu], which holds those of the step before."""
        step, self.count = self.count, self.count + 1
        shared = [self.middle, self.half, ctrl]
        if self.kind == "random" and step % HOLD == 0:
            wp.launch(
                draw_random,
                dim=ctrl.shape,
                inputs=[self._seed(step // HOLD), self.first, self.amount, *shared],
                device=ctrl.device,
            )
        if self.kind == "ou":
            wp.launch(
                draw_ou,
                dim=ctrl.shape,
                inputs=[self._seed(step), self.first, self.amount, self.keep, *shared],
                device=ctrl.device,
            )

    def _seed(self, draw: int) -> int:
        return (self.seed * 1_000_003 + draw * 7919 + 1) % 2**31


def ranges(mj) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of each control of a compiled model: its range, or -1..1 where it has none."""
    limited = np.asarray(mj.actuator_ctrllimited, bool).reshape(-1)
    both = np.where(limited[:, None], np.asarray(mj.actuator_ctrlrange, float).reshape(-1, 2), [-1.0, 1.0])
    return both[:, 0], both[:, 1]

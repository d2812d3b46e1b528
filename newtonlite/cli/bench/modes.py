"""Benchmark modes."""

from typing import NamedTuple


class Mode(NamedTuple):
    """One way to fill and drive the worlds."""

    about: str
    mixed: bool  # states along rollouts, or one start for all
    control: str
    amount: float
    hold: bool  # one control for the whole workload
    spread: bool  # masses and frictions differ, worlds are reset


MODES = {
    "mjw": Mode("identical start, Ornstein-Uhlenbeck control of 0.01", False, "ou", 0.01, False, False),
    "mixed": Mode(
        "states met along random-control rollouts, one random control held", True, "random", 1.0, True, False
    ),
    "spread": Mode(
        "mixed states, control 0.3, masses and frictions differ, 1 % of worlds reset each step",
        True,
        "ou",
        0.3,
        False,
        True,
    ),
}

"""How far MuJoCo's own steps move when everything on their way is moved by roundings of float32: the rule of
docs/parity.md, for steps.
"""

from functools import partial

import numpy as np

from conformance.parity import ROUNDINGS
from tests import oracle
from tests.harness import shaken
from tests.harness.beside import to_scene
from tests.oracle import States
from tests.tolerance import relative_error, tolerance

MOST = ROUNDINGS / 0.9
"""What is found, in units of what MuJoCo moves for a rounding, at most; a contact that is there or not moves nearly the
same, not just the same.
"""
TRIALS = (0, 4, 16, 64, 256)
"""Seeds tried: the first four, and on for steps that they do not explain."""


def errors(m, got: tuple, want: States) -> np.ndarray:
    """Errors of joint_q and joint_qd, [n, 2], relative to a world's vector or to 1, whichever is larger."""
    return np.stack([relative_error(a, b, 1.0) for a, b in zip(got, to_scene(m, want), strict=True)], axis=1)


def own_moves(mj, m, now: States, after: States, seeds) -> np.ndarray:
    """How far MuJoCo's steps from ``now`` end from ``after``, [n, 2], for one rounding: moved by one, or a tenth of
    that for ten.
    """
    worst = np.zeros((len(now), 2))
    for seed in seeds:
        for size in (1.0, ROUNDINGS):
            by = partial(shaken.step, seed=seed, roundings=size)
            end = oracle.step(shaken.shaken_model(mj, seed, size), shaken.shaken_states(now, seed, size), by)
            there = to_scene(m, States(end.qpos, end.qvel, now.qacc_warmstart, now.ctrl))
            worst = np.maximum(worst, errors(m, there, after) / size)
    return worst


def explained(mj, m, now: States, after: States, error) -> tuple[np.ndarray, np.ndarray]:
    """Steps whose ``error`` [n, 2] MuJoCo shows too, [n]: it moves a tenth as far for one rounding, or nine tenths as
    far for ten; and its moves, [n, 2].
    """
    own = np.zeros((len(now), 2))
    is_explained = lambda: ((error <= tolerance("lockstep")) | (error <= MOST * own)).all(axis=1)
    for first, last in zip(TRIALS[:-1], TRIALS[1:], strict=True):
        left = np.flatnonzero(~is_explained())
        if len(left):
            own[left] = np.maximum(own[left], own_moves(mj, m, now[left], after[left], range(first, last)))
    return is_explained(), own

"""Workload of a race: one start, one control sequence, one list of resets, the same for everyone."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import warp as wp

from newtonlite.cli.bench.modes import MODES
from newtonlite.envs.control_signal import Drive, ranges
from newtonlite.solvers.mujoco.batch import Batch
from newtonlite.solvers.mujoco.model import put_model

DISTINCT = 2048
HORIZON = 240
EVERY = 3
RESET_SHARE = 0.01
SPREAD = 0.2


@dataclass
class Workload:
    """Arrays are float32; ``warmstart`` is qacc of the step before."""

    file: Path
    mj: object
    mode: str
    nworld: int
    nstep: int
    seed: int
    qpos: np.ndarray  # [nworld, nq]
    qvel: np.ndarray  # [nworld, nv]
    warmstart: np.ndarray  # [nworld, nv]
    control: np.ndarray  # [nstep, nworld, nu]
    nconmax: int | None = None
    njmax: int | None = None
    resets: list = field(default_factory=list)  # worlds [k] put back to their start after each step; empty: never
    mass: np.ndarray | None = None  # [nworld, nbody] factor of masses and inertias
    friction: np.ndarray | None = None  # [nworld] factor of sliding friction


def make_workload(
    file,
    mj,
    mode: str,
    nworld: int,
    nstep: int,
    seed: int = 0,
    nconmax=None,
    njmax=None,
    device=None,
    distinct=DISTINCT,
) -> Workload:
    """The work of a mode on a compiled model; the seed decides everything random in it. Mixed states are at most
    ``distinct`` ones, over and over.
    """
    if mode not in MODES:
        raise ValueError(f"mode: expected one of {', '.join(MODES)}, got {mode!r}")
    start = mixed_start(mj, nworld, seed, device, distinct) if MODES[mode].mixed else same_start(mj, nworld)
    work = Workload(
        Path(file),
        mj,
        mode,
        nworld,
        nstep,
        seed,
        *start,
        controls(mj, mode, nworld, nstep, seed, device),
        nconmax,
        njmax,
    )
    if MODES[mode].spread:
        rng = np.random.default_rng(seed)
        count = max(1, round(RESET_SHARE * nworld))
        work.resets = [rng.choice(nworld, count, replace=False).astype(np.int32) for _ in range(nstep)]
        work.mass = rng.uniform(1 - SPREAD, 1 + SPREAD, (nworld, mj.nbody)).astype(np.float32)
        work.friction = rng.uniform(1 - SPREAD, 1 + SPREAD, nworld).astype(np.float32)
    return work


def same_start(mj, nworld: int):
    """The first keyframe, or qpos0, at rest, in every world."""
    pose = np.asarray(mj.key_qpos[0] if mj.nkey else mj.qpos0, np.float32)
    still = np.zeros((nworld, mj.nv), np.float32)
    return np.tile(pose, (nworld, 1)), still, still.copy()


def mixed_start(mj, nworld: int, seed: int, device=None, distinct: int = DISTINCT):
    """States met along rollouts of ``HORIZON`` steps of random control, from every keyframe; world k is taken at its
    own time, a random one of the whole rollout however few worlds there are.
    """
    n = min(nworld, distinct)
    m = put_model(mj, n, device=device)
    batch = Batch(m, n)
    d = batch.data
    rng = np.random.default_rng(seed)
    keys = np.asarray(mj.key_qpos if mj.nkey else [mj.qpos0], np.float32)
    d.qpos.assign(keys[np.arange(n) % len(keys)])
    d.qvel.assign(wide(0.2 * rng.standard_normal((n, mj.nv)), d.qvel))
    drive = Drive("random", *ranges(mj), mj.opt.timestep, seed=seed, device=device)
    moments = HORIZON // EVERY
    when = rng.permutation(max(n, moments))[:n] % moments
    taken = [np.zeros((n, size), np.float32) for size in (mj.nq, mj.nv, mj.nv)]
    for moment in range(moments):
        here = when == moment
        for target, source in zip(taken, (d.qpos, d.qvel, d.qacc_warmstart)):
            target[here] = source.numpy()[here, : target.shape[1]]
        for _ in range(EVERY):
            drive.write(d.ctrl)
            batch.run("step")
    return [np.resize(a, (nworld, a.shape[1])) for a in taken]


def controls(mj, mode: str, nworld: int, nstep: int, seed: int, device=None) -> np.ndarray:
    """[nstep, nworld, nu] controls of the mode."""
    chosen = MODES[mode]
    low, high = ranges(mj)
    drive = Drive(chosen.control, low, high, mj.opt.timestep, chosen.amount, seed + 1, device)
    ctrl = wp.array(np.tile((low + high) / 2, (nworld, 1)), dtype=float, device=device)
    sequence = np.zeros((nstep, nworld, len(low)), np.float32)
    for step in range(nstep):
        if step == 0 or not chosen.hold:
            drive.write(ctrl)
        sequence[step] = ctrl.numpy()
    return sequence


def wide(values, like: wp.array) -> np.ndarray:
    """``values`` [n, k] in rows as long as those of ``like``, zeros behind."""
    out = np.zeros(like.shape, np.float32)
    out[:, : values.shape[1]] = values
    return out

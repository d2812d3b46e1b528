"""Endurance: long rollouts at flat memory, and processes that are killed while they write. Writes docs/endurance.md.

    python -m conformance endurance [--steps 20000] [--kills 20]

The rollout is of 512 humanoids with random controls, of which a tenth are reset in every step: its resident memory is
read after a twentieth of the steps and at the end. A killed process is sent SIGKILL at a random instant of the time
that a whole run takes, which wrote a file before; what is there afterwards must be read back as a whole, the old file
or the new one.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from conformance.collection.places import ROOT
from conformance.sweep import Sweep, table

WORLDS = 512
GROWTH = 1.02
"""Resident memory at the end, beside that after a twentieth of the steps."""
RECORD = """
import sys, numpy as np, newtonlite as newton
from newtonlite import models
from newtonlite.viewer import Recorder, save_recording
from newtonlite.viewer.batches import appearance
b = newton.ModelBuilder(); newton.solvers.SolverMuJoCo.register_custom_attributes(b)
b.add_mjcf(str(models.path("humanoid"))); model = b.finalize(device="cpu")
look, state = appearance(model), model.state()
for length in range(50, 90):
    recorder = Recorder(look)
    for k in range(length):
        recorder.keep(state, k * 0.02)
    save_recording(recorder.recording(), sys.argv[1])
"""

COMPILE = """
import os, shutil, sys
from pathlib import Path
os.environ["WARP_CACHE_PATH"] = sys.argv[1] + "/warp"
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor.cpu import kernel_cache, kernel_chain
kernel_cache.user = Path(sys.argv[1]) / "kept"
shutil.rmtree(Path(sys.argv[1]) / "warp", ignore_errors=True)
for entry in kernel_cache.user.glob("*.json"):
    entry.unlink()
for name, stages in kernel_chain.parts(pipeline.STEP, 2):
    if name in ("sensor_noise_pos", "unwhiten", "bare_inertia"):  # small ones
        kernel_chain.compile_parts([(name, stages, ())])
"""


class Killed(NamedTuple):
    """A command that writes ``file`` in a folder, and how that is read back."""

    command: Callable[[Path], list[str]]
    file: str
    read: Callable[[Path], object]


def newtonlite(*words) -> list[str]:
    """A command line."""
    return [sys.executable, "-m", "newtonlite.cli.main", *map(str, words)]


def model_of(file: Path):
    """A compiled model."""
    from newtonlite.solvers.mujoco.compile.binary import load_model

    return load_model(file)


def scene_of(file: Path):
    """A model read from MJCF with its files."""
    from newtonlite.cli.convert import compile_source

    return compile_source(file)


def recording_of(file: Path):
    """A recording."""
    from newtonlite.viewer import load_recording

    return load_recording(file)


def policy_of(file: Path):
    """A trained policy."""
    from newtonlite.learn.runner import load_policy

    return load_policy(file.parent)


def kernels_of(folder: Path):
    """Kernels of a cache: every entry that is there points to code that is whole."""
    import warp as wp

    from newtonlite.solvers.mujoco.executor.cpu import kernel_cache

    wp.init()  # as a program has by then
    kernel_cache.user, entries = folder, sorted(folder.glob("*.json"))
    lost = [entry.stem for entry in entries if kernel_cache.find(entry.stem) is None]
    if lost:
        raise ValueError(f"{', '.join(lost)}: is there, and is not whole")


TRAIN = ("train", "cartpole", "--worlds", 4, "--iterations", 12, "--save-every", 1, "--out")
KILLS = {
    "a compiled model": Killed(
        lambda folder: newtonlite("convert", "humanoid", folder / "model.bin"), "model.bin", model_of
    ),
    "MJCF": Killed(lambda folder: newtonlite("convert", "humanoid", folder / "model.xml"), "model.xml", scene_of),
    "a recording": Killed(
        lambda folder: [sys.executable, "-c", RECORD, str(folder / "film.npz")], "film.npz", recording_of
    ),
    "compiled kernels": Killed(lambda folder: [sys.executable, "-c", COMPILE, str(folder)], "kept", kernels_of),
    "a checkpoint": Killed(lambda folder: newtonlite(*TRAIN, folder), "checkpoint.pt", policy_of),
}
"""What is written when a process is killed."""


def judge(name: str, steps: int, kills: int) -> dict:
    """A row of one case."""
    return rollout(steps) if name == "rollout" else killed(KILLS[name], kills)


def resident() -> float:
    """Resident memory of this process [MiB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def rollout(steps: int) -> dict:
    """Memory and counters of a long rollout with resets."""
    import warp as wp

    import newtonlite.mjwarp as mjw
    from newtonlite import models

    compile_source = mjw.load(models.path("humanoid"))
    m, d = mjw.put_model(compile_source), mjw.make_data(compile_source, nworld=WORLDS, scratch="shared")
    rng, resets, early = np.random.default_rng(0), 0, 0.0
    for step in range(steps):
        if step % 20 == 0:
            d.ctrl = rng.uniform(-1, 1, d.ctrl.shape).astype(np.float32)
        mask = rng.random(WORLDS) < 0.1
        resets += int(mask.sum())
        mjw.reset_data(m, d, wp.array(mask, dtype=bool, device=d.qpos.device))
        mjw.step(m, d)
        if step == steps // 20:
            early = resident()
    late, finite = resident(), bool(np.isfinite(d.qpos.numpy()).all())
    flat = late <= GROWTH * early
    return {
        "verdict": "flat" if flat and finite else "different",
        "steps": steps * WORLDS,
        "resets": resets,
        "early_mib": early,
        "late_mib": late,
        "bad": int(d.bad_count.numpy().sum()),
    }


def killed(case: Killed, kills: int) -> dict:
    """How often a process was killed while it wrote, and what was read back."""
    rng, halves, alive, notes = random.Random(0), 0, 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.perf_counter()
        subprocess.run(case.command(folder), check=True, capture_output=True)
        took = time.perf_counter() - began
        for _ in range(kills):
            process = subprocess.Popen(case.command(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(rng.uniform(0.3, 1.0) * took)  # the first third imports
            except subprocess.TimeoutExpired:
                alive += 1
                process.send_signal(signal.SIGKILL)
                process.wait()
            try:
                case.read(folder / case.file)
            except Exception as problem:  # whatever it is, the file is not whole
                halves += 1
                notes.append(f"{type(problem).__name__}: {' '.join(str(problem).split())[:100]}")
    verdict = "different" if halves else "whole"
    return {"verdict": verdict, "kills": alive, "halves": halves, "note": "; ".join(notes[:2])}


def page(rows: list[dict], steps: int, kills: int) -> str:
    """The page."""
    others = {row["model"]: row for row in rows}
    run = others.pop("rollout", {})
    lines = ["# Endurance", "", "Written by `python -m conformance endurance`.", ""]
    if "steps" in run:
        lines += [
            f"{run['steps']:,} steps of humanoids in {WORLDS} worlds, with random controls and {run['resets']:,} resets: {run['early_mib']:.0f} MiB resident after a twentieth,",
            f"{run['late_mib']:.0f} MiB at the end; {run['bad']} worlds were put back by the engine.",
            "",
        ]
    lines += ["Processes killed with SIGKILL at random instants, over a file that was there before:", ""]
    lines += table("written", "killed in time", "not read back as a whole")
    lines += [
        f"| {n} | {r.get('kills', '')} | {r.get('halves', r.get('note', ''))} |" for n, r in sorted(others.items())
    ]
    return "\n".join(lines) + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "endurance.md",
    lambda **_: {name: name for name in ("rollout", *KILLS)},
    judge,
    page,
    lambda row: str({k: v for k, v in row.items() if k in ("steps", "resets", "kills", "halves", "note")}),
    options={"steps": 20000, "kills": 20},
)

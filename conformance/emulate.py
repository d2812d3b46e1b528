"""Emulation of the GPU half: every kernel of every feature run lane by lane on the CPU, with bounds, barriers and races checked, and
its results beside the CPU's. Writes conformance/results/emulate.json and docs/conformance/emulate.md.

    python -m conformance emulate [--only equality] [--lanes 32,64,128] [--again] [--page]

By the emulator ``ptxemu``, which needs a C++ compiler and no GPU. Rows are kept as they are found: a run that begins anew goes on from
there, and a case is run again where the engine's sources changed or with ``--again``.
"""

import argparse
import functools
import gc
import hashlib
import json
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ptxemu.build import CXX

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "conformance" / "results" / "emulate.json"
PAGE = ROOT / "docs" / "conformance" / "emulate.md"
LANES, WORLDS, STATE_SEED, SHAKES = (32, 64, 128), 3, 11, 8
SHOWN = 10
"""Lines of the page's tables."""
EXACT = ("ncon", "nefc")
SMOOTH = ("qfrc_smooth", "qfrc_bias", "qfrc_actuator", "qfrc_passive", "efc_pos", "efc_vel", "efc_aref", "sensordata")
SOLVED = ("qacc", "qpos", "qvel")


def available() -> bool:
    """Whether the emulator can be built here."""
    return shutil.which(CXX) is not None


def emulator():
    """The emulator's module."""
    import ptxemu

    return ptxemu


# cases: name -> function(device, nlane) -> arrays by name; MuJoCo's models and states, worlds that all differ


def stepped(name: str, **change) -> Callable:
    """One step of three states of a small model."""

    def run(device: str, nlane: int | None, order: slice = slice(None)) -> dict:
        from tests import oracle
        from tests.harness.engine import Engine

        mj = oracle.named_model(name)
        found = oracle.rollout_states(mj, WORLDS, seed=STATE_SEED)
        states = type(found)(**{field: values[order] for field, values in vars(found).items()})
        mode = "staged" if device == "cpu" else "auto"
        engine = Engine(mj, states, device, mode=mode, nlane=nlane, scratch="per_world", **change).step()
        rows = int(engine.read("nefc").min())
        read = {field: engine.read(field) for field in (*EXACT, *SMOOTH, *SOLVED) if field in engine.d.arrays}
        return {k: v[:, :rows] if k.startswith("efc_") else v for k, v in read.items()}

    run.model = None if change else name
    return run


def cases() -> dict[str, Callable]:
    """Every case by name: the models of tests/models, the programs beside the step, and soft bodies."""
    from conformance import emulate_programs, emulate_soft, emulate_whole
    from tests import oracle
    from tests.harness import team_of_lanes

    models = {name: stepped(name) for name in ("humanoid", *oracle.model_names())}
    short = {name: stepped(name.split()[0], **change) for name, change in team_of_lanes.SHORT.items()}
    return models | short | emulate_programs.PROGRAMS | emulate_soft.CASES | emulate_whole.CASES


def digest(*more: str) -> str:
    """Of the sources that kernels are made of, of the emulator, and of ``more`` folders of the engine."""
    engine = ROOT / "newtonlite" / "solvers" / "mujoco"
    folders = (engine / "kernels", ROOT / "newtonlite" / "geometry", ROOT / "newtonlite" / "math", ROOT / "ptxemu")
    folders += tuple(engine / name for name in more)
    files = [f for folder in folders for f in sorted((*folder.rglob("*.py"), *folder.rglob("*.h")))] + [
        engine / "pipeline.py",
        engine / "executor" / "array_access.h",
        engine / "executor" / "partition.py",
    ]
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()[:16]


def emulate(case: Callable, nlane: int, reference: dict | None = None) -> dict:
    """A case on the emulated device with ``check`` and ``races``: faults, and the largest differences from ``reference``."""
    began, apart = time.process_time(), hasattr(case, "model")
    orders = [slice(None), *([slice(None, None, -1)] if nlane == 32 and apart else [])]
    (found, *turned), faults, kernels = watched(case, nlane, orders)
    if any(of_shared_warp(f, nlane) for f in faults):
        faults = [f for f in faults if not of_shared_warp(f, nlane)] + in_own_warps(case, nlane)
    texts = sorted({f"{f['kernel']}: {f['text']} at {' < '.join(f['place'][:3])}" for f in faults})
    row = {"faults": texts, "kernels": kernels, "cpu_s": round(time.process_time() - began, 1)}
    if turned:
        row["bits_follow_worlds"] = all(np.array_equal(found[k], turned[0][k][::-1], equal_nan=True) for k in found)
    return row | (compare(found, reference, getattr(case, "model", None)) if reference is not None else {})


def watched(case: Callable, nlane: int, orders: list[slice]) -> tuple[list[dict], list[dict], int]:
    """A case on the emulated device, once for each choice of its worlds: arrays, faults, number of kernels."""
    with emulator().emulated(check=True, races=True, on_fault="keep") as e:
        gc.disable()  # the emulator walks over its allocations, which must not be freed meanwhile
        try:
            found = [case("cuda:0", nlane, *([] if order == slice(None) else [order])) for order in orders]
        finally:
            gc.enable()
        return found, [f for f in e.faults if not of_shared_memory(f)], len(e.counts.rows)


def of_shared_warp(fault: dict, nlane: int) -> bool:
    """A race between lanes of a warp that several worlds share: the emulator does not see that a barrier of one world's lanes
    orders them.
    """
    from newtonlite.solvers.mujoco.executor.plan import kernel_lanes

    name = re.sub(r"_[0-9a-f]+_cuda_kernel_forward$", "", fault["kernel"])
    return fault["text"].startswith("race: ") and kernel_lanes(name, nlane) < nlane


def in_own_warps(case: Callable, nlane: int) -> list[dict]:
    """Faults of a case whose kernels have a warp for each world, of as many lanes as the world has in a shared one."""
    from newtonlite.solvers.mujoco.executor import fused_kernel, plan

    fused_kernel.least_block = min(plan.SHARED_WARP_LANES.values())
    try:
        return watched(case, nlane, [slice(None)])[1]
    finally:
        fused_kernel.least_block = plan.WARP


def of_shared_memory(fault: dict) -> bool:
    """A race between blocks in shared memory, which the emulator keeps once for all blocks of a launch: none on a GPU."""
    return fault["text"].startswith("race with another block") and ".shared" in fault["ptx"]


def compare(found: dict, reference: dict, model: str | None = None) -> dict:
    """``exact``: do counts agree; ``smooth`` and ``solved``: the largest relative error of a world of what comes before and after
    the solver; ``beyond``: what is off by more than its tolerance, beside MuJoCo.
    """
    from tests.tolerance import relative_error

    errors = {
        k: float(relative_error(found[k], reference[k], 1.0).max(initial=0.0))
        for k in found
        if k in reference and k not in EXACT
    }
    beyond = [k for k, error in errors.items() if error > limit(k)]
    return {
        "exact": all(np.array_equal(found[k], reference[k]) for k in EXACT if k in found),
        "smooth": max((v for k, v in errors.items() if k not in SOLVED), default=0.0),
        "solved": max((v for k, v in errors.items() if k in SOLVED), default=0.0),
        "beyond": {k: {"error": errors[k], **of_mujoco(*scene_and_field(model, k), found[k])} for k in beyond},
    }


def scene_and_field(model: str | None, name: str) -> tuple[str | None, str]:
    """The model that a field is of, and its own name: a stage that runs in several scenes has each scene's before it."""
    scene, _, field = name.rpartition(": ")
    return scene or model, field


def limit(field: str) -> float:
    """What a field may be off by from the CPU: as much as sums in another order, after the solver as much as from MuJoCo."""
    from tests.tolerance import tolerance

    return tolerance({"qacc": "qacc", "qpos": "next", "qvel": "next"}.get(field, "lanes"))


def of_mujoco(model: str | None, field: str, found: np.ndarray) -> dict:
    """How far a field is from MuJoCo's, and MuJoCo's own moves by roundings of float32 of its inputs and of what its parts
    hand on to each other; nothing where MuJoCo has no such case.
    """
    from tests.tolerance import relative_error

    if model is None:
        return {}
    truth, shaken = mujoco_numbers(model)
    want = truth.after.get(field, truth.want.get(field))
    if want is None:
        return {}

    def error(values) -> float:
        both = [numbers.reshape(len(numbers), -1)[:, : found.shape[1]] for numbers in (values, want)]
        return float(relative_error(*both, 1.0).max(initial=0.0))

    moves = [error(other.after.get(field, other.want.get(field))) for other in shaken]
    return {"from_mujoco": error(found), "moved_by_rounding": max(moves)}


@functools.cache
def mujoco_numbers(model: str):
    """MuJoCo's numbers of the states of a small model, or of a soft scene, and of them moved by roundings."""
    from conformance import emulate_soft, emulate_whole
    from tests import oracle
    from tests.harness.stagewise import Truth, shaken

    if model in emulate_whole.ALL:
        mj = emulate_soft.compiled(emulate_whole.ALL[model])
        truth = Truth(mj, emulate_soft.states(mj))
    else:
        mj = oracle.named_model(model)
        truth = Truth(mj, oracle.rollout_states(mj, WORLDS, seed=STATE_SEED))
    others = [shaken(truth, seed) for seed in range(SHAKES)]
    return truth, [o for o in others if np.array_equal(o.want["nefc"], truth.want["nefc"])]


def as_sensitive(beyond: dict) -> bool:
    """Whether a field beyond its tolerance is as near to MuJoCo as one rounding of float32 moves MuJoCo's own number."""
    return "from_mujoco" in beyond and max(beyond["error"], beyond["from_mujoco"]) <= beyond["moved_by_rounding"]


def sound(row: dict) -> bool:
    """No faults, equal counts, and nothing beyond its tolerance but what one rounding of float32 moves as far in MuJoCo."""
    return (
        not row["faults"]
        and row.get("exact", True)
        and row.get("bits_follow_worlds", True)
        and all(as_sensitive(b) for b in row.get("beyond", {}).values())
    )


def page(rows: dict) -> str:
    """The page of the results that are kept."""
    done = [json.loads(key) for key in rows]
    lines = [
        "# Emulated GPU kernels",
        "",
        "`make emulate` runs the PTX of the GPU schedule on the CPU, lane by lane, with bounds, barriers and races checked: one step of",
        "three worlds that differ, of every model of `tests/models`; stages of soft bodies, one by one; and the programs beside the step. Written by\n`conformance/emulate.py`.",
        "",
        f"{len({n for n, _ in done})} cases, {len(rows)} runs, {sum(len(r['faults']) for r in rows.values())} faults;"
        f" {sum(not sound(r) for r in rows.values())} runs not sound: with a fault, other counts, other bits, or numbers off by more than the last table explains.",
        "`smooth` is the largest relative error of a world against the CPU of what comes before the solver, `solved` that of accelerations, positions and",
        "velocities (solvers end within their tolerance, not within rounding); `bits` says that worlds in reversed order give the same bits. Where worlds",
        "share a warp, races are looked for with a warp for each: a barrier of some lanes of a warp does not count as one for the emulator.",
        "",
        "| lanes | runs | sound | faults | counts equal | bits follow worlds | smooth, worst | solved, worst |",
        "|---|---|---|---|---|---|---|---|",
        *(lanes_line(nlane, [row for (_, n), row in zip(done, rows.values()) if n == nlane]) for nlane in LANES),
        "",
        "Each run is a row of `conformance/results/emulate.json`. Runs that are not sound, and those farthest from the CPU after the solver:",
        "",
        "| case | lanes | kernels | faults | counts | bits | smooth | solved |",
        "|---|---|---|---|---|---|---|---|",
    ]
    words = {True: "equal", False: "differ", None: ""}
    farthest = sorted(zip(done, rows.values()), key=lambda run: (sound(run[1]), -run[1].get("solved", 0)))
    for (name, nlane), r in farthest[:SHOWN]:
        lines.append(
            f"| {name} | {nlane} | {r['kernels']} | {len(r['faults'])} | {words[r.get('exact')]} | {words[r.get('bits_follow_worlds')]}"
            f" | {r.get('smooth', 0):.0e} | {r.get('solved', 0):.0e} |"
        )
    faults = [f"- {json.loads(k)[0]}, {json.loads(k)[1]} lanes: {f}" for k, r in rows.items() for f in r["faults"]]
    return "\n".join(lines + ([""] + faults if faults else []) + sensitive_lines(rows)) + "\n"


def lanes_line(nlane: int, found: list[dict]) -> str:
    """Counts of the runs of one width of teams."""
    counts = [sum(bool(r.get(key)) for r in found) for key in ("exact", "bits_follow_worlds")]
    worst = [f"{max((r.get(key, 0) for r in found), default=0):.0e}" for key in ("smooth", "solved")]
    good, faults = sum(map(sound, found)), sum(len(r["faults"]) for r in found)
    return f"| {nlane} | {len(found)} | {good} | {faults} | {counts[0]} | {counts[1]} | {worst[0]} | {worst[1]} |"


def sensitive_lines(rows: dict) -> list[str]:
    """The section on fields beyond their tolerance: the worst lanes of each."""
    worst: dict = {}
    for key, row in rows.items():
        for field, b in row.get("beyond", {}).items():
            place = json.loads(key)[0], field
            worst[place] = max(worst.get(place, b), b, key=lambda x: x["error"])
    if not worst:
        return []
    return [
        "",
        "## Beyond the tolerance of sums in another order",
        "",
        "`from the CPU` and `from MuJoCo`: the emulated kernels' largest relative error, of all lanes. `one rounding`: how far MuJoCo's own number, in double,",
        "moves when its inputs and what its parts hand on are moved by one rounding of float32. `efc_aref` divides a distance of contacts or ties by the",
        "square of a time constant of some milliseconds, which magnifies the rounding of a position a thousandfold. A field is sound where both errors are",
        "within what one rounding does.",
        "",
        "| case | field | from the CPU | from MuJoCo | one rounding | sound |",
        "|---|---|---|---|---|---|",
        *(
            f"| {name} | {field} | {b['error']:.1e} | {b.get('from_mujoco', float('nan')):.1e} | {b.get('moved_by_rounding', float('nan')):.1e}"
            f" | {'yes' if as_sensitive(b) else 'no'} |"
            for (name, field), b in sorted(worst.items(), key=lambda item: (as_sensitive(item[1]), -item[1]["error"]))[
                :SHOWN
            ]
        ),
    ]


def prepare(level: int | None = None) -> None:
    """Kernels of everything for all models, as the tests have them, so that few are compiled; optimised to ``level``."""
    import warp as wp

    from newtonlite.solvers.mujoco.executor import backend, specialize

    wp.config.log_level = wp.LOG_WARNING
    specialize.disable()
    backend.GPU_LEVEL = backend.GPU_LEVEL if level is None else level


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose name contains one of these, with commas")
    parser.add_argument("--lanes", default=",".join(map(str, LANES)))
    parser.add_argument("--again", action="store_true", help="also what is kept from the same sources")
    parser.add_argument(
        "--level", type=int, help="optimisation of NVRTC, 3 as on a GPU when left out; 0 compiles soonest"
    )
    parser.add_argument("--page", action="store_true", help="only write the page of what is kept")
    chosen = parser.parse_args()
    if not available():
        print(f"emulate: needs a C++ compiler ({CXX})", file=sys.stderr)
        return 2
    kept = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {"rows": {}}
    if not chosen.page:
        prepare(chosen.level)
        sweep(kept, chosen)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(kept["rows"]))
    bad = [k for k, r in kept["rows"].items() if not sound(r)]
    print(
        f"{len(kept['rows'])} runs, {len(bad)} not sound: {', '.join(bad[:8]) or 'none'}; wrote {PAGE.relative_to(ROOT)}"
    )
    return 1 if bad else 0


def sweep(kept: dict, chosen) -> None:
    """Run the chosen cases that are not kept from the same sources, and keep each row when it is there."""
    now, parts = digest("executor", "adapter"), [p for p in chosen.only.split(",") if p]
    for name, case in cases().items():
        if parts and not any(p in name for p in parts):
            continue
        todo = [
            n
            for n in map(int, chosen.lanes.split(","))
            if chosen.again or kept["rows"].get(json.dumps([name, n]), {}).get("digest") != now
        ]
        if not todo:
            continue
        reference = case("cpu", 1)
        for nlane in todo:
            row = emulate(case, nlane, reference) | {
                "digest": now,
                "level": 3 if chosen.level is None else chosen.level,
            }
            kept["rows"][json.dumps([name, nlane])] = row
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
            print(f"{name} {nlane} lanes: {'sound' if sound(row) else row}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""GPU work on paper: issue slots, memory sectors, registers, occupancy and estimated times of a step's kernels, counted by emulation.
No GPU needed. Writes benchmarks/results/gpu_work.json and docs/gpu_work.md.

    python -m benchmarks gpu_work [--only humanoid] [--worlds 3] [--again] [--mujoco-warp] [--page]

By the emulator ``ptxemu``, which needs a C++ compiler, and ``ptxas`` for registers and machine instructions. ``--mujoco-warp`` counts
MuJoCo Warp's step from the same states too, whole and without its Cholesky, which on a GPU is cuSOLVERDx's and not in plain code.
Rows are kept as they are found.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from benchmarks.scenes import RESULTS
from conformance.collection.models import named
from conformance.collection.places import OWN, ROOT
from newtonlite import models

MEMORY = ROOT / "conformance" / "results" / "emulate_memory.json"
KEPT, PAGE = RESULTS / "gpu_work.json", ROOT / "docs" / "gpu_work.md"
BATCHES, BATCH = (1, 256, 8192, 32768), 8192
ISSUE = 4 * 132 * 1.755e9  # slots a second of an H100
MODELS = {
    "humanoid (benchmark)": "mjwarp_bench/humanoid/humanoid.xml",
    "three humanoids": "mjwarp_bench/humanoid/three_humanoids.xml",
    "G1": "mjwarp_bench/unitree_g1/scene_flat.xml",
    "G1 over hills": "mjwarp_bench/unitree_g1/scene_hfield.xml",
    "Aloha, pot": "mjwarp_bench/aloha/scene_pot.xml",
    "Panda": "mjwarp_bench/franka_emika_panda/scene.xml",
    "Go1": "unitree_go1_mjlab/go1.xml",
    "H1": "unitree_h1/mjcf/h1.xml",
    "SO-101": "so101/scene.xml",
    "myo elbow": "myo_sim/elbow/myoelbow_2dof6muscles.xml",
    "myo finger": "myo_sim/finger/myofinger_v0.xml",
    "shadow hand": "mujoco_mjx/shadow_hand/scene_right.xml",
    "ant": "newton/nv_ant.xml",
    "Barkour": "mujoco_mjx/barkour_v0/assets/barkour_v0_mjx.xml",
    "arm with muscles": "mujoco_model/tendon_arm/arm26.xml",
    "car": "mujoco_model/car/car.xml",
}
"""Models of the collection, by the name on the page; those that are not there are left out."""


def scenes() -> dict[str, Path]:
    """Files by the name on the page."""
    there = named(MODELS.values())
    own = {"humanoid": models.path("humanoid"), "box stack": OWN / "box_stack_three.xml"}
    return own | {name: Path(there[model]) for name, model in MODELS.items() if model in there}


SHOWN = 5
"""Scenes on the page of which it is said what bounds them."""
CHOLESKY = ("cholesky",)
"""Parts of names of MuJoCo Warp's kernels and functions that factor and solve in plain code."""


def states_of(mj, count: int):
    """States met along rollouts of MuJoCo's."""
    from tests import oracle

    return oracle.rollout_states(mj, count, seed=3, length=60)


def ours(mj, worlds: int, emulator) -> dict:
    """Counts of one step of this engine from ``worlds`` states, which all differ."""
    from tests.harness.engine import Engine

    states = states_of(mj, worlds)
    with emulator.emulated(on_fault="keep") as e:
        engine = Engine(mj, states, "cuda:0", scratch="per_world")
        e.counts.clear()
        engine.step()
        rows = {"contacts": float(engine.read("ncon").mean()), "rows": float(engine.read("nefc").mean())}
        return (
            rows
            | summary(e, worlds)
            | {"lanes": engine.schedule.nlane, "faults": len(e.faults), "stages": stages(e, worlds)}
        )


def theirs(mj, worlds: int, emulator) -> dict:
    """The same of MuJoCo Warp."""
    import mujoco
    import mujoco_warp as mjw

    states, first = states_of(mj, worlds), mujoco.MjData(mj)
    mujoco.mj_forward(mj, first)
    with emulator.emulated(on_fault="keep") as e:
        m, d = (
            mjw.put_model(mj),
            mjw.put_data(mj, first, nworld=worlds, nconmax=max(128, 2 * first.ncon), njmax=max(256, 2 * first.nefc)),
        )
        for name in ("qpos", "qvel", "ctrl", "act", "qacc_warmstart"):
            values = getattr(states, name)
            if values.size:
                getattr(d, name).assign(values.astype(np.float32))
        e.counts.clear()
        mjw.step(m, d)
        found = summary(e, worlds)
        slots = e.counts.functions("own")
    apart = sum(s for name, (s, _, _) in slots.items() if any(part in str(name).lower() for part in CHOLESKY))
    whole = sum(s for s, _, _ in slots.values())
    return found | {"cholesky_share": apart / max(1.0, whole)}


def summary(e, worlds: int) -> dict:
    """Kernels, sums per world, and times at every batch; a kernel's ``bound`` is that of BATCH worlds."""
    kernels, at = e.counts.kernels(BATCH / worlds), {n: e.counts.kernels(n / worlds) for n in BATCHES}
    keys = ("name", "launches", "active", "registers", "spills", "occupancy", "bound")
    found = {
        "kernels": [
            {k: r[k] for k in keys if k in r}
            | {k: r[k] / worlds for k in ("warp_instructions", "slots", "sectors")}
            | {"barriers": r["classes"]["barrier"] / worlds, "us": {str(n): at[n][i]["time_us"] for n in BATCHES}}
            for i, r in enumerate(kernels)
        ],
        "slots": sum(r["slots"] for r in kernels) / worlds,
        "sectors": sum(r["sectors"] for r in kernels) / worlds,
        "launches": sum(r["launches"] for r in kernels),
    }
    found["us"] = {str(n): sum(r["time_us"] for r in at[n]) for n in BATCHES}
    found["latency_us"] = {str(n): sum(r["parts_us"]["latency"] for r in at[n]) for n in BATCHES}
    return found


def stages(e, worlds: int) -> dict:
    """Slots per world and active lanes of each stage; slots here are before ptxas has its say."""
    return {
        str(k): [s / worlds, lanes / max(1.0, issued)]
        for k, (s, issued, lanes) in list(e.counts.functions("stage").items())[:24]
    }


def memory_lines() -> list:
    """The section on memory, where `python -m conformance emulate_memory` has been."""
    if not MEMORY.is_file():
        return []
    rows = json.loads(MEMORY.read_text())
    return [
        "",
        "## Memory",
        "",
        "What the arrays of benchmark humanoids take on the emulated device (`python -m conformance emulate_memory`), and what `memory_report` says:",
        "",
        "| worlds | waves | allocated | reported | kept per world | scratch |",
        "|---|---|---|---|---|---|",
        *(
            f"| {r['worlds']:,} | {r['waves']} | {r['allocated'] / 2**20:,.0f} MiB | {r['reported'] / 2**20:,.0f} MiB"
            f" | {r['kept_per_world'] / 1000:.1f} kB | {r['scratch'] / 2**20:,.0f} MiB |"
            for r in rows
        ),
    ]


def without_cholesky(rival: dict) -> float:
    """Microseconds of MuJoCo Warp's step for BATCH worlds, less the share of its Cholesky."""
    return rival["us"][str(BATCH)] * (1 - rival["cholesky_share"])


def lead(row: dict) -> float:
    """MuJoCo Warp's time over ours; infinite where it was not counted."""
    rival = row.get("mujoco_warp")
    return rival["us"][str(BATCH)] / row["us"][str(BATCH)] if rival else float("inf")


def reason_lines(kept: dict) -> list:
    """The section on what bounds the scenes, beside MuJoCo Warp where it was counted."""
    lines = [
        "",
        "## How far ahead, and what bounds it",
        "",
        "`ahead` is MuJoCo Warp's time over ours, whole and without its Cholesky; twice is wanted. `issue`, `latency` and `memory`: percent of our time in kernels",
        "bound so. `launches`: 2 us each. `all lanes`: what the slots would take if every one had 32 lanes at work, which no change to who does what can beat;",
        f"below it are only fewer instructions. The three largest kernels have `us, 8192` and their active lanes in brackets. The {SHOWN} scenes least ahead;",
        "what was tried is in [gpu_levers.md](gpu_levers.md).",
        "",
        "| scene | ahead, whole | without its Cholesky | issue | latency | memory | launches, us | all lanes, us | largest kernels |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    timed = {name: row for name, row in kept.items() if all("us" in k for k in row["kernels"])}
    for name, row in sorted(timed.items(), key=lambda item: lead(item[1]))[:SHOWN]:
        us, rival = row["us"][str(BATCH)], row.get("mujoco_warp")
        times = {k["name"]: k["us"][str(BATCH)] for k in row["kernels"]}
        bounds = {"issue": 0.0, "latency": 0.0, "memory": 0.0}
        for k in row["kernels"]:
            bounds[k["bound"] if k["bound"] in bounds else "memory"] += times[k["name"]] / us * 100
        busy = sum(k["slots"] * k["active"] / 32 for k in row["kernels"]) * BATCH / ISSUE * 1e6
        largest = sorted(row["kernels"], key=lambda k: -times[k["name"]])[:3]
        shown = ", ".join(
            f"{k['name'].removeprefix('fused_step_')} {times[k['name']]:.0f} ({k['active']:.0f})" for k in largest
        )
        ahead = f"{rival['us'][str(BATCH)] / us:.1f} | {without_cholesky(rival) / us:.2f}" if rival else " | "
        lines.append(
            f"| {name} | {ahead} | {bounds['issue']:.0f} | {bounds['latency']:.0f} | {bounds['memory']:.0f}"
            f" | {2 * row['launches']} | {busy:.0f} | {shown} |"
        )
    return lines


def page(kept: dict, now: str) -> str:
    """docs/gpu_work.md, with ``now`` the digest of the engine's kernels."""
    lines = [
        "# GPU work, counted without a GPU",
        "",
        "Counted by running the PTX of a step's kernels on the CPU, lane by lane, from states that MuJoCo reached; registers and machine",
        "instructions are ptxas'. Times are estimates for an H100 (the largest of issue, latency, L1 and DRAM per launch, plus 2 us): they",
        "are for comparison, and no GPU has run these kernels yet. Written by `python -m benchmarks gpu_work`.",
        "",
        "Per world and step, from three states met within the first 60 steps of rollouts, in which few humanoids touch the ground yet; `us` for so",
        "many worlds. `MuJoCo Warp` (`--mujoco-warp`, empty where it was not counted) from the same states; its Cholesky runs in Warp's plain code",
        "here, on a GPU in cuSOLVERDx: the real ratio lies between the last two columns. Kernels in which four worlds share a warp were run with the three:",
        "a place in four stays empty, so that theirs are upper bounds.",
        "",
        "Scenes marked * were counted with kernels that have changed since.",
        "",
        "| scene | contacts | rows | lanes | launches | slots | sectors | us, 1 | us, 256 | us, 8192 | us, 32768 | MuJoCo Warp us, 8192 | without its Cholesky |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, row in kept.items():
        us, rival = row["us"], row.get("mujoco_warp")
        other = f"{rival['us'][str(BATCH)]:.0f} | {without_cholesky(rival):.0f}" if rival else " | "
        lines.append(
            f"| {name}{'' if row.get('digest') == now else ' *'} | {row['contacts']:.1f} | {row['rows']:.1f} | {row['lanes']} | {row['launches']} | {row['slots']:,.0f} | {row['sectors']:,.0f}"
            f" | {us['1']:.0f} | {us['256']:.0f} | {us['8192']:.0f} | {us['32768']:.0f} | {other} |"
        )
    lines += reason_lines(kept) + memory_lines()
    lines += ["", "Kernels and stages of every scene are in `benchmarks/results/gpu_work.json`."]
    return "\n".join(lines) + "\n"


def us_of(kernel: dict, batch: int) -> str:
    """A kernel's time at a batch, where it was kept."""
    return f"{kernel['us'][str(batch)]:.0f}" if "us" in kernel else ""


def main() -> int:
    from conformance.emulate import available, digest, emulator

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="scenes whose name contains one of these, with commas")
    parser.add_argument("--worlds", type=int, default=3, help="states that are stepped; estimates extrapolate")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--mujoco-warp", action="store_true", help="count MuJoCo Warp too, where it is not kept")
    parser.add_argument("--page", action="store_true", help="only write the page of what is kept")
    args = parser.parse_args()
    kept = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    if not args.page:
        if not available():
            print("gpu_work: needs a C++ compiler", file=sys.stderr)
            return 2
        import warp as wp

        wp.config.log_level = wp.LOG_WARNING
        for name, file in scenes().items():
            if args.only and not any(part in name for part in args.only.split(",")):
                continue
            count(kept, name, Path(file), args, digest(), emulator())
    PAGE.write_text(page(kept, digest()))
    print(f"wrote {PAGE.relative_to(ROOT)}: {len(kept)} scenes")
    return 0


def count(kept: dict, name: str, file: Path, args, now: str, emulator) -> None:
    """One scene, kept when it is there."""
    if not file.is_file():
        print(f"{name}: left out, {file.name} is not at hand")
        return
    from tests import oracle

    mj, old = oracle.compile_xml(file), kept.get(name, {})
    row = old
    if args.again or old.get("digest") != now:
        row = ours(mj, args.worlds, emulator) | {"digest": now}
        if "mujoco_warp" in old:
            row["mujoco_warp"] = old["mujoco_warp"]
    if args.mujoco_warp and "mujoco_warp" not in row:
        row["mujoco_warp"] = theirs(mj, args.worlds, emulator)
    kept[name] = row
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    print(
        f"{name}: {row['slots']:,.0f} slots, {row['us']['8192']:.0f} us for 8192 worlds, {row['faults']} faults",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())

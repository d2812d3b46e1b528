"""Rollouts over workers: one digest and one policy for any division, overhead of chunks, speed of two workers, Ray beside
processes, kills, a thousand workers.

    python -m benchmarks scale                 all parts, on a quiet machine; --page writes them into docs/scale_out.md
    python -m benchmarks scale digests weights --rounds 3

Shares are of CPU seconds, medians of interleaved rounds; what needs a quiet machine says so.
"""

import argparse
import contextlib
import hashlib
import importlib.util
import itertools
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from functools import partial
from pathlib import Path

from benchmarks.simulated_workers import SimulatedPool, StubWorker
from newtonlite import models
from newtonlite.scale.rollout import CHUNK, Rollout, identified
from newtonlite.scale.scheduler import Scheduler
from newtonlite.scale.shards import Order, cut
from newtonlite.scale.wire import pack, unpack
from newtonlite.scale.worker import Worker

PAGE = Path(__file__).parents[1] / "docs" / "scale_out.md"
LONG = 8
"""Times the steps that speed is measured over: starting workers is no part of it."""
MARKS = "<!-- figures of python -m benchmarks scale -->", "<!-- end -->"


def cpu(work) -> float:
    """CPU seconds of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def rollout(args, workers: int, backend: str = "local", times: int = 1, **options) -> Rollout:
    file, steps = models.path("humanoid"), times * args.steps
    return Rollout.of_model(file, args.worlds, steps, workers=workers, backend=backend, threads=1, **options)


def backends() -> list[str]:
    """Backends that are installed."""
    return ["local"] + (["ray"] if importlib.util.find_spec("ray") else [])


def digests(args) -> list:
    """Digests of a task with resets, random actions and noise, for several numbers of shards and workers."""
    found: dict = {}
    for backend, workers, shards in itertools.product(backends(), (1, 2), (1, 2, 3, 5)):
        job = Rollout.of_task(
            "humanoid", args.worlds, args.steps, workers=workers, shards=shards, backend=backend, threads=1
        )
        found.setdefault(job.run()["sha256"], []).append((backend, workers, shards))
    count = sum(map(len, found.values()))
    what = f"digests of {args.worlds} humanoids, {args.steps} control steps with resets, in {count} ways"
    how = f"({' and '.join(backends())}; 1 and 2 workers; 1, 2, 3 and 5 shards)"
    return [(f"{what} {how}", f"{len(found)}: {', '.join(k[:12] for k in found)}", "1")]


def weights(args) -> list:
    """Digests of the weights after 20 iterations of PPO on cartpole, for several numbers of workers."""
    from newtonlite.scale.training import ScaledRunner

    found = set()
    for workers in (1, 2, 3):
        with tempfile.TemporaryDirectory() as folder:
            runner = ScaledRunner("cartpole", Path(folder) / "run", workers=workers, worlds=64, steps=24, iterations=20)
            runner.train()
            total = hashlib.sha256()
            for name, tensor in sorted(runner.ppo.policy.state_dict().items()):
                total.update(name.encode() + tensor.numpy().tobytes())
            found.add(total.hexdigest())
    what = "digests of a policy's weights, 20 iterations of PPO on cartpole, 1, 2 and 3 workers"
    return [(what, f"{len(found)}: {', '.join(k[:12] for k in found)}", "1")]


def overhead(args) -> list:
    """Chunks of a worker, packed, with digests and a checkpoint every other one, beside the same control steps bare."""
    spec = {"kind": "task", "task": "humanoid", "changes": [], "seed": 0, "actions": "random", "job": "x"}
    worker = Worker(pack(spec), "cpu", 1)
    request = {"shard": 0, "worlds": [0, args.worlds], "basis": False, "rows": True, "last": False}
    order = {"steps": CHUNK, "carries": False}
    chunk = iter(range(10**6))

    def carry_out() -> None:
        k = next(chunk)
        head = {**request, "chunk": k, "at": k, "orders": [order], "state": k % 2 == 1}
        reply, _ = unpack(worker.answer(pack(head)), check=False)
        assert "error" not in reply, reply

    carry_out()
    shard = worker.held[0][0]

    def bare() -> None:
        for _ in range(2 * CHUNK):
            shard.env.step(shard.act())
            if shard.env.terminations.done.numpy().any():
                shard.env.reset(shard.env.terminations.done)

    bare()
    shares = []
    for _ in range(args.rounds):
        own = cpu(carry_out) + cpu(carry_out)
        shares.append(own / cpu(bare) - 1.0)
    blob = worker.checkpoint(shard, 0, 1)
    took = min(cpu(lambda: worker.checkpoint(shard, 0, 1)) for _ in range(5))
    return [
        (
            f"CPU time of chunks over bare control steps, {args.worlds} humanoids",
            f"{statistics.median(shares):+.1%}",
            "5 %",
        ),
        (f"checkpoint of {args.worlds} humanoids", f"{len(blob) / 1e6:.2f} MB, {1e3 * took:.0f} ms", "1 MB, 50 ms"),
    ]


def speed(args) -> list:
    """Two worker processes beside one, in turn; and Ray's actors beside processes."""
    walls: dict = {}
    shares: dict = {}
    found = set()
    for _ in range(args.rounds):
        for backend in backends():
            for workers in (1, 2):
                job = rollout(args, workers, backend, LONG)
                figures = job.run()
                found.add(figures["sha256"])
                walls.setdefault((backend, workers), []).append(figures["steps_per_second"])
                shares.setdefault((backend, workers), []).append(max(job.scheduler.cpu.values()))
    assert len(found) == 1, found
    median = {key: statistics.median(v) for key, v in walls.items()}
    busiest = {key: statistics.median(v) for key, v in shares.items()}
    rows = [
        ("steps/s of 2 workers over 1 (needs 2 idle cores)", f"{median['local', 2] / median['local', 1]:.2f}", "1.7"),
        ("CPU s of 1 worker over those of the busier of 2", f"{busiest['local', 1] / busiest['local', 2]:.2f}", "1.7"),
    ]
    if "ray" in backends():
        more = busiest["ray", 2] / busiest["local", 2] - 1
        rows.append(("CPU time of Ray's actors over that of processes", f"{more:+.1%}", "10 %"))
        slower = median["local", 2] / median["ray", 2] - 1
        rows.append(("wall time of Ray over processes, 2 workers (needs idle cores)", f"{slower:+.1%}", "10 %"))
    return rows


def kills(args) -> list:
    """Runs in which a worker process is killed at a random instant."""
    chance, expected = random.Random(args.seed), rollout(args, 2).run()["sha256"]
    recoveries, same, lost = [], 0, 0
    for _ in range(args.runs):
        job, at = rollout(args, 2, shards=3), [chance.random() * 0.9]

        def kill(scheduler, job=job, at=at) -> None:
            if at and scheduler.share_done > at[0]:
                at.clear()
                os.kill(job.pool.pid(chance.choice(sorted(job.pool.processes))), signal.SIGKILL)

        figures = job.run(kill)
        same += figures["sha256"] == expected and figures["chunks"] == 3 * len(job.scheduler.orders)
        lost += figures["lost_workers"]
        recoveries += job.scheduler.recoveries
    median = f"{statistics.median(recoveries):.1f} s" if recoveries else "-"
    return [
        (f"runs with a worker killed at a random instant: same digest, nothing lost or twice ({lost} killed)",
         f"{same} of {args.runs}", "all"),
        ("median time until what it had goes on", median, "10 s"),
    ]  # fmt: skip


def many(args) -> list:
    """A thousand workers that answer at once: what the one who distributes work does for a chunk, and what it holds."""
    rows = []
    for keep in (False, True):
        spec = identified({"kind": "stub", "worlds": 1000 * 32, "steps": 10 * CHUNK})
        pool = SimulatedPool(pack(spec), 1000, partial(StubWorker), step=200)
        scheduler = Scheduler(pool, cut(spec["worlds"], 1000), want_rows=keep)
        scheduler.orders = [Order({"steps": CHUNK})] * 10
        inside = 0.0
        work = pool.events

        def events(timeout, work=work):
            nonlocal inside
            start = time.process_time()
            found = work(timeout)
            inside += time.process_time() - start
            return found

        pool.events = events
        own = cpu(scheduler.run) - inside
        chunks = scheduler.summary()["chunks"]
        what = "with trajectories (0.4 MB each)" if keep else "digests alone"
        rows.append((f"1,000 simulated workers, {what}: chunks a CPU second", f"{chunks / own:,.0f}", ""))
    return rows


def memory(args) -> list:
    """Memory of the program that distributes 64 shards."""
    command = [sys.executable, "-m", "newtonlite.cli.main", "rollout", "humanoid", "--worlds", "256", "--shards", "64"]
    command += ["--workers", "2", "--steps", "64", "--json"]
    most = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as program:
        while program.poll() is None:
            with contextlib.suppress(OSError, StopIteration):
                lines = Path(f"/proc/{program.pid}/status").read_text().splitlines()
                most = max(most, next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")))
            time.sleep(0.05)
    return [("memory of the one who distributes, 64 shards", f"{most / 1024:.0f} MB", "200 MB")]


PARTS = {
    "digests": digests,
    "weights": weights,
    "overhead": overhead,
    "speed": speed,
    "kills": kills,
    "many": many,
    "memory": memory,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"of {', '.join(PARTS)} (all)")
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=20, help="with a worker killed")
    parser.add_argument("--seed", type=int, default=0, help="of the instants of kills")
    parser.add_argument("--page", action="store_true", help="write the table into docs/scale_out.md")
    args = parser.parse_args()
    lines = [f"({date.today()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start)", ""]
    lines += ["| what | measured | asked for |", "|---|---|---|"]
    for name in args.parts or PARTS:
        for row in PARTS[name](args):
            lines.append("| " + " | ".join(row) + " |")
            print(lines[-1], flush=True)
    if args.page:
        text = PAGE.read_text()
        before, after = text.split(MARKS[0])[0], text.split(MARKS[1])[1]
        PAGE.write_text(before + "\n".join([MARKS[0], "", *lines, "", MARKS[1]]) + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Worker processes: they answer, are killed, replaced, and end with the one who started them."""

import os
import signal
import subprocess
import sys
import time

import pytest

from newtonlite.core.errors import StateError
from newtonlite.scale import local
from newtonlite.scale.local import LocalPool, in_process
from newtonlite.scale.wire import pack, unpack
from tests.harness.scale_jobs import WALK, busy, digest, identified, walk
from tests.house.project import ROOT

SECONDS = 120
ALIVE = """
import sys, time
from newtonlite.scale.local import LocalPool
from newtonlite.scale.wire import pack
import newtonlite.scale.local as local
local.PROCESS = "tests.harness.scale_jobs"
if __name__ == "__main__":
    pool = LocalPool(pack({"kind": "walk", "seed": 1, "job": "x"}), 2, "cpu", 1)
    pool.start(), pool.start()
    print(*map(pool.pid, pool.processes), flush=True)
    time.sleep(100)
"""


@pytest.fixture(autouse=True)
def kernels_of_the_tests(monkeypatch):
    monkeypatch.setattr(local, "PROCESS", "tests.harness.scale_jobs")


def gone(pids, seconds=SECONDS) -> bool:
    """Whether processes end in time; one that nobody waits for counts as ended."""
    for _ in range(10 * seconds):
        if not any(running(pid) for pid in pids):
            return True
        time.sleep(0.1)
    return False


def running(pid) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_processes_that_are_killed_change_nothing():
    """SIGKILL of a worker at two instants, and of all at once at a third."""
    size = {"worlds": 16, "steps": 640}
    alone, _ = walk(1, 1, spec=size)
    alone.run()
    slow = {**size, "rest": 0.1}
    pool = LocalPool(pack(identified({**WALK, **slow})), 2, "cpu", 1)
    seen, kills = [], [0.1, 0.3, 0.6]
    scheduler, _ = walk(2, 4, spec=slow, pool=pool, deliver=lambda shard, chunk, _: seen.append((shard.number, chunk)))

    def kill(s):
        if kills and s.share_done > kills[0] and (len(busy(s)) == 2 or len(kills) < 3):
            kills.pop(0)
            for worker in list(pool.processes) if not kills else busy(s)[:1]:
                os.kill(pool.pid(worker), signal.SIGKILL)

    try:
        scheduler.run(kill)
        pids = [pool.pid(worker) for worker in pool.processes]
    finally:
        pool.close()
    assert scheduler.lost >= 3 and not kills
    assert len(seen) == len(set(seen)) == 80
    assert digest(scheduler) == digest(alone)
    assert gone(pids)


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes in /proc")
def test_workers_end_with_a_program_that_is_killed():
    program = subprocess.Popen(
        [sys.executable, "-c", ALIVE], cwd=ROOT, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    pids = [int(p) for p in program.stdout.readline().split()]
    assert len(pids) == 2 and all(map(running, pids))
    program.kill()
    program.wait()
    program.stdout.close()
    assert gone(pids)


def test_what_a_worker_dies_of_is_said(monkeypatch):
    monkeypatch.setattr(local, "PROCESS", "newtonlite.scale.nothing_of_this_name")
    pool = LocalPool(pack(identified(WALK)), 1, "cpu", 1)
    scheduler, _ = walk(1, 1, pool=pool)
    try:
        with pytest.raises(
            StateError, match="6 workers died one after the other; the last: exit code 1 .*nothing_of_this"
        ):
            scheduler.run()
    finally:
        pool.close()


def test_a_model_is_compiled_in_a_process_of_its_own(tmp_path):
    file = tmp_path / "ball.xml"
    file.write_text('<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>')
    head, arrays = unpack(in_process("newtonlite.scale.compile_model", {"file": str(file)}))
    assert head == {"nq": 7, "nv": 6, "nu": 0, "timestep": 0.002} and arrays["blob"].size > 100
    file.write_text("<mujoco><worldbody><bodyy/></worldbody></mujoco>")
    with pytest.raises(StateError, match=r"ball\.xml:1:\d+.*bodyy"):
        in_process("newtonlite.scale.compile_model", {"file": str(file)})

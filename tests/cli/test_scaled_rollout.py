"""``newtonlite rollout --workers``: one line with a digest that does not depend on workers, one of which is killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import warp as wp

from newtonlite.cli import scaled_rollout
from newtonlite.cli.main import main
from newtonlite.scale import local, rollout
from newtonlite.scale.wire import pack
from tests.house.project import ROOT

ARGV = ["rollout", "cartpole", "--worlds", "6", "--steps", "96", "--json", "--device", "cpu"]


@pytest.fixture(autouse=True)
def kernels_of_the_tests(monkeypatch):
    monkeypatch.setattr(local, "PROCESS", "tests.harness.scale_jobs")


def test_the_line_has_one_digest_whatever_the_workers(capsys, tmp_path):
    found = []
    for more in (["--workers", "1"], ["--workers", "3", "--out", str(tmp_path / "job"), "--trajectories"]):
        assert main([*ARGV, *more]) == 0
        out = capsys.readouterr().out
        assert out.count("\n") == 1
        found.append(json.loads(out))
    assert found[0]["sha256"] == found[1]["sha256"] and len(found[0]["sha256"]) == 64
    assert found[1]["chunks"] == 9 and found[1]["backend"] == "local"
    assert len(list((tmp_path / "job").glob("rows_*.npy"))) == 9


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_who_shares_out_work_does_not_start_warp():
    """Its memory is that of Python and NumPy, and none of a GPU's."""
    most = "print(open('/proc/self/status').read())"
    program = PROGRAM.replace("sys.exit(main(sys.argv[1:]))", f"main(sys.argv[1:])\n{most}")
    argv = ["rollout", "arm", "--worlds", "2", "--steps", "2", "--json", "--device", "cpu", "--workers", "1"]
    done = subprocess.run([sys.executable, "-c", program, *argv], cwd=ROOT, capture_output=True)
    most = next(line for line in done.stdout.decode().splitlines() if line.startswith("VmHWM"))
    assert int(most.split()[1]) < 100_000, done.stderr  # KiB


PROGRAM = """
import sys
from newtonlite.cli.main import main
from newtonlite.scale import local
local.PROCESS = "tests.harness.scale_jobs"
sys.exit(main(sys.argv[1:]))
"""


def workers_of(pid: int) -> list[int]:
    """Worker processes that a process started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # of a process that has ended
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid and b"tests.harness.scale_jobs" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes")
def test_a_worker_that_is_killed_does_not_show(capsys):
    argv = ["rollout", "cartpole", "--worlds", "16", "--steps", "640", "--json", "--device", "cpu", "--workers"]
    assert main([*argv, "1"]) == 0
    expected = json.loads(capsys.readouterr().out)["sha256"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "WARP_CACHE_PATH": str(wp.config.kernel_cache_dir)}
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *argv, "2"], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment
    )
    while len(workers := workers_of(program.pid)) < 2 and program.poll() is None:
        time.sleep(0.05)
    os.kill(workers[0], signal.SIGKILL)
    out = program.communicate(timeout=300)[0]
    figures = json.loads(out)
    assert program.returncode == 0 and out.count("\n") == 1
    assert figures["sha256"] == expected and figures["lost_workers"] == 1


@pytest.mark.parametrize(
    "more, text",
    [
        (["--shards", "3"], "--shards and --trajectories belong to workers; add --workers N"),
        (["--workers", "2", "--shards", "7"], "shards=7: expected 1 to 6"),
        (["--workers", "2", "--backend", "local", "--ray", "auto"], "--ray belongs to --backend ray"),
        (["--workers", "2", "--overflow", "grow"], "--overflow grow belongs to rollouts without --workers"),
        (["--workers", "2", "--trajectories"], "keep_rows: trajectories need a folder"),
        (["--workers", "2", "--plot", "a.png"], "--plot belongs to rollouts without --workers"),
        (["--task"], "--task and --policy belong to rollouts over workers"),
        (["--workers", "2", "--policy", "nothing"], "--policy belongs to --task"),
        (["--workers", "2", "--resume"], "--resume: needs the folder, --out"),
    ],
)
def test_options_that_lack_something_say_so(capsys, more, text, monkeypatch):
    monkeypatch.setattr(
        rollout, "in_process", lambda *_: pack({"nq": 1, "nv": 1, "nu": 1}, {"blob": np.zeros(1, np.uint8)})
    )
    assert main([*ARGV, *more]) == 2
    error = capsys.readouterr().err
    assert text in error and error.count("\n") == 1


def test_the_closing_line_shows_the_digest():
    figures = {"worlds": 6, "steps": 9, "workers": 2, "backend": "local", "lost_workers": 1, "bad_worlds": 0}
    text = scaled_rollout.line({**figures, "steps_per_second": 1234.5, "sha256": "ab"})
    assert text == "6 worlds, 9 steps by 2 workers (local, 1 lost): 1,234 steps/s, 0 bad worlds, sha256 ab"

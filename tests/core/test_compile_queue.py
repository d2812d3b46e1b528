"""A queue of compilation has one worker for all programs, which ends with the last of them, however that ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from newtonlite.core import compile_queue
from newtonlite.core.compile_queue import CompileQueue
from newtonlite.core.replacing import replace_file
from tests.harness import stub_compiler

if not compile_queue.usable:
    pytest.skip("no locks here", allow_module_level=True)

ROOT = Path(__file__).parents[2]
WAIT = 30.0  # [s] until a test gives up
ASKS = """
import signal, sys, time
from pathlib import Path
from tests.harness import stub_compiler
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background of a shell inherit that it is ignored
folder, names, wait = Path(sys.argv[1]), sys.argv[2].split(","), float(sys.argv[3])
program = stub_compiler.program(folder, wait=wait)
program.ask([{"name": name} for name in names])
print("asked", flush=True)
while not all((folder / name).exists() for name in names):
    program.tend(sum(not (folder / name).exists() for name in names))
    time.sleep(0.02)
"""


@pytest.fixture(autouse=True)
def look_often(monkeypatch):
    monkeypatch.setattr(compile_queue, "LOOK", 0.05)


@pytest.fixture
def program(tmp_path):
    made = stub_compiler.program(tmp_path)
    yield made
    made.end()
    until(lambda: not living(tmp_path))


def start(folder: Path, names: list, wait: float = 0.0) -> subprocess.Popen:
    """Another program that asks for names, and waits for them."""
    command = [sys.executable, "-c", ASKS, str(folder), ",".join(names), str(wait)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with process.stdout:
        assert process.stdout.readline() == "asked\n"
    return process


def workers(folder: Path) -> list[int]:
    """Process numbers of the workers that there were."""
    file = folder / "workers"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def living(folder: Path) -> list[int]:
    """Those that there are, and are no zombies."""
    return [w for w in workers(folder) if state(w) not in ("", "Z", "X")]


def state(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def until(true) -> None:
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < WAIT
        time.sleep(0.02)


def tended(program, names: list) -> str | None:
    """What was in the way until all names were met; None where nothing was."""
    folder = program.queue.folder.parent
    began = time.monotonic()
    while time.monotonic() - began < WAIT:
        missing = [name for name in names if not (folder / name).exists()]
        problem = next(filter(None, map(program.queue.failure, names)), None) or program.tend(len(missing))
        if problem or not missing:
            return problem
        time.sleep(0.02)
    raise AssertionError(f"nobody made {missing}")


def requests(*names: str) -> list[dict]:
    return [{"name": name} for name in names]


def test_many_names_of_many_programs_have_one_worker(tmp_path):
    programs = [start(tmp_path, [f"k{i}" for i in range(first, first + 30)], 0.01) for first in range(0, 50, 10)]
    most = 0
    while any(p.poll() is None for p in programs):
        most = max(most, len(living(tmp_path)))
        time.sleep(0.01)
    assert most == 1
    assert all((tmp_path / f"k{i}").exists() for i in range(70))
    until(lambda: not living(tmp_path))
    assert not [*(tmp_path / "queue").iterdir()]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_worker_ends_with_the_last_program_and_nothing_is_left(how, tmp_path):
    programs = [start(tmp_path, [f"{i}a", f"{i}b", f"{i}c", f"{i}d", f"{i}e"], 3.0) for i in range(2)]
    until(lambda: living(tmp_path))
    programs[0].send_signal(how)
    programs[0].wait()
    time.sleep(0.5)
    assert living(tmp_path)
    programs[1].send_signal(how)
    programs[1].wait()
    until(lambda: not living(tmp_path))
    assert not [*(tmp_path / "queue").iterdir()]


def test_what_a_killed_worker_left_is_taken_up_by_the_next(tmp_path, program):
    program.settings["wait"] = 0.3
    names = [f"k{i}" for i in range(6)]
    program.ask(requests(*names))
    until(lambda: program.tend(6) or living(tmp_path))
    os.kill(living(tmp_path)[0], signal.SIGKILL)
    assert tended(program, names) is None
    assert len(workers(tmp_path)) == 2


def test_a_request_that_kills_its_worker_is_given_up_and_the_others_are_met(tmp_path, program):
    program.ask(requests("deadly", "k0", "k1"))
    assert "3 workers ended while they compiled it" in tended(program, ["deadly"])
    assert tended(program, ["k0", "k1"]) is None


def test_a_request_that_fails_says_why_and_the_others_are_met(program):
    program.ask(requests("bad", "k0"))
    assert tended(program, ["bad"]) == "ValueError: a source that no compiler takes"
    assert tended(program, ["k0"]) is None


def test_a_worker_that_cannot_begin_is_started_a_few_times(tmp_path, program):
    program.module = "absent.module"
    program.ask(requests("k0"))
    assert "5 workers ended without it, the last with exit code 1 (ModuleNotFoundError" in tended(program, ["k0"])


def test_a_damaged_line_is_left_out(tmp_path, program):
    program.ask(requests("k0", "k1", "k2"))
    text = program.path.read_bytes().replace(b'"k1"', b'"kk')
    program.path.write_bytes(text + b'{"name": "k3"}\nhalf a li')
    assert set(program.queue.wanted()[0]) == {"k0", "k2"}
    assert tended(program, ["k0", "k2"]) is None


def test_old_leftovers_go_when_a_worker_begins(tmp_path, program):
    files = [tmp_path / "k9.part", *(tmp_path / "queue" / name for name in ("a.new", "k8.failed", "k8.tries"))]
    for file in files:
        file.write_text("")
        os.utime(file, (0, 0))
    (tmp_path / "queue" / "build" / "half").mkdir(parents=True)
    program.ask(requests("k0"))
    assert tended(program, ["k0"]) is None
    assert not [file for file in (*files, tmp_path / "queue" / "build") if file.exists()]


def test_files_that_are_no_requests_do_no_harm(tmp_path, program):
    queue = tmp_path / "queue"
    (queue / "binary.requests").write_bytes(os.urandom(1000))
    (queue / "folder.requests").mkdir()
    (queue / "k0.tries").write_text("many")
    program.ask(requests("k0"))
    assert tended(program, ["k0"]) is None


def test_requests_that_were_removed_are_made_again(tmp_path, program):
    program.ask(requests("k0"))
    program.path.unlink()
    program.ask(requests("k1"))
    assert tended(program, ["k0", "k1"]) is None


def test_a_child_of_a_fork_does_not_hold_its_parents_requests(tmp_path):
    program = stub_compiler.program(tmp_path)
    program.ask(requests("k0"))
    child = os.fork()
    if not child:
        time.sleep(WAIT)
        os._exit(0)
    try:
        assert program.queue.wanted()[1] == 1
        program.file.close()  # as the end of a process does
        until(lambda: program.queue.wanted() == ({}, 0))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_child_of_a_fork_has_requests_of_its_own(tmp_path, program):
    program.ask(requests("k0"))
    child = os.fork()
    if not child:
        own = stub_compiler.program(tmp_path)
        own.ask(requests("k1"))
        os._exit(tended(own, ["k1"]) is not None)
    assert os.waitpid(child, 0)[1] == 0
    assert tended(program, ["k0"]) is None


def test_a_folder_that_cannot_be_written_to_is_an_error(tmp_path):
    (tmp_path / "queue").write_text("")
    with pytest.raises(OSError):
        stub_compiler.program(tmp_path)


def test_a_full_disk_leaves_whole_lines(tmp_path, program):
    import resource

    program.ask(requests("k0"))
    was = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (program.path.stat().st_size + 10, was[1]))
    try:
        with pytest.raises(OSError):
            program.ask(requests("k1"))
        with pytest.raises(OSError):
            replace_file(tmp_path / "file", bytes(1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, was)
    assert not (tmp_path / "file").exists() and not [*tmp_path.glob("*.part")]
    program.ask(requests("k2"))
    assert set(program.queue.wanted()[0]) == {"k0", "k2"}


def test_a_worker_begins_anew_after_many_requests(tmp_path, monkeypatch):
    from newtonlite.core.compile_server import CompileServer

    queue, made = CompileQueue(tmp_path / "queue"), set()
    program = stub_compiler.program(tmp_path)
    program.ask(requests(*(f"k{i}" for i in range(10))))
    monkeypatch.setattr("newtonlite.core.compile_server.LINGER", 0.0)

    def server():
        return CompileServer(queue, lambda request: made.add(request["name"]), made.__contains__, most=4)

    assert server().run() and 4 <= len(made) < 10
    while server().run():
        pass
    assert len(made) == 10
    program.end()

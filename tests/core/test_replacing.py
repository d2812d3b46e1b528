"""Files are replaced whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from newtonlite.core.replacing import replace_file, replace_files, replacing, replacing_file


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    file = tmp_path / "a.txt"
    replace_file(file, "one")
    replace_file(file, b"two")
    assert file.read_bytes() == b"two"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt, SystemExit, OSError])
def test_an_exception_leaves_the_old_file(tmp_path, problem):
    file = tmp_path / "a.txt"
    file.write_text("old")
    with pytest.raises(problem), replacing_file(file, "w") as opened:
        opened.write("half of it")
        raise problem
    assert file.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_disk_leaves_the_old_file(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("old")
    with pytest.raises(OSError, match="No space"), replacing(file) as part:
        with open("/dev/full", "w") as full:
            full.write("x" * 10)
        part.write_text("new")
    assert file.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_permissions_stay_and_new_files_have_the_usual_ones(tmp_path):
    file, other = tmp_path / "a.txt", tmp_path / "b.txt"
    file.write_text("old")
    file.chmod(0o640)
    replace_file(file, "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    other.write_text("usual")
    replace_file(tmp_path / "c.txt", "new")
    assert (tmp_path / "c.txt").stat().st_mode == other.stat().st_mode


def test_links_are_followed(tmp_path):
    (tmp_path / "folder").mkdir()
    link, file = tmp_path / "link.txt", tmp_path / "folder" / "a.txt"
    link.symlink_to(file)
    replace_file(link, "through a link to nothing")
    replace_file(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"


def test_what_is_no_file_is_written_to_as_it_is(tmp_path):
    replace_file("/dev/null", "gone")
    assert not stat.S_ISREG(os.stat("/dev/null").st_mode)
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    thread = threading.Thread(target=lambda: got.append(pipe.read_text()))
    thread.start()
    replace_file(pipe, "through")
    thread.join(10)
    assert got == ["through"]
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path, "x")
    program = "from newtonlite.core.replacing import replace_file as r\nr('/dev/stdout', 'x')"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", program], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "x"


@pytest.mark.parametrize("stem", ["ä" * 100, "a" * 200, "...", "-rf"])
def test_odd_names(tmp_path, stem):
    file = tmp_path / f"{stem}.npz"
    replace_file(file, "new")
    assert file.read_text() == "new"
    assert names(tmp_path) == [file.name]


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere/a\.txt"), replacing(tmp_path / "nowhere" / "a.txt"):
        pass


def test_several_files_are_replaced_together_or_none(tmp_path):
    main, part = tmp_path / "robot.xml", tmp_path / "meshes" / "a.obj"
    replace_files({main: "old", part: "old"})
    (tmp_path / "meshes" / "b.obj").mkdir()
    with pytest.raises(IsADirectoryError):
        replace_files({main: "new", part: "new", tmp_path / "meshes" / "b.obj": "new"})
    assert (main.read_text(), part.read_text()) == ("old", "old")
    assert names(tmp_path) == ["meshes", "robot.xml"]
    assert names(tmp_path / "meshes") == ["a.obj", "b.obj"]


def test_the_main_file_comes_last(tmp_path, monkeypatch):
    order = []
    real = os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append(os.path.basename(b)), real(a, b)))
    replace_files({tmp_path / "main": "x", tmp_path / "one": "x", tmp_path / "two": "x"})
    assert order[-1] == "main"


WRITER = """
import sys
from newtonlite.core.replacing import replace_file
print("ready", flush=True)
k = 0
while True:
    replace_file(sys.argv[1], bytes([k % 256]) * 3_000_000); k += 1
"""


def test_a_killed_program_leaves_a_whole_file(tmp_path):
    file = tmp_path / "a.bin"
    replace_file(file, b"\0" * 3_000_000)
    for k in range(3):
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE)
        child.stdout.readline()
        time.sleep(0.05 + 0.013 * k)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        data = file.read_bytes()
        assert data == data[:1] * 3_000_000


def writers() -> dict:
    """Functions that write the same thing to a path, by the ending of its name."""
    import newtonlite as nl
    from newtonlite.exporters.mjcf import save_mjcf
    from newtonlite.exporters.usd import save_usd
    from newtonlite.solvers.mujoco.compile import compile_model
    from newtonlite.solvers.mujoco.compile.binary import save_model
    from newtonlite.viewer.batches import appearance
    from newtonlite.viewer.png import write_png
    from newtonlite.viewer.recording.file import save
    from newtonlite.viewer.recording.recording import Recording

    builder = nl.ModelBuilder()
    nl.solvers.SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf('<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>')
    model = builder.finalize(device="cpu")
    compiled, look = compile_model(model), appearance(model)
    recording = Recording(look, np.zeros(1, int), np.zeros(1), look.body_q[None])
    return {
        ".xml": lambda path: save_mjcf(compiled, path),
        ".usda": lambda path: save_usd(compiled, path),
        ".usdc": lambda path: save_usd(compiled, path),
        ".usdz": lambda path: save_usd(compiled, path),
        ".bin": lambda path: save_model(compiled, path),
        ".npz": lambda path: save(recording, path),
        ".png": lambda path: write_png(path, np.zeros((2, 2, 3), np.uint8)),
    }


@pytest.mark.parametrize("ending", [".xml", ".usda", ".usdc", ".usdz", ".bin", ".npz", ".png"])
def test_writers_leave_the_old_file_where_the_disk_is_full(tmp_path, monkeypatch, ending):
    write, file = writers()[ending], tmp_path / f"robot{ending}"
    write(file)
    assert file.stat().st_size > 20
    file.write_text("old")
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        write(file)
    monkeypatch.undo()
    assert file.read_text() == "old"
    assert names(tmp_path) == [file.name]

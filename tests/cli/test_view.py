"""newtonlite view: a model or a recording on a page, or one line that says what is missing."""

import subprocess
import sys

import pytest

from newtonlite.cli.main import main


@pytest.fixture
def viser():
    """The library of the page."""
    return pytest.importorskip("viser", reason="no viser: pip install 'newtonlite[viewer]'")


def test_a_model_is_shown_at_the_printed_address(viser, capsys):
    assert main(["view", "box_stack", "--worlds", "2", "--seconds", "0.3", "--no-browser"]) == 0
    assert "open http://127.0.0.1:" in capsys.readouterr().out


def test_beyond_this_machine_the_address_has_a_token(viser, capsys):
    assert main(["view", "box_stack", "--host", "0.0.0.0", "--seconds", "0.1", "--no-browser"]) == 0
    assert "/?token=" in capsys.readouterr().out


def test_a_recording_is_shown(viser, capsys, tmp_path):
    from newtonlite.viewer import Recorder, save_recording
    from newtonlite.viewer.batches import appearance
    from tests.harness.viewer_scenes import model

    made = model("box_stack", 2)
    recorder = Recorder(appearance(made))
    recorder.keep(made.state(), 0.0)
    path = save_recording(recorder.recording(), tmp_path / "run")
    assert main(["view", str(path), "--seconds", "0.2", "--no-browser"]) == 0
    assert "open http://" in capsys.readouterr().out


WITHOUT = """
import sys
sys.modules |= dict.fromkeys(("viser", "msgspec", "imageio", "websockets"))
from newtonlite.cli.main import main
sys.exit(main(["view", "box_stack"]))
"""


def test_without_the_extra_one_line_names_it():
    """In a process that has imported nothing of it yet."""
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 2
    said = [line for line in done.stderr.strip().splitlines() if not line.startswith("Warp ")]  # of Python 3.10
    assert len(said) == 1 and "newtonlite[viewer]" in said[0]


def test_a_file_that_is_neither_is_refused(viser, capsys, tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(b"neither")
    assert main(["view", str(path), "--no-browser"]) == 2
    assert "x.npz" in capsys.readouterr().err


def test_a_packaged_task_is_shown_by_name(viser, capsys):
    assert main(["view", "hopper", "--worlds", "2", "--control", "random", "--seconds", "0.2", "--no-browser"]) == 0
    assert "open http://" in capsys.readouterr().out


def test_a_name_of_a_model_and_a_task_is_the_models_unless_asked(viser):
    from newtonlite.cli.view import is_task

    assert not is_task("humanoid", False)
    assert is_task("humanoid", True)
    assert is_task("ant", False)
    assert is_task("my_task.py:other", False)
    assert not is_task("box_stack", False)


def test_a_name_of_nothing_says_which_names_there_are(viser, capsys):
    assert main(["view", "no_such_thing", "--no-browser"]) == 2
    said = capsys.readouterr().err
    assert "humanoid" in said
    assert "hopper" in said


def test_a_policy_of_a_run_is_shown(viser, capsys, tmp_path):
    pytest.importorskip("torch", reason="no torch: pip install 'newtonlite[learn]'")
    from newtonlite.learn.runner import Runner

    Runner("hopper", tmp_path, iterations=1, steps=8, worlds=2, minibatches=4).train()
    argv = ["play", str(tmp_path), "--view", "--episodes", "2", "--seconds", "0.2", "--no-browser"]
    assert main(argv) == 0
    assert "open http://" in capsys.readouterr().out


def test_a_picture_needs_no_viser(monkeypatch, capsys, tmp_path):
    from newtonlite.images.png import read_png

    monkeypatch.setitem(sys.modules, "viser", None)
    path = tmp_path / "still.png"
    assert main(["view", "box_stack", "--picture", str(path)]) == 0
    assert capsys.readouterr().out.strip() == str(path)
    assert read_png(path.read_bytes()).shape == (480, 640, 3)

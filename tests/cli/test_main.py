"""The command line as a whole: help everywhere, mistakes reported in one line with exit code 2."""

import os
import subprocess
import sys

import pytest

from newtonlite import __main__, __version__, models
from newtonlite.cli.main import COMMANDS, OUTSIDE, main


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"usage: newtonlite {command}" in capsys.readouterr().out


def test_the_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert all(name in out and text in out for name, text in COMMANDS.items())


@pytest.mark.parametrize(
    "argv, message",
    [
        ([], "required: COMMAND"),
        (["fly"], "invalid choice: 'fly'"),
        (["rollout"], "required: MODEL"),
        (["rollout", "humanoid", "--worlds", "0"], "expected at least 1, got 0"),
        (["rollout", "humanoid", "--worlds", "many"], "expected a whole number, got 'many'"),
        (["rollout", "humanoid", "--control", "magic"], "invalid choice: 'magic'"),
        (["bench", "humanoid", "--mode", "fast"], "invalid choice: 'fast'"),
    ],
)
def test_wrong_arguments_are_told_in_one_line(argv, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(argv)
    err = capsys.readouterr().err
    assert stop.value.code == 2
    assert message in err and err.count("\n") == 1


@pytest.mark.parametrize("command", ["rollout", "bench", "inspect"])
def test_a_missing_model_names_those_there_are(command, capsys):
    assert main([command, "nothing.xml"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "nothing.xml: no such file" in err and "humanoid" in err


def test_a_broken_file_is_told_with_its_place(tmp_path, capsys):
    file = tmp_path / "broken.xml"
    file.write_text('<mujoco>\n  <worldbody>\n    <geom tipe="box" size="1 1 1"/>\n  </worldbody>\n</mujoco>\n')
    assert main(["inspect", str(file)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "broken.xml:3" in err and "tipe" in err and "type" in err


def test_no_outside_reads_nothing_outside_the_folder_above_the_model(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv(OUTSIDE, raising=False)
    (tmp_path / "secret.xml").write_text("<mujocoinclude><worldbody><geom size='.1'/></worldbody></mujocoinclude>")
    file = tmp_path / "robot" / "xml" / "robot.xml"
    file.parent.mkdir(parents=True)
    file.write_text("<mujoco><include file='../../secret.xml'/></mujoco>")
    assert main(["inspect", str(file), "--no-outside"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "outside the model's root" in err
    assert OUTSIDE not in os.environ and main(["inspect", str(file)]) == 0


def test_an_unknown_opponent_is_named(capsys):
    assert main(["bench", "humanoid", "--against", "chess"]) == 2
    assert "no opponent chess" in capsys.readouterr().err


def test_an_unknown_device_is_told_in_one_line(capsys):
    assert main(["rollout", "humanoid", "--device", "abacus"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "abacus" in err


def test_the_package_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "newtonlite", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"newtonlite {__version__}\n") and __main__.main is main


def test_a_folder_is_told_from_a_file_that_is_absent(capsys, tmp_path):
    assert main(["inspect", str(tmp_path)]) == 2
    assert f"{tmp_path}: a folder; name a file in it" in capsys.readouterr().err


def test_packaged_models_are_found_by_name():
    assert {"humanoid", "quadruped", "box_stack"} <= set(models.names())
    with pytest.raises(ValueError, match="no packaged model is called 'horse'"):
        models.path("horse")

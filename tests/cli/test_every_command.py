"""Every command of the table: it ends with one line of JSON where that is asked for, and on a terminal it shows what is done
meanwhile.
"""

import contextlib
import importlib.util
import io
import json
import sys

import pytest

from newtonlite.cli import progress
from newtonlite.cli.main import COMMANDS, main
from newtonlite.core import kernel_archive, kernel_module

WORDS = {
    "rollout": ["cartpole", "--worlds", "2", "--steps", "12"],
    "bench": ["cartpole", "--worlds", "2", "--steps", "3", "--rounds", "1"],
    "testspeed": ["cartpole", "--nworld", "2", "--nstep", "3"],
    "view": ["cartpole", "--picture", "OUT.png"],
    "inspect": ["cartpole"],
    "convert": ["cartpole", "OUT.xml"],
    "envs": ["cartpole"],
    "train": ["cartpole", "--worlds", "4", "--iterations", "1", "--out", "OUT"],
    "sweep": ["cartpole", "--worlds", "4", "--iterations", "1", "--every", "1", "--workers", "1"],
    "play": ["OUT", "--episodes", "1"],
    "doctor": [],
    "warmup": ["--take", "OUT.zip"],
    "demo": ["--worlds", "2", "--steps", "12", "--out", "OUT"],
}
"""Words that follow a command; OUT is in a folder of the test."""
LEARN = ("train", "sweep", "play")
"""Commands that need torch."""
AT_ONCE = ("envs", "warmup")
"""Commands that are done at once with these words."""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Runs a command by its row: its exit code."""
    monkeypatch.setattr("newtonlite.cli.doctor.falls", lambda device: "right")

    def run(name: str, *more: str) -> int:
        if name in LEARN and importlib.util.find_spec("torch") is None:
            pytest.skip("torch is not installed")
        if name == "play":
            assert main(["train", *words("train")]) == 0
        if name == "warmup":
            module = tmp_path / "wp_made" / "wp_made.sm90.ptx"
            module.parent.mkdir()
            module.write_text("")
            kernel_archive.pack([module], tmp_path / "OUT.zip")
        with kernel_module.cache_folder(str(tmp_path / "cache")) if name == "warmup" else contextlib.nullcontext():
            return main([name, *words(name), *more])

    def words(name: str) -> list[str]:
        return [str(tmp_path / word) if word.startswith("OUT") else word for word in WORDS[name]]

    return run


def test_every_command_has_a_row():
    assert WORDS.keys() == COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_one_line_at_the_end(name, call, capsys):
    assert call(name, "--json") == 0
    *others, last = capsys.readouterr().out.splitlines()
    assert isinstance(json.loads(last), dict | list) and (not others or name == "play")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in AT_ONCE])
def test_a_terminal_shows_what_is_done(name, call, monkeypatch, capsys):
    monkeypatch.setattr(progress, "SILENT", 0.0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert call(name) == 0
    assert terminal.getvalue().strip()
    assert capsys.readouterr().out.strip()

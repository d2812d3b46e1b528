"""The door of files: regular ones alone, no larger than their kind, read once; others are refused at once, by name."""

import os
import socket

import pytest

from newtonlite.core import files, limits
from newtonlite.core.errors import FileError, MissingFileError
from newtonlite.core.files import check_file, open_file, read_file


def pipe(path):
    os.mkfifo(path)


def listening(path):
    here = os.getcwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


STRANGE = {
    "folder": (lambda path: path.mkdir(), "is a folder"),
    "pipe": (pipe, "is a device or a pipe"),
    "link to a pipe": (lambda path: (pipe(path.with_suffix(".p")), path.symlink_to(path.with_suffix(".p"))), "a pipe"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "is a device or a pipe"),
    "socket": (listening, "is a socket"),
    "large": (lambda path: os.truncate(path if path.touch() is None else path, 20 << 30), "has 21474836480 bytes"),
}


@pytest.mark.parametrize("read", [read_file, open_file, check_file])
@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_ordinary_file_is_refused_at_once(tmp_path, kind, read):
    make, problem = STRANGE[kind]
    make(tmp_path / "x")
    with pytest.raises(FileError, match=rf"^{tmp_path}/x: .*{problem}"):
        read(tmp_path / "x", "asset")


@pytest.mark.parametrize("name", ["none", "none/deeper", "a\0b", "9" * 5000])
def test_names_that_no_file_has_are_refused(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(FileError) as error:
        read_file(tmp_path / name, "asset")
    assert isinstance(error.value, OSError) and isinstance(error.value, MissingFileError) == name.startswith("none")


def test_a_file_that_grows_is_read_up_to_the_limit(tmp_path, monkeypatch):
    """As under /proc, where sizes are 0: what counts is what comes."""
    monkeypatch.setitem(limits.LIMITS, "table", limits.Limit(100, "bytes", "a test"))
    (tmp_path / "small").write_bytes(bytes(100))
    assert len(read_file(tmp_path / "small", "table")) == 100
    with pytest.raises(FileError, match="has 101 bytes; at most 100"):
        read_file("/proc/self/smaps", "table")


def test_the_descriptor_is_looked_at_not_the_name_alone(tmp_path, monkeypatch):
    """Between a look at a name and its opening, a pipe may have come in its place."""
    (tmp_path / "x").write_text("text")
    os.mkfifo(tmp_path / "pipe")
    honest = os.stat(tmp_path / "x")
    monkeypatch.setattr(files.os, "stat", lambda path: honest)
    with pytest.raises(FileError, match="a pipe"):
        read_file(tmp_path / "pipe", "asset")

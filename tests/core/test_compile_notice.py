"""A call that waits for a compiler says for what; one that does not wait long says nothing."""

import io
import os
import re
import threading
import time

import pytest

from newtonlite.core import compile_notice
from newtonlite.core.compile_notice import Notice

NAMES = [f"newtonlite.part.kernels{i}" for i in range(5)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.delenv("NEWTONLITE_PROGRESS", raising=False)
    for name, value in {"SILENT": 0.2, "TICK": 0.01, "LINGER": 0.1, "REPEAT": 0.15}.items():
        monkeypatch.setattr(compile_notice, name, value)


def compile_all(notice: Notice, seconds: float) -> str:
    """What is said while each of the names takes so long."""
    with notice.compiling(NAMES):
        for name in NAMES:
            with notice.compiling([name]):
                time.sleep(seconds)
    if notice.thread:
        notice.thread.join(5.0)
    return notice.stream.getvalue()


def test_plain_lines_say_what_and_how_many_and_about_how_long():
    first, *others, last = compile_all(Notice(io.StringIO()), 0.15).splitlines()
    assert re.fullmatch(
        r"newtonlite: compiling kernels for this machine, once: [1-4] of 5 done, about \d+ s left "
        r"\(kernels\d(, kernels\d)?( and \d more)?\)",
        first,
    )
    assert len(others) < 4 and all(" of 5 done" in line for line in others)
    assert re.fullmatch(r"newtonlite: 5 modules of kernels ready after \d+ s", last)


def test_a_terminal_has_one_line_which_goes_in_the_end():
    said = compile_all(Notice(Terminal()), 0.15)
    assert "\n" not in said and said.count("\r\033[K") > 5 and said.endswith("\r\033[K")
    assert len({*re.findall(r"(\d) of 5 done", said)}) > 1


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_nothing_is_said_of_what_does_not_take_long(stream):
    assert compile_all(Notice(stream()), 0.005) == ""


def test_modules_that_follow_each_other_are_one_wait():
    notice = Notice(io.StringIO())
    for name in NAMES:
        with notice.compiling([name]):
            time.sleep(0.08)
    notice.thread.join(5.0)
    assert "compiling" in notice.stream.getvalue()


@pytest.mark.parametrize("word", ["0", "off", "No", "FALSE"])
def test_a_setting_switches_it_off(word, monkeypatch):
    monkeypatch.setenv("NEWTONLITE_PROGRESS", word)
    assert compile_all(Notice(io.StringIO()), 0.1) == ""


def test_a_stream_that_takes_nothing_is_no_error(monkeypatch):
    closed = io.StringIO()
    closed.close()
    notice = Notice(closed)
    for stream in (closed, None):
        notice.stream = stream
        monkeypatch.setattr("sys.stderr", stream)
        with notice.compiling(NAMES):
            time.sleep(0.4)
        notice.thread.join(5.0)


def test_an_error_ends_what_was_waited_for():
    notice = Notice(io.StringIO())
    with pytest.raises(ValueError), notice.compiling(NAMES):
        raise ValueError
    assert not notice.waiting.total()


def test_threads_share_one_line():
    notice = Notice(io.StringIO())

    def one(name):
        with notice.compiling([name]):
            time.sleep(0.4)

    with notice.compiling(NAMES):
        threads = [threading.Thread(target=one, args=(name,)) for name in NAMES]
        [t.start() for t in threads]
        [t.join() for t in threads]
    notice.thread.join(5.0)
    assert notice.stream.getvalue().splitlines()[-1].startswith("newtonlite: 5 modules of kernels ready after")


def test_a_child_of_a_fork_begins_with_nothing():
    with compile_notice.notice.compiling(["newtonlite.part"]):
        child = os.fork()
        if not child:
            with compile_notice.notice.compiling(["newtonlite.other"]):
                os._exit(compile_notice.notice.waiting.total() != 1)
        assert os.waitpid(child, 0)[1] == 0
    compile_notice.notice.thread.join(5.0)

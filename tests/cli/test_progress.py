"""Progress on a terminal: a bar of work of known size, the time of other work; nothing elsewhere."""

import io
import time

import pytest

from newtonlite.cli import progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_bar_says_how_far_it_is_and_is_gone_at_the_end():
    stream = Terminal()
    with progress.Progress("rolling out", stream) as bar:
        bar(0.5, "fast")
    assert "rolling out" in stream.getvalue() and " 50 %" in stream.getvalue()
    assert stream.getvalue().endswith("\r\033[K")


def test_what_is_waited_for_is_said_after_a_while(monkeypatch):
    monkeypatch.setattr(progress, "SILENT", 0.01)
    stream = Terminal()
    with progress.waiting("reading robot.xml", stream):
        while "\r" not in stream.getvalue():
            time.sleep(0.01)
    assert "reading robot.xml, 0 s" in stream.getvalue() and stream.getvalue().endswith("\r\033[K")


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()], ids=["a file", "a quick command"])
def test_nothing_is_said_to_a_file_and_of_what_is_done_at_once(stream):
    with progress.waiting("reading", stream):
        pass
    assert stream.getvalue() == ""

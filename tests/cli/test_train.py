"""``newtonlite train``: its line of progress."""

import pytest

from newtonlite.cli.train import Line

ROW = {"iteration": 5, "steps": 1000, "steps_per_second": 2000.4}


@pytest.mark.parametrize(
    ("ended", "text"),
    [
        ({"return": 12.34, "length": 50.0}, "return 12.3  length 50"),
        ({"return": float("nan"), "length": float("nan")}, "no episode has ended yet"),
    ],
)
def test_progress_shows_returns_once_there_are_some(capsys, ended, text):
    Line()({**ROW, **ended}, 10)
    assert capsys.readouterr().err == f"5/10  1,000 steps  2,000 steps/s  {text}\n"

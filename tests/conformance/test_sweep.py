"""Sweeps: rows are kept as they are found, runs go on where they were, and the page needs a row of every case."""

import sys
from dataclasses import replace

import pytest

from conformance import sweep
from conformance.sweep import Sweep, counts, one_line, sorted_by_verdict

JUDGED: list[str] = []


def judge(case: str, steps: int) -> dict:
    """A row that depends on the case alone; one case breaks down."""
    JUDGED.append(case)
    if case == "faulty":
        raise ValueError("no\nsuch /some/folder/file.xml | here")
    return {"verdict": "equal" if case == "one" else "different", "steps": steps}


SWEEP = Sweep(
    "conformance.sweep",
    sweep.ROOT,
    lambda **options: {name: name for name in ("one", "two", "faulty")},
    judge,
    lambda rows, steps: " ".join(f"{row['model']}={row['verdict']}" for row in rows),
    options={"steps": 3},
    needs=sweep.ROOT,
)


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Runs the sweep with arguments: exit code, the cases it judged, and its page."""
    monkeypatch.setattr(sweep, "KEPT", tmp_path / "out")
    monkeypatch.setattr(sweep, "sources", lambda module: "now")
    page = tmp_path / "docs" / "page.md"

    def run(*arguments: str) -> tuple:
        JUDGED.clear()
        monkeypatch.setattr(sys, "argv", ["sweep", *arguments])
        return replace(SWEEP, page_file=page).main(), list(JUDGED), page.read_text() if page.is_file() else ""

    return run


def test_a_page_is_written_when_every_case_has_a_row(command):
    assert command("--only", "one") == (0, ["one"], "")
    assert command() == (1, ["two", "faulty"], "one=equal two=different faulty=fault")


def test_a_case_is_judged_again_where_sources_or_options_changed_or_one_asks(command, monkeypatch):
    command()
    assert command()[1] == []
    assert command("--again", "--only", "two")[1] == ["two"]
    assert command("--steps", "4", "--only", "one")[1] == ["one"]
    monkeypatch.setattr(sweep, "sources", lambda module: "later")
    assert command()[1] == ["one", "two", "faulty"]


def test_a_run_that_was_cut_off_goes_on(command, monkeypatch):
    def cut_off(row: dict) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), monkeypatch.context() as patch:
        patch.setattr(SWEEP.__class__, "report", lambda *a: 0)
        patch.setitem(SWEEP.__dict__, "line", cut_off)
        command()
    assert JUDGED == ["one"]
    assert command()[1] == ["two", "faulty"]


def test_a_breakdown_is_a_row(command):
    command()
    assert replace(SWEEP).kept()["faulty"]["note"] == "ValueError: no such file.xml / here"


def test_an_absent_collection_is_said(command, monkeypatch, capsys):
    monkeypatch.setitem(SWEEP.__dict__, "needs", sweep.ROOT.parent / "absent")
    assert command()[0] == 2
    assert "absent" in capsys.readouterr().err


def test_rows_are_ordered_and_counted_by_verdict():
    rows = [{"model": m, "verdict": v} for m, v in (("c", "equal"), ("b", "different"), ("a", "equal"))]
    assert [row["model"] for row in sorted_by_verdict(rows)] == ["a", "c", "b"]
    assert [row["model"] for row in sorted_by_verdict(rows, ("different", "equal"))] == ["b", "a", "c"]
    assert counts(rows) == "**2 equal**, **1 different**."
    assert one_line(ValueError("1/67 s")) == "1/67 s"

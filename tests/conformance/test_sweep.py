"""Sweeps: rows are kept as they are found, runs go on where they were, and the page needs a row of every case."""

import sys
from dataclasses import replace

import pytest

from conformance import rows, sweep
from conformance.pages import counts, exceptions, left_out, one_line, sorted_by_verdict
from conformance.sweep import Sweep

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
    monkeypatch.setattr(rows, "RUNNING", tmp_path / "out")
    monkeypatch.setattr(rows, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(sweep, "sources", lambda module: "now")
    page = tmp_path / "docs" / "page.md"

    def run(*arguments: str) -> tuple:
        JUDGED.clear()
        monkeypatch.setattr(sys, "argv", ["sweep", *arguments])
        return (
            replace(SWEEP, page_file=page).main(),
            list(JUDGED),
            page.read_text().partition("\n\nRows:")[0] if page.is_file() else "",
        )

    return run


def test_a_page_has_all_rows_that_there_are_and_the_exit_code_those_that_were_asked_for(command):
    assert command("--only", "one") == (0, ["one"], "one=equal")
    assert command() == (1, ["two", "faulty"], "faulty=fault one=equal two=different")
    assert command("--only", "one") == (0, [], "faulty=fault one=equal two=different")


def test_rows_of_models_that_are_not_at_hand_stay_until_all_are_judged_again(command, tmp_path):
    command()
    absent = {"model": "absent", "verdict": "equal", "sources": "page", "options": {}, "date": "2026-01-02"}
    rows.write(SWEEP.rows.file, [absent, *SWEEP.rows.all().values()])
    assert "absent=equal" in command()[2]
    assert command("--again", "--only", "one")[2].startswith("absent=equal")
    assert "absent" not in command("--again")[2]


def test_a_row_says_what_it_was_found_with(command):
    command()
    row = SWEEP.rows.all()["one"]
    assert row["sources"] == "now" and row["options"] == {"steps": 3}
    assert "warp-lang 1." in row["versions"] and "cores" in row["machine"] and row["date"].startswith("20")


def test_a_run_leaves_its_rows_in_one_place(command):
    command()
    assert not SWEEP.rows.running.exists()
    assert [row["model"] for row in rows.read(SWEEP.rows.file).values()] == ["faulty", "one", "two"]


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
        patch.setitem(SWEEP.__dict__, "line", cut_off)
        command()
    assert JUDGED == ["one"]
    assert command()[1] == ["two", "faulty"]


def test_a_breakdown_is_a_row(command):
    command()
    assert SWEEP.rows.all()["faulty"]["note"] == "ValueError: no such file.xml / here"


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


def test_a_page_shows_the_exceptions_fairly_and_says_what_it_leaves_out():
    found = [
        {"model": f"{v} {i}", "verdict": v} for v, n in (("different", 9), ("fault", 1), ("equal", 5)) for i in range(n)
    ]
    shown = exceptions(found, room=4)
    assert [row["model"] for row in shown] == ["different 0", "different 1", "different 2", "fault 0"]
    assert left_out(found, shown) == ["", "Not shown: 6 more different."]
    assert left_out(found, exceptions(found)) == []

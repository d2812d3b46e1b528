"""The tally of damaged files: runs go on where the last one ended, and what broke is tried again."""

import pytest

from conformance import fuzz_tally, rows

ENDS = {3: "KeyError: no place"}


@pytest.fixture
def tally(tmp_path, monkeypatch):
    """Judges a kind whose cases end as ``ENDS`` says, one in each tick of the clock; the row so far is kept."""
    clock = iter(range(10_000))
    monkeypatch.setattr(rows, "RUNNING", tmp_path / "out")
    monkeypatch.setattr(rows, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(fuzz_tally, "sources", lambda module: "of-today")
    monkeypatch.setattr(fuzz_tally, "ended", lambda kind, number, seed: ENDS.get(number, "read"))
    monkeypatch.setattr(fuzz_tally.time, "process_time", lambda: next(clock))

    def run(seconds: int) -> dict:
        return fuzz_tally.SWEEP.rows.add({"model": "mjcf"} | fuzz_tally.judge("mjcf", seconds, 0))

    return run


def test_a_run_goes_on_after_the_last_case(tally):
    first = tally(6)
    second = tally(6)
    assert 0 < first["cases"] < second["cases"] and second["by"] == {"of-today": second["cases"]}
    assert second["read"] + len(second["broken"]) == second["cases"]


def test_what_broke_is_kept_until_it_is_mended(tally, monkeypatch):
    row = tally(12)
    assert row["verdict"] == "broke" and row["broken"] == {"3": ENDS[3]}
    assert "mjcf 3: KeyError" in fuzz_tally.page([row | {"model": "mjcf"}], 1, 0)
    monkeypatch.setattr(fuzz_tally, "ended", lambda kind, number, seed: "refused")
    row = tally(1)
    assert row["verdict"] == "held" and row["mended"] == 1 and not row["broken"]


def test_every_kind_has_files():
    assert {"mjcf", "urdf", "usd", "gmsh", "skin", "recording", "compiled model"} <= fuzz_tally.kinds().keys()
    assert fuzz_tally.ended("ply alone", 0, 0) in fuzz_tally.ENDS

"""Every comparison over own models: pages and kept rows stay, and failures are said."""

import sys

from conformance import verify
from conformance.collection.places import ROOT
from conformance.sweep import Sweep


def sweep(verdict: str, name: str = "own/a") -> Sweep:
    return Sweep(
        "conformance.verify",
        ROOT / "page.md",
        lambda: {name: name, "b": "b"},
        lambda case: {"verdict": verdict},
        lambda rows: "",
    )


def test_only_own_models_are_judged_and_failures_are_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("conformance.rows.RUNNING", tmp_path / "out")
    monkeypatch.setattr("conformance.rows.RESULTS", tmp_path / "results")
    monkeypatch.setattr("conformance.sweep.sources", lambda module: "now")
    monkeypatch.setattr(verify, "sweeps", lambda: {"one": sweep("equal"), "none": sweep("different", "other")})
    monkeypatch.setattr(sys, "argv", ["verify"])
    assert verify.main() == 0
    assert "1 equal" in capsys.readouterr().out
    assert not (tmp_path / "results").exists()
    monkeypatch.setattr(verify, "sweeps", lambda: {"one": sweep("different")})
    (tmp_path / "out" / "verify.jsonl").unlink()
    assert verify.main() == 1
    assert "failed: one" in capsys.readouterr().out


def test_an_unknown_sweep_is_said(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["verify", "nonsense"])
    assert verify.main() == 2
    assert "nonsense" in capsys.readouterr().err


def test_the_commands_of_the_project_are_swept():
    assert {"parity", "import_parity", "urdf_parity", "lockstep", "usd", "residuals"} <= verify.sweeps().keys()

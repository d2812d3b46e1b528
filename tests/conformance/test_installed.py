"""Programs of an installed distribution: what counts as a fault, and what is kept."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance import installed
from newtonlite.core.processor_kinds import KINDS

WHEEL = Path("newtonlite-0.1.0-py3-none-manylinux_2_28_x86_64.whl")
SOURCE = Path("newtonlite-0.1.0.tar.gz")
V3, V2 = KINDS


def row(program: str = "first step of humanoid", **other) -> dict:
    return {"program": program, "seconds": 5.0, "cpu": 2.0, "code": 0, "compiled": False} | other


@pytest.mark.parametrize(
    ("rows", "packaged", "most", "kind", "found"),
    [
        ([row()], True, 0.0, None, []),
        ([row()], True, 2.0, None, ["first step of humanoid took 5.0 s"]),
        ([row(compiled=True)], True, 0.0, None, ["first step of humanoid waited for a compiler"]),
        ([row()], False, 0.0, None, ["first step of humanoid did not say that it compiles"]),
        ([row(compiled=True)], False, 0.0, None, []),
        ([row(), row("demo", code=3, said="no room")], True, 0.0, None, ["demo: exit code 3: no room"]),
        ([row(), row("100 steps", result=f"{V2} ab")], True, 0.0, V2, []),
        ([row(), row("100 steps", result=f"{V3} ab")], True, 0.0, V2, [f"other kernels were taken: {V3} ab"]),
    ],
)
def test_faults_are_found(rows, packaged, most, kind, found):
    assert installed.faults(rows, packaged, most, kind) == found


def test_rows_of_a_distribution_leave_the_others_and_are_on_the_page(monkeypatch, tmp_path):
    monkeypatch.setattr("conformance.rows.RUNNING", tmp_path / "out")
    monkeypatch.setattr("conformance.rows.RESULTS", tmp_path / "results")
    monkeypatch.setattr("conformance.sweep.sources", lambda module: "now")
    sweep = installed.Installed(installed.__name__, tmp_path / "page.md", dict, dict, installed.page)
    sweep.take(installed.label(WHEEL, V2), [row("installation", bytes=1 << 20), row(result=f"{V2} ab")])
    sweep.take(installed.label(SOURCE, None), [row(compiled=True), row("demo", code=1, said="no room")])
    lines = sweep.page_file.read_text().splitlines()
    assert f"| program | source distribution | wheel with kernels, {V2} |" in lines
    assert "| installation |  | 5.0 s, 2.0 CPU s; 1.0 MiB |" in lines
    assert f"| first step of humanoid | 5.0 s, 2.0 CPU s; compiles | 5.0 s, 2.0 CPU s; `{V2} ab` |" in lines
    assert "| demo | failed |  |" in lines
    kept = [json.loads(line) for line in (tmp_path / "results" / "installed.jsonl").read_text().splitlines()]
    assert len(kept) == 4 and all("program" not in one for one in kept)


def test_an_environment_sees_another_processor(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    place = tmp_path / "env" / ("bin" if sys.platform != "win32" else "Scripts")
    installed.pose(V2, place, tmp_path)
    asked = "from newtonlite.core.processor_kinds import processor_flags as f; print(*sorted(f()))"
    surroundings = {"PYTHONPATH": str(installed.ROOT)}
    seen = subprocess.run([place / "python", "-c", asked], capture_output=True, text=True, env=surroundings, check=True)
    assert set(seen.stdout.split()) - {"flags", ":"} == KINDS[V2] and not seen.stderr

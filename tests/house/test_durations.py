"""Which tests are fast: by measured durations, within a budget."""

from tests.harness.durations import BUDGET, Durations, fast, known
from tests.house.project import ROOT


def test_quick_tests_come_first_and_the_budget_holds():
    measured = {"a": [BUDGET / 2, 1000], "b": [BUDGET / 2, 900], "c": [BUDGET / 4, 800], "slow": [2.0, 1]}
    assert fast(measured) == {"c", "a"}
    assert fast({}) == set()


def test_the_table_names_files_and_some_are_fast():
    assert len(fast(known())) > 50
    assert sum(known()[name][0] for name in fast(known())) <= BUDGET
    assert not [name for name in fast(known()) if not (ROOT / name).is_file()]


def test_files_are_measured_by_the_tests_they_have(monkeypatch, tmp_path):
    monkeypatch.setattr("tests.harness.durations.FILE", tmp_path / "durations.json")
    plugin = Durations()
    for test in ("a.py::one", "a.py::two", "b.py::one"):
        plugin.pytest_runtest_logfinish(test, None)
    plugin.pytest_sessionfinish()
    assert {name: count for name, (_, count) in known().items()} == {"a.py": 2, "b.py": 1}

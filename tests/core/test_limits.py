"""Limits are in one table, which SECURITY.md shows."""

from newtonlite.core.limits import LIMITS
from tests.house.project import ROOT


def test_the_page_shows_the_table():
    page = (ROOT / "SECURITY.md").read_text()
    missing = [name for name, row in LIMITS.items() if f"| {name} | {row.most:,} {row.unit} | {row.why} |" not in page]
    assert not missing

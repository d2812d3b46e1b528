"""Code blocks of the guides run, page by page, as a reader would run them one after the other.

A block with a title (```` ```xml title="arm.urdf" ````) is a file that later blocks of the page read.
"""

import re

import pytest

from tests.house.project import ROOT

BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = sorted((ROOT / "docs" / "guide").glob("*.md"))
NEEDS = {"learning": "gymnasium", "from_isaac_lab": "gymnasium", "randomisation": "gymnasium"}
"""Pages that need an extra of the package."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_run(page, tmp_path, monkeypatch):
    pytest.importorskip(NEEDS.get(page.stem, "warp"))
    monkeypatch.chdir(tmp_path)
    scope = {"__name__": "__main__"}
    for kind, title, text in BLOCK.findall(page.read_text()):
        if title:
            (tmp_path / title).write_text(text)
        elif kind == "python":
            exec(compile(text, f"{page.name}", "exec"), scope)


def test_there_are_blocks():
    assert sum(len(BLOCK.findall(page.read_text())) for page in PAGES) > 30

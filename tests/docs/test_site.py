"""The navigation of the site has every page of docs/."""

import re

from tests.house.project import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md"))


def test_the_navigation_has_every_page_once():
    nav = (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2]
    named = re.findall(r": (\S+\.md)$", nav, re.MULTILINE)
    of_root = {"ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}
    assert sorted(n for n in named if n not in of_root) == [p for p in PAGES if not p.startswith("decisions/")]

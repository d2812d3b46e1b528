"""What the pages say exists, exists; a page that lists the stages of a step lists them all, in order."""

import importlib
import re

import pytest

from conformance import solver_paths, stages, support
from newtonlite.solvers.mujoco import pipeline
from tests.house.project import ROOT, files, name

PAGES = [path for path in files() if path.suffix == ".md"]
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
PATH = re.compile(r"`((?:newtonlite|tests|benchmarks|conformance|ptxemu|examples|docs)/[\w./-]*)`")
NAME = re.compile(r"`(newtonlite(?:\.[A-Za-z_]\w*)+)`")
STAGES = [stage.key.split(".")[-1] for stage in pipeline.STEP]
LISTING = 4  # a page naming this many stages is taken to list them


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_and_paths_lead_somewhere(page):
    text = page.read_text()
    targets = [page.parent / link for link in LINK.findall(text)] + [ROOT / path for path in PATH.findall(text)]
    assert not [str(target) for target in targets if not target.exists()]


def test_every_page_can_be_reached_from_the_index():
    found, waiting = set(), [ROOT / "docs" / "README.md"]
    while waiting:
        page = waiting.pop()
        found.add(page)
        linked = {(page.parent / link).resolve() for link in LINK.findall(page.read_text())}
        waiting += [p for p in linked if p.suffix == ".md" and p not in found]
    assert not [
        name(page) for page in PAGES if page.parts[-2] != "decisions" and "docs" in page.parts and page not in found
    ]


DECISIONS = [page for page in PAGES if page.parent.name == "decisions"]


@pytest.mark.parametrize("page", DECISIONS, ids=name)
def test_a_decision_is_context_decision_and_consequence(page):
    """In this order, nothing else; figures of a date stand in a table at the end."""
    heads = [line for line in page.read_text().splitlines() if line.startswith("#")]
    assert heads[0].startswith("# ") and heads[1:] == ["## Context", "## Decision", "## Consequence"]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_names_of_the_package_resolve(page):
    assert not [dotted for dotted in NAME.findall(page.read_text()) if not resolves(dotted)]


def resolves(dotted: str) -> bool:
    """Whether a dotted name is a module or an attribute of one."""
    words = dotted.split(".")
    for cut in range(len(words), 0, -1):
        try:
            found = importlib.import_module(".".join(words[:cut]))
        except ModuleNotFoundError:
            continue
        for word in words[cut:]:
            if not hasattr(found, word):
                return False
            found = getattr(found, word)
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_list_of_stages_is_the_pipelines(page):
    named = [word for word in re.findall(r"`(\w+)`", page.read_text()) if word in STAGES]
    if len(set(named)) >= LISTING and page not in (stages.PAGE, support.ROWS):
        assert list(dict.fromkeys(named)) == STAGES


def test_the_page_of_solvers_is_fresh():
    assert solver_paths.PAGE.read_text() == solver_paths.page(), "run: python -m conformance solver_paths"


def test_the_page_of_stages_is_fresh():
    assert stages.PAGE.read_text() == stages.page(), "run: python -m conformance stages"

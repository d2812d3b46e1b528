"""Locked versions: all that the package asks for, each within what it asks for, and no address."""

import re

from packaging.requirements import Requirement

from conformance import lock
from tests.house.project import ROOT


def pins() -> dict[str, str]:
    lines = [line for line in lock.FILE.read_text().splitlines() if not line.startswith("#")]
    return dict(line.split("==") for line in lines)


def test_every_dependency_is_locked_within_what_is_asked_for():
    text = (ROOT / "pyproject.toml").read_text()
    lists = text[text.index("dependencies = [") : text.index("[project.scripts]")]
    listed = re.findall(r'"([A-Za-z][\w.-]*(?:\[\w+\])?(?:[<>=~!][^"]*)?)"', lists)
    asked = [Requirement(one) for one in listed if not one.startswith("newtonlite")]
    assert len(asked) > 10
    for requirement in asked:
        name = lock.name_of(requirement)
        if name in pins():
            assert requirement.specifier.contains(pins()[name], prereleases=True), name
    assert {"warp-lang", "numpy", "mujoco", "pytest", "ruff", "usd-core", "viser"} <= pins().keys()


def test_a_lock_has_names_and_versions_alone():
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", line) for line in lock.FILE.read_text().splitlines()[1:])


def test_the_oldest_versions_are_those_that_are_asked_for():
    text = (ROOT / "pyproject.toml").read_text()
    listed = text[text.index("dependencies = [") : text.index("[project.optional-dependencies]")]
    bounds = dict(re.findall(r'"([\w.-]+)>=([\w.]+)[,"]', listed))
    lines = [line for line in lock.OLDEST.read_text().splitlines() if not line.startswith("#")]
    assert dict(line.split("==") for line in lines) == bounds and listed.count('"') == 2 * len(bounds)

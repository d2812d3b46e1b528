"""Code blocks of the pages run, page by page, as a reader would run them one after the other, beside some robots' files.

A block with a title (```` ```xml title="arm.urdf" ````) is a file that later blocks of the page read.
"""

import os
import re

import pytest

from newtonlite import models
from tests.house.project import ROOT

BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = sorted(p for p in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")] if "```python" in p.read_text())
ELSEWHERE = {"docs/learning.md": "tests/envs/test_page.py", "docs/mjwarp.md": "tests/mjwarp/test_page.py"}
"""Pages whose code another test runs."""
NEEDS = {"from_isaac_lab": "gymnasium", "randomisation": "gymnasium", "viewer": "viser", "mjlab": "mjlab"}
"""Packages that pages need, of an extra."""
LONG = ("scale_out",)
FEWER = {"README": ("replicate(robot, 1024)", "replicate(robot, 32)"), "viewer": ("range(400)", "range(40)")}
"""What runs less often here: without optimisation it would take a minute."""
CAMERA = '<camera name="front" pos="0 -3 1.2" xyaxes="1 0 0 0 .2 1"/>'
GYRO = '<sensor><gyro name="gyro" site="eyes"/></sensor>'
ARM = """#usda 1.0
(metersPerUnit = 1
upAxis = "Z")
def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
    def Xform "link" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        def Sphere "ball" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
            double radius = 0.1
        }
    }
}
"""


def name(page) -> str:
    """Path of a page in the project."""
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where pages are read: the files of robots that they name."""
    first = (ROOT / "docs" / "guide" / "first_robot.md").read_text()
    (tmp_path / "robot.urdf").write_text(next(text for _, title, text in BLOCK.findall(first) if title))
    (tmp_path / "robot.xml").write_text(
        models.path("humanoid")
        .read_text()
        .replace("<worldbody>", f"<worldbody>{CAMERA}", 1)
        .replace("</mujoco>", f"{GYRO}</mujoco>")
    )
    (tmp_path / "robot.usda").write_text(ARM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [p for p in PAGES if name(p) not in ELSEWHERE], ids=name)
def test_blocks_run(page, folder):
    pytest.importorskip(NEEDS.get(page.stem, "warp"))
    if page.stem in LONG and os.environ.get("NEWTONLITE_TEST_PAGE") != "whole":
        pytest.skip("starts workers, for a minute: make test-viewer")
    scope = {"__name__": "__main__"}
    for kind, title, text in BLOCK.findall(page.read_text()):
        if title:
            (folder / title).write_text(text)
        elif kind == "python":
            exec(compile(text.replace(*FEWER.get(page.stem, ("", ""))), name(page), "exec"), scope)


@pytest.mark.parametrize("stem", FEWER)
def test_what_runs_less_often_is_on_its_page(stem):
    assert any(FEWER[stem][0] in page.read_text() for page in PAGES if page.stem == stem)


def test_pages_that_are_run_elsewhere_are_there():
    assert all(
        (ROOT / test).exists() and page.rpartition("/")[2] in (ROOT / test).read_text()
        for page, test in ELSEWHERE.items()
    )


def test_code_stands_in_blocks():
    """Not indented, where nothing would run it."""
    indented = re.compile(r"^    (?:import|from) \w+|^    \w+ = newton", re.MULTILINE)
    prose = {
        name(p): re.sub(r"^```.*?^```$", "", p.read_text(), flags=re.MULTILINE | re.DOTALL)
        for p in (ROOT / "docs").rglob("*.md")
    }
    assert not [page for page, text in prose.items() if indented.search(text)]

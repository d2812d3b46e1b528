"""Names are terms of the field: every stage stands in the glossary, and words that no book has do not come back."""

import re

import pytest

import newtonlite
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.adapter.programs import PULL, PUSH
from tests.house.project import ROOT, name, sources

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()
PROGRAMS = {
    key: value for key, value in vars(pipeline).items() if key.isupper() and isinstance(value, tuple) and key != "RK4"
}
NEW = {"Error", "ParseError", "ModelError", "CapacityError", "DeviceError", "StateError", "mjwarp"}
SLANG = """
    stir stirs pass_over fall_asleep less_slip solve_by_sweeps solve_few_rows solve_many_rows over_dofs settle_friction
    row_step ray_step slip_step least_on_disc fine_gradient whole_step tie_bodies turn_rate put_chain close_bodies
    com_position motion_axes turn_axes walk_tree show_links juts_out weigh_hits say_who_stays count_stayers meet_softly
    meet_triangles meet_features take_free give_free follow_rest given_solref untold Wardrobe Promised
    BEFORE_SPEED FROM_SPEED ROOMY STIFFEST HARDEST STEEPEST near_pair nearmax
""".split()

PLAIN = ("told", "twin", "twins")
"""English words that stood for a term of the field in names and prose."""
LEFT = {
    "told": """
        newtonlite/actuators newtonlite/controllers newtonlite/importers newtonlite/solvers/mujoco/adapter/engine.py
        tests/importers tests/harness/usd_stages.py
        newtonlite/geometry/contact/convex/shape.py newtonlite/solvers/mujoco/kernels/solve
    """,
    "twin": "newtonlite/geometry/mesh.py newtonlite/sim tests/geometry",
    "twins": "",
}
"""Where they still are, or where they mean what they say; the lists may only shrink."""


def rows() -> dict[str, str]:
    """Rows of the glossary's tables: the first column's names, and the second column."""
    found = {}
    for line in GLOSSARY.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) >= 3:
            found |= dict.fromkeys(re.findall(r"`([^`]+)`", cells[0]), cells[1])
    return found


def all_stages() -> set[str]:
    lists = [*(v for k, v in PROGRAMS.items() if k != "BLOCKS"), *pipeline.GPU_KERNELS.values(), PUSH, PULL]
    return {stage.key.split(".")[-1] for stages in lists for stage in stages}


def test_every_stage_has_its_counterpart_in_the_glossary():
    counterparts = rows()
    missing = sorted(stage for stage in all_stages() if stage not in counterparts)
    assert not missing
    vague = [s for s in all_stages() if not re.search(r"`[^`]+`|\bnew\b", counterparts[s])]
    assert not vague


def test_every_program_and_gpu_kernel_is_in_the_glossary():
    listed = rows()
    assert not [key for key in (*PROGRAMS, *pipeline.GPU_KERNELS) if key not in listed and key != "BLOCKS"]


def test_public_names_are_newtons_or_said_to_be_new():
    api = ROOT.parent / "shared" / "reference" / "newton_api.md"
    if not api.is_file():
        pytest.skip("needs the list of Newton's names beside the project")
    text = api.read_text()
    own = {public for public in newtonlite.__all__ if not re.search(rf"\b{public}\b", text)}
    assert own <= NEW
    assert all(f"`{public}`" in GLOSSARY for public in NEW)


@pytest.mark.parametrize("word", SLANG)
def test_removed_words_do_not_come_back(word):
    pattern = re.compile(rf"(?<![\w]){word}(?![\w])")
    places = sources("newtonlite", "tests", "benchmarks", "conformance", "examples")
    found = [name(p) for p in places if p.name != "test_vocabulary.py" and pattern.search(p.read_text())]
    assert not found


@pytest.mark.parametrize("word", PLAIN)
def test_plain_words_are_only_where_they_are_listed(word):
    pattern, left = re.compile(rf"\b{word}\b", re.IGNORECASE), tuple(LEFT[word].split()) or ("-",)
    places = sources("newtonlite", "tests", "benchmarks", "conformance", "examples")
    found = {name(p) for p in places if p.name != "test_vocabulary.py" and pattern.search(p.read_text())}
    assert not [place for place in sorted(found) if not place.startswith(left)]
    assert not [place for place in left if place != "-" and not any(one.startswith(place) for one in found)]

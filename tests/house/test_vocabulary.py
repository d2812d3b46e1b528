"""Names are terms of the field: every stage stands in the glossary, and words that no book has do not come back."""

import ast
import importlib
import re
from collections import defaultdict

import pytest

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.adapter.programs import PULL, PUSH
from newtonlite.solvers.mujoco.executor import plan
from tests.house.project import ROOT, imports, name, sources, tree

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()
PROGRAMS = {
    key: value
    for key, value in {**vars(pipeline), **{k: vars(plan)[k] for k in ("GANG", "GANG_MATRIX", "GANG_FORCES")}}.items()
    if key.isupper() and isinstance(value, tuple)
}
MODULES = ["newtonlite"] + [
    f"newtonlite.{name}"
    for name in "actuators controllers envs ik math selection sensors solvers usd utils viewer".split()
]
"""Public modules whose names are Newton's, but for those that the glossary says are new."""
SLANG = """
    stir stirs pass_over fall_asleep less_slip solve_by_sweeps solve_few_rows solve_many_rows over_dofs settle_friction
    row_step ray_step slip_step least_on_disc fine_gradient whole_step tie_bodies turn_rate put_chain close_bodies
    com_position motion_axes turn_axes walk_tree show_links juts_out weigh_hits say_who_stays count_stayers meet_softly
    meet_triangles meet_features take_free give_free follow_rest given_solref untold Wardrobe Promised
    BEFORE_SPEED FROM_SPEED ROOMY STIFFEST HARDEST STEEPEST near_pair nearmax
""".split()

PLAIN = ("told", "twin", "twins")
"""English words that stood for a term of the field in names and prose."""


def rows() -> dict[str, str]:
    """Rows of the glossary's tables: the first column's names, and the second column."""
    found = {}
    for line in GLOSSARY.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) >= 3:
            found |= dict.fromkeys(re.findall(r"`([^`]+)`", cells[0]), cells[1])
    return found


def all_stages() -> set[str]:
    lists = [*PROGRAMS.values(), *plan.GPU_KERNELS.values(), PUSH, PULL]
    return {stage.key.split(".")[-1] for stages in lists for stage in stages}


def test_every_program_and_gpu_kernel_is_in_the_glossary():
    listed = rows()
    assert not [key for key in (*PROGRAMS, *plan.GPU_KERNELS) if key not in listed]


ROOMS = ("envs", "learn", "viewer", "scale", "solvers/mujoco/executor", "solvers/mujoco/render")
"""Folders whose words are neither MuJoCo's nor Newton's: what others import of them stands in the glossary."""
ROLES = {
    "arguments": "options of a command",
    "box": "a shape, in each of its forms",
    "check": "says what is wrong with an input",
    "cylinder": "a shape, in each of its forms",
    "derive": "the tables of one file of derive/",
    "grid": "points on a lattice",
    "load": "reads a file",
    "main": "entry point of a program",
    "page": "the text that people read",
    "run": "carries out a command",
    "table": "rows for people",
    "task": "the task of a file of envs/tasks",
}
"""Names of functions that many modules have, with what they mean in all of them."""


def public_functions() -> dict[tuple[str, str], str]:
    """Folders of public functions at the top of modules, by module and name."""
    found = {}
    for path in sources("newtonlite"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        functions = (node for node in tree(path).body if isinstance(node, ast.FunctionDef))
        found |= {(module, node.name): name(path.parent) for node in functions if node.name[0] != "_"}
    return found


def test_functions_that_other_folders_import_are_in_the_glossary():
    functions, listed = public_functions(), rows()
    rooms = tuple(f"newtonlite/{room}" for room in ROOMS)
    used = {
        place.rpartition(".")[2]
        for path in sources("newtonlite")
        for place, _ in imports(path)
        if (folder := functions.get((place.rpartition(".")[0], place.rpartition(".")[2]), "")).startswith(rooms)
        and folder != name(path.parent)
    }
    assert not used - set(listed)


def test_a_name_that_many_modules_have_means_the_same_in_all_of_them():
    modules = defaultdict(set)
    for module, function in public_functions():
        if ".kernels.reference." not in module:
            modules[function].add(module)
    many = {function: sorted(places) for function, places in modules.items() if len(places) >= 5}
    assert many.keys() <= ROLES.keys(), many


def public_names(module: str) -> dict:
    """Public names of a module: those in ``__all__``, without modules that Python's import put there."""
    found = importlib.import_module(module)
    return {public: getattr(found, public) for public in found.__all__}


@pytest.mark.parametrize("module", MODULES)
def test_public_names_are_newtons_or_said_to_be_new(module):
    api = ROOT.parent / "shared" / "reference" / "newton_api.md"
    if not api.is_file():
        pytest.skip("needs the list of Newton's names beside the project")
    text, listed = api.read_text(), rows()
    own = {public for public in public_names(module) if not re.search(rf"\b{public}\b", text)}
    assert not {public for public in own if "new" not in listed.get(public, "")}


def test_every_function_of_mjwarp_has_its_counterpart_in_the_glossary():
    listed = rows()
    functions = {key for key, value in public_names("newtonlite.mjwarp").items() if not isinstance(value, type)}
    assert not {key for key in functions if not re.search(r"`(mj_|mjd_|Mj)\w+|\bnew\b", listed.get(key, ""))}


def test_every_stage_and_gpu_kernel_says_its_counterpart_or_new():
    listed = rows()
    for key in (*all_stages(), *plan.GPU_KERNELS):
        assert re.search(r"`[^`]+`|\bnew\b", listed.get(key, "")), key


@pytest.mark.parametrize("word", SLANG)
def test_removed_words_do_not_come_back(word):
    pattern = re.compile(rf"(?<![\w]){word}(?![\w])")
    places = sources("newtonlite", "tests", "benchmarks", "conformance", "examples")
    found = [name(p) for p in places if p.name != "test_vocabulary.py" and pattern.search(p.read_text())]
    assert not found


@pytest.mark.parametrize("word", PLAIN)
def test_plain_words_do_not_stand_for_terms(word):
    pattern = re.compile(rf"\b{word}\b", re.IGNORECASE)
    places = sources("newtonlite", "tests", "benchmarks", "conformance", "examples")
    assert not [name(p) for p in places if p.name != "test_vocabulary.py" and pattern.search(p.read_text())]

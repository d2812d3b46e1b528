"""Tests stand where the code stands: every folder of tests is a folder of the package, and every module has a test."""

from conformance.sources import closure
from tests.house.project import PACKAGE, ROOT, name, sources

TESTS = ROOT / "tests"
LISTED = TESTS / "house" / "covered_elsewhere.txt"
BY_NAME = (
    "cli/",
    "envs/mdp/",
    "envs/tasks/",
    "importers/urdf/",
    "scale/collect_shard.py",
    "schema/urdf.py",
    "solvers/mujoco/executor/cpu/",
    "solvers/mujoco/kernels/reference/",
)
"""Modules that commands, tables of tasks and of formats, the fence, and the walk over reference forms load by name."""
OWN = {"house", "harness", "models", "identities", "examples", "docs", "importers/crashes"}
"""Folders of tests that stand for no folder of the package."""
REPOSITORY = {"benchmarks", "conformance", "ptxemu"}
"""Folders beside the package whose tests stand under the same name."""


def folders() -> set[str]:
    return {path.parent.relative_to(TESTS).as_posix() for path in sources("tests") if path.name.startswith("test_")}


def test_every_folder_of_tests_is_a_folder_of_the_package():
    astray = {
        folder
        for folder in folders() - {"."}
        if not any(folder == own or folder.startswith(own + "/") for own in OWN)
        and not (PACKAGE / folder).is_dir()
        and not (folder.split("/")[0] in REPOSITORY and (ROOT / folder).is_dir())
    }
    assert not astray


def test_files_that_are_no_tests_are_in_the_harness():
    allowed = {"__init__.py", "conftest.py", "oracle.py", "oracle_functions.py", "tolerance.py"}
    stray = [
        name(path)
        for path in sources("tests")
        if not path.name.startswith("test_")
        and path.name not in allowed
        and path.relative_to(TESTS).parts[0] not in ("harness", "house")
    ]
    assert not stray


def test_every_folder_of_the_package_is_tested():
    """A folder is tested by its own folder of tests, or by that of a folder above it."""
    tested = folders()
    untested = {
        folder
        for path in sources("newtonlite")
        if (folder := path.parent.relative_to(PACKAGE).as_posix()) not in (".", "models")
        and not any(f"{folder}/".startswith(f"{one}/") or one.startswith(f"{folder}/") for one in tested)
    }
    assert not untested


def elsewhere() -> dict[str, str]:
    """Modules of the package without a file of tests of their own, with the file that tests them."""
    return dict(line.split(": ") for line in LISTED.read_text().splitlines())


def has_tests_of_its_name(module: str) -> bool:
    """Whether ``a/b.py`` has ``test_b.py``, a ``test_b_....py``, or a folder of tests ``b``, in the folder of tests ``a``."""
    folder, stem = (TESTS / module).parent, (TESTS / module).stem
    return (folder / stem).is_dir() or (folder / f"test_{stem}.py").is_file() or any(folder.glob(f"test_{stem}_*.py"))


def test_every_module_has_tests_of_its_name_or_is_listed_with_those_that_it_has():
    modules = {p.relative_to(PACKAGE).as_posix() for p in sources("newtonlite") if p.name != "__init__.py"}
    untested = {module for module in modules if not has_tests_of_its_name(module)}
    listed = elsewhere()
    assert not untested - set(listed), "give them test_NAME.py, or a line in covered_elsewhere.txt"
    assert not set(listed) - untested, "these have tests of their names, or are gone: take out their lines"


def test_the_tests_that_are_named_reach_their_modules():
    """By what they import, directly or not; modules that are loaded by name stand in ``BY_NAME``."""
    reached = {
        test: closure(f"tests.{test.removesuffix('.py').replace('/', '.')}") for test in set(elsewhere().values())
    }
    astray = [
        f"{module}: {test}"
        for module, test in elsewhere().items()
        if not (TESTS / test).is_file()
        or f"newtonlite.{module.removesuffix('.py').replace('/', '.')}" not in reached[test]
        and not module.startswith(BY_NAME)
    ]
    assert not astray

"""Tests stand where the code stands: every folder of tests is a folder of the package, and every module has a test."""

from tests.house.project import PACKAGE, ROOT, name, sources

TESTS = ROOT / "tests"
OWN = {"house", "harness", "models", "identities", "examples", "importers/crashes"}
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

"""Records of releases are kept as they were written, and the package is never worse than the last."""

import json
import subprocess

import pytest

from conformance import type_reports
from newtonlite import __version__
from tests.house.project import ROOT, name
from tests.house.releases import FOLDER, last, record


def git(*arguments: str) -> str:
    """What git says; nothing where it knows nothing of the project."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout


def test_the_last_record_is_of_this_version_or_one_before():
    numbers = [[int(part) for part in text.split(".")] for text in (last().stem, __version__)]
    assert numbers[0] <= numbers[1]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_a_record_is_as_the_release_wrote_it(path):
    """Nothing is added to it afterwards: who is over a ceiling comes below it again, or is cut in two."""
    first = git("log", "--diff-filter=A", "--format=%H", "--", name(path)).split()
    if not first:
        pytest.skip("git does not know the commit that brought the record")
    assert path.read_text() == git("show", f"{first[-1]}:{name(path)}")


def test_the_list_of_type_reports_has_not_grown():
    assert type_reports.total(json.loads(type_reports.KNOWN.read_text())) <= record()["type_reports"]


def test_the_list_of_type_reports_names_files_that_are_there():
    assert not [file for file in json.loads(type_reports.KNOWN.read_text()) if not (ROOT / file).is_file()]

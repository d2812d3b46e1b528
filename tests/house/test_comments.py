"""Comments: folders of methods have words in their bodies, at least so many lines of a hundred."""

import pytest

from tests.house.project import PACKAGE, files

FLOORS = {
    "solvers/mujoco/executor": 6.0,
    "solvers/mujoco/kernels/solve": 7.4,
    "solvers/mujoco/kernels/sleep": 8.0,
    "solvers/mujoco/kernels/integrate": 8.0,
    "solvers/mujoco/kernels/constraint": 3.0,
    "geometry/contact/convex": 7.0,
}
"""Percent of lines that are comments alone, of Python and of headers; they may only rise."""


@pytest.mark.parametrize("folder", FLOORS)
@pytest.mark.parametrize("suffix, mark", [(".py", "#"), (".h", "//")])
def test_folders_of_methods_have_words_where_the_thinking_is(folder, suffix, mark):
    found = [path for path in files() if PACKAGE / folder in path.parents and path.suffix == suffix]
    lines = [line.strip() for path in found for line in path.read_text().splitlines() if line.strip()]
    comments = sum(line.startswith(mark) for line in lines)
    assert 100 * comments >= FLOORS[folder] * len(lines), f"{comments} of {len(lines)}"

"""Shares of lines that are comments alone, in folders of methods."""

from tests.house.project import PACKAGE, files

FOLDERS = (
    "solvers/mujoco/executor",
    "solvers/mujoco/kernels/solve",
    "solvers/mujoco/kernels/sleep",
    "solvers/mujoco/kernels/integrate",
    "solvers/mujoco/kernels/constraint",
    "geometry/contact/convex",
)
"""Folders with words in their bodies."""
MARKS = {".py": "#", ".h": "//"}


def shares() -> dict[str, float]:
    """Percent of the folders, for each kind of file that they have."""
    return {
        f"{folder} {suffix}": share(folder, suffix) for folder in FOLDERS for suffix in MARKS if lines(folder, suffix)
    }


def lines(folder: str, suffix: str) -> list[str]:
    """Lines of a folder that are not empty."""
    found = [path for path in files() if PACKAGE / folder in path.parents and path.suffix == suffix]
    return [line.strip() for path in found for line in path.read_text().splitlines() if line.strip()]


def share(folder: str, suffix: str) -> float:
    """Percent, rounded down to tenths."""
    comments = sum(line.startswith(MARKS[suffix]) for line in lines(folder, suffix))
    return 1000 * comments // len(lines(folder, suffix)) / 10

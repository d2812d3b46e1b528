"""Models that come with the package, by name: MJCF files in this folder."""

from pathlib import Path

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The packaged models, sorted."""
    return sorted(file.stem for file in FOLDER.glob("*.xml"))


def path(name: str) -> Path:
    """The file of a packaged model; ValueError names those there are."""
    file = FOLDER / f"{name}.xml"
    if not file.is_file():
        raise ValueError(f"no packaged model is called {name!r}; there are: {', '.join(names())}")
    return file

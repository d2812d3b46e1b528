"""Which importer a file is for, and adding it to a builder with that one."""

from pathlib import Path
from xml.parsers import expat

from newtonlite.core.errors import ParseError

from .report import Report


def root_tag(data: bytes) -> str:
    """The tag of the outermost element of XML; empty where there is none."""
    found: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attrs: found or found.append(tag)
    try:
        for start in range(0, len(data), 4096):
            parser.Parse(data[start : start + 4096], False)
            if found:
                break
    except expat.ExpatError:
        pass
    return found[0] if found else ""


def add_file(builder, path, report: Report | None = None, **options) -> str:
    """Add an MJCF or URDF file, whichever its outermost element says it is; returns ``"mjcf"`` or ``"urdf"``.

    URDF is compiled by MuJoCo's convention.  ``options`` go to ``add_mjcf``; ``on_unsupported`` to both.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise ParseError(f"{path}: cannot be read ({problem.strerror})") from None
    if root_tag(data) == "robot":
        shared = {name: value for name, value in options.items() if name in ("on_unsupported", "allow_outside")}
        builder.add_urdf(str(path), convention="mujoco", report=report, **shared)
        return "urdf"
    builder.add_mjcf(str(path), report=report, **options)
    return "mjcf"

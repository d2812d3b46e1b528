"""Importer of a file by its kind; ``add_file`` adds the file to a builder with it."""

from pathlib import Path
from xml.parsers import expat

from newtonlite.core.errors import ModelError
from newtonlite.importers.mjcf.files import read_main
from newtonlite.importers.report import Report

SHARED = ("floating", "on_unsupported", "allow_outside")
"""Options that every importer takes."""
ROWS_ALONE = {"convert_mjc_equality_constraints": False}
"""Equality constraints are their rows: readers of single files have MuJoCo's coordinates, without those of loop joints."""
USD = (".usd", ".usda", ".usdc", ".usdz")


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
    """Add an MJCF, URDF or USD file; returns ``"mjcf"``, ``"urdf"`` or ``"usd"``.

    The name of a file says whether it is USD, else its outermost element what it is.  URDF is compiled by MuJoCo's
    convention, USD in the order of the file; equality constraints are rows without loop joints.  ``options`` go to ``add_mjcf``; ``floating``, ``on_unsupported``,
    ``allow_outside``, ``ctrl_direct`` (USD) and ``compiler`` (URDF) to the others as they take them.
    """
    path = Path(path)
    if "compiler" in options and path.suffix.lower() in USD:
        raise ModelError(f"{path}: compiler: USD has these settings in the file, as mjc:compiler:... of its scene")
    if path.suffix.lower() in USD:
        shared = {name: value for name, value in options.items() if name in (*SHARED, "ctrl_direct")}
        builder.add_usd(path, joint_ordering="authored", report=report, **ROWS_ALONE, **shared)
        return "usd"
    if root_tag(read_main(str(path))) == "robot":
        shared = {name: value for name, value in options.items() if name in (*SHARED, "compiler")}
        builder.add_urdf(str(path), convention="mujoco", report=report, **shared)
        return "urdf"
    builder.add_mjcf(str(path), report=report, **ROWS_ALONE, **options)
    return "mjcf"

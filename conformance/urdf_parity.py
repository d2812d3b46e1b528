"""Compiled URDF robots beside MuJoCo's: every field that describes bodies, joints, geoms and constraints, over the real
robots.

    python -m conformance urdf_parity [--only TEXT]

Writes docs/urdf_parity.md. The robots are read by MuJoCo's convention; those that MuJoCo itself refuses as they are get
the same compiler settings on both sides.
"""

import re
from functools import partial
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

import numpy as np

from conformance.collection.models import files
from conformance.collection.places import ROOT
from conformance.sweep import Sweep, counts, exceptions, left_out, one_line, table
from newtonlite import ModelBuilder
from newtonlite.core.errors import Error
from newtonlite.importers.mjcf.masses import matrix
from newtonlite.importers.report import Report
from newtonlite.importers.urdf import load_urdf
from newtonlite.importers.urdf.translate import stl
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness.import_fields import compare, error

REPAIRS = {"balanceinertia": "true", "boundmass": "1e-6", "boundinertia": "1e-6"}
"""Compiler settings for robots whose inertias MuJoCo refuses."""
SECTIONS = re.compile(
    r"(body|jnt|dof|geom|mesh|eq|qpos|tree)_|(nq|nv|nbody|njnt|ngeom|nmesh|neq)$|(qpos0|inertia tensors)"
)
UNUSED = {"jnt_range": "jnt_limited"}
"""Fields that count only where another one says so."""
MESH = 7
FRAMES = ("geom_pos", "geom_quat", "geom_size", "geom_aabb", "geom_rbound")
"""Fields that for meshes follow their own axes, which are undetermined where moments are nearly equal; their outlines
are compared.
"""
DIRECTIONS = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], float)
LIMIT = 1e-6
"""Largest relative error that counts as equal."""


def judge(path: str) -> dict:
    """The row of one robot: refused by us or by MuJoCo, or the worst field."""
    source = Path(path).read_text(errors="replace")
    for repairs in ({}, REPAIRS):
        row = {"repaired": bool(repairs)}
        try:
            text = repaired(source, repairs)
            mine = ours(text, Path(path))
        except Error as problem:
            row |= {"verdict": "refused", "note": one_line(problem)}
            mine = None
        except ElementTree.ParseError as problem:
            return {**row, "verdict": "refused", "note": f"not well-formed XML ({problem})"}
        try:
            theirs = compiled(text, Path(path))
        except Error:  # the robot is refused before its meshes are known
            return row
        except ValueError as problem:
            both = row.get("verdict") == "refused"
            row |= {
                "verdict": "both refuse" if both else "MuJoCo refuses",
                "note": f"MuJoCo: {one_line(problem)}" + (f"; we: {row['note']}" if both else ""),
            }
            continue
        return row if mine is None else {**row, **verdict(theirs, mine)}
    return row


def verdict(theirs, mine) -> dict:
    """Equal or different, and the worst field."""
    errors = {name: value for name, value in compare(theirs, mine).items() if SECTIONS.match(name)}
    for name, flag in UNUSED.items():
        counts = np.asarray(getattr(theirs, flag)).astype(bool)
        if counts.shape == np.asarray(getattr(mine, flag)).shape:
            errors[name] = error(getattr(theirs, name)[counts], np.asarray(getattr(mine, name))[counts])
    if theirs.nmesh and theirs.ngeom == mine.ngeom:
        errors = {
            name: value for name, value in errors.items() if not name.startswith("mesh_") and name != "geom_dataid"
        }
        plain = np.asarray(theirs.geom_type) != MESH
        kept = [name for name in FRAMES if hasattr(mine, name)]
        errors |= {name: error(getattr(theirs, name)[plain], np.asarray(getattr(mine, name))[plain]) for name in kept}
        errors.pop("body_iquat")  # the tensors are compared
        errors["mesh outlines"] = outlines_error(theirs, mine)
    missing = sorted(name for name, value in errors.items() if np.isnan(value))
    worst = max((n for n in errors if n not in missing), key=lambda n: errors[n])
    equal = errors[worst] <= LIMIT
    return {"verdict": "equal" if equal else "different", "worst": errors[worst], "field": worst, "missing": missing}


def outlines_error(theirs, mine) -> float:
    """How far the outlines of mesh geoms in their bodies are apart, relative to the size of each."""
    worst = 0.0
    for g in np.flatnonzero(np.asarray(theirs.geom_type) == MESH):
        one, two = outline(theirs, g), outline(mine, g)
        worst = max(worst, float(np.abs(one - two).max() / np.abs(one).max()))
    return worst


def outline(m, g: int) -> np.ndarray:
    """How far a mesh geom reaches in some directions of its body [n, m]."""
    mesh = int(m.geom_dataid[g])
    start = int(m.mesh_vertadr[mesh])
    points = np.asarray(m.mesh_vert[start : start + int(m.mesh_vertnum[mesh])], float)
    points = points @ matrix(tuple(map(float, m.geom_quat[g]))).T + np.asarray(m.geom_pos[g], float)
    return (points @ DIRECTIONS.T).max(axis=0)


def repaired(source: str, settings: dict[str, str]) -> str:
    """The robot's text with compiler settings added."""
    if not settings:
        return source
    root = ElementTree.fromstring(source)
    extension = root.find("mujoco")
    if extension is None:
        extension = ElementTree.SubElement(root, "mujoco")
    compiler = extension.find("compiler")
    if compiler is None:
        compiler = ElementTree.SubElement(extension, "compiler")
    compiler.attrib.update(settings)
    return ElementTree.tostring(root, encoding="unicode")


def with_meshes(text: str, path: Path):
    """The robot's mesh files, looked for as we do."""
    robot, surfaces = load_urdf(text, report=Report("warn"))
    surfaces.files.folder = path.parent
    return robot, surfaces


def ours(text: str, path: Path):
    """Our compiled model."""
    builder = ModelBuilder()
    builder.add_urdf(text, convention="mujoco", on_unsupported="warn", assets=by_name(text, path))
    return compile_model(builder.finalize(device="cpu"))


def by_name(text: str, path: Path) -> dict[str, bytes]:
    """Contents of the collision meshes by the text that names them."""
    robot, surfaces = with_meshes(text, path)
    shapes = [s for link in robot.links.values() for s in (*link.visuals, *link.collisions) if s.kind == "mesh"]
    found = {}
    for shape in shapes:
        try:
            found[shape.part.values["filename"]] = surfaces.files.read(shape.part)
        except Error:
            if shape.node.tag == "collision":
                raise
    return found


def compiled(text: str, path: Path):
    """MuJoCo's compiled model; it finds meshes by their last name, and gets those it cannot read as STL."""
    robot, surfaces = with_meshes(text, path)
    assets = by_name(text, path)
    handed, renamed = {}, text
    for k, (name, data) in enumerate(assets.items()):
        plain = PurePosixPath(name.replace("\\", "/")).name
        if plain.lower().endswith((".stl", ".obj")):
            key = plain if handed.get(plain, data) == data else f"{k}_{plain}"
        else:
            key = plain + ".stl"
            node = next(
                s.part
                for link in robot.links.values()
                for s in (*link.visuals, *link.collisions)
                if s.kind == "mesh" and s.part.values["filename"] == name
            )
            data = stl(*surfaces.of(node))
        handed[key] = data
        renamed = renamed.replace(f'"{name}"', f'"{key}"')
    return oracle.compile_xml(renamed, handed)


def page(rows: list[dict]) -> str:
    """The table as Markdown, what agrees first."""
    missing = sorted({name for row in rows for name in row.get("missing", ())})
    lines = [
        "# URDF: compiled robots beside MuJoCo's",
        "",
        f'Written by `python -m conformance urdf_parity`: {len(rows)} robots, read by `add_urdf` with `convention="mujoco"` and',
        '`on_unsupported="warn"`, finalized and compiled, beside what MuJoCo 4.0.0 compiles. The worst relative error of any field of',
        f"bodies, joints, dofs, geoms, meshes and equality constraints; up to {LIMIT:g} counts as equal. *Repaired* robots have",
        f"{', '.join(REPAIRS)} on both sides, for MuJoCo refuses them as they are. Meshes are compared by their outlines in",
        f"the frames of their bodies. Fields that our model does not keep: {', '.join(missing) or 'none'}. What is *refused*",
        "has a fault that MuJoCo reads past, named in its note: files.md, errors unlike MuJoCo's.",
        "",
        counts(rows),
        "",
        *table("robot", "verdict", "repaired", "worst error", "field", "note"),
    ]
    shown = exceptions(rows)
    for row in shown:
        worst = f"{row['worst']:.0e}" if "worst" in row else ""
        cells = (
            row["model"],
            row["verdict"],
            "yes" if row.get("repaired") else "",
            worst,
            row.get("field", ""),
            row.get("note", ""),
        )
        lines.append("| " + " | ".join(cells) + " |")
    lines += left_out(rows, shown)
    return "\n".join(lines) + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "urdf_parity.md",
    partial(files, "urdf"),
    judge,
    page,
    lambda row: f"{row.get('worst', '')} {row.get('field', '')} {row.get('note', '')}",
)

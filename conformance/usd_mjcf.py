"""The USD files converted from MJCF against their sources: both imported and compiled, field by field. Writes
docs/usd_converted.md.

    python -m conformance usd_mjcf

``add_mjcf`` stands for MuJoCo here; docs/import_parity.md says how far that holds. Whole elements that the converter
loses are taken out of the source (``STRIPPED``), single fields that a file does not hold are named in ``NOT_HELD``;
equalities and excludes, whose order it does not keep, are compared as sets.
"""

import json
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np
from lxml import etree

from conformance.collection.places import ASSETS, ROOT
from conformance.sweep import FAULT, Sweep, counts, one_line, table
from newtonlite.core.errors import Error
from newtonlite.core.mujoco import MjtEq
from newtonlite.importers.report import Report
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model

KNOWN = ASSETS.parent / "reference" / "usd_newton.json"
NEAR = 2e-6
TURN = slice(6, 10)  # numbers of a weld's relative turn
"""Largest error that counts as equal, relative to numbers above 1: the files hold float32."""
LOST = {
    "geom_contype": "the schema has no masks",
    "geom_conaffinity": "the schema has no masks",
    "geom_gains": "gains of contacts beside solref",
    "geom_dataid": "numbers of meshes",
    "body_geomadr": "follows from the geoms",
    "site_quat": "",
    "ctrl_from": "the adapter's",
    "ctrl_index": "the adapter's",
    "actuator_dampratio": "",
    "geom_exclude": "",
    "jnt_group": "",
    "body_iquat": "in body_tensor",
    "body_inertia": "in body_tensor",
    "geom_castshadow": "",
    "jnt_range": "",
    "meaninertia": "",
    "geom_sized": "which word gave a size",
    **{
        f"{kind}_user": "numbers of the user's own"
        for kind in ("body", "jnt", "geom", "site", "tendon", "actuator", "sensor")
    },
}
SKIPPED = (
    "names_",
    "newton_",
    "mesh",
    "nmesh",
    "mat",
    "nmat",
    "tex",
    "ntex",
    "light",
    "nlight",
    "cam",
    "ncam",
    "key",
    "nkey",
    "text",
    "numeric",
    "nnumeric",
    "tuple",
    "hfield",
)
SKIPPED += (
    "geom_rgba",
    "site_rgba",
    "geom_matid",
    "site_matid",
    "sensor",
    "nsensor",
    "eq_",
    "exclude",
    "nexclude",
    "geom_user",
    "geom_aabb",
    "nuser",
    "skin",
    "ntuple",
    "ntext",
    "vis_",
    "plane",
)
SENSORS = ("sensor_", "nsensor")
STRIPPED: dict[str, tuple[dict[str, str], list[str], str]] = {
    "barkour_v0": ({"barkour_v0_mjx.xml": "//geom[@type='hfield'] | //asset/hfield"}, [], "height fields"),
    "constraints": ({"constraints.xml": "//equality/tendon"}, [], "equalities of tendons"),
    "myofinger": ({"finger_v0.xml": "//geom[@type='ellipsoid']"}, [], "ellipsoids, one of which weighs"),
    "pendula": ({"pendula.xml": "//motor[@jointinparent]"}, [], "the targets of two actuators"),
    "tabletop": (
        {"tabletop.xml": "//body[starts-with(@name, 'ellipsoid')]"},
        [".*/ellipsoid_"],
        "ellipsoids, all that four bodies have, which are left out on both sides",
    ),
}
"""What the converter loses: elements taken out of the files of the source, prims left out of the stage, and the words."""
FRAMES = "poses of bodies inside <frame> and <replicate> are lost"
STEP = "a whole number of steps a second is written"
NOT_HELD = {
    "active_adhesion": {"body_pos": FRAMES},
    "constraints": {
        "opt.timestep": STEP + " (0.015 s becomes 1/67 s)",
        "equalities": "a weld with relpose and anchor has another first anchor in the file than MuJoCo compiles (two numbers)",
    },
    "myofinger": {"actuator_lengthrange": "the file has the range that a simulation with the lost ellipsoid found"},
    "nv_ant": {"jnt_margin": "free joints have no prim", "opt.timestep": STEP + " (0.016 s becomes 1/62 s)"},
    "unitree_g1": {"dof_invweight0": "follows from frames in float32, here by 2.2e-6"},
    "three_humanoids": dict.fromkeys(("body_pos", "body_quat", "qpos0", "qpos_spring"), FRAMES),
}
"""Fields that single files do not hold, with the reason."""
USED = {0: 0, 2: 1, 3: 2, 4: 3, 5: 2, 6: 3, 7: 0, 8: 0, 1: 0}


def cases() -> dict[str, list[str]]:
    """Stage and source of each entry, by the entry's name."""
    entries = json.loads(KNOWN.read_text())["entries"]
    converted = {name: entry for name, entry in entries.items() if "from_mjcf" in name}
    return {name.split("/")[2]: [name, entry["against_source"]["source"]] for name, entry in converted.items()}


def judge(case: list[str]) -> dict:
    """The row of one entry: the fields that differ, but for those that the file does not hold."""
    usd, source = case
    name = usd.split("/")[2]
    files, left_out, lost = STRIPPED.get(name, ({}, [], ""))
    report = Report("warn")
    options = {"joint_ordering": "authored", "on_unsupported": "warn", "report": report, "ignore_paths": left_out}
    try:
        ours = compiled(lambda b: b.add_usd(str(ASSETS / usd), **options))
        with tempfile.TemporaryDirectory() as folder:
            held = stripped(ASSETS / source, files, Path(folder) / "model")
            theirs = compiled(lambda b: b.add_mjcf(str(held), on_unsupported="warn"))
    except Error as problem:
        return {"verdict": "refused", "note": one_line(problem)}
    known = NOT_HELD.get(name, {})
    found = compare(ours, theirs)
    wrong = {field: text for field, text in found.items() if field not in known}
    row = {"differ": wrong, "fields": len(fields(ours, theirs)), "lost": lost, "not_held": known}
    return row | {"verdict": "different" if wrong else "equal in what it holds" if known or lost else "equal"}


def stripped(source: Path, files: dict[str, str], folder: Path) -> Path:
    """The path of a source without what its stage does not hold: itself, or a copy in a folder."""
    if not files:
        return source
    shutil.copytree(source.parent, folder)
    for file, what in files.items():
        tree = etree.parse(str(folder / file))
        found = tree.xpath(what)
        if not found:
            raise ValueError(f"{file} has no {what}")
        for element in found:
            element.getparent().remove(element)
        tree.write(str(folder / file))
    return folder / source.name


def compiled(add):
    """The compiled model of what ``add`` adds to a builder."""
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        add(builder)
        return compile_model(builder.finalize(device="cpu"))


def compare(ours, theirs) -> dict[str, str]:
    """Fields that differ, each with the number that is farthest off."""
    out = {}
    for name, (a, b) in fields(ours, theirs).items():
        if a.shape != b.shape:
            out[name] = f"shape {a.shape}, source {b.shape}"
            continue
        if name == "body_ipos":
            a, b = (x[np.asarray(theirs.body_mass) > 0] for x in (a, b))
        if name in ("geom_solref", "geom_solimp"):  # pictures have none in the file
            touch = (np.asarray(theirs.geom_contype) != 0) | (np.asarray(theirs.geom_conaffinity) != 0)
            a, b = a[touch], b[touch]
        if a.size:
            gap = np.abs(a.astype(float) - b.astype(float)) / np.maximum(1.0, np.abs(b.astype(float)))
            gap = np.nan_to_num(gap)
            if gap.max() > NEAR:
                at = np.unravel_index(np.argmax(gap), gap.shape)
                out[name] = f"{a[at]:.7g}, source {b[at]:.7g} ({int((gap > NEAR).sum())} numbers)"
    return out


def fields(ours, theirs, sensors: bool = False) -> dict:
    """Pairs of arrays that have to be equal; those of sensors where they are asked for."""
    pairs = {}
    for name, value in sorted(vars(theirs).items()):
        if (
            (name.startswith(SKIPPED) and not (sensors and name.startswith(SENSORS)))
            or name in LOST
            or not isinstance(value, (int, float, np.ndarray))
            or np.asarray(value).dtype.kind in "OUS"
        ):
            continue
        pairs[name] = np.asarray(getattr(ours, name, ())), np.asarray(value)
    for name, value in vars(theirs.opt).items():
        pairs[f"opt.{name}"] = np.asarray(getattr(ours.opt, name), float), np.asarray(value, float)
    for name, of in (
        ("body_tensor", tensors),
        ("geom_axes", geom_axes),
        ("geom_size", sizes),
        ("site_size", site_sizes),
        ("equalities", equalities),
        ("excludes", excludes),
        ("ranges", ranges),
        ("actuator_ctrlspec", lambda m: np.zeros(0)),
    ):
        pairs[name] = of(ours), of(theirs)
    for name in ("geom_quat", "site_quat"):
        pairs.pop(name, None)
    for name in ("body_quat", "qpos0", "qpos_spring"):
        a, b = pairs[name]
        if name == "body_quat" and a.shape == b.shape:
            pairs[name] = a * np.where((a * b).sum(-1, keepdims=True) < 0, -1.0, 1.0), b
    if all(np.shape(a) == np.shape(b) for a, b in (pairs["qpos0"],)):
        for name in ("qpos0", "qpos_spring"):
            a, b = pairs[name]
            pairs[name] = np.where(np.isclose(np.abs(a), np.abs(b)), b, a), b
    return pairs


def matrices(quat) -> np.ndarray:
    """Rotation matrices [n, 3, 3] of (w, x, y, z)."""
    w, x, y, z = np.moveaxis(np.asarray(quat, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    ]
    rows.append([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
    return np.moveaxis(np.array(rows), -1, 0)


def tensors(m) -> np.ndarray:
    """Inertias [n, 3, 3] in the bodies' axes, relative to their largest moment."""
    turn = matrices(m.body_iquat)
    tensor = np.einsum("nij,nj,nkj->nik", turn, m.body_inertia, turn)
    return tensor / np.maximum(np.asarray(m.body_inertia).max(-1), 1e-12)[:, None, None]


def geom_axes(m) -> np.ndarray:
    """What the orientation of geoms means for them: nothing for balls, the axis of round ones, squares of axes of
    boxes.
    """
    turn = matrices(m.geom_quat)
    axes = np.einsum("nik,njk->nijk", turn, turn)
    round_ = np.isin(m.geom_type, (3, 5))[:, None, None]
    plain = np.isin(m.geom_type, (2, 4, 7))[:, None, None]
    return np.where(plain, 0.0, np.where(round_, axes[..., 2], (axes * (np.arange(3) + 1.0)).sum(-1)))


def used(kinds, size) -> np.ndarray:
    """Sizes that a type uses."""
    count = np.array([USED[int(k)] for k in kinds], int).reshape(-1, 1)
    return np.where(np.arange(3) < count, size, 0.0)


def sizes(m) -> np.ndarray:
    """Sizes of geoms."""
    return used(m.geom_type, m.geom_size)


def site_sizes(m) -> np.ndarray:
    """Sizes of sites."""
    return used(m.site_type, m.site_size) if m.nsite else np.zeros((0, 3))


def ranges(m) -> np.ndarray:
    """Ranges of joints that have limits."""
    return np.where(np.asarray(m.jnt_limited, bool)[:, None], m.jnt_range, 0.0)


def equalities(m) -> np.ndarray:
    """Equalities in an order of their own; of a weld's relative turn, whose sign means nothing, w >= 0."""
    if not m.neq:
        return np.zeros((0, 22))
    data = np.array(m.eq_data)
    turned = (np.asarray(m.eq_type) == MjtEq.WELD) & (data[:, TURN][:, 0] < 0)
    data[turned, TURN] *= -1
    rows = np.concatenate([np.stack([m.eq_type, m.eq_obj1id, m.eq_obj2id], 1), data, m.eq_solref, m.eq_solimp], axis=1)
    return rows[np.lexsort(rows[:, :3].T)]


def excludes(m) -> np.ndarray:
    """Excludes in an order of their own, but for that of the world with itself."""
    found = np.sort(np.asarray(m.exclude_signature)) if m.nexclude else np.zeros(0)
    return found[found != 0]


def page(rows: list[dict]) -> str:
    """The page as Markdown."""
    lines = [
        "# USD files converted from MJCF",
        "",
        f"Written by `python -m conformance usd_mjcf`: the {len(rows)} entries that mujoco-usd-converter 0.8 made, imported with",
        '`joint_ordering="authored"`, finalized and compiled, beside `add_mjcf` of their sources, in every field of the compiled model but',
        "those in `LOST` and `SKIPPED` of `conformance/usd_mjcf.py`, which no file of the converter holds (contact masks, names, cameras,",
        f"lights, textures, sensors). Errors up to {NEAR:g}, relative to numbers above 1, count as equal.",
        "",
        counts(rows),
        "",
        *table("entry", "verdict", "fields compared", "differ", "the converter loses", "fields not compared"),
    ]
    for row in rows:
        differ = "; ".join(f"{field}: {text}" for field, text in row.get("differ", {}).items())
        spared = "; ".join(f"{field}: {why}" for field, why in row.get("not_held", {}).items())
        lines.append(
            f"| {row['model']} | {row['verdict']} | {row.get('fields', '')} | {differ or row.get('note', '')} | {row.get('lost', '')} | {spared} |"
        )
    return "\n".join(lines) + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "usd_converted.md",
    cases,
    judge,
    page,
    lambda row: str(row.get("differ") or row.get("note", "")),
    fails=("different", "refused", FAULT),
    needs=KNOWN,
)

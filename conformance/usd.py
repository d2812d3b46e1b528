"""USD files of the collection: import, counts and masses beside Newton's, and 100 steps. Writes docs/usd_entries.md.

    python -m conformance usd [--only kamino]

Counts and masses of Newton 1.8 are those of ``reference/usd_newton.json``. Each difference has a reason in ``COUNTS`` or
``MASSES``, and one without a reason fails. Solvers share the kernels of all features, unoptimised.
"""

import json
import time
from collections import Counter
from pathlib import Path

import numpy as np

from conformance.collection.models import models
from conformance.collection.places import ASSETS, ROOT
from conformance.sweep import FAULT, Sweep, counts, exceptions, one_line, table
from newtonlite.core.enums import ShapeFlags
from newtonlite.core.errors import Error
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.importers.report import Report
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.solver import SolverMuJoCo
from tests import oracle

KNOWN = ASSETS.parent / "reference" / "usd_newton.json"
KINDS = ("bodies", "joints", "dofs", "shapes", "colliders", "sites")
LIMITS = {"mass": 1e-5, "com": 1e-5, "inertia": 1e-4, "pose": 1e-4}
"""Largest differences that count as equal: relative mass, centre [m], relative inertia, position [m]."""
STEPS, DT = 100, 0.002
LONG = 10.0
"""Most seconds of an import."""
FREE_AXES = "UsdPhysics: a PhysicsJoint leaves all six axes free but those that a LimitAPI bounds; Newton locks those without one"
BASE = "UsdPhysics: a body moves freely but for its joints; the trees that nothing holds get a free base, where Newton leaves the bodies without coordinates and its finalize refuses them"
SITES = "connects and welds of sites are constraints too, with a loop joint each; Newton leaves them out"
COUNTS = (
    ("test_universal/", ("dofs",), FREE_AXES),
    ("usdPhysicsJoints", ("dofs",), FREE_AXES),
    ("pendulum_revolute_vs_d6", ("dofs",), FREE_AXES),
    ("boxes_fourbar", ("joints", "dofs"), BASE),
    ("kamino/basics", ("joints", "dofs"), BASE),
    ("kamino/testing/joints", ("joints", "dofs"), BASE),
    ("minitaur", ("dofs",), "UsdPhysics: a range without room locks the joint, so it is a fixed one; the solver refuses Newton's"),
    ("tabletop", ("joints",), "bodies without mass or joint stand on fixed joints; Newton gives them none, and the solver refuses its model"),
    ("constraints", ("joints", "dofs"), SITES),
    ("pendula", ("bodies",), "a ball and a slide of one pair of bodies get a massless link between; one joint of Newton's holds no ball"),
    ("cube_cylinder", ("shapes",), "meshSimplification keeps the collider's mesh, which needs no picture beside it (Newton's turns a cube into a wedge)"),
    ("four_link_chain", ("shapes",), "UsdGeom: a body that is itself a sphere is drawn"),
    ("revolute_articulation", ("shapes",), "UsdGeom: a body that is itself a sphere is drawn"),
    ("deformables_mixed", KINDS, "cables, cloth and soft bodies are not simulated"),
)  # fmt: skip
"""Reasons for other counts than Newton's: part of the entry's name, kinds, reason; the first that fits."""
MASSES = (
    ("arm26", ("mass", "com", "inertia"), "a collider of mass 0 in a file of MuJoCo's weighs nothing, as in MuJoCo (5.67 kg); in Newton it weighs by density (10.8 kg)"),
    ("anymal_c", ("inertia",), "newton:inertia counts as authored (0.001 in all six places, positive semidefinite but for rounding); Newton's check of it fails by that rounding, and it takes the inertia of the shapes"),
    ("SpheresWithMaterial", ("mass", "inertia"), "physics materials are bound without MaterialBindingAPI applied: the binding counts (density 10); OpenUSD's parser, and so Newton, does not see it (1000)"),
    ("", ("pose",), "joint frames, or first coordinates, and poses of the file disagree; poses follow the joints, so that coordinates and poses agree from the start"),
)  # fmt: skip
"""Reasons for other masses and poses than Newton's, likewise."""

QUIET = ("equal", "explained", "sound")


def newton() -> dict[str, dict]:
    """What Newton 1.8 made of the files beside the project, by name; nothing where they are absent."""
    return json.loads(KNOWN.read_text())["entries"] if KNOWN.is_file() else {}


def cases() -> dict[str, list]:
    """Files, and whether Newton's numbers of them are known: those beside the project, own ones, and the collection's."""
    known = {name: [str(ASSETS / name), True] for name in newton()}
    rest = {name: row for name, row in models("usd").items() if row["source"] != "beside"}
    return known | {name: [row["file"], False] for name, row in rest.items() if f"usd/{row.get('also')}" not in known}


def judge(case: list) -> dict:
    """The row of one file: refused, or equal, or different for reasons that are listed, or for none; *sound* where
    Newton's numbers are not known.
    """
    file, known = case
    name = Path(file).relative_to(ASSETS).as_posix() if known else file
    report = Report("warn")
    builder, start = ModelBuilder(), time.perf_counter()
    try:
        found = builder.add_usd(file, report=report, on_unsupported="warn")
        row: dict = {"seconds": round(time.perf_counter() - start, 2), "left_out": len(report.refused)}
        model = builder.finalize(device="cpu")
    except Error as problem:
        return {"verdict": "refused", "note": one_line(problem)}
    row |= stepped(model, found["physics_dt"] or DT)
    scaled = found["linear_unit"] != 1.0 or found["mass_unit"] != 1.0
    if scaled:  # Newton takes numbers as they are
        builder = ModelBuilder()
        builder.add_usd(file, on_unsupported="warn", units="newton")
    entry = newton()[name] if known else {}
    row |= {"scaled": scaled, "counts": {}, "masses": {}}
    row |= {"counts": count_gaps(builder, entry), "masses": mass_gaps(builder, entry)} if known else {}
    row["reasons"] = reasons(name, row["counts"], COUNTS) | reasons(name, row["masses"], MASSES)
    if row["bad"] and unstable(model, found["physics_dt"] or DT):
        return row | {"verdict": "unstable in MuJoCo", "note": "MuJoCo 4.0.0 stops with huge accelerations on it too"}
    late = row["seconds"] > LONG
    sound = row["finite"] and not row["bad"] and not late and None not in row["reasons"].values()
    if sound and not known:
        return row | {"verdict": "sound"}
    same = not row["counts"] and not row["masses"]
    return row | {"verdict": ("equal" if same else "explained") if sound else "different"}


def stepped(model, dt: float) -> dict:
    """What 100 steps come to: whether all coordinates stay finite, and worlds that went bad."""
    specialize.disable()
    solver = SolverMuJoCo(model)
    one, two, control = model.state(), model.state(), model.control()
    for _ in range(STEPS):
        solver.step(one, two, control, None, dt)
        one, two = two, one
    arrays = [a.numpy() for a in (one.joint_q, one.joint_qd, one.body_q) if a is not None]
    bad = sum(int((engine.mjw_data.bad_count.numpy() > 0).sum()) for engine in solver.groups)
    return {"finite": all(bool(np.isfinite(a).all()) for a in arrays), "bad": bad, "dofs": model.joint_dof_count}


def unstable(model, dt: float) -> bool:
    """Whether MuJoCo, too, finds numbers that are not finite, or huge, within the steps."""
    mj_model = oracle.compile_xml(*write_mjcf(compile_model(model)))
    mj_model.opt.timestep = dt
    data = oracle.mujoco.MjData(mj_model)
    for _ in range(STEPS):
        oracle.mujoco.mj_step(mj_model, data)
    return any(warning.number for warning in data.warning[-4:])


def count_gaps(builder, entry: dict) -> dict:
    """Counts that are not Newton's, as (ours, Newton's)."""
    flags = np.array(list(builder.shape_flags), int)
    ours = {
        "bodies": builder.body_count,
        "joints": builder.joint_count,
        "dofs": builder.joint_dof_count,
        "shapes": builder.shape_count,
        "colliders": int(((flags & ShapeFlags.COLLIDE_SHAPES) != 0).sum()),
        "sites": int(((flags & ShapeFlags.SITE) != 0).sum()),
    }
    newton = entry.get("default") or {}
    return {k: (ours[k], newton[k]) for k in KINDS if newton.get(k) is not None and ours[k] != newton[k]}


def mass_gaps(builder, entry: dict) -> dict:
    """Largest differences of masses, centres, inertias and positions of bodies that are beyond ``LIMITS``."""
    at = {label: i for i, label in enumerate(builder.body_label)}
    worst = dict.fromkeys(LIMITS, 0.0)
    for path, mass, com, inertia, pose in entry.get("body", []):
        if path not in at:
            continue
        i = at[path]
        xx, yy, zz, xy, xz, yz = (float(x) for x in inertia)
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        own = np.array(builder.body_inertia[i], float).reshape(3, 3)
        gaps = {
            "mass": abs(builder.body_mass[i] - mass) / max(abs(mass), 1e-9),
            "com": np.abs(np.array(builder.body_com[i]) - com).max(),
            "inertia": np.abs(own - tensor).max() / max(np.abs(tensor).max(), 1e-12),
            "pose": np.abs(np.array(builder.body_q[i])[:3] - pose[:3]).max(),
        }
        worst = {key: max(worst[key], float(gap)) for key, gap in gaps.items()}
    return {key: float(f"{gap:.2g}") for key, gap in worst.items() if gap > LIMITS[key]}


def reasons(name: str, gaps: dict, known: tuple) -> dict[str, str | None]:
    """The reason of each kind of difference; None where none is listed."""
    return {kind: next((why for part, kinds, why in known if part in name and kind in kinds), None) for kind in gaps}


def soft() -> set[str]:
    """Entries of cloth, soft bodies, cables and particles."""
    return {name for name, e in newton().items() if (e.get("default") or {}).get("particles") or "shirt" in name}


def page(rows: list[dict]) -> str:
    """The page as Markdown."""
    loaded = [row for row in rows if "seconds" in row]
    slow = max(loaded, key=lambda row: row["seconds"])
    moving = [row for row in loaded if row["dofs"]]
    kept = [row for row in loaded if row["finite"] and not row["bad"]]
    rigid = {row["model"] for row in rows} - soft()
    steady = sum(row["model"] in rigid for row in kept)
    weighed = [row for row in loaded if not set(row["masses"]) - {"pose"}]
    lines = [
        "# USD files of the collection",
        "",
        f"Written by `python -m conformance usd`: {len(rows)} entries, imported with the default arguments and",
        f'`on_unsupported="warn"`, finalized, given to `SolverMuJoCo` and stepped {STEPS} times. Counts, masses, centres, inertias and',
        "poses are beside those of Newton 1.8 (`usd_newton.json` beside the collection).",
        "",
        counts(rows),
        "",
        *table("measure", "number"),
        f"| entries that import and finalize | {len(loaded)} of {len(rows)} |",
        f"| reach the solver and take {STEPS} steps, all coordinates finite, no bad world | {len(kept)} of {len(rows)}; {len([r for r in moving if r in kept])} of the {len(moving)} that can move |",
        f"| of the {len(rigid)} entries without deformables and particles, reach the solver and take {STEPS} steps so | {steady} |",
        f"| prims left out with a message | {sum(row['left_out'] for row in loaded)} in {sum(row['left_out'] > 0 for row in loaded)} entries |",
        f"| counts of bodies, joints, dofs, shapes, colliders and sites are Newton's | {sum(not row['counts'] for row in loaded)}; the others are listed |",
        f"| masses, centres and inertias are Newton's | {len(weighed)}; the others are listed |",
        f"| poses are Newton's | {sum('pose' not in row['masses'] for row in loaded)}; the others are listed |",
        f'| entries with units of their own, compared in those (`units="newton"`), which Newton does not scale | {sum(row["scaled"] for row in loaded)} |',
        f"| longest import | {slow['seconds']:.1f} s ({slow['model']}); all together {sum(row['seconds'] for row in loaded):.1f} s |",
        "",
        "## Counts that are not Newton's",
        "",
        *table("entries", "reason"),
    ]
    lines += by_reason(rows, "counts")
    lines += ["", "## Masses and poses that are not Newton's", "", *table("entries", "reason")]
    lines += by_reason(rows, "masses")
    lines += ["", "## Exceptions", "", *table("entry", "verdict", "why")]
    lines += [
        f"| {row['model']} | {row['verdict']} | {row.get('note', '')} |"
        for row in exceptions(rows, calm=QUIET, room=10)
    ]
    return "\n".join(lines) + "\n"


def by_reason(rows: list[dict], kind: str) -> list[str]:
    """How many entries differ for each reason."""
    found = Counter(
        reason or "unexplained" for row in rows for reason in {row["reasons"][gap] for gap in row.get(kind, {})}
    )
    return [f"| {number} | {reason} |" for reason, number in found.most_common()]


def line(row: dict) -> str:
    """What is printed of a row."""
    return row.get("note") or f"{row['seconds']} s {row['counts'] or ''} {row['masses'] or ''}"


SWEEP = Sweep(
    __name__, ROOT / "docs" / "usd_entries.md", cases, judge, page, line, fails=("different", "refused", FAULT)
)

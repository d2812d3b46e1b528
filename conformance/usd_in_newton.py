"""What we write as USD, read by Newton 1.8: counts of bodies and degrees of freedom, and masses. Writes
docs/usd_in_newton.md.

    python -m conformance usd_in_newton [--only humanoid]

Needs Newton beside newtonlite in the environment. Newton reads with its resolvers of MuJoCo's, its own and PhysX's
schemas, and with the ``mujoco`` attributes registered.
"""

import tempfile
from pathlib import Path

import numpy as np

from conformance.collection.models import files
from conformance.collection.places import ROOT
from conformance.sweep import FAULT, Sweep, counts, exceptions, left_out, one_line, table
from conformance.usd_mjcf import compiled
from newtonlite.core.errors import Error
from newtonlite.exporters.usd import save_usd
from newtonlite.importers.report import Report
from newtonlite.importers.usd.applied import applied

LARGEST, EVERY = 5_000, 4
"""Most mesh vertices of a model that is swept, and of how many models one is taken."""
NEAR = 1e-5
"""Largest relative difference of masses that counts as equal: Newton keeps float32."""


def cases() -> dict[str, str]:
    """Every so many of the models, by name."""
    return dict(list(files(nmeshvert=LARGEST).items())[::EVERY])


def judge(path: str) -> dict:
    """The row of one model."""
    import newton

    try:
        model = compiled(lambda b: b.add_mjcf(path, on_unsupported="warn"))
    except Error as problem:
        return {"verdict": "not read from MJCF", "note": one_line(problem)}
    with tempfile.TemporaryDirectory() as folder:
        written = save_usd(model, Path(folder) / "model.usda", report=Report("warn"))
        builder = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
        kinds = ("Mjc", "Newton", "Physx")
        resolvers = [getattr(newton.usd, f"SchemaResolver{kind}")() for kind in kinds]
        try:
            found = builder.add_usd(str(written), schema_resolvers=resolvers)
        except Exception as problem:  # whatever Newton raises
            return {"verdict": "refused by Newton", "note": f"{type(problem).__name__}: {one_line(problem)}"}
        wanted = weights(written, model)
    gaps = {}
    if len(found["path_body_map"]) != model.nbody - 1:
        gaps["bodies"] = (len(found["path_body_map"]), model.nbody - 1)
    first = {child: joint for joint, child in reversed(list(enumerate(builder.joint_child)))}
    moved = {child for child in first if builder.body_flags[child] == int(newton.BodyFlags.KINEMATIC)}
    own = [joint for child, joint in first.items() if child not in moved]  # later joints of a body close loops
    dofs = sum(sum(builder.joint_dof_dim[joint]) for joint in own)
    if dofs != model.nv:
        gaps["dofs"] = (dofs, model.nv)
    masses = {name: builder.body_mass[i] for name, i in found["path_body_map"].items()}
    off = [abs(masses.get(name, 0.0) - mass) / mass for name, mass in wanted.items() if mass > 0]
    if max(off, default=0.0) > NEAR:
        gaps["mass"] = (float(max(off)), 0.0)
    return {"verdict": "different" if gaps else "equal", "gaps": gaps}


def weights(path: Path, model) -> dict[str, float]:
    """Mass of each body of a file by its path, as the model has it."""
    from pxr import Usd

    stage = Usd.Stage.Open(str(path))
    bodies = [prim for prim in stage.Traverse() if "PhysicsRigidBodyAPI" in applied(prim)]
    masses = {str(prim.GetPath()): prim.GetAttribute("physics:mass") for prim in bodies}
    found = {name: float(attr.Get()) if attr and attr.HasAuthoredValue() else 0.0 for name, attr in masses.items()}
    total = float(np.sum(model.body_mass))
    if abs(sum(found.values()) - total) > NEAR * max(1.0, total):
        raise ValueError(f"the file weighs {sum(found.values())}, the model {total}")
    return found


def page(rows: list[dict]) -> str:
    """The page as Markdown."""
    lines = [
        "# What we write as USD, read by Newton",
        "",
        f"Written by `python -m conformance usd_in_newton`: every {EVERY}th of the collection's MJCF models of up to {LARGEST:,} mesh",
        "vertices, written by `save_usd` and read by Newton 1.8's `add_usd`. Bodies and degrees of freedom of the joints that carry them are counted (mocap",
        "bodies are kinematic ones in Newton, with a free joint, which does not count),",
        f"masses of bodies compared within {NEAR:g}.",
        "",
        counts(rows),
        "",
        *table("model", "verdict", "Newton's, ours"),
    ]
    shown = exceptions(rows)
    for row in shown:
        gaps = ", ".join(f"{kind} {a:g}, {b:g}" for kind, (a, b) in row.get("gaps", {}).items())
        lines.append(f"| {row['model']} | {row['verdict']} | {gaps or row.get('note', '')} |")
    lines += left_out(rows, shown)
    return "\n".join(lines) + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "usd_in_newton.md",
    cases,
    judge,
    page,
    lambda row: str(row.get("gaps") or row.get("note", "")),
    fails=("different", FAULT),
    peers=("newton",),
)

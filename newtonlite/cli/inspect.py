"""newtonlite inspect MODEL: what a model file holds, what the import and the engine make of it, and which masses look
wrong.
"""

import json

import numpy as np

from newtonlite.cli.options import model_argument, model_file
from newtonlite.cli.progress import waiting

JOINTS = ("free", "ball", "slide", "hinge")
GEOMS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast")
CONES = ("pyramidal", "elliptic")


def arguments(parser) -> None:
    """Options of the command."""
    model_argument(parser)
    parser.add_argument(
        "--on-unsupported",
        choices=("raise", "warn"),
        help="stop at what is not supported, or leave it out (default: stop, but leave out what URDF does not know)",
    )
    parser.add_argument(
        "--compiler",
        type=pair,
        action="append",
        metavar="NAME=VALUE",
        help="a setting of MuJoCo's compiler for a URDF file, as balanceinertia=true; may be given again",
    )
    parser.add_argument("--floating", action="store_true", help="give the root of a URDF or USD file a free joint")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def pair(text: str) -> tuple:
    """``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ValueError(text)
    return name, value


def run(args) -> int:
    """Print the findings; exit code 1 where the engine does not simulate the model."""
    file = model_file(args.model)
    from newtonlite.cli.audit import audit
    from newtonlite.cli.convert import compile_source
    from newtonlite.importers.report import Report

    report = Report()
    options = {"compiler": dict(args.compiler)} if args.compiler else {}
    options |= {"floating": True} if args.floating else {}
    with waiting(f"reading {file.name}"):
        mj = compile_source(file, args.on_unsupported, report, **options)
    found = findings(mj) | {"import": report.lines(), "audit": audit(mj)}
    print(json.dumps(found) if args.json else page(file, found))
    return 1 if "refused" in found else 0


def findings(mj) -> dict:
    """Findings of the command about a compiled model."""
    found = {
        "sizes": {
            name: int(getattr(mj, name))
            for name in ("nbody", "njnt", "nq", "nv", "nu", "ngeom", "nsite", "ntendon", "neq", "nkey")
        },
        "mass": float(np.sum(mj.body_mass)),
        "timestep": float(mj.opt.timestep),
        "integrator": INTEGRATORS[int(mj.opt.integrator)],
        "cone": CONES[int(mj.opt.cone)],
        "iterations": int(mj.opt.iterations),
        "bodies": [body(mj, b) for b in range(1, mj.nbody)],
        "joints": [joint(mj, j) for j in range(mj.njnt)],
        "actuators": [actuator(mj, u) for u in range(mj.nu)],
    }
    return {**found, **engine(mj)}


def body(mj, b: int) -> dict:
    """One row of the body table."""
    shapes = [GEOMS[int(t)] for t, owner in zip(mj.geom_type, mj.geom_bodyid) if owner == b]
    return {
        "name": mj.names_body[b],
        "parent": mj.names_body[int(mj.body_parentid[b])],
        "mass": float(mj.body_mass[b]),
        "geoms": shapes,
    }


def joint(mj, j: int) -> dict:
    """One row of the joint table."""
    limits = [float(x) for x in mj.jnt_range[j]] if mj.jnt_limited[j] else None
    dof = int(mj.jnt_dofadr[j])
    return {
        "name": mj.names_joint[j],
        "type": JOINTS[int(mj.jnt_type[j])],
        "body": mj.names_body[int(mj.jnt_bodyid[j])],
        "range": limits,
        "damping": float(mj.dof_damping[dof]),
        "armature": float(mj.dof_armature[dof]),
    }


def actuator(mj, u: int) -> dict:
    """One row of the actuator table."""
    limits = [float(x) for x in mj.actuator_ctrlrange[u]] if mj.actuator_ctrllimited[u] else None
    return {"name": mj.names_actuator[u], "gear": float(mj.actuator_gear[u][0]), "ctrlrange": limits}


def engine(mj) -> dict:
    """Engine report: sizes and memory of the engine, or the reason why it refuses the model."""
    from newtonlite.core.errors import Error
    from newtonlite.solvers.mujoco.data import make_data
    from newtonlite.solvers.mujoco.model import put_model

    try:
        m = put_model(mj, device="cpu")
        d = make_data(m, 1)
    except Error as problem:
        return {"refused": str(problem)}
    return {
        "candidate_pairs": m.ncandidate,
        "nconmax": d.nconmax,
        "njmax": d.njmax,
        "bytes_per_world": sum(a.capacity for a in d.arrays.values()),
    }


def page(file, found: dict) -> str:
    """The findings for people."""
    sizes = "  ".join(f"{name} {value}" for name, value in found["sizes"].items())
    lines = [
        f"{file.name}: {found['mass']:.2f} kg, time step {found['timestep']:g} s, {found['integrator']}, {found['cone']} cones",
        sizes,
        "",
        *table(
            "body", found["bodies"], lambda r: (r["name"], r["parent"], f"{r['mass']:.3f} kg", " ".join(r["geoms"]))
        ),
        "",
        *table(
            "joint",
            found["joints"],
            lambda r: (r["name"], r["type"], r["body"], span(r["range"]), f"damping {r['damping']:g}"),
        ),
        "",
        *table("actuator", found["actuators"], lambda r: (r["name"], f"gear {r['gear']:g}", span(r["ctrlrange"]))),
        "",
    ]
    lines += [f"import: {line}" for line in found["import"]]
    lines += [f"check: {line}" for line in found["audit"]] or ["check: masses and inertias look right"]
    lines.append("")
    if "refused" in found:
        return "\n".join([*lines, f"refused: {found['refused']}"])
    lines.append(
        f"engine: {found['candidate_pairs']} pairs of geoms may touch; room for {found['nconmax']} contacts and "
        f"{found['njmax']} rows; {found['bytes_per_world'] / 1024:.1f} KiB a world on the CPU"
    )
    return "\n".join(lines)


def span(limits) -> str:
    """A range, or that there is none."""
    return f"{limits[0]:.3g} .. {limits[1]:.3g}" if limits else "unlimited"


def table(title: str, rows: list[dict], cells) -> list[str]:
    """Aligned lines under a title; empty where there are no rows."""
    if not rows:
        return [f"no {title}"]
    columns = [[str(c) for c in cells(row)] for row in rows]
    widths = [max(len(row[k]) for row in columns) for k in range(len(columns[0]))]
    return [f"{title:<9}" + "  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in columns]

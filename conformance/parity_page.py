"""docs/parity.md: models by parts of a step."""

from conformance.sweep import counts, one_line, sorted_by_verdict, table

PARTS = ("position", "collision", "velocity", "actuation", "constraint", "solve", "sense", "integrate", "step")
ORDER = (
    "fault",
    "different",
    "as sensitive",
    "equal",
    "unstable in MuJoCo",
    "too large",
    "not reached",
    "refused",
    "no model",
)


def page(rows: list[dict], count: int) -> str:
    """The table as Markdown: what differs first, then what agrees, then what is absent and why."""
    lines = [
        "# Parity with MuJoCo over real models",
        "",
        f"Written by `make parity`: every MJCF file of the collection, {len(rows)} in all, beside MuJoCo 4.0.0, in {count} states met along",
        "random-control rollouts (gentler ones where those are unstable in MuJoCo).",
        "",
        counts(rows, ORDER),
        "",
        "Every part of a step starts from MuJoCo's own numbers; a cell is the error of the array nearest to its tolerance",
        "(tests/tolerance.py), the worst over all states, and is set in bold where it is beyond it. *step* is a whole step from the state",
        "alone. *MuJoCo* is how far MuJoCo's own qacc moves when every number that goes into it is moved up or down by one rounding of",
        "float32, 2^-24: state, places of bodies and geoms, sizes of geoms, corners of meshes, the length at which convex collision stops",
        "searching, and what parts of its step hand on (places and axes in the world, spatial inertias, inertia matrix, constraint rows,",
        "smooth forces). A model is *as sensitive* where in every state what is beyond its tolerance is at most ten times what MuJoCo's own",
        "number moves there in four such trials (sixteen where four do not suffice), or as much as in as many by ten roundings: the engine",
        "rounds every result, not only what goes in, and a step (a contact more, another face of a polytope) is either within these",
        "roundings or is not. Solvers run until they gain nothing more on both sides. The contacts of two geoms are compared as a set:",
        "their order is no physics.",
        "",
        *table("model", "dofs", *PARTS, "MuJoCo", "verdict"),
    ]
    compared = sorted_by_verdict([row for row in rows if "parts" in row], ORDER)
    for row in compared:
        cells = [cell(row["parts"].get(part)) for part in PARTS]
        lines.append(
            f"| {row['model']} | {row['nv']} | {' | '.join(cells)} | {row['sensitivity']:.0e} | {row['verdict']} |"
        )
    lines += [
        "",
        "## Beyond tolerance",
        "",
        *table("model", "part", "what", "states", "error", "tolerance", "times MuJoCo's move"),
    ]
    lines += [line for row in compared for line in details(row)]
    lines += ["", "## Absent, and why", "", *table("model", "verdict", "reason")]
    absent = sorted_by_verdict([row for row in rows if "parts" not in row], ORDER)
    lines += [f"| {row['model']} | {row['verdict']} | {one_line(row['note'])} |" for row in absent]
    return "\n".join(lines) + "\n"


def cell(found: dict | None) -> str:
    """The worst error of a part."""
    if found is None:
        return ""
    text = f"{found['error']:.0e}"
    return text if found["verdict"] == "equal" else f"**{text}**"


def details(row: dict):
    """A line for every part beyond its tolerance."""
    for name, found in row["parts"].items():
        if found["verdict"] != "equal":
            ratio = f"{found['ratio']:.1e}" if found["ratio"] < 1e20 else "it does not"
            yield (
                f"| {row['model']} | {name} | {found['what']} | {found['states']} | {found['error']:.0e} | {found['limit']:.0e} | {ratio} |"
            )

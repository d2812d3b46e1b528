"""docs/parity.md: models by parts of a step."""

from collections import Counter

from conformance.pages import counts, grouped, sorted_by_verdict, table

PARTS = ("position", "collision", "velocity", "actuation", "constraint", "solve", "sense", "integrate", "step")
SHOWN = 10
"""Lines of what is beyond its tolerance."""
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
    """Counts by part of a step, what is farthest beyond its tolerance, and why models are absent."""
    lines = [
        "# Parity with MuJoCo over real models",
        "",
        f"Written by `make parity`: every MJCF file of the collection, {len(rows)} in all, beside MuJoCo 4.0.0, in {count} states met along",
        "random-control rollouts (gentler ones where those are unstable in MuJoCo).",
        "",
        counts(rows, ORDER),
        "",
        "Every part of a step starts from MuJoCo's own numbers and is held to tests/tolerance.py, the worst over all states; *step* is a whole",
        "step from the state alone. *MuJoCo's move* is how far its own number moves when every number that goes into it is moved up or down by one rounding of",
        "float32, 2^-24: state, places of bodies and geoms, sizes of geoms, corners of meshes, the length at which convex collision stops",
        "searching, and what parts of its step hand on (places and axes in the world, spatial inertias, inertia matrix, constraint rows,",
        "smooth forces). A model is *as sensitive* where in every state what is beyond its tolerance is at most ten times what MuJoCo's own",
        "number moves there in four such trials (sixteen where four do not suffice), or as much as in as many by ten roundings: the engine",
        "rounds every result, not only what goes in, and a step (a contact more, another face of a polytope) is either within these",
        "roundings or is not. Solvers run until they gain nothing more on both sides. The contacts of two geoms are compared as a set:",
        "their order is no physics.",
        "",
        *table("part", "models", "equal", "as sensitive", "different", "largest share of its tolerance where equal"),
    ]
    compared = sorted_by_verdict([row for row in rows if "parts" in row], ORDER)
    lines += [part_line(part, [row["parts"][part] for row in compared if part in row["parts"]]) for part in PARTS]
    beyond = sorted((found for row in compared for found in details(row)), key=lambda found: -found[0])
    lines += [
        "",
        f"## Beyond tolerance: {len(beyond)} parts, those farthest beyond MuJoCo's own move",
        "",
        *table("model", "part", "what", "states", "error", "tolerance", "times MuJoCo's move"),
        *(line for _, line in beyond[:SHOWN]),
        "",
        "## Absent, and why",
        "",
        *grouped([row for row in rows if "parts" not in row], room=8),
    ]
    return "\n".join(lines) + "\n"


def part_line(part: str, found: list[dict]) -> str:
    """Counts of a part of a step over the models."""
    verdicts = Counter(cell["verdict"] for cell in found)
    shares = [cell["error"] / cell["limit"] for cell in found if cell["verdict"] == "equal" and cell.get("limit")]
    numbers = " | ".join(str(verdicts[verdict]) for verdict in ("equal", "as sensitive", "different"))
    return f"| {part} | {len(found)} | {numbers} | {f'{max(shares):.2f}' if shares else ''} |"


def details(row: dict):
    """How many times MuJoCo's move, and the line, of every part beyond its tolerance."""
    for name, found in row["parts"].items():
        if found["verdict"] != "equal":
            ratio = f"{found['ratio']:.1e}" if found["ratio"] < 1e20 else "it does not"
            sizes = f"{found['states']} | {found['error']:.0e} | {found['limit']:.0e}"
            yield found["ratio"], f"| {row['model']} | {name} | {found['what']} | {sizes} | {ratio} |"

"""docs/residuals.md: models by solvers."""

from conformance.pages import grouped

SHOWN = 15
"""Models that are shown, those farthest from MuJoCo."""


def page(rows: list[dict], states: int, dofs: int) -> str:
    """The table as Markdown: counts by solver, the models, the one farthest from MuJoCo first, and why others are
    absent.
    """
    found = [(row, solver, s) for row in rows for solver, s in row.get("solvers", {}).items()]
    lines = [
        "# Residuals of the constraint solvers, beside MuJoCo",
        "",
        f"Written by `make residuals`: {states} states of each model with constraint rows and up to {dofs} dofs, own and real, with the tolerance,",
        "iterations and cones of its file, without noslip. Both engines solve the same problem: MuJoCo's inertia, rows and smooth",
        "forces, rounded to float32. A residual is the length of the gradient M x - qfrc_smooth - J' f(J x - aref) in float64 over",
        "meaninertia max(1, nv), the unit of MuJoCo's tolerance; *floor* is that of the optimum (MuJoCo's answer, taken on",
        "in float64) rounded to float32, *rounding* what one rounding of every term leaves. A state is *good* where the engine leaves no more than",
        "the largest of MuJoCo's, the floor and a rounding.",
        "*Stopped* counts states at the limit of iterations with more left than the tolerance, and than float32 allows, ours / MuJoCo's;",
        "*alone* those in which MuJoCo's was not stopped.",
        "",
        "| solver | cones | models | states | good | stopped | alone | typical residual over floor |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for solver in dict.fromkeys(s for _, s, _ in found):
        for elliptic in (False, True):
            chosen = [s for r, n, s in found if n == solver and r["elliptic"] == elliptic]
            lines.append(total(solver, "elliptic" if elliptic else "pyramidal", chosen))
    lines += [
        "",
        "Gauss-Seidel over elliptic cones may leave a contact without force that only friction would wake: MuJoCo's sweeps do,",
        "and the engine's, which are the same one by one, with them. Such residuals are compared to a ten-thousandth.",
        "",
        "| model | solver | good | ours: median, worst | MuJoCo | floor | rounding | iterations: mean, most | MuJoCo | stopped | alone |",
        "|---" * 11 + "|",
    ]
    worst = sorted(found, key=lambda f: (-f[2]["worst"], f[0]["model"]))
    lines += [line(row["model"], solver, s) for row, solver, s in worst[:SHOWN]]
    absent = [{**row, "reason": row.get("reason") or row["note"]} for row in rows if "reason" in row or "note" in row]
    lines += ["", "## Absent, and why", "", *grouped(absent, "reason")]
    return "\n".join(lines) + "\n"


def total(solver: str, cones: str, found: list[dict]) -> str:
    """A line of counts."""
    counts = {k: sum(s[k] for s in found) for k in ("states", "good", "stopped", "their_stopped", "alone")}
    ratios = sorted(s["ours"][0] / max(s["floor"][0], s["theirs"][0], 1e-300) for s in found)
    typical = f"{ratios[len(ratios) // 2]:.2f}" if ratios else ""
    stopped = f"{counts['stopped']} / {counts['their_stopped']}"
    return f"| {solver} | {cones} | {len(found)} | {counts['states']} | {counts['good']} | {stopped} | {counts['alone']} | {typical} |"


def line(model: str, solver: str, s: dict) -> str:
    """A model's line."""
    sizes = [f"{s[who][0]:.0e}, {s[who][1]:.0e}" for who in ("ours", "theirs", "floor")]
    niter = [f"{s[who][0]:.1f}, {s[who][1]}" for who in ("niter", "their_niter")]
    counts = f"{s['stopped']} / {s['their_stopped']} | {s['alone']}"
    return f"| {model} | {solver} | {s['good']} of {s['states']} | {' | '.join(sizes)} | {s['rounding'][0]:.0e} | {' | '.join(niter)} | {counts} |"

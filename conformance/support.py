"""What newtonlite does with every element and attribute of MJCF, from the schema. Writes docs/support.md.

python -m conformance support
"""

import sys
from collections import Counter

from collection.places import ROOT
from newtonlite.core.table import STATUSES, Attr, Element
from newtonlite.schema import MUJOCO

PAGE = ROOT / "docs" / "support.md"
MEANING = {
    "full": "read and simulated",
    "carried": "read, checked and kept; the solver refuses it by name where it asks for something",
    "compiled": "used up while the file is read",
    "metadata": "kept or dropped, without influence on the motion",
    "refused": 'known, and an error where it asks for something (left out with a warning by `on_unsupported="warn"`)',
}


def elements() -> list[tuple[str, Element]]:
    """Every element once, by its shortest path; default classes hold what the elements themselves do."""
    found: dict[int, tuple[str, Element]] = {}
    for path, element in sorted(MUJOCO.walk(), key=lambda item: item[0].count("/")):
        if "/default/" not in f"{path}/" or path.endswith("/default"):
            found.setdefault(id(element), (path.removeprefix("mujoco/"), element))
    return sorted(found.values(), key=lambda item: ORDER.get(item[0].split("/")[0], 0))


ORDER = {child.name: k for k, child in enumerate(MUJOCO.children)}


def cell(attrs: list[Attr]) -> str:
    """Names of attributes."""
    return ", ".join(f"`{a.name}`" for a in attrs)


def page() -> str:
    """The matrix as Markdown."""
    rows = [(path, element) for path, element in elements() if element.name != "mujoco"]
    totals = Counter(
        "refused" if element.status == "refused" else attr.status for _, element in rows for attr in element.attrs
    )
    lines = [
        "# Support of MJCF",
        "",
        "Written by `make support` from `newtonlite/schema`, one row per element of MuJoCo 4's MJCF; a test keeps it current.",
        "",
    ]
    lines += [f"- **{status}** ({totals[status]} attributes): {MEANING[status]}" for status in STATUSES]
    lines += ["", "| element | status | " + " | ".join(STATUSES) + " |", "|---|---|" + "---|" * len(STATUSES)]
    for path, element in rows:
        by = {status: [a for a in element.attrs if a.status == status] for status in STATUSES}
        if element.status == "refused":
            by = {"refused": list(element.attrs)}
        lines.append(
            f"| {path} | {element.status} | " + " | ".join(cell(by.get(status, [])) for status in STATUSES) + " |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the page."""
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())

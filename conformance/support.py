"""What newtonlite does with every element and attribute of MJCF, from the schema. Writes docs/support.md and
docs/reference/mjcf_rows.md.

python -m conformance support
"""

import ast
import sys
from collections import Counter

from conformance.collection.places import ROOT
from newtonlite.core.table import REFUSED, STATUSES, Attr, Element
from newtonlite.schema import MUJOCO

PAGE = ROOT / "docs" / "support.md"
FEW = 5
"""Elements that are listed by name."""
ROWS = ROOT / "docs" / "reference" / "mjcf_rows.md"
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


def functions() -> dict[str, list[str]]:
    """Files of readers and writers in which each function or method is, by name."""
    found: dict[str, list[str]] = {}
    for folder in ("importers", "exporters"):
        for path in sorted((ROOT / "newtonlite" / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef):
                    found.setdefault(node.name, []).append(str(path.relative_to(ROOT / "newtonlite")))
    return found


def handled(element: Element, attr: Attr) -> str:
    """The function that treats a row; '' for one that columns say all of."""
    return attr.handled or ("" if attr.binds or attr.field else element.handled)


def cells(names: str) -> str:
    """Names of one column."""
    return " ".join(f"`{name}`" for name in names.split())


def rows_page() -> str:
    """The rows with their columns, and the functions that rows name, as Markdown."""
    rows = [
        (path, element, attr)
        for path, element in elements()
        if element.status != REFUSED
        for attr in element.attrs
        if attr.status != REFUSED and (attr.binds or attr.field or handled(element, attr))
    ]
    named: dict[str, list[tuple[str, str]]] = {}
    for path, element, attr in rows:
        if name := handled(element, attr):
            named.setdefault(name, []).append((path.rpartition("/")[2], attr.name))
    alone = sum(not handled(element, attr) for _, element, attr in rows)
    lines = [
        "# Rows of MJCF",
        "",
        "Written by `python -m conformance support` from `newtonlite/schema`; a test keeps it current. A row is executed by the readers and writers",
        "of MJCF and USD, by default classes, by the declaration of custom attributes and by documentation.",
        "",
        f"{alone} rows are said by their columns alone; the other {len(rows) - alone} name one of the {len(named)} functions below.",
        "",
        "## Functions that rows name",
        "",
        "| function | rows | in |",
        "|---|---|---|",
    ]
    places = functions()
    for name, of in sorted(named.items()):
        on = dict.fromkeys(element for element, _ in of)
        where = ", ".join(on) if len(on) < FEW else f"{len(on)} elements"
        attrs = " ".join(f"`{attr}`" for attr in dict.fromkeys(attr for _, attr in of))
        lines.append(f"| `{name}` | {where}: {attrs} | {', '.join(places.get(name, ()))} |")
    lines += [
        "",
        "## Columns",
        "",
        "| element | attribute | scene | MuJoCo | USD | conversion | function |",
        "|---" * 7 + "|",
    ]
    shown = set()
    for path, element, attr in rows:
        if (attr.binds + attr.field + attr.usd, attr.name) in shown or not attr.binds + attr.field + attr.usd:
            continue
        shown.add((attr.binds + attr.field + attr.usd, attr.name))
        parts = (cells(attr.binds), cells(attr.field), cells(attr.usd), attr.convert, cells(handled(element, attr)))
        lines.append(f"| {path} | `{attr.name}` | {' | '.join(parts)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the pages."""
    PAGE.write_text(page())
    ROWS.write_text(rows_page())
    return 0


if __name__ == "__main__":
    sys.exit(main())

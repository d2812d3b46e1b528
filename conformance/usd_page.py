"""Tables of docs/usd.md, written from the schemas: what the resolvers read, and what else of MuJoCo's schemas is read.

python -m conformance usd_page
"""

from conformance.collection.places import ROOT
from newtonlite.importers.usd.schemas import all_resolvers
from newtonlite.schema import MUJOCO

PAGE = ROOT / "docs" / "usd.md"
START, END = "<!-- written by python -m conformance usd_page: begin -->", "<!-- end -->"


def main() -> int:
    """Write the tables into the page."""
    PAGE.write_text(written(PAGE.read_text()))
    return 0


def written(text: str) -> str:
    """The page with its tables as they are now."""
    head, _, rest = text.partition(START)
    return head + START + "\n" + "\n".join(schema_tables()) + "\n" + END + rest.partition(END)[2]


def schema_tables() -> list[str]:
    """The attributes of the resolvers, and those of MuJoCo's schemas."""
    resolvers = all_resolvers()
    keys: dict[tuple, dict[str, str]] = {}
    for resolver in resolvers:
        for kind, rows in resolver.mapping.items():
            for key, row in rows.items():
                keys.setdefault((kind, key), {})[resolver.name] = f"`{row.name}`" + (
                    f" ({row.default})" if row.default is not None else ""
                )
    out = [
        "",
        "What the resolvers read, with the defaults of the schemas:",
        "",
        "| prim | key | " + " | ".join(r.name for r in resolvers) + " |",
        "|---" * (2 + len(resolvers)) + "|",
    ]
    for (kind, key), found in sorted(keys.items()):
        out.append(f"| {kind.name.lower()} | `{key}` | " + " | ".join(found.get(r.name, "") for r in resolvers) + " |")
    out += [
        "",
        "What else of MuJoCo's schemas is read, by the element of MJCF it stands for:",
        "",
        "| element | attributes |",
        "|---|---|",
    ]
    shown = {"geom", "joint", "option", "flag", "compiler", "general", "spatial", "weld", "connect", "body", "mesh"}
    done = set()
    for _, element in MUJOCO.walk():
        names = [f"`{name}`" for a in element.attrs for name in a.usd.split()]
        if element.name in shown and element.name not in done and names:
            done.add(element.name)
            out.append(f"| {element.name} | {' '.join(names)} |")
    return [*out, ""]

"""The page of terms: every term of ``newtonlite.envs.mdp`` with its parameters.

    python -m benchmarks terms_page

Writes docs/terms.md.
"""

import inspect
from pathlib import Path

from newtonlite.envs import mdp

PAGE = Path(__file__).parents[1] / "docs" / "terms.md"
HEAD = """# Terms

`python -m benchmarks terms_page` wrote this page. Terms are called `mdp.NAME` after `from newtonlite.envs import mdp`; those of the last table
`mdp.dr.NAME`. `joints`, `bodies`, `actuators`, `names` are patterns (regular expressions of whole names), or several of them. What a term
computes is one number, or a row of them, for every world.
"""
UNSAID = {"env", "mask"}


def signature(func) -> str:
    """Parameters that a task gives, with their defaults."""
    parameters = inspect.signature(func).parameters.values()
    shown = [str(p.replace(annotation=inspect.Parameter.empty)) for p in parameters if p.name not in UNSAID]
    return ", ".join(shown)


def page() -> str:
    """The page's text."""
    parts = [HEAD]
    for module in mdp.MODULES:
        rows = [
            f"| `{name}` | {signature(f).replace('|', chr(92) + '|')} | {' '.join(inspect.getdoc(f).split()).replace('|', chr(92) + '|')} |"
            for name, f in mdp.terms(module).items()
        ]
        parts.append(f"\n## {module}\n\n| term | parameters | |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    return "".join(parts)


def main() -> int:
    """Write the page."""
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    main()

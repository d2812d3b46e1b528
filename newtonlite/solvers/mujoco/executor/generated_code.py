"""Generated code: headers that are put before what Warp generates, and take the place of parts of it, and what is changed in it.

They know how Warp writes array access, loops and branches (docs/reference/warp_contract.md), and are left out where that is
not known; results have the same bits without them.
"""

import re
from pathlib import Path

from newtonlite.core import warp_internals

FOLDER = Path(__file__).parent
# Warp's access lets an index count from the end, and any stride; its addresses are much of what a stage computes
ARRAY_ACCESS, RANGE_LOOP = (
    (FOLDER / name).read_text(encoding="utf-8") for name in ("array_access.h", "cpu/range_loop.h")
)


def cpu_preamble() -> str:
    """Headers before the code of a CPU kernel."""
    return ARRAY_ACCESS + RANGE_LOOP if warp_internals.used() else ""


def cuda_preamble() -> str:
    """Headers before the code of a GPU kernel."""
    return ARRAY_ACCESS if warp_internals.used() else ""


BRANCH = re.compile(r"( *)if \(var_\w+\) \{")
ASSIGNED = re.compile(r"^ *(var_\w+) = ", re.MULTILINE)
MERGE = re.compile(r" *var_\w+ = wp::where\(var_\w+, (var_\w+), (var_\w+)\);")
BESIDE = re.compile(r" *(//.*|#line .*|var_\w+ = wp::(load|copy)\(var_\w+\);)")
"""Lines of generated code: a branch, values that are set in it, the choice of a value behind it, and what stands among choices."""
DEFINED = "// values that a branch sets are 0 where it is not taken\n"
"""In the preamble of a module whose code ``define_values`` is to change, which its hash follows from."""


def define_values(source: str) -> str:
    """CUDA code in which a value that is set in a branch, and chosen or not behind it, is 0 before it.

    It is not set where the branch is not taken, so that compilers of registers keep it from the start of its function on, and
    through all that call it: soft kernels spilled kilobytes of such values.
    """
    lines = source.split("\n")
    found: list[str] = []
    for i, line in enumerate(lines):
        branch = BRANCH.fullmatch(line)
        if branch:
            found += [f"{branch[1]}{value} = decltype({value})();" for value in _chosen_values(lines, i, branch[1])]
        found.append(line)
    return "\n".join(found)


def _chosen_values(lines: list[str], first: int, indent: str) -> dict[str, None]:
    """Values that the branch at line ``first``, or the one of its opposite behind it, sets, and that are chosen after both."""
    at, set_there = first, set()
    while at == first or lines[at].startswith(f"{indent}if (!"):
        end = lines.index(f"{indent}}}", at)
        set_there |= set(ASSIGNED.findall("\n".join(lines[at:end])))
        at = end + 1
        while lines[at].startswith("#line "):
            at += 1
    chosen: dict[str, None] = {}
    while merge := MERGE.fullmatch(lines[at]) or BESIDE.fullmatch(lines[at]):
        if merge.re is MERGE:
            chosen |= dict.fromkeys(value for value in merge.groups() if value in set_there)
        at += 1
    return chosen

"""Native functions: C++ of header files as Warp functions.

A header holds ordinary C++ functions, and stands beside the Python file that declares them, under its name::

    native = header(__file__)

    @wp.func_native(native("sym_mul"))
    def sym_mul(A: A2, x: A1, y: A1, world: int, n: int):
        '''``y = A x``'''

Warp pastes the text of a native function into every program that calls it, so the text is the header's, with what it
includes in its place, once: a program is compiled again when a header changes, and none depends on where the package lies.
(Include folders, ``wp.ModuleBuildOptions``, would have to be named by every module that calls such a function.) Where there
are versions for one lane, a gang and a team, the header chooses between headers of theirs by ``#if``.
"""

import re
from collections.abc import Callable
from pathlib import Path

INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)
FUNCTION = r"^\w.* static [^(\n]*\b{name}\(([^)]*)\) {{"
MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)
SNIPPET = """
#pragma push_macro("float")
#pragma push_macro("bool")
#undef bool
#if defined(SPMD)
#undef float
#define float wp::varying
#endif
struct native {{
{constants}{text}
}};
return native::{name}({arguments});
{cleared}
#pragma pop_macro("bool")
#pragma pop_macro("float")
"""
"""Warp takes the body of one function. So the header is the inside of a struct, where types and static functions
may stand as they may outside of it, and its macros end with it.
"""


def header(python_file: str, **enumerators: int) -> Callable[[str], str]:
    """A function that gives the snippet of a C++ function, by its name, from the header beside ``python_file``.

    ``enumerators`` are constants that the header reads. Raises FileNotFoundError where there is no such header, and
    LookupError where it has no such function.
    """
    file = Path(python_file).with_suffix(".h")
    text = expanded(file, {})
    constants = ", ".join(f"{name} = {int(value)}" for name, value in enumerators.items())
    macros = sorted(set(MACRO.findall(text)))

    def native(name: str) -> str:
        found = re.search(FUNCTION.format(name=name), text, re.MULTILINE)
        if not found:
            raise LookupError(f"{file.name}: no function {name}; define it as `INLINE static TYPE {name}(...) {{`")
        parameters = [re.sub(r".*\W", "", parameter) for parameter in found[1].split(",")]
        return SNIPPET.format(
            constants=f"enum {{ {constants} }};\n" if constants else "",
            text=text,
            name=name,
            arguments=", ".join(parameters),
            cleared="\n".join(f"#undef {macro}" for macro in macros),
        )

    return native


def expanded(file: Path, seen: dict[Path, bool], chosen: bool = False) -> str:
    """Text of a header, with those that it includes in their places, each where it comes first. ``seen`` are those that
    were included so far, and whether below an ``#if``; so is this one where it is ``chosen``.

    Raises ValueError for a header that is included a second time after one below an ``#if``: it may not be there.
    """
    seen[file], lines, depth = chosen, [], 0
    for line in file.read_text(encoding="utf-8").splitlines():
        depth += line.startswith("#if") - line.startswith("#endif")
        found = INCLUDE.match(line)
        if not found:
            lines.append(line)
            continue

        # once: what is there already is not pasted again
        other = (file.parent / found[1]).resolve()
        if seen.get(other):
            raise ValueError(f"{file.name}: includes {other.name}, which another header includes below an #if")
        if other not in seen:
            lines.append(expanded(other, seen, chosen or depth > 0))
    return "\n".join(lines).replace("#pragma once\n", "").strip()

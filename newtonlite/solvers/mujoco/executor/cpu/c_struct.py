"""C struct: a struct that a header declares, as a ctypes structure; its members stand there alone."""

import ctypes
import functools
import re
from pathlib import Path

from warp._src.types import array_t

NUMBERS = {"int": ctypes.c_int32, "long long": ctypes.c_int64, "unsigned long long": ctypes.c_uint64}
ARRAY = re.compile(r"wp::array_t<.*>|\w+s")
"""Types of Warp's arrays, whatever is in them: those of ``team.h`` are plurals."""
BODY = r"^struct {name} {{\n(.*?)^}};"
DECLARATION = re.compile(r"^(?:const )?(wp::array_t<\w+>|(?:unsigned )?long long|\w+) ?([\w *,]+)$")


class CStruct(ctypes.Structure):
    """A structure that takes its members by name or in their order, and no others."""

    def __init__(self, *values, **named):
        unknown = named.keys() - {name for name, _ in self._fields_}
        if unknown:  # which ctypes would keep as attributes of Python's
            raise TypeError(f"{type(self).__name__}: no member {', '.join(sorted(unknown))}")
        super().__init__(*values, **named)


@functools.cache
def c_struct(file: Path, name: str) -> type[CStruct]:
    """The struct ``name`` of a header. Raises LookupError where there is none, and for a member of a type that is
    neither a number, a pointer, an array, nor another struct of the header.
    """
    # comments go first: they may hold braces and semicolons
    text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
    body = re.search(BODY.format(name=name), text, re.MULTILINE | re.DOTALL)
    if not body:
        raise LookupError(f"{file.name}: no struct {name}")

    # declarations such as `const Field *in, *out`; functions come behind the members
    members: list[tuple] = []
    for declaration in body[1].split("(")[0].split(";")[:-1]:
        found = DECLARATION.match(" ".join(declaration.replace("const*", "*").split()))
        if not found:
            raise LookupError(f"{file.name}: {declaration.strip()!r} is no declaration that Python knows")
        kind, names = found.groups()
        for one in names.split(","):
            member = one.replace("*", " ").split()
            if len(member) != 1:
                raise LookupError(f"{file.name}: {declaration.strip()!r} is no declaration that Python knows")
            members.append((member[0], _type(file, kind, "*" in one)))
    return type(name, (CStruct,), {"_fields_": members, "__doc__": f"``struct {name}`` of ``{file.name}``."})


def _type(file: Path, kind: str, pointer: bool) -> type:
    """The type of a member, or of a pointer to one."""
    if pointer:
        return ctypes.c_void_p
    if kind in NUMBERS:
        return NUMBERS[kind]
    # what is no number is another struct of the header, or else an array
    try:
        return c_struct(file, kind)
    except LookupError:
        if not ARRAY.fullmatch(kind):
            raise LookupError(f"{file.name}: {kind} is no type of a member that Python knows") from None
        return array_t

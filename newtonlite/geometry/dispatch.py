"""Dispatch: a Warp function that calls one of several others, by the rows of a table."""

from collections.abc import Iterable

import warp as wp

from newtonlite.core.generated import define


def switch(
    head: str, doc: str, cases: Iterable[tuple[str, str]], otherwise: str, scope: dict, functions: Iterable[wp.Function]
) -> wp.Function:
    """A Warp function of a module with the globals ``scope``: it returns the value of the first case that holds, else
    ``otherwise``.

    ``head`` is its name, parameters and type as ``def`` has them, ``cases`` are pairs of a condition and a value, text in
    Warp's Python over the parameters, ``scope`` and ``functions``. Stages may call it: it is specialised as they are.
    """
    name = head[: head.index("(")]
    branches = [f"    if {condition}:\n        return {value}" for condition, value in cases]
    source = "\n".join([f"def {head}:", f"    {doc!r}", *branches, f"    return {otherwise}", ""])
    names = scope | {function.key: function for function in functions}
    define(source, f"<{scope['__name__']}.{name}>", names)
    return wp.func(names[name])

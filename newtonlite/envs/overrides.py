"""Overrides: fields of a task set by text, as the commands take them: ``rewards.upright.weight=2``."""

import ast
from dataclasses import fields, is_dataclass

from newtonlite.core.errors import ModelError


def override(task, assignments) -> None:
    """Set fields of a task: every assignment is ``PATH=VALUE``, dots lead through tables and terms.

    Values are Python literals, anything else is text; ``None`` in a table removes its entry. ModelError names a path
    that there is not, and what there is.
    """
    for text in assignments:
        path, equals, value = str(text).partition("=")
        if not equals or not path:
            raise ModelError(f"--set {text}: expected PATH=VALUE, as rewards.upright.weight=2")
        *way, last = path.split(".")
        place = task
        for i, name in enumerate(way):
            place = _get(place, name, ".".join(way[:i]) or "a task", text)
        _get(place, last, ".".join(way) or "a task", text, new=isinstance(place, dict) and way[-1:] == ["params"])
        _put(place, last, _literal(value))


def _literal(text: str):
    """A Python literal, or the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _get(place, name: str, where: str, text: str, new: bool = False):
    """Entry of a table or a term under a name. ModelError where there is nothing."""
    known = list(place) if isinstance(place, dict) else [f.name for f in fields(place)] if is_dataclass(place) else []
    if name not in known and not new:
        raise ModelError(f"--set {text}: {where} has no {name!r}; it has {', '.join(map(str, known)) or 'no parts'}")
    return place.get(name) if isinstance(place, dict) else getattr(place, name)


def _put(place, name: str, value) -> None:
    if not isinstance(place, dict):
        setattr(place, name, value)
    elif value is None:
        del place[name]
    else:
        place[name] = value

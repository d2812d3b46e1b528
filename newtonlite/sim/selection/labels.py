"""Label patterns: which labels a pattern matches."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from newtonlite.core.errors import ModelError, WrongTypeError


def matching(labels: Sequence[str], pattern: Any, where: str) -> list[int]:
    """Indices, in order, of the labels that a pattern means.

    A pattern is text with ``*``, ``?`` and ``[...]``, compared with whole labels or, where it means none of these, with
    what follows their last ``/``; a compiled regular expression that matches likewise; a list of either; or a list of
    indices.
    """
    if isinstance(pattern, (str, re.Pattern)):
        pattern = [pattern]
    kinds = {"a pattern" if isinstance(item, (str, re.Pattern)) else "an index" for item in pattern}
    if len(kinds) > 1:
        raise WrongTypeError(f"{where}: {pattern!r} mixes patterns and indices; give a list of either")
    found = set()
    for item in pattern:
        if isinstance(item, (str, re.Pattern)):
            whole = {i for i, label in enumerate(labels) if means(item, str(label))}
            found |= whole or {i for i, label in enumerate(labels) if means(item, str(label).rpartition("/")[2])}
        elif 0 <= int(item) < len(labels):
            found.add(int(item))
        else:
            raise ModelError(f"{where}: index {item} does not exist; there are {len(labels)}")
    return sorted(found)


def means(pattern: str | re.Pattern, label: str) -> bool:
    """Whether one pattern means one label."""
    return bool(pattern.fullmatch(label)) if isinstance(pattern, re.Pattern) else fnmatchcase(label, pattern)

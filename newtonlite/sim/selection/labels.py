"""Label patterns: which labels a pattern matches."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from newtonlite.core.errors import ModelError


def matching(labels: Sequence[str], pattern: Any, where: str) -> list[int]:
    """Indices, in order, of the labels that a pattern means.

    A pattern is text with ``*``, ``?`` and ``[...]``, compared with the whole label or with what follows its last
    ``/``; a compiled regular expression that matches the whole label; a list of either; or a list of indices.
    """
    if isinstance(pattern, (str, re.Pattern)):
        pattern = [pattern]
    found = set()
    for item in pattern:
        if isinstance(item, (str, re.Pattern)):
            found |= {i for i, label in enumerate(labels) if means(item, str(label))}
        elif 0 <= int(item) < len(labels):
            found.add(int(item))
        else:
            raise ModelError(f"{where}: index {item} does not exist; there are {len(labels)}")
    return sorted(found)


def means(pattern: str | re.Pattern, label: str) -> bool:
    """Whether one pattern means one label."""
    names = {label, label.rpartition("/")[2]}
    if isinstance(pattern, re.Pattern):
        return any(pattern.fullmatch(name) for name in names)
    return any(fnmatchcase(name, pattern) for name in names)

"""Import report: what an import used, converted, kept without effect, or left out, and why."""

import logging
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any

from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.core.table import METADATA

logger = logging.getLogger(__name__)


@dataclass
class Group:
    """All places where the same thing was done for the same reason; the first of them is remembered."""

    what: str
    """``geom user``: the element, and the attribute where it is one."""
    why: str
    node: Any
    attr: str | None
    count: int = 1

    @property
    def where(self) -> str:
        """``file:line:column`` of the first place."""
        return self.node.where(self.attr)

    def line(self) -> str:
        """One line for people."""
        times = f" ({self.count} times)" if self.count > 1 else ""
        return f"{self.where}: {self.what}{times}: {self.why}"


class Report:
    """Filled while a file is read; give one to ``add_mjcf`` or ``add_urdf`` to see it afterwards.

    ``used`` counts elements by name; ``converted`` holds what was expressed in other words, ``ignored`` what has no
    influence on the motion, ``refused`` the messages of what is not supported and was let through with
    ``on_unsupported="warn"``.
    """

    def __init__(self, on_unsupported: str = "raise"):
        self.used: Counter[str] = Counter()
        self.converted: list[Group] = []
        self.ignored: list[Group] = []
        self.refused: list[str] = []
        self.verbose = False
        """Whether what is left out is logged too."""
        self.declared: dict[str, frozenset[str]] = {}
        """Attributes, by element, that the builder has custom attributes for."""
        self._groups: dict[tuple, Group] = {}
        self.expect(on_unsupported)

    def expect(self, on_unsupported: str) -> None:
        """Raise what is not supported, or let it through with a warning."""
        if on_unsupported not in ("raise", "warn"):
            raise ParseError(f"on_unsupported={on_unsupported!r}: unknown; use 'raise' or 'warn'")
        self.strict = on_unsupported == "raise"

    def seen(self, node) -> None:
        """Count a checked node, and note which of its attributes have no influence on the motion."""
        element = node.element
        if element.status == METADATA:
            self.ignore(node, element.doc or "no influence on the motion")
            return
        self.used[node.tag] += 1
        quiet = element.without_influence
        for name in node.values if quiet else ():
            if name in quiet:
                self.ignore(node, element.attr(name).doc or "no influence on the motion", name)

    def ignore(self, node, why: str, attr: str | None = None) -> None:
        """Report that something was read and has no influence on the motion."""
        self._note(self.ignored, node, why, attr)

    def convert(self, node, why: str, attr: str | None = None) -> None:
        """Report that something was expressed in other words."""
        self._note(self.converted, node, why, attr)

    def leave_out(self, problem: ParseError | str) -> None:
        """Warn of something that is of no use as it stands, and goes on without."""
        self.refused.append(str(problem))
        if self.verbose:
            logger.warning("%s (left out)", problem)
        warnings.warn(f"{problem} (left out)", NewtonWarning, stacklevel=3)

    def unsupported(self, problem: ParseError) -> None:
        """Raise the problem, or warn of it."""
        if self.strict:
            raise problem
        self.refused.append(str(problem))
        warnings.warn(str(problem), NewtonWarning, stacklevel=3)

    def lines(self) -> list[str]:
        """The report for people."""
        found = ["used: " + (", ".join(f"{count} {name}" for name, count in sorted(self.used.items())) or "nothing")]
        for title, groups in (("converted", self.converted), ("without influence", self.ignored)):
            found += [f"{title}: {group.line()}" for group in groups]
        return found + [f"left out: {message}" for message in self.refused]

    def __str__(self):
        return "\n".join(self.lines())

    def _note(self, target: list[Group], node, why: str, attr: str | None) -> None:
        key = (id(target), node.tag, attr, why)
        if key in self._groups:
            self._groups[key].count += 1
            return
        group = self._groups[key] = Group(f"{node.tag} {attr}" if attr else node.tag, why, node, attr)
        target.append(group)
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug("%s", group.line())

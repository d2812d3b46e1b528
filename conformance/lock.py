"""Versions that the project was tested with: writes constraints.txt from what is installed, and constraints-oldest.txt, the
oldest versions that pyproject.toml admits.

    python -m conformance lock

Of the package's dependencies, those of its extras and what these need in turn, each with the version that is installed here.
``pip install -c constraints.txt -e '.[test]'`` installs the same ones.
"""

import re
import sys
from importlib.metadata import PackageNotFoundError, distribution, metadata

from packaging.requirements import Requirement

from conformance.collection.places import ROOT

FILE = ROOT / "constraints.txt"
OLDEST = ROOT / "constraints-oldest.txt"
OLDEST_HEAD = "# Written by `python -m conformance lock`: the oldest versions that pyproject.toml admits.\n"
HEAD = "# Written by `python -m conformance lock`: versions that the tests pass with (Python {python}).\n"


def name_of(requirement: Requirement) -> str:
    """The name of a distribution as registries spell it."""
    return re.sub(r"[-_.]+", "-", requirement.name).lower()


def needed(name: str, extras: tuple[str, ...]) -> list[Requirement]:
    """What a distribution needs on this machine."""
    found = map(Requirement, distribution(name).requires or ())
    return [r for r in found if not r.marker or any(r.marker.evaluate({"extra": extra}) for extra in ("", *extras))]


def versions(package: str = "newtonlite") -> dict[str, str]:
    """Versions of all that a package needs with its extras, as far as it is installed."""
    found, seen = {}, set()
    waiting = needed(package, tuple(metadata(package).get_all("Provides-Extra") or ()))
    while waiting:
        requirement = waiting.pop()
        key = name_of(requirement), tuple(sorted(requirement.extras))
        if key in seen or key[0] == package:
            continue
        seen.add(key)
        try:
            found[key[0]] = distribution(key[0]).version.partition("+")[0]
            waiting += needed(*key)
        except PackageNotFoundError:
            print(f"not installed, left out: {requirement.name}", file=sys.stderr)
    return found


def oldest(package: str = "newtonlite") -> dict[str, str]:
    """Oldest versions of what a package needs without extras, by the bounds that it gives."""
    found = {}
    for requirement in needed(package, ()):
        bounds = [bound.version for bound in requirement.specifier if bound.operator == ">="]
        found[name_of(requirement)] = bounds[0]
    return found


def main() -> int:
    """Write the files."""
    OLDEST.write_text(OLDEST_HEAD + "".join(f"{name}=={version}\n" for name, version in sorted(oldest().items())))
    head = HEAD.format(python=f"{sys.version_info.major}.{sys.version_info.minor}")
    FILE.write_text(head + "".join(f"{name}=={version}\n" for name, version in sorted(versions().items())))
    print(f"wrote {FILE.name} and {OLDEST.name}")
    return 0

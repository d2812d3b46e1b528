"""``python -m conformance.collection``: fetches the models of the manifest, counts what is there, or makes the manifest anew."""

import sys
from collections import Counter
from pathlib import Path

from conformance.collection import fetch, measure
from conformance.collection.models import models


def count() -> int:
    """Print how many models of each format are there, by where they come from."""
    for kind in ("mjcf", "urdf", "usd"):
        found = Counter(entry["source"] for entry in models(kind).values())
        print(f"{kind:5} {sum(found.values()):5}  " + ", ".join(f"{source} {n}" for source, n in found.items()))
    return 0


def main() -> int:
    """Do what the first argument says."""
    name, *rest = sys.argv[1:] or ["count"]
    if name == "fetch":
        return fetch.main(rest) or count()
    if name == "measure" and len(rest) == 1:
        return measure.main(Path(rest[0]))
    if name == "count" and not rest:
        return count()
    print("python -m conformance.collection fetch [PACKAGE ...] | count | measure FOLDER_OF_WHEELS", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main())

"""The record of a release: numbers that the next ones are held against (tests/house/releases/VERSION.json).

    python -m conformance release_record [VERSION]

That of 0.0.0 is of the sources before the first release. It is written once, when a version is released, and never again: `tests/house/test_releases.py` compares it with the
commit that brought it. Sizes beyond the ceilings, with how far they go; percent of comment lines of the folders of
methods; pyright's reports.
"""

import json
import sys

from conformance import type_reports
from newtonlite import __version__
from tests.house import comments, releases, sizes


def main() -> int:
    path = releases.FOLDER / f"{(*sys.argv[1:], __version__)[0]}.json"
    if path.exists():
        print(f"{path.name} is there: the record of a release is not written again")
        return 1
    record = {
        "type_reports": type_reports.total(json.loads(type_reports.KNOWN.read_text())),
        "comments": comments.shares(),
        "sizes": dict(sorted(sizes.beyond().items())),
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n")
    print(f"wrote {path.name}")
    return 0

"""CPU seconds of test files, as they were measured: which tests are ``fast``.

``NEWTONLITE_TEST_DURATIONS=1 pytest ...`` measures and adds to ``durations.json``. A file is fast where its tests take less than
``MOST_OF_A_TEST`` on average, as long as all fast files together take less than ``BUDGET``; a file that was never measured
is not.
"""

import json
import time
from collections import Counter
from pathlib import Path

FILE = Path(__file__).with_name("durations.json")
BUDGET, MOST_OF_A_TEST = 75.0, 0.2


def fast(measured: dict[str, list[float]]) -> set[str]:
    """Names of the fast files, of CPU seconds and numbers of tests by file; those of quick tests first."""
    chosen, spent = set(), 0.0
    for name, (seconds, tests) in sorted(measured.items(), key=lambda item: (item[1][0] / item[1][1], item[0])):
        if seconds / tests > MOST_OF_A_TEST or spent + seconds > BUDGET:
            break
        chosen.add(name)
        spent += seconds
    return chosen


def known() -> dict[str, list[float]]:
    """What was measured: CPU seconds and number of tests of each file."""
    return json.loads(FILE.read_text()) if FILE.is_file() else {}


class Durations:
    """Plugin that measures test files."""

    def __init__(self):
        self.seconds: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()
        self.began = time.process_time()

    def pytest_runtest_logfinish(self, nodeid: str, location) -> None:
        """A test, with what was set up for it."""
        now = time.process_time()
        name = nodeid.partition("::")[0]
        self.seconds[name] += now - self.began
        self.tests[name] += 1
        self.began = now

    def pytest_sessionfinish(self) -> None:
        """Add to the table."""
        found = {name: [round(self.seconds[name], 2), count] for name, count in self.tests.items()}
        rows = ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted((known() | found).items()))
        FILE.write_text("{\n" + rows + "\n}\n")

"""Memory that cases take, each named, in one process of their own with a bound."""

import json
import subprocess
import sys

CHILD = """
import json, resource, sys, warnings
warnings.simplefilter("ignore")
import newtonlite, newtonlite.solvers
from newtonlite.core.errors import Error
{setup}
resource.setrlimit(resource.RLIMIT_AS, (resource.getpagesize() * int(open("/proc/self/statm").read().split()[0]) + {bound},) * 2)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for name, case in json.load(sys.stdin).items():
    before = peak()
    try:
        run(case)
        ended = "read"
    except Error as problem:
        ended = str(problem)
    except BaseException as problem:
        ended = "RAW " + type(problem).__name__ + ": " + str(problem)[:200]
    print(json.dumps([name, ended, peak() - before << 10]), flush=True)
"""


def run_bounded(setup: str, cases: dict[str, str], bound: int, seconds: float = 300.0) -> dict[str, tuple[str, int]]:
    """How each case ended (``read``, or its error; RAW ones are not the package's), and by how many bytes the process
    grew. ``setup`` is Python that defines ``run(case)``; ``bound`` [bytes] is what it may have beyond that.
    """
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(setup=setup, bound=bound)],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert len(rows) == len(cases), done.stderr[-2000:]
    return {name: (ended, grown) for name, ended, grown in rows}

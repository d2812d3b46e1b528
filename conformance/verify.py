"""Every comparison over the thirty small models of our own, in some ten minutes (``make verify``).

    python -m conformance verify [SWEEP ...]

Pages, and rows below ``conformance/results``, stay as they are. Sweeps that have no cases of our own models, or that
compare with a package that is not there, are left out.
"""

import sys
import time
from importlib import import_module

from benchmarks.entry import commands
from conformance.collection.places import ROOT
from conformance.sweep import Sweep

OWN = "own/"


def sweeps(folder: str = "conformance") -> dict[str, Sweep]:
    """Sweeps of a folder by name."""
    names = [name for name in commands(folder) if "\nSWEEP = " in (ROOT / folder / f"{name}.py").read_text()]
    return {name: import_module(f"{folder}.{name}").SWEEP for name in names}


def main() -> int:
    """Run the sweeps one after the other; 1 where one of them fails."""
    asked, failed = sys.argv[1:], []
    known = sweeps()
    if unknown := set(asked) - known.keys():
        print(f"no such sweep: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    for name, sweep in known.items():
        if asked and name not in asked:
            continue
        if sweep.lacking() or not any(case.startswith(OWN) for case in sweep.cases(**sweep.options)):
            continue
        began = time.perf_counter()
        print(f"{name}: ", end="", flush=True)
        code = sweep.main(["--only", OWN, "--check"])
        print(f"    {time.perf_counter() - began:.0f} s", flush=True)
        failed += [name] if code else []
    print("failed: " + (", ".join(failed) or "none"))
    return int(bool(failed))

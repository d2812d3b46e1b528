"""``python -m benchmarks NAME``: runs one of the modules of this folder that have a ``main``."""

from benchmarks.entry import run

raise SystemExit(run("benchmarks"))

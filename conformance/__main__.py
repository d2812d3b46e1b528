"""``python -m conformance NAME``: runs one of the modules of this folder that have a ``main``."""

from benchmarks.entry import run

raise SystemExit(run("conformance"))

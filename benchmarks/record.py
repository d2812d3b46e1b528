"""Run races and keep each as one JSON line."""

import json
from pathlib import Path

from benchmarks.scenes import scene
from newtonlite.cli.bench import measure, page


def run(name: str, mode: str, worlds: int, steps: int, against, rounds: int, device, threads, file: Path) -> dict:
    """One race on a named scene: printed, and added to ``file``."""
    chosen = scene(name)
    result = measure(
        chosen.file,
        mode,
        worlds,
        steps,
        against,
        rounds,
        device=device,
        threads=threads,
        nconmax=chosen.nconmax,
        njmax=chosen.njmax,
    )
    print(page(result), end="\n\n", flush=True)
    with file.open("a") as lines:
        lines.write(json.dumps(result) + "\n")
    return result


def failures(results: list[dict]) -> list[str]:
    """Races in which newtonlite overflowed or went bad."""
    return [f"{r['model']} {r['mode']} {r['worlds']}" for r in results if r["results"][0]["failed"]]

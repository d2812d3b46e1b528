"""Mutations of real USD files: every one imports or is refused with a located error, and a refused one leaves the
builder alone.

    python conformance/usd_fuzz.py --collection ../shared --count 2000

Each file's mutations run in a process of their own, so that a crash inside OpenUSD is seen as one.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

FILES = (
    "newton_tests/four_link_chain_articulation.usda",
    "newton_tests/mjc_schema_import.usda",
    "newton_tests/site_actuator_mjc.usda",
    "newton_tests/cube_cylinder.usda",
    "newton_tests/humanoid_mjc.usda",
    "newton_tests/revolute_articulation.usda",
    "newton_tests/kamino/basics/box_pendulum.usda",
    "newton_tests/cartpole_mjc.usda",
    "newton_tests/pendulum_revolute_vs_d6.usda",
    "newton_tests/negative_scale_cube.usda",
    "newton_tests/simple_articulation_with_mesh.usda",
    "newton_tests/kamino/basics/boxes_hinged.usda",
    "newton_tests/kamino/testing/joints/test_joint_d6_6dof_actuated.usda",
    "newton_examples/cartpole.usda",
    "newton_examples/sensor_contact_scene.usda",
    "newton_examples/palletizer_scene.usda",
    "openusd_physics/usdPhysicsGroupFiltering.usda",
    "openusd_physics/usdPhysicsDistanceJoint.usda",
    "openusd_physics/usdPhysicsJoints.usda",
    "openusd_physics/usdPhysicsBoxOnQuad.usda",
)
NUMBERS = (
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "1e30",
    "1e308",
    "1e-300",
    "-3.5",
    "7",
    "2147483647",
    "-0.0001",
    "90",
    "1000000",
)
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(e-?\d+)?(?![\w.])")
PATH = re.compile(r"<[^<>\n]*>")
QUOTED = re.compile(r'"[^"\n]*"')
SLOW = 10.0


def main() -> int:
    """Mutate all files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collection", type=Path, required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--file", type=Path, help="run the mutations of one file here")
    args = parser.parse_args()
    if args.file:
        return run(args.file, args.count, args.seed)
    faults = 0
    for name in FILES:
        command = [
            sys.executable,
            __file__,
            "--collection",
            str(args.collection),
            "--count",
            str(args.count // len(FILES)),
            "--seed",
            str(args.seed),
        ]
        done = subprocess.run(
            [*command, "--file", str(args.collection / "assets/usd" / name)], capture_output=True, text=True
        )
        print(name, done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "", flush=True)
        for line in done.stdout.splitlines():
            if line.startswith("FAULT"):
                print("   ", line[:300], flush=True)
        if done.returncode:
            faults += 1
            print(f"    process ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    print(f"{faults} files with faults")
    return int(faults > 0)


def run(path: Path, count: int, seed: int) -> int:
    """The mutations of one file."""
    import newtonlite
    from newtonlite.core.errors import Error

    warnings.simplefilter("ignore")
    text, rng = path.read_text(), random.Random(f"{path.name} {seed}")
    built = refused = faults = 0
    start_of = newtonlite.ModelBuilder()
    empty = state(start_of)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / path.name
        for number in range(count):
            changed = mutate(text, rng)
            target.write_text(changed, errors="replace")
            builder, start = newtonlite.ModelBuilder(), time.process_time()
            try:
                builder.add_usd(str(target), on_unsupported=rng.choice(("raise", "warn")))
                built += 1
                problem = unsound(builder)
            except Error as error:
                refused += 1
                problem = None if state(builder) == empty else "the builder changed"
                if "</" not in str(error) and path.stem not in str(error):
                    problem = f"no place: {error}"
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            if time.process_time() - start > SLOW:
                problem = f"took {time.process_time() - start:.1f} s"
            if problem:
                faults += 1
                kept = Path(tempfile.gettempdir()) / f"usd_fault_{path.stem}_{number}.usda"
                kept.write_text(changed, errors="replace")
                print(f"FAULT {kept}: {problem}", flush=True)
    print(f"{built} built, {refused} refused, {faults} faults")
    return int(faults > 0)


def mutate(text: str, rng: random.Random) -> str:
    """One to four changes of a text: mostly other values of the same kind, sometimes other words, lines or bytes."""
    for _ in range(rng.randint(1, 4)):
        kind = rng.randrange(10)
        lines = text.split("\n")
        here = rng.randrange(len(lines))
        if kind < 4:
            text = exchange(NUMBER, rng.choice(NUMBERS), text, rng)
        elif kind < 6:
            paths = PATH.findall(text)
            text = exchange(PATH, rng.choice([*paths, "</nowhere>", "</>"]), text, rng)
        elif kind == 6:
            text = exchange(QUOTED, rng.choice([*QUOTED.findall(text), '"X"', '""']), text, rng)
        elif kind == 7:
            lines[here] = lines[rng.randrange(len(lines))]
            text = "\n".join(lines)
        elif kind == 8:
            del lines[here]
            text = "\n".join(lines)
        else:
            at = rng.randrange(len(text))
            text = text[:at] + chr(rng.randrange(1, 127)) + text[at + 1 :]
    return text


def exchange(pattern: re.Pattern, other: str, text: str, rng: random.Random) -> str:
    """The text with one of the places that match a pattern exchanged."""
    places = list(pattern.finditer(text))
    if not places:
        return text
    place = rng.choice(places[1:] or places)
    return text[: place.start()] + other + text[place.end() :]


def state(builder) -> tuple:
    """What an import may change, to compare."""
    return (
        {name: list(map(str, column)) for name, column in builder.columns.items()},
        sorted(builder.custom_attributes),
        sorted(builder.custom_frequencies),
        dict(builder.custom_frequency_counts),
        str(builder.gravity),
        builder.up_axis,
    )


def unsound(builder) -> str | None:
    """A column with a number that is not finite, or None."""
    import numpy as np

    for name, column in builder.columns.items():
        values = column.array()
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            return f"{name} has a number that is not finite"
    return None


if __name__ == "__main__":
    sys.exit(main())

"""Whatever a file holds, reading it ends in a model or in an error with a place; ``conformance/fuzz_import.py`` tries many
more cases.
"""

import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.fuzz_files import KINDS
from conformance.fuzz_import import FORMATS
from tests.harness.mutate import CHANGES, judge, mutate
from tests.harness.mutate_bytes import judge_bytes, mutate_bytes

ROOT = Path(__file__).parents[2]
CORPUS = {kind: [path.read_bytes() for path in sorted(ROOT.glob(own))] for kind, (_, own) in FORMATS.items()}
CRASHES = sorted((Path(__file__).parent / "crashes").iterdir())
ENDS = ("read", "refused")
QUICK = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("kind", FORMATS)
@QUICK
@given(rng=st.randoms(use_true_random=False))
def test_mutated_files(kind, rng):
    assert judge(FORMATS[kind][0], mutate(rng, CORPUS[kind])) in ENDS


@pytest.mark.parametrize("name", ["gmsh", "skin", "octree"])
def test_mutated_files_of_soft_bodies_skins_and_distance_fields(name):
    kind = KINDS[name]
    corpus = kind.corpus()
    for data in corpus:
        assert judge_bytes(kind.read, data, kind.place) == "read"
    ends = [judge_bytes(kind.read, mutate_bytes(random.Random(k), corpus), kind.place) for k in range(60)]
    assert set(ends) == set(ENDS)


@pytest.mark.parametrize("path", CRASHES, ids=lambda path: path.name)
def test_files_that_once_broke(path):
    kind = "urdf" if path.suffix == ".urdf" else "mjcf"
    assert judge(FORMATS[kind][0], path.read_bytes()) in ENDS


@pytest.mark.parametrize("change", sorted(set(CHANGES), key=lambda f: f.__name__))
def test_changes_change(change):
    data = CORPUS["mjcf"][0]
    assert any(change(random.Random(k), data, CORPUS["mjcf"]) not in (data, None) for k in range(3))


def broken(text: str) -> None:
    """A reader that fails without a place."""
    raise KeyError(re.sub(r"\s+", " ", text)[:10])


def test_the_judge_notices():
    assert judge(broken, b"<mujoco/>").startswith("KeyError")
    assert judge(lambda text: None, b"<mujoco/>") == "read"

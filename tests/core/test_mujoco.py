"""Enumerations of MuJoCo against MuJoCo's own."""

import pytest

from newtonlite.core import mujoco
from newtonlite.core.mujoco import PREFIXES
from tests import oracle


@pytest.mark.parametrize("kind", PREFIXES, ids=lambda kind: kind.__name__)
def test_members_and_numbers_are_those_of_mujoco(kind):
    prefix = PREFIXES[kind]
    theirs = getattr(oracle.mujoco, "m" + kind.__name__[1:]).__members__
    expected = {name[len(prefix) :]: int(value) for name, value in theirs.items() if name.startswith(prefix)}
    assert {name: int(value) for name, value in kind.__members__.items()} == expected


def test_every_enumeration_has_its_prefix():
    assert {kind for name, kind in vars(mujoco).items() if name.startswith("Mjt")} == set(PREFIXES)

"""Names of other simulators in one place: the same objects as under their own paths."""

from importlib import import_module

import pytest

import newtonlite
import newtonlite.compat.mjwarp
import newtonlite.compat.newton
from newtonlite import compat, mjwarp
from newtonlite.core.annexes import COMPAT, HOMES, modules_of


def test_newtons_names_are_those_of_the_package():
    newton = import_module("newtonlite.compat.newton")
    assert compat.newton is newton and {"ModelBuilder", "solvers", "eval_fk"} <= set(newton.__all__)
    assert all(getattr(newton, name) is getattr(newtonlite, name) for name in newton.__all__)
    assert set(newton.__all__) <= set(dir(newton))
    for name in ("mjwarp", "compat", "control", "Modell"):
        with pytest.raises(AttributeError, match=name):
            getattr(newton, name)


def test_mujoco_warps_names_are_those_of_mjwarp():
    there = import_module("newtonlite.compat.mjwarp")
    assert compat.mjwarp is there and there.__all__ == mjwarp.__all__
    assert all(getattr(there, name) is getattr(mjwarp, name) for name in mjwarp.__all__)


def test_the_table_names_modules_that_there_are():
    assert all(import_module(path) and import_module(home) for path, home in HOMES.items())
    assert set(modules_of(COMPAT)) == set(compat.__all__) and set(compat.__all__) <= set(dir(compat))
    with pytest.raises(AttributeError, match="mjx"):
        _ = compat.mjx

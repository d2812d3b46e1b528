"""One place for actuators, controllers and inverse kinematics: the same objects as under their own paths."""

import subprocess
import sys
from importlib import import_module

import pytest

import newtonlite
import newtonlite.control.actuators
import newtonlite.control.controllers
import newtonlite.control.ik
from newtonlite import control
from newtonlite.core.annexes import CONTROL, modules_of
from tests.house.project import ROOT

HOMES = modules_of(CONTROL)


@pytest.mark.parametrize("name", HOMES)
def test_a_module_has_the_names_of_its_home(name):
    there, home = import_module(f"{CONTROL}.{name}"), import_module(HOMES[name])
    assert there.__all__ == home.__all__
    assert all(getattr(there, word) is getattr(home, word) is getattr(control, word) for word in home.__all__)
    assert getattr(control, name) is there and getattr(newtonlite.control, name) is there


def test_no_name_has_two_meanings():
    names = [name for home in HOMES.values() for name in import_module(home).__all__]
    assert len(names) == len(set(names)) and set(names) <= set(dir(control))


def test_what_is_not_there_is_named():
    with pytest.raises(AttributeError, match="has no attribute 'Aktuator'"):
        _ = control.Aktuator


def test_its_import_loads_none_of_its_modules():
    code = f"import sys, newtonlite.control; print(*[m for m in {sorted(HOMES.values())!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not done.stdout.strip()

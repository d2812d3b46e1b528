"""Versions of Warp that are tested, and what is said of others."""

import warnings

import pytest
import warp as wp

from newtonlite.core import warp_internals
from newtonlite.core.errors import NewtonWarning, SettingError


@pytest.fixture(autouse=True)
def anew():
    """Nothing is remembered, before and after."""
    for function in (warp_internals.used, warp_internals.warn_if_untested):
        function.cache_clear()
    yield
    for function in (warp_internals.used, warp_internals.warn_if_untested):
        function.cache_clear()


@pytest.mark.parametrize("version", ["1.19.0", "1.19.3", "1.19.0rc1"])
def test_minor_versions_are_tested_as_a_whole(version):
    assert warp_internals.is_tested(version)


@pytest.mark.parametrize("version", ["1.18.0", "1.20.0.dev20261101", "1.190.0", "11.19.0", "1.1", "2", ""])
def test_others_are_not(version, monkeypatch):
    monkeypatch.setattr(wp, "__version__", version)
    assert not warp_internals.used()
    assert "untested" in warp_internals.state() and "1.19" in warp_internals.state()


def test_an_untested_version_is_warned_of_once(monkeypatch):
    monkeypatch.setattr(wp, "__version__", "1.20.0")
    with pytest.warns(NewtonWarning, match=r"1\.20\.0.*not tested.*slower.*warp-lang==1\.19"):
        warp_internals.warn_if_untested()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warp_internals.warn_if_untested()


def test_a_setting_shuts_the_fence_and_a_word_that_makes_no_sense_is_refused(monkeypatch):
    monkeypatch.setenv("NEWTONLITE_WARP_INTERNALS", "0")
    assert not warp_internals.used() and "NEWTONLITE_WARP_INTERNALS" in warp_internals.state()
    warp_internals.used.cache_clear()
    monkeypatch.setenv("NEWTONLITE_WARP_INTERNALS", "perhaps")
    with pytest.raises(SettingError, match="NEWTONLITE_WARP_INTERNALS"):
        warp_internals.used()

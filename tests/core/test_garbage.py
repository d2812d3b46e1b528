"""Garbage collection while models load."""

import gc

import pytest

from newtonlite.core.garbage import collection_held


def test_collection_is_held_and_goes_on_afterwards():
    with collection_held():
        assert not gc.isenabled()
        with collection_held():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_collection_goes_on_after_an_error_and_stays_off_where_it_was():
    with pytest.raises(ValueError), collection_held():
        raise ValueError
    assert gc.isenabled()
    gc.disable()
    try:
        with collection_held():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()

"""The public names."""

import pytest

import newtonlite


@pytest.mark.parametrize("name", newtonlite.__all__)
def test_every_public_name_is_there(name):
    assert getattr(newtonlite, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Modle'"):
        _ = newtonlite.Modle

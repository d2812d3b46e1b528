"""Errors can be caught as ours, or as what Python would have raised."""

import pytest

from newtonlite.core import errors


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("ParseError", ValueError),
        ("MissingError", KeyError),
        ("MissingFileError", FileNotFoundError),
        ("WorldContextError", RuntimeError),
        ("ModelError", ValueError),
        ("CapacityError", RuntimeError),
        ("UnsupportedError", NotImplementedError),
        ("DeviceError", ValueError),
        ("StateError", ValueError),
        ("FileError", OSError),
        ("SettingError", ValueError),
        ("NotKeptError", AttributeError),
        ("NewtonWarning", UserWarning),
        ("NewtonDeprecationWarning", DeprecationWarning),
    ],
)
def test_an_error_is_also_the_builtin_one(name, builtin):
    assert issubclass(getattr(errors, name), builtin)


def test_all_errors_are_of_one_family():
    ours = [value for value in vars(errors).values() if isinstance(value, type) and not issubclass(value, Warning)]
    assert len(ours) == 18 and all(issubclass(error, errors.Error) for error in ours)

"""Values in text."""

import pytest
import warp as wp

from newtonlite import ParseError
from newtonlite.utils import string_to_warp


@pytest.mark.parametrize(
    "text, dtype, expected",
    [
        ("1 2 3", wp.vec3, wp.vec3(1, 2, 3)),
        ("2", wp.vec3, wp.vec3(2, 2, 2)),
        ("1 2", wp.vec2i, wp.vec2i(1, 2)),
        ("1 0 0 1", wp.mat22, wp.mat22(1, 0, 0, 1)),
        ("0 0 0 1", wp.quat, wp.quat(0, 0, 0, 1)),
        ("7", wp.int32, 7),
        ("1e-2", wp.float32, 0.01),
        ("YES", wp.bool, True),
        ("0.0", wp.bool, False),
        ("a b", str, "a b"),
    ],
)
def test_values(text, dtype, expected):
    found = string_to_warp(text, dtype)
    assert getattr(found, "value", found) == expected


def test_what_is_missing_comes_from_the_default():
    assert string_to_warp("5", wp.vec3, wp.vec3(1, 2, 3)) == wp.vec3(5, 2, 3)
    assert string_to_warp("5 6", wp.vec3, 0.0) == wp.vec3(5, 6, 0)


@pytest.mark.parametrize("text, dtype", [("1 2", wp.vec3), ("a", wp.float32), ("1.5", wp.int32), ("maybe", wp.bool)])
def test_what_is_no_value_is_refused(text, dtype):
    with pytest.raises(ParseError, match=f"'{text}'|2 numbers where 3"):
        string_to_warp(text, dtype)

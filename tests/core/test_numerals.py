"""Numerals: what Python's own functions take beyond numbers of files is refused."""

import pytest

from newtonlite.core.numerals import real, whole
from newtonlite.core.table import Kind
from newtonlite.utils.parse import string_to_warp

STRANGE = ("1_0", "١٢٣", "１２", "²", "1__0", "_1", "৪")


@pytest.mark.parametrize("text", STRANGE)
def test_underscores_and_digits_of_other_scripts_are_no_numbers(text):
    for read in (whole, real, Kind("real").parse, Kind("integer").parse, lambda word: string_to_warp(word, float)):
        with pytest.raises(ValueError, match="number|convert|is no"):
            read(text)


def test_numbers_are_numbers():
    assert whole(" -12 ") == -12 and real("+1e-3") == 1e-3


@pytest.mark.parametrize(
    "text, value", [("3.4028235e38", 3.4028235e38), ("1e-60", 0.0), ("-1e-45", 0.0), ("1.2e-38", 1.2e-38), ("-0", -0.0)]
)
def test_reals_are_as_single_precision_has_them(text, value):
    found = Kind("real").parse(text)
    assert found == value and str(found) == str(value)


@pytest.mark.parametrize("text", ["1e39", "-3.41e38", "1e300"])
def test_reals_beyond_single_precision_are_refused(text):
    with pytest.raises(ValueError, match="beyond single precision"):
        Kind("real").parse(text)
    assert Kind("real", single=False).parse(text) == float(text)


@pytest.mark.parametrize("text", ["2147483648", "-2147483648", "1e30"])
def test_integers_beyond_those_of_the_engine_are_refused(text):
    with pytest.raises(ValueError, match="too large a number"):
        Kind("integer").parse(text)

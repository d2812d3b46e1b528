"""Settings: what each environment variable takes, and that nothing else reads one."""

import re

import pytest

from newtonlite.core.errors import SettingError
from newtonlite.core.settings import SETTINGS, setting
from tests.house.project import PACKAGE, name, sources

YES = ("1", "true", "True", "yes", "on", "YES", " 1 ", "01")
NO = ("0", "false", "False", "no", "off", "NO", " 0", "00", "0 ")


@pytest.mark.parametrize("text", [*YES, *NO])
def test_a_switch_takes_words_and_numbers(monkeypatch, text):
    monkeypatch.setenv("NEWTONLITE_ALLOW_OUTSIDE", text)
    assert setting("NEWTONLITE_ALLOW_OUTSIDE") == (text in YES)


BAD = {
    "NEWTONLITE_ALLOW_OUTSIDE": ("", " ", "2", "-1", "maybe", "nope", "true false", "٠", "0x0", "0.0", "None"),
    "NEWTONLITE_KERNELS": ("later", "Wait", "1", " wait"),
}


@pytest.mark.parametrize("variable, text", [(variable, text) for variable in BAD for text in BAD[variable]])
def test_what_makes_no_sense_is_refused_with_name_text_and_what_is_expected(monkeypatch, variable, text):
    monkeypatch.setenv(variable, text)
    with pytest.raises(SettingError, match=rf"^{variable}: expected one of .*, got {re.escape(repr(text))}$"):
        setting(variable)


def test_settings_that_are_not_set_have_values(monkeypatch):
    for variable in SETTINGS:
        monkeypatch.delenv(variable, raising=False)
    assert setting("NEWTONLITE_ALLOW_OUTSIDE") is True and setting("NEWTONLITE_KERNELS") == "background"
    assert setting("NEWTONLITE_CACHE_PATH").name == "newtonlite"
    monkeypatch.setenv("NEWTONLITE_CACHE_PATH", "")
    assert setting("NEWTONLITE_CACHE_PATH") is None


def test_the_table_is_the_only_reader_of_the_packages_variables():
    astray = [
        name(path)
        for path in sources("newtonlite")
        if re.search(r"environ(\.get\(|\[)\"NEWTONLITE_\w+\"\]?(?! = )", path.read_text())
    ]
    assert not astray, PACKAGE

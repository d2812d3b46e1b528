"""Comments: folders of methods have words in their bodies, no fewer of a hundred lines than at the last release."""

import pytest

from tests.house.comments import share
from tests.house.releases import record

SLACK = 0.3
"""Percent that a file more or less may move a folder by."""


@pytest.mark.parametrize("place, least", record()["comments"].items())
def test_folders_of_methods_have_words_where_the_thinking_is(place, least):
    assert share(*place.split(" ")) >= least - SLACK

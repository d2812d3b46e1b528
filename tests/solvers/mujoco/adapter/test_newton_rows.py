"""Every row of Newton's document has a test named after it, and the page that lists them is current."""

import pytest

from tests.harness.newton_rows import PAGE, ROWS, found_by_row, page


@pytest.mark.parametrize("row", ROWS)
def test_every_row_has_a_test(row):
    assert found_by_row()[row]


def test_no_test_is_named_after_a_row_that_does_not_exist():
    assert set(found_by_row()) == set(ROWS)


def test_the_page_is_current():
    assert PAGE.read_text() == page(), "run: python -m tests.harness.newton_rows"

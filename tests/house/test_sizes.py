"""Sizes: files, functions and argument lists have ceilings; what was over one at the last release may not have grown."""

from tests.house.releases import record
from tests.house.sizes import beyond


def test_what_is_over_a_ceiling_was_so_at_the_last_release_and_has_not_grown():
    allowed = record()["sizes"]
    over = {place: size for place, size in beyond().items() if size > allowed.get(place, 0)}
    assert not over, f"below the ceiling, or cut in two: {over}"

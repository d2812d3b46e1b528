"""Grids of worlds."""

import numpy as np
import pytest

from newtonlite.viewer.layout import WorldLayout, worlds_named


def test_neighbours_are_apart_by_the_spacing():
    layout = WorldLayout(9, 2.0)
    places = layout.offsets[:9]
    distance = np.linalg.norm(places[:, None] - places, axis=2)
    assert np.allclose(np.where(distance == 0, np.inf, distance).min(axis=1), 2.0)
    assert np.allclose(places.mean(axis=0), 0.0)
    assert np.array_equal(layout.offsets[-1], np.zeros(3))


def test_chosen_worlds_are_close_together():
    layout = WorldLayout(100, 3.0)
    layout.choose([7, 90, 41])
    assert layout.shown.tolist() == [7, 41, 90]
    assert np.abs(layout.offsets).max() <= 3.0
    assert layout.is_shown.sum() == 4  # and what is global


def test_one_axis_makes_a_row_and_none_a_heap():
    assert np.allclose(WorldLayout(3, (2.0, 0.0, 0.0)).offsets[:3], [[-2, 0, 0], [0, 0, 0], [2, 0, 0]])
    assert not WorldLayout(3, (0.0, 0.0, 0.0)).offsets.any()
    assert WorldLayout(8, (1.0, 1.0, 1.0)).offsets[:8, 2].tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("worlds", [[-1], [4], [0, 9]])
def test_worlds_that_are_not_there_are_refused(worlds):
    with pytest.raises(ValueError, match="count from 0"):
        WorldLayout(4, 1.0).choose(worlds)


def test_worlds_are_named_in_text():
    assert worlds_named("all", 4) is None
    assert worlds_named("0, 2-3", 4) == [0, 2, 3]


@pytest.mark.parametrize("text", ["x", "1-", "4", "3-9", "2-1", "-1", "1,,2"])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="worlds"):
        worlds_named(text, 4)

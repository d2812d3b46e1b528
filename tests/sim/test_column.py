"""Columns read and write like lists, whatever they are made of."""

import numpy as np
import pytest
import warp as wp

from newtonlite import ModelBuilder, ModelError
from tests.harness.sim_scenes import arm


@pytest.fixture
def mixed() -> ModelBuilder:
    """Bodies with masses 1, [2, 3] three times, 4, [2, 3], 5; the copies in between."""
    pair = ModelBuilder()
    pair.add_link(mass=2.0)
    pair.add_link(mass=3.0)
    builder = ModelBuilder()
    builder.add_link(mass=1.0)
    builder.replicate(pair, 3, separate_worlds=False)
    builder.add_link(mass=4.0)
    builder.add_builder(pair)
    builder.add_link(mass=5.0)
    return builder


WANT = [1, 2, 3, 2, 3, 2, 3, 4, 2, 3, 5]


def test_a_column_reads_like_a_list(mixed):
    column = mixed.body_mass
    assert len(column) == 11 and list(column) == WANT and column == WANT and column != WANT[:-1]
    assert [column[i] for i in range(11)] == WANT and [column[-i - 1] for i in range(11)] == WANT[::-1]
    assert column[2:9:3] == WANT[2:9:3] and column + [7] == [*WANT, 7] and 4.0 in column and column.index(4.0) == 7
    kept = column.copy()
    column[0] = 6.0
    assert type(kept) is list and kept == WANT and [7] + column == [7, 6, *WANT[1:]]
    column[0] = 1.0
    assert np.array(column).tolist() == WANT and column.array().dtype == np.float64


@pytest.mark.parametrize("index", [0, 4, 7, -1])
def test_a_value_can_be_set_anywhere(mixed, index):
    mixed.body_mass[index] = 9.0
    want = list(WANT)
    want[index] = 9.0
    assert mixed.body_mass == want
    mixed.add_link(mass=6.0)
    assert mixed.body_mass == [*want, 6.0]


def test_slices_insertions_and_deletions_work(mixed):
    column = mixed.body_mass
    column[1:3] = [7, 8]
    column.insert(0, 0.5)
    del column[-1]
    assert column == [0.5, 1, 7, 8, *WANT[3:-1]]


def test_a_column_can_be_replaced(mixed):
    mixed.body_mass = [6.0] * 11
    assert mixed.body_mass == [6.0] * 11


@pytest.mark.parametrize("index", [11, -12])
def test_rows_that_do_not_exist_are_index_errors(mixed, index):
    with pytest.raises(IndexError, match="body_mass: row"):
        mixed.body_mass[index]
    with pytest.raises(IndexError, match="body_mass: row"):
        mixed.body_mass[index] = 1.0


def test_elements_are_warp_s(mixed):
    assert (
        isinstance(mixed.body_q[3], wp.transformf)
        and isinstance(mixed.body_com[0], wp.vec3f)
        and isinstance(mixed.body_inertia[0], wp.mat33f)
    )
    mixed.body_q[0] = (1, 2, 3, 0, 0, 0, 1)
    assert isinstance(mixed.body_q[0], wp.transformf)
    assert arm().joint_dof_dim[0] == (3, 3)


def test_a_change_in_place_reaches_later_copies():
    robot, world = arm(), ModelBuilder()
    world.add_world(robot)
    robot.body_com[1][0] = 0.25
    world.add_world(robot)
    assert [c[0] for c in world.body_com] == [0, 0, 0, 0.25]


def test_values_of_the_wrong_size_are_refused(mixed):
    with pytest.raises(ModelError, match="body_q"):
        mixed.body_q[0] = (1, 2, 3)

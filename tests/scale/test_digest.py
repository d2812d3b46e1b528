"""The digest of trajectories is one number, however worlds and steps are cut."""

import hashlib

import numpy as np
import pytest

from newtonlite.scale.digest import LEAF, extend, first_links, of_arrays, of_links

ROWS = np.random.default_rng(0).normal(size=(5 * LEAF + 3, 7, 4)).astype(np.float32)


def links(rows, cuts):
    chain = first_links(rows.shape[1])
    for part in np.split(rows, cuts):
        extend(chain, part)
    return chain


def test_it_is_a_chain_of_sha256_over_the_bytes_of_each_world():
    link = bytes(32)
    for start in range(0, len(ROWS), LEAF):
        link = hashlib.sha256(link + ROWS[start : start + LEAF, 3].tobytes()).digest()
    assert links(ROWS, [])[3].tobytes() == link


@pytest.mark.parametrize("cuts", [[LEAF], [2 * LEAF, 4 * LEAF], [LEAF, 2 * LEAF, 3 * LEAF, 5 * LEAF]])
def test_it_does_not_depend_on_chunks_or_shards(cuts):
    whole = of_links(links(ROWS, []))
    parts = [links(ROWS[:, a:b], cuts) for a, b in ((0, 1), (1, 5), (5, 7))]
    assert of_links(np.concatenate(parts)) == whole


def test_one_bit_of_one_world_changes_it():
    other = ROWS.copy()
    other.view(np.uint32)[40, 5, 2] ^= 1
    assert of_links(links(other, [])) != of_links(links(ROWS, []))
    assert of_links(links(ROWS[:, ::-1], [])) != of_links(links(ROWS, []))


def test_that_of_arrays_sees_names_shapes_and_types():
    base = {"a": np.zeros(4, np.float32)}
    others = [{"b": base["a"]}, {"a": np.zeros((2, 2), np.float32)}, {"a": np.zeros(4, np.int32)}, {}]
    assert len({of_arrays(x) for x in [base, *others]}) == 5

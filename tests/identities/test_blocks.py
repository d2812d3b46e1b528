"""Arithmetic by kinematic tree gives what arithmetic over the whole matrix gives."""

import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

MODELS = [
    "many_small_trees",
    "two_trees_touching",
    "every_pair_of_shapes",
    "capsules_crossing",
    "mixed_pairs_with_priorities",
]
WORLDS = 64


def one_block(engine):
    """Tell the engine that every row of its matrices reaches from the first column to the last."""
    blocks = engine.m.dof_block.numpy()
    blocks[:] = (0, blocks.max())
    engine.m.dof_block.assign(blocks)
    return engine


@pytest.mark.parametrize("name", MODELS)
def test_one_block_over_all_trees_gives_what_one_per_tree_gives(name, device):
    mj = oracle.named_model(name)
    states = oracle.rollout_states(mj, WORLDS)
    by_tree, dense = Engine(mj, states, device).step(), one_block(Engine(mj, states, device)).step()
    assert mj.ntree > 1
    pull = oracle.step(mj, states).pull
    assert_close(by_tree.read("qacc"), dense.read("qacc"), "native", pull)
    assert_close(by_tree.read("qpos"), dense.read("qpos"), "native")

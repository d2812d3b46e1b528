"""Mistakes in a task: the error says which term, what is wrong, and what to do."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError, StateError
from newtonlite.envs import Environment, ObservationGroup, ObservationTerm, RewardTerm, mdp
from tests.envs.test_entity import BARE, hopper


def observed(func, **params) -> dict:
    return {"observations": {"policy": ObservationGroup({"x": ObservationTerm(func, params)})}}


def rewarded(func) -> dict:
    return {"rewards": {"x": RewardTerm(func, 1.0)}}


FIXED = BARE.replace('<freejoint name="root"/>', "")
MISTAKES = {
    "a parameter": (observed(mdp.joint_pos_rel, joint="hip"), TypeError, "term 'observation/policy/x': .*'joint'"),
    "a name": (
        observed(mdp.joint_pos_rel, joints="hipp"),
        ModelError,
        "term 'observation/policy/x': no joint is called",
    ),
    "a field": (
        observed(lambda env: env.sim.data.qpo.numpy()),
        ModelError,
        "term 'observation/policy/x': AttributeError: .*'qpo'",
    ),
    "an index": (observed(lambda env: np.zeros((2, 3))[:, 5]), ModelError, "'observation/policy/x': IndexError"),
    "what is kept": (
        observed(lambda env: env.sim.data.xpos.numpy()[:, 1]),
        StateError,
        r"xpos is not kept; name it in the task: keep=\('xpos',\)",
    ),
    "nothing": (rewarded(lambda env: None), ModelError, "term 'reward/x': it returns nothing"),
    "no term": (
        {"rewards": {"x": mdp.is_alive}},
        ModelError,
        r"rewards: 'x': expected RewardTerm\(...\), got function",
    ),
    "no group": ({"observations": {"x": ObservationTerm(mdp.last_action)}}, ModelError, "expected ObservationGroup"),
    "no table": ({"rewards": [RewardTerm(mdp.is_alive, 1.0)]}, ModelError, "rewards: expected a dict of RewardTerm"),
    "no actuators": ({"actuators": {}}, ModelError, "action/all: the model has no actuators; add some to its file"),
    "no root": (
        {"model": FIXED, "init_state": None, **observed(mdp.base_lin_vel)},
        ModelError,
        "no free joint, .*floating=True",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(name):
    changes, kind, message = MISTAKES[name]
    with pytest.raises(kind, match=message):
        Environment(hopper(**changes), 2, seed=0)


def test_numbers_that_are_not_finite_are_not_learned_from():
    pytest.importorskip("torch", reason="learning needs the extra learn")
    from newtonlite.learn.ppo import PPO, PPOSettings

    broken = lambda env: np.where(env.step_count.numpy() > 2, np.nan, 1.0)
    for changes, message in (
        (rewarded(broken), "reward: not finite in some world: x"),
        (observed(broken), "observation 'policy': term 'x' is not finite"),
    ):
        with pytest.raises(StateError, match=message):
            PPO(Environment(hopper(**changes), 2, seed=0), PPOSettings(steps=4)).collect()

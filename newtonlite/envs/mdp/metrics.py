"""Metric terms: numbers that are watched, not rewarded."""

from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.rewards import action_acc_l2


@capturable
def mean_action_acc(env):
    """Sum of squares of the action's second difference."""
    return action_acc_l2(env)

"""Cart-pole: swing a hanging pole up and balance it, after the task of the same name in the DeepMind Control Suite."""

from newtonlite.envs.task import Task
from newtonlite.envs.tasks import cartpole


def task() -> Task:
    """The balance task, started with the pole hanging down."""
    made = cartpole.task(swing_up=True)
    made.learning = {
        **made.learning,
        "worlds": 128,
        "iterations": 400,
        "steps": 64,
        "epochs": 5,
        "minibatches": 64,
        "learning_rate": 5e-4,
        "target_kl": None,
        "gamma": 0.995,
        "entropy": 0.01,
        "normalise_rewards": True,
    }
    made.about = "swing a pole up on a cart and balance it"
    return made

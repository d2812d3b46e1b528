"""Cart-pole from pixels: balance the pole by what a camera sees, three grey pictures of 64 x 64; the value sees the state."""

from newtonlite.envs.camera_sensor import CameraSensor, camera_pixels
from newtonlite.envs.task import ObservationGroup, ObservationTerm, Task
from newtonlite.envs.tasks import cartpole

FRAMES = 3


def task() -> Task:
    """Balance from nearly upright with 25 decisions a second, each from the last three pictures; episodes of 10 s. Rewards are per
    physics step as in the task with states, so that 1000 is the most.
    """
    made, eye = cartpole.task(), CameraSensor("fixed", 64, 64, "grey", textures=False)
    made.decimation, made.episode_length = 4, 250
    made.rewards["smooth"].weight = 4.0
    made.sensors["eye"] = eye
    made.observations = {
        "policy": ObservationGroup(
            {"pixels": ObservationTerm(camera_pixels, {"sensor_name": "eye"}, history_length=FRAMES)}
        ),
        "critic": made.observations["policy"],
    }
    channels, height, width = eye.shape
    made.learning = {
        "worlds": 32,
        "iterations": 300,
        "steps": 32,
        "epochs": 4,
        "minibatches": 4,
        "image": (FRAMES * channels, height, width),
        "activation": "relu",
        "normalise_observations": False,
        "learning_rate": 5e-4,
        "target_kl": 0.02,
        "entropy": 0.002,
        "gamma": 0.97,
        "reward_scale": 0.05,
    }
    made.about = "balance a pole on a cart from pictures"
    return made

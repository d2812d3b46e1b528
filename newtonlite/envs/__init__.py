"""Environments for reinforcement learning: tasks of terms, run for many worlds at once, behind gymnasium's vector
interface.

Needs the extra ``envs`` (gymnasium) for ``VectorEnv``; ``Environment`` and ``Task`` do without.
"""

from importlib import import_module

_HOME = {
    "VectorEnv": "vector",
    "Environment": "environment",
    "Task": "task",
    "TaskSession": "session",
    "ObservationGroup": "task",
    "ObservationTerm": "task",
    "RewardTerm": "task",
    "TerminationTerm": "task",
    "EventTerm": "task",
    "CommandTerm": "task",
    "CurriculumTerm": "task",
    "MetricTerm": "task",
    "Noise": "task",
    "BuiltinPositionActuator": "entity",
    "BuiltinVelocityActuator": "entity",
    "BuiltinMotorActuator": "entity",
    "BuiltinSensor": "entity",
    "InitialState": "entity",
    "ContactSensor": "sensors",
    "CameraSensor": "camera_sensor",
    "RangeSensor": "range_sensor",
    "Terrain": "terrains",
    "capturable": "capture",
}

__all__ = sorted([*_HOME, "make", "mdp", "tasks"])


def make(task, num_envs: int = 1, **options):
    """A ``VectorEnv`` of a Task, or of a packaged task's name (``newtonlite.envs.tasks.names()``)."""
    return __getattr__("VectorEnv")(task, num_envs, **options)


def __getattr__(name: str):
    if name in ("mdp", "tasks"):
        return import_module(f"newtonlite.envs.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'newtonlite.envs' has no attribute {name!r}")
    try:
        return getattr(import_module(f"newtonlite.envs.{_HOME[name]}"), name)
    except ModuleNotFoundError as problem:
        if problem.name == "gymnasium":
            raise ModuleNotFoundError(
                f"newtonlite.envs.{name} needs gymnasium: pip install 'newtonlite[envs]'", name="gymnasium"
            ) from None
        raise

"""Scale: rollouts and learning over many processes and machines, whose results do not depend on how work was cut or on
what was lost.

``Rollout`` runs worlds of a model or a task, ``ScaledRunner`` trains by PPO, ``Sweep`` trains many times. The backend
``local`` has processes of this machine, ``ray`` (extra ``scale``) the nodes of a Ray cluster.
"""

from importlib import import_module

_HOME = {"Rollout": "rollout", "ScaledRunner": "training", "Sweep": "sweep", "Population": "sweep"}

__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'newtonlite.scale' has no attribute {name!r}")
    return getattr(import_module(f"newtonlite.scale.{_HOME[name]}"), name)

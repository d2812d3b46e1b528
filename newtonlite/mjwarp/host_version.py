"""Host versions: a ``mujoco.MjModel`` of MuJoCo 3.11 to 3.17 as one of 4.0, whose numbers the engine reads.

Margins, gaps and all sizes but one mean the same in these versions. What differs is in ``of_version``.
"""

import sys
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtCtrlInput, MjtDyn, MjtGain

OLDEST = (3, 11)
EQDATA = 12
"""Numbers of an equality in 4.0; before 3.17 there was one less, at the end: what soft bodies alone need."""
MOTOR_INPUT = 8
"""Place in the gain parameters of a motor where 3.11 says what its control means: a voltage, a position or a velocity."""
MEANINGS = (MjtCtrlInput.VOLTAGE, MjtCtrlInput.POS, MjtCtrlInput.VEL)


class OlderModel:
    """A host model, some of whose fields are as a later version has them."""

    def __init__(self, mjm: Any, fields: dict):
        self._mjm, self._fields = mjm, fields

    def __getattr__(self, name):
        if name.startswith("__") or "_fields" not in self.__dict__:
            raise AttributeError(name)
        return self._fields[name] if name in self._fields else getattr(self._mjm, name)


def of_version(mjm: Any) -> Any:
    """The model as MuJoCo 4.0 would have it. ModelError for versions before 3.11."""
    if type(mjm).__module__.partition(".")[0] != "mujoco":
        return mjm
    mujoco = sys.modules["mujoco"]
    version = tuple(int(number) for number in mujoco.__version__.split(".")[:2])
    if version < OLDEST:
        raise ModelError(f"put_model: a model of MuJoCo {mujoco.__version__}; 3.11 to 4.0 can be read")
    fields = {}
    if mjm.eq_data.shape[1:] != (EQDATA,):
        fields["eq_data"] = np.pad(mjm.eq_data, ((0, 0), (0, EQDATA - mjm.eq_data.shape[1])))
    if not hasattr(mjm, "key_plastic"):
        fields["key_plastic"] = np.zeros((mjm.nkey, 0))
    if mujoco.mjtDyn.mjDYN_USER != MjtDyn.USER:
        fields |= before_pid(mjm, mujoco)
    return OlderModel(mjm, fields) if fields else mjm


def before_pid(mjm: Any, mujoco: Any) -> dict:
    """Laws of actuators as they are numbered since there are PID ones, and what the controls of motors mean."""
    dyn, gain = np.array(mjm.actuator_dyntype), np.array(mjm.actuator_gaintype)
    dyn[dyn == mujoco.mjtDyn.mjDYN_USER] = MjtDyn.USER
    gain[gain == mujoco.mjtGain.mjGAIN_USER] = MjtGain.USER
    spec, parameters = np.array(mjm.actuator_ctrlspec), np.array(mjm.actuator_gainprm)
    for u in np.flatnonzero(gain == MjtGain.DCMOTOR):
        spec[u], parameters[u, MOTOR_INPUT] = MEANINGS[int(parameters[u, MOTOR_INPUT])], 0.0
    return {
        "actuator_dyntype": dyn,
        "actuator_gaintype": gain,
        "actuator_ctrlspec": spec,
        "actuator_gainprm": parameters,
    }

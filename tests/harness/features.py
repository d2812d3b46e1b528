"""What a compiled model has, in words: kinds of joints, tendons, equality constraints and actuators."""

import numpy as np

from tests.oracle import enum_names


def features(model) -> dict[str, set[str]]:
    """Of a MuJoCo model, by families."""
    wraps, transmissions = (
        np.array(enum_names(*of), object) for of in (("mjtWrap", model.wrap_type), ("mjtTrn", model.actuator_trntype))
    )
    ties, ends = enum_names("mjtEq", model.eq_type), enum_names("mjtObj", model.eq_objtype)
    springs, joints_of = model.tendon_lengthspring, model.body_jntnum[1:]
    round_ones = np.isin(wraps, ("sphere", "cylinder"))
    return {
        "joints": {*enum_names("mjtJoint", model.jnt_type)}
        | some(none_on_a_body=joints_of == 0, two_on_a_body=joints_of == 2),
        "wraps": {*wraps} | some(side_site=model.wrap_prm[round_ones] >= 0),
        "equalities": {f"{tie} {end}".removesuffix(" unknown") for tie, end in zip(ties, ends, strict=True)},
        "transmissions": {*transmissions}
        | some(site_with_refsite=model.actuator_trnid[transmissions == "site", 1] >= 0),
        "dynamics": {*enum_names("mjtDyn", model.actuator_dyntype)},
        "gains": {*enum_names("mjtGain", model.actuator_gaintype)},
        "of tendons": some(
            stiffness=model.tendon_stiffness,
            damping=model.tendon_damping,
            frictionloss=model.tendon_frictionloss,
            limit=model.tendon_limited,
            armature=model.tendon_armature,
            dead_band=springs[:, 0] < springs[:, 1],
        ),
        "of joints": some(
            stiffness=model.jnt_stiffness,
            damping=model.dof_damping,
            frictionloss=model.dof_frictionloss,
            limit=model.jnt_limited,
            armature=model.dof_armature,
        ),
    }


def some(**arrays) -> set[str]:
    """The names of those that have an entry."""
    return {name.replace("_", " ") for name, values in arrays.items() if np.any(values)}

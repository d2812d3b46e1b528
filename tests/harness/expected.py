"""What MuJoCo says the engine's arrays should hold: every intermediate result, batched over states, under the engine's
names.

Arrays over contacts and rows are as long as the largest count; the rest of each world is zero.
"""

import numpy as np

from tests import oracle

COPIED = {
    "xpos": (-1, 3),
    "xquat": (-1, 4),
    "xmat": (-1, 3, 3),
    "xipos": (-1, 3),
    "ximat": (-1, 3, 3),
    "xanchor": (-1, 3),
    "xaxis": (-1, 3),
    "geom_xpos": (-1, 3),
    "geom_xmat": (-1, 3, 3),
    "site_xpos": (-1, 3),
    "site_xmat": (-1, 3, 3),
    "subtree_com": (-1, 3),
    "cinert": (-1, 10),
    "crb": (-1, 10),
    "cdof": (-1, 6),
    "cvel": (-1, 6),
    "qfrc_bias": (-1,),
    "qfrc_passive": (-1,),
    "qfrc_spring": (-1,),
    "qfrc_damper": (-1,),
    "qfrc_gravcomp": (-1,),
    "qfrc_fluid": (-1,),
    "qfrc_adhesion": (-1,),
    "ten_length": (-1,),
    "ten_velocity": (-1,),
    "act_dot": (-1,),
    "actuator_length": (-1,),
    "actuator_velocity": (-1,),
    "actuator_force": (-1,),
    "qfrc_actuator": (-1,),
    "qfrc_smooth": (-1,),
    "qacc_smooth": (-1,),
    "qacc": (-1,),
    "qfrc_constraint": (-1,),
}

ROWS = ("efc_pos", "efc_margin", "efc_D", "efc_R", "efc_vel", "efc_aref", "efc_frictionloss", "efc_force")
CONTACTS = {
    "contact_dist": "dist",
    "contact_pos": "pos",
    "contact_frame": "frame",
    "contact_includemargin": "includemargin",
    "contact_friction": "friction",
    "contact_solref": "solref",
    "contact_solreffriction": "solreffriction",
    "contact_solimp": "solimp",
    "contact_adhesion": "adhesion",
    "contact_surfacevel": "surfacevel",
    "contact_dim": "dim",
    "contact_geom": "geom",
    "contact_flex": "flex",
    "contact_elem": "elem",
    "contact_vert": "vert",
    "contact_efc_address": "efc_address",
}

# MuJoCo's row types, in order: equality, friction of dof and tendon, limit of joint and tendon, contact without
# friction, pyramidal, elliptic. The engine's: 0 equality, 1 friction, 2 one-sided, 3 and 4 first and other rows of a
# cone.
ROW_TYPE = np.array([0, 1, 1, 2, 2, 2, 2, 3])
ELLIPTIC = 7
JOINT_OR_TENDON = (0, 1, 3)


def expected(mj, states, datas=None) -> dict:
    """Arrays ``[nworld, ...]`` in float64 (counts and indices in int64). `datas` are those of the states, if there are
    any.
    """
    worlds = [one_world(mj, data) for data in datas or [oracle.forward(mj, states, i) for i in range(len(states))]]
    return {name: stack([world[name] for world in worlds]) for name in worlds[0]}


def one_world(mj, data) -> dict:
    kept = {name: shape for name, shape in COPIED.items() if name not in unused(mj) and np.size(getattr(data, name))}
    found = {name: np.array(getattr(data, name)).reshape(shape) for name, shape in kept.items()}
    found.update({name: np.array(getattr(data, name)) for name in ROWS})
    found.update(
        ncon=np.array(data.ncon),
        nefc=np.array(data.nefc),
        ne=np.array(data.ne),
        nf=np.array(data.nf),
        nl=np.array(data.nl),
    )
    found["M"] = oracle.dense_mass_matrix(mj, data)
    if mj.ntendon:
        found["ten_J"] = oracle.dense_tendon_jacobian(mj, data)
    moment = oracle.dense_moment(mj, data)[
        ~np.isin(mj.actuator_trntype[outputs(mj)], JOINT_OR_TENDON)
    ]  # the engine keeps no rows of these
    if moment.size:
        found["actuator_moment"] = moment
    found["efc_J"] = oracle.dense_jacobian(mj, data)
    found["efc_cost"] = row_types(data)
    absent = unused(mj)
    for name, field in CONTACTS.items():
        if name in absent:
            continue
        values = np.array([getattr(data.contact[k], field) for k in range(data.ncon)])
        found[name] = values.reshape(-1, 3, 3) if field == "frame" and data.ncon else values
    return found


def unused(mj) -> set:
    """Arrays that the engine leaves out where no contact pulls, no surface moves, or nothing is soft."""
    pulls = mj.geom_adhesion.any() or mj.pair_adhesion.any()
    return (
        (set() if pulls else {"contact_adhesion", "qfrc_adhesion"})
        | (set() if mj.geom_surfacevel.any() else {"contact_surfacevel"})
        | (set() if mj.nflex else {"contact_flex", "contact_elem", "contact_vert"})
    )


def outputs(mj) -> np.ndarray:
    """Actuator of each force output."""
    return np.repeat(np.arange(mj.nactuator), mj.actuator_outnum)


def row_types(data) -> np.ndarray:
    """The engine's types of the rows; of an elliptic contact, the first row is the cone, the others follow it."""
    kind = ROW_TYPE[np.array(data.efc_type, int)]
    same = np.array(data.efc_id)[1:] == np.array(data.efc_id)[:-1]
    elliptic = np.array(data.efc_type) == ELLIPTIC
    kind[1:][same & elliptic[1:] & elliptic[:-1]] = 4
    return kind


def stack(arrays) -> np.ndarray:
    """Arrays of different lengths in one, filled up with zeros."""
    longest = max(array.shape[0] if array.ndim else 0 for array in arrays)
    if not arrays[0].ndim:
        return np.array(arrays)
    shape = max((array.shape[1:] for array in arrays), key=len)
    out = np.zeros((len(arrays), longest, *shape), arrays[0].dtype)
    for row, array in zip(out, arrays, strict=True):
        if array.size:
            row[: len(array)] = array
    return out


def deepest(dist, capacity: int) -> np.ndarray:
    """Contacts that stay where some fit: the deepest, of equally deep ones the first, in their order."""
    return np.sort(np.argsort(dist, kind="stable")[:capacity])

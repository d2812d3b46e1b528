"""How arrays of the engine are held against MuJoCo's: which entries count, and what errors are relative to."""

import numpy as np

from tests.tolerance import relative_error

FROM_FIRST_BODY = {"cinert", "crb", "cvel"}  # the world's own are nobody's input
SIDES = ("contact_geom", "contact_flex", "contact_elem", "contact_vert")
FLOOR = {
    "xpos": 1e-3,
    "xipos": 1e-3,
    "geom_xpos": 1e-3,
    "site_xpos": 1e-3,
    "xanchor": 1e-3,
    "subtree_com": 1e-3,
    "efc_J": 1e-3,
    "qfrc_passive": 0.01,
    "qfrc_spring": 0.01,
    "qfrc_damper": 0.01,
    "qfrc_adhesion": 0.01,
    "qfrc_actuator": 0.01,
    "contact_surfacevel": 1.0,
    "cvel": 0.01,
    "efc_pos": 1.0,
    "contact_dist": 1.0,
    "efc_vel": 1.0,
    "efc_aref": 1.0,
}


def read(engine, field: str) -> np.ndarray:
    """An array of the engine; Jacobians of rows are zero outside their blocks by agreement, whatever the memory holds."""
    values = engine.read(field)
    return within_blocks(engine, values) if field == "efc_J" and not engine.m.nsparse else values


def within_blocks(engine, J) -> np.ndarray:
    """Rows of a Jacobian, zero outside the blocks they reach."""
    block = 16 * engine.read("efc_block")[:, : J.shape[1]]
    column = np.arange(J.shape[2])
    first, end, second, last = (block[..., k : k + 1] for k in range(4))
    return np.where((column >= first) & (column < end) | (column >= second) & (column < last), J, 0.0)


def pair(got, field: str, want: dict) -> tuple[np.ndarray, np.ndarray]:
    """(given, MuJoCo's) numbers of a field, zero where MuJoCo has no contact or row."""
    values = want[field]
    got = fit(got, values.shape)
    if field in FROM_FIRST_BODY:
        got, values = got[:, 1:], values[:, 1:]
    used = in_use(field, want, values)
    return np.where(used, got, 0.0), np.where(used, values, 0.0)


def match_contacts(read, want: dict):
    """The same reader, its contacts in MuJoCo's order.

    Contacts of two geoms, or of parts of flexes, count as a set, in whatever order, each beside the one of MuJoCo's that
    is nearest to it.
    """
    if not want["contact_geom"].size:
        return read
    pos, count = (fit(read(name), want[name].shape) for name in ("contact_pos", "ncon"))
    sides = [name for name in SIDES if name in want]
    wanted = np.concatenate([want[name] for name in sides], axis=-1)
    geom = np.concatenate([fit(read(name), want[name].shape) for name in sides], axis=-1)
    order = np.tile(np.arange(pos.shape[1]), (len(pos), 1))
    for w, n in enumerate(want["ncon"]):
        if not n or count[w] != n or (geom[w, :n] != wanted[w, :n]).any():
            continue
        for pair in np.unique(geom[w, :n], axis=0):
            rows = np.flatnonzero((geom[w, :n] == pair).all(1))
            apart = np.linalg.norm(want["contact_pos"][w][rows][:, None] - pos[w][rows][None], axis=-1)
            for _ in rows:
                k, j = np.unravel_index(np.argmin(apart), apart.shape)
                order[w, rows[k]] = rows[j]
                apart[k], apart[:, j] = np.inf, np.inf

    def matched(name: str) -> np.ndarray:
        values = read(name)
        if not name.startswith("contact_"):
            return values
        values = fit(values, want[name].shape)
        return np.take_along_axis(values, order.reshape(*order.shape, *[1] * (values.ndim - 2)), axis=1)

    return matched


def fit(got, shape: tuple) -> np.ndarray:
    """Rows of numbers as long as those of `shape`: cut off, or filled up with zeros."""
    if got.ndim < 2 or got.shape[1] == shape[1]:
        return got
    out = np.zeros((len(got), shape[1], *got.shape[2:]), got.dtype)
    n = min(got.shape[1], shape[1])
    out[:, :n] = got[:, :n]
    return out


def error_of(got, field: str, want: dict, floor=0.0) -> np.ndarray:
    """Error of each world, relative to the size of its array and at least to `floor` or FLOOR; infinite where a number
    is not one.
    """
    got, values = pair(got, field, want)
    if not values.size:
        return np.zeros(len(values))
    error = relative_error(got, values, np.maximum(FLOOR.get(field, 0.0), floor))
    return np.where(np.isfinite(error), error, np.inf)


def in_use(field: str, want: dict, values) -> np.ndarray:
    """Mask of the entries of a world that hold contacts or rows."""
    count = want["ncon"] if field.startswith("contact_") else want["nefc"] if field.startswith("efc_") else None
    if count is None:
        return np.ones(values.shape, bool)
    mask = np.arange(values.shape[1])[None] < count[:, None]
    return np.broadcast_to(mask.reshape(*mask.shape, *[1] * (values.ndim - 2)), values.shape)

"""Tendons in MuJoCo's layout for a host data: sparse Jacobians and wrap points."""

import numpy as np

from newtonlite.solvers.mujoco.enums import WRAP_JOINT, WRAP_PULLEY, WRAP_SITE

SITE, PULLEY = -1, -2
"""What stands in ``wrap_obj`` in place of a geom."""


def tendons_into(result, mjm, d, world: int) -> None:
    """``ten_J``, ``ten_wrapadr``, ``ten_wrapnum``, ``wrap_obj`` and ``wrap_xpos`` of one world, where the data keeps
    tendons.
    """
    if not mjm.ntendon or "ten_J" not in d.engine.arrays:
        return
    rows = d.ten_J.numpy()[world]
    if result.ten_J.size == int(mjm.nJten):
        for t in range(mjm.ntendon):
            at = mjm.ten_J_rowadr[t] + np.arange(mjm.ten_J_rownnz[t])
            np.ravel(result.ten_J)[at] = rows[t, mjm.ten_J_colind[at]]
    found = {name: getattr(d, name).numpy()[world] for name in ("site_xpos", "wrap_length", "wrap_first", "wrap_last")}
    objects, points = [], []
    for t in range(mjm.ntendon):
        path = _path(mjm, found, t)
        result.ten_wrapadr[t], result.ten_wrapnum[t] = len(objects), len(path)
        objects += [thing for thing, _ in path]
        points += [point for _, point in path]
    if len(objects):
        result.wrap_obj.reshape(-1)[: len(objects)] = objects
        result.wrap_xpos.reshape(-1, 3)[: len(points)] = points


def _path(mjm, found: dict, tendon: int) -> list:
    """(geom, site or pulley; where) along one tendon; nothing for a sum of joints."""
    first, count = int(mjm.tendon_adr[tendon]), int(mjm.tendon_num[tendon])
    kinds = mjm.wrap_type[first : first + count]
    if kinds[0] == WRAP_JOINT:
        return []
    out, j = [], 0
    while j < count - 1:
        if WRAP_PULLEY in (kinds[j], kinds[j + 1]):
            if kinds[j] == WRAP_PULLEY:
                out.append((PULLEY, np.zeros(3)))
            j += 1
            continue
        out.append((SITE, found["site_xpos"][mjm.wrap_objid[first + j]]))
        j += 1
        if kinds[j] != WRAP_SITE:
            w = first + j
            if found["wrap_length"][w] >= 0:
                out += [(int(mjm.wrap_objid[w]), found[name][w]) for name in ("wrap_first", "wrap_last")]
            j += 1
        if j == count - 1 or kinds[j + 1] == WRAP_PULLEY:
            out.append((SITE, found["site_xpos"][mjm.wrap_objid[first + j]]))
    return out

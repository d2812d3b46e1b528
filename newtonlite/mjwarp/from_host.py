"""A host data's results as the engine keeps them: dense matrices, contacts, constraint rows."""

import numpy as np
import warp as wp

from newtonlite.core.errors import CapacityError
from newtonlite.core.mujoco import MjtConstraint, MjtJacobian, MjtWrap
from newtonlite.core.types import cell_shape, scalar_type
from newtonlite.mjwarp import sparsity
from newtonlite.mjwarp.contacts import CONTACT, OPTIONAL, SOFT
from newtonlite.solvers.mujoco.derive.tendon import MANY_DOFS

ON_CONE = 4  # mjtConstraintState
BLOCK = 16
ROW_FIELDS = ("pos", "margin", "D", "R", "vel", "aref", "frictionloss", "force", "id")


def fill_worlds(array: wp.array, value, nworld: int) -> None:
    """Write the same numbers into every world of an array, and zeros where its rows are longer."""
    cell = cell_shape(array.dtype)
    kind = np.int32 if array.dtype in (int, wp.int32) or scalar_type(array.dtype) is wp.int32 else 0
    rows = np.zeros((*array.shape[1:], *cell), kind or np.float32)
    value = np.asarray(value)
    value = value if value.ndim == rows.ndim else value.reshape((*value.shape[:1], *rows.shape[1:]))
    rows[tuple(slice(0, n) for n in value.shape)] = value
    whole = np.ascontiguousarray(np.broadcast_to(rows, (nworld, *rows.shape)))
    wp.copy(array, wp.array(whole, dtype=array.dtype, device=array.device))


def put_results(mjm, mjd, d) -> None:
    """Matrices, contacts and rows of a host data into every world."""
    put_matrices(mjm, mjd, d)
    d.engine.control.assign(np.tile(mjd.ctrl, (d.nworld, 1)))
    put_effective_inertia(mjd, d)
    put_contacts(mjd, d)
    put_rows(mjm, mjd, d)
    d.engine.solver_niter.fill_(int(mjd.solver_niter[0]))


def put_effective_inertia(mjd, d) -> None:
    """Effective inertia, and its part of forces: the engine has one weight for each tendon and actuator, a host
    data a list of those that are not zero.
    """
    if not d.engine.model.ndiscretedof:
        return
    fill_worlds(d.engine.efm_c, np.asarray(mjd.efm_c) + np.asarray(mjd.efm_ca), d.nworld)
    for name, ids, count in (("efm_ts", mjd.efm_tid, mjd.nefmT), ("efm_as", mjd.efm_aid, mjd.nefmA)):
        own = getattr(d.engine, name)
        row = np.zeros(own.shape[1])
        row[np.asarray(ids)[:count]] = np.asarray(getattr(mjd, name))[:count]
        fill_worlds(own, row, d.nworld)


def put_matrices(mjm, mjd, d) -> None:
    """``M``, Jacobians of tendons, moments of actuators that are kept as rows; where strings touch geoms."""
    e, m = d.engine, d.engine.model
    if m.nv:
        put_inertia(e, sparsity.inertia(mjm), np.asarray(mjd.M), d.nworld)
    if m.ntendon:
        fill_worlds(e.ten_J, sparsity.dense(mjd.ten_J, sparsity.tendons(mjm), m.nv), d.nworld)
        put_wraps(mjm, mjd, d)
    if m.nmomentrow:
        moment = sparsity.Pattern(*(np.asarray(getattr(mjd, f"moment_{n}")) for n in sparsity.Pattern._fields))
        kept = m.out_momentrow.numpy() >= 0
        fill_worlds(e.arrays["actuator_moment"], sparsity.dense(mjd.actuator_moment, moment, m.nv)[kept], d.nworld)


def put_inertia(e, kept: sparsity.Pattern, low: np.ndarray, nworld: int) -> None:
    """``M`` from the entries of its lower triangle; number (i, j) is i rows and j numbers behind the first, also where rows
    are narrower than that.
    """
    _, high, wide = e.M.shape
    (rows, cols, values), whole = sparsity.entries(low, kept), np.zeros(high * wide)
    whole[rows * wide + cols] = whole[cols * wide + rows] = values
    fill_worlds(e.M, whole.reshape(high, wide), nworld)


def put_wraps(mjm, mjd, d) -> None:
    """Write the wrap points of spatial tendons on geoms into the data, from the points of their paths."""
    objects, points = np.ravel(mjd.wrap_obj), np.reshape(mjd.wrap_xpos, (-1, 3))
    length, first, last = np.full(mjm.nwrap, -1.0), np.zeros((mjm.nwrap, 3)), np.zeros((mjm.nwrap, 3))
    for t in range(mjm.ntendon):
        n = int(mjd.ten_wrapadr[t])
        for w in range(mjm.tendon_adr[t], mjm.tendon_adr[t] + mjm.tendon_num[t]):
            if mjm.wrap_type[w] in (MjtWrap.SITE, MjtWrap.PULLEY):
                n += 1
            elif mjm.wrap_type[w] > MjtWrap.SITE and objects[n] >= 0:
                length[w], first[w], last[w] = 0.0, points[n], points[n + 1]
                n += 2
    for name, values in (("wrap_length", length), ("wrap_first", first), ("wrap_last", last)):
        fill_worlds(getattr(d.engine, name), values, d.nworld)


def put_contacts(mjd, d) -> None:
    """Contacts, as they are listed."""
    e, contact = d.engine, mjd.contact
    e.ncon.fill_(mjd.ncon)
    if not mjd.ncon:
        return
    for name in (*CONTACT, *OPTIONAL, *SOFT):
        own = e.arrays[f"contact_{name}"]
        if own.size and hasattr(contact, name):
            fill_worlds(own, np.asarray(getattr(contact, name)), d.nworld)
    fill_worlds(e.contact_mu, np.asarray(contact.mu), d.nworld)
    on_cone = np.array([a >= 0 and mjd.efc_state[a] == ON_CONE for a in contact.efc_address], int)
    fill_worlds(e.contact_on_cone, on_cone, d.nworld)


def put_rows(mjm, mjd, d) -> None:
    """Constraint rows, with what the solver needs to know of each."""
    e, kind, nefc = d.engine, np.asarray(mjd.efc_type), int(mjd.nefc)
    counts = {"nefc": nefc, "nefc_needed": nefc, "ne": mjd.ne, "nf": mjd.nf, "nl": mjd.nl}
    counts |= {
        "nf_dof": np.sum(kind == MjtConstraint.FRICTION_DOF),
        "nl_jnt": np.sum(kind == MjtConstraint.LIMIT_JOINT),
    }
    for name, count in counts.items():
        getattr(e, name).fill_(int(count))
    if not nefc:
        return
    J = jacobian(mjm, mjd)
    if e.model.nsparse:
        put_entries(J, d)
    else:
        fill_worlds(e.efc_J, J, d.nworld)
        fill_worlds(e.efc_block, [blocks(row) for row in J], d.nworld)
    fill_worlds(e.efc_cost, pieces(mjd), d.nworld)
    for name in ROW_FIELDS:
        fill_worlds(getattr(e, f"efc_{name}"), np.asarray(getattr(mjd, f"efc_{name}")), d.nworld)
    if e.eq_efc_address.size:
        ids = np.asarray(mjd.efc_id)[: mjd.ne]
        first = [np.argmax(ids == i) if i in ids else -1 for i in range(mjm.neq)]
        fill_worlds(e.eq_efc_address, np.array(first), d.nworld)


def put_entries(J: np.ndarray, d) -> None:
    """Rows ``[nefc, nv]`` as entries, by rows and by dofs. CapacityError where they are more than there is room for."""
    e = d.engine
    row, column = np.nonzero(J)
    if len(row) > e.efc_J_colind.shape[1]:
        raise CapacityError(
            f"put_data: rows of {len(row)} entries, and room for {e.efc_J_colind.shape[1]}; give a larger njmax"
        )
    by_dof = np.lexsort((row, column))
    count = np.bincount(row, minlength=len(J))
    parts = {
        "J_rownnz": count,
        "J_rowadr": np.cumsum(count) - count,
        "J_rowsuper": np.zeros(len(J), int),
        "J_colind": column,
        "JT": J[row, column][by_dof],
        "JT_rowadr": np.searchsorted(column[by_dof], np.arange(J.shape[1] + 1)),
        "JT_colind": row[by_dof],
        "J": J[None, row, column],
    }
    for name, values in parts.items():
        fill_worlds(getattr(e, f"efc_{name}"), values, d.nworld)
    e.nJ.fill_(len(row))


def has_sparse_rows(mjm) -> bool:
    """Whether a host model's data keeps ``efc_J`` by its entries."""
    choice = int(mjm.opt.jacobian)
    return choice == MjtJacobian.SPARSE or choice == MjtJacobian.AUTO and int(mjm.nv) >= MANY_DOFS


def jacobian(mjm, mjd) -> np.ndarray:
    """``efc_J [nefc, nv]`` of a host data, which may have it sparse."""
    nefc, nv = int(mjd.nefc), int(mjm.nv)
    if not has_sparse_rows(mjm):
        # its room is for rows that MuJoCo counted at first, of which it drops those that are zero
        return np.ravel(mjd.efc_J)[: nefc * nv].reshape(nefc, nv)
    kept = sparsity.Pattern(*(np.asarray(getattr(mjd, f"efc_J_{n}")) for n in sparsity.Pattern._fields))
    return sparsity.dense(mjd.efc_J, kept, nv)


def jacobian_into(result, mjm, J: np.ndarray) -> None:
    """Write rows ``[nefc, nv]`` into a host data that has room for them, by their entries where it has them so."""
    if not has_sparse_rows(mjm):
        result.efc_J[: J.size] = J.ravel()
        return
    row, column = np.nonzero(J)
    count = np.bincount(row, minlength=len(J))
    for name, values in (("efc_J_rownnz", count), ("efc_J_rowadr", np.cumsum(count) - count)):
        getattr(result, name)[: len(J)] = values
    for name, values in (("efc_J_colind", column), ("efc_J", J[row, column])):
        getattr(result, name)[: len(row)] = values


def blocks(row: np.ndarray) -> tuple:
    """Blocks of columns that a row uses: from the first to the last."""
    used = np.flatnonzero(row)
    first, end = (used[0] // BLOCK, used[-1] // BLOCK + 1) if len(used) else (0, 0)
    return first, end, end, end


def pieces(mjd) -> np.ndarray:
    """Kind of the cost of each row: 0 equality, 1 friction, 2 one-sided, 3 first and 4 other rows of a cone."""
    kind = np.asarray(mjd.efc_type)
    cost = np.where(kind == MjtConstraint.EQUALITY, 0, np.where(kind <= MjtConstraint.FRICTION_TENDON, 1, 2))
    cost[kind == MjtConstraint.CONTACT_ELLIPTIC] = 4
    first = np.asarray(mjd.contact.efc_address, int)
    first = first[first >= 0]
    cost[first[kind[first] == MjtConstraint.CONTACT_ELLIPTIC]] = 3
    return cost

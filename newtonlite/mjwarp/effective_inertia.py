"""Effective inertia of the integrator discrete as MuJoCo Warp has it: where ``M`` has entries, of flexes, and of forces."""

from collections.abc import Callable

import numpy as np
import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.mjwarp import flex_stiffness_rows, sparsity
from newtonlite.mjwarp.entry_arrays import entries, factor, new_array
from newtonlite.solvers.mujoco.kernels.integrate import inertia_parts

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def take_diagonal(rownnz: wp.array[int], rowadr: wp.array[int], source: wp.array2d[float], target: wp.array2d[float]):
    """The diagonal of entries like those of ``M``, where it ends each row."""
    world, i = wp.tid()
    at = rowadr[i] + rownnz[i] - 1
    target[world, at] = source[world, at]


@wp.kernel(enable_backward=False)
def take_coupled(coupled: wp.array2d[float], places: wp.array[int], out: wp.array2d[float]):
    """Entries between trees, in place of what was found in ``M``."""
    world, k = wp.tid()
    if places[k] >= 0:
        out[world, k] = coupled[world, places[k]]


@wp.kernel(enable_backward=False)
def add_diagonal(
    rownnz: wp.array[int],
    rowadr: wp.array[int],
    own: wp.array2d[int],
    source: wp.array2d[float],
    target: wp.array2d[float],
):
    """Add the diagonal of rows of flexes to that of entries like those of ``M``."""
    world, i = wp.tid()
    if own[0, i] >= 0:
        at = rowadr[i] + rownnz[i] - 1
        target[world, at] = target[world, at] + source[world, own[0, i]]


def backbone(d, last) -> tuple:
    """``qH [nworld, nC]``, ``qHLD`` and ``qHDiagInv``: the effective inertia of the integrator discrete where ``M`` has entries,
    with the diagonal alone of tendons and actuators; its factor, of which the diagonal has that of flexes too; zeros for other
    integrators.
    """
    m, e = d.engine.model, d.engine
    kept = sparsity.inertia(m.source)
    size = len(kept.colind)
    qH, qHLD, inverse = last or [new_array(d, None, (n,), float) for n in (size, size, m.nv)]
    if not m.ndiscretedof:
        return qH, qHLD, inverse
    own = wp.clone(e.M)
    d.run(m, "add_backbone_part", (inertia_parts.add_backbone_part,))
    entries(d, qH, "M", kept)
    d.run(m, "add_drives_part", (inertia_parts.add_drives_part,))
    whole = entries(d, qHLD, "M", kept)
    wp.copy(e.M, own)
    rows = [d.kept_index(f"M_{which}", getattr(kept, which)) for which in ("rownnz", "rowadr")]
    wp.launch(take_diagonal, (d.nworld, m.nv), [*rows, whole], [qH], device=e.device)
    # solvers of MuJoCo take the diagonal of flexes into the factor alone
    wp.copy(qHLD, qH)
    tied = flex_stiffness_rows.tied_dofs(m.source)
    if len(tied.colind):
        places = np.full((1, m.nv), -1)
        places[0, tied.rows[tied.rows == tied.colind]] = np.flatnonzero(tied.rows == tied.colind)
        inputs = [*rows, d.kept_index("efm_K_diagonal", places), d.efm_K_val]
        wp.launch(add_diagonal, (d.nworld, m.nv), inputs, [qHLD], device=e.device)
    factor(d, kept, (qHLD, inverse))
    return qH, qHLD, inverse


@wp.kernel(enable_backward=False)
def subtract(whole: wp.array2d[float], part: wp.array2d[float], out: wp.array2d[float]):
    """``out = whole - part``."""
    world, i = wp.tid()
    out[world, i] = whole[world, i] - part[world, i]


def passive_shift(d, last) -> wp.array:
    """``efm_c``: what stiffness changes of the smooth forces within a step of the integrator discrete, without the part
    of actuators, ``efm_ca``, that the engine has in it; nothing for other integrators.
    """
    out = new_array(d, last, (d.engine.model.nv,), float)
    whole, share = d.engine.efm_c, d.engine.efm_ca
    if whole.size:
        wp.launch(subtract, out.shape, [whole, share, out], device=out.device)
    return out


def of_discrete(name: str):
    """The engine's own array of the integrator discrete; zeros where the model has another."""

    def made(d, last) -> wp.array:
        own = d.batch.view(name)
        return own if own.size else new_array(d, last, (d.engine.model.nv,), float)

    return made


def flex_stiffness(d, last) -> wp.array:
    """``efm_K_val [nworld, nefmK]``: ``(h^2 + h beta) K`` of flexes, of the integrator discrete."""
    m, kept = d.engine.model, flex_stiffness_rows.tied_dofs(d.engine.model.source)
    out = _inertia_part(d, last, "efm_K", kept, inertia_parts.flex_part)
    if m.nefmrow and out.size:
        places = d.kept_index("efm_K_coupled", coupled_places(m, kept))
        wp.launch(take_coupled, out.shape, [d.engine.efm_coupled, places, out], device=out.device)
    return out


def coupled_places(m, kept) -> np.ndarray:
    """Place of each entry in ``efm_coupled``, -1 where ``M`` has it."""
    first, columns = m.coupled_rowadr.numpy().astype(np.int64), m.coupled_colind.numpy().astype(np.int64)
    codes = np.repeat(np.arange(m.nv), np.diff(first)) * m.nv + columns
    wanted = np.asarray(kept.rows, np.int64) * m.nv + np.asarray(kept.colind, np.int64)
    place = np.minimum(np.searchsorted(codes, wanted), max(len(codes) - 1, 0))
    return np.where(np.isin(wanted, codes), place, -1)


def drag(d, last) -> wp.array:
    """``efm_fluid [nworld, nC]``: ``h D`` of fluids, of the integrator discrete."""
    return _inertia_part(d, last, "M", sparsity.inertia(d.engine.model.source), inertia_parts.drag_part)


def _inertia_part(d, last, name: str, kept: sparsity.Pattern, part: Callable) -> wp.array:
    """Entries of a part of the effective inertia, which takes the place of ``M`` for a moment."""
    m = d.engine.model
    if not m.ndiscretedof or part is inertia_parts.flex_part and not m.ncoupling:
        return new_array(d, last, (len(kept.colind),), float)
    own = wp.clone(d.engine.M)
    d.run(m, part.key, (part,))
    out = entries(d, last, name, kept, "M")
    wp.copy(d.engine.M, own)
    return out

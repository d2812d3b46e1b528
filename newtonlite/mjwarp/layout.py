"""Layouts of MuJoCo Warp: arrays that the engine keeps in another form, or not at all, made from its own when they are
read.

A function of ``LAYOUTS`` takes the data and the array that was made last time (None at first) and returns the array as
it is now; steps pay nothing for them. What a program writes into such an array is not seen by the engine; assigning one of ``WRITTEN`` is.
"""

from collections.abc import Callable

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtJoint
from newtonlite.core.types import vec10
from newtonlite.math.spatial import cross_motion
from newtonlite.mjwarp import sparsity
from newtonlite.mjwarp.effective_inertia import backbone, drag, flex_stiffness, of_discrete, passive_shift
from newtonlite.mjwarp.entry_arrays import entries, factor, new_array
from newtonlite.mjwarp.island_lists import AWAKE, LISTS, awake_list, island_list
from newtonlite.mjwarp.sparse_kernels import actuator_moments, scatter_entries, wrap_points
from newtonlite.mjwarp.stretch_hessian import stretch_hessian
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.batch import write
from newtonlite.solvers.mujoco.kernels.sense import frames

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def zero_first(rows: wp.array2d[vec10]):
    """Nothing for the world body, which stages leave out."""
    rows[wp.tid(), 0] = vec10()


@wp.kernel(enable_backward=False)
def axis_rates(
    parent: wp.array[int],
    jntadr: wp.array[int],
    jntnum: wp.array[int],
    kinds: wp.array[int],
    dofadr: wp.array[int],
    cvel: wp.array2d[wp.spatial_vector],
    cdof: wp.array2d[wp.spatial_vector],
    qvel: wp.array2d[float],
    out: wp.array2d[wp.spatial_vector],
):
    """``cdof_dot = v x cdof`` with the velocity of what the joint turns on; translations of free joints keep their
    direction.
    """
    world, b = wp.tid()
    if b == 0:
        return
    v = cvel[world, parent[b]]
    for j in range(jntadr[b], jntadr[b] + jntnum[b]):
        adr = dofadr[j]
        count = int(1)
        if kinds[j] == MjtJoint.FREE:
            for k in range(3):
                out[world, adr + k] = wp.spatial_vector()
                v += cdof[world, adr + k] * qvel[world, adr + k]
            adr += 3
        if kinds[j] <= MjtJoint.BALL:
            count = 3
        before = v
        for k in range(count):
            out[world, adr + k] = cross_motion(before, cdof[world, adr + k])
            v += cdof[world, adr + k] * qvel[world, adr + k]


@wp.kernel(enable_backward=False)
def count_awake(
    asleep: wp.array2d[int], ntree: int, tree_dofnum: wp.array[int], body_treeid: wp.array[int], out: wp.array2d[int]
):
    """Awake trees, bodies and dofs of each world; without sleep all are, and what is static always is."""
    world = wp.tid()
    sleeps = asleep.shape[1] > 0
    trees = int(0)
    dofs = int(0)
    for t in range(ntree):
        if not sleeps or asleep[world, t] < 0:
            trees += 1
            dofs += tree_dofnum[t]
    bodies = int(0)
    for b in range(body_treeid.shape[0]):
        t = body_treeid[b]
        if t < 0 or not sleeps or asleep[world, t] < 0:
            bodies += 1
    out[0, world] = trees
    out[1, world] = bodies
    out[2, world] = dofs


def awake(row: int) -> Callable:
    """Maker of one of the numbers of awake things [nworld]."""

    def make(d, last) -> wp.array:
        m = d.engine.model
        out = wp.zeros((3, d.nworld), dtype=int, device=d.engine.device)
        given = [d.engine.tree_asleep, m.ntree, m.tree_dofnum, m.body_treeid]
        wp.launch(count_awake, d.nworld, given, [out], device=out.device)
        if last is None:
            return out[row].contiguous()
        wp.copy(last, out[row])
        return last

    return make


def inertia(d, last) -> wp.array:
    """``M [nworld, nC]``: its lower triangle, row by row."""
    return entries(d, last, "M", sparsity.inertia(d.engine.model.source))


def put_inertia(d, value) -> None:
    """Take over ``M [nworld, nC]``. StateError for another shape."""
    kept = sparsity.inertia(d.engine.model.source)
    entries = wp.zeros((d.nworld, len(kept.colind)), dtype=float, device=d.engine.device)
    write("data.M", entries, value)
    at = [d.kept_index(f"M_{which}", getattr(kept, which)) for which in ("rows", "colind")]
    wp.launch(scatter_entries, entries.shape, [entries, *at, d.engine.M], device=entries.device)


def put_factors(d, value) -> None:
    """Take a factor whose ``L' D L`` is ``M``, each entry within what roundings of single precision leave of its
    diagonal. StateError for another, or another shape: the factor is always computed from ``M``.
    """
    kept = sparsity.inertia(d.engine.model.source)
    given = wp.zeros((d.nworld, len(kept.colind)), dtype=float, device=d.engine.device)
    write("data.qLD", given, value)
    product, M = sparsity.factored(given.numpy(), kept), d.M.numpy().astype(float)
    size = np.sqrt(np.abs(M[:, kept.diagonal]))
    apart = np.abs(product - M) / np.maximum(size[:, kept.rows] * size[:, kept.colind], np.finfo(np.float32).tiny)
    if not (apart < FACTOR_ERROR).all():
        raise StateError(
            f"data.qLD: L'DL is {apart.max():.1e} of a diagonal entry away from data.M, from which it is computed; write data.M"
        )


def tendon_jacobian(d, last) -> wp.array:
    """``ten_J [nworld, nJten]``: entries of the dofs that move a tendon, tendon by tendon."""
    kept = sparsity.tendons(d.engine.model.source)
    if d.engine.model.nsparse:  # side by side already
        kept = kept._replace(rownnz=np.array([len(kept.colind)]), colind=np.arange(len(kept.colind)))
    return entries(d, last, "ten_J", kept)


def factors(d, last) -> tuple:
    """``L' D L`` of ``M`` (``qLD [nworld, nC]``), and one over the diagonal of D."""
    kept = sparsity.inertia(d.engine.model.source)
    nv = d.engine.model.nv
    pair = (new_array(d, None, (len(kept.colind),), float), new_array(d, None, (nv,), float)) if last is None else last
    if nv:
        wp.copy(pair[0], d.M)
        factor(d, kept, pair)
    return pair


def moments(d, last) -> wp.array:
    """``actuator_moment [nworld, nJmom]``: of each output the dofs that it pushes."""
    m, e = d.engine.model, d.engine
    out = new_array(d, last, (m.push_dof.size,), float)
    if out.size:
        tables = [m.push_adr, m.push_dof, m.out_momentrow, m.out_actuator, m.actuator_trntype, m.actuator_trnid]
        tables += [m.jnt_type, m.jnt_dofadr, m.jnt_qposadr]
        gear = m.arrays["actuator_gear"]
        inputs = [*tables, gear, e.arrays["actuator_moment"], e.ten_J, e.qpos]
        wp.launch(actuator_moments, (d.nworld, m.nout), [*inputs, out], device=out.device)
    return out


def moment_structure(name: str):
    """Number, start and columns of the entries of each output, the same in every world."""

    def made(d, last) -> wp.array:
        if last is None:
            adr, dofs = (d.engine.model.arrays[table].numpy() for table in ("push_adr", "push_dof"))
            row = {"rownnz": np.diff(adr), "rowadr": adr[:-1], "colind": dofs}[name]
            last = new_array(d, None, row.shape, int)
            d.kept_index(f"moment_{name}_rows", np.broadcast_to(row, last.shape))
        if last.size:
            wp.copy(last, d.kept_index(f"moment_{name}_rows", None))
        return last

    return made


def wraps(d, last) -> tuple:
    """Points of tendons' paths: first and number of each tendon's, what they belong to, and where they are."""
    m, e = d.engine.model, d.engine
    if last is None:
        ints = [new_array(d, None, (m.ntendon,), int) for _ in range(2)]
        last = (*ints, new_array(d, None, (m.nwrap,), wp.vec2i), new_array(d, None, (m.nwrap,), wp.spatial_vector))
    last[2].zero_()
    last[3].zero_()
    if m.nwrap:
        paths = [m.tendon_spatial, m.tendon_adr, m.tendon_num, m.wrap_type, m.wrap_objid]
        found = [e.wrap_length, e.wrap_first, e.wrap_last, e.site_xpos]
        wp.launch(wrap_points, d.nworld, [m.ntendon, *paths, *found, *last], device=e.device)
    return last


def rates(d, last) -> wp.array:
    """``cdof_dot``: rates of the motion axes."""
    m, e = d.engine.model, d.engine
    out = new_array(d, last, (m.nv,), wp.spatial_vector)
    tables = [m.body_parentid, m.body_jntadr, m.body_jntnum, m.jnt_type, m.jnt_dofadr]
    wp.launch(axis_rates, (d.nworld, m.nbody), [*tables, e.cvel, e.cdof, e.qvel, out], device=e.device)
    return out


def inertias(name: str):
    """The engine's own array, with nothing for the world body."""

    def made(d, last) -> wp.array:
        own = getattr(d.engine, name)
        wp.launch(zero_first, d.nworld, [own], device=own.device)
        return own

    return made


def late(name: str, program: str, stages: tuple):
    """The engine's own array, which programs leave undone where nothing in a step needs it: computed when it is read."""

    def made(d, last) -> wp.array:
        if name in d.undone:
            d.run(d.engine.model, program, stages)
        return d.batch.unpadded(name, d.engine.arrays[name])

    return made


def part(group: str, index: int):
    """One of several arrays that are made together."""

    def made(d, last) -> wp.array:
        return d.layout_group(group)[index]

    return made


FACTOR_ERROR = 1e-4
"""Most that ``L' D L`` of a factor may be away from ``M``, as a share of the geometric mean of two diagonal entries:
ten times the roundings of long chains in single precision.
"""
FRAMES = ("cam_xpos", "cam_xmat", "light_xpos", "light_xdir")
DISCRETE = ("efm_diag", "efm_ca")
ENGINES = ("cinert", "crb", "qacc_smooth", *FRAMES, *DISCRETE)
"""Fields of ``LAYOUTS`` that are the engine's own arrays."""
GROUPS = {"factors": factors, "wraps": wraps, "stretch": stretch_hessian, "backbone": backbone}
"""Functions that make several arrays together."""
LAYOUTS = {
    "M": inertia,
    "qLD": part("factors", 0),
    "qLDiagInv": part("factors", 1),
    "ten_J": tendon_jacobian,
    "actuator_moment": moments,
    "moment_rownnz": moment_structure("rownnz"),
    "moment_rowadr": moment_structure("rowadr"),
    "moment_colind": moment_structure("colind"),
    "ten_wrapadr": part("wraps", 0),
    "ten_wrapnum": part("wraps", 1),
    "wrap_obj": part("wraps", 2),
    "wrap_xpos": part("wraps", 3),
    "cdof_dot": rates,
    "efm_c": passive_shift,
    "efm_K_val": flex_stiffness,
    **{name: part("backbone", index) for index, name in enumerate(("qH", "qHLD", "qHDiagInv"))},
    "flexvert_hessian": part("stretch", 0),
    "flexedge_hessian": part("stretch", 1),
    "efm_fluid": drag,
    **{name: of_discrete(name) for name in DISCRETE},
    "ntree_awake": awake(0),
    "nbody_awake": awake(1),
    "nv_awake": awake(2),
    **{name: island_list(name) for name in LISTS},
    **{name: awake_list(name) for name in AWAKE},
    "cinert": inertias("cinert"),
    "crb": inertias("crb"),
    "qacc_smooth": late("qacc_smooth", "smooth_of_step", pipeline.SMOOTH_OF_STEP),
    **{name: late(name, "camlight", (frames.camera_frames,)) for name in FRAMES},
}
"""Arrays by name."""
WRITTEN: dict[str, Callable] = {"M": put_inertia, "qLD": put_factors}
"""Setters of arrays that can be written into as a whole: functions of the data and the numbers."""

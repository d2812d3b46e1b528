"""Inverse dynamics derivatives by finite differences, every nudge in a world of its own."""

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.mjwarp.copies import PerturbedWorlds, kept_with
from newtonlite.mjwarp.data import Data
from newtonlite.mjwarp.tangent import shift_coordinate
from newtonlite.solvers.mujoco import pipeline

kernel_module(__name__)

PROGRAM = (*pipeline.INVERSE, *pipeline.SENSOR_POS, *pipeline.SENSOR_VEL, *pipeline.SENSOR_ACC)
"""Inverse dynamics, and what sensors would show."""


@wp.kernel(enable_backward=False)
def nudge(
    copies: int,
    nv: int,
    eps: float,
    jntid: wp.array[int],
    jnt_type: wp.array[int],
    qposadr: wp.array[int],
    dofadr: wp.array[int],
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    qacc: wp.array2d[float],
    size: wp.array[float],
):
    """Move one coordinate of each world, the first half up and the second down."""
    world = wp.tid()
    k = world % copies
    c = k % (3 * nv)
    h = float(eps)
    if k >= 3 * nv:
        h = -h
    if c < nv:
        shift_coordinate(jntid, jnt_type, qposadr, dofadr, qpos, world, c, h)
    elif c < 2 * nv:
        qvel[world, c - nv] = qvel[world, c - nv] + h
    else:
        qacc[world, c - 2 * nv] = qacc[world, c - 2 * nv] + h
    size[world] = h


@wp.kernel(enable_backward=False)
def less(a: wp.array2d[float], b: wp.array2d[float]):
    """``a -= b``."""
    world, i = wp.tid()
    a[world, i] = a[world, i] - b[world, i]


class InverseTransition(PerturbedWorlds):
    """Workspace that ``inverse_fd`` keeps between calls. Memory: ``6 nv`` worlds for each."""

    def __init__(self, m, nworld: int, eps: float = 1e-3, capacity: tuple = (None, None)):
        super().__init__(m, nworld, 3 * m.nv, eps, capacity, keep=("qfrc_actuator", "M"))
        self.schedule.add("inverse_fd", PROGRAM)

    def run(self, d: Data, flg_actuation: bool, force: tuple, sensors: tuple, DmDq) -> None:
        """Fill the arrays that are given for the worlds of ``d``; ``d`` is not changed."""
        m, big = self.source, self.data
        self._check(force, sensors, DmDq)
        self.take(d, ("qacc",))
        inputs = [self.copies, m.nv, self.eps, m.dof_jntid, m.jnt_type, m.jnt_qposadr, m.jnt_dofadr]
        wp.launch(nudge, self.nworld * self.copies, inputs, [big.qpos, big.qvel, big.qacc, self.size], device=m.device)
        self.schedule.run("inverse_fd")
        if flg_actuation:
            wp.launch(less, big.qfrc_inverse.shape, [big.qfrc_inverse, big.qfrc_actuator], device=m.device)
        for kind in range(3):
            for values, out in ((big.qfrc_inverse, force[kind]), (big.sensordata, sensors[kind])):
                if out is not None:
                    self.quotient(kind * m.nv, 0, values, out, across=True)
        if DmDq is not None:
            if m.nsparse:
                raise StateError(f"DmDq: the inertia of a model of {m.nv} dofs is stored sparse; leave DmDq out")
            whole = big.engine.M[:, :, : m.nv].contiguous().reshape((self.nworld * self.copies, m.nv * m.nv))
            self.quotient(0, 0, whole, DmDq.reshape((self.nworld, m.nv, m.nv * m.nv)), across=True)

    def _check(self, force: tuple, sensors: tuple, DmDq) -> None:
        nv, nsensor = self.source.nv, self.source.nsensordata
        wanted = {f"DfD{x}": (array, (nv, nv)) for x, array in zip("qva", force)}
        wanted |= {f"DsD{x}": (array, (nv, nsensor)) for x, array in zip("qva", sensors)}
        wanted["DmDq"] = (DmDq, (nv, nv, nv))
        for name, (array, shape) in wanted.items():
            if array is not None and array.shape != (self.nworld, *shape):
                raise StateError(f"{name}: expected shape {(self.nworld, *shape)}, got {array.shape}")


def inverse_fd(
    m,
    d: Data,
    eps: float = 1e-3,
    flg_actuation: bool = False,
    DfDq=None,
    DfDv=None,
    DfDa=None,
    DsDq=None,
    DsDv=None,
    DsDa=None,
    DmDq=None,
) -> None:
    """Derivatives of ``qfrc_inverse``, sensors and ``M`` by position, velocity and acceleration (``mjd_inverseFD``,
    batched over worlds).

    Row ``i`` is the derivative by coordinate ``i``, as MuJoCo has it: ``DfDq``, ``DfDv``, ``DfDa [nworld, nv, nv]``;
    ``DsDq``, ``DsDv``, ``DsDa [nworld, nv, nsensordata]``; ``DmDq [nworld, nv, nv, nv]``, dense.  ``flg_actuation``
    takes the actuators' forces off.  Differences are centred.  What is needed is allocated with the first call and kept
    with ``d``.  Raises StateError for arrays of other shapes.
    """
    capacity = (d.engine.nconmax, d.engine.njmax)
    made = kept_with(d, "_inverse", (id(m), m.version, eps), lambda: InverseTransition(m, d.nworld, eps, capacity))
    made.run(d, flg_actuation, (DfDq, DfDv, DfDa), (DsDq, DsDv, DsDa), DmDq)

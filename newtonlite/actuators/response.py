"""Joint-space response: how joint velocities answer to joint impulses, the inverse of each articulation's inertia."""

from collections.abc import Callable

import numpy as np
import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.math.cholesky import invert_block
from newtonlite.sim.articulation import eval_fk
from newtonlite.sim.articulation_struct import ArticulationStruct, articulation_struct, base_frame, com_of, floats
from newtonlite.sim.jacobian import eval_jacobian, eval_mass_matrix
from newtonlite.sim.model import Model
from newtonlite.sim.state import State

kernel_module(__name__)


@wp.kernel
def invert_all(H: wp.array3d[float], count: wp.array[int], L: wp.array3d[float], out: wp.array3d[float]):
    """An articulation per thread."""
    a = wp.tid()
    invert_block(H, a, 0, count[a], L, out)


@wp.kernel
def one_impulse(column: int, impulse: wp.array2d[float]):
    """A unit impulse on one dof of every world."""
    world, j = wp.tid()
    impulse[world, j] = float(j == column)


@wp.kernel
def take_column(
    answer: wp.array2d[float],
    column: int,
    dof_map: wp.array2d[int],
    width: int,
    articulation: wp.array[int],
    local: wp.array[int],
    out: wp.array3d[float],
):
    """The answer to a unit impulse, where both dofs are of one articulation."""
    world, j = wp.tid()
    row = world * width + j
    other = world * width + column
    if width == 0:
        row = dof_map[world, j]
        other = dof_map[world, column]
    if row >= 0 and other >= 0:
        a = articulation[row]
        if a >= 0 and articulation[other] == a:
            out[a, local[row], local[other]] = answer[world, j]


@wp.func
def rotation_of(t: ArticulationStruct, joint: int, joint_q: wp.array[float]) -> wp.quat:
    """The rotation of a ball or free joint."""
    at = t.joint_q_start[joint]
    if floats(t.joint_type[joint]):
        at += 3
    return wp.quat(joint_q[at], joint_q[at + 1], joint_q[at + 2], joint_q[at + 3])


@wp.func
def into_own(
    t: ArticulationStruct,
    joint: int,
    joint_q: wp.array[float],
    body_q: wp.array[wp.transform],
    linear: wp.vec3,
    angular: wp.vec3,
):
    """A velocity in MuJoCo's coordinates of a ball or free joint, in the scene's: centre of mass for origin, parent's
    axes for the child's.
    """
    child = t.joint_child[joint]
    spin = wp.quat_rotate(
        rotation_of(t, joint, joint_q) * wp.quat_inverse(wp.transform_get_rotation(t.joint_X_c[joint])), angular
    )
    move = wp.vec3(0.0, 0.0, 0.0)
    if floats(t.joint_type[joint]):
        turn = wp.transform_get_rotation(base_frame(t, body_q, joint))
        arm = com_of(t, body_q, child) - wp.transform_get_translation(body_q[child])
        move = wp.quat_rotate_inv(turn, linear) + wp.cross(spin, wp.quat_rotate_inv(turn, arm))
    return wp.spatial_vector(move, spin)


@wp.kernel
def change_coordinates(
    t: ArticulationStruct,
    joint_q: wp.array[float],
    body_q: wp.array[wp.transform],
    count: wp.array[int],
    rows: bool,
    blocks: wp.array3d[float],
):
    """``A <- T A`` along rows, then ``A <- A T^T`` along columns: answers of free and ball joints from MuJoCo's
    coordinates to the scene's.
    """
    a, other = wp.tid()
    if other >= count[a]:
        return
    first = t.joint_qd_start[t.articulation_start[a]]
    for joint in range(t.articulation_start[a], t.articulation_end[a]):
        at = t.joint_qd_start[joint] - first
        loose = floats(t.joint_type[joint])
        if loose or t.joint_type[joint] == JointType.BALL:
            linear = wp.vec3(0.0, 0.0, 0.0)
            angular = wp.vec3(0.0, 0.0, 0.0)
            turn = int(0)
            if loose:
                turn = 3
            for k in range(3):
                if rows:
                    angular[k] = blocks[a, at + turn + k, other]
                    if loose:
                        linear[k] = blocks[a, at + k, other]
                else:
                    angular[k] = blocks[a, other, at + turn + k]
                    if loose:
                        linear[k] = blocks[a, other, at + k]
            v = into_own(t, joint, joint_q, body_q, linear, angular)
            for k in range(3):
                if rows:
                    blocks[a, at + turn + k, other] = v[3 + k]
                    if loose:
                        blocks[a, at + k, other] = v[k]
                else:
                    blocks[a, other, at + turn + k] = v[3 + k]
                    if loose:
                        blocks[a, other, at + k] = v[k]


class JointSpaceResponse:
    """``inverse_blocks`` [articulation_count, max_dofs, max_dofs]: the inverse of each articulation's inertia, zero
    beyond its dofs.

    ``refresh`` computes it from the model, ``refresh_from_solve`` from a solver's own inertia.
    """

    def __init__(self, model: Model) -> None:
        if not model.articulation_count:
            raise ModelError("JointSpaceResponse: the model has no articulations")
        self.model = model
        starts, count = model.joint_qd_start.numpy(), model.articulation_count
        first = starts[model.articulation_start.numpy()[:count]]
        counts = starts[model.articulation_end.numpy()] - first
        articulation, local = np.full(model.joint_dof_count, -1, np.int32), np.zeros(model.joint_dof_count, np.int32)
        for a in range(count):
            articulation[first[a] : first[a] + counts[a]], local[first[a] : first[a] + counts[a]] = (
                a,
                np.arange(counts[a]),
            )
        ints = lambda values: wp.array(np.asarray(values, np.int32), dtype=int, device=model.device)
        self._counts, self._articulation, self._local = ints(counts), ints(articulation), ints(local)
        width = model.max_dofs_per_articulation
        self._H, self._L, self._inverse = (
            wp.zeros((count, width, width), dtype=float, device=model.device) for _ in range(3)
        )
        self._J = wp.zeros((count, 6 * model.max_joints_per_articulation, width), dtype=float, device=model.device)
        self._S = wp.zeros(model.joint_dof_count, dtype=wp.spatial_vector, device=model.device)
        self._state = model.state()
        bounds = model.joint_dof_world_start.numpy()
        widths = set(np.diff(bounds)[:-1].tolist())
        even = len(widths) == 1 and sum(widths) * model.world_count == model.joint_dof_count
        self._width = model.joint_dof_count if model.world_count == 1 else widths.pop() if even else 0
        self._room(model.world_count, self._width or model.joint_dof_count)

    def _room(self, worlds: int, dofs: int) -> None:
        self._impulse, self._answer = (
            wp.zeros((worlds, dofs), dtype=float, device=self.model.device) for _ in range(2)
        )

    @property
    def inverse_blocks(self) -> wp.array:
        """The inverses, to be read."""
        return self._inverse

    def _follow(self, state: State) -> State:
        """A state of its own at the coordinates of another."""
        own = self._state
        own.joint_q, own.joint_qd = state.joint_q, state.joint_qd
        eval_fk(self.model, state.joint_q, state.joint_qd, own)
        return own

    def refresh(self, state: State) -> None:
        """Compute the inverses at the coordinates of a state, armature included; the state stays as it is."""
        own = self._follow(state)
        eval_jacobian(self.model, own, self._J, self._S)
        eval_mass_matrix(self.model, own, self._H, self._J)
        wp.launch(
            invert_all, len(self._counts), [self._H, self._counts, self._L], [self._inverse], device=self.model.device
        )

    def refresh_from_solve(
        self,
        solve_inverse: Callable[[wp.array, wp.array], None],
        dof_map: wp.array | None = None,
        *,
        state: State | None = None,
    ) -> None:
        """Compute the inverses by solving with a solver's own inertia, a dof after the other.

        ``solve_inverse(x, y)`` writes ``x = M^-1 y``, both ``[worlds, dofs]`` in the solver's order; ``dof_map`` of
        that shape says which dof of the model each is (-1: none), by default the same. With ``state``, free and ball
        joints are taken from MuJoCo's coordinates to the model's.
        """
        model = self.model
        if dof_map is None and not self._width:
            raise ModelError("refresh_from_solve: worlds have different numbers of dofs; pass dof_map")
        worlds, dofs = (model.world_count, self._width) if dof_map is None else dof_map.shape
        if self._impulse.shape != (worlds, dofs):
            self._room(worlds, dofs)
        self._inverse.zero_()
        width = self._width if dof_map is None else 0
        for column in range(dofs):
            wp.launch(one_impulse, (worlds, dofs), [column], [self._impulse], device=model.device)
            solve_inverse(self._answer, self._impulse)
            inputs = [self._answer, column, dof_map, width, self._articulation, self._local]
            wp.launch(take_column, (worlds, dofs), inputs, [self._inverse], device=model.device)
        if state is not None:
            own = self._follow(state)
            for rows in (True, False):
                inputs = [articulation_struct(model), state.joint_q, own.body_q, self._counts, rows]
                wp.launch(change_coordinates, self._inverse.shape[:2], inputs, [self._inverse], device=model.device)

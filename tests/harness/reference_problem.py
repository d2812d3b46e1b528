"""Random arguments for every native team primitive, different in each world.

Whatever a primitive must not look at is NaN: columns outside a row's blocks, rows beyond the world's own, the other
triangle. So are outputs and scratch; integer outputs are -1.
"""

import numpy as np

from tests.solvers.mujoco.kernels.primitives.test_dense import PAD, SIZES, WORLDS, Problem

TREES = [[n] for n in SIZES] + [[6, 6, 6], [20, 3, 30], [27, 27, 27], [1] * 40, [6] * 25]
ROWS = [1, 5, 16, 23, 33, 17, 23, 40, 15, 30]
EQUALITY, FRICTION, ONE_SIDED = range(3)


def padded(n: int) -> int:
    return -(-n // PAD) * PAD


def blank(*shape) -> np.ndarray:
    """An output or scratch array of all worlds."""
    return np.full((WORLDS, *shape), np.nan)


def leaf_first(A) -> np.ndarray:
    """Lower triangular L with A = L'L, its diagonal as reciprocals."""
    upper = np.linalg.cholesky(A[:, ::-1, ::-1])[:, ::-1, ::-1]
    return with_reciprocals(upper.transpose(0, 2, 1))


def with_reciprocals(L) -> np.ndarray:
    L, at = L.copy(), np.arange(L.shape[1])
    L[:, at, at] = 1.0 / L[:, at, at]
    return L


class TeamProblem(Problem):
    """A ``Problem`` with branching trees, rows of their own in each world, and a problem in constraint space.

    In even worlds a row touches one tree, in odd worlds none, one or two, and all trees are coupled.
    """

    def __init__(self, trees: list[int], nrow: int):
        super().__init__(trees, nrow)
        self.rng = np.random.default_rng([sum(trees), nrow])
        self.starts = np.cumsum([0, *trees])
        self.rows = np.maximum(nrow - 3 * np.arange(WORLDS), 1)  # worlds have fewer and fewer
        self.size = padded(nrow + 4)
        self.f = self.own_rows(self.f)
        self.kinematics()
        self.contacts()
        self.hessian()
        self.costs()
        self.constraint_space()
        self.bodies()

    def own_rows(self, values, axis: int = 1) -> np.ndarray:
        """`values` with NaN in the rows that a world does not have."""
        row = np.arange(values.shape[axis]).reshape([-1 if k == axis else 1 for k in range(values.ndim)])
        return np.where(row < self.rows.reshape([-1] + [1] * (values.ndim - 1)), values, np.nan)

    def within_reach(self, lower, blocks) -> np.ndarray:
        """`lower` [n, n] with columns up to `width`: zero right of the diagonal as far as its block, NaN beyond the
        blocks.
        """
        full = np.pad(np.tril(lower), ((0, 0), (0, 0), (0, self.width - self.n)))
        row, column = np.arange(self.n)[:, None], np.arange(self.width)
        return np.where((column >= PAD * blocks[..., :1]) & (column <= (row | PAD - 1)), full, np.nan)

    def kinematics(self):
        """Dofs depth first, each hanging on the one before or on an ancestor of it; M and its factor have that pattern."""
        n, rng = self.n, self.rng
        self.parent = np.full(n, -1, np.int32)
        self.ancestor = np.zeros((n, self.width))
        for i in range(n):
            if i not in self.starts:
                chain = np.nonzero(self.ancestor[i - 1])[0]
                self.parent[i] = rng.choice(chain[-3:])
                self.ancestor[i] = self.ancestor[self.parent[i]]
            self.ancestor[i, i] = 1.0
        self.end = np.array([np.nonzero(self.ancestor[:, j])[0].max() + 1 for j in range(n)], np.int32)
        pattern = self.ancestor[:, :n]
        L = pattern * (0.3 * rng.standard_normal((WORLDS, n, n)) + np.eye(n) * (1 + rng.random((WORLDS, n, 1))))
        L[:, range(n), range(n)] = np.abs(L[:, range(n), range(n)]) + 0.5
        self.M = np.pad(L.transpose(0, 2, 1) @ L, ((0, 0), (0, 0), (0, self.width - n)))
        self.L = self.within_reach(with_reciprocals(L), self.blocks)
        self.cdof, self.cdof_force = rng.standard_normal((2, WORLDS, n, 6))
        self.armature = rng.random((WORLDS, n))

    def contacts(self):
        """Rows in groups that touch the same trees: NaN outside their blocks."""
        rng, trees = self.rng, len(self.starts) - 1
        self.J = blank(self.nrow, self.width)
        self.row_blocks = np.zeros((WORLDS, self.nrow, 4), np.int32)
        self.groups, row = [], 0
        while row < self.nrow:
            rows = slice(row, min(row + int(rng.integers(1, 7)), self.nrow))
            self.groups.append((rows.start, rows.stop - rows.start))
            for world in range(WORLDS):
                count = min(int(rng.integers(0, 3)), trees) if world % 2 else 1
                touched = np.sort(rng.choice(trees, count, replace=False))
                if count:
                    stretches = self.stretches(touched)
                    for first, last in stretches.reshape(2, 2):
                        self.J[world, rows, PAD * first : PAD * last] = 0.0
                    self.row_blocks[world, rows] = stretches
                for tree in touched:
                    columns = slice(self.starts[tree], self.starts[tree + 1])
                    self.J[world, rows, columns] = rng.standard_normal((rows.stop - row, columns.stop - columns.start))
            row = rows.stop
        self.J = self.own_rows(self.J)
        chosen = [[g for g in self.groups if g[0] < count] for count in self.rows]
        self.group = np.array([g[int(rng.integers(len(g)))] for g in chosen])
        self.group[:, 1] = np.minimum(self.group[:, 1], self.rows - self.group[:, 0])

    def stretches(self, touched) -> np.ndarray:
        """Blocks of one or two trees: two stretches where they are apart."""
        blocks = self.blocks[self.starts[touched]]
        if len(touched) > 1 and blocks[0, 1] < blocks[1, 0]:
            return blocks.ravel()
        return np.array([blocks[0, 0], blocks[-1, 1], blocks[-1, 1], blocks[-1, 1]])

    def hessian(self):
        """H = A + J' diag(f) J and its factor; in odd worlds every row reaches to the left edge."""
        J, f = np.nan_to_num(self.J[:, :, : self.n]), np.nan_to_num(self.f)
        H = self.square + np.einsum("wri,wr,wrj->wij", J, f, J)
        self.H_blocks = np.tile(self.blocks, (WORLDS, 1, 1))
        self.H_blocks[1::2, :, 0] = 0
        self.H = self.within_reach(H, self.H_blocks)
        self.H[:, np.arange(self.width) > np.arange(self.n)[:, None]] = np.nan  # only the lower triangle is there
        self.U = self.within_reach(leaf_first(H), self.H_blocks)

    def costs(self):
        """Rows of every kind on every piece of their cost. World 0 has no friction, 1 no active row, 2 only active
        ones, 3 only friction.
        """
        rng, shape = self.rng, (WORLDS, padded(self.nrow))
        self.type = rng.integers(0, 3, shape)
        self.type[0] = rng.choice([EQUALITY, ONE_SIDED], shape[1])
        self.type[1], self.type[2], self.type[3] = ONE_SIDED, EQUALITY, FRICTION
        self.D = 0.2 + rng.random(shape)
        self.R = 1.0 / self.D
        self.bound = np.where(self.type == FRICTION, 0.7 * rng.random(shape), 0.0)
        self.jar, self.jv, self.dual, self.target = rng.standard_normal((4, *shape))
        self.jar[1] = np.abs(self.jar[1])
        self.jv *= 2.0  # from one bound of friction to the other
        pad = np.arange(shape[1]) >= self.rows[:, None]
        self.type[pad] = ONE_SIDED
        for values in (self.D, self.R, self.bound, self.jar, self.jv, self.dual, self.target):
            values[pad] = 0.0
        friction = self.type == FRICTION
        quadratic = np.where(
            friction, np.abs(self.jar) < self.R * self.bound, (self.type == EQUALITY) | (self.jar < 0.0)
        )
        self.active = np.where(quadratic, self.D, 0.0)
        self.force = np.where(quadratic, -self.D * self.jar, np.where(friction, -np.sign(self.jar) * self.bound, 0.0))
        self.alpha = rng.standard_normal(WORLDS)[:, None]

    def constraint_space(self):
        """Half-solved rows B, A = B'B over the world's rows, and the list of active ones with a solution over them."""
        rng, size = self.rng, self.size
        self.smooth = np.pad(rng.standard_normal((WORLDS, self.n)), ((0, 0), (0, self.width - self.n)))
        B = rng.standard_normal((WORLDS, self.n, size))
        dof, first, end, second, last = (
            np.arange(self.n)[:, None],
            *PAD * self.row_blocks.transpose(2, 0, 1)[:, :, None],
        )
        B[:, :, : self.nrow] *= (first <= dof) & (dof < end) | (second <= dof) & (dof < last)
        column = np.arange(size)
        end = PAD * ((self.rows + PAD) // PAD)[:, None, None]  # of the last column's block, which is zero after it
        self.B = np.where(column <= self.rows[:, None, None], B, np.where(column < end, 0.0, np.nan))
        self.gram = self.own_rows(self.own_rows(B.transpose(0, 2, 1) @ B, 1), 2)
        self.b = rng.standard_normal((WORLDS, size))
        self.slope = np.where(np.arange(size) < self.rows[:, None], 1e-9 * self.b, np.nan)
        self.count = (self.active != 0.0).sum(axis=1)
        self.root, self.y, self.index = blank(size), blank(size), np.full((WORLDS, size), -1)
        for world, count in enumerate(self.count):
            listed = np.nonzero(self.active[world])[0]
            self.index[world, :count] = listed
            self.root[world, :count] = np.sqrt(self.active[world, listed])
            self.y[world, :count] = rng.standard_normal(count)

    def bodies(self):
        """A tree of bodies with joints of all kinds, a floating and a mocap body first, and the poses and velocities of
        any; world 1 has spun far.
        """
        rng, nbody = self.rng, 4 + self.n // 2
        kinds = [[], [0], [], *(list(rng.choice([1, 2, 3, 3], rng.integers(0, 4))) for _ in range(3, nbody))]
        kind, count = np.array(sum(kinds, [])), np.array([len(each) for each in kinds])
        coords, dofs = np.array([7, 4, 1, 1])[kind], np.array([6, 3, 1, 1])[kind]
        parent = np.array([0, 0, 0, *(rng.integers(0, b) for b in range(3, nbody))])
        depth = np.zeros(nbody, int)
        for b in range(1, nbody):
            depth[b] = depth[parent[b]] + 1
        order = np.argsort(depth, kind="stable")[1:]
        normal = lambda *shape: rng.standard_normal((WORLDS, *shape))
        unit = lambda *shape: (x := normal(*shape)) / np.linalg.norm(x, axis=-1, keepdims=True)
        local = 0.2 * normal(len(kind), 3)
        local[:, ::2] = 0.0
        q = normal(sum(coords))
        q[1, np.repeat(kind, coords) == 3] *= 1e4
        start, rest, still = blank(nbody, 3), blank(nbody, 4), blank(nbody, 6)
        start[:, 0], rest[:, 0], still[:, 0] = 0.0, [1, 0, 0, 0], 0.0
        self.walk = {
            "body_parentid": parent,
            "body_jntadr": np.cumsum(count) - count,
            "body_jntnum": count,
            "body_mocapid": np.where(np.arange(nbody) == 2, 0, -1),
            "jnt_type": kind,
            "jnt_qposadr": np.cumsum(coords) - coords,
            "jnt_dofadr": np.cumsum(dofs) - dofs,
            "level_adr": np.searchsorted(depth[order], np.arange(1, depth.max() + 2)),
            "level_body": order,
            "body_pos": 0.3 * normal(nbody, 3),
            "body_quat": unit(nbody, 4),
            "jnt_pos": local,
            "jnt_axis": unit(len(kind), 3),
            "qpos0": 0.1 * normal(sum(coords)),
            "qpos": q,
            "qvel": normal(sum(dofs)),
            "mocap_pos": normal(1, 3),
            "mocap_quat": normal(1, 4),
            "xpos": start,
            "xquat": rest,
            "xanchor": blank(len(kind), 3),
            "xaxis": blank(len(kind), 3),
            "xvel": still,
            "moving": np.arange(WORLDS)[:, None] // 2 % 2,
        }
        self.show = {
            "link_of_body": np.tile([-1, *rng.permutation(nbody - 1)], (WORLDS, 1)),
            "body_ipos": normal(nbody, 3),
            "xpos": normal(nbody, 3),
            "xquat": unit(nbody, 4),
            "xvel": normal(nbody, 6),
            "body_q": blank(nbody, 7),
            "body_qd": blank(nbody, 6),
        }
        pose = lambda: np.concatenate([0.3 * normal(2, 3), unit(2, 4)], axis=-1)
        X_p, X_c = pose(), pose()
        for plain in (X_p[::2, 1], X_c[::2, 1]):  # as those of most floating bodies
            plain[:] = [0, 0, 0, 0, 0, 0, 1]
        free = {
            "X_p": X_p,
            "X_c": X_c,
            "body_ipos": normal(3, 3),
            "joint": np.arange(WORLDS)[:, None] // 2 % 2,
            "body": 2,
            "coord": 3,
            "speed": 2,
            "adr": 1,
            "dof": 5,
        }

        def spoilt(*shape):
            return np.where(
                rng.random((WORLDS, *shape)) < 0.3 / np.prod(shape),
                rng.choice([np.nan, np.inf, -2e10, 1e11], (WORLDS, *shape)),
                1e10,
            )

        self.marred, self.marred_wrenches = spoilt(self.n + 1), spoilt(self.n + 2, 6)
        moving = {"joint_qd": normal(9), "qvel": blank(12)}
        self.push_free_joints = (
            free | moving | {"joint_q": np.concatenate([normal(6), unit(4)], axis=-1), "qpos": blank(9)}
        )
        self.pull_free_joints = free | {
            "qpos": normal(9),
            "qvel": normal(12),
            "joint_q": blank(11),
            "joint_qd": blank(9),
        }


def tree_sums(p: TeamProblem) -> dict[str, dict]:
    """Arguments of the sums over trees: bodies numbered depth first, a body alone among them, and the last tree longest."""
    rng, parent = np.random.default_rng(p.n), [0, 0, 0]
    for b in range(3, 5 + p.n // 2):
        on = b - 1
        while parent[on] > 0 and rng.random() < 0.4:
            on = parent[on]
        parent.append(on)
    parent = np.array(parent)
    children = [np.flatnonzero(parent[1:] == b) + 1 for b in range(len(parent))]
    tree = {
        "body_parentid": parent,
        "child_adr": np.cumsum([0, *map(len, children)]),
        "child_body": np.concatenate([*children, [0]]),
    }
    numbers = {"positions_to": 3, "inertias_to": 10, "forces_to": 6, "motions_of": 6}
    return {
        f"add_{kind}_parents": tree | {"x": rng.standard_normal((WORLDS, len(parent), k))}
        for kind, k in numbers.items()
    }


def arguments(p: TeamProblem, nlane: int) -> dict[str, dict]:
    """Arguments of each primitive by name; numbers are per world (and lane). `n` and `nrow` are the problem's if not
    given.
    """
    n, width, size = p.n, p.width, p.size
    lanes = np.random.default_rng(nlane).standard_normal((WORLDS, nlane))
    row, dim = p.group[:, :1], p.group[:, 1:]
    jacobian = {"J": p.J, "row_block": p.row_blocks}
    flat = {"type": p.type, "D": p.D, "R": p.R, "frictionloss": p.bound, "jar": p.jar}
    line = {**flat, "jv": p.jv, "alpha": p.alpha}
    end, blocks, space = np.arange(WORLDS)[:, None] % (width // PAD) + 1, p.blocks, blank(size, size)
    return {
        "team_sum": {"work": blank(nlane), "x": lanes},
        "team_scan": {"work": np.full((WORLDS, nlane), -1), "n": np.round(10 * lanes)},
        "mass_rows": {
            "cdof": p.cdof,
            "force": p.cdof_force,
            "ancestor": p.ancestor,
            "armature": p.armature,
            "dof_block": blocks,
            "M": blank(n, width),
        },
        "factor": {"A": p.H, "row_block": p.H_blocks},
        "factor_tree": {"A": p.M, "dof_block": blocks, "dof_end": p.end, "L": blank(n, width)},
        "solve": {"L": p.U, "row_block": p.H_blocks, "x": p.x, "work": blank(width)},
        "sym_mul": {"A": p.A, "dof_block": blocks, "x": p.x, "y": blank(width)},
        "rows_mul": {**jacobian, "x": p.x, "y": blank(p.nrow)},
        "rows_mul_t": {**jacobian, "force": p.f, "y": blank(width)},
        "copy_rows": {"A": p.A, "dof_block": blocks, "row_block": p.H_blocks, "H": blank(n, width)},
        "add_rows": {**jacobian, "weight": p.f, "hessian_block": p.H_blocks, "H": p.H},
        "add_combined_row": {
            **jacobian,
            "coef": lanes[:, :1, None] * np.sin(np.arange(108.0)).reshape(3, 36),
            "coef0": 36 * (dim % 3) + 6 * (row % 6),
            "row": row,
            "dim": dim,
            "hessian_block": p.H_blocks,
            "H": p.H,
            "work": blank(width),
        },
        "zero_rows": {"J": p.J, "row": row, "nrow": dim, "lo": end // 2, "hi": end},
        "half_solve_rows": {**jacobian, "smooth": p.smooth, "L": p.L, "dof_end": p.end, "B": blank(n, size)},
        "delassus": {"B": p.B, "row_block": p.row_blocks, "A": space},
        "delassus_mul": {"A": p.gram, "force": p.force, "y": blank(size)},
        "active_system": {
            "A": p.gram,
            "active": p.active,
            "force": p.force,
            "b": p.b,
            "K": space,
            "K_block": np.full((WORLDS, size, 2), -1),
            "rhs": blank(size),
            "root": blank(size),
            "index": np.full((WORLDS, size), -1),
        },
        "spread_forces": {
            "active": p.active,
            "force": p.force,
            "rhs": p.y,
            "root": p.root,
            "index": p.index,
            "target": blank(size),
            "count": p.count[:, None],
        },
        "dual_acceleration": {
            "B": p.B,
            "force": p.force,
            "L": p.L,
            "dof_parentid": p.parent,
            "dof_end": p.end,
            "x": blank(width),
        },
        "row_residuals": {**jacobian, "x": p.x, "aref": p.jar, "jar": blank(p.nrow), "low": blank(p.nrow)},
        "gradient_sums_float64": {
            "M": p.M,
            "dof_block": blocks,
            "x": p.x,
            "smooth": p.smooth,
            **jacobian,
            "type": p.type,
            "force": p.force,
            "active": p.active,
            "jar": p.jar,
            "low": 1e-8 * p.jar,
            "constraint": blank(width),
            "grad": blank(width),
        },
        "add_row_float64": {"A": p.gram, "row": row % p.rows[:, None], "scale": lanes[:, :1], "y": p.slope},
        "half_solve_gradient": {
            "L": p.L,
            "dof_end": p.end,
            "dof_parentid": p.parent,
            "grad": p.x,
            "B": p.B,
            "y": blank(size),
        },
        "clear_pad": {
            "type": np.full_like(p.type, -1),
            **{name: blank(padded(p.nrow)) for name in ("D", "R", "frictionloss", "jar", "jv")},
        },
        "scalar_update": {**flat, "force": blank(padded(p.nrow)), "active": blank(padded(p.nrow))},
        "copy_row": {"source": p.x, "first": 0, "target": blank(n + 3), "begin": end - 1},
        "shift_row": {
            "source": p.x,
            "first": 0,
            "zero": p.x[:, ::-1],
            "at": 0,
            "sign": -1.0,
            "target": blank(n + 3),
            "begin": 2,
        },
        "copy_spatial": {"source": p.cdof, "first": 0, "target": blank(n + 3, 6), "begin": 3},
        "any_beyond": {"values": p.marred, "limit": 1e10, "first": 1},
        "any_beyond_spatial": {"values": p.marred_wrenches, "limit": 1e10, "first": 2},
        "forward_kinematics": p.walk,
        **tree_sums(p),
        "write_body_q": p.show,
        "push_free_joints": p.push_free_joints,
        "pull_free_joints": p.pull_free_joints,
        "scalar_slope": line,
        "dual_slope": {**line, "dual": p.dual, "target": p.target},
        "scalar_boundaries": {**flat, "jar": p.jar + p.jv, "force": p.force, "active": p.active},
    }

"""MuJoCo C, against which the engine is judged. No file of the project but this one and ``oracle_functions`` imports it.

States are rounded to float32 before the oracle sees them, so both sides start from the same numbers:
what then differs is the engine, not the rounding of its input.
"""

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from tests.oracle_functions import (
    advance,
    applied_force,
    at_reset,
    be_quiet,
    contact_force,
    dense_jacobian,
    dense_mass_matrix,
    dense_moment,
    dense_tendon_jacobian,
    differentiate_pos,
    displace,
    empty_data,
    enum_names,
    forces_under,
    forward_into,
    get_state,
    inverse_force,
    made_mesh,
    model_text,
    on_demand,
    picture,
    point_jacobian,
    pull,
    ray,
    ray_shape,
    round_awake,
    row_cost,
    row_forces,
    schema,
    set_const,
    soft_triangles,
    state_size,
    user_laws,
    without_sensors,
)

ROOT = Path(__file__).parents[1]
MODELS = ROOT / "tests" / "models"
HUMANOID = ROOT / "newtonlite" / "models" / "humanoid.xml"
PGS, CG, NEWTON = (
    int(kind) for kind in (mujoco.mjtSolver.mjSOL_PGS, mujoco.mjtSolver.mjSOL_CG, mujoco.mjtSolver.mjSOL_NEWTON)
)
PYRAMIDAL, ELLIPTIC = (int(kind) for kind in (mujoco.mjtCone.mjCONE_PYRAMIDAL, mujoco.mjtCone.mjCONE_ELLIPTIC))
DISABLE_WARMSTART = int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)
DISABLE_ISLAND = int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
RK4 = int(mujoco.mjtIntegrator.mjINT_RK4)
ENABLE_FWDINV = int(mujoco.mjtEnableBit.mjENBL_FWDINV)
ENABLE_INVDISCRETE = int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)
ENABLE_ENERGY = int(mujoco.mjtEnableBit.mjENBL_ENERGY)
ENABLE_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)


@dataclass
class States:
    """A batch of states, one row each."""

    qpos: np.ndarray  # [n, nq]
    qvel: np.ndarray  # [n, nv]
    qacc_warmstart: np.ndarray  # [n, nv]
    ctrl: np.ndarray  # [n, nu]
    act: np.ndarray | None = None  # [n, na]
    history: np.ndarray | None = None  # [n, nhistory], or no columns: as a reset leaves it
    time: np.ndarray | None = None  # [n, 1] where there are buffers or plugins, or no columns

    def __post_init__(self):
        for name in ("act", "history", "time"):
            if getattr(self, name) is None:
                setattr(self, name, np.zeros((len(self.qpos), 0)))

    def __len__(self):
        return len(self.qpos)

    def __getitem__(self, rows) -> "States":
        """The states `rows`: an index, a slice, or an array of indices. Always a batch."""
        rows = np.atleast_1d(np.arange(len(self))[rows])
        return States(*(value[rows] for value in vars(self).values()))


@dataclass
class Outcomes:
    """What one step of MuJoCo makes of each state of a batch."""

    qacc: np.ndarray  # [n, nv]
    qacc_smooth: np.ndarray  # [n, nv]
    qpos: np.ndarray  # [n, nq] after the step
    qvel: np.ndarray  # [n, nv] after the step
    ncon: np.ndarray  # [n]
    nefc: np.ndarray  # [n]
    niter: np.ndarray  # [n] solver iterations; the largest over islands
    pull: np.ndarray  # [n] |acceleration| that the strongest kind of force causes by itself
    depth: np.ndarray  # [n] deepest penetration [m]
    act: np.ndarray  # [n, na] after the step
    history: np.ndarray  # [n, nhistory] after the step
    flexvert_lambda: np.ndarray  # [n, nflexvert] after the step [N]


def compile_xml(source, assets: dict[str, bytes] | None = None) -> mujoco.MjModel:
    """Compile MJCF or URDF given as a path or as text, with files in memory."""
    if isinstance(source, str) and source.lstrip().startswith("<"):
        return mujoco.MjModel.from_xml_string(source, assets)
    return mujoco.MjModel.from_xml_path(str(source), assets)


def model_names() -> list[str]:
    """Names of the small models in tests/models, sorted."""
    return sorted(path.stem for path in MODELS.glob("*.xml"))


def small_model(name: str) -> mujoco.MjModel:
    """Compile one of the models in tests/models."""
    return compile_xml(MODELS / f"{name}.xml")


def named_model(name: str) -> mujoco.MjModel:
    """The package's own humanoid, or one of the models in tests/models."""
    return compile_xml(HUMANOID) if name == "humanoid" else small_model(name)


def random_ctrl(model, rng, n: int, scale: float = 1.0) -> np.ndarray:
    """Controls [n, nu], uniform over `scale` times the control range, or over -1..1 where there is none."""
    low, high = np.full(model.nu, -1.0), np.full(model.nu, 1.0)
    limited = model.actuator_ctrllimited.astype(bool)
    low[limited], high[limited] = model.actuator_ctrlrange[limited].T
    return scale * rng.uniform(low, high, (n, model.nu))


def rollout_states(
    model, n: int, seed: int = 3, length: int = 240, every: int = 3, speed: float = 0.2, scale: float = 1.0
) -> States:
    """`n` states met along rollouts with random control, shuffled.

    A rollout starts at a random keyframe (or qpos0), with normally distributed velocities of size `speed`, lasts
    `length` steps, changes its controls, `scale` times those allowed, every fifth step, and gives a state `every` so
    many steps. Raises RuntimeError where MuJoCo warns.
    """
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    found = []
    while len(found) < n:
        start(model, data, rng, speed)
        for step_index in range(length):
            if step_index % 5 == 0:
                data.ctrl[:] = random_ctrl(model, rng, 1, scale)[0]
            mujoco.mj_step(model, data)
            if data.warning.number.any():
                raise RuntimeError(f"MuJoCo warned while rolling out: {list(data.warning.number)}")
            if step_index % every == 0:
                found.append(kept(model, data))
    rng.shuffle(found)
    qpos, qvel, warmstart, act, history, time = (np.array([state[i] for state in found[:n]]) for i in range(6))
    return rounded(States(qpos, qvel, warmstart, random_ctrl(model, rng, n, scale), act, history, time))


GENTLER = (
    {},
    {"scale": 0.1, "speed": 0.05, "length": 60},
    {"scale": 0.01, "speed": 0.01, "length": 20, "every": 1},
    {"scale": 0.0, "speed": 0.001, "length": 4, "every": 1},
)
"""Ways to roll out, each for models that the one before makes unstable."""


def gentle_states(model, n: int, **options) -> States:
    """`n` states met along the liveliest rollouts that MuJoCo does without a warning. Raises RuntimeError where there
    are none.
    """
    for gentler in GENTLER:
        try:
            return rollout_states(model, n, **{**options, **gentler})
        except RuntimeError as problem:
            last = problem
    raise last


def call(model, data, *names: str) -> None:
    """MuJoCo's functions of a model and its data, one after the other."""
    for name in names:
        getattr(mujoco, name)(model, data)


def solve_smooth(model, data) -> None:
    """Factor the inertia matrix, and let it and the smooth forces give qacc_smooth."""
    mujoco.mj_factorM(model, data)
    mujoco.mj_solveM(model, data, data.qacc_smooth[None], data.qfrc_smooth[None])


def integrate(model, data) -> None:
    """Advance forwarded data by its integrator, one of ONE_PASS."""
    ONE_PASS[model.opt.integrator](model, data)


ONE_PASS = {
    int(mujoco.mjtIntegrator.mjINT_EULER): mujoco.mj_Euler,
    int(mujoco.mjtIntegrator.mjINT_IMPLICIT): mujoco.mj_implicit,
    int(mujoco.mjtIntegrator.mjINT_IMPLICITFAST): mujoco.mj_implicit,
}


def kept(model, data) -> list:
    """What a step leaves to the next: positions, velocities, warm start, activations, buffers and, where there are
    buffers, or plugins, which limit no slew at time 0, the time.
    """
    time = [data.time] if model.nhistory or model.nplugin else []
    return [np.array(x) for x in (data.qpos, data.qvel, data.qacc_warmstart, data.act, data.history, time)]


def start(model, data, rng, speed: float):
    """Put `data` at a random keyframe (or qpos0) with random velocities."""
    mujoco.mj_resetData(model, data)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, int(rng.integers(model.nkey)))
    data.qvel[:] = speed * rng.standard_normal(model.nv)


def rounded(states: States) -> States:
    """The same states in float32 numbers, held as float64; but not times: MuJoCo finds samples in its buffers by them."""
    exact = ("history", "time")
    return States(
        *(v if name in exact else v.astype(np.float32).astype(np.float64) for name, v in vars(states).items())
    )


def load(model, states: States, index: int = 0, data=None) -> mujoco.MjData:
    """MjData holding state `index` of a batch, nothing computed."""
    data = mujoco.MjData(model) if data is None else data
    mujoco.mj_resetData(model, data)
    data.qpos[:], data.qvel[:] = states.qpos[index], states.qvel[index]
    data.qacc_warmstart[:], data.ctrl[:] = states.qacc_warmstart[index], states.ctrl[index]
    if states.act.shape[1]:
        data.act[:] = states.act[index]
    if states.history.shape[1]:
        data.history[:] = states.history[index]
    if states.time.shape[1]:
        data.time = states.time[index, 0]
    return data


def forward(model, states: States, index: int = 0) -> mujoco.MjData:
    """Everything MuJoCo computes for one state, without stepping."""
    data = load(model, states, index)
    mujoco.mj_forward(model, data)
    return data


def inverse(model, states: States, qacc: np.ndarray) -> dict:
    """Inverse dynamics of each state at given accelerations [n, nv]: forces on dofs and those of constraints."""
    data, rows = mujoco.MjData(model), []
    for index in range(len(states)):
        load(model, states, index, data)
        mujoco.mj_forward(model, data)  # actuator forces, whose slopes the flag invdiscrete takes in
        data.qacc[:] = qacc[index]
        mujoco.mj_inverse(model, data)
        rows.append(
            [data.qfrc_inverse.copy(), data.qfrc_constraint.copy(), data.qfrc_bias.copy(), data.qfrc_passive.copy()]
        )
    return dict(
        zip(
            ("qfrc_inverse", "qfrc_constraint", "qfrc_bias", "qfrc_passive"),
            map(np.array, zip(*rows, strict=True)),
            strict=True,
        )
    )


def step(model, states: States, by=mujoco.mj_step, **inputs) -> Outcomes:
    """One step from each state, MuJoCo's or another. `inputs` are further arrays of MjData, one row per state, such as
    xfrc_applied.
    """
    data = mujoco.MjData(model)
    rows = []
    for index in range(len(states)):
        load(model, states, index, data)
        for name, values in inputs.items():
            getattr(data, name)[:] = values[index]
        by(model, data)
        niter = max(data.solver_niter[: max(1, data.nisland)])
        depth = max(-data.contact.dist, default=0.0)
        found = (
            data.qacc,
            data.qacc_smooth,
            data.qpos,
            data.qvel,
            data.ncon,
            data.nefc,
            niter,
            pull(model, data),
            depth,
        )
        found += (data.act, data.history, data.flexvert_lambda)
        rows.append([np.copy(x) for x in found])
    return Outcomes(*(np.array(column) for column in zip(*rows, strict=True)))


def roll(model, states: States, steps: int) -> States:
    """The states that follow after some steps with controls held."""
    data, last = mujoco.MjData(model), []
    for index in range(len(states)):
        load(model, states, index, data)
        for _ in range(steps):
            mujoco.mj_step(model, data)
        state = kept(model, data)
        last.append([*state[:3], data.ctrl.copy(), *state[3:]])
    return States(*(np.array(column) for column in zip(*last, strict=True)))


def journey(model, n: int, steps: int, seed: int = 5, speed: float = 0.2, before: int = 10) -> list[States]:
    """The states of ``n`` motions at the beginning of each step, and at the end of the last: ``steps + 1`` batches.

    Each begins ``before`` steps after ``start`` and gets random controls, new ones every fifth step. Every state is
    rounded to float32 before MuJoCo goes on from it. Raises RuntimeError where MuJoCo warns.
    """
    rng = np.random.default_rng(seed)
    motions = []
    for _ in range(n):
        data, states = mujoco.MjData(model), []
        start(model, data, rng, speed)
        mujoco.mj_step(model, data, before)
        for index in range(steps + 1):
            if index % 5 == 0:
                data.ctrl[:] = random_ctrl(model, rng, 1)[0]
            if data.warning.number.any():
                raise RuntimeError(f"MuJoCo warned on the way: {list(data.warning.number)}")
            state = kept(model, data)
            states.append(rounded(States(*(x[None] for x in (*state[:3], data.ctrl, *state[3:])))))
            data.qpos[:], data.qvel[:], data.act[:] = (
                states[-1].qpos[0],
                states[-1].qvel[0],
                states[-1].act[0] if model.na else (),
            )
            data.ctrl[:] = states[-1].ctrl[0]
            mujoco.mj_step(model, data)
        motions.append(states)
    return [stacked(batch) for batch in zip(*motions, strict=True)]


def stacked(batch) -> States:
    """Several batches of states as one."""
    return States(*(np.concatenate(rows) for rows in zip(*(vars(states).values() for states in batch), strict=True)))


def string_paths(kind: str, radius: float, ends, side, pos, quat) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Strings past a sphere or cylinder: lengths [n], whether they touch it, and the points [n, 2, 3] where they do
    (NaN: nowhere).

    ``ends`` is [n, 2, 3]; ``side`` [n, 3] a point on the side that the string keeps to, or None.
    """
    sited = "" if side is None else 'sidesite="side"'
    bodies = "".join(f'<body mocap="true"><site name="{name}"/></body>' for name in ("first", "last", "side"))
    model = compile_xml(
        f'<mujoco><worldbody>{bodies}<body mocap="true"><geom name="shape" type="{kind}" size="{radius} 1"/></body></worldbody>'
        f'<tendon><spatial><site site="first"/><geom geom="shape" {sited}/><site site="last"/></spatial></tendon></mujoco>'
    )
    data = mujoco.MjData(model)
    lengths, points = [], np.full((len(ends), 2, 3), np.nan)
    for i in range(len(ends)):
        data.mocap_pos[:] = [*ends[i], pos[i] if side is None else side[i], pos[i]]
        data.mocap_quat[3] = quat[i]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_tendon(model, data)
        lengths.append(data.ten_length[0])
        if data.ten_wrapnum[0] == 4:
            points[i] = data.wrap_xpos.reshape(-1, 3)[1:3]
    return np.array(lengths), ~np.isnan(points[:, 0, 0]), points


def ray_hfield(size, heights, origin, direction) -> tuple[np.ndarray, np.ndarray]:
    """(distances, normals) of rays and a height field at the origin, its heights [nrow, ncol] from 0 to 1."""
    nrow, ncol = heights.shape
    model = compile_xml(
        f'<mujoco><asset><hfield name="h" nrow="{nrow}" ncol="{ncol}" size="{" ".join(map(str, size))}"/></asset>'
        '<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>'
    )
    model.hfield_data[:] = heights.ravel()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    normals = np.zeros((len(origin), 3))
    distance = [
        mujoco.mj_rayHfield(model, data, 0, np.float64(o), np.float64(d), n)
        for o, d, n in zip(origin, direction, normals)
    ]
    return np.array(distance), normals


def rolled(model, states: States, steps: int, field: str) -> np.ndarray:
    """A field of MjData after some steps with controls held, one row per state."""
    data, rows = mujoco.MjData(model), []
    for index in range(len(states)):
        load(model, states, index, data)
        for _ in range(steps):
            mujoco.mj_step(model, data)
        rows.append(np.array(getattr(data, field)))
    return np.array(rows)


def rays(model, states: States, pnt, vec, geomgroup=None, flg_static=True, bodyexclude=-1) -> tuple[np.ndarray, ...]:
    """(distances [n, nray], geoms, normals) of rays in each state."""
    shape = pnt.shape[:2]
    dist, geom, normal = np.zeros(shape), np.zeros(shape, np.int32), np.zeros((*shape, 3))
    group = None if geomgroup is None else np.array(geomgroup, np.uint8)
    found = np.zeros(1, np.int32)
    for world in range(shape[0]):
        data = forward(model, states, world)
        for i in range(shape[1]):
            args = (
                np.float64(pnt[world, i]),
                np.float64(vec[world, i]),
                group,
                flg_static,
                bodyexclude,
                found,
                normal[world, i],
            )
            dist[world, i] = mujoco.mj_ray(model, data, *args)
            geom[world, i] = found[0]
    return dist, geom, normal


def transition_matrices(model, states: States, index: int, eps: float = 1e-3) -> tuple[np.ndarray, np.ndarray]:
    """A [nx, nx] and B [nx, nu] of a step from one state."""
    data = load(model, states, index)
    nx = 2 * model.nv + model.na
    A, B = np.zeros((nx, nx)), np.zeros((nx, model.nu))
    mujoco.mjd_transitionFD(model, data, eps, True, A, B, None, None)
    return A, B


def pushed(model, wrench, steps: int) -> np.ndarray:
    """Velocity of the first body's centre of mass and its angular one, in the world, after steps under a wrench there."""
    data, velocity = mujoco.MjData(model), np.zeros(6)
    data.xfrc_applied[1] = wrench
    for _ in range(steps):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, 1, velocity, 0)
    return np.concatenate([velocity[3:], velocity[:3]])


def from_key(model, key: int, steps: int) -> dict:
    """State after some steps from a keyframe."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, key)
    for _ in range(steps):
        mujoco.mj_step(model, data)
    names = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "plastic")
    return {name: np.array(getattr(data, name)) for name in names} | {"time": data.time}


def skinned(model, qpos) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and normals of all skins, as pictures have them."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    scene = mujoco.MjvScene(model, maxgeom=100)
    options = mujoco.MjvOption()
    options.flags[mujoco.mjtVisFlag.mjVIS_SKIN] = 1
    options.skingroup[:] = 1
    mujoco.mjv_updateScene(
        model, data, options, mujoco.MjvPerturb(), mujoco.MjvCamera(), int(mujoco.mjtCatBit.mjCAT_ALL), scene
    )
    return tuple(np.array(part).reshape(-1, 3)[: model.nskinvert] for part in (scene.skinvert, scene.skinnormal))

"""MuJoCo C's functions of one model and its data, as NumPy arrays; ``tests.oracle`` has them too."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import mujoco
import numpy as np

SCHEMA_COLUMN, SCHEMA_INDENT = 30, 3  # layout of the text that mj_printSchema gives


def pull(model, data) -> float:
    """The acceleration that qacc is a difference of, where forces nearly cancel."""
    forces = np.array([data.qfrc_bias, data.qfrc_passive, data.qfrc_actuator, data.qfrc_smooth, data.qfrc_constraint])
    accelerations = np.zeros_like(forces)
    mujoco.mj_solveM(model, data, accelerations, forces)
    return np.linalg.norm(accelerations, axis=1).max()


def dense_moment(model, data) -> np.ndarray:
    """actuator_moment, [nout, nv], of forwarded data."""
    dense = np.zeros((model.nout, model.nv))
    if dense.size:
        mujoco.mju_sparse2dense(dense, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind)
    return dense


def dense_mass_matrix(model, data) -> np.ndarray:
    """M, [nv, nv], of forwarded data."""
    dense = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, dense)
    return dense


def dense_tendon_jacobian(model, data) -> np.ndarray:
    """ten_J, [ntendon, nv], of forwarded data."""
    dense = np.zeros((model.ntendon, model.nv))
    mujoco.mju_sparse2dense(dense, data.ten_J, model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind)
    return dense


def dense_jacobian(model, data) -> np.ndarray:
    """efc_J, [nefc, nv], of forwarded data, whatever form MuJoCo keeps it in."""
    if not model.nv:
        return np.zeros((data.nefc, 0))
    if not mujoco.mj_isSparse(model):
        return data.efc_J.reshape(-1, model.nv)[: data.nefc].copy()
    dense = np.zeros((data.nefc, model.nv))
    if data.nefc:
        mujoco.mju_sparse2dense(dense, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    return dense


def ray_shape(kind: int, size, origin, direction) -> tuple[float, np.ndarray]:
    """(distance in units of the direction, -1 for a miss; outward normal) of a ray and a shape at the origin."""
    normal = np.zeros(3)
    args = [np.asarray(v, float) for v in (np.zeros(3), np.eye(3).ravel(), size, origin, direction)]
    return mujoco.mju_rayGeom(*args, kind, normal), normal


def contact_force(model, data, contact: int, world_frame: bool = False) -> np.ndarray:
    """Force and torque [6] of a contact, in its own frame or turned to the world's."""
    force = np.zeros(6)
    mujoco.mj_contactForce(model, data, contact, force)
    if world_frame:
        force = (force.reshape(2, 3) @ data.contact.frame[contact].reshape(3, 3)).reshape(6)
    return force


def point_jacobian(model, data, point, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Translational and rotational Jacobians [3, nv] of a point of a body."""
    jacp, jacr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, jacp, jacr, point, body)
    return jacp, jacr


def applied_force(model, data, xfrc) -> np.ndarray:
    """Force on dofs [nv] of forces and torques [nbody, 6] at the bodies' centres of mass."""
    total = np.zeros(model.nv)
    for body in range(model.nbody):
        mujoco.mj_applyFT(model, data, xfrc[body, :3], xfrc[body, 3:], data.xipos[body], body, total)
    return total


def get_state(model, data, sig: int) -> np.ndarray:
    """Parts of a state, as MuJoCo orders them."""
    state = np.zeros(mujoco.mj_stateSize(model, sig))
    mujoco.mj_getState(model, data, state, sig)
    return state


def state_size(model, sig: int) -> int:
    """How many numbers these parts of a state are."""
    return mujoco.mj_stateSize(model, sig)


def empty_data(model) -> mujoco.MjData:
    """New data of a model."""
    return mujoco.MjData(model)


def be_quiet() -> None:
    """Print none of MuJoCo's warnings; they are counted all the same."""
    mujoco.set_mju_user_warning(lambda text: None)


def advance(model, data) -> None:
    """One step of MuJoCo."""
    mujoco.mj_step(model, data)


def displace(model, data, step) -> None:
    """Move ``data.qpos`` by a vector over dofs, and round it to float32."""
    mujoco.mj_integratePos(model, data.qpos, np.asarray(step, float), 1.0)
    data.qpos[:] = np.float32(data.qpos)


def forward_into(model, data) -> None:
    """Everything MuJoCo computes for the state in ``data``."""
    mujoco.mj_forward(model, data)


def round_awake(model, data) -> np.ndarray:
    """Round the state of all awake trees to float32; what sleeps stays bit for bit. Returns which numbers of qpos are
    awake.
    """
    tree = np.asarray(model.dof_treeid)[model.jnt_dofadr] if model.njnt else np.zeros(0, int)
    awake = data.tree_asleep[np.repeat(tree, np.array([7, 4, 1, 1])[model.jnt_type])] < 0
    data.qpos[awake] = data.qpos[awake].astype(np.float32)
    for values in (data.qvel, data.qacc_warmstart, data.act):
        values[:] = values.astype(np.float32)
    return awake


def set_const(model) -> None:
    """Recompute what follows from the model's masses and geometry."""
    mujoco.mj_setConst(model, mujoco.MjData(model))


def at_reset(model, field: str) -> np.ndarray:
    """A field of MjData after a reset."""
    return np.array(getattr(mujoco.MjData(model), field))


@contextmanager
def user_laws(rate, gain, bias):
    """While this lasts, MuJoCo asks these functions of an actuator's number for its rates of activation, gain and bias."""

    def rates(model, data, i):
        found, first = np.atleast_1d(rate(i)), model.actuator_actadr[i]
        if len(found) > 1:  # those are written by the callback itself
            data.act_dot[first : first + len(found)] = found
        return float(found[0])

    installers = (mujoco.set_mjcb_act_dyn, mujoco.set_mjcb_act_gain, mujoco.set_mjcb_act_bias)
    for install, law in zip(
        installers, (rates, lambda m, d, i: float(gain(i)), lambda m, d, i: float(bias(i))), strict=True
    ):
        install(law)
    try:
        yield
    finally:
        for install in installers:
            install(None)


def without_sensors(model) -> mujoco.MjModel:
    """The same model without its sensors."""
    spec = mujoco.MjSpec.from_string(model_text(model))
    for sensor in list(spec.sensors):
        spec.delete(sensor)
    return spec.compile()


def model_text(model) -> str:
    """MJCF of a model that was compiled last."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        mujoco.mj_saveLastXML(file.name, model)
        return Path(file.name).read_text()


def differentiate_pos(model, dt: float, one, two) -> np.ndarray:
    """The velocity [nv] that leads from one configuration to another."""
    velocity = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, velocity, dt, one, two)
    return velocity


def on_demand(model, data) -> dict:
    """What MuJoCo computes of forwarded data only when asked: momenta of subtrees, energies, forces between bodies."""
    for function in (mujoco.mj_subtreeVel, mujoco.mj_energyPos, mujoco.mj_energyVel, mujoco.mj_rnePostConstraint):
        function(model, data)
    return {
        name: getattr(data, name).copy()
        for name in ("subtree_linvel", "subtree_angmom", "energy", "cacc", "cfrc_int", "cfrc_ext")
    }


def inverse_force(model, data) -> np.ndarray:
    """qfrc_inverse [nv] of forwarded data."""
    mujoco.mj_inverse(model, data)
    return data.qfrc_inverse.copy()


def ray(model, data, origin, direction) -> tuple[float, int]:
    """Distance and geom that a ray meets."""
    geom = np.zeros(1, np.int32)
    distance = mujoco.mj_ray(model, data, origin.astype(float), direction.astype(float), None, 1, -1, geom)
    return distance, int(geom[0])


def forces_under(model, ctrl, time: float = 0.0) -> np.ndarray:
    """actuator_force, [steps, nout], of steps from the reference pose at `time` with controls `ctrl`, [steps, nu]."""
    data = mujoco.MjData(model)
    data.time, found = time, []
    for row in ctrl:
        data.ctrl[:] = row
        mujoco.mj_step(model, data)
        found.append(data.actuator_force.copy())
    return np.array(found)


def made_mesh(kind: str, *params) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [n, 3] and triangles [m, 3], none where they are those of the hull, of a mesh that MuJoCo makes by
    formula.
    """
    mesh = mujoco.MjSpec().add_mesh()
    if kind in ("wedge", "plate"):
        params = (params[:2], *((params[2:4], params[4]) if kind == "wedge" else ()))
    elif kind in ("grid", "box", "cylinder", "ellipsoid"):
        params = (params[:3], params[3:])
    getattr(mesh, f"make_{kind}")(*params)
    return np.array(mesh.uservert).reshape(-1, 3), np.array(mesh.userface, int).reshape(-1, 3)


def schema() -> dict[str, set[str]]:
    """The attributes of every MJCF element MuJoCo knows, by its path (``mujoco/option/flag``)."""
    found, path = {}, []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        head, attributes = line[:SCHEMA_COLUMN], line[SCHEMA_COLUMN:].split()
        if head.strip():
            depth = (len(head) - len(head.lstrip())) // SCHEMA_INDENT
            path[depth:] = [head.split()[0]]
            found.setdefault("/".join(path), set())
        if path:
            found["/".join(path)] |= set(attributes)
    return found


def row_forces(model, data, jar) -> np.ndarray:
    """Forces of the rows of forwarded data where J qacc - aref is `jar`; the data is left at them."""
    cost = np.zeros(1)
    mujoco.mj_constraintUpdate(model, data, jar, cost, 0)
    return data.efc_force[: data.nefc].copy()


def row_cost(model, data, jar) -> float:
    """Cost of the rows of forwarded data where J qacc - aref is `jar`; the data is left at their forces."""
    cost = np.zeros(1)
    mujoco.mj_constraintUpdate(model, data, jar, cost, 0)
    return float(cost[0])


def enum_names(enum: str, values) -> list[str]:
    """The words of numbers of one of MuJoCo's enumerations, in lower case without their prefix:
    ``enum_names("mjtJoint", [0])``, free.
    """
    return [getattr(mujoco, enum)(int(value)).name.split("_", 1)[1].lower() for value in values]


def picture(
    mj, data, camera: int, width: int, height: int, kind: str = "colour", reflections: bool = False
) -> np.ndarray:
    """MuJoCo's own picture, by OpenGL without a display, with ``reflections`` or without: bytes [height, width, 3], or for
    ``segmentation`` the number of the geom [height, width], -1 for the background. ImportError or RuntimeError where
    there is no EGL.
    """
    from mujoco.egl import GLContext

    window = GLContext(width, height)
    window.make_current()
    try:
        scene, context = mujoco.MjvScene(mj, 1000), mujoco.MjrContext(mj, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
        view, options = mujoco.MjvCamera(), mujoco.MjvOption()
        view.type, view.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, camera
        scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = int(reflections)
        scene.flags[mujoco.mjtRndFlag.mjRND_HAZE] = 0
        mujoco.mjv_updateScene(mj, data, options, None, view, mujoco.mjtCatBit.mjCAT_ALL, scene)
        if kind == "segmentation":
            scene.flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = scene.flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 1
        found, area = np.zeros((height, width, 3), np.uint8), mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(area, scene, context)
        mujoco.mjr_readPixels(found, None, area, context)
        found = found[::-1]
        if kind == "segmentation":
            number = found.astype(int) @ [1, 256, 65536]
            geoms = [g.objid if g.objtype == mujoco.mjtObj.mjOBJ_GEOM else -1 for g in scene.geoms[: scene.ngeom]]
            place = {g.segid + 1: geoms[i] for i, g in enumerate(scene.geoms[: scene.ngeom])}
            found = np.vectorize(lambda n: place.get(n, -1))(number)
        context.free()
        return found
    finally:
        window.free()


def soft_triangles(mj, data) -> list[tuple[int, int, np.ndarray]]:
    """What MuJoCo draws of flexes and skins in groups that it shows: object, number and triangles [n, 3, 3] of each."""
    scene, options = mujoco.MjvScene(mj, 100), mujoco.MjvOption()
    every = int(mujoco.mjtCatBit.mjCAT_ALL)
    mujoco.mjv_updateScene(mj, data, options, mujoco.MjvPerturb(), mujoco.MjvCamera(), every, scene)
    corners, found = np.array(scene.flexface).reshape(-1, 3, 3), []  # beyond what is used MuJoCo leaves what was there
    for f in range(mj.nflex):
        first, count = int(scene.flexfaceadr[f]), int(scene.flexfaceused[f])
        if options.flexgroup[mj.flex_group[f]]:
            found.append((int(mujoco.mjtObj.mjOBJ_FLEX), f, corners[first : first + count].astype(float)))
    points, faces = np.array(scene.skinvert, float).reshape(-1, 3), np.asarray(mj.skin_face).reshape(-1, 3)
    for s in range(mj.nskin):
        own = faces[mj.skin_faceadr[s] :][: mj.skin_facenum[s]] + mj.skin_vertadr[s]
        found.append((int(mujoco.mjtObj.mjOBJ_SKIN), s, points[own]))
    return found

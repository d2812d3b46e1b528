"""Programs beside the step, as cases of the emulation: push and pull, reset, following, sleep, rays, inverse dynamics, islands, contacts of the
caller. Each is ``case(device, nlane, order)`` and gives arrays by name.
"""

import numpy as np
import warp as wp

import newtonlite as newton
from newtonlite.core.enums import ModelFlags
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.executor import partition

STEPS = 2


def arms(device):
    """Worlds of two structures whose rows do not lie evenly."""
    from tests.harness.newton_scenes import arm

    one, two, scene = arm(), arm(arm()), newton.ModelBuilder()
    for part in (one, two, one, one):
        scene.add_world(part)
    return scene.finalize(device=device)


def balls(device):
    """Balls of three masses on the ground."""
    from tests.harness.newton_scenes import resting

    scene = newton.ModelBuilder()
    for density in (500.0, 1000.0, 2000.0):
        scene.add_world(resting(density=density))
    return scene.finalize(device=device)


def rolled(model, work=None, **settings) -> dict:
    """Two steps of a solver through State and Control, after ``work(solver, state)``."""
    solver = SolverMuJoCo(model, mode="staged" if model.device.is_cpu else "auto", scratch="per_world", **settings)
    state, control = model.state(), model.control()
    state.joint_qd.assign(np.random.default_rng(5).uniform(-1, 1, state.joint_qd.shape).astype(np.float32))
    contacts = None
    if not solver.use_mujoco_contacts:
        pipeline = newton.CollisionPipeline(model)
        contacts = pipeline.contacts()
        pipeline.collide(state, contacts)
    solver.step(state, state, control, contacts, 0.002)
    if work is not None:
        work(solver, state)
    for _ in range(STEPS - 1):
        solver.step(state, state, control, contacts, 0.002)
    return {
        name: getattr(state, name).numpy().copy().reshape(1, -1)
        for name in ("joint_q", "joint_qd", "body_q", "body_qd")
    }


def change(solver, state) -> None:
    """Other masses, gains and friction, followed."""
    model = solver.model
    for name in ("body_mass", "body_inertia", "shape_material_mu", "joint_friction", "joint_armature"):
        array = getattr(model, name)
        array.assign((array.numpy() * 1.25).astype(np.float32))
    solver.notify_model_changed(ModelFlags.ALL)


def put_back(solver, state) -> None:
    """Every other world reset."""
    n = solver.nworld
    solver.reset(state, wp.array(np.arange(n) % 2 == 0, dtype=wp.bool, device=solver.device))


def by_scene(scene, work=None, **settings):
    """A case of a scene of the builder, in teams of so many lanes as the case asks for."""

    def case(device, nlane):
        chosen, partition.gpu_team_size = partition.gpu_team_size, lambda nv: nlane
        try:
            return rolled(scene(device), work, **settings)
        finally:
            partition.gpu_team_size = chosen

    return case


def inner(work):
    """A case of the engine on the model of motions with everything, by MuJoCo Warp's names."""

    def case(device, nlane):
        from newtonlite.solvers.mujoco.data import make_data
        from newtonlite.solvers.mujoco.executor.schedule import Schedule
        from newtonlite.solvers.mujoco.model import put_model
        from tests import oracle

        m = put_model(oracle.compile_xml(oracle.MODELS / "sensors_of_contact.xml"), 3, device)
        d = make_data(m, 3, scratch="per_world")
        d.qvel.assign(
            np.random.default_rng(2).uniform(-0.3, 0.3, d.qvel.shape).astype(np.float32)
            * (np.arange(d.qvel.shape[1]) < m.nv)
        )
        schedule = Schedule(m, d, mode="staged" if device == "cpu" else "auto", nlane=nlane)
        return work(m, d, schedule)

    return case


def inverse(m, d, schedule) -> dict:
    schedule.inverse()
    return {"qfrc_inverse": d.qfrc_inverse.numpy().copy()}


def forward(m, d, schedule) -> dict:
    schedule.forward()
    return {"qfrc_bias": d.qfrc_bias.numpy().copy()}


def rays(m, d, schedule) -> dict:
    from newtonlite.solvers.mujoco import raycast

    points, directions = (
        np.array([[[0.0, 0.0, 2.0], [0.1, 0.0, 2.0]]]),
        np.array([[[0.0, 0.0, -1.0], [0.05, 0.0, -1.0]]]),
    )
    seen = raycast.ray(schedule, points, directions)
    return {"ray_dist": seen.dist.numpy().copy()}


def cameras(m, d, schedule) -> dict:
    from newtonlite.solvers.mujoco import raycast

    return {k: np.asarray(v.numpy()).reshape(3, -1) for k, v in raycast.frames(schedule)._asdict().items()}


def dozing(device, nlane):
    """Boxes that sleep, fall asleep and wake, twelve steps."""
    from newtonlite.solvers.mujoco.data import make_data
    from newtonlite.solvers.mujoco.executor.schedule import Schedule
    from newtonlite.solvers.mujoco.model import put_model
    from tests import oracle
    from tests.harness.team_of_lanes import DOZING

    m = put_model(oracle.compile_xml(DOZING), 1, device)
    d = make_data(m, 1, scratch="per_world")
    Schedule(m, d, mode="staged" if device == "cpu" else "auto", nlane=nlane).step(12)
    return {field: getattr(d, field).numpy().copy() for field in ("ncon", "nefc", "qpos", "qvel")}


def environment(device, nlane):
    """Steps of an environment that randomises its model, and resets of every other world in between; kernels folded to its
    model, since programs of chosen worlds would be one more set of those of all features.
    """
    from newtonlite.envs import Environment, EventTerm, tasks
    from newtonlite.envs.mdp import dr
    from newtonlite.solvers.mujoco.executor import specialize

    task = tasks.load("cartpole")
    task.events |= {
        "mass": EventTerm(dr.body_mass, "startup", {"ranges": (0.7, 1.4)}),
        "inertia": EventTerm(dr.pseudo_inertia, "startup", {"alpha_range": (-0.2, 0.2), "d_range": (-0.1, 0.1)}),
        "damping": EventTerm(dr.joint_damping, "reset", {"ranges": (0.2, 1.5)}),
        "gravity": EventTerm(dr.gravity, "reset", {"ranges": (-1.0, 1.0)}),
    }
    chosen, specialize.enabled = (partition.gpu_team_size, specialize.enabled), True
    partition.gpu_team_size = lambda nv: nlane
    try:
        env, found = Environment(task, 3, seed=4, device=device), {}
        half = wp.array([True, False, True], dtype=wp.bool, device=env.device)
        for k in range(4):
            env.step(np.full((3, 1), 0.5 - 0.1 * k, np.float32))
            if k == 1:
                env.reset(half)
    finally:
        partition.gpu_team_size, specialize.enabled = chosen
    found |= {name: getattr(env.sim.model, name).numpy().copy() for name in ("body_mass", "dof_damping", "opt_gravity")}
    return found | {
        "observations": env.observations["policy"].numpy().copy(),
        "reward": env.reward.numpy().reshape(3, 1).copy(),
        "qpos": env.sim.data.qpos.numpy().copy(),
    }


SEEN = """<mujoco><asset><texture name="t" type="2d" builtin="checker" width="16" height="16" rgb1="1 0 0" rgb2="0 1 0"/>
<texture name="sky" type="skybox" builtin="gradient" width="8" height="48" rgb1=".3 .5 .8" rgb2="0 0 .1"/>
<material name="t" texture="t"/><material name="mirror" reflectance=".5"/></asset><worldbody><light type="spot" pos="0 -1 3" dir="0 .3 -1"/>
<camera name="c" pos="0 -3 2" xyaxes="1 0 0 0 .5 .8"/><geom type="plane" size="3 3 1" material="mirror"/>
<body pos="-.6 0 .5"><freejoint/><geom size=".4" rgba="1 0 0 .4"/></body><body pos=".5 .3 .5"><freejoint/><geom type="box" size=".3 .3 .3" material="t"/></body>
<body pos=".5 1 .5"><freejoint/><geom type="capsule" size=".2 .3"/></body></worldbody></mujoco>"""
"""A scene with a texture, a light with shadows, a mirror and a surface that one sees through; without triangles, whose hierarchies
the emulator does not have.
"""


def pictures(device, nlane):
    """Pictures of every kind of three worlds that differ, of 20 x 12 pixels."""
    import newtonlite.mjwarp as mjw
    from tests import oracle

    mj = oracle.compile_xml(SEEN)
    with wp.ScopedDevice(device):
        m, d = mjw.put_model(mj), mjw.make_data(mj, nworld=3)
        d.qpos.assign(d.qpos.numpy() + np.array([[0.0], [0.1], [-0.1]], np.float32) * (np.arange(mj.nq) % 7 < 3))
        mjw.kinematics(m, d)
        mjw.com_pos(m, d)
        mjw.camlight(m, d)
        every = {f"render_{kind}": True for kind in ("rgb", "depth", "seg", "normal", "skybox")}
        layered = {"use_transparency": True, "use_reflections": True, "use_shadows": True}
        rc = mjw.create_render_context(mj, 3, (20, 12), **every, **layered, use_precomputed_rays=False)
        mjw.refit_bvh(m, d, rc)
        mjw.render(m, d, rc)
        found = {kind: rc.picture(kind, 0).numpy().copy() for kind in ("depth", "seg", "normal", "rgb")}
    shifts = np.array([16, 8, 0], np.uint32)
    found["rgb"] = ((found["rgb"][..., None] >> shifts) & 255).astype(np.float32) / 255.0
    return {kind: values.reshape(3, -1).astype(np.float32) for kind, values in found.items()}


PROGRAMS = {
    "program: push and pull of two structures": by_scene(arms),
    "program: reset": by_scene(arms, put_back),
    "program: follow all of the model": by_scene(balls, change),
    "program: contacts of the caller": by_scene(balls, use_mujoco_contacts=False),
    "program: forward": inner(forward),
    "program: inverse": inner(inverse),
    "program: cameras": inner(cameras),
    "program: pictures": pictures,
    "program: rays": inner(rays),
    "program: sleep": dozing,
    "program: environment that randomises": environment,
}

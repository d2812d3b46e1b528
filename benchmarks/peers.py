"""The opponents, as contenders of ``newtonlite bench``: MuJoCo's Batch, MuJoCo Warp, Newton.

Each is imported when it is asked for. All get the same start, controls, resets, masses and friction as newtonlite.
"""

import importlib

import numpy as np
import warp as wp

from newtonlite.cli.bench.contender import WarpWorlds, scaled_friction
from newtonlite.cli.bench.workload import Workload
from newtonlite.math.transform import quat_to_matrix


def needed(module: str, package: str):
    """An optional package, or an error that names what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise ModuleNotFoundError(f"--against needs {package}: pip install 'newtonlite[bench]' ({problem})") from None


class MujocoBatch:
    """MuJoCo's C engine through ``mujoco.batch.Batch``, on its own thread pool."""

    name = "mujoco"

    def __init__(self, work: Workload, device, threads: int):
        mujoco = needed("mujoco", "mujoco")
        batch = needed("mujoco.batch", "mujoco 4")
        self.work, self.threads = work, threads
        model = mujoco.MjModel.from_xml_path(str(work.file))
        sleeps = bool(model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP)  # what is asleep is not in the state
        self.batch = batch.Batch(model, nsim=work.nworld, nthread=threads, persistent=sleeps)
        self.state = [self.batch.bind(name) for name in ("qpos", "qvel", "qacc_warmstart", "ctrl")]
        self.qacc, self.ncon, self.nefc = (self.batch.bind(name) for name in ("qacc", "ncon", "nefc"))
        if work.mass is not None:
            mj = self.batch.model
            self.batch.expand("body_mass")[:] = work.mass * mj.body_mass
            self.batch.expand("body_inertia")[:] = work.mass[:, :, None] * mj.body_inertia
            self.batch.expand("geom_friction")[:] = scaled_friction(mj, work)

    def reset(self) -> None:
        self._restore(slice(None))

    def _restore(self, rows) -> None:
        for target, source in zip(self.state, (self.work.qpos, self.work.qvel, self.work.warmstart)):
            target[rows] = source[rows]

    def warm(self) -> None:
        self.reset()
        self.batch.step()

    def run(self) -> None:
        for k in range(self.work.nstep):
            self.state[3][:] = self.work.control[k]
            self.batch.step()
            if self.work.resets:
                self._restore(self.work.resets[k])

    def acceleration(self) -> np.ndarray:
        return self.qacc

    def report(self) -> dict:
        return {
            "bad": int((self.batch.warning.sum(axis=1) > 0).sum()),
            "ncon_last": float(self.ncon.mean()),
            "nefc_last": float(self.nefc.mean()),
        }


class MujocoWarp(WarpWorlds):
    """MuJoCo Warp; on the CPU it has one thread."""

    name = "mujoco-warp"
    threads = 1

    def __init__(self, work: Workload, device, threads: int):
        mujoco = needed("mujoco", "mujoco")
        self.mjw = needed("mujoco_warp", "mujoco-warp")
        mj = mujoco.MjModel.from_xml_path(str(work.file))
        with wp.ScopedDevice(device):
            sizes = (
                dict.fromkeys(("body_mass", "body_inertia", "geom_friction"), work.nworld)
                if work.mass is not None
                else None
            )
            self.model = self.mjw.put_model(mj, batch_sizes=sizes)
            self.data = self.mjw.make_data(mj, nworld=work.nworld, nconmax=work.nconmax, njmax=work.njmax)
        self.nv = mj.nv
        if work.mass is not None:
            self.model.body_mass.assign(work.mass * mj.body_mass.astype(np.float32))
            self.model.body_inertia.assign(work.mass[:, :, None] * mj.body_inertia.astype(np.float32))
            self.model.geom_friction.assign(scaled_friction(mj, work))
        super().__init__(work, device)

    def arrays(self):
        d = self.data
        return d.qpos, d.qvel, d.qacc_warmstart, d.ctrl

    def advance(self) -> None:
        with wp.ScopedDevice(self.device):
            self.mjw.step(self.model, self.data)

    def acceleration(self) -> np.ndarray:
        return self.data.qacc.numpy()[:, : self.nv]

    def report(self) -> dict:
        d = self.data
        return {
            "overflows": int((d.overflow.numpy() != 0).sum()),
            "nefc_last": float(d.nefc.numpy().mean()),
            "iterations_mean": float(d.solver_niter.numpy().mean()),
            "data_bytes": sum(a.capacity for a in vars(d).values() if isinstance(a, wp.array)),
        }


class Newton(WarpWorlds):
    """Newton's SolverMuJoCo, which runs MuJoCo Warp behind Newton's states; on the CPU it has one thread."""

    name = "newton"
    threads = 1

    def __init__(self, work: Workload, device, threads: int):
        newton = needed("newton", "newton")
        robot = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(robot)
        robot.add_mjcf(str(work.file), ctrl_direct=True)
        scene = newton.ModelBuilder()
        scene.replicate(robot, work.nworld)
        self.model = scene.finalize(device=device)
        self.solver = newton.solvers.SolverMuJoCo(self.model, nconmax=work.nconmax, njmax=work.njmax)
        self.worlds, self.control_in = self.model.state(), self.model.control()
        if work.mass is not None:
            self._randomise(self.solver.mjw_model, work)
        super().__init__(work, device)

    def _randomise(self, m, work: Workload) -> None:
        m.body_mass.assign(m.body_mass.numpy() * work.mass)
        m.body_inertia.assign(m.body_inertia.numpy() * work.mass[:, :, None])
        friction = m.geom_friction.numpy()
        friction[:, :, 0] *= work.friction[:, None]
        m.geom_friction.assign(friction)

    def arrays(self):
        state, n = self.worlds, self.work.nworld
        rows = [a.reshape((n, -1)) for a in (state.joint_q, state.joint_qd, self.control_in.mujoco.ctrl)]
        return rows[0], rows[1], self.solver.mjw_data.qacc_warmstart, rows[2]

    def starts(self):
        return *newton_state(self.work.mj, self.work.qpos, self.work.qvel), self.work.warmstart

    def advance(self) -> None:
        self.solver.step(self.worlds, self.worlds, self.control_in, None, float(self.work.mj.opt.timestep))

    def acceleration(self) -> np.ndarray:
        return self.solver.mjw_data.qacc.numpy()[:, : self.work.mj.nv]

    report = MujocoWarp.report

    @property
    def data(self):
        """The solver's MuJoCo Warp data."""
        return self.solver.mjw_data


def newton_state(mj, qpos, qvel) -> tuple[np.ndarray, np.ndarray]:
    """MuJoCo's coordinates in Newton's conventions: xyzw, and free joints moving with their centre of mass in the world
    frame.
    """
    q, qd = qpos.copy(), qvel.copy()
    for j in np.flatnonzero(np.asarray(mj.jnt_type) == 0):
        a, v = int(mj.jnt_qposadr[j]), int(mj.jnt_dofadr[j])
        q[:, a + 3 : a + 7] = np.roll(qpos[:, a + 3 : a + 7], -1, axis=1)
        turn = quat_to_matrix(q[:, a + 3 : a + 7])
        spin = np.einsum("nij,nj->ni", turn, qvel[:, v + 3 : v + 6])
        arm = turn @ np.asarray(mj.body_ipos[mj.jnt_bodyid[j]], np.float32)
        qd[:, v + 3 : v + 6] = spin
        qd[:, v : v + 3] = qvel[:, v : v + 3] + np.cross(spin, arm)
    return q, qd


PEERS = {"mujoco": MujocoBatch, "mujoco-warp": MujocoWarp, "newton": Newton}

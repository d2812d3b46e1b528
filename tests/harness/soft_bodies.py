"""Soft bodies for tests: flexes of every kind, bent, in worlds that differ, as MuJoCo and the engine see them."""

from pathlib import Path

import numpy as np

from newtonlite import mjwarp
from tests import oracle

APART = '<contact contype="0" conaffinity="0" selfcollide="none"/>'
"""A flex that touches nothing."""


def scene(flexes: str, option: str = "", more: str = "", extra: str = "") -> str:
    """MJCF of flexes, with other things of the world and other sections."""
    return f"<mujoco><option {option}/><worldbody>{more}{flexes}</worldbody>{extra}</mujoco>"


def flexcomp(inside: str = "", **attributes) -> str:
    """A ``flexcomp`` named ``f`` (a grid of 3 x 3 points, unless it is said otherwise) that touches nothing."""
    given = {"name": "f", "type": "grid", "dim": 2, "count": "3 3 1", "spacing": ".1 .1 .1", "mass": ".4", **attributes}
    written = " ".join(f'{name}="{value}"' for name, value in given.items())
    return f"<flexcomp {written}>{APART}{inside}</flexcomp>"


def neo_hookean(source: str, which=None):
    """A model of MuJoCo whose solids are Neo-Hookean, which its specification alone can say."""
    spec = oracle.mujoco.MjSpec.from_string(source)
    for i, flex in enumerate(spec.flexes):
        flex.elastic3d = int(which is None or i in which)
    return spec.compile()


def bent_states(mj, bends, speed: float = 0.0, seed: int = 5, ctrl: float = 0.0) -> oracle.States:
    """States of one world after the other, dofs moved by random ways of the sizes ``bends``."""
    rng, data, qpos = np.random.default_rng(seed), oracle.empty_data(mj), []
    for bend in bends:
        data.qpos[:] = mj.qpos0
        oracle.displace(mj, data, rng.normal(0.0, bend, mj.nv))
        qpos.append(data.qpos.copy())
    n = len(qpos)
    qvel = rng.normal(0.0, speed, (n, mj.nv))
    return oracle.rounded(oracle.States(np.array(qpos), qvel, np.zeros((n, mj.nv)), np.full((n, mj.nu), ctrl)))


class Softened:
    """MuJoCo's data of some states of a model, and the engine's of all of them at once, after ``forward``."""

    def __init__(self, source, device, worlds: int = 3, bend: float = 0.02, speed: float = 0.5, seed: int = 5):
        self.mjm = oracle.compile_xml(source) if isinstance(source, str | Path) else source
        rng = np.random.default_rng(seed)
        self.m = mjwarp.put_model(self.mjm, device=device)
        self.d = mjwarp.make_data(self.mjm, worlds, device=device)
        self.datas = []
        qpos, qvel = np.zeros((worlds, self.mjm.nq), np.float32), np.zeros((worlds, self.mjm.nv), np.float32)
        for w in range(worlds):
            data = oracle.empty_data(self.mjm)
            oracle.displace(self.mjm, data, rng.normal(0.0, bend * w, self.mjm.nv))
            data.qvel[:] = np.float32(rng.normal(0.0, speed * w, self.mjm.nv))
            qpos[w], qvel[w] = data.qpos, data.qvel
            self.datas.append(data)
        self.d.qpos.assign(qpos)
        self.d.qvel.assign(qvel)

    def forward(self) -> "Softened":
        """Let both compute accelerations."""
        for data in self.datas:
            oracle.forward_into(self.mjm, data)
        mjwarp.forward(self.m, self.d)
        return self

    def step(self) -> "Softened":
        """Let both go one step."""
        for data in self.datas:
            oracle.advance(self.mjm, data)
        mjwarp.step(self.m, self.d)
        return self

    def error(self, name: str) -> float:
        """Largest difference in a field, relative to the largest of its numbers in any world."""
        own = getattr(self.d, name).numpy()
        want = np.stack([np.asarray(getattr(data, name), float).ravel() for data in self.datas])
        own = own.reshape(len(own), -1)[:, : want.shape[1]]
        return float(np.abs(own - want).max() / max(np.abs(want).max(), 1e-30))

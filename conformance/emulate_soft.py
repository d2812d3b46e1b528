"""Soft bodies, distance fields and pictures as cases of the emulation: a cloth, a rod, a block, a bolt of a distance field, and
the depth that a camera sees of soft bodies. Each is ``case(device, nlane, order)`` and gives arrays by name.
"""

import numpy as np

from tests import oracle

WORLDS, SEED = 3, 11
COLUMNS = ("ncon", "nefc", "qfrc_passive", "qfrc_smooth", "qacc", "qpos", "qvel")
CLOTH = """<mujoco><worldbody><geom type="sphere" size=".12" pos=".02 .03 -.14"/><flexcomp name="f" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" mass=".5" radius=".01">
  <contact selfcollide="none"/><edge equality="true" damping=".01"/><elasticity young="3e3" poisson=".2" thickness=".01" elastic2d="bend"/></flexcomp></worldbody></mujoco>"""
ROD = """<mujoco><option timestep=".0005"/><worldbody><geom type="plane" size="1 1 1" pos="0 0 -.011"/><flexcomp name="f" type="grid" dim="1" count="5 1 1" spacing=".1 .1 .1" mass=".2" radius=".01">
  <edge equality="true"/><contact selfcollide="none"/><elasticity young="2e5" poisson=".3" damping=".001"/><pin id="0"/></flexcomp></worldbody></mujoco>"""
BLOCK = """<mujoco><worldbody><geom type="plane" size="1 1 1" pos="0 0 -.112"/><flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" mass="1" radius=".01">
  <contact selfcollide="none"/><elasticity young="2e4" poisson=".2" damping=".002"/></flexcomp></worldbody></mujoco>"""
FIELD = """<mujoco><option sdf_initpoints="8"/><extension><plugin plugin="mujoco.sdf.torus"><instance name="torus"/></plugin></extension>
  <asset><mesh name="torus"><plugin instance="torus"/></mesh></asset><worldbody><geom type="sdf" mesh="torus"><plugin instance="torus"/></geom>
  <body pos=".33 0 .2"><freejoint/><geom size=".08"/></body><body pos="-.36 .05 .19"><freejoint/><geom type="capsule" size=".06 .05"/></body></worldbody></mujoco>"""
SEEN = """<mujoco><worldbody><light pos="0 0 3"/><camera name="c" pos=".2 -.9 .8" xyaxes="1 0 0 0 .66 .75"/><geom type="plane" size="1 1 1" pos="0 0 -.2"/>
  <flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".2 .2 .2" radius=".01"><edge damping=".1"/></flexcomp></worldbody></mujoco>"""
WIDTH, HEIGHT = 16, 12


def states_of(mj) -> oracle.States:
    """States met early in rollouts, before soft bodies have gone far."""
    return oracle.rollout_states(mj, WORLDS, seed=SEED, length=40, every=3, speed=0.1)


def stepped(text: str):
    """A case: one step of three states of a model."""

    def run(device: str, nlane: int | None, order: slice = slice(None)) -> dict:
        from tests.harness.engine import Engine

        mj = oracle.compile_xml(text)
        found = states_of(mj)
        states = type(found)(**{field: values[order] for field, values in vars(found).items()})
        mode = "staged" if device == "cpu" else "auto"
        engine = Engine(mj, states, device, mode=mode, nlane=nlane, scratch="per_world").step()
        return {field: engine.read(field) for field in COLUMNS}

    return run


def depths(device: str, nlane: int | None, order: slice = slice(None)) -> dict:
    """A case: what a camera sees of a cloth in three worlds."""
    import warp as wp

    import newtonlite.mjwarp as mjw

    mj = oracle.compile_xml(SEEN)
    with wp.ScopedDevice(device):
        m, d = mjw.put_model(mj), mjw.make_data(mj, nworld=WORLDS)
        moved = mj.qpos0 + np.random.default_rng(SEED).uniform(-0.02, 0.02, (WORLDS, mj.nq))
        d.qpos = moved.astype(np.float32)[order]
        mjw.forward(m, d)
        rc = mjw.create_render_context(mj, WORLDS, (WIDTH, HEIGHT), render_rgb=False, render_depth=True)
        mjw.render(m, d, rc)
        return {"depth": rc.picture("depth", 0).numpy().reshape(WORLDS, -1)}


SOFT = {
    "soft: cloth": stepped(CLOTH),
    "soft: rod": stepped(ROD),
    "soft: block": stepped(BLOCK),
    "soft: distance field": stepped(FIELD),
    "soft: picture": depths,
}

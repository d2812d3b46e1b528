"""Soft bodies and distance fields as cases of the emulation: a cloth, rods, blocks, springs of contacts and a torus. Each is
``case(device, nlane, order)`` and gives arrays by name.
"""

from tests import oracle

WORLDS, SEED = 3, 11
COLUMNS = ("ncon", "nefc", "qfrc_passive", "qfrc_smooth", "qacc", "qpos", "qvel", "sensordata")
STEP = '<option integrator="discrete" timestep=".002"/>'
CLOTH = """<geom type="sphere" size=".12" pos=".02 .03 -.14"/><flexcomp name="f" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" mass=".5" radius=".01">
  <contact selfcollide="none"/><edge equality="true" damping=".01"/><elasticity young="3e3" poisson=".2" thickness=".01" elastic2d="bend"/></flexcomp>"""
ROD = """<geom type="plane" size="1 1 1" pos="0 0 -.011"/><flexcomp name="f" type="grid" dim="1" count="5 1 1" spacing=".1 .1 .1" mass=".2" radius=".01">
  <edge equality="true"/><contact selfcollide="none" condim="6"/><elasticity young="2e5" poisson=".3" damping=".001"/><pin id="0"/></flexcomp>"""
BLOCK = """<geom type="plane" size="1 1 1" pos="0 0 -.112"/><flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" mass="1" radius=".01">
  <contact selfcollide="none"/><elasticity young="2e4" poisson=".2" damping=".002"/></flexcomp>"""
CELLS = """<geom type="sphere" size=".05" pos=".03 .02 -.036"/><geom type="plane" size="1 1 .1"/>
  <flexcomp name="a" type="grid" dim="3" count="4 3 3" spacing=".05 .05 .05" mass=".8" radius=".01" pos="0 0 .058" dof="trilinear">
  <elasticity young="1e4"/><pin grid="0 0 0"/><contact passive="true" selfcollide="none"/></flexcomp>"""
ROPES = """<flexcomp name="f" type="grid" dim="1" count="4 1 1" spacing=".1 .1 .1" mass=".2" radius=".01"><edge equality="true"/>
  <contact selfcollide="none" condim="6"/></flexcomp><flexcomp name="g" type="grid" dim="1" count="4 1 1" spacing=".1 .1 .1" pos=".02 .01 .015"
  euler="0 0 60" mass=".2" radius=".01"><edge equality="true"/><contact selfcollide="none" condim="6"/></flexcomp>"""
FIELD = """<geom type="sdf" mesh="torus"><plugin instance="torus"/></geom><site name="eye" pos=".3 0 .6" euler="180 0 0"/>
  <body pos=".33 0 .2"><freejoint/><geom size=".08"/></body><body pos="-.36 .05 .19"><freejoint/><geom type="mesh" mesh="brick"/></body>"""
ASSETS = """<extension><plugin plugin="mujoco.sdf.torus"><instance name="torus"/></plugin></extension>
  <asset><mesh name="torus"><plugin instance="torus"/></mesh><mesh name="brick" vertex="-.1 -.1 -.06 .1 -.1 -.06 -.1 .1 -.06 .1 .1 -.06 0 0 .1"/></asset>
  <sensor><rangefinder site="eye"/></sensor>"""


def model(bodies: str, *others: str) -> str:
    """MJCF of a world body, and of what stands beside it."""
    return f"<mujoco>{''.join(others)}<worldbody>{bodies}</worldbody></mujoco>"


def stepped(text: str):
    """A case: one step of three states of a model, met early in rollouts, before soft bodies have gone far."""

    def run(device: str, nlane: int | None, order: slice = slice(None)) -> dict:
        from tests.harness.engine import Engine

        mj = oracle.compile_xml(text)
        found = oracle.rollout_states(mj, WORLDS, seed=SEED, length=40, every=3, speed=0.1)
        states = type(found)(**{field: values[order] for field, values in vars(found).items()})
        mode = "staged" if device == "cpu" else "auto"
        engine = Engine(mj, states, device, mode=mode, nlane=nlane, scratch="per_world").step()
        return {field: engine.read(field) for field in COLUMNS if field in engine.d.arrays}

    return run


SOFT = {
    "soft: cloth": stepped(model(CLOTH)),
    "soft: cloth, discrete": stepped(model(CLOTH.replace('<edge equality="true" damping=".01"/>', ""), STEP)),
    "soft: rod": stepped(model(ROD, '<option timestep=".0005" cone="elliptic"/>')),
    "soft: rod, discrete": stepped(model(ROD, STEP)),
    "soft: block": stepped(model(BLOCK, '<option timestep=".001"/>')),
    "soft: block, discrete": stepped(model(BLOCK, STEP)),
    "soft: springs of contacts": stepped(model(CELLS, STEP)),
    "soft: ropes that touch": stepped(model(ROPES, '<option cone="elliptic"/>')),
    "soft: distance field": stepped(model(FIELD, ASSETS, '<option sdf_initpoints="8"/>')),
}

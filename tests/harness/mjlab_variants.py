"""Variants of mjlab, entities whose meshes differ between worlds, on the engine that ``mujoco_warp`` names, beside MuJoCo's
model of each variant: prints how far accelerations are apart, as JSON. Imports nothing of this project.
"""

import json

import mujoco
import numpy as np
from mjlab.entity import VariantEntityCfg
from mjlab.scene import Scene, SceneCfg
from mjlab.sim import Simulation, SimulationCfg
from mjlab.terrains import TerrainEntityCfg

WORLDS, STEPS = 5, 150
TETRA = ([0, 0, 0, 0.3, 0, 0, 0, 0.25, 0, 0, 0, 0.2], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
TALL = ([0, 0, 0, 0.4, 0, 0, 0.1, 0.35, 0, 0.1, 0.1, 0.3], TETRA[1])
"""Corners and triangles of meshes; on others MuJoCo 3 has fewer contacts with a plane than MuJoCo 4 and MuJoCo Warp."""
VARIANTS = {"tetra": (TETRA,), "tall": (TALL,), "both": (TALL, TETRA)}
OPTIONS = "timestep cone impratio solver iterations tolerance integrator disableflags enableflags gravity".split()


def variant(*meshes):
    """A free body of some meshes, each beside the last."""

    def make() -> mujoco.MjSpec:
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(name="prop")
        body.add_freejoint(name="free")
        for k, (corners, triangles) in enumerate(meshes):
            spec.add_mesh(name=f"m{k}", uservert=corners, userface=triangles)
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"m{k}", pos=[0.1 * k, 0.3 * k, 0.1])
        return spec

    return make


def reference(*meshes, host: mujoco.MjModel) -> mujoco.MjModel:
    """A variant on the ground as a model of its own."""
    spec = variant(*meshes)()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.01])
    model = spec.compile()
    for name in OPTIONS:
        setattr(model.opt, name, getattr(host.opt, name))
    return model


def main() -> None:
    """Drop three variants in five worlds, and compare each world where it has come to."""
    prop = VariantEntityCfg(
        variants={name: variant(*meshes) for name, meshes in VARIANTS.items()},
        assignment=lambda n: [k % 3 for k in range(n)],
        init_state=VariantEntityCfg.InitialStateCfg(pos=(0.0, 0.0, 0.05)),
    )
    scene = Scene(
        SceneCfg(num_envs=WORLDS, terrain=TerrainEntityCfg(terrain_type="plane"), entities={"prop": prop}), "cpu"
    )
    config = SimulationCfg()
    config.mujoco.iterations, config.mujoco.tolerance = 100, 1e-10
    info = scene.collect_variant_info()
    sim = Simulation(num_envs=WORLDS, cfg=config, device="cpu", spec=scene.spec, variant_info=info)
    scene.initialize(sim.mj_model, sim.model, sim.data)
    sim.reset()
    for _ in range(STEPS):
        sim.step()
    sim.forward()
    d, apart, contacts, wanted = sim.wp_data, [], [], []
    own = [reference(*VARIANTS[name], host=sim.mj_model) for name in VARIANTS]
    for world in range(WORLDS):
        m = own[world % len(own)]
        data = mujoco.MjData(m)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(data, name)[:] = getattr(d, name).numpy()[world]
        mujoco.mj_forward(m, data)
        contacts.append(int(data.ncon))
        wanted.append(float(m.body_mass[-1]))
        apart.append(float(np.abs(d.qacc.numpy()[world] - data.qacc).max() / (1.0 + np.abs(data.qacc).max())))
    heights = d.qpos.numpy()[:, 2].tolist()
    counts = np.bincount(d.contact.worldid.numpy()[: int(d.nacon.numpy()[0])], minlength=WORLDS).tolist()
    masses = sim.wp_model.body_mass.numpy()[:, -1].tolist()
    print(json.dumps(dict(apart=apart, contacts=contacts, own=counts, heights=heights, masses=masses, wanted=wanted)))


if __name__ == "__main__":
    main()

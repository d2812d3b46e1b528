"""Variants of mjlab, entities whose meshes differ between worlds, on the engine that ``mujoco_warp`` names, beside MuJoCo with
each world's values: prints how far accelerations are apart, as JSON. Imports nothing of this project.
"""

import copy
import json

import mujoco
import numpy as np
from mjlab.entity import VariantEntityCfg
from mjlab.scene import Scene, SceneCfg
from mjlab.sim import Simulation, SimulationCfg
from mjlab.terrains import TerrainEntityCfg

WORLDS, STEPS = 5, 150
TETRA = ([0, 0, 0, 0.3, 0, 0, 0, 0.25, 0, 0, 0, 0.2], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
WEDGE = (
    [0, 0, 0, 0.4, 0, 0, 0.4, 0.2, 0, 0, 0.2, 0, 0, 0, 0.15, 0, 0.2, 0.15],
    [0, 2, 1, 0, 3, 2, 0, 1, 4, 3, 5, 2, 1, 2, 5, 1, 5, 4, 0, 4, 5, 0, 5, 3],
)
"""Corners and triangles of meshes."""


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


def main() -> None:
    """Drop three variants in five worlds, and compare each world where it has come to."""
    prop = VariantEntityCfg(
        variants={"tetra": variant(TETRA), "wedge": variant(WEDGE), "both": variant(WEDGE, TETRA)},
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
    d, host, apart, contacts = sim.wp_data, sim.mj_model, [], []
    rows = {name: getattr(sim.wp_model, name).numpy() for name in sim.expanded_fields if name != "geom_matid"}
    for world in range(WORLDS):
        m = copy.copy(host)
        for name, values in rows.items():
            getattr(m, name)[...] = values[world].reshape(np.shape(getattr(m, name)))
        none = (m.geom_dataid < 0) & (m.geom_type == mujoco.mjtGeom.mjGEOM_MESH)
        m.geom_contype[none], m.geom_conaffinity[none], m.geom_dataid[none] = 0, 0, 0
        for name in ("body_sameframe", "geom_sameframe", "body_simple", "dof_simplenum"):
            getattr(m, name)[...] = 0  # short cuts for values that are no longer there
        m.bvh_aabb[:, 3:] = np.maximum(m.bvh_aabb[:, 3:], 10.0)
        data = mujoco.MjData(m)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(data, name)[:] = getattr(d, name).numpy()[world]
        mujoco.mj_forward(m, data)
        contacts.append(int(data.ncon))
        apart.append(float(np.abs(d.qacc.numpy()[world] - data.qacc).max() / (1.0 + np.abs(data.qacc).max())))
    heights = d.qpos.numpy()[:, 2].tolist()
    counts = np.bincount(d.contact.worldid.numpy()[: int(d.nacon.numpy()[0])], minlength=WORLDS).tolist()
    masses = sim.wp_model.body_mass.numpy()[:, -1].tolist()
    print(json.dumps({"apart": apart, "contacts": contacts, "own": counts, "heights": heights, "masses": masses}))


if __name__ == "__main__":
    main()

"""A task of mjlab in which everything is randomised that it can randomise, on the engine that ``mujoco_warp`` names,
beside MuJoCo with each world's values: prints how far accelerations are apart, as JSON. Imports nothing of this project.
"""

import json

import mjlab.tasks  # noqa: F401  registers the tasks
import mujoco
import numpy as np
import torch
from mjlab.envs import ManagerBasedRlEnv
from mjlab.envs.mdp import dr
from mjlab.managers.event_manager import EventTermCfg
from mjlab.managers.scene_entity_config import SceneEntityCfg
from mjlab.tasks.registry import load_env_cfg

WORLDS = 3
GEOMS, BODIES, JOINTS = {"geom_names": (".*",)}, {"body_names": (".*",)}, {"joint_names": (".*",)}
SITES, ACTUATORS = {"site_names": (".*",)}, {"actuator_names": (".*",)}
FEET, CALVES = {"geom_names": (".*foot.*",)}, {"body_names": (".*calf.*",)}
NEAR = (-0.01, 0.01)
TERMS = (
    (dr.geom_friction, GEOMS, {"ranges": (0.5, 1.5)}),
    (dr.geom_pos, FEET, {"ranges": NEAR, "operation": "add"}),
    (dr.geom_quat, FEET, {"roll_range": (-0.1, 0.1)}),
    (dr.geom_size, FEET, {"ranges": (0.9, 1.1)}),
    (dr.geom_rgba, FEET, {"ranges": (0.2, 1.0)}),
    (dr.pseudo_inertia, BODIES, {"alpha_range": (-0.1, 0.1)}),
    (dr.body_com_offset, BODIES, {"ranges": NEAR}),
    (dr.body_pos, CALVES, {"ranges": NEAR, "operation": "add"}),
    (dr.body_quat, CALVES, {"yaw_range": (-0.1, 0.1)}),
    (dr.joint_damping, JOINTS, {"ranges": (0.01, 0.1)}),
    (dr.joint_armature, JOINTS, {"ranges": (0.01, 0.1)}),
    (dr.joint_friction, JOINTS, {"ranges": (0.01, 0.1)}),
    (dr.joint_stiffness, JOINTS, {"ranges": (0.1, 1.0)}),
    (dr.joint_limits, {"joint_names": (".*hip.*",)}, {"ranges": {0: (-0.2, -0.1), 1: (0.1, 0.2)}}),
    (dr.joint_default_pos, JOINTS, {"ranges": NEAR}),
    (dr.encoder_bias, JOINTS, {"bias_range": NEAR}),
    (dr.pd_gains, ACTUATORS, {"kp_range": (0.9, 1.1), "kd_range": (0.9, 1.1)}),
    (dr.effort_limits, ACTUATORS, {"effort_limit_range": (0.9, 1.1)}),
    (dr.site_pos, SITES, {"ranges": NEAR, "operation": "add"}),
    (dr.site_quat, SITES, {"roll_range": (-0.1, 0.1)}),
)


def main() -> None:
    """Make, reset and step the task; compare each world."""
    config = load_env_cfg("Mjlab-Velocity-Flat-Unitree-Go1")
    config.scene.num_envs, config.seed = WORLDS, 1
    config.sim.mujoco.iterations, config.sim.mujoco.tolerance = 100, 1e-10
    for term, chosen, values in TERMS:
        params = {"asset_cfg": SceneEntityCfg("robot", **chosen), **values}
        config.events[term.__name__] = EventTermCfg(func=term, mode="reset", params=params)
    env = ManagerBasedRlEnv(config, device="cpu")
    env.reset()
    for _ in range(20):
        env.step(torch.zeros(WORLDS, env.action_manager.total_action_dim))
    env.sim.forward()
    d, apart = env.sim.wp_data, []
    rows = {name: getattr(env.sim.wp_model, name).numpy() for name in env.sim.expanded_fields}
    for world in range(WORLDS):
        m = env.sim.mj_model
        for name, values in rows.items():
            getattr(m, name)[...] = values[world].reshape(np.shape(getattr(m, name)))
        for name in ("body_sameframe", "geom_sameframe", "site_sameframe", "body_simple", "dof_simplenum"):
            getattr(m, name)[...] = 0  # short cuts for values that are no longer there
        m.bvh_aabb[:, 3:] = np.maximum(m.bvh_aabb[:, 3:], 10.0)  # boxes around bodies, which nothing recomputes there
        data = mujoco.MjData(m)
        for name in ("qpos", "qvel", "ctrl", "qacc_warmstart"):
            getattr(data, name)[:] = getattr(d, name).numpy()[world]
        mujoco.mj_forward(m, data)
        apart.append(float(np.abs(d.qacc.numpy()[world] - data.qacc).max() / (1.0 + np.abs(data.qacc).max())))
    same = sorted(name for name, values in rows.items() if (values == values[:1]).all())
    print(json.dumps({"apart": apart, "same": same, "contacts": int(d.nacon.numpy()[0]), "fields": len(rows)}))


if __name__ == "__main__":
    main()

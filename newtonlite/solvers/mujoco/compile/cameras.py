"""Cameras and lights: what they are on, how they move, and where they stand in the reference pose."""

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.math.quat import matrix, normalized, product, rotate
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.constants import merged
from newtonlite.solvers.mujoco.compile.kinematics import pose_at
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds

CAMERA = "mode projection resolution output ipd".split()
CAMERA_PER_WORLD = "pos quat fovy sensorsize intrinsic".split()
LIGHT = "mode type castshadow active attenuation cutoff exponent ambient diffuse specular bulbradius intensity range softness".split()
LIGHT_PER_WORLD = ("pos", "dir")


def compile_views(m: CompiledModel, w: Worlds, tree: BodyTree) -> None:
    """Fill the camera and light arrays; the constants of the model have to be there."""
    m.ncam = w.size("mujoco:camera") if w.has("mujoco:camera_body") else 0
    m.nlight = w.size("mujoco:light") if w.has("mujoco:light_body") else 0
    pose = pose_at(m, m.qpos0) if m.ncam or m.nlight else None
    if m.ncam:
        m.set(cam_bodyid=body_of(w, tree, "camera_body"), cam_targetbodyid=body_of(w, tree, "camera_target"))
        m.names_camera = w.first_labels("mujoco:camera_label", "mujoco:camera")
        m.set(**{f"cam_{name}": w.first(f"mujoco:camera_{name}") for name in CAMERA})
        m.set(**{f"cam_{name}": w.get(f"mujoco:camera_{name}") for name in CAMERA_PER_WORLD})
        m.cam_quat = normalized(m.cam_quat)
        set_reference_places(m, pose, "cam")
        mat = matrix(product(pose.xquat[..., m.cam_bodyid, :], m.cam_quat))
        m.set(cam_mat0=merged(mat.reshape(*mat.shape[:-2], 9), 2))
    if m.nlight:
        m.set(light_bodyid=body_of(w, tree, "light_body"), light_targetbodyid=body_of(w, tree, "light_target"))
        m.names_light = w.first_labels("mujoco:light_label", "mujoco:light")
        m.set(**{f"light_{name}": w.first(f"mujoco:light_{name}") for name in LIGHT})
        m.set(**{f"light_{name}": w.get(f"mujoco:light_{name}") for name in LIGHT_PER_WORLD})
        m.light_dir = m.light_dir / np.maximum(np.linalg.norm(m.light_dir, axis=-1, keepdims=True), MINVAL)
        m.set(
            light_texid=np.full(m.nlight, -1),
            light_dir0=merged(rotate(pose.xquat[..., m.light_bodyid, :], m.light_dir), 2),
        )
        set_reference_places(m, pose, "light")
    else:
        m.set(**{f"light_{name}": m.zeros(f"light_{name}") for name in (*LIGHT, *LIGHT_PER_WORLD)})


def set_reference_places(m: CompiledModel, pose, kind: str) -> None:
    """``*_pos0``, ``*_poscom0``: where things are at qpos0, from their body, and from the centre of mass of its subtree
    or the target's.
    """
    body, target = getattr(m, f"{kind}_bodyid"), getattr(m, f"{kind}_targetbodyid")
    arm = rotate(pose.xquat[..., body, :], getattr(m, f"{kind}_pos"))
    com = subtree_com(m, pose)[..., np.where(target >= 0, target, body), :]
    m.set(**{f"{kind}_pos0": merged(arm, 2), f"{kind}_poscom0": merged(arm + pose.xpos[..., body, :] - com, 2)})


def subtree_com(m: CompiledModel, pose) -> np.ndarray:
    """Centre of mass of every subtree [..., nbody, 3]; of one without mass, its root's."""
    total = m.body_mass[..., None] * pose.xipos
    for b in range(m.nbody - 1, 0, -1):
        total[..., m.body_parentid[b], :] += total[..., b, :]
    mass = m.body_subtreemass[..., None]
    return np.where(mass > MINVAL, total / np.maximum(mass, MINVAL), pose.xipos)


def body_of(w: Worlds, tree: BodyTree, name: str) -> np.ndarray:
    """MuJoCo bodies of an attribute that names Newton bodies: -1 is the world, -2 none."""
    value = w.first(f"mujoco:{name}")
    body = tree.mujoco_body()[w.local("body", np.maximum(value, -1))]
    return np.where(value < -1, -1, body)

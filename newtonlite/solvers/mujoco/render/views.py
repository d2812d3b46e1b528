"""Render views: fields of an engine's model and data as the structs of the camera kernels; and the poses of a schedule's worlds,
computed for pictures alone.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import UnsupportedError
from newtonlite.core.mujoco import MjtTextureRole
from newtonlite.core.types import cell_shape
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.kernels.position import inertia, kinematics
from newtonlite.solvers.mujoco.kernels.sense import frames
from newtonlite.solvers.mujoco.render.looks import GeomLooks, Lights
from newtonlite.solvers.mujoco.render.scene import RenderPoses
from newtonlite.solvers.mujoco.render.soft import SoftPoses

STAGES = (kinematics.kinematics, inertia.subtree_com, kinematics.other_geom_poses, frames.camera_frames)
"""Stages that place geoms, cameras and lights."""


def poses_of(m: Any, d: Any) -> RenderPoses:
    """Poses of geoms and cameras as the data has them."""
    poses = RenderPoses()
    poses.geom_xpos, poses.geom_xmat, poses.geom_size = d.geom_xpos, d.geom_xmat, m.geom_size
    poses.cam_xpos, poses.cam_xmat = d.cam_xpos, d.cam_xmat
    return poses


def soft_poses_of(d: Any) -> SoftPoses:
    """Vertices of flexes and poses of bodies as the data has them."""
    poses = SoftPoses()
    poses.flexvert_xpos, poses.xpos, poses.xmat = d.flexvert_xpos, d.xpos, d.xmat
    return poses


def looks_of(m: Any) -> GeomLooks:
    """Colours of geoms and materials as the model has them."""
    looks = GeomLooks()
    looks.geom_rgba, looks.geom_matid, looks.mat_rgba = m.geom_rgba, m.geom_matid, m.mat_rgba
    looks.mat_emission, looks.mat_specular, looks.mat_shininess = m.mat_emission, m.mat_specular, m.mat_shininess
    looks.mat_texid, looks.mat_texuniform, looks.mat_texrepeat = m.mat_texid, m.mat_texuniform, m.mat_texrepeat
    return looks


def lights_of(m: Any, d: Any) -> Lights:
    """Lights as the model has them, where the data has them."""
    lights = Lights()
    lights.type, lights.castshadow, lights.active = m.light_type, m.light_castshadow, m.light_active
    lights.attenuation, lights.cutoff, lights.exponent = m.light_attenuation, m.light_cutoff, m.light_exponent
    lights.ambient, lights.diffuse, lights.specular = m.light_ambient, m.light_diffuse, m.light_specular
    lights.xpos, lights.xdir = d.light_xpos, d.light_xdir
    return lights


LOOKS = {
    **dict.fromkeys(("geom_rgba", "mat_rgba"), wp.vec4),
    **dict.fromkeys("mat_emission mat_specular mat_shininess light_cutoff light_exponent".split(), float),
    **dict.fromkeys("geom_matid mat_texid light_type".split(), int),
    **dict.fromkeys("mat_texuniform light_castshadow light_active".split(), bool),
    **dict.fromkeys("light_attenuation light_ambient light_diffuse light_specular".split(), wp.vec3),
    "mat_texrepeat": wp.vec2,
    "geom_size": wp.vec3,
}
"""Parameters that pictures alone need, and types of their cells."""


class SceneLooks:
    """Looks and lights of a compiled model (or a ``mujoco.MjModel``) as arrays [1, n]; arrays [nworld, n] may be put in their place,
    for worlds that differ.
    """

    def __init__(self, mj: Any, device: Any):
        for name, dtype in LOOKS.items():
            kind = {int: np.int32, bool: bool}.get(dtype, np.float32)
            values = np.asarray(getattr(mj, name, ()), kind)
            cell = cell_shape(dtype)
            count = int(getattr(mj, f"n{name.partition('_')[0]}", 0))
            shape = (1, count, *cell) if name != "mat_texid" else (1, count, len(MjtTextureRole))
            setattr(self, name, wp.array(np.ascontiguousarray(values.reshape(shape)), dtype=dtype, device=device))


class PresentPoses:
    """Poses of bodies, geoms, cameras and lights [nworld, n] at the present ``qpos`` of a schedule's worlds, which stay as they are.

    UnsupportedError for models with flexes, whose vertices are placed by a whole forward pass.
    """

    def __init__(self, schedule: Schedule):
        self.schedule, m, nworld = schedule, schedule.model, schedule.data.nworld
        if m.sizes["nflex"]:
            raise UnsupportedError(
                "the model has flexes: pictures at the present qpos have none; render by newtonlite.mjwarp after forward"
            )
        new = lambda n, kind: wp.zeros((nworld, n), dtype=kind, device=m.device)
        self.flexvert_xpos = new(0, wp.vec3)
        self.xpos, self.xmat = new(m.nbody, wp.vec3), new(m.nbody, wp.mat33)
        self.geom_xpos, self.geom_xmat = new(m.ngeom, wp.vec3), new(m.ngeom, wp.mat33)
        self.cam_xpos, self.cam_xmat = new(m.ncam, wp.vec3), new(m.ncam, wp.mat33)
        self.light_xpos, self.light_xdir = new(m.nlight, wp.vec3), new(m.nlight, wp.vec3)
        names = "xpos xmat geom_xpos geom_xmat cam_xpos cam_xmat light_xpos light_xdir".split()
        self._bound = {name: getattr(self, name) for name in names}

    def update(self) -> None:
        """Follow the worlds."""
        self.schedule.add("render_poses", STAGES)
        self.schedule.run("render_poses", bound=self._bound)

"""GeomLooks of geoms and lights: what colours need of a model, and of the poses of its lights."""

from typing import Any

import warp as wp

LIGHT_BITS = 32
"""Lights whose shadows a hit has a bit for."""
NO_LIGHT_AMBIENT = wp.constant(0.3)
"""Ambient light of a scene without any light."""


@wp.struct
class GeomLooks:
    """Colours of geoms and materials [nworld or 1, n]; textures of materials [nworld or 1, nmat, nrole]."""

    geom_rgba: wp.array2d[wp.vec4]
    geom_matid: wp.array2d[int]
    mat_rgba: wp.array2d[wp.vec4]
    mat_emission: wp.array2d[float]
    mat_specular: wp.array2d[float]
    mat_shininess: wp.array2d[float]
    mat_texid: wp.array3d[int]
    mat_texuniform: wp.array2d[bool]
    mat_texrepeat: wp.array2d[wp.vec2]


@wp.struct
class Lights:
    """Lights [nworld or 1, nlight], where they are [nworld, nlight], and the headlight of the cameras."""

    type: wp.array2d[int]
    castshadow: wp.array2d[bool]
    active: wp.array2d[bool]
    attenuation: wp.array2d[wp.vec3]
    cutoff: wp.array2d[float]
    exponent: wp.array2d[float]
    ambient: wp.array2d[wp.vec3]
    diffuse: wp.array2d[wp.vec3]
    specular: wp.array2d[wp.vec3]
    xpos: wp.array2d[wp.vec3]
    xdir: wp.array2d[wp.vec3]


@wp.struct
class LookSettings:
    """Settings of colours: the headlight, the background, which terms count, the share of light in shadow, how many
    samples a pixel is the mean of, and whether this is its last one. With layers: whether one sees through surfaces,
    which rendered geom is a mirror (-1: none) and how much it reflects, and whether rays end at this layer.
    """

    headlight: int
    head_ambient: wp.vec3
    head_diffuse: wp.vec3
    head_specular: wp.vec3
    background: wp.vec3
    skybox: int
    textures: int
    ambient: int
    light_ambient: int
    specular: int
    emission: int
    vertex_normals: int
    shadowed: float
    samples: int
    last: int
    layered: int
    see_through: int
    mirror: int
    reflectance: float
    ends: int


HEADLIGHT = {"active": 1, "ambient": (0.1,) * 3, "diffuse": (0.4,) * 3, "specular": (0.5,) * 3}
"""MuJoCo's headlight where a model says nothing of it."""


def headlight(mj: Any) -> dict[str, Any]:
    """Headlight of a compiled model (or a ``mujoco.MjModel``): whether it is on, and its three colours."""
    if hasattr(mj, "vis"):
        return {name: getattr(mj.vis.headlight, name) for name in HEADLIGHT}
    return HEADLIGHT | {k: v for k, v in getattr(mj, "visual", {}).get("headlight", {}).items() if k in HEADLIGHT}

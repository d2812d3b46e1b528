"""Colour stage of a camera batch: shadows and colours of what its rays have met."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import UnsupportedError
from newtonlite.solvers.mujoco.render.hits import ColourHits, Pictures
from newtonlite.solvers.mujoco.render.layers import BEHIND, mirror_geom, trace_layer
from newtonlite.solvers.mujoco.render.looks import LIGHT_BITS, GeomLooks, Lights, LookSettings, headlight
from newtonlite.solvers.mujoco.render.rays import CameraTable, RayTable
from newtonlite.solvers.mujoco.render.scene import RenderGeoms, RenderPoses
from newtonlite.solvers.mujoco.render.shade import Corners, shade_tiles
from newtonlite.solvers.mujoco.render.shadow import cast_shadows
from newtonlite.solvers.mujoco.render.soft import SoftSurfaces
from newtonlite.solvers.mujoco.render.surfaces import RaySurfaces
from newtonlite.solvers.mujoco.render.textures import skybox_of, textures_of


@dataclass(frozen=True)
class ColourOptions:
    """Options of colours: ``background`` RGB where nothing is seen, unless ``skybox``; ``shadow_light_fraction`` of
    a light's direct part in its shadow; ``samples`` per pixel and axis; the terms that count; and whether one sees through
    surfaces, and what a mirror shows.
    """

    textures: bool = True
    shadows: bool = False
    ambient: bool = True
    background: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)
    skybox: bool = False
    shadow_light_fraction: float = 0.3
    samples: int = 1
    vertex_normals: bool = True
    specular: bool = True
    emission: bool = True
    light_ambient: bool = True
    mipmaps: bool = True
    transparency: bool = False
    reflections: bool = False

    @property
    def layers(self) -> int:
        """Layers in which rays go on behind the first surface."""
        return BEHIND * self.transparency + self.reflections


class ColourStage:
    """Corners, textures and settings of the colours of a compiled model (or a ``mujoco.MjModel``)."""

    def __init__(self, mj: Any, geoms: np.ndarray, surfaces: RaySurfaces, options: ColourOptions, device: Any):
        if options.shadows and int(mj.nlight) > LIGHT_BITS:
            raise UnsupportedError(
                f"shadows of {int(mj.nlight)} lights: at most {LIGHT_BITS} cast any; render without shadows, or with fewer lights"
            )
        self.options, self.corners, skybox = options, Corners(), skybox_of(mj) if options.skybox else -1
        self.corners.normal = wp.array(np.concatenate(surfaces.normals), dtype=wp.vec3, device=device)
        self.corners.uv = wp.array(np.concatenate(surfaces.uvs), dtype=wp.vec2, device=device)
        self.corners.density = wp.array(np.concatenate(surfaces.densities), dtype=float, device=device)
        self.textures = textures_of(mj, options.textures or skybox >= 0, options.mipmaps, device)
        q, lit = LookSettings(), headlight(mj)
        for name in ("ambient", "diffuse", "specular"):
            setattr(q, f"head_{name}", wp.vec3(*np.asarray(lit[name], float).tolist()))
        q.headlight, q.skybox = int(lit["active"]), skybox
        q.background = wp.vec3(*(float(x) for x in options.background[:3]))
        for name in ("textures", "ambient", "light_ambient", "specular", "emission", "vertex_normals"):
            setattr(q, name, int(getattr(options, name)))
        q.shadowed, q.samples = float(options.shadow_light_fraction), options.samples**2
        q.layered, q.see_through = int(options.layers > 0), int(options.transparency)
        q.mirror, q.reflectance = mirror_geom(mj, geoms) if options.reflections else (-1, 0.0)
        self.settings = q

    def launch(
        self,
        size: tuple[int, int],
        cameras: CameraTable,
        rays: RayTable,
        geoms: RenderGeoms,
        poses: RenderPoses,
        soft: SoftSurfaces,
        look: tuple[GeomLooks, Lights],
        mask: wp.array | None,
        hits: ColourHits,
        pictures: Pictures,
        last_sample: bool = True,
    ) -> None:
        """Colour a sample of all pixels of the worlds in ``mask``; ``size`` is (worlds, tiles)."""
        if self.options.layers:
            hits.weight.fill_(1.0)
            hits.mirror.zero_()
        scene, q = (cameras, rays, geoms, poses, soft), self.settings
        for layer in range(self.options.layers + 1):
            if layer:
                wp.launch(trace_layer, dim=size, inputs=[*scene, mask, hits, pictures], device=hits.dist.device)
            q.ends = int(layer == self.options.layers)
            q.last = int(last_sample and q.ends)
            self._shade(size, scene, look, mask, hits, pictures)

    def _shade(self, size: tuple, scene: tuple, look: tuple, mask: Any, hits: ColourHits, pictures: Pictures) -> None:
        """Colour what the rays have met."""
        looks, lights = look
        device = hits.dist.device
        if self.options.shadows and lights.type.shape[1]:
            wp.launch(cast_shadows, dim=size, inputs=[*scene, lights, mask, hits, pictures], device=device)
        inputs = [*scene, looks, lights, self.corners, self.textures, self.settings]
        wp.launch(shade_tiles, dim=size, inputs=[*inputs, mask, hits, pictures], device=device)

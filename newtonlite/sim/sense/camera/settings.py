"""Settings of camera sensors under Newton's names, with Newton's values."""

from dataclasses import dataclass
from enum import IntEnum

from newtonlite.core.enums import ColorSpace
from newtonlite.core.errors import UnsupportedError


class RenderOrder(IntEnum):
    """Orders in which pixels are rendered; pictures do not depend on it."""

    PIXEL_PRIORITY = 0
    VIEW_PRIORITY = 1
    TILED = 2


class GaussianRenderMode(IntEnum):
    """Modes of Gaussian splats, which are not rendered."""

    FAST = 0
    QUALITY = 1


class TextureProjectionMode(IntEnum):
    """Ways of laying textures on shapes without coordinates, which are not rendered."""

    CUBIC = 0
    TRIPLANAR = 1


class AntiAliasing(IntEnum):
    """Anti-aliasing by several rays of a pixel: none are allowed, colours are the mean (``SSAA``), or the mean with one
    shading for each surface (``MSAA``).
    """

    NONE = 0
    SSAA = 1
    MSAA = 2


class DeformableSurfaceMode(IntEnum):
    """Surfaces of soft bodies that are seen."""

    BOTH = 0
    SIMULATION_ONLY = 1
    VISUAL_ONLY = 2


class WorldRenderFlag(IntEnum):
    """Entries of ``world_indices`` of views that are not rendered: their pixels stay as they are, or are cleared."""

    DISABLE_PRESERVE = -101
    DISABLE_CLEAR = -102


class RenderLightType(IntEnum):
    """Kinds of lights."""

    SPOTLIGHT = 0
    DIRECTIONAL = 1


@dataclass(unsafe_hash=True)
class RenderConfig:
    """Settings of a picture. Taken and without effect: ``enable_fast_math``, ``render_order``, ``tile_width``, ``tile_height``,
    ``block_dim`` and those of Gaussian splats. Textures are refused by ``update``.
    """

    enable_global_world: bool = True
    enable_textures: bool = False
    texture_projection_mode: TextureProjectionMode = TextureProjectionMode.CUBIC
    enable_shadows: bool = False
    enable_ambient_lighting: bool = True
    enable_particles: bool = True
    enable_backface_culling: bool = True
    enable_fast_math: bool = True
    output_color_space: ColorSpace = ColorSpace.SRGB
    render_order: RenderOrder = RenderOrder.PIXEL_PRIORITY
    anti_aliasing: AntiAliasing = AntiAliasing.NONE
    tile_width: int = 16
    tile_height: int = 8
    block_dim: int = 64
    max_distance: float = 1000.0
    gaussians_mode: GaussianRenderMode = GaussianRenderMode.FAST
    gaussians_min_transmittance: float = 0.49
    gaussians_max_num_hits: int = 20

    def check(self) -> None:
        """UnsupportedError for what is not rendered."""
        if self.enable_textures:
            raise UnsupportedError(
                "RenderConfig enable_textures: camera sensors render colours of shapes; for textures render by newtonlite.mjwarp, or leave it False"
            )


@dataclass(unsafe_hash=True)
class ClearData:
    """Pixels where nothing is seen: packed colours (red in the lowest byte), depth [m], number of the shape, normal."""

    clear_color: int = 0
    clear_depth: float = 0.0
    clear_shape_index: int = 0xFFFFFFFF
    clear_normal: tuple[float, float, float] = (0.0, 0.0, 0.0)
    clear_albedo: int = 0

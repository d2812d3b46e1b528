"""Utilities beside the scene: colours, textures, places of worlds, quality and heights of meshes, numbers in text, under Newton's names."""

from newtonlite.geometry.mesh_quality import validate_tet_mesh, validate_triangle_mesh
from newtonlite.utils.color import ColorSpace, bourke_color_map, color_linear_to_srgb, color_srgb_to_linear
from newtonlite.utils.heightfield import rasterize_mesh_to_heightfield
from newtonlite.utils.parse import string_to_warp
from newtonlite.utils.texture import load_texture, normalize_texture
from newtonlite.utils.world_offsets import compute_world_offsets

__all__ = [
    "ColorSpace",
    "bourke_color_map",
    "color_linear_to_srgb",
    "color_srgb_to_linear",
    "compute_world_offsets",
    "load_texture",
    "normalize_texture",
    "rasterize_mesh_to_heightfield",
    "string_to_warp",
    "validate_tet_mesh",
    "validate_triangle_mesh",
]

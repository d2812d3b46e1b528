"""Utilities beside the scene: colours, textures, places of worlds, meshes, numbers in text, tracing, under Newton's names."""

from newtonlite.geometry.mesh_quality import validate_tet_mesh, validate_triangle_mesh
from newtonlite.utils.color import ColorSpace, bourke_color_map, color_linear_to_srgb, color_srgb_to_linear
from newtonlite.utils.heightfield import rasterize_mesh_to_heightfield
from newtonlite.utils.mesh_adjacency import MeshAdjacency, MeshAdjacencyData
from newtonlite.utils.parse import string_to_warp
from newtonlite.utils.solidify import solidify_mesh
from newtonlite.utils.texture import load_texture, normalize_texture
from newtonlite.utils.trace import EventTracer, event_scope
from newtonlite.utils.world_offsets import compute_world_offsets

__all__ = [
    "ColorSpace",
    "EventTracer",
    "MeshAdjacency",
    "MeshAdjacencyData",
    "bourke_color_map",
    "color_linear_to_srgb",
    "color_srgb_to_linear",
    "compute_world_offsets",
    "event_scope",
    "load_texture",
    "normalize_texture",
    "rasterize_mesh_to_heightfield",
    "solidify_mesh",
    "string_to_warp",
    "validate_tet_mesh",
    "validate_triangle_mesh",
]

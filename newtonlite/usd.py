"""USD: schema resolvers for ``ModelBuilder.add_usd``, and questions to prims."""

from newtonlite.importers.usd.custom import declarations as get_custom_attribute_declarations
from newtonlite.importers.usd.custom import values as get_custom_attribute_values
from newtonlite.importers.usd.mesh_source import get_mesh
from newtonlite.importers.usd.query import (
    get_attribute,
    get_attributes_in_namespace,
    get_float,
    get_gprim_axis,
    get_physics_scenes,
    get_quat,
    get_scale,
    get_transform,
    has_applied_api_schema,
    has_attribute,
    type_to_warp,
    value_to_warp,
)
from newtonlite.importers.usd.resolvers import PrimType, SchemaResolver
from newtonlite.importers.usd.schemas import SchemaResolverMjc, SchemaResolverNewton, SchemaResolverPhysx
from newtonlite.importers.usd.stage import need_pxr
from newtonlite.importers.usd.tetmesh import DEFORMABLE_LEGACY_NAMESPACES, find_tetmesh_prims, get_tetmesh

need_pxr()

__all__ = [
    "DEFORMABLE_LEGACY_NAMESPACES",
    "PrimType",
    "SchemaResolver",
    "SchemaResolverMjc",
    "SchemaResolverNewton",
    "SchemaResolverPhysx",
    "find_tetmesh_prims",
    "get_attribute",
    "get_attributes_in_namespace",
    "get_custom_attribute_declarations",
    "get_custom_attribute_values",
    "get_float",
    "get_gprim_axis",
    "get_mesh",
    "get_physics_scenes",
    "get_quat",
    "get_scale",
    "get_tetmesh",
    "get_transform",
    "has_applied_api_schema",
    "has_attribute",
    "type_to_warp",
    "value_to_warp",
]

"""Signed distance fields and pressure fields that colliders ask for."""

import math
from typing import Any

from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.resolvers import PrimType
from newtonlite.importers.usd.spec import UsdShape, UsdSpec

NARROW_BAND = (-0.1, 0.1)
FORMATS = ("uint8", "uint16", "float32")
API_RESOLUTION = 64
"""Resolution where the schema is applied and nothing is said."""
NAMES = {
    "sdf_max_resolution": "newton:sdfMaxResolution",
    "sdf_target_voxel_size": "newton:sdfTargetVoxelSize",
    "sdf_padding": "newton:sdfPadding",
    "sdf_texture_format": "newton:sdfTextureFormat",
    "kh": "newton:hydroelasticStiffness",
}


def fielded(spec: UsdSpec, prim: Prim) -> bool:
    """Whether a collider asks for a signed distance field of its own."""
    keys = ("sdf_max_resolution", "sdf_target_voxel_size")
    asked = any(spec.resolvers.source(prim, PrimType.SHAPE, key)[0] is not None for key in keys)
    return asked or prim.has("NewtonSDFCollisionAPI")


def read_fields(spec: UsdSpec, shape: UsdShape) -> None:
    """Set what a collider says of its signed distance field and its pressure field; impossible values warn and count as
    not given.
    """
    prim, length = shape.prim, spec.units.length
    if prim.has("NewtonSDFCollisionAPI") and prim.has("NewtonMeshCollisionAPI"):
        prim.doubt(
            "NewtonSDFCollisionAPI and NewtonMeshCollisionAPI are independent collision representations; the field is used"
        )
    size = valid(spec, prim, "sdf_target_voxel_size", lambda x: 0 < x < math.inf, "has to be positive")
    count = valid(
        spec, prim, "sdf_max_resolution", lambda n: n > 0 and n % 8 == 0, "has to be positive and divisible by 8"
    )
    if size is not None and count is not None:
        prim.doubt("sdfTargetVoxelSize takes precedence", NAMES["sdf_max_resolution"])
    if size is not None:
        shape.settings |= {"sdf_target_voxel_size": float(size) * length, "sdf_max_resolution": None}
    elif count is not None or prim.has("NewtonSDFCollisionAPI"):
        shape.settings |= {"sdf_max_resolution": int(count or API_RESOLUTION), "sdf_target_voxel_size": None}
    padding = valid(spec, prim, "sdf_padding", lambda x: 0 <= x < math.inf, "has to be 0 or more")
    if padding is not None:
        shape.settings["sdf_padding"] = float(padding) * length
    words = f"has to be one of {', '.join(FORMATS)}"
    kind = valid(spec, prim, "sdf_texture_format", lambda word: word in FORMATS, words)
    if kind is not None:
        shape.settings["sdf_texture_format"] = str(kind)
    band = [spec.resolvers.source(prim, PrimType.SHAPE, f"sdf_narrow_band_{side}")[0] for side in ("inner", "outer")]
    if any(said(value) for value in band):
        shape.settings["sdf_narrow_band_range"] = tuple(
            float(value) * length if said(value) else default for value, default in zip(band, NARROW_BAND, strict=True)
        )
    read_pressure(spec, shape)


def read_pressure(spec: UsdSpec, shape: UsdShape) -> None:
    """Set whether two such shapes press on each other as soft bodies, and how stiffly; a mesh needs a field for it."""
    prim = shape.prim
    enabled = spec.resolvers.source(prim, PrimType.SHAPE, "hydroelastic_enabled")[0]
    kh = valid(spec, prim, "kh", lambda x: 0 < x < math.inf, "has to be positive")
    if kh is not None:
        shape.settings["kh"] = float(kh) * spec.units.mass / spec.units.length**2
    if enabled is None:
        if prim.has("NewtonSDFCollisionAPI"):
            shape.settings["is_hydroelastic"] = False
        return
    sized = any(shape.settings.get(key) is not None for key in ("sdf_max_resolution", "sdf_target_voxel_size"))
    if enabled and shape.source is not None and not sized:
        prim.doubt(
            "hydroelastic mesh requires newton:sdfMaxResolution or newton:sdfTargetVoxelSize; it collides as a mesh",
            "newton:hydroelasticEnabled",
        )
        enabled = False
    shape.settings["is_hydroelastic"] = bool(enabled)


def valid(spec: UsdSpec, prim: Prim, key: str, good: Any, wanted: str) -> Any:
    """The authored value of a key; None where there is none, or where it warns as impossible."""
    value = spec.resolvers.source(prim, PrimType.SHAPE, key)[0]
    if not said(value):
        return None
    if not good(value):
        prim.doubt(f"is {value!r}, which is invalid: it {wanted}; the default counts", NAMES[key])
        return None
    return value


def said(value: Any) -> bool:
    """Whether a value is given; minus infinity is the schema's word for none."""
    return value is not None and value != -math.inf

"""Textures as data: kind, size and channels, from their files or from how they are made."""

import struct

from .defaults import complete
from .document import Document
from .read import Node

CUBE, SKYBOX = 1, 2
SIDES = ("right", "left", "up", "down", "front", "back")
PNG = b"\x89PNG\r\n\x1a\n"
KTX = b"\xabKTX"
SRGB_CHUNK = b"\0\0\0\1sRGB"
NONE = 0
AUTO, LINEAR, SRGB = range(3)


def texture_values(node: Node, document: Document) -> dict:
    """Attributes of a texture with its defaults, its ``width`` and ``height`` being those of the stored image."""
    values = complete(node.element, {**document.classes.of(node, "main"), **node.values})
    width, height = values["width"], values["height"]
    files = [node.values[f"file{side}"] for side in SIDES if f"file{side}" in node.values]
    if values["builtin"] != NONE:
        if values["type"] != 0:
            height = 6 * width
    elif "file" in node.values or files:
        attr = "file" if "file" in node.values else next(f"file{side}" for side in SIDES if f"file{side}" in node.values)
        data = read_image(node, attr, document)
        width, height = image_size(data)
        if data[:4] == KTX:  # kept as it is
            return values | {"width": len(data), "height": 1, "nchannel": 1, "colorspace": values["colorspace"] or LINEAR}
        if data[:8] == PNG and values["colorspace"] == AUTO:
            values["colorspace"] = SRGB if SRGB_CHUNK in data[8:1024] else LINEAR
        rows, columns = values["gridsize"]
        if values["type"] != 0:
            single = attr == "file" and rows == columns == 1
            width = width // columns
            height = width if single and height == width else 6 * width
    return values | {"width": width, "height": height}


def read_image(node: Node, attr: str, document: Document) -> bytes:
    """The bytes of an image file."""
    data, name = document.open(node, attr, "texture")
    if len(data) < 24:
        raise node.error(f"file '{name}' is no image", attr)
    return data


def image_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels of a PNG file or of MuJoCo's own format."""
    return struct.unpack_from(">2I", data, 16) if data[:8] == PNG else struct.unpack_from("<2i", data)

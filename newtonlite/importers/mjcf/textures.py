"""Textures as data: kind, size, channels, and the source of their pixels."""

import struct
from base64 import b64encode

from newtonlite.core.errors import MissingFileError
from newtonlite.core.limits import most
from newtonlite.core.mujoco import MjtBuiltin, MjtColorSpace
from newtonlite.images.png import read_header
from newtonlite.importers.mjcf.defaults import complete
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.read import Node

SIDES = ("right", "left", "up", "down", "front", "back")
SRGB_CHUNK = b"\0\0\0\1sRGB"
MOST_PIXELS = most("made pixels")


def texture_values(node: Node, document: Document) -> dict:
    """Attributes of a texture with its defaults, its ``width`` and ``height`` being those of the stored image."""
    values = complete(node.element, {**document.classes.of(node, "main"), **node.values})
    check(node, values)
    check_amount(node, values)
    width, height = values["width"], values["height"]
    files = [node.values[f"file{side}"] for side in SIDES if f"file{side}" in node.values]
    if values["builtin"] != MjtBuiltin.NONE:
        if values["type"] != 0:
            height = 6 * width
    elif not values["embed"]:
        width = height = 0
    elif ("file" in node.values or files) and not present(node, document):
        width = height = 0
    elif "file" in node.values or files:
        values["sources"] = {name: source(node, name, document) for name in node.values if name.startswith("file")}
        attr = (
            "file" if "file" in node.values else next(f"file{side}" for side in SIDES if f"file{side}" in node.values)
        )
        data = read_image(node, attr, document)
        if is_raw(node, attr):  # kept as it is
            return values | {
                "raw": True,
                "width": len(data),
                "height": 1,
                "nchannel": 1,
                "colorspace": values["colorspace"] or MjtColorSpace.LINEAR,
            }
        width, height = image_size(data)
        if values["colorspace"] == MjtColorSpace.AUTO:
            values["colorspace"] = MjtColorSpace.SRGB if SRGB_CHUNK in data[8:1024] else MjtColorSpace.LINEAR
        rows, columns = values["gridsize"]
        if values["type"] != 0:
            single = attr == "file" and rows == columns == 1
            width = width // columns
            height = width if single and height == width else 6 * width
    return values | {"width": width, "height": height}


def present(node: Node, document: Document) -> bool:
    """Whether the files of a texture exist; a picture without one is worth a warning, not an error."""
    try:
        for name in node.values:
            if name.startswith("file"):
                document.open(node, name, "texture")
    except MissingFileError as problem:
        document.report.leave_out(problem)
        return False
    return True


def check(node: Node, values: dict) -> None:
    """Check the sizes and channels of a texture."""
    if values["builtin"] != MjtBuiltin.NONE:
        if values["width"] < 1 or (values["height"] < 1 and values["type"] == 0):
            raise node.error(
                f"is {values['width']} by {values['height']}; a made texture needs 'width' and 'height' of at least 1",
                "width" if "width" in node.values else None,
            )
        if values["nchannel"] != 3:
            raise node.error(f"{values['nchannel']} channels; a made texture has 3", "nchannel")
        return
    raw = "file" in node.values and is_raw(node, "file")
    if (
        values["type"] != 0
        and any(name.startswith("file") for name in node.values)
        and (raw or values["nchannel"] != 3)
    ):
        raise node.error(
            "sides of cubes have 3 channels; leave 'nchannel' out, and use PNG files",
            "nchannel" if "nchannel" in node.values else "type" if "type" in node.values else None,
        )


def check_amount(node: Node, values: dict) -> None:
    """Check that a texture has not too many pixels."""
    height = values["height"] if values["type"] == 0 else 6 * values["width"]
    if values["width"] * height * max(values["nchannel"], 3) > 3 * MOST_PIXELS:
        raise node.error(f"is {values['width']} by {height}; at most {MOST_PIXELS} pixels are made", "width")


def source(node: Node, attr: str, document: Document) -> dict[str, str]:
    """Source of the pixels of a file, for those who read them later: its path, or its contents where it is in
    memory."""
    data, name = document.open(node, attr, "texture")
    return {"data": b64encode(data).decode()} if name in document.files.assets else {"path": name}


def read_image(node: Node, attr: str, document: Document) -> bytes:
    """The bytes of an image file."""
    data, name = document.open(node, attr, "texture")
    try:
        if not is_raw(node, attr):
            read_header(data)
    except ValueError as problem:
        raise node.error(f"file '{name}' cannot be read as an image ({problem})", attr) from None
    return data


def is_raw(node: Node, attr: str) -> bool:
    """Whether an image file is a KTX one, which is kept as it is; ParseError where it is neither that nor PNG."""
    kind = (node.values.get("content_type") or node.values[attr]).lower()
    if not kind.endswith(("png", "ktx")):
        raise node.error(f"file '{node.values[attr]}' is of no known kind; use PNG or KTX", attr)
    return kind.endswith("ktx")


def image_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels of a PNG file."""
    return struct.unpack_from(">2I", data, 16)

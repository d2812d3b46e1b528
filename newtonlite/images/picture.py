"""Picture files as arrays: PNG by our own reader, other formats through Pillow, where it is installed."""

import io
import warnings

import numpy as np

from newtonlite.core.errors import FileError
from newtonlite.core.files import read_file
from newtonlite.core.limits import most
from newtonlite.images.png import SIGNATURE, read_png

FORMATS = ("JPEG", "BMP", "TGA", "GIF", "WEBP", "TIFF")
"""Formats that Pillow is asked for; others call further programs, or have readers of their own."""


def read_picture(path) -> np.ndarray:
    """Pixels [height, width, channels] of a picture file, uint8; FileError where they cannot be had."""
    data = read_file(path, "asset")
    try:
        return read_png(data) if data.startswith(SIGNATURE) else through_pillow(data)
    except ImportError as problem:
        raise FileError(path, f"cannot be read without Pillow ({problem}); install it, or use PNG") from None
    except (ValueError, MemoryError) as problem:
        raise FileError(path, f"cannot be read as a picture ({problem})") from None


def through_pillow(data: bytes) -> np.ndarray:
    """Pixels of another format; ValueError where there are too many, or the file is damaged."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Pillow's own limit, which ours is below
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                if image.width * image.height > most("pixels"):
                    raise ValueError(f"{image.width} by {image.height} pixels are more than {most('pixels')}")
                return np.array(image.convert("RGBA" if "A" in image.getbands() else "RGB"))
    except ValueError:
        raise
    except Exception as problem:  # whatever a damaged file does to its decoder
        raise ValueError(" ".join(str(problem).split())[:160] or type(problem).__name__) from None

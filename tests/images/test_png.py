"""PNG files of every filter, depth and colour are read as they were written, and height fields from them are MuJoCo's."""

import struct
import zlib

import numpy as np
import pytest

from newtonlite.core.errors import ParseError
from newtonlite.images.png import CHANNELS, read_png
from newtonlite.importers.mjcf import load_mjcf
from tests.oracle import compile_xml

RNG = np.random.default_rng(1)
COLOURS = [(0, 8), (0, 16), (0, 1), (0, 2), (0, 4), (2, 8), (2, 16), (4, 8), (6, 8), (6, 16)]
MODEL = '<mujoco><asset><hfield name="h" file="{name}" size="1 1 1 1"/></asset><worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>'


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def filtered(kind: int, line: bytes, above: bytes, step: int) -> bytes:
    """A row as the filter of that number stores it (PNG specification, section 9)."""
    out = bytearray([kind])
    for i, byte in enumerate(line):
        a, b, c = (line[i - step] if i >= step else 0), above[i], (above[i - step] if i >= step else 0)
        nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        out.append((byte - (0, a, b, (a + b) // 2, nearest)[kind]) & 255)
    return bytes(out)


def png(rows: list[bytes], width: int, depth: int, colour: int, kinds, palette: bytes = b"") -> bytes:
    step, above, packed = max(1, CHANNELS[colour] * depth // 8), bytes(len(rows[0])), b""
    for line, kind in zip(rows, kinds, strict=True):
        packed += filtered(kind, line, above, step)
        above = line
    head = struct.pack(">2I5B", width, len(rows), depth, colour, 0, 0, 0)
    colours = chunk(b"PLTE", palette) if palette else b""
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + colours
        + chunk(b"IDAT", zlib.compress(packed))
        + chunk(b"IEND", b"")
    )


def image(colour: int, depth: int, height: int = 6, width: int = 5):
    """Random samples, and the file that holds them, its rows filtered in every way."""
    samples = RNG.integers(0, 2**depth, (height, width, CHANNELS[colour]))
    bits = (samples.reshape(height, -1, 1) >> np.arange(depth)[::-1]) & 1
    rows = [np.packbits(row.ravel().astype(np.uint8)).tobytes() for row in bits]
    return samples, png(rows, width, depth, colour, [0, 1, 2, 3, 4, 4])


@pytest.mark.parametrize(("colour", "depth"), COLOURS)
def test_samples_come_back_in_eight_bits(colour, depth):
    samples, data = image(colour, depth)
    want = samples >> 8 if depth == 16 else samples * (255 // (2**depth - 1))
    np.testing.assert_array_equal(read_png(data), want)


@pytest.mark.parametrize("size", [(1, 1), (6, 5), (9, 17)])
def test_interlaced_files_are_seven_images(size):
    """Adam7: every so many rows and columns by themselves, the empty ones left out (PNG specification, section 8.2)."""
    samples = RNG.integers(0, 256, (*size, 3)).astype(np.uint8)
    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    parts = [samples[y::down, x::across] for y, x, down, across in passes]
    packed = b"".join(b"\0" + row.tobytes() for part in parts if part.size for row in part)
    head = struct.pack(">2I5B", size[1], size[0], 8, 2, 0, 0, 1)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(packed)) + chunk(b"IEND", b"")
    np.testing.assert_array_equal(read_png(data), samples)


def test_a_palette_gives_its_colours():
    palette = RNG.integers(0, 256, (4, 3)).astype(np.uint8)
    data = png([bytes([0, 3, 1])], 3, 8, 3, [0], palette.tobytes())
    np.testing.assert_array_equal(read_png(data)[0], palette[[0, 3, 1]])


@pytest.mark.parametrize(("colour", "depth"), [(0, 8), (0, 16), (2, 8), (6, 8)])
def test_height_fields_are_mujocos(tmp_path, colour, depth):
    (tmp_path / "h.png").write_bytes(image(colour, depth)[1])
    (tmp_path / "m.xml").write_text(MODEL.format(name="h.png"))
    spec, meshes, _ = load_mjcf(str(tmp_path / "m.xml"))
    oracle = compile_xml(tmp_path / "m.xml")
    np.testing.assert_array_equal(meshes.hfield(spec.geoms[0]).data.ravel(), oracle.hfield_data)


def test_what_follows_the_pixels_may_be_damaged():
    pixels, data = image(2, 8)
    end = data.index(b"IEND")
    np.testing.assert_array_equal(read_png(data[: end - 5] + data[end - 4 :]), pixels)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda d: d[:20], "it is no PNG file"),
        (lambda d: d[:60], "it ends in the middle"),
        (lambda d: d[:28] + b"\x02" + d[29:], "it is interlaced in an unknown way"),
        (lambda d: d[:16] + struct.pack(">2I", 10**5, 10**5) + d[24:], "pixels are more than"),
        (lambda d: d[:16] + struct.pack(">2I", 5, 60) + d[24:], "too few pixels"),
        (lambda d: d[:45] + b"\0\0\0\0" + d[49:], "cannot be unpacked"),
    ],
)
def test_broken_files_are_refused_with_a_place(tmp_path, change, problem):
    (tmp_path / "h.png").write_bytes(change(image(0, 8)[1]))
    (tmp_path / "m.xml").write_text(MODEL.format(name="h.png"))
    with pytest.raises(ParseError, match=f"m.xml:1:33: .*file: .*{problem}"):
        load_mjcf(str(tmp_path / "m.xml"))

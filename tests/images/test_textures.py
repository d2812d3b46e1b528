"""Pixels of textures, made by formula or from files, are MuJoCo's, byte by byte."""

import struct
import zlib

import numpy as np
import pytest

from newtonlite.core.errors import ModelError, ParseError
from newtonlite.images.mersenne_twister import uniform
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.compile.binary import load_model, save_model
from tests import oracle

RNG = np.random.default_rng(5)


def png(height: int, width: int, channels: int) -> bytes:
    """A PNG file of random pixels."""
    rows = b"".join(b"\0" + RNG.integers(0, 256, width * channels, dtype=np.uint8).tobytes() for _ in range(height))
    head = struct.pack(">2I5B", width, height, 8, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


FILES = {
    "grey.png": png(4, 4, 1),
    "rgb.png": png(4, 4, 3),
    "rgba.png": png(3, 5, 4),
    "veil.png": png(3, 2, 2),
    "tiles.png": png(6, 8, 3),
    "a.ktx": b"\xabKTX" + bytes(range(18)),
}
MADE = 'rgb1=".1 .23 .77" rgb2=".9 0 .31" markrgb=".2 .3 1" random=".3"'
PATTERNS = [
    f'type="{kind}" builtin="{made}" mark="{mark}" width="7" height="{5 if kind == "2d" else 7}" {MADE}'
    for kind in ("2d", "cube")
    for made, mark in (("gradient", "none"), ("checker", "edge"), ("flat", "cross"), ("flat", "random"))
]
PATTERNS += [
    f'type="skybox" builtin="gradient" width="31" height="31" {MADE}',
    f'type="2d" builtin="gradient" width="1" height="3" {MADE}',
]
IMAGES = [
    *(
        f'type="2d" file="{name}" nchannel="{n}"'
        for name in ("grey.png", "rgb.png", "rgba.png", "veil.png")
        for n in (1, 3, 4)
    ),
    'type="2d" file="rgba.png" hflip="true" vflip="true"',
    'type="2d" file="a.ktx"',
    'type="cube" file="rgb.png" hflip="true"',
    'type="cube" file="tiles.png" gridsize="3 4" gridlayout=".U..LFRB.D.." vflip="true"',
    'type="skybox" file="rgb.png" gridsize="2 2" gridlayout="RL.." rgb1="1 .5 .1"',
    'type="cube" fileright="rgb.png" fileback="grey.png" rgb1="1 .5 .1"',
]


def compiled(texture: str):
    """The model that newtonlite compiles from a texture."""
    builder = ModelBuilder()
    builder.add_mjcf(f'<mujoco><asset><texture name="t" {texture}/></asset></mujoco>', assets=FILES)
    return compile_model(builder.finalize(device="cpu"))


@pytest.mark.parametrize("texture", PATTERNS + IMAGES)
def test_pixels(texture, tmp_path):
    want = oracle.compile_xml(f'<mujoco><asset><texture name="t" {texture}/></asset></mujoco>', FILES)
    m = compiled(texture)
    assert (m.tex_height[0], m.tex_width[0], m.tex_nchannel[0]) == (
        want.tex_height[0],
        want.tex_width[0],
        want.tex_nchannel[0],
    )
    assert np.array_equal(m.tex_data, want.tex_data)
    assert np.array_equal(load_model(save_model(m, tmp_path / "m.nlm")).tex_data, want.tex_data)


def test_a_file_is_read_when_its_pixels_are_asked_for(tmp_path):
    (tmp_path / "a.png").write_bytes(FILES["rgb.png"])
    (tmp_path / "m.xml").write_text('<mujoco><asset><texture name="t" type="2d" file="a.png"/></asset></mujoco>')
    builder = ModelBuilder()
    builder.add_mjcf(str(tmp_path / "m.xml"))
    first, second = (compile_model(builder.finalize(device="cpu")) for _ in range(2))
    assert first.tex_data.size == 48
    (tmp_path / "a.png").unlink()
    with pytest.raises(ModelError, match="texture 't': its pixels cannot be read"):
        _ = second.tex_data


REFUSED = {
    'type="2d" builtin="flat" width="0" height="2"': "is 0 by 2",
    'type="2d" builtin="flat" width="2" height="2" nchannel="1"': "a made texture has 3",
    'type="cube" builtin="flat" width="100000"': "pixels are made",
    'type="2d" file="broken.png"': "its header makes no sense",
    'type="cube" file="a.ktx"': "sides of cubes have 3 channels",
    'type="cube" file="rgba.png" nchannel="4"': "sides of cubes have 3 channels",
    'type="2d" file="a.bmp"': "is of no known kind; use PNG or KTX",
}


@pytest.mark.parametrize("texture", REFUSED)
def test_what_cannot_be_a_texture_is_refused_where_it_stands(texture):
    files = FILES | {"broken.png": FILES["rgb.png"][:24] + b"\3" + FILES["rgb.png"][25:], "a.bmp": bytes(99)}
    with pytest.raises(ParseError, match=f"<string>:1:[0-9]+: .*{REFUSED[texture]}"):
        ModelBuilder().add_mjcf(f'<mujoco><asset><texture name="t" {texture}/></asset></mujoco>', assets=files)


def test_the_twister_is_that_of_cpp():
    """The ten-thousandth number of the default seed is part of the C++ standard."""
    assert uniform(5489, 10000)[-1] == 9981545732273789042 / 2.0**64

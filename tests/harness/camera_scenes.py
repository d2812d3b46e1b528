"""Scenes for cameras, each named after what it shows: shapes, lights, materials, textures; and how pictures are compared."""

import numpy as np
from scipy.ndimage import gaussian_filter

ASSETS = """<texture name="chk" type="2d" builtin="checker" width="64" height="64" rgb1=".9 .2 .2" rgb2=".1 .7 .3" mark="edge" markrgb="1 1 1"/>
<texture name="grad" type="2d" builtin="gradient" width="32" height="48" rgb1="1 .9 .1" rgb2=".1 .1 1"/>
<texture name="cube" type="cube" builtin="checker" width="64" height="64" rgb1=".2 .2 .8" rgb2=".9 .9 .9" mark="cross" markrgb="1 0 0"/>
<texture name="sky" type="skybox" builtin="gradient" width="64" height="384" rgb1=".3 .5 .8" rgb2="0 0 .1"/>
<material name="chk" texture="chk" texrepeat="3 2"/><material name="even" texture="chk" texrepeat="2 2" texuniform="true"/>
<material name="grad" texture="grad" specular=".9" shininess=".9"/><material name="cube" texture="cube"/>
<material name="glow" rgba=".2 .9 .3 1" emission=".5"/><material name="mirror" rgba=".3 .3 .4 1" reflectance=".6"/><material name="dull" rgba=".7 .5 .3 1" specular="0"/>
<mesh name="tetrahedron" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale=".8 .8 .8"/><mesh name="ball" builtin="sphere" params="2" scale=".4 .3 .3"/>
<mesh name="sheet" vertex="-.5 -.5 0 .5 -.5 0 .5 .5 0 -.5 .5 0 0 0 -.3" face="0 1 2 0 2 3 1 0 4 2 1 4 3 2 4 0 3 4" texcoord="0 0 1 0 1 1 0 1 .5 .5"/>
<hfield name="hills" nrow="4" ncol="5" size="1 1.2 .4 .1" elevation="0 1 0 2 1 3 0 1 0 2 1 3 1 0 0 1 0 2 1 3"/>"""
VISUAL = '<visual><quality shadowsize="2048" offsamples="4" numquads="40"/><map shadowclip="2"/>{}</visual>'
CAMERA = '<camera name="c" pos="0 -3.6 2.4" xyaxes="1 0 0 0 .55 .83" fovy="50"/>'
COLOURS = ('rgba="1 .3 .3 1"', 'rgba=".3 1 .3 1"', 'rgba=".3 .3 1 1"', 'rgba="1 1 .3 1"')
SUN = '<light directional="true" pos="0 0 4" dir="-.4 .3 -1"/>'
FLOOR = '<geom type="plane" size="3 3 1" rgba=".6 .7 .8 1"/>'
SLAB = '<geom type="box" size="3 3 .1" pos="0 0 -.1" rgba=".6 .7 .8 1"/>'
SHAPES = (
    ("sphere", ".3"),
    ("box", ".3 .2 .25"),
    ("capsule", ".15 .3"),
    ("cylinder", ".2 .3"),
    ("ellipsoid", ".2 .35 .25"),
    ('mesh" mesh="tetrahedron', ""),
    ('mesh" mesh="ball', ""),
)


def scene(light: str = SUN, looks: tuple[str, ...] = COLOURS, floor: str = FLOOR, visual: str = "") -> str:
    """Seven free shapes with these looks in turn over a floor, before a camera."""
    bodies = ""
    for i, (kind, size) in enumerate(SHAPES):
        size = f'size="{size}"' if size else ""
        bodies += f"""<body pos="{1.2 * (i % 3) - 1.2} {0.9 * (i // 3) - 0.9} .5" euler="{20 * i} {15 * i} {30 * i}"><freejoint/>
            <geom type="{kind}" {size} {looks[i % len(looks)]}/></body>"""
    return f"""<mujoco>{VISUAL.format(visual)}<asset>{ASSETS}</asset><worldbody>{light}{floor}{bodies}{CAMERA}</worldbody></mujoco>"""


SPOT = '<light type="spot" pos="-.5 -1 3" dir=".15 .3 -1" cutoff="40" exponent="8" diffuse="1 1 1" castshadow="{}"/>'
POINT = '<light type="point" pos="1 -1 2" diffuse="1 1 1" attenuation=".4 .1 .2" ambient=".2 .1 .1"/>'
COLOURED = {
    "headlight": scene(""),
    "bright headlight": scene("", visual='<headlight ambient=".3 .1 .1" diffuse=".6 .6 .3" specular="0 0 0"/>'),
    "directional": scene(),
    "two lights": scene(SUN.replace("/>", ' diffuse=".5 .4 .4"/>') + SUN.replace('dir="-.4', 'dir=".5')),
    "spot": scene(SPOT.format("false"), floor=SLAB),
    "dim spot": scene(SPOT.format("false").replace("/>", ' attenuation=".5 .1 .1"/>'), floor=SLAB),
    "materials": scene(looks=('material="glow"', 'material="dull"', 'material="grad"')),
    "textures": scene(looks=('material="chk"',), floor='<geom type="plane" size="3 3 1" material="chk"/>'),
    "endless floor": scene(looks=('material="even"',), floor='<geom type="plane" size="0 0 1" material="even"/>'),
    "cubes": scene(looks=('material="cube"',)),
    "hills": scene(
        floor='<geom type="hfield" hfield="hills" rgba=".8 .6 .3 1"/><geom type="plane" size="3 3 1" pos="0 0 -.1"/>'
    ),
    "mesh coordinates": scene(
        floor=FLOOR + '<geom type="mesh" mesh="sheet" material="chk" pos="0 .6 .9" euler="50 0 0"/>'
    ),
}
"""Scenes that MuJoCo's renderer shows without artefacts: its shadow maps and vertex lighting are fine enough."""
MIRROR = '<geom type="plane" size="3 3 1" material="mirror"/>'
LAYERED = {
    "mirror": scene("", floor=MIRROR),
    "mirror under a light": scene(floor=MIRROR),
    "mirror on a box": scene("", floor='<geom type="box" size="3 3 .1" pos="0 0 -.1" material="mirror"/>'),
    "see-through": scene("", looks=('rgba="1 .3 .3 .4"', 'rgba=".3 1 .3 1"')),
    "glass over a mirror": scene("", looks=('rgba="1 .3 .3 .4"', 'rgba=".3 1 .3 1"'), floor=MIRROR),
}
"""Scenes with surfaces that one sees through and with mirrors."""
LIT_BY_POINT = scene(POINT)
"""A scene with a point light, by which MuJoCo's own renderer lights nothing."""


def similarity(a: np.ndarray, b: np.ndarray) -> float:
    """Structural similarity (SSIM) of two pictures [h, w, 3] of bytes, of their grey, with a Gaussian window of 1.5 pixels."""
    grey = [one.astype(float) @ [0.299, 0.587, 0.114] for one in (a, b)]
    blur = lambda x: gaussian_filter(x, 1.5, truncate=3.5)
    (ma, mb), low, contrast = (blur(x) for x in grey), (0.01 * 255) ** 2, (0.03 * 255) ** 2
    va, vb, shared = blur(grey[0] ** 2) - ma * ma, blur(grey[1] ** 2) - mb * mb, blur(grey[0] * grey[1]) - ma * mb
    bright = (2 * ma * mb + low) / (ma * ma + mb * mb + low)
    return float((bright * (2 * shared + contrast) / (va + vb + contrast)).mean())


def silhouettes(geom: np.ndarray) -> np.ndarray:
    """Pixels beside one that sees another geom."""
    edge = np.zeros(geom.shape, bool)
    for axis in (0, 1):
        other = np.diff(geom, axis=axis) != 0
        low, high = ([slice(None)] * 2 for _ in range(2))
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        edge[tuple(low)] |= other
        edge[tuple(high)] |= other
    return edge

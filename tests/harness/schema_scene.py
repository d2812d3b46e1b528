"""The scene that models of schema rows share, where in it an element stands, and the files that it may name: all as
text.
"""

import struct
import zlib

POINTS = "0 0 0 1 0 0 0 .7 0 0 0 .5 .6 .5 .4 .3 .1 .6"
WORLD = """
  <geom name="floor" type="plane" size="2 2 1"/><geom type="hfield" hfield="f" pos="0 0 -5"/>
  <body name="b1" pos="1 0 1"><joint name="h" axis="0 1 0" range="-40 30" limited="true"/>
    <geom name="g1" type="box" size=".1 .2 .3" pos=".1 0 0"/><site name="s1" pos=".2 0 0"/>
    <body name="b2" pos=".3 0 .1"><joint name="sl" type="slide" axis="1 0 0" range="-.1 .2" limited="true"/>
    <geom name="g2" type="cylinder" size=".05 .1"/><site name="s2" pos=".1 .1 0" quat="1 1 0 0"/>
      <body name="b3" pos=".2 .1 .1"><geom name="g3" size=".06" pos=".1 .1 .1" contype="0" conaffinity="0" group="1"/></body></body></body>
  <body name="b4" pos="2 0 1"><joint name="ba" type="ball"/>
    <geom name="g4" type="ellipsoid" size=".1 .2 .1" pos=".1 .1 0"/><site name="s3"/>
    <body name="b5" pos=".1 0 .3"><joint name="ba2" type="ball"/><geom size=".07" pos="0 .1 0"/></body></body>
  <body name="fly" pos="0 0 2"><freejoint/>
    <geom type="box" size=".1 .2 .3" pos=".1 .1 .1"/><geom size=".1" pos=".3 .2 0" density="300"/></body>
  <body name="b6" pos="0 5 0"><joint name="k" range="0 1" limited="true"/>
    <inertial pos="0 0 .1" euler="10 20 30" mass=".3" diaginertia=".1 .2 .25"/>
    <geom size=".1" group="2"/><geom size=".2" group="1" pos="0 .1 0"/></body>
  <body name="mo" mocap="true" pos="0 3 1"/>
  <camera name="c" pos="0 -3 1" quat="1 1 0 0" sensorsize=".01 .01" focal=".01 .01" resolution="4 4"/>
  <camera name="c2" resolution="4 4"/>"""
ASSETS = f'<mesh name="m" vertex="{POINTS}"/><mesh name="m2" vertex="{POINTS} 1 1 1"/><hfield name="f" nrow="2" ncol="3" size="1 2 .5 .1" elevation="0 1 2 3 4 5"/>'
ASSETS += '<texture name="t" type="2d" builtin="checker" width="4" height="4"/>'
ASSETS += '<texture name="sky" type="cube" builtin="flat" width="4"/><material name="shiny" shininess=".7"/>'
EPILOGUE = """
<tendon><fixed name="t1"><joint joint="h" coef="1"/><joint joint="sl" coef="2"/></fixed>
  <spatial name="t2" limited="true" range=".1 .5"><site site="s1"/><site site="s2"/></spatial>
  <spatial name="t3" limited="true" range="0 2"><site site="s1"/><site site="s3"/></spatial></tendon>
<actuator><motor name="u1" joint="h"/><general name="u2" joint="sl" dyntype="integrator"/></actuator>"""
EXTENSION = """
<extension><plugin plugin="mujoco.pid"><instance name="pi"><config key="kp" value="2"/></instance>
  <instance name="pi2"><config key="kp" value="3"/></instance></plugin>
  <plugin plugin="mujoco.sensor.touch_grid"><instance name="tg"><config key="size" value="2 3"/><config key="fov" value="9 8"/></instance>
  <instance name="tg2"><config key="size" value="4 3"/><config key="fov" value="9 8"/></instance></plugin></extension>"""
PLUGIN_USERS = """
<actuator><plugin joint="sl" instance="pi"/><plugin joint="sl" instance="pi2"/></actuator>
<sensor><plugin objtype="site" objname="s1" instance="tg"/><plugin objtype="site" objname="s1" instance="tg2"/></sensor>"""
"""Users of all instances, without which MuJoCo takes none."""
OTHER = """<mujoco model="other"><worldbody>
  <frame name="of" pos="0 0 1"><body name="ob" pos=".1 0 0"><joint name="oj"/><geom name="og" size=".1"/></body></frame>
  <body name="oc"><joint/><geom size=".2"/></body></worldbody></mujoco>"""
EVERYTHING = """<joint armature=".3"/><geom density="77" friction=".3"/><site size=".03"/><camera fovy="33"/><light cutoff="22"/><mesh scale="1 2 1"/><texture type="2d"/>
  <material shininess=".3"/><pair condim="4"/><equality solref=".03 1"/><tendon stiffness="7"/><general group="3"/>"""
"""A default class that changes every element."""
SHAPE = '<geom size=".1" pos=".1 .2 0"/>'
LEAF = f"<body pos='.2 0 .1'><joint/>{SHAPE}</body>"


def msh() -> bytes:
    """A tetrahedron in MuJoCo's binary form."""
    return struct.pack(
        "<4i12f12i", 4, 0, 0, 4, *(0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3), *(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
    )


def png(width: int, height: int) -> bytes:
    """A grey image of 8 bits whose brightness grows."""
    pixels = bytes((7 * k) % 256 for k in range(width * height))
    lines = b"".join(b"\0" + pixels[r * width : (r + 1) * width] for r in range(height))
    parts = [
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts
    )


OBJ = b"v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nv 1 2 .5\n" + b"f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\n"
FILES = {
    **dict.fromkeys(("meshes/a.obj", "all/a.obj"), OBJ),
    "a.obj": OBJ.replace(b"1 2 .5", b"2 2 1"),
    "a.dat": msh(),
    **{name: png(3, 4) for name in ("h.png", "all/h.png", "h.dat")},
    "t.png": png(8, 8),
    **{name: png(4, 4) for name in ("textures/t.png", "all/t.png", "t.dat")},
    "grid.png": png(12, 9),
    **{name: OTHER.encode() for name in ("other.xml", "other.dat")},
    "other2.xml": OTHER.replace(".1", ".2").replace("<worldbody>", '<option timestep=".004"/><worldbody>', 1).encode(),
}
"""Files in memory that the models name."""

HOSTS = {
    "worldbody/body": "<worldbody>{}</worldbody>",
    "worldbody/frame": "<worldbody>{}</worldbody>",
    "worldbody/replicate": "<worldbody>{}</worldbody>",
    "worldbody/body/joint": f'<worldbody><body pos="1 2 3">{{}}{SHAPE}{LEAF}</body></worldbody>',
    "worldbody/body/freejoint": f'<worldbody><body pos="1 2 3">{{}}{SHAPE}</body></worldbody>',
    "worldbody/body/inertial": f'<worldbody><body pos="1 2 3"><joint axis="1 1 0"/>{{}}{SHAPE}</body></worldbody>',
    "extension/plugin": "<extension>{}</extension>",
    "extension/plugin/instance": '<extension><plugin plugin="mujoco.pid">{}</plugin></extension><actuator><plugin joint="h" instance="own"/></actuator>',
    "actuator/plugin/config": '<actuator><plugin joint="h" plugin="mujoco.pid">{}</plugin></actuator>',
    "worldbody/attach": '<worldbody><body name="host">{}</body></worldbody>',
    "tendon/fixed/joint": '<tendon><fixed name="own">{}<joint joint="k" coef="3"/></fixed></tendon>',
    "tendon/spatial/site": '<tendon><spatial name="own"><site site="s3"/>{}</spatial></tendon>',
    "tendon/spatial/geom": '<tendon><spatial name="own"><site site="s3"/>{}<site site="s1"/></spatial></tendon>',
    "tendon/spatial/pulley": '<tendon><spatial name="own"><site site="s3"/><site site="s1"/>{}<site site="s3"/><site site="s2"/></spatial></tendon>',
    "custom/tuple/element": '<custom><tuple name="own">{}</tuple></custom>',
    "asset/material/layer": '<asset><material name="own">{}</material></asset>',
    "asset/mesh": '<asset>{}</asset><worldbody><body name="host"><joint/><geom type="mesh" mesh="own"/></body></worldbody>',
    "asset/hfield": '<asset>{}</asset><worldbody><geom type="hfield" hfield="own"/></worldbody>',
    "asset/model": '<asset>{}</asset><worldbody><body name="host"><attach model="own" prefix="pre"/></body></worldbody>',
    "worldbody/geom@hfield": "<worldbody>{}</worldbody>",
    "option/flag": "<option>{}</option>",
    "option/flag@ipc": '<option integrator="discrete">{}</option>',
    "compiler/lengthrange": '<compiler>{}</compiler><actuator><muscle joint="sl"/></actuator>',
    **{
        f"compiler@{name}": '{}<asset><mesh name="own" file="'
        + folder
        + 'a.obj"/><texture name="owned" file="t.png"/></asset><worldbody><geom type="mesh" mesh="own"/></worldbody>'
        for name, folder in (("assetdir", ""), ("meshdir", ""), ("texturedir", ""), ("strippath", "meshes/"))
    },
    "compiler@balanceinertia": "{}<worldbody><body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/></body></worldbody>",
    "compiler@fitaabb": '{}<worldbody><geom type="box" mesh="m"/></worldbody>',
    "compiler@conflict": '{}<worldbody><body name="host"><attach model="another" prefix="pre"/></body></worldbody>',
    "default": '<default>{}</default><worldbody><geom class="own" size=".2"/></worldbody>',
}
"""Where an element stands, by its path."""
WORLD_HOST = f'<worldbody><body pos="1 2 3"><joint axis="1 1 0"/>{SHAPE}{{}}</body></worldbody>'
INSIDE = {
    "worldbody/body": f'{SHAPE}<geom type="box" size=".1 .2 .1"/>{LEAF}',
    "worldbody/body@sleep": f"<joint/>{SHAPE}",
    "worldbody/frame": f'{SHAPE}<geom type="box" size=".1 .2 .1" pos=".1 0 0"/><body pos="3 0 0"><joint/>{SHAPE}</body>',
    "worldbody/replicate": f'<body name="copy" pos="3 0 0"><joint/>{SHAPE}</body>',
    "tendon/fixed": '<joint joint="h" coef="2"/><joint joint="sl" coef="3"/>',
    "tendon/spatial": '<site site="s1"/><site site="s3"/>',
    "custom/tuple": '<element objtype="body" objname="b1"/>',
    "default": '<geom density="77"/>',
}
"""What an element holds."""

SECTIONS = {
    "worldbody": WORLD_HOST,
    **{
        name: f"<{name}>{{}}</{name}>"
        for name in "asset contact equality tendon actuator sensor keyframe custom visual".split()
    },
}
"""Where elements of a section stand that have no place of their own."""
PLACES = {
    "mesh": "asset/mesh",
    "texture": "asset/texture",
    "material": "asset/material",
    "joint": "worldbody/body/joint",
    "pair": "contact/pair",
    "equality": "equality/connect",
    "tendon": "tendon/spatial",
}
"""Elements that use the default classes, where their section is not that of shapes or of actuators."""


def user_of(path: str) -> str:
    """The path of an element that takes its defaults from a class's element: ``default/geom`` is used by
    ``worldbody/geom``.
    """
    tag = path.removeprefix("default/")
    section = "worldbody" if tag in ("geom", "site", "camera", "light") else "actuator"
    return PLACES.get(tag, f"{section}/{tag}")


def scene(own: str, classes: str) -> str:
    """The contents of a model: what a row needs, in the scene that all share."""
    default = f"<default>{classes}</default>" if classes else ""
    other = "".join(
        f'<model name="{n}" file="{f}.xml"/>'
        for n, f in (("other", "other"), ("another", "other2"))
        if f'model="{n}"' in own
    )
    plugins, users = (EXTENSION, PLUGIN_USERS) if "plugin" in own else ("", "")
    return f"{default}{plugins}<asset>{ASSETS}{other}</asset><worldbody>{WORLD}</worldbody>{EPILOGUE}{users}{own}"

"""Legal values for rows of the schema, and what has to stand beside them: all as text."""

from newtonlite.core.table import Attr
from tests.harness.schema_scene import POINTS

TARGETS = ("joint", "jointinparent", "tendon", "site", "cranksite", "body")
CRANK = {"cranksite": "s1", "slidersite": "s3", "cranklength": "3"}
NAMED = {"name": "own"}
BASE = {
    "actuator": {"joint": "h"},
    "actuator/adhesion": {"body": "b2", "ctrlrange": "0 1"},
    "actuator/intvelocity": {"joint": "h", "actrange": "0 1"},
    "actuator/damper": {"joint": "h", "ctrlrange": "0 1"},
    "actuator/muscle": {"joint": "h", "lengthrange": ".1 .9"},
    "actuator/orientation": {"joint": "ba"},
    "actuator/dcmotor": {"joint": "h", "motorconst": ".1 .2", "resistance": "2"},
    "actuator/plugin": {"joint": "h", "instance": "pi"},
    "actuator/plugin/config": {"key": "kp", "value": "5"},
    "extension/plugin": {"plugin": "mujoco.pid"},
    "extension/plugin/instance": NAMED,
    "compiler/lengthrange": {"inttotal": "1.5", "interval": ".3", "timestep": ".02"},
    "contact/pair": {"geom1": "g1", "geom2": "g4"},
    "contact/exclude": {"body1": "b1", "body2": "b4"},
    "equality/connect": {"body1": "b1", "anchor": ".1 0 0"},
    "equality/weld": {"body1": "b1"},
    "equality/joint": {"joint1": "h"},
    "equality/tendon": {"tendon1": "t1"},
    "tendon/fixed/joint": {"joint": "h", "coef": "2"},
    "tendon/spatial/site": {"site": "s1"},
    "tendon/spatial/geom": {"geom": "g2"},
    "tendon/spatial/pulley": {"divisor": "3"},
    "worldbody/geom": {"size": ".1 .15 .2"},
    "worldbody/body": {"pos": "3 1 2"},
    "worldbody/replicate": {"count": "3", "offset": "0 1 0"},
    "worldbody/body/inertial": {"pos": ".1 0 0", "mass": "2", "diaginertia": ".1 .2 .25"},
    "worldbody/attach": {"model": "other", "prefix": "pre"},
    "asset/mesh": {**NAMED, "vertex": POINTS},
    "asset/hfield": {**NAMED, "size": "1 1 1 1", "nrow": "2", "ncol": "3"},
    "asset/texture": {**NAMED, "builtin": "checker", "width": "8", "height": "8"},
    "asset/material": NAMED,
    "asset/model": {**NAMED, "file": "other.xml"},
    "asset/material/layer": {"texture": "t", "role": "rgb"},
    "custom/numeric": {**NAMED, "data": "1 2"},
    "custom/text": {**NAMED, "data": "words"},
    "custom/tuple": NAMED,
    "custom/tuple/element": {"objtype": "body", "objname": "b1"},
}
"""What an element needs to be legal, by its path or its section."""

FRAME_SENSOR = {"objtype": "geom", "objname": "g1"}
SENSORS = {
    "plugin": {"objtype": "site", "objname": "s1", "instance": "tg"},
    **{
        name: {"site": "s1"}
        for name in "touch accelerometer velocimeter gyro force torque magnetometer rangefinder".split()
    },
    **{
        name: {"joint": "h"}
        for name in "jointpos jointvel jointactuatorfrc jointlimitpos jointlimitvel jointlimitfrc".split()
    },
    **{name: {"joint": "ba"} for name in ("ballquat", "ballangvel")},
    **{
        name: {"tendon": "t2"}
        for name in "tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc".split()
    },
    **{name: {"actuator": "u1"} for name in ("actuatorpos", "actuatorvel", "actuatorfrc")},
    **{name: {"body": "b1"} for name in ("subtreecom", "subtreelinvel", "subtreeangmom")},
    **dict.fromkeys(
        "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc frameangacc".split(),
        FRAME_SENSOR,
    ),
    **{name: {"geom1": "g1", "geom2": "g4"} for name in ("distance", "normal", "fromto")},
    "camprojection": {"site": "s1", "camera": "c"},
    "insidesite": {**FRAME_SENSOR, "site": "s1"},
    "contact": {"body1": "b1"},
    "tactile": {"geom": "g1", "mesh": "m2"},
    "user": {"dim": "4"},
}
BESIDE = {
    "sensor/plugin@objtype": {"objname": "s1"},
    "sensor/plugin@objname": {"objtype": "site"},
    **{
        f"actuator/plugin@{name}": {"dyntype": "filter"}
        for name in ("actdim", "actearly", "actlimited", "actrange", "dynprm")
    },
    "nsample": {"delay": ".01"},
    "delay": {"nsample": "3"},
    "interp": {"nsample": "3", "delay": ".01"},
    "ctrllimited": {"ctrlrange": "-1 2"},
    "forcelimited": {"forcerange": "-1 2"},
    "actlimited": {"actrange": "-1 2"},
    "actrange": {"dyntype": "integrator"},
    "actuator/intvelocity@actrange": {},
    "actuator/general@actlimited": {"actrange": "-1 2", "dyntype": "integrator"},
    "limited": {"range": "-1 2"},
    "actuatorfrclimited": {"actuatorfrcrange": "-1 2"},
    "refsite": {"site": "s1"},
    "cranksite": {"slidersite": "s3", "cranklength": "3"},
    "slidersite": {"cranksite": "s1", "cranklength": "3"},
    "cranklength": {"cranksite": "s1", "slidersite": "s3"},
    "actuator/orientation@forcelimited": {"forcerange": "0 2"},
    "actuator/orientation@site": {"refsite": "s1"},
    "actuator/orientation@refsite": {"site": "s1"},
    "dcmotor@controller": {"input": "pos"},
    "worldbody/body@mocap": {"pos": "1 1 1"},
    **{
        f"camera@{name}": {"sensorsize": ".01 .02", "resolution": "4 4"}
        for name in "focal focalpixel principal principalpixel".split()
    },
    "element@objtype": {"objname": "h"},
    "equality@site1": {"site2": "s3"},
    "equality@site2": {"site1": "s1"},
    "mesh@content_type": {"file": "a.dat"},
    "hfield@content_type": {"file": "h.dat"},
    "mesh@builtin": {"params": "1"},
    "mesh@params": {"builtin": "sphere"},
    "texture@content_type": {"file": "t.dat"},
    "model@content_type": {"file": "other.dat"},
    "texture@gridlayout": {"gridsize": "3 4", "file": "grid.png"},
    "texture@gridsize": {"file": "grid.png"},
    "texture@colorspace": {"file": "t.png"},
    "texture@nchannel": {"file": "t.png", "type": "2d"},
    "texture@embed": {"file": "t.png"},
    "texture@hflip": {"file": "t.png"},
    "texture@vflip": {"file": "t.png"},
    "sensor@objtype": {"objname": "b1"},
    "sensor@reftype": {"refname": "b1"},
    "sensor@refname": {"reftype": "site"},
    "user@objname": {"objtype": "geom"},
    "general@actdim": {"dyntype": "user"},
    "general@inheritrange": {"joint": "sl", "biastype": "affine", "gainprm": "5", "biasprm": "0 -5"},
    **{
        f"general@{name}": {"input": "pos vel ff", "gaintype": "pid", "gainprm": "0", "biastype": "affine"}
        for name in ("velrange", "ffrange")
    },
    "pid@ffrange": {"input": "pos vel ff"},
    "pid@imax": {"ki": "2"},
    "dampratio": {"kp": "30"},
    "fluidcoef": {"fluidshape": "ellipsoid"},
    "worldbody/geom@mesh": {"type": "mesh"},
    "worldbody/geom@hfield": {"type": "hfield"},
    "worldbody/geom@shellinertia": {"type": "ellipsoid"},
    "worldbody/geom@fitscale": {"type": "box", "mesh": "m"},
    "worldbody/geom@fromto": {"type": "capsule"},
    "worldbody/site@fromto": {"type": "capsule"},
    "target": {"mode": "targetbody"},
}
"""What must stand beside an attribute for it to be legal and to have an effect: by ``path@attribute``,
``element@attribute``, ``section@attribute`` or attribute.
"""
IN_CLASS = {
    "default/dcmotor": {"motorconst": ".1 .2", "resistance": "2"},
    "default/pid@imax": {"ki": "2"},
    "default/dcmotor@nominal": {"resistance": "2"},
    "default/dcmotor@motorconst": {"nominal": "12 1 30", "resistance": "2"},
    "default/dcmotor@resistance": {"motorconst": ".1 .2", "nominal": "12 1 30"},
    "default/dcmotor@controller": {"motorconst": ".1 .2", "resistance": "2", "input": "pos"},
    "default/texture@gridlayout": {"gridsize": "3 4"},
}
"""What must stand beside an attribute in a default class."""
REPLACES = {
    **dict.fromkeys((*TARGETS, "refsite", "slidersite", "cranklength"), TARGETS),
    "worldbody/body/inertial@fullinertia": ("diaginertia",),
    "actuator/intvelocity@inheritrange": ("actrange",),
    **{f"{name}@body{k}": (f"geom{k}",) for name in ("distance", "normal", "fromto") for k in (1, 2)},
    "rangefinder@camera": ("site",),
    "dcmotor@nominal": ("motorconst",),
    **{f"sensor/contact@{name}": ("body1",) for name in ("geom1", "subtree1", "site")},
    **{f"equality@site{k}": ("body1", "anchor") for k in (1, 2)},
    **{f"mesh@{name}": ("vertex",) for name in ("builtin", "params")},
    "mesh@file": ("vertex",),
    "mesh@content_type": ("vertex",),
    "hfield@file": ("nrow", "ncol"),
    "hfield@content_type": ("nrow", "ncol"),
    **{
        f"texture@{name}": ("builtin", "width", "height")
        for name in "embed file content_type gridsize gridlayout colorspace nchannel hflip vflip".split()
    },
    **{f"texture@file{side}": ("builtin", "width", "height") for side in "right left up down front back".split()},
}
"""What must not stand beside an attribute."""

PAIRED = (
    "params",
    "nsample",
    "cranklength",
    "slidersite",
    "objtype",
    "objname",
    "reftype",
    "refname",
    "site1",
    "site2",
    "content_type",
    "gridlayout",
    "gridsize",
    "mesh",
    "hfield",
)
"""Attributes that what stands beside them cannot do without."""

REFERENCES = {
    "joint": "sl",
    "tendon": "t1",
    "site": "s2",
    "body": "b2",
    "geom": "g2",
    "mesh": "m",
    "hfield": "f",
    "material": "shiny",
    "texture": "sky",
    "default": "made",
    "actuator": "u2",
    "camera": "c",
    "model": "own",
}
VALUES = {
    "actuator/plugin@plugin": "mujoco.pid",
    "actuator/plugin@instance": "pi2",
    "actuator/plugin@dyntype": "filter",
    "actuator/plugin@actdim": "1",
    "actuator/plugin/config@key": "kd",
    "actuator/plugin/config@value": "7",
    "sensor/plugin@plugin": "mujoco.sensor.touch_grid",
    "sensor/plugin@instance": "tg2",
    "sensor/plugin@objtype": "site",
    "sensor/plugin@objname": "s2",
    "extension/plugin@plugin": "mujoco.sensor.touch_grid",
    "extension/plugin/instance@name": "own",
    "actuator/orientation@joint": "ba2",
    "actuator/orientation@forcerange": "0 2",
    "actuator/adhesion@forcerange": "0 2",
    "worldbody/geom@type": "box",
    "replicate@sep": "_",
    "prefix": "q",
    "@model": "a name",
    "user": "1 2",
    "lengthrange@timestep": ".01",
    "lengthrange@maxforce": "500",
    "lengthrange@inttotal": "1.6",
    "lengthrange@interval": ".4",
    "compiler@settotalmass": "5",
    "compiler@conflict": "merge",
    "actuatorgroupdisable": "1 3",
    "mesh@inertia": "shell",
    "equality/tendon@tendon1": "t2",
    "actdim": "3",
    "inheritrange": ".5",
    "muscle@force": "300",
    "adhesion@body": "b4",
    "dcmotor@motorconst": ".3 .4",
    "dcmotor@nominal": "12 1 30",
    "orientation@input": "quat",
    "camprojection@camera": "c2",
    "key@qpos": "1 .1 1 0 0 0 1 0 0 0 1 2 3 1 0 0 0 .5",
    "key@qvel": "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
    "key@act": ".3",
    "key@ctrl": ".1 .2",
    "key@mpos": "1 2 3",
    "key@mquat": "0 1 0 0",
    "freejoint@align": "true",
    "default@class": "own",
    "compiler@inertiafromgeom": "true",
    "compiler@inertiagrouprange": "0 0",
    **{f"{name}@cutoff": "0" for name in "ballquat framequat framexaxis frameyaxis framezaxis".split()},
    "compiler@assetdir": "all",
    "compiler@meshdir": "meshes",
    "compiler@texturedir": "textures",
    "size@memory": "2M",
    "mesh@params": "2",
    "replicate@euler": "10 20 30",
    "attach@model": "another",
    "attach@body": "oc",
    "attach@frame": "of",
    "worldbody/body/inertial@fullinertia": ".1 .2 .25 .01 .02 .03",
    "mesh@file": "a.obj",
    "hfield@file": "h.png",
    "texture@file": "t.png",
    "model@file": "other2.xml",
    **{f"texture@file{side}": "t.png" for side in "right left up down front back".split()},
    "mesh@content_type": "model/vnd.mujoco.msh",
    "compiler@eulerseq": "ZYx",
    "hfield@content_type": "image/png",
    "texture@content_type": "image/png",
    "model@content_type": "text/xml",
    "maxhullvert": "4",
    "mesh@vertex": POINTS.replace(".7", ".9"),
    "mesh@face": "0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4",
    "mesh@normal": "0 0 1 " * 6,
    "mesh@texcoord": "0 1 " * 6,
    "hfield@nrow": "4",
    "hfield@ncol": "5",
    "hfield@elevation": "0 1 2 3 4 7",
    "texture@gridlayout": "R.L.UDFB....",
    "texture@gridsize": "3 4",
    "layer@role": "orm",
    "equality/tendon@tendon2": "t2",
    "tendon@actuatorfrcrange": "-1 2",
    "tendon/spatial/geom@geom": "g3",
    "numeric@size": "4",
    "numeric@data": "3 4",
    "text@data": "other words",
    "element@objtype": "joint",
    "element@objname": "b2",
    "sensor@interval": "0.1 -0.02",
    "ballquat@joint": "ba2",
    "ballangvel@joint": "ba2",
    **{f"tendonlimit{what}@tendon": "t3" for what in ("pos", "vel", "frc")},
    "sensor@objname": "g2",
    "sensor@refname": "s2",
    "rangefinder@data": "dist normal",
    "contact@data": "found force",
}
"""Values that the kind of a row does not give: by the same keys."""


def keys(path: str, attr: str) -> tuple[str, ...]:
    """Where to look a row up, the most special first."""
    return f"{path}@{attr}", f"{path.rpartition('/')[2]}@{attr}", f"{path.split('/')[0]}@{attr}", attr


def base(path: str) -> dict[str, str]:
    """What an element needs to be legal."""
    section, _, tag = path.partition("/")
    return SENSORS.get(tag, {}) if section == "sensor" else BASE.get(path, BASE.get(section, {}) if "/" in path else {})


def beside(path: str, attr: str) -> dict[str, str]:
    """What stands beside an attribute."""
    gone = next((REPLACES[key] for key in keys(path, attr) if key in REPLACES), ())
    more = next((BESIDE[key] for key in keys(path, attr) if key in BESIDE), {})
    return {name: text for name, text in {**base(path), **more}.items() if name not in (*gone, attr) or name in more}


def value(path: str, attr: Attr) -> str:
    """A legal text that is not the attribute's default."""
    found = next((VALUES[key] for key in keys(path, attr.name) if key in VALUES), None)
    if found is not None:
        return found
    kind = attr.kind
    if kind.words:
        return next(word for word, number in kind.words.items() if number != attr.default and (number,) != attr.default)
    if kind.base == "reference":
        return REFERENCES[kind.of]
    if kind.base == "name":
        return "own"
    if kind.base == "text":
        raise KeyError(f"no text for {path}@{attr.name}: add it to VALUES")
    default = attr.default if isinstance(attr.default, tuple) else (attr.default or 0,) * kind.low
    start = (default + (0,) * kind.low)[: max(kind.low, min(2, kind.high or 2))]
    if kind.base == "integer":
        return " ".join(str(int(x) + k + 1) for k, x in enumerate(start))
    return " ".join(f"{x + 0.1 * (k + 1):g}" for k, x in enumerate(start))


def in_class(path: str, attr: str) -> dict[str, str]:
    """What stands beside an attribute in a default class."""
    return {name: text for name, text in IN_CLASS.get(f"{path}@{attr}", IN_CLASS.get(path, {})).items() if name != attr}


def lacking(path: str, attr: str) -> dict[str, str]:
    """What an element has without an attribute: what stands beside it, or what is legal where that does not stand
    alone.
    """
    alone = attr in base(path) or attr in PAIRED or any(key in REPLACES for key in keys(path, attr))
    return base(path) if alone else beside(path, attr)

"""sensor. Checked and kept by the reader; the engine does not evaluate them."""

from newtonlite.core.table import METADATA, Attr, Element, integer, keyword, name, real, reference, text
from newtonlite.schema.deformable import refused
from newtonlite.schema.groups import USER

OBJECTS = keyword("body", "xbody", "geom", "site", "camera")

COMMON = (
    Attr("name", name("sensor"), doc="Name.", status=METADATA),
    Attr("noise", real, 0.0, doc="Standard deviation of the noise.", status=METADATA),
    Attr("cutoff", real, 0.0, doc="Largest magnitude, where positive.", status=METADATA),
    Attr("nsample", integer, 0, doc="Samples of the delay's buffer.", status=METADATA),
    Attr("interp", keyword("zoh", "linear", "cubic"), 0, doc="Interpolation in the buffer.", status=METADATA),
    Attr("delay", real, 0.0, doc="Delay.", status=METADATA),
    Attr("interval", real[1:2], doc="Time between samples.", status=METADATA),
    USER,
)


def _of(what: str, required: bool = True, called: str = "") -> Attr:
    return Attr(called or what, reference(what), doc=f"The {what} it watches.", status=METADATA, required=required)


def _sensor(name: str, *attrs: Attr) -> Element:
    return Element(name, (*COMMON, *attrs), frequency="sensor", status=METADATA, handled="sensor")


FRAME = (
    Attr("objtype", OBJECTS, doc="Kind of the object.", status=METADATA, required=True),
    Attr("objname", text, doc="Its name.", status=METADATA, required=True),
)
REF = (
    Attr("reftype", OBJECTS, doc="Kind of the object whose frame is used.", status=METADATA),
    Attr("refname", text, doc="Its name.", status=METADATA),
)
PAIRED = tuple(_of(what, False, f"{what}{k}") for what in ("geom", "body") for k in (1, 2))

ON = {
    "site": "touch accelerometer velocimeter gyro force torque magnetometer",
    "joint": "jointpos jointvel jointactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel jointlimitfrc",
    "tendon": "tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc",
    "actuator": "actuatorpos actuatorvel actuatorfrc",
    "body": "subtreecom subtreelinvel subtreeangmom",
}

SENSOR = Element(
    "sensor",
    children=(
        *(_sensor(n, _of(what)) for what, names in ON.items() for n in names.split()),
        *(_sensor(n, *FRAME, *REF) for n in "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel".split()),
        *(_sensor(n, *FRAME) for n in "framelinacc frameangacc".split()),
        *(_sensor(n, *PAIRED) for n in "distance normal fromto".split()),
        *(_sensor(n) for n in "e_potential e_kinetic clock".split()),
        _sensor("camprojection", _of("site"), _of("camera")),
        _sensor("rangefinder", _of("site", False), _of("camera", False), Attr("data", text, status=METADATA)),
        _sensor("insidesite", *FRAME, _of("site"), Attr("enclosed", text, status=METADATA)),
        _sensor(
            "contact",
            *PAIRED,
            _of("body", False, "subtree1"),
            _of("body", False, "subtree2"),
            _of("site", False),
            Attr("num", integer, 1, status=METADATA),
            Attr("data", text, status=METADATA),
            Attr("reduce", keyword("none", "mindist", "maxforce", "netforce"), 0, status=METADATA),
        ),
        _sensor("tactile", _of("geom"), _of("mesh")),
        _sensor(
            "user",
            Attr("objtype", text, status=METADATA),
            Attr("objname", text, status=METADATA),
            Attr("datatype", keyword("real", "positive", "axis", "quaternion"), 0, status=METADATA),
            Attr("needstage", keyword("pos", "vel", "acc"), 2, status=METADATA),
            Attr("dim", integer, status=METADATA),
        ),
        refused("plugin", "cutoff instance name objname objtype plugin refname reftype user", (refused("config", "key value"),)),
    ),
    doc="Sensors.",
    status=METADATA,
)

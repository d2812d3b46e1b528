"""sensor: what is measured.  ``TYPES`` numbers the kinds as MuJoCo does."""

from dataclasses import replace

from newtonlite.core.mujoco import ContactReduce, MjtConDataField, MjtDataType, MjtObj, MjtRayDataField, MjtStage
from newtonlite.core.table import (
    COMPILED,
    METADATA,
    Attr,
    Element,
    boolean,
    declared,
    keyword,
    keyword_of,
    name,
    real,
    reference,
    text,
    without,
)
from newtonlite.schema import groups
from newtonlite.schema.extension import CHOICE, CONFIG
from newtonlite.schema.groups import INTERPOLATIONS, user

TYPES = (
    "touch accelerometer velocimeter gyro force torque magnetometer rangefinder camprojection jointpos jointvel tendonpos tendonvel "
    "actuatorpos actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel jointlimitfrc "
    "tendonlimitpos tendonlimitvel tendonlimitfrc framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc "
    "frameangacc subtreecom subtreelinvel subtreeangmom insidesite distance normal fromto contact e_potential e_kinetic clock tactile plugin user"
).split()
"""Elements by the number of their type."""

OBJECTS = keyword_of(MjtObj, "body xbody geom site camera")
ANY_OBJECT = keyword_of(MjtObj, "body xbody joint geom site camera light tendon actuator")
RAY_FIELDS = list(keyword_of(MjtRayDataField).words)
CONTACT_FIELDS = list(keyword_of(MjtConDataField).words)

USD = "newton:sensor:"
"""Start of names in USD, where no schema has sensors."""


def row(name: str, kind, default, doc: str, **more) -> Attr:
    """A row whose columns are named after it."""
    return groups.row("sensor", name, kind, default, doc, **{"usd": USD + name} | more)


def watched(name: str, kind, binds: str, doc: str, required: bool = False) -> Attr:
    """A row of what a sensor watches, or refers to."""
    return Attr(name, kind, binds=f"mujoco:sensor_{binds}", doc=doc, required=required, handled="resolve_sensor")


COMMON = (
    Attr("name", name("sensor"), binds="mujoco:sensor_label", doc="Name."),
    row("noise", real, 0.0, "Standard deviation of the noise; for the user's own use.", status=METADATA),
    row("cutoff", real, 0.0, "Bound of the values, where positive; of the distance between geoms."),
    row("nsample", declared, 0, "Past values that are kept.", field=""),
    row("interp", keyword(*INTERPOLATIONS), 0, "How values between samples are found.", field=""),
    row("delay", real, 0.0, "Age of the values it gives.", unit="s"),
    row("interval", real[1:2], (0.0, 0.0), "Time between samples, and the phase.", unit="s"),
    replace(user("mujoco:sensor_user", "sensor_user"), usd=USD + "user"),
)


LACKING = {
    "user": ("nsample", "interp", "delay", "interval"),
    "tactile": ("noise",),
    "plugin": ("noise", "nsample", "interp", "delay", "interval"),
}
"""Attributes that a sensor of a type does not have."""


def fields(default: str, known: list[str]) -> Attr:
    """The row of the words of what is reported."""
    doc = f"Some of {', '.join(known)}, in this order."
    return Attr("data", text, default, binds="mujoco:sensor_fields", doc=doc, handled="fields_of")


def _of(what: str, required: bool = True, called: str = "") -> Attr:
    return watched(called or what, reference(what), "objid", f"The {what} it watches.", required)


def _sensor(name: str, *attrs: Attr, **more) -> Element:
    common = without(COMMON, *LACKING.get(name, ()))
    return Element(name, (*common, *attrs), frequency="mujoco:sensor", doc=more.pop("doc", f"Measures {name}."), **more)


def _frame(required: bool = True, kind=OBJECTS) -> tuple[Attr, Attr]:
    return (
        watched("objtype", kind, "objtype", "Kind of the object.", required),
        watched("objname", text, "objid", "Its name.", required),
    )


REF = (
    watched("reftype", OBJECTS, "reftype", "Kind of the object whose frame is used."),
    watched("refname", text, "refid", "Its name."),
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
        *(
            _sensor(n, *_frame(), *REF)
            for n in "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel".split()
        ),
        *(_sensor(n, *_frame()) for n in "framelinacc frameangacc".split()),
        *(_sensor(n, *PAIRED) for n in "distance normal fromto".split()),
        *(_sensor(n) for n in "e_potential e_kinetic clock".split()),
        _sensor("camprojection", _of("site"), _of("camera")),
        _sensor("rangefinder", _of("site", False), _of("camera", False), fields("dist", RAY_FIELDS)),
        _sensor(
            "insidesite",
            *_frame(),
            _of("site"),
            Attr(
                "enclosed",
                boolean,
                False,
                binds="mujoco:sensor_fields",
                doc="How far the whole object juts out, in place of whether its origin is inside.",
                handled="resolve_sensor",
            ),
        ),
        _sensor(
            "contact",
            *PAIRED,
            _of("body", False, "subtree1"),
            _of("body", False, "subtree2"),
            _of("site", False),
            row("num", declared, 1, "Contacts that are reported.", binds="mujoco:sensor_slots", field=""),
            fields("found", CONTACT_FIELDS),
            row("reduce", keyword_of(ContactReduce), 0, "Which contacts, in what order.", field=""),
        ),
        _sensor(
            "tactile",
            watched("geom", reference("geom"), "refid", "The geom in whose frame the mesh lies.", True),
            Attr(
                "mesh",
                reference("mesh"),
                binds="mujoco:sensor_mesh",
                doc="The mesh at whose vertices it feels.",
                handled="mesh_name",
                required=True,
            ),
            doc="Depth and sliding over the vertices of a mesh.",
        ),
        _sensor(
            "user",
            *_frame(False, ANY_OBJECT),
            row("datatype", keyword_of(MjtDataType), 0, "What its numbers are."),
            row("needstage", keyword_of(MjtStage, "pos vel acc"), 3, "What they are made of."),
            row("dim", declared, None, "How many there are.", required=True),
        ),
        _sensor("plugin", *CHOICE, *_frame(False, ANY_OBJECT), *REF, children=(CONFIG,), doc="What a plugin measures."),
    ),
    doc="Sensors.",
    status=COMPILED,
)

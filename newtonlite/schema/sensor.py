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
from newtonlite.schema.deformable import refused
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

COMMON = (
    Attr("name", name("sensor"), binds="mujoco:sensor_label", doc="Name."),
    Attr(
        "noise",
        real,
        0.0,
        binds="mujoco:sensor_noise",
        usd=USD + "noise",
        field="sensor_noise",
        doc="Standard deviation of the noise; for the user's own use.",
        status=METADATA,
    ),
    Attr(
        "cutoff",
        real,
        0.0,
        binds="mujoco:sensor_cutoff",
        usd=USD + "cutoff",
        field="sensor_cutoff",
        doc="Bound of the values, where positive; of the distance between geoms.",
    ),
    Attr("nsample", declared, 0, binds="mujoco:sensor_nsample", usd=USD + "nsample", doc="Past values that are kept."),
    Attr(
        "interp",
        keyword(*INTERPOLATIONS),
        0,
        binds="mujoco:sensor_interp",
        usd=USD + "interp",
        doc="How values between samples are found.",
    ),
    Attr(
        "delay",
        real,
        0.0,
        binds="mujoco:sensor_delay",
        usd=USD + "delay",
        field="sensor_delay",
        unit="s",
        doc="Age of the values it gives.",
    ),
    Attr(
        "interval",
        real[1:2],
        (0.0, 0.0),
        binds="mujoco:sensor_interval",
        usd=USD + "interval",
        field="sensor_interval",
        unit="s",
        doc="Time between samples, and the phase.",
    ),
    replace(user("mujoco:sensor_user", "sensor_user"), usd=USD + "user"),
)


LACKING = {"user": ("nsample", "interp", "delay", "interval"), "tactile": ("noise",)}
"""Attributes that a sensor of a type does not have."""


def _of(what: str, required: bool = True, called: str = "") -> Attr:
    return Attr(
        called or what,
        reference(what),
        binds="mujoco:sensor_objid",
        doc=f"The {what} it watches.",
        required=required,
        handled="resolve_sensor",
    )


def _sensor(name: str, *attrs: Attr, **more) -> Element:
    common = without(COMMON, *LACKING.get(name, ()))
    return Element(name, (*common, *attrs), frequency="mujoco:sensor", doc=more.pop("doc", f"Measures {name}."), **more)


def _frame(required: bool = True, kind=OBJECTS) -> tuple[Attr, Attr]:
    return (
        Attr(
            "objtype",
            kind,
            binds="mujoco:sensor_objtype",
            doc="Kind of the object.",
            required=required,
            handled="resolve_sensor",
        ),
        Attr(
            "objname", text, binds="mujoco:sensor_objid", doc="Its name.", required=required, handled="resolve_sensor"
        ),
    )


REF = (
    Attr(
        "reftype",
        OBJECTS,
        binds="mujoco:sensor_reftype",
        doc="Kind of the object whose frame is used.",
        handled="resolve_sensor",
    ),
    Attr("refname", text, binds="mujoco:sensor_refid", doc="Its name.", handled="resolve_sensor"),
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
        _sensor(
            "rangefinder",
            _of("site", False),
            _of("camera", False),
            Attr(
                "data",
                text,
                "dist",
                binds="mujoco:sensor_fields",
                doc=f"Some of {', '.join(RAY_FIELDS)}, in this order.",
                handled="fields_of",
            ),
        ),
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
            Attr("num", declared, 1, binds="mujoco:sensor_slots", usd=USD + "num", doc="Contacts that are reported."),
            Attr(
                "data",
                text,
                "found",
                binds="mujoco:sensor_fields",
                doc=f"Some of {', '.join(CONTACT_FIELDS)}, in this order.",
                handled="fields_of",
            ),
            Attr(
                "reduce",
                keyword_of(ContactReduce),
                0,
                binds="mujoco:sensor_reduce",
                usd=USD + "reduce",
                doc="Which contacts, in what order.",
            ),
        ),
        _sensor(
            "tactile",
            Attr(
                "geom",
                reference("geom"),
                binds="mujoco:sensor_refid",
                doc="The geom in whose frame the mesh lies.",
                handled="resolve_sensor",
                required=True,
            ),
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
            Attr(
                "datatype",
                keyword_of(MjtDataType),
                0,
                binds="mujoco:sensor_datatype",
                usd=USD + "datatype",
                field="sensor_datatype",
                doc="What its numbers are.",
            ),
            Attr(
                "needstage",
                keyword_of(MjtStage, "pos vel acc"),
                3,
                binds="mujoco:sensor_needstage",
                usd=USD + "needstage",
                field="sensor_needstage",
                doc="What they are made of.",
            ),
            Attr(
                "dim",
                declared,
                required=True,
                binds="mujoco:sensor_dim",
                usd=USD + "dim",
                field="sensor_dim",
                doc="How many there are.",
            ),
        ),
        refused(
            "plugin",
            "cutoff instance name objname objtype plugin refname reftype user",
            (refused("config", "key value"),),
        ),
    ),
    doc="Sensors.",
    status=COMPILED,
)

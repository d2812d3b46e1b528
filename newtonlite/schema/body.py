"""worldbody, body, frame and what stands in them: inertial, camera, light, attach, replicate."""

from dataclasses import replace

from newtonlite.core.mujoco import MjtCamLight, MjtLightType, MjtProjection, MjtSleepPolicy
from newtonlite.core.table import (
    COMPILED,
    METADATA,
    Attr,
    Element,
    boolean,
    integer,
    keyword,
    keyword_of,
    name,
    real,
    reference,
    text,
    tristate,
)
from newtonlite.schema.deformable import FLEXCOMP
from newtonlite.schema.extension import PASSIVE
from newtonlite.schema.geom import GEOM, SITE
from newtonlite.schema.groups import CLASS, ORIENTATION, POS, user
from newtonlite.schema.joint import FREEJOINT, JOINT

INERTIAL = Element(
    "inertial",
    (
        Attr("pos", real[3], unit="m", doc="Centre of mass in the body frame.", required=True),
        *ORIENTATION,
        Attr("mass", real, unit="kg", doc="Mass.", required=True),
        Attr("diaginertia", real[3], unit="kg m^2", doc="Principal moments; the orientation turns them."),
        Attr("fullinertia", real[6], unit="kg m^2", doc="xx yy zz xy xz yz, without orientation."),
    ),
    frequency="body",
    many=False,
    doc="Mass and inertia, in place of what geoms would give.",
    handled="add_inertial",
)

MODES = keyword_of(MjtCamLight)
CAMERA_OUTPUTS = ("rgb", "depth", "distance", "normal", "segmentation")
"""Images that a camera takes, by the number of their bit."""


FIELDS = {"camera": "cam", "light": "light"}
"""Starts of the names of arrays."""


def shown(section: str, name: str, kind, default=None, doc: str = "", classed: bool = True) -> Attr:
    """A row of a camera or light: kept in the scene, without influence on the motion."""
    field = f"{FIELDS[section]}_{name}"
    return Attr(name, kind, default, f"mujoco:{section}_{name}", doc=doc, status=METADATA, classed=classed, field=field)


def lens(name: str, kind, default, doc: str, **more) -> Attr:
    """A row of what a camera's lens shows."""
    return Attr(name, kind, default, doc=doc, status=METADATA, handled="camera_lens", **more)


CAMERA = Element(
    "camera",
    (
        Attr("name", name("camera"), binds="mujoco:camera_label", doc="Name.", status=METADATA, classed=False),
        CLASS,
        shown("camera", "mode", MODES, 0, "How it moves."),
        Attr(
            "target",
            reference("body"),
            binds="mujoco:camera_target",
            field="cam_targetbodyid",
            doc="Body it looks at.",
            status=METADATA,
            classed=False,
            handled="target_of",
        ),
        lens("fovy", real, 45.0, "Vertical field of view in degrees.", binds="mujoco:camera_fovy"),
        shown("camera", "ipd", real, 0.068, "Distance between the eyes in m."),
        shown("camera", "resolution", integer[2], (1, 1), "Pixels."),
        shown("camera", "sensorsize", real[2], (0.0, 0.0), "Size of the sensor in m."),
        shown("camera", "projection", keyword_of(MjtProjection), 0, "Projection."),
        Attr(
            "output",
            keyword(*CAMERA_OUTPUTS)[1:None],
            (0,),
            "mujoco:camera_output",
            doc="Images it takes.",
            status=METADATA,
            field="cam_output",
            convert="bits",
        ),
        lens("focal", real[2], (0.0, 0.0), "Focal lengths in m."),
        lens("focalpixel", real[2], (0.0, 0.0), "Focal lengths in pixels."),
        lens("principal", real[2], (0.0, 0.0), "Principal point in m."),
        lens("principalpixel", real[2], (0.0, 0.0), "Principal point in pixels."),
        POS,
        *ORIENTATION,
        user("mujoco:camera_user", "cam_user"),
    ),
    family="camera",
    frequency="mujoco:camera",
    doc="A camera.",
    status=METADATA,
)

LIGHT = Element(
    "light",
    (
        Attr("name", name("light"), binds="mujoco:light_label", doc="Name.", status=METADATA, classed=False),
        CLASS,
        shown("light", "mode", MODES, 0, "How it moves."),
        Attr(
            "target",
            reference("body"),
            binds="mujoco:light_target",
            field="light_targetbodyid",
            doc="Body it shines at.",
            status=METADATA,
            classed=False,
            handled="target_of",
        ),
        shown("light", "type", keyword_of(MjtLightType), 0, "Kind of light."),
        Attr("directional", boolean, doc="Old spelling of type directional.", status=METADATA, handled="light_row"),
        shown("light", "castshadow", boolean, True, "Whether it casts shadows."),
        shown("light", "active", boolean, True, "Whether it is on."),
        replace(shown("light", "pos", real[3], (0.0, 0.0, 0.0), "Position in the body."), handled="light_row"),
        replace(shown("light", "dir", real[3], (0.0, 0.0, -1.0), "Direction in the body."), handled="light_row"),
        shown("light", "attenuation", real[3], (1.0, 0.0, 0.0), "Constant, linear and quadratic attenuation."),
        shown("light", "cutoff", real, 45.0, "Half-angle of a spot in degrees."),
        shown("light", "exponent", real, 10.0, "Softness of a spot's edge."),
        shown("light", "ambient", real[3], (0.0, 0.0, 0.0), "Ambient colour."),
        shown("light", "diffuse", real[3], (0.7, 0.7, 0.7), "Diffuse colour."),
        shown("light", "specular", real[3], (0.3, 0.3, 0.3), "Specular colour."),
        shown("light", "bulbradius", real, 0.02, "Radius, for soft shadows."),
        shown("light", "intensity", real, 0.0, "Intensity in candela."),
        shown("light", "range", real, 10.0, "How far it shines."),
        shown("light", "softness", real, 0.2, "Softness of its edge."),
        Attr(
            "texture",
            reference("texture"),
            binds="mujoco:light_texture",
            field="light_texid",
            doc="Texture of an image light.",
            status=METADATA,
            classed=False,
        ),
    ),
    family="light",
    frequency="mujoco:light",
    doc="A light.",
    status=METADATA,
)

ATTACH = Element(
    "attach",
    (
        Attr("model", reference("model"), doc="Model asset to take from; default: the model itself."),
        Attr("body", text, doc="Body of that model; default: the whole world of another one."),
        Attr("frame", text, doc="Frame of that model."),
        Attr("prefix", text, "", doc="Put in front of all names that come along."),
    ),
    doc="Takes a body of another model in here, with all that belongs to it.",
    status=COMPILED,
    handled="attach",
)

PLACE = (POS, *ORIENTATION)

CHILDCLASS = Attr(
    "childclass",
    reference("default"),
    doc="Default class of everything inside that names none.",
    status=COMPILED,
    handled="inside",
)

BODY_ATTRS = (
    Attr("name", name("body"), binds="mujoco:body_name", doc="Name."),
    CHILDCLASS,
    Attr("pos", real[3], (0.0, 0.0, 0.0), unit="m", doc="Position in the parent.", handled="pose"),
    *ORIENTATION,
    Attr(
        "mocap",
        boolean,
        False,
        binds="mujoco:body_mocap",
        doc="Moved by the user instead of by the physics.",
        handled="add_body",
    ),
    Attr(
        "gravcomp",
        real,
        0.0,
        binds="mujoco:gravcomp",
        field="body_gravcomp",
        usd="mjc:gravcomp",
        doc="How much of its weight is lifted.",
    ),
    Attr(
        "sleep",
        keyword_of(MjtSleepPolicy, "auto never allowed init"),
        0,
        binds="mujoco:sleep_policy",
        usd="mjc:sleep",
        doc="When it may sleep.",
    ),
    Attr("simple", tristate, 2, doc="Hint for MuJoCo's sparse inertia.", status=METADATA),
    Attr("fuse", tristate, 2, doc="Merge it into its parent.", status=METADATA),
    user("mujoco:body_user", "body_user"),
)

REPLICATE_ATTRS = (
    Attr("count", integer, required=True, doc="How many copies."),
    Attr("offset", real[3], (0.0, 0.0, 0.0), unit="m", doc="Step from one copy to the next."),
    Attr("euler", real[3], (0.0, 0.0, 0.0), unit="angle", doc="Turn from one copy to the next."),
    Attr("sep", text, "", doc="Between a name and the number of the copy."),
    CHILDCLASS,
    Attr("prefix", text, "", doc="Has no effect.", status=METADATA),
)

FRAME_ATTRS = (Attr("name", name("frame"), doc="Name.", status=METADATA), CHILDCLASS, *PLACE)


def _tree() -> Element:
    """``worldbody``, whose elements may contain themselves: the loops are tied after the elements exist."""
    replicate = Element(
        "replicate",
        REPLICATE_ATTRS,
        doc="Repeats what is inside, each copy placed from the one before.",
        status=COMPILED,
        handled="copies",
    )
    frame = Element(
        "frame", FRAME_ATTRS, doc="Places what is inside; it leaves no body.", status=COMPILED, handled="framed"
    )
    body = Element("body", BODY_ATTRS, frequency="body", doc="A rigid body.", handled="add_body")
    shared = (body, frame, replicate, GEOM, SITE, CAMERA, LIGHT, ATTACH, JOINT, FREEJOINT, PASSIVE, FLEXCOMP)
    for element, more in ((body, (INERTIAL,)), (frame, (INERTIAL,)), (replicate, (INERTIAL,))):
        object.__setattr__(element, "children", shared + more)
        element.__post_init__()
    world = tuple(e for e in shared if e not in (JOINT, FREEJOINT))
    return Element("worldbody", (), world, doc="The world.")


WORLDBODY = _tree()

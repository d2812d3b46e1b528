"""URDF: the elements that describe a robot, and those that other programs add, which have no influence here."""

from dataclasses import replace

from newtonlite.core.table import METADATA, REFUSED, Attr, Element, keyword, name, real, reference, text
from newtonlite.schema.option import COMPILER, OPTION, SIZE


def foreign(tag: str, doc: str) -> Element:
    """An element of another program; its contents are not looked at."""
    return Element(tag, doc=doc, status=METADATA)


def unread(attr: str, doc: str) -> Attr:
    """An attribute of another program."""
    return Attr(attr, text, doc=doc, status=METADATA)


wide = replace(real, single=False)
"""A limit, which may be as far away as a number can be: such a one is none."""
ZERO3 = (0.0, 0.0, 0.0)
GAZEBO = foreign("gazebo", "settings of the Gazebo simulator")

ORIGIN = Element(
    "origin",
    (
        Attr("xyz", real[3], ZERO3, unit="m", doc="Position."),
        Attr("rpy", real[3], ZERO3, unit="rad", doc="Roll, pitch, yaw about fixed axes."),
    ),
    many=False,
    doc="A frame, in the frame of what it stands in.",
)

INERTIAL = Element(
    "inertial",
    children=(
        ORIGIN,
        Element(
            "mass", (Attr("value", real, unit="kg", doc="Mass.", required=True),), many=False, doc="Mass of the link."
        ),
        Element(
            "inertia",
            (
                *(
                    Attr(n, real, unit="kg m^2", doc=f"Moment {n[1:]} about the centre of mass.", required=True)
                    for n in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
                ),
                *(unread(n, "the other half of a symmetric tensor") for n in ("iyx", "izx", "izy")),
            ),
            many=False,
            doc="Inertia tensor about the centre of mass, in the axes of the origin.",
        ),
        foreign("density", "masses come from <mass>"),
    ),
    many=False,
    doc="Mass properties of a link.",
)

COLOR = Element(
    "color", (Attr("rgba", real[4], doc="Red, green, blue, opacity.", required=True),), many=False, doc="Colour."
)
TEXTURE = Element(
    "texture",
    (Attr("filename", text, "", doc="Image file."),),
    many=False,
    doc="Picture on a mesh that has texture coordinates.",
)
MATERIAL = Element(
    "material",
    (Attr("name", text, "", doc="What it is called."), unread("custom_attr", "an attribute of another program")),
    (COLOR, TEXTURE, foreign("specular", "shine of surfaces")),
    doc="How a surface looks.",
)

GEOMETRY = Element(
    "geometry",
    children=(
        Element("box", (Attr("size", real[3], unit="m", doc="Edges.", required=True),), doc="A box."),
        Element(
            "cylinder",
            (
                Attr("radius", real, unit="m", doc="Radius.", required=True),
                Attr("length", real, unit="m", doc="Length along z.", required=True),
            ),
            doc="A cylinder along z.",
        ),
        Element(
            "capsule",
            (
                Attr("radius", real, unit="m", doc="Radius.", required=True),
                Attr("length", real, unit="m", doc="Length along z, caps excluded."),
                Attr("height", real, unit="m", doc="Another word for length, Newton's."),
            ),
            doc="A capsule along z.",
        ),
        Element("sphere", (Attr("radius", real, unit="m", doc="Radius.", required=True),), doc="A sphere."),
        Element(
            "mesh",
            (
                Attr("filename", text, doc="File of the mesh.", required=True),
                Attr("scale", real[3], (1.0, 1.0, 1.0), doc="Factors along the axes."),
            ),
            doc="A mesh from a file.",
        ),
        Element(
            "plane",
            (unread("normal", "planes are refused"),),
            status=REFUSED,
            doc="Planes are no part of URDF; use a large box.",
        ),
        foreign("material", "a material stands beside the geometry, not in it"),
    ),
    many=False,
    doc="The shape.",
)

VISUAL = Element(
    "visual",
    (Attr("name", name("geom"), "", doc="Name of the shape."),),
    (ORIGIN, GEOMETRY, Element("material", MATERIAL.attrs, MATERIAL.children, many=False, doc=MATERIAL.doc)),
    doc="What a link looks like.",
)
COLLISION = Element(
    "collision",
    (
        Attr("name", name("geom"), "", doc="Name of the shape."),
        *(unread(n, "collision filters of the Bullet simulator") for n in ("group", "mask", "concave")),
    ),
    (
        ORIGIN,
        GEOMETRY,
        *(foreign(n, "a collision shape has no look") for n in ("material",)),
        *(
            foreign(n, "settings of other simulators")
            for n in ("verbose", "sdf", "collision_data", "contact_coefficients")
        ),
    ),
    doc="What a link collides with.",
)

LINK = Element(
    "link",
    (Attr("name", name("body"), doc="Name of the link.", required=True), unread("type", "a hint for other programs")),
    (
        INERTIAL,
        VISUAL,
        COLLISION,
        GAZEBO,
        foreign("contact", "contact settings of the Bullet simulator; set friction on the shapes after the import"),
        foreign("origin", "a link has no frame of its own; its joint does"),
        foreign("self_filter", "self-filtering of point clouds"),
        foreign("sensor", "sensors of other programs"),
        foreign("inertia_scaling", "settings of the Bullet simulator"),
    ),
    doc="A rigid body.",
)

KINDS = keyword("revolute", "continuous", "prismatic", "fixed", "floating", "planar")

JOINT = Element(
    "joint",
    (
        Attr("name", name("joint"), "", doc="Name of the joint."),
        Attr("type", KINDS, doc="How the child can move.", required=True),
    ),
    (
        Element(
            "parent",
            (Attr("link", reference("body"), doc="Link that carries.", required=True),),
            many=False,
            doc="The link that carries the joint.",
        ),
        Element(
            "child",
            (Attr("link", reference("body"), doc="Link that is carried.", required=True),),
            many=False,
            doc="The link that the joint carries.",
        ),
        ORIGIN,
        Element(
            "axis",
            (
                Attr("xyz", real[3], (1.0, 0.0, 0.0), doc="Direction in the frame of the joint."),
                unread("rpy", "an axis has a direction only"),
            ),
            many=False,
            doc="Axis of motion, or normal of the plane.",
        ),
        Element(
            "limit",
            (
                Attr("lower", wide, 0.0, unit="rad or m", doc="Least position."),
                Attr("upper", wide, 0.0, unit="rad or m", doc="Largest position."),
                Attr("effort", wide, 0.0, unit="N m or N", doc="Largest force of a drive; 0 is no limit."),
                Attr("velocity", wide, 0.0, unit="rad/s or m/s", doc="Largest speed of a drive; 0 is no limit."),
            ),
            many=False,
            doc="Limits.",
        ),
        Element(
            "dynamics",
            (
                Attr("damping", real, 0.0, unit="N m s/rad or N s/m", doc="Damping."),
                Attr("friction", real, 0.0, unit="N m or N", doc="Dry friction."),
                *(unread(n, "friction models of other programs") for n in ("D", "K", "mu_coulomb", "mu_viscous")),
            ),
            many=False,
            doc="Losses.",
        ),
        Element(
            "mimic",
            (
                Attr("joint", reference("joint"), doc="Joint that is followed."),
                Attr("multiplier", real, 1.0, doc="Factor."),
                Attr("offset", real, 0.0, unit="rad or m", doc="Offset."),
            ),
            many=False,
            doc="Follow another joint.",
        ),
        GAZEBO,
        foreign("safety_controller", "limits that a controller keeps"),
        foreign("calibration", "reference positions of real sensors"),
        foreign("joint_properties", "losses in the words of another program; <dynamics> counts"),
        foreign("hardwareInterface", "interfaces of real robots"),
    ),
    doc="Connects two links.",
)

URDF = Element(
    "robot",
    (Attr("name", text, "", doc="Name of the robot."), unread("version", "version of the format")),
    (
        LINK,
        JOINT,
        MATERIAL,
        Element("mujoco", children=(COMPILER, OPTION, SIZE), many=False, doc="MuJoCo's settings."),
        GAZEBO,
        foreign("transmission", "drives of real robots; add actuators after the import"),
        foreign("ros2_control", "interfaces of real robots"),
        foreign("sensor", "sensors of other programs"),
    ),
    doc="A robot.",
)

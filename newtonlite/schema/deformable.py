"""Deformable things, which we do not simulate: known by name so that they can be refused by name."""

from newtonlite.core.table import METADATA, REFUSED, Attr, Element, text
from newtonlite.schema.skin import SKIN


def refused(name: str, attrs: str = "", children: tuple[Element, ...] = (), doc: str = "") -> Element:
    """An element that is an error where it stands."""
    return Element(name, tuple(Attr(a, text, status=REFUSED) for a in attrs.split()), children, status=REFUSED, doc=doc)


_CONTACT = refused(
    "contact",
    "activelayers conaffinity condim contype friction gap margin passive priority selfcollide solimp solmix solref",
)
_ELASTICITY = refused("elasticity", "damping elastic2d poisson section sectionsize shear thickness yield young")


FLEXCOMP = refused(
    "flexcomp",
    """axisangle cellcount count dim dof element euler file flatskin group inertiabox mass material mesh name origin point pos quat
    radius rgba rigid scale spacing texcoord type xyaxes zaxis""",
    (
        refused("edge", "damping equality solimp solref stiffness"),
        _ELASTICITY,
        _CONTACT,
        refused("pin", "grid gridrange id range"),
        refused("plugin", "instance plugin", (refused("config", "key value"),)),
    ),
    "A soft body made from a mesh or a grid.",
)

COMPOSITE = refused(
    "composite",
    "count curve face flatinertia initial name offset point prefix quat size solimpsmooth solrefsmooth spacing tendon type vertex",
    (
        refused(
            "joint",
            "armature axis damping frictionloss group kind limited margin range solimpfix solimpfriction solimplimit solreffix solreffriction solreflimit stiffness type",
        ),
        refused(
            "geom",
            "conaffinity condim contype friction gap group margin mass material priority rgba size solimp solmix solref type",
        ),
        refused("site", "group material rgba size type"),
        refused("skin", "group inflate material rgba subgrid texcoord"),
        refused("plugin", "instance plugin", (refused("config", "key value"),)),
    ),
    "Many bodies from one element.",
)

DEFORMABLE = Element(
    "deformable",
    (),
    (
        refused(
            "flex",
            "body cellcount dim dof element elemtexcoord flatskin group material name node nodecoord radius rgba texcoord vertex",
            (_CONTACT, refused("edge", "damping stiffness"), _ELASTICITY),
        ),
        SKIN,
    ),
    status=METADATA,
    doc="Soft bodies, which are refused, and skins.",
)

"""default: classes of defaults, derived from the elements they hold defaults of."""

from dataclasses import replace

from newtonlite.core.table import COMPILED, Attr, Element, classed, text
from newtonlite.schema.actuator import GENERAL, SHORTCUTS
from newtonlite.schema.asset import MATERIAL, MESH, TEXTURE
from newtonlite.schema.body import CAMERA, LIGHT
from newtonlite.schema.contact import PAIR
from newtonlite.schema.equality import EQUALITY_CLASS
from newtonlite.schema.geom import GEOM, SITE
from newtonlite.schema.joint import JOINT
from newtonlite.schema.tendon import ATTRS as TENDON_ATTRS

TENDON_CLASS = Element("tendon", TENDON_ATTRS, family="tendon")
ELEMENTS = (
    MESH,
    TEXTURE,
    MATERIAL,
    JOINT,
    GEOM,
    SITE,
    CAMERA,
    LIGHT,
    PAIR,
    EQUALITY_CLASS,
    TENDON_CLASS,
    GENERAL,
    *SHORTCUTS,
)


def _default() -> Element:
    """``default``, which may contain itself."""
    children = tuple(
        replace(e, attrs=classed(e.attrs), children=e.children if e is MATERIAL else (), handled="")
        for e in ELEMENTS
        if e.name != "plugin"
    )
    attrs = (Attr("class", text, doc="Name of the class; the outermost may go without.", classed=False),)
    default = Element(
        "default",
        attrs,
        doc="A class of defaults; inner ones start from outer ones.",
        status=COMPILED,
        handled="add_section",
    )
    object.__setattr__(default, "children", (*children, default))
    default.__post_init__()
    return default


DEFAULT = _default()

"""visual: how a viewer shows things. Checked and kept, without influence on the motion."""

from newtonlite.core.table import METADATA, Attr, Element, boolean, integer, real


def _section(
    name: str, reals: str = "", integers: str = "", colours: str = "", booleans: str = "", width: int = 4
) -> Element:
    rows = [Attr(n, real, status=METADATA) for n in reals.split()]
    rows += [Attr(n, integer, status=METADATA) for n in integers.split()]
    rows += [Attr(n, real[width], status=METADATA) for n in colours.split()]
    rows += [Attr(n, boolean, status=METADATA) for n in booleans.split()]
    return Element(name, tuple(rows), status=METADATA, many=False)


VISUAL = Element(
    "visual",
    children=(
        _section(
            "global",
            "fovy ipd azimuth elevation linewidth glow realtime",
            "cameraid offwidth offheight",
            booleans="bvactive ellipsoidinertia orthographic",
        ),
        _section("quality", integers="shadowsize offsamples numslices numstacks numquads"),
        _section("headlight", integers="active", colours="ambient diffuse specular", width=3),
        _section(
            "map",
            "stiffness stiffnessrot force torque alpha fogstart fogend znear zfar haze shadowclip shadowscale actuatortendon",
        ),
        _section(
            "scale",
            """forcewidth contactwidth contactheight connect com camera light selectpoint jointlength jointwidth actuatorlength
            actuatorwidth framelength framewidth constraint slidercrank frustum""",
        ),
        _section(
            "rgba",
            colours="""fog haze force inertia joint actuator actuatornegative actuatorpositive com camera light selectpoint connect
            contactpoint contactforce contactfriction contacttorque contactgap rangefinder constraint slidercrank crankbroken
            frustum bv bvactive""",
        ),
    ),
    doc="Settings of the picture.",
    status=METADATA,
)

"""skin: a surface whose vertices follow several bodies; for pictures alone."""

from newtonlite.core.table import METADATA, Attr, Element, integer, name, real, reference, text


def skin_attribute(name: str, kind, default, doc: str, field: str = "", **more) -> Attr:
    """A row of a skin or a bone."""
    return Attr(name, kind, default, field=field, doc=doc, status=METADATA, handled="skin_values", **more)


BONE = Element(
    "bone",
    (
        skin_attribute(
            "body", text, None, "Body that carries the vertices; of no name: the last one without.", required=True
        ),
        skin_attribute("bindpos", real[3], None, "Position of the body when they were bound.", required=True, unit="m"),
        skin_attribute("bindquat", real[4], None, "Orientation of the body then (w, x, y, z).", required=True),
        skin_attribute("vertid", integer[0:None], None, "Vertices that follow it.", required=True),
        skin_attribute("vertweight", real[0:None], None, "Their weights.", required=True),
    ),
    doc="Which vertices follow which body.",
    status=METADATA,
)
SKIN = Element(
    "skin",
    (
        skin_attribute("name", name("skin"), None, "Name."),
        skin_attribute("file", text, None, "SKN file with all of it."),
        skin_attribute("vertex", real[0:None], None, "Vertices, where the bodies were bound.", unit="m"),
        skin_attribute("texcoord", real[0:None], None, "Texture coordinates of vertices."),
        skin_attribute("face", integer[0:None], None, "Corners of triangles."),
        skin_attribute(
            "inflate",
            real,
            0.0,
            "How far vertices are moved along their normals.",
            "skin_inflate",
            unit="m",
            usd="newton:skin:inflate",
        ),
        skin_attribute("material", reference("material"), None, "Material.", "skin_matid"),
        skin_attribute(
            "rgba", real[4], (0.5, 0.5, 0.5, 1.0), "Colour and opacity.", "skin_rgba", usd="newton:skin:rgba"
        ),
        skin_attribute("group", integer, 0, "Group, for pictures.", "skin_group", usd="newton:skin:group"),
    ),
    (BONE,),
    doc="A surface drawn over several bodies.",
    status=METADATA,
)

"""asset: meshes, height fields, textures, materials, models."""

from newtonlite.core.limits import most
from newtonlite.core.mujoco import MjtBuiltin, MjtColorSpace, MjtMark, MjtMeshInertia, MjtTexture
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
)
from newtonlite.schema.extension import PLUGIN
from newtonlite.schema.groups import CLASS, content_type
from newtonlite.schema.skin import SKIN

MAX_VERTICES, MAX_FACES = most("vertices"), most("faces")
"""Of a mesh that is read."""

BUILTIN_MESHES = (
    "none",
    "sphere",
    "hemisphere",
    "cone",
    "supersphere",
    "supertorus",
    "wedge",
    "plate",
    "grid",
    "box",
    "cylinder",
    "ellipsoid",
    "square",
    "disc",
)

MESH = Element(
    "mesh",
    (
        Attr("name", name("mesh"), doc="Name; default: that of the file.", classed=False),
        CLASS,
        Attr("file", text, doc="STL, OBJ or MSH file.", classed=False),
        content_type(),
        Attr("scale", real[3], (1.0, 1.0, 1.0), doc="Scale; negative ones mirror."),
        Attr("inertia", keyword_of(MjtMeshInertia), 2, usd="mjc:inertia", doc="How its inertia is computed."),
        Attr("maxhullvert", integer, -1, doc="Most vertices of its hull."),
        Attr("refpos", real[3], (0.0, 0.0, 0.0), unit="m", doc="Origin of the file's coordinates.", classed=False),
        Attr("refquat", real[4], (1.0, 0.0, 0.0, 0.0), doc="Orientation of the file's coordinates.", classed=False),
        Attr("vertex", real.up_to(3 * MAX_VERTICES), unit="m", doc="Vertices.", classed=False),
        Attr("face", integer.up_to(3 * MAX_FACES), doc="Faces; default: the hull of the vertices.", classed=False),
        Attr("normal", real[0:None], doc="Normals.", status=METADATA, classed=False),
        Attr("texcoord", real[0:None], doc="Texture coordinates.", status=METADATA, classed=False),
        Attr("smoothnormal", boolean, False, doc="Smooth normals.", status=METADATA, classed=False),
        Attr("material", reference("material"), doc="Material.", status=METADATA, classed=False),
        Attr("builtin", keyword(*BUILTIN_MESHES), 0, doc="A shape made by formula.", classed=False),
        Attr("params", real[0:None], doc="Parameters of that shape.", classed=False),
    ),
    (PLUGIN,),
    family="mesh",
    doc="A triangle mesh.",
    handled="load_surface",
)

HFIELD = Element(
    "hfield",
    (
        Attr("name", name("hfield"), doc="Name; default: that of the file."),
        Attr("file", text, doc="PNG or binary file."),
        content_type(),
        Attr("nrow", integer, 0, doc="Rows."),
        Attr("ncol", integer, 0, doc="Columns."),
        Attr("size", real[4], required=True, unit="m", doc="Half-sizes in x and y, height, depth of the base."),
        Attr("elevation", real[0:None], doc="Heights, row by row."),
    ),
    doc="A height field.",
    handled="load_hfield",
)

TEXTURE = Element(
    "texture",
    (
        Attr("name", name("texture"), doc="Name; default: that of the file.", status=METADATA, classed=False),
        CLASS,
        Attr("type", keyword_of(MjtTexture), 1, doc="Kind.", status=METADATA),
        Attr("colorspace", keyword_of(MjtColorSpace, "auto linear sRGB"), 0, doc="Colour space.", status=METADATA),
        Attr("embed", boolean, True, doc="Whether it is stored in binary files.", status=METADATA),
        Attr("file", text, doc="Image file.", status=METADATA, classed=False),
        content_type(),
        *(
            Attr(f"file{side}", text, doc="Image file of one side.", status=METADATA, classed=False)
            for side in "right left up down front back".split()
        ),
        Attr("gridsize", integer[2], (1, 1), doc="Tiles in the file.", status=METADATA),
        Attr("gridlayout", text, "............", doc="Which side is in which tile.", status=METADATA),
        Attr("builtin", keyword_of(MjtBuiltin), 0, doc="A pattern made by formula.", status=METADATA),
        Attr("rgb1", real[3], (0.8, 0.8, 0.8), doc="First colour.", status=METADATA),
        Attr("rgb2", real[3], (0.5, 0.5, 0.5), doc="Second colour.", status=METADATA),
        Attr("mark", keyword_of(MjtMark), 0, doc="Marks on top.", status=METADATA),
        Attr("markrgb", real[3], (0.0, 0.0, 0.0), doc="Colour of the marks.", status=METADATA),
        Attr("random", real, 0.01, doc="Probability of random marks.", status=METADATA),
        Attr("width", integer, 0, doc="Pixels.", status=METADATA),
        Attr("height", integer, 0, doc="Pixels.", status=METADATA),
        Attr("nchannel", integer, 3, doc="Channels.", status=METADATA),
        Attr("hflip", boolean, False, doc="Flip left and right.", status=METADATA),
        Attr("vflip", boolean, False, doc="Flip up and down.", status=METADATA),
    ),
    family="texture",
    doc="A texture.",
    status=METADATA,
    handled="texture",
)

LAYER = Element(
    "layer",
    (
        Attr("texture", reference("texture"), doc="Texture.", status=METADATA, required=True),
        Attr(
            "role",
            keyword(
                "user", "rgb", "occlusion", "roughness", "metallic", "normal", "opacity", "emissive", "rgba", "orm"
            ),
            doc="What the texture gives.",
            status=METADATA,
            required=True,
        ),
    ),
    status=METADATA,
    doc="One texture of a material.",
)


def surface(name: str, kind, default, doc: str) -> Attr:
    """A row of the look of a surface."""
    return Attr(name, kind, default, doc=doc, status=METADATA, field=f"mat_{name}")


MATERIAL = Element(
    "material",
    (
        Attr("name", name("material"), doc="Name.", status=METADATA, classed=False),
        CLASS,
        Attr("texture", reference("texture"), doc="Texture.", status=METADATA),
        surface("texrepeat", real[2], (1.0, 1.0), doc="Repeats of the texture."),
        surface("texuniform", boolean, False, doc="Repeats per metre instead of per object."),
        surface("emission", real, 0.0, doc="Emission."),
        surface("specular", real, 0.5, doc="Specular reflection."),
        surface("shininess", real, 0.5, doc="Shininess."),
        surface("reflectance", real, 0.0, doc="Mirror reflection."),
        surface("metallic", real, -1.0, doc="Metallic part."),
        surface("roughness", real, -1.0, doc="Roughness."),
        surface("rgba", real[4], (1.0, 1.0, 1.0, 1.0), doc="Colour and opacity."),
    ),
    (LAYER,),
    family="material",
    doc="The look of a surface.",
    status=METADATA,
    handled="records",
)

MODEL = Element(
    "model",
    (
        Attr("name", name("model"), doc="Name; default: that of the file's model."),
        Attr("file", text, doc="MJCF file.", required=True),
        content_type(),
    ),
    doc="Another model, for attach.",
    status=COMPILED,
    handled="load_model",
)

ASSET = Element("asset", children=(MESH, HFIELD, SKIN, TEXTURE, MATERIAL, MODEL), doc="Assets.", status=COMPILED)

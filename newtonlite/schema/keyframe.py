"""keyframe and custom."""

from newtonlite.core.table import COMPILED, METADATA, Attr, Element, declared, name, real, text

KEY = Element(
    "key",
    (
        Attr("name", name("key"), binds="mujoco:key_label", doc="Name."),
        Attr("time", real, 0.0, binds="mujoco:key_time", field="key_time", unit="s", doc="Time."),
        *(
            Attr(n, real[0:None], binds=f"mujoco:key_{n}", field=f"key_{n}", convert="text", doc=doc)
            for n, doc in {
                "qpos": "Coordinates; default: those of the file.",
                "qvel": "Velocities; default: 0.",
                "act": "Activations; default: 0.",
                "ctrl": "Controls; default: 0.",
                "mpos": "Positions of mocap bodies; default: those of the file.",
                "mquat": "Orientations of mocap bodies; default: those of the file.",
                "plastic": "Rest poses of joints and dead bands of tendons whose springs yield; default: those of the file.",
            }.items()
        ),
    ),
    frequency="mujoco:key",
    doc="A state to start from.",
)

KEYFRAME = Element("keyframe", children=(KEY,), doc="Keyframes.", status=COMPILED)

CUSTOM = Element(
    "custom",
    children=(
        Element(
            "numeric",
            (
                Attr("name", name("numeric"), doc="Name.", status=METADATA, required=True),
                Attr("size", declared, doc="How many numbers; default: as many as given.", status=METADATA),
                Attr("data", real[0:None], doc="Numbers.", status=METADATA),
            ),
            status=METADATA,
            doc="Numbers with a name.",
        ),
        Element(
            "text",
            (
                Attr("name", name("text"), doc="Name.", status=METADATA, required=True),
                Attr("data", text, doc="Text.", status=METADATA, required=True),
            ),
            status=METADATA,
            doc="A text with a name.",
        ),
        Element(
            "tuple",
            (Attr("name", name("tuple"), doc="Name.", status=METADATA, required=True),),
            (
                Element(
                    "element",
                    (
                        Attr("objtype", text, doc="Kind of the object.", status=METADATA, required=True),
                        Attr("objname", text, doc="Its name.", status=METADATA, required=True),
                        Attr("prm", real, 0.0, doc="A number.", status=METADATA),
                    ),
                    status=METADATA,
                ),
            ),
            status=METADATA,
            doc="A list of objects with a name.",
        ),
    ),
    status=METADATA,
    doc="What the author of the file wants to keep with it.",
)

"""Records kept beside the physics: materials, textures, custom data and user numbers, from ``mujoco:record`` rows."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.limits import most
from newtonlite.core.mujoco import OBJECT_ELEMENTS, MjtTextureRole
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.worlds import Worlds

TYPES = {kind.name.lower(): int(kind) for kind in OBJECT_ELEMENTS}
"""Numbers of the kinds of objects, by the words of a tuple's ``objtype``."""
USERS = dict(body="body", jnt="joint", geom="geom", site="site", cam="camera", tendon="tendon", actuator="actuator")


def compile_records(m: CompiledModel, w: Worlds) -> None:
    """Fill the arrays of materials, textures, numeric, text and tuple; references go by name."""
    kept = read_records(w)
    for kind, fill in (
        ("texture", textures),
        ("material", materials),
        ("numeric", numerics),
        ("text", texts),
        ("tuple", tuples),
    ):
        with whole_record(kind):
            fill(m, kept[kind])
    if m.nlight:
        lit = w.first_labels("mujoco:light_texture", "mujoco:light")
        m.set(light_texid=np.array([find(m.names_texture, name) if name else -1 for name in lit], int))
    m.visual = kept["visual"][0][1] if kept["visual"] else {}
    sizes = (kept["size"][0][1] if kept["size"] else {}).get("size", {})
    with whole_record("size"):
        m.nuserdata = declared(sizes.get("nuserdata", 0))
    m.set(geom_matid=material_ids(m, w, "shape", m.newton_geom), site_matid=material_ids(m, w, "shape", m.newton_site))
    if m.ntendon:
        m.set(tendon_matid=material_ids(m, w, "mujoco:tendon", m.newton_tendon))
    with whole_record("size"):
        users(m, w, sizes)


def read_records(w: Worlds) -> dict[str, list[tuple[str, dict]]]:
    """(name, values) of each record, by kind."""
    found = {
        kind: []
        for kind in (
            "mesh",
            "hfield",
            "texture",
            "material",
            "numeric",
            "text",
            "tuple",
            "visual",
            "size",
            "lengthrange",
            "plugin",
            "skin",
        )
    }
    if w.has("mujoco:record_kind"):
        columns = (w.first_labels(f"mujoco:record_{name}", "mujoco:record") for name in ("kind", "label", "values"))
        for kind, name, text in zip(*columns, strict=True):
            with whole_record(kind, name):
                found[kind.rpartition("/")[2]].append((name, json.loads(text[text.index("{") :])))
    return found


@contextmanager
def whole_record(kind: str, name: str = "") -> Iterator[None]:
    """ModelError for a record that is damaged, or that says more than a model may hold; importers write whole ones."""
    try:
        yield
    except ModelError as problem:
        raise ModelError(f"mujoco:record_values: {kind} {name!r}: {problem}") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError) as problem:
        what = f"{type(problem).__name__} {str(problem):.120}"
        raise ModelError(f"mujoco:record_values: {kind} {name!r} is damaged ({what}); import its file anew") from None


def textures(m: CompiledModel, rows: list) -> None:
    """``tex_*``; pixels are made when they are asked for."""
    m.ntex, m.names_texture = len(rows), [name for name, _ in rows]
    columns = dict(type="type", colorspace="colorspace", height="height", width="width", nchannel="nchannel")
    m.set(**{f"tex_{name}": np.array([v[key] for _, v in rows], int) for name, key in columns.items()})
    size = np.array([v["height"] * v["width"] * v["nchannel"] for _, v in rows], int)
    if (size > most("picture")).any():
        raise ValueError(f"a texture of {size.max()} bytes is more than {most('picture')}")
    m.ntexdata = int(size.sum())
    m.set(tex_adr=np.where(size > 0, np.cumsum(size) - size, -1))  # pixels that are not embedded are nowhere
    m.tex_source = [values for _, values in rows]


def materials(m: CompiledModel, rows: list) -> None:
    """``mat_*``; the texture of a material without layers is its colour."""
    m.nmat, m.names_material = len(rows), [name for name, _ in rows]
    reals = ("emission", "specular", "shininess", "reflectance", "metallic", "roughness")
    m.set(**{f"mat_{name}": np.array([v[name] for _, v in rows], float) for name in reals})
    m.set(mat_texuniform=np.array([v["texuniform"] for _, v in rows], bool))
    m.set(mat_texrepeat=np.array([v["texrepeat"] for _, v in rows], float).reshape(-1, 2))
    m.set(mat_rgba=np.array([v["rgba"] for _, v in rows], float).reshape(-1, 4))
    ids = np.full((m.nmat, len(MjtTextureRole)), -1)
    for k, (_, values) in enumerate(rows):
        layers = {int(role): name for role, name in values["layers"].items()}
        if values.get("texture"):
            layers.setdefault(1, values["texture"])
        for role, name in layers.items():
            ids[k, role] = find(m.names_texture, values["prefix"] + name)
    m.set(mat_texid=ids)


def numerics(m: CompiledModel, rows: list) -> None:
    """``numeric_*``: numbers with a name, zeros behind where there are fewer than the size says."""
    data = [pad(values.get("data") or (), values.get("size")) for _, values in rows]
    m.nnumeric, m.names_numeric = len(rows), [name for name, _ in rows]
    m.set(
        numeric_adr=starts(data),
        numeric_size=np.array([len(d) for d in data], int),
        numeric_data=np.array(sum(data, []), float),
    )


def texts(m: CompiledModel, rows: list) -> None:
    """``text_*``: texts with a name; sizes count the closing zero."""
    data = [values["data"] + "\0" for _, values in rows]
    m.ntext, m.names_text, m.text_data = len(rows), [name for name, _ in rows], "".join(data).encode()
    m.set(text_adr=starts(data), text_size=np.array([len(d.encode()) for d in data], int))


def tuples(m: CompiledModel, rows: list) -> None:
    """``tuple_*``: lists of objects with a name."""
    data = [values["elements"] for _, values in rows]
    flat = [
        (TYPES.get(e["objtype"], -1), object_id(m, e["objtype"], values["prefix"] + e["objname"]), e["prm"])
        for _, values in rows
        for e in values["elements"]
    ]
    m.ntuple, m.names_tuple = len(rows), [name for name, _ in rows]
    m.set(tuple_adr=starts(data), tuple_size=np.array([len(d) for d in data], int))
    m.set(
        tuple_objtype=np.array([f[0] for f in flat], int),
        tuple_objid=np.array([f[1] for f in flat], int),
        tuple_objprm=np.array([f[2] for f in flat], float),
    )


def object_id(m: CompiledModel, kind: str, name: str) -> int:
    """Index of an object by kind and name; -1 where there is none."""
    return find(getattr(m, f"names_{'body' if kind == 'xbody' else kind}", ()), name)


def find(names, name: str) -> int:
    """Place of a name in a list; -1 where it is not."""
    return list(names).index(name) if name in names else -1


def starts(data: list) -> np.ndarray:
    """First index of each piece when all are laid end to end."""
    sizes = [len(d) for d in data]
    return np.cumsum([0, *sizes])[:-1].astype(int)


def pad(numbers, size: int | None) -> list[float]:
    """Numbers, with zeros up to a size."""
    numbers = list(numbers)
    return numbers + [0.0] * (max(declared(size or 0), len(numbers)) - len(numbers))


def declared(size: int) -> int:
    """A size that a record says; ValueError for one beyond what a model may only declare."""
    if size > most("declared"):
        raise ValueError(f"{size} numbers are more than {most('declared')}")
    return size


def material_ids(m: CompiledModel, w: Worlds, kind: str, rows) -> np.ndarray:
    """Material of each thing, by name; -1 for none."""
    key = f"mujoco:{kind.rpartition(':')[2]}_material"
    names = w.first_labels(key, kind) if w.has(key) else []
    ids = {name: k for k, name in enumerate(m.names_material)}
    return np.array([ids.get(names[r], -1) if names else -1 for r in rows], int)


def users(m: CompiledModel, w: Worlds, sizes: dict) -> None:
    """``*_user`` [n, nuser_*]: the user's numbers of each thing, zeros behind."""
    texts = {
        "body": ["", *user_texts(w, "body", "body", m.newton_body[1:])],
        "geom": user_texts(w, "shape", "shape", m.newton_geom),
    }
    texts |= {
        "site": user_texts(w, "shape", "shape", m.newton_site),
        "jnt": user_texts(w, "joint", "dof", m.newton_dof[m.jnt_dofadr]),
    }
    for kind, word in (("cam", "camera"), ("tendon", "tendon"), ("sensor", "sensor"), ("actuator", "actuator")):
        rows = w.first_labels(f"mujoco:{word}_user", f"mujoco:{word}") if w.has(f"mujoco:{word}_user") else []
        texts[kind] = rows if kind != "actuator" else [""] * (m.nactuator - len(rows)) + rows
    for kind, rows in texts.items():
        numbers = [[float(x) for x in text.rpartition("/")[2].split()] if text else [] for text in rows]
        width = max(declared(sizes.get(f"nuser_{kind}", -1)), max(map(len, numbers), default=0))
        setattr(m, f"nuser_{kind}", width)
        m.set(**{f"{kind}_user": padded(numbers, width)})


def padded(rows: list[list[float]], width: int) -> np.ndarray:
    """Lists of numbers as [n, width], zeros behind."""
    found = np.zeros((len(rows), width))
    for row, numbers in zip(found if width else (), rows):
        row[: len(numbers)] = numbers
    return found


def user_texts(w: Worlds, word: str, kind: str, rows) -> list[str]:
    """The user texts of some rows of a kind."""
    texts = w.first_labels(f"mujoco:{word}_user", kind)
    return [texts[r] for r in rows]

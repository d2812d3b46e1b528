"""MJCF settings: compiler, option, size, statistic, visual."""

import numpy as np

from newtonlite.core.mujoco import MjtBias, MjtGain
from newtonlite.exporters.mjcf.source import NamedModel, schema
from newtonlite.exporters.mjcf.text import Tag, number_list, value_text
from newtonlite.schema.execute import of_model
from newtonlite.schema.option import DISABLE, NUSER, OPTION, STATISTIC

SWITCHED_ON = ("override", "energy", "fwdinv", "invdiscrete", "sleep", "diagexact", "ipc", "speculative")
"""Flags that are off unless their bit of ``enableflags`` is set, in the order of the bits."""
SWITCHED_OFF = (*DISABLE, "multiccd")
"""Flags that are on unless their bit of ``disableflags`` is set, in the order of the bits."""


def compiler(source: NamedModel) -> Tag:
    """Compiler settings by which the file is read: angles in rad, masses as written, no ranges of lengths computed."""
    tag = Tag("compiler", angle="radian", inertiafromgeom="false")
    gain, bias = (np.asarray(source.get(f"actuator_{part}type", default=())) for part in ("gain", "bias"))
    muscle = (gain == MjtGain.MUSCLE) | (bias == MjtBias.MUSCLE)
    lengths = np.asarray(source.get("actuator_lengthrange", default=np.zeros((0, 2))))
    outputs = np.asarray(source.get("actuator_outadr", default=np.arange(len(muscle))))[muscle]
    return tag.add(Tag("lengthrange", mode="none") if not lengths[outputs].any(axis=-1).all() else None)


def option(source: NamedModel) -> Tag:
    """Options and flags that are not MuJoCo's defaults."""
    opt = source.model.opt
    tag = Tag("option")
    for attr, value in of_model(OPTION, lambda name: getattr(opt, name, None)):
        tag.set(**{attr.name: value_text(attr, value)})
    flags = Tag("flag")
    for bit, name in enumerate(SWITCHED_OFF):
        flags.set(**{name: "disable" if int(opt.disableflags) >> bit & 1 else None})
    for bit, name in enumerate(SWITCHED_ON):
        flags.set(**{name: "enable" if int(opt.enableflags) >> bit & 1 else None})
    return tag.add(flags or None)


def size(source: NamedModel) -> Tag | None:
    """Sizes of the user's own numbers."""
    wanted = {f"nuser_{name}": int(source.get(f"nuser_{name}") or 0) for name in NUSER} | {
        "nuserdata": int(source.get("nuserdata") or 0)
    }
    tag = Tag("size", **{name: str(value) for name, value in wanted.items() if value})
    return tag or None


def statistic(source: NamedModel) -> Tag:
    """All statistics, as they are; the mean inertia, which MuJoCo computes, only where it is another one."""
    stat = source.model.stat
    names = [attr.name for attr in STATISTIC.attrs if hasattr(stat, attr.name)]
    diagonal = np.asarray(source.get("dof_M0", default=()))
    if diagonal.size and np.isclose(diagonal.mean(), stat.meaninertia, rtol=1e-9, atol=0):
        names.remove("meaninertia")
    return Tag("statistic", **{name: number_list(getattr(stat, name)) for name in names})


def visual(source: NamedModel) -> Tag | None:
    """Settings of the picture: those of MuJoCo's structure, or those that our model keeps."""
    tag = Tag("visual")
    for element in schema("visual").children:
        values = kept(source, element)
        texts = {name: written(element.attr(name), value) for name, value in values.items()}
        tag.add(Tag(element.name, **texts) if texts else None)
    return tag or None


def kept(source: NamedModel, element) -> dict:
    """The values that a model has of a part of the picture's settings."""
    vis = source.get("vis")
    if vis is None:
        return (source.get("visual") or {}).get(element.name, {})
    part = getattr(vis, element.name + "_", None) or getattr(vis, element.name, None)
    values = {} if part is None else {a.name: getattr(part, a.name) for a in element.attrs if hasattr(part, a.name)}
    return {name: value for name, value in values.items() if np.size(value)}


def written(attr, value) -> str:
    """A value of the picture's settings: flags as words, numbers as they are."""
    if attr.kind.words:
        return "true" if value else "false"
    return number_list(value)

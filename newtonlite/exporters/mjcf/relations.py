"""MJCF contact pairs, exclusions, tendons, equality constraints, actuators."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import OBJECT_ELEMENTS, MjtCtrlChart, MjtCtrlInput, MjtEq, MjtObj, MjtTrn, MjtWrap
from newtonlite.exporters.mjcf.bodies import limits
from newtonlite.exporters.mjcf.plugins import choose
from newtonlite.exporters.mjcf.source import NamedModel
from newtonlite.exporters.mjcf.text import Tag, number, number_list
from newtonlite.schema.groups import INTERPOLATIONS

TARGETS = {
    MjtTrn.JOINT: ("joint", "joint"),
    MjtTrn.JOINTINPARENT: ("jointinparent", "joint"),
    MjtTrn.TENDON: ("tendon", "tendon"),
    MjtTrn.SITE: ("site", "site"),
    MjtTrn.BODY: ("body", "body"),
}
"""Attribute that names the target of an actuator, and the kind of the target."""
RELATIVE = 11
"""Column of a weld that says that its relative pose is that of the reference."""
RANGES = {MjtCtrlInput.VEL: "velrange", MjtCtrlInput.FF: "ffrange"}
"""Range attributes of the controls beside the first kind."""
TURNS = {MjtCtrlChart.QUAT: "quat", MjtCtrlInput.NONE: "none"}
"""Names of the controls of an orientation servo that are no rotation vectors."""


def pair(source: NamedModel, i: int) -> Tag:
    """A contact pair."""
    return source.tag("contact/pair", "pair", i)


def exclude(source: NamedModel, i: int) -> Tag:
    """Two bodies that do not touch."""
    signature = int(source.model.exclude_signature[i])
    one, two = signature >> 16, signature & 0xFFFF
    return Tag(
        "exclude", name=source.names["exclude"][i] or None, body1=source.ref("body", one), body2=source.ref("body", two)
    )


def tendon(source: NamedModel, t: int) -> Tag:
    """A tendon and what it runs over."""
    model = source.model
    first, count = int(model.tendon_adr[t]), int(model.tendon_num[t])
    fixed = count > 0 and int(model.wrap_type[first]) == MjtWrap.JOINT
    kind = "fixed" if fixed else "spatial"
    tag = source.tag(f"tendon/{kind}", "tendon", t)
    return tag.add(*(wrap(source, w) for w in range(first, first + count)))


def wrap(source: NamedModel, w: int) -> Tag:
    """One step of a tendon."""
    model = source.model
    kind, index, value = int(model.wrap_type[w]), int(model.wrap_objid[w]), float(model.wrap_prm[w])
    if kind == MjtWrap.JOINT:
        return Tag("joint", joint=source.ref("joint", index), coef=number(value))
    if kind == MjtWrap.PULLEY:
        return Tag("pulley", divisor=number(value))
    if kind == MjtWrap.SITE:
        return Tag("site", site=source.ref("site", index))
    return Tag(
        "geom", geom=source.ref("geom", index), sidesite=source.ref("site", round(value)) if value >= 0 else None
    )


def equality(source: NamedModel, i: int) -> Tag:
    """An equality constraint."""
    model = source.model
    kind, data = int(model.eq_type[i]), np.asarray(model.eq_data[i])
    if kind in (MjtEq.FLEX, MjtEq.FLEXSTRAIN):
        tag = source.tag(f"equality/{MjtEq(kind).name.lower()}", "equality", i)
        cell = " ".join(str(int(c)) for c in data[:3]) if kind == MjtEq.FLEXSTRAIN else None
        return tag.set(flex=source.ref("flex", int(model.eq_obj1id[i])), cell=cell)
    if kind > MjtEq.TENDON:
        raise ModelError(
            f"MJCF writer: equality constraint {i} is of type {kind}, which is not supported; remove it from the model"
        )
    name = MjtEq(kind).name.lower()
    tag = source.tag(f"equality/{name}", "equality", i)
    ends = [int(model.eq_obj1id[i]), int(model.eq_obj2id[i])]
    what = name if kind in (MjtEq.JOINT, MjtEq.TENDON) else OBJECT_ELEMENTS[MjtObj(model.eq_objtype[i])]
    for k, end in enumerate(ends, 1):
        if end >= 0:
            tag.set(**{f"{what}{k}": source.ref(what, end)})
    if kind in (MjtEq.JOINT, MjtEq.TENDON):
        return tag.set(polycoef=number_list(data[:5]))
    if kind == MjtEq.WELD:
        tag.set(torquescale=number(data[10]))
    if what == "body":
        given = kind == MjtEq.WELD and not (len(data) > RELATIVE and data[RELATIVE])
        tag.set(anchor=number_list(data[:3]), relpose=number_list(data[3:10]) if given else None)
    return tag


def actuator(source: NamedModel, u: int) -> Tag:
    """An actuator, spelled out."""
    model = source.model
    plugin = int(source.get("actuator_plugin", u, -1))
    tag = source.tag("actuator/general" if plugin < 0 else "actuator/plugin", "actuator", u)
    one, two = (int(x) for x in model.actuator_trnid[u])
    kind = int(model.actuator_trntype[u])
    if kind == MjtTrn.SLIDERCRANK:
        tag.set(cranksite=source.ref("site", one), slidersite=source.ref("site", two))
    else:
        attr, what = TARGETS[kind] if kind != MjtTrn.SO3 else TARGETS[MjtTrn.JOINT if two < 0 else MjtTrn.SITE]
        tag.set(**{attr: source.ref(what, one)})
        if attr == "site" and two >= 0:
            tag.set(refsite=source.ref("site", two))
    controls(source, tag, u, kind == MjtTrn.SO3)
    number_of = int(source.get("actuator_actnum", u, 0))
    if number_of > (plugin < 0):
        tag.set(actdim=str(number_of))
    if plugin >= 0:
        choose(source, tag, plugin)
    samples, order = source.get("actuator_history", u, (0, 0))
    if samples > 0:
        tag.set(nsample=str(int(samples)))
    if samples > 0 or order:
        tag.set(interp=INTERPOLATIONS[int(order)])
    return tag


def controls(source: NamedModel, tag: Tag, u: int, turns: bool) -> None:
    """Inputs of an actuator, and the ranges of its controls."""
    spec = int(source.get("actuator_ctrlspec", u, 0))
    first, count = int(source.get("actuator_ctrladr", u, u)), int(source.get("actuator_ctrlnum", u, 1))
    limited, bands = source.get("actuator_ctrllimited"), source.get("actuator_ctrlrange")
    if turns:
        tag.set(input=TURNS.get(spec))
        limits(tag, "ctrllimited", "ctrlrange", bool(limited[first]), bands[first])
        return
    bits = [bit for bit in MjtCtrlInput if spec & bit]
    tag.set(input=" ".join(bit.name.lower() for bit in bits) or None)
    if count == 1:
        limits(tag, "ctrllimited", "ctrlrange", bool(limited[first]), bands[first])
        return
    for bit, k in zip(bits, range(first, first + count)):
        if np.any(bands[k]):
            tag.set(**{RANGES.get(bit, "ctrlrange"): number_list(bands[k])})
            if bit not in RANGES:
                tag.set(ctrllimited="true" if limited[k] else "false")

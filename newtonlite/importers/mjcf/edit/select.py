"""Selection of the parts of a file to import, and of visual geoms, by names and classes."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from newtonlite.core.errors import ModelError
from newtonlite.importers.mjcf.keys import move_keys, slots
from newtonlite.importers.mjcf.masses import weigh
from newtonlite.importers.mjcf.spec import Body, Item, Spec

PLACED = ("joints", "geoms", "sites", "cameras", "lights")
BESIDE = ("flexes", "tendons", "actuators", "equalities", "pairs", "excludes", "cameras", "lights", "sensors")
"""Elements that refer to other things; each after those it may refer to."""
VISUAL, COLLIDER = ("visual",), ("collision",)
WHY = "it refers to what ignore_names or ignore_classes leave out"
Matcher = Callable[[str], bool]


@dataclass
class Selection:
    """The caller's wishes; patterns are matched from the start of a name or class."""

    names: Matcher = lambda name: False
    classes: Matcher = lambda name: False
    visual: Matcher = lambda name: False
    collider: Matcher = re.compile("collision").match
    by_class: bool = False
    """Whether classes say which geoms are visuals, not contact masks alone."""
    unclassed_collide: bool = True
    visuals_collide: bool = False


def selection(
    names, classes, visual, collider, unclassed_collide: bool, visuals_collide: bool, where: str
) -> Selection:
    """The caller's wishes from Newton's parameters; ModelError for patterns that are none."""
    plain = tuple(visual) == VISUAL and tuple(collider) == COLLIDER and unclassed_collide
    names, classes, visual, collider = (
        matcher(patterns, f"{where} {name}")
        for name, patterns in (
            ("ignore_names", names),
            ("ignore_classes", classes),
            ("visual_classes", visual),
            ("collider_classes", collider),
        )
    )
    return Selection(names, classes, visual, collider, not plain, bool(unclassed_collide), bool(visuals_collide))


def matcher(patterns: Sequence[str], where: str) -> Matcher:
    """Whether a name matches one of some regular expressions from its start."""
    if isinstance(patterns, str):
        raise ModelError(f"{where}={patterns!r}: one text; give a list of regular expressions")
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern))
        except (re.error, TypeError) as problem:
            raise ModelError(f"{where}: {pattern!r} is no regular expression: {problem}") from None
    return lambda name: any(p.match(name) for p in compiled)


def class_of(item: Item | Body) -> str:
    """The class of defaults of an element, its own or that around it; '' for none."""
    own = item.node.values.get("childclass" if isinstance(item, Body) else "class")
    around = item.place.childclass
    return own or (around if around != "main" else "")


def select(spec: Spec, options: Any) -> None:
    """Leave out what is ignored, with the mass of geoms, and settle which geoms collide.

    Bodies that the compiler scaled to a total mass or merged keep their masses.
    """
    chosen: Selection = options.selection
    gone = ignored(spec, chosen)
    lighter = [body for body in spec.bodies[1:] if id(body) not in gone and gone & {id(geom) for geom in body.geoms}]
    if gone:
        leave_out(spec, gone)
    if not any(spec.document.compiler[name] > 0 for name in ("settotalmass", "fusestatic")):
        for body in lighter:
            weigh(body, options.loaded)
    kept = (*spec.tendons, *spec.pairs, *spec.sensors) if chosen.visuals_collide else ()
    used = {id(thing) for item in kept for thing in referred(item)}
    for body in spec.bodies:
        settle_collisions(body, chosen, used)
    if chosen.visuals_collide:
        spec.geoms = [geom for body in spec.bodies for geom in body.geoms]


def ignored(spec: Spec, chosen: Selection) -> set[int]:
    """Ids of bodies, with all that is on them, joints and geoms that are ignored."""
    gone: set[int] = set()
    for body in spec.bodies:
        if body.parent is not None and (id(body.parent) in gone or unwanted(body, chosen)):
            gone.add(id(body))
        for name in PLACED:
            for item in getattr(body, name):
                if id(body) in gone or (name in ("joints", "geoms") and unwanted(item, chosen)):
                    gone.add(id(item))
    return gone


def unwanted(item: Item | Body, chosen: Selection) -> bool:
    """Whether the name or the class of an element is ignored."""
    label = class_of(item)
    return (bool(item.name) and chosen.names(item.name)) or (bool(label) and chosen.classes(label))


def leave_out(spec: Spec, gone: set[int], why: str = WHY) -> None:
    """Remove what is gone and what refers to it, which is reported; the rest keeps its order. Keyframes follow."""
    before, actuators = slots(spec), spec.actuators
    mocaps = [body for body in spec.bodies if body.values.get("mocap")]
    for name in BESIDE:
        for item in getattr(spec, name):
            if id(item) not in gone and any(id(thing) in gone for thing in referred(item)):
                gone.add(id(item))
                spec.document.report.ignore(item.node, why)
    for item in spec.customs:
        if any(id(thing) in gone for thing in tuple_members(spec, item)):
            gone.add(id(item))
            spec.document.report.ignore(item.node, why)
    for body in spec.bodies:
        for name in ("bodies", *PLACED):
            setattr(body, name, [item for item in getattr(body, name) if id(item) not in gone])
    for name in ("bodies", *PLACED, *BESIDE, "customs"):
        kept = [item for item in getattr(spec, name) if id(item) not in gone]
        for index, item in enumerate(kept):
            item.index = index
        setattr(spec, name, kept)
    move_keys(spec, before, slots(spec))
    for item in spec.keys:
        cut(item, "mpos", 3, [id(body) not in gone for body in mocaps])
        cut(item, "mquat", 4, [id(body) not in gone for body in mocaps])
        cut_controls(item, actuators, [id(actuator) not in gone for actuator in actuators])


def referred(item: Item) -> Iterator[object]:
    """All things that an element refers to."""
    values = item.values
    yield from (thing for name in ("ends", "bodies", "node_bodies") for thing in values.get(name) or ())
    yield from (values.get(name) for name in ("target", "refsite_item", "slidersite_item", "target_body"))
    for _, thing, side in values.get("path") or ():
        yield thing
        yield side
    yield from (end[1] for end in (values.get("obj"), values.get("ref")) if end)


def tuple_members(spec: Spec, item: Item) -> Iterator[object]:
    """All things that a tuple lists."""
    for node in item.node.children:
        kind = {"xbody": "body"}.get(node.values.get("objtype", ""), node.values.get("objtype", ""))
        yield spec.names.get(kind, {}).get(item.place.full(node.values.get("objname", "")))


def cut(item: Item, name: str, width: int, kept: list[bool]) -> None:
    """Keep the numbers of a keyframe that belong to what is kept."""
    numbers = tuple(item.values.get(name) or ())
    if numbers and not all(kept):
        item.values[name] = tuple(
            x for k, flag in enumerate(kept) if flag for x in numbers[k * width : (k + 1) * width]
        )


def cut_controls(item: Item, actuators: list[Item], kept: list[bool]) -> None:
    """The same for controls; ParseError where the numbers of an actuator cannot be identified."""
    if all(kept):
        return
    several = any(
        bin(actuator.values.get("ctrlspec", 0)).count("1") > 1 or actuator["gaintype"] == 4 for actuator in actuators
    )
    if item.values.get("ctrl") and several:
        raise item.node.error(
            "holds controls of actuators with several inputs, some of which are ignored; remove the controls", "ctrl"
        )
    if item.values.get("act") and any(actuator["dyntype"] and not flag for actuator, flag in zip(actuators, kept)):
        raise item.node.error("holds activations of actuators that are ignored; remove them", "act")
    cut(item, "ctrl", 1, kept)


def settle_collisions(body: Body, chosen: Selection, used: set[int]) -> None:
    """Take contact masks from visuals by class; let visuals collide in place of the colliders of their body.

    Of these, only what others refer to (ids) stays, and collides no more.
    """
    if chosen.by_class:
        for geom in body.geoms:
            if is_visual(class_of(geom), chosen):
                geom.values |= {"contype": 0, "conaffinity": 0}
    visuals = [geom for geom in body.geoms if not (geom["contype"] or geom["conaffinity"])]
    if chosen.visuals_collide and visuals:
        shown = {id(geom) for geom in visuals}
        for geom in body.geoms:
            mask = int(id(geom) in shown)
            geom.values |= {"contype": mask, "conaffinity": mask}
        body.geoms = [geom for geom in body.geoms if id(geom) in shown or id(geom) in used]


def is_visual(label: str, chosen: Selection) -> bool:
    """Whether geoms of a class are visuals."""
    if label and chosen.visual(label):
        return True
    return not (label and chosen.collider(label)) and not chosen.unclassed_collide

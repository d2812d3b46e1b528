"""Fusion of static bodies (``fusestatic``): bodies without joints become part of their parents."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from newtonlite.core.mujoco import MjtJoint
from newtonlite.geometry.principal import principal
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.masses import check_single
from newtonlite.importers.mjcf.sections import references
from newtonlite.importers.mjcf.spec import Body, Item, Spec
from newtonlite.math.quat import ONE, matrix

PLACED = ("geoms", "sites", "cameras", "lights")
BODIES = ("body", "xbody")
WORLD = -1


def fuse_static(spec: Spec) -> None:
    """Merge all bodies that are static, plain and unreferenced into their parents, where the compiler settings say so."""
    if spec.document.compiler["fusestatic"]:
        fuse_all(spec, set())


def fuse_fixed(spec: Spec, options: Any) -> None:
    """Merge all bodies that are static, plain and unreferenced into their parents, where the caller asks for it: not those
    that its own joint carries, nor, on a body of the scene, those that stand on it.
    """
    if options.merge:
        stay = spec.world.bodies if options.base.parent != WORLD else ()
        fuse_all(spec, spec.carried | {id(body) for body in stay})


def fuse_all(spec: Spec, kept: set[int]) -> None:
    """Merge all bodies that are static, plain, unreferenced and not among those kept (ids) into their parents."""
    kept = kept | referenced(spec)
    for body in spec.bodies[1:]:
        if not (body.joints or body.values["mocap"] or is_lifted(body, spec) or id(body) in kept):
            fuse(body, spec)
    renumber(spec)


def is_lifted(body: Body, spec: Spec) -> bool:
    """Whether gravity pulls a body otherwise than the moving one that carries it."""
    parent = body.parent
    return parent not in (None, spec.world) and body.values["gravcomp"] != parent.values["gravcomp"]


def fuse_empty_roots(spec: Spec, options: Any) -> None:
    """Merge bodies on the world that have neither joints nor mass, nor are spoken of, into it, again and again from the
    root upward.
    """
    if not options.skip_empty:
        return
    kept = referenced(spec)
    for body in spec.bodies[1:]:  # parents first: what a merged body carried is on the world by its turn
        plain = not (body.joints or body.values["mocap"] or id(body) in kept)
        if body.parent is spec.world and plain and body.mass == 0 and body.bodies:
            fuse(body, spec)
    renumber(spec)


def fuse_onto_floating(spec: Spec, options: Any) -> None:
    """Merge what is fixed to a floating body without mass into it: the first bodies with mass, and those without
    between.
    """
    if not options.skip_empty:
        return
    kept = referenced(spec)
    for root in list(spec.world.bodies):
        if root.mass > 0 or [item["type"] for item in root.joints] != [MjtJoint.FREE]:
            continue
        fixed = list(root.bodies)
        while fixed:
            body = fixed.pop()
            if not (body.joints or body.values["mocap"] or id(body) in kept):
                fixed += body.bodies if body.mass <= 0 else []
                fuse(body, spec)
    renumber(spec)


def referenced(spec: Spec) -> set[int]:
    """The bodies that something else speaks of."""
    sections = (
        spec.excludes,
        spec.equalities,
        spec.actuators,
        spec.sensors,
        spec.customs,
        spec.cameras,
        spec.lights,
        spec.tendons,
    )
    names = {name for items in sections for item in items for name in named_bodies(item)}
    names |= {bone["body"] for item in spec.skins for bone in item["bones"]}
    found = spec.names.get("body", {})
    soft = (body for item in spec.flexes for body in (*item["bodies"], *item["node_bodies"]))
    return {id(found[name]) for name in names if name in found} | {id(body) for body in soft}


def named_bodies(item: Item) -> Iterator[str]:
    """The names of bodies that an element speaks of."""
    for name, kind in references(item.node):
        if kind in BODIES:
            yield item.place.full(name)
    for node in item.node.walk():
        for kind, name in (("objtype", "objname"), ("reftype", "refname")):
            if node.attrs.get(kind) in BODIES and name in node.values:
                yield item.place.full(node.values[name])


def fuse(body: Body, spec: Spec) -> None:
    """Hand all that is on a body to its parent; its children take its place."""
    parent = body.parent
    if parent.parent is not None:
        add_mass(body, parent)
    for name in PLACED:
        for item in getattr(body, name):
            item.pos, item.quat = chain(body.pos, body.quat, item.pos, item.quat)
            if name == "lights":
                pos, quat = chain(body.pos, body.quat, item.place.pos, item.place.quat)
                item.place = replace(item.place, pos=pos, quat=quat)
            item.body, item.home = parent, item.home or body
            getattr(parent, name).append(item)
    for child in body.bodies:
        child.pos, child.quat = chain(body.pos, body.quat, child.pos, child.quat)
        child.parent, child.home = parent, child.home or body
    at = next(i for i, other in enumerate(parent.bodies) if other is body)
    parent.bodies[at : at + 1] = body.bodies
    if body.name:
        del spec.names["body"][body.name]


def add_mass(body: Body, parent: Body) -> None:
    """Add the settled mass, centre and inertia of a body to its parent's."""
    if body.mass <= 0:
        return
    pos, _ = chain(body.pos, body.quat, tuple(body.com), ONE)
    turn = matrix(body.quat)
    mass = parent.mass + body.mass
    com = (parent.mass * parent.com + body.mass * np.array(pos)) / mass
    inertia = parent.inertia + turn @ body.inertia @ turn.T
    parent.inertia = inertia + steiner(parent.mass, parent.com - com) + steiner(body.mass, np.array(pos) - com)
    parent.mass, parent.com, parent.iquat = mass, com, tuple(principal(parent.inertia)[1])
    check_single(parent)


def steiner(mass: float, offset: np.ndarray) -> np.ndarray:
    """Inertia of a point mass [kg m^2] at an offset."""
    return mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))


def renumber(spec: Spec) -> None:
    """Bodies depth first, what is on them by body; geoms that were discarded stay so."""
    for name in PLACED:
        kept = {id(item) for item in getattr(spec, name)}
        spec.bodies = ordered(spec.world)
        found = [item for body in spec.bodies for item in getattr(body, name) if id(item) in kept]
        for index, item in enumerate(found):
            item.index = index
        setattr(spec, name, found)
    for index, body in enumerate(spec.bodies):
        body.index = index
    for pair in spec.pairs:  # the geom of the earlier body comes first
        pair.values["ends"] = sorted(pair["ends"], key=lambda geom: geom.body.index)
    spec.pairs.sort(key=lambda pair: [geom.body.index for geom in pair["ends"]])


def ordered(world: Body) -> list[Body]:
    """All bodies, depth first."""
    found, stack = [], [world]
    while stack:
        found.append(stack.pop())
        stack += reversed(found[-1].bodies)
    return found

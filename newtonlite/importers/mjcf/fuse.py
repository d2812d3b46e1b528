"""``fusestatic``: bodies without joints become part of their parents."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .frame import ONE, ZERO, chain, rotate
from .masses import ALWAYS, of_body
from .sections import references
from .spec import Body, Item, Spec

PLACED = ("geoms", "sites", "cameras", "lights")
BODIES = ("body", "xbody")


def fuse_static(spec: Spec, meshes) -> None:
    """Merge all bodies that are static, plain and unreferenced into their parents, where the compiler settings say so."""
    if not spec.document.compiler["fusestatic"]:
        return
    kept = referenced(spec)
    for body in spec.bodies[1:]:
        if not (body.joints or body.values["mocap"] or body.values["gravcomp"] or id(body) in kept):
            fuse(body, spec, meshes)
    renumber(spec)


def referenced(spec: Spec) -> set[int]:
    """The bodies that something else speaks of."""
    sections = (spec.excludes, spec.equalities, spec.actuators, spec.sensors, spec.customs, spec.cameras, spec.lights, spec.tendons)
    names = {name for items in sections for item in items for name in named_bodies(item)}
    found = spec.names.get("body", {})
    return {id(found[name]) for name in names if name in found}


def named_bodies(item: Item) -> Iterator[str]:
    """The names of bodies that an element speaks of."""
    for node, attr, kind in references(item.node):
        if kind in BODIES:
            yield item.place.full(node.values[attr])
    for node in item.node.walk():
        for kind, name in (("objtype", "objname"), ("reftype", "refname")):
            if node.attrs.get(kind) in BODIES and name in node.values:
                yield item.place.full(node.values[name])


def fuse(body: Body, spec: Spec, meshes) -> None:
    """Hand all that is on a body to its parent; its children take its place."""
    parent = body.parent
    if parent.parent is not None:
        add_mass(body, parent, meshes)
    for name in PLACED:
        for item in getattr(body, name):
            item.pos, item.quat = chain(body.pos, body.quat, item.pos, item.quat)
            if name == "lights":
                pos, quat = chain(body.pos, body.quat, item.place.pos, item.place.quat)
                item.place = replace(item.place, pos=pos, quat=quat)
            item.body = parent
            getattr(parent, name).append(item)
    for child in body.bodies:
        child.pos, child.quat = chain(body.pos, body.quat, child.pos, child.quat)
        child.parent = parent
    at = next(i for i, other in enumerate(parent.bodies) if other is body)
    parent.bodies[at : at + 1] = body.bodies
    if body.name:
        del spec.names["body"][body.name]


def add_mass(body: Body, parent: Body, meshes) -> None:
    """Where one of two bodies gives its own inertia, their sum becomes the parent's own; else it follows from the geoms."""
    if parent.place.document.compiler["inertiafromgeom"] == ALWAYS or (body.inertial is None and parent.inertial is None):
        return
    one, two = of_body(parent, meshes), of_body(body, meshes)
    pos, quat = chain(body.pos, body.quat, tuple(two.com), ONE)
    turn = np.array([rotate(body.quat, axis) for axis in np.eye(3).tolist()]).T
    place = body.inertial or parent.inertial
    mass = one.mass + two.mass
    com = np.array(ZERO) if mass <= 0 else (one.mass * one.com + two.mass * np.array(pos)) / mass
    tensor = one.inertia + turn @ two.inertia @ turn.T + steiner(one.mass, one.com - com) + steiner(two.mass, np.array(pos) - com)
    full = tuple(float(tensor[k]) for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    values = place.values | {"mass": mass} | ({"fullinertia": full} if tensor.any() else {"diaginertia": ZERO})
    parent.inertial = Item(place.node, place.place, values, "", tuple(com.tolist()), ONE, place.given)


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


def ordered(world: Body) -> list[Body]:
    """All bodies, depth first."""
    found, stack = [], [world]
    while stack:
        found.append(stack.pop())
        stack += reversed(found[-1].bodies)
    return found

"""Composition of the tree of bodies: frames, default classes, replicate and attach are resolved here."""

import os
from collections.abc import Iterator
from dataclasses import replace

from newtonlite.core.limits import most
from newtonlite.importers.mjcf.check import suggestion
from newtonlite.importers.mjcf.conflict import merge_settings
from newtonlite.importers.mjcf.defaults import complete, overlay
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.files import Files
from newtonlite.importers.mjcf.flexcomp.expand import expand
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.irregular import euler, orientation
from newtonlite.importers.mjcf.read import MAX_ELEMENTS, Node, parse
from newtonlite.importers.mjcf.spec import Body, ElementContext, Item, Spec
from newtonlite.importers.report import Report
from newtonlite.math.quat import ONE, ZERO, Vec, product

Step = tuple[Iterator[Node], Body, ElementContext]
MAX_ATTACH = 32
"""Deepest chain of models that attach models."""
LIST_OF = {
    "joint": "joints",
    "freejoint": "joints",
    "geom": "geoms",
    "site": "sites",
    "camera": "cameras",
    "light": "lights",
}


class Composer:
    """Walks the world of a document and those attached to it, and fills a ``Spec``."""

    def __init__(self, document: Document):
        root = document.root
        self.spec = Spec(document, Body(root, ElementContext(document), "world", None))
        self.spec.register("body", "world", self.spec.world, root)
        self.budget, self.copied = MAX_ELEMENTS, most("copies")
        self.attached: list[tuple[Document, ElementContext]] = []
        self.joined: list[tuple[Node, Document, Document]] = []

    def compose(self) -> Spec:
        """The tree of bodies, numbered depth first, and all that hangs on it."""
        spec, document = self.spec, self.spec.document
        for section in document.sections["worldbody"]:
            self.walk(section.children, spec.world, ElementContext(document))
        for step in reversed(self.joined):  # what is attached to an attached model first
            merge_settings(*step)
        self.number()
        return spec

    def walk(self, nodes: list[Node], body: Body, place: ElementContext) -> None:
        """Elements in order, those inside others before those after them."""
        stack: list[Step] = [(iter(nodes), body, place)]
        while stack:
            nodes_left, body, place = stack[-1]
            node = next(nodes_left, None)
            if node is None:
                stack.pop()
                continue
            self.budget -= 1
            if self.budget < 0:
                raise node.error(f"the model has more than {MAX_ELEMENTS} elements, copies included")
            if place.suffix or place.prefix:
                self.copied -= 1
                if self.copied < 0:
                    raise node.error(f"the model has more than {most('copies')} elements that are copies")
            if node.tag == "body":
                child = self.add_body(node, body, place)
                inner = replace(place, pos=ZERO, quat=ONE, childclass=self.inside(node, place).childclass)
                stack.append((iter(node.children), child, inner))
            elif node.tag == "frame":
                stack.append((iter(node.children), body, self.framed(node, place)))
            elif node.tag == "replicate":
                stack += [(iter(node.children), body, copy) for copy in reversed(self.copies(node, place))]
            elif node.tag == "attach":
                stack.append(self.attach(node, body, place))
            elif node.tag == "inertial":
                self.add_inertial(node, body, place)
            elif node.tag == "flexcomp":
                expand(self, node, body, place)
            else:
                self.add_item(node, body, place)

    def inside(self, node: Node, place: ElementContext) -> ElementContext:
        """The place of a node's contents, with its childclass."""
        if "childclass" not in node.values:
            return place
        return replace(place, childclass=place.document.classes.check(node, "childclass"))

    def framed(self, node: Node, place: ElementContext) -> ElementContext:
        """The place of what is in a frame."""
        pos, quat = self.pose(node, node.values, place)
        return replace(self.inside(node, place), pos=pos, quat=quat)

    def pose(self, node: Node, values: dict, place: ElementContext) -> tuple[Vec, Vec]:
        """Pose in the body, frames included."""
        overlay(node, {})
        return chain(place.pos, place.quat, values.get("pos", ZERO), orientation(node, values, place.document))

    def add_body(self, node: Node, parent: Body, place: ElementContext) -> Body:
        """A body, and its name."""
        pos, quat = self.pose(node, node.values, place)
        body = Body(
            node, place, place.full(node.values.get("name", "")), parent, complete(node.element, node.values), pos, quat
        )
        self.named("body", body, node, place)
        parent.bodies.append(body)
        return body

    def named(self, kind: str, thing, node: Node, place: ElementContext) -> None:
        """Register a name, and remember the number that replication gave it."""
        self.spec.register(kind, thing.name, thing, node)
        if place.suffix and node.values.get("name"):
            self.spec.replicas.setdefault((kind, place.prefix + node.values["name"]), []).append(place)

    def add_inertial(self, node: Node, body: Body, place: ElementContext) -> None:
        """The inertia that a body gives itself."""
        if body.inertial is not None:
            raise node.error(f"<body> has a second inertial (first at {body.inertial.node.where()}); keep one")
        pos, quat = self.pose(node, node.values, place)
        body.inertial = Item(node, place, complete(node.element, node.values), "", pos, quat, frozenset(node.values))

    def add_item(self, node: Node, body: Body, place: ElementContext) -> None:
        """A joint, geom, site, camera or light: values from its class, pose from its frames."""
        values = (
            overlay(node, place.document.classes.of(node, place.childclass))
            if node.element.family
            else dict(node.values)
        )
        given = frozenset(values)
        pos, quat = ZERO, ONE
        if node.tag in ("geom", "site", "camera"):
            pos, quat = chain(place.pos, place.quat, values.get("pos", ZERO), orientation(node, values, place.document))
        item = Item(
            node, place, complete(node.element, values), place.full(node.values.get("name", "")), pos, quat, given
        )
        kind = "joint" if node.tag == "freejoint" else node.tag
        self.named(kind, item, node, place)
        getattr(body, LIST_OF[node.tag]).append(item)

    def add_flex(self, item: Item) -> None:
        """A soft body that a flexcomp made."""
        self.named("flex", item, item.node, item.place)
        self.spec.flexes.append(item)

    def copies(self, node: Node, place: ElementContext) -> list[ElementContext]:
        """The places of the copies that a replicate makes: each is turned by a multiple of its angles, and placed from
        the one before.
        """
        count = node.values["count"]
        if count < 0:
            raise node.error(f"{count} copies; give a number that is not negative", "count")
        size, left = weight(node.children), min(self.budget, self.copied)
        if count * max(size, 1) > left:
            raise node.error(f"{count} copies of {size} elements are more than the {left} that are left allow", "count")
        if all(inner.tag == "replicate" for child in node.children for inner in child.walk()):
            return []  # of nothing, however often
        place = self.inside(node, place)
        offset, angles = node.values.get("offset", ZERO), node.values.get("euler", ZERO)
        digits, sep = len(str(count)), node.values.get("sep", "")
        found, pos = [], place.pos
        for i in range(count):
            quat = product(place.quat, euler(tuple(i * angle for angle in angles), place.document))
            found.append(
                replace(
                    place,
                    pos=pos,
                    quat=quat,
                    suffix=f"{sep}{i:0{digits}}{place.suffix}",
                    first=place.first and i == 0,
                    attached_before=len(self.attached),
                )
            )
            pos = chain(pos, quat, offset, ONE)[0]
        return found

    def attach(self, node: Node, body: Body, place: ElementContext) -> Step:
        """The contents of another model, or one of its bodies, to be walked in here."""
        if "model" not in node.values:
            return self.attach_own(node, body, place)
        document = self.model(node, place.document)
        wanted = [(kind, node.values[kind]) for kind in ("body", "frame") if kind in node.values]
        if len(wanted) > 1:
            raise node.error("takes a body or a frame of the model, not both", "frame")
        inner = replace(
            place, document=document, prefix=place.prefix + node.values.get("prefix", ""), childclass="main"
        )
        inner = replace(inner, owner=inner.prefix)
        self.attached.append((document, inner))
        self.joined.append((node, place.document, document))
        if not wanted:
            return iter(document.world), body, inner
        for found in (n for top in document.world for n in top.walk()):
            if (found.tag, found.values.get("name")) == wanted[0]:
                return iter([found]), body, replace(inner, childclass=class_around(found, document))
        raise node.error(f"model '{node.values['model']}' has no {wanted[0][0]} '{wanted[0][1]}'", wanted[0][0])

    def attach_own(self, node: Node, body: Body, place: ElementContext) -> Step:
        """A copy of a body or a frame of the model itself, which stands before, with another prefix."""
        wanted = [(kind, node.values[kind]) for kind in ("body", "frame") if kind in node.values]
        if len(wanted) != 1:
            raise node.error("takes a body or a frame of the model itself where it names no model; give one of them")
        (kind, name), document = wanted[0], place.document
        if kind == "body":
            bodies = self.spec.names.get("body", {})
            found = bodies.get(place.full(name), bodies.get(place.prefix + name))
            source, prefix = (found.node, found.place.prefix) if found is not None else (None, "")
        else:
            nodes = (n for top in document.world for n in top.walk())
            source, prefix = (
                next(
                    (n for n in nodes if n.tag == kind and n.values.get("name") == name and n.offset < node.offset),
                    None,
                ),
                place.prefix,
            )
        if source is None:
            raise node.error(f"there is no {kind} '{name}' before it to attach", kind)
        if any(part is node for part in source.walk()):
            raise node.error(f"stands inside the {kind} '{name}' that it attaches; put it outside", kind)
        around = class_around(source, document)
        within = f"{place.prefix}{node.values.get('prefix', '')}{prefix.removeprefix(place.prefix)}"
        inner = replace(place, prefix=within, once=prefix, childclass=around)
        self.attached.append((document, inner))
        return iter([source]), body, inner

    def model(self, node: Node, document: Document) -> Document:
        """The document of a model asset; read once."""
        name = node.values["model"]
        for asset in document.items("asset"):
            if asset.tag == "model" and name not in document.attached and asset.values.get("name", name) == name:
                found = load_model(asset, document)
                document.attached[asset.values.get("name") or found.root.values.get("model", "MuJoCo Model")] = found
        if name in document.attached:
            return document.attached[name]
        raise node.error(f"there is no model '{name}'{suggestion(name, document.attached)}", "model")

    def number(self) -> None:
        """Number everything in MuJoCo's order: bodies depth first, and what is on them by body."""
        spec = self.spec
        stack = [spec.world]
        while stack:
            body = stack.pop()
            body.index = len(spec.bodies)
            spec.bodies.append(body)
            stack += reversed(body.bodies)
        for body in spec.bodies:
            for name in ("joints", "geoms", "sites", "cameras", "lights"):
                target = getattr(spec, name)
                for item in getattr(body, name):
                    item.body, item.index = body, len(target)
                    target.append(item)


def load_model(asset: Node, document: Document) -> Document:
    """Read the file of a model asset. ParseError for models that attach themselves."""
    data, name = document.files.read(asset, "file")
    key = os.path.realpath(name)
    if key in document.chain:
        raise asset.error(f"model '{name}' attaches itself", "file")
    if len(document.chain) > MAX_ATTACH:
        raise asset.error(f"models attach each other more than {MAX_ATTACH} deep", "file")
    files: Files = document.files.beside(name)
    report: Report = document.report
    found = Document(parse(data, name), files, report)
    found.chain, found.host = (*document.chain, key), document.host
    return found


def class_around(node: Node, document: Document) -> str:
    """The nearest childclass among the bodies and frames that a node of a document stands in."""
    stack = [(top, "main") for top in document.world]
    while stack:
        around, childclass = stack.pop()
        if around is node:
            return childclass
        if "childclass" in around.values:
            childclass = document.classes.check(around, "childclass")
        stack += [(child, childclass) for child in around.children]
    return "main"


def weight(nodes: list[Node]) -> int:
    """Number of elements that some nodes stand for, replicates multiplied."""
    total = 0
    stack = [(node, 1) for node in nodes]
    while stack:
        node, times = stack.pop()
        total += times
        if total > MAX_ELEMENTS:
            break
        inner = times * max(node.values.get("count", 1), 0) if node.tag == "replicate" else times
        stack += [(child, inner) for child in node.children]
    return total

"""Relations: references of tendons, equalities, pairs, excludes, cameras and lights, and their limits."""

from collections.abc import Callable

from newtonlite.core.errors import MissingError
from newtonlite.core.mujoco import MjtEq, MjtJoint
from newtonlite.importers.mjcf.actuators import resolve_actuator
from newtonlite.importers.mjcf.flexes import EQUALITIES, resolve_flexes
from newtonlite.importers.mjcf.joints import decide_all
from newtonlite.importers.mjcf.key_numbers import resolve_keys
from newtonlite.importers.mjcf.paths import check_path
from newtonlite.importers.mjcf.sensors import resolve_sensor
from newtonlite.importers.mjcf.shapes import CONDIMS, resolve_material
from newtonlite.importers.mjcf.spec import Item, Spec


def resolve_relations(spec: Spec) -> None:
    """Settle everything beside the world in place, or raise ParseError."""
    resolve_flexes(spec)
    for item in spec.tendons:
        resolve_tendon(spec, item)
    for item in spec.actuators:
        resolve_actuator(spec, item)
    for item in spec.equalities:
        resolve_equality(spec, item)
    for item in spec.pairs:
        resolve_pair(spec, item)
    spec.excludes = [item for item in spec.excludes if found(spec, item, resolve_exclude)]
    spec.pairs.sort(key=lambda item: [end.body.index for end in item["ends"]])
    spec.excludes.sort(key=lambda item: sorted(body.index for body in item["bodies"]))
    for item in spec.cameras + spec.lights:
        resolve_view(spec, item)
    spec.sensors = [item for item in spec.sensors if found(spec, item, resolve_sensor)]
    resolve_keys(spec)


def found(spec: Spec, item: Item, resolve: Callable[[Spec, Item], None]) -> bool:
    """Whether all that an element refers to exists; where not, it is left out with a warning."""
    try:
        resolve(spec, item)
        return True
    except MissingError as problem:
        spec.document.report.leave_out(problem)
        return False


def resolve_exclude(spec: Spec, item: Item) -> None:
    """The two bodies that do not touch; MissingError where one is not named or does not exist."""
    for name in ("body1", "body2"):
        if name not in item.node.values:
            raise MissingError(str(item.node.error(f"needs the attribute '{name}'")))
    item.values["bodies"] = [spec.find("body", item, attr) for attr in ("body1", "body2")]


def resolve_tendon(spec: Spec, item: Item) -> None:
    """The path of a tendon: (node, what, number) each."""
    path, nodes = [], []
    for node in item.node.children:
        part = Item(node, item.place, node.values)
        if node.tag == "pulley":
            path.append(("pulley", None, node.values["divisor"]))
        else:
            thing = find_step(spec, part)
            if thing is None:
                continue
            if node.tag == "joint" and thing["type"] not in (MjtJoint.SLIDE, MjtJoint.HINGE):
                raise node.error("a fixed tendon runs over hinges and slides only", "joint")
            side = find_side(spec, part) if "sidesite" in node.values else None
            path.append((node.tag, thing, node.values.get("coef", side)))
        nodes.append(node)
    if not path:
        raise item.node.error(
            "the tendon is empty; give it joints" if item.node.tag == "fixed" else "the tendon is empty; give it sites"
        )
    item.values["path"] = path
    if item.node.tag == "spatial" and len(nodes) == len(item.node.children):  # else the engine looks at what is left
        check_path(item, nodes)
    resolve_material(item)
    decide_all(item)
    for name in ("springyield", "armature"):
        if item[name] < 0:
            raise item.node.error(f"{item[name]:g} is negative; give at least 0", name)
    if item.values.get("width", 1.0) <= 0:
        raise item.node.error(f"{item['width']:g}; the width of a string is positive", "width")
    low, high = item["springlength"]
    if low > high:
        raise item.node.error(
            f"the dead band {low:g} to {high:g} is reversed; give the lower length first", "springlength"
        )


def find_step(spec: Spec, part: Item):
    """The joint, site or geom of a step of a tendon; None, with a warning, where a string names one that does not
    exist.
    """
    try:
        if part.node.tag not in part.node.values:
            raise MissingError(str(part.node.error(f"names no {part.node.tag}")))
        return spec.find(part.node.tag, part, part.node.tag)
    except MissingError as problem:
        if part.node.tag == "joint":
            raise
        name = part.node.values.get(part.node.tag, "")
        spec.document.report.leave_out(
            f"{problem}; tendon references unknown {part.node.tag} '{name}', skipping element"
        )
        return None


def find_side(spec: Spec, part: Item):
    """The site that keeps a string to its side of a geom; None, with a warning, where there is none of that name."""
    try:
        return spec.find("site", part, "sidesite")
    except MissingError as problem:
        spec.document.report.leave_out(f"{problem}; sidesite '{part.node.values['sidesite']}' not found")
        return None


def resolve_equality(spec: Spec, item: Item) -> None:
    """The two things that are tied; bodies, sites, joints or tendons."""
    node, values = item.node, item.values
    if node.tag in ("joint", "tendon"):
        ends = [
            spec.find(node.tag, item, f"{node.tag}{k}") if f"{node.tag}{k}" in node.values else None for k in (1, 2)
        ]
        check_ends(node, ends, node.tag)
        values |= {"eqtype": MjtEq.JOINT if node.tag == "joint" else MjtEq.TENDON, "ends": ends, "of": node.tag}
        return
    if node.tag in EQUALITIES:
        ends = values.get("ends") or [spec.find("flex", item, "flex")]
        values |= {"eqtype": EQUALITIES[node.tag], "ends": ends, "of": "flex"}
        return
    sites = [f"site{k}" in node.values for k in (1, 2)]
    if any(sites) and (not all(sites) or "body1" in node.values or "anchor" in node.values):
        raise node.error("give both sites and neither bodies nor anchor, or bodies and no sites")
    if not any(sites) and ("body1" not in node.values or (node.tag == "connect" and "anchor" not in node.values)):
        raise node.error("needs site1 and site2, or body1" + (" and anchor" if node.tag == "connect" else ""))
    of = "site" if any(sites) else "body"
    ends = [spec.find(of, item, f"{of}{k}") if f"{of}{k}" in node.values else spec.world for k in (1, 2)]
    check_ends(node, ends, of)
    values |= {"eqtype": MjtEq.CONNECT if node.tag == "connect" else MjtEq.WELD, "ends": ends, "of": of}


def check_ends(node, ends: list, of: str) -> None:
    """Raise ParseError where an equality ties a thing to itself."""
    if ends[0] is ends[1]:
        raise node.error(f"ties a {of} to itself; name another one", f"{of}2" if f"{of}2" in node.values else f"{of}1")


def resolve_pair(spec: Spec, item: Item) -> None:
    """Two geoms, that of the lower body first; parameters are the pair's own, never those of its geoms."""
    one, two = [find_geom(spec, item, attr) for attr in ("geom1", "geom2")]
    if item["condim"] not in CONDIMS:
        raise item.node.error(f"{item['condim']} is no dimension of contacts; give 1, 3, 4 or 6", "condim")
    if min(item["friction"]) < 0:
        raise item.node.error(f"{min(item['friction']):g} is negative; give friction of at least 0", "friction")
    item.values["ends"] = [two, one] if one.body.index > two.body.index else [one, two]


def find_geom(spec: Spec, item: Item, attr: str) -> Item:
    """A geom by its name, or by the label that it gets in the scene; MissingError where there is none."""
    name = item.node.values[attr]
    try:
        return spec.find("geom", item, attr)
    except MissingError:
        found = spec.names.get("geom", {}).get(name.rpartition("/")[2])
        if found is None or not f"{path_of(found.body)}/{found.name}".endswith(name):
            raise
        return found


def path_of(body) -> str:
    """The names of a body and of all that carry it, as in labels."""
    model = body.place.document.root.values.get("model")
    names = []
    while body.parent is not None:
        names.append(body.name.replace("-", "_"))
        body = body.parent
    return "/".join([*([model] if model else []), "worldbody", *reversed(names)])


def resolve_view(spec: Spec, item: Item) -> None:
    """The body a camera or light follows with its eyes."""
    item.values["target_body"] = spec.find("body", item, "target") if "target" in item.node.values else None

"""Relations: references of tendons, equalities, actuators, pairs and keyframes, and their limits."""

from collections.abc import Callable

from newtonlite.core.enums import TrnType
from newtonlite.core.errors import MissingError
from newtonlite.core.motor import control_count, motor_activations, pid_activations
from newtonlite.core.mujoco import MjtBias, MjtDyn, MjtEq, MjtGain, MjtJoint
from newtonlite.importers.mjcf.flexes import EQUALITIES, resolve_flexes
from newtonlite.importers.mjcf.joints import decide_all
from newtonlite.importers.mjcf.paths import check_path
from newtonlite.importers.mjcf.plugins import check_pid, plugin_of
from newtonlite.importers.mjcf.sensors import resolve_sensor
from newtonlite.importers.mjcf.shapes import CONDIMS, resolve_material
from newtonlite.importers.mjcf.spec import Item, Spec, joint_width
from newtonlite.math.quat import ONE, unit_tuple
from newtonlite.schema.actuator import GENERAL

TARGETS = {
    "joint": TrnType.JOINT,
    "jointinparent": TrnType.JOINT_IN_PARENT,
    "tendon": TrnType.TENDON,
    "site": TrnType.SITE,
    "body": TrnType.BODY,
    "cranksite": TrnType.SLIDERCRANK,
}
ACTIVATIONS = {MjtDyn.DCMOTOR: motor_activations, MjtDyn.PID: pid_activations}


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


def resolve_actuator(spec: Spec, item: Item) -> None:
    """Target, ranges, and what the dynamics need."""
    node, values = item.node, item.values
    given = [attr for attr in TARGETS if attr in node.values]
    if len(given) != 1:
        found = f"'{given[0]}' and '{given[1]}'" if given else "none"
        raise node.error(
            f"acts on exactly one of joint, jointinparent, tendon, site, body; here it has {found}",
            given[1] if given else None,
        )
    attr = given[0]
    kind = {"joint": "joint", "jointinparent": "joint", "cranksite": "site"}.get(attr, attr)
    values["trntype"], values["target"] = TARGETS[attr], spec.find(kind, item, attr)
    if values["target"] is spec.world:
        raise node.error("the world is no target", attr)
    resolve_sites(spec, item, attr)
    check_law(item, attr)
    if node.tag == "plugin":
        values["plugin"] = plugin_of(node, item.place, "actuator")
        check_pid(item)
    if "ctrlspec" not in values:
        values["ctrlspec"] = 0
    inherit(item)
    decide_all(item, GENERAL)
    check_activations(node, values)


def check_activations(node, values: dict) -> None:
    """Check the number of activations of each kind of dynamics."""
    count, dyn = values.get("actdim", -1), values["dyntype"]
    if count < 0 or dyn == MjtDyn.USER or node.tag == "plugin":
        return
    at = "actdim" if "actdim" in node.values else None
    if dyn in ACTIVATIONS:
        if (need := ACTIVATIONS[dyn](values["dynprm"], values["gainprm"])) != count:
            raise node.error(f"{count} activations where the parameters have {need}; leave it out", at)
    elif count > 1:
        raise node.error(f"{count} activations need dyntype user, dcmotor or pid", at)


def check_law(item: Item, attr: str) -> None:
    """Check that gain, bias and dynamics go together."""
    gain, bias, dyn = (item[f"{name}type"] for name in ("gain", "bias", "dyn"))
    if (gain == MjtGain.SO3) != (bias == MjtBias.SO3):
        raise item.node.error(
            "gaintype and biastype are so3 together or not at all",
            "gaintype" if "gaintype" in item.node.values else None,
        )
    if gain == MjtGain.SO3:
        check_turning(item, attr)
        if dyn not in (MjtDyn.NONE, MjtDyn.INTEGRATOR):
            raise item.node.error("gaintype so3 goes with dyntype none or integrator", "dyntype")
    if gain == MjtGain.PID and bias != MjtBias.AFFINE:
        raise item.node.error(
            "gaintype pid needs biastype affine", "biastype" if "biastype" in item.node.values else "gaintype"
        )
    if MjtDyn.DCMOTOR == dyn and not item["actearly"]:
        raise item.node.error("a dcmotor computes its force from the next activation; give actearly", "dyntype")


def check_turning(item: Item, attr: str) -> None:
    """Check that an orientation servo acts on a ball joint, or on a site with a reference site."""
    if attr == "joint" and item["target"]["type"] != MjtJoint.BALL:
        raise item.node.error("an orientation servo needs a ball joint", attr)
    if attr == "site" and item["refsite_item"] is None:
        raise item.node.error("an orientation servo on a site needs a 'refsite' too", attr)
    if attr not in ("joint", "site"):
        raise item.node.error("an orientation servo acts on a ball joint, or on a site with a refsite", attr)


def resolve_sites(spec: Spec, item: Item, attr: str) -> None:
    """The second site of a slider-crank or of a force between sites."""
    node, values = item.node, item.values
    if "refsite" in node.values and attr != "site":
        raise node.error("goes with a site transmission only", "refsite")
    if attr == "cranksite" and "slidersite" not in node.values:
        raise node.error("a slider-crank needs 'slidersite' too", attr)
    if attr == "cranksite" and values.get("cranklength", 0.0) <= 0:
        raise node.error(
            f"{values.get('cranklength', 0.0):g}; a slider-crank's cranklength must be positive",
            "cranklength" if "cranklength" in node.values else attr,
        )
    for name in ("refsite", "slidersite"):
        values[f"{name}_item"] = spec.find("site", item, name) if name in node.values else None


def inherit(item: Item) -> None:
    """``inheritrange``: the range of the target, scaled about its middle, for the control or the integrated activation."""
    factor = item.values.get("inheritrange") or 0.0
    if factor == 0:
        return
    if factor < 0:
        raise item.node.error(
            f"{factor:g} is negative; give a positive factor",
            "inheritrange" if "inheritrange" in item.node.values else None,
        )
    target, values = item["target"], item.values
    if (
        item["trntype"] not in (TrnType.JOINT, TrnType.TENDON)
        or values["gaintype"] not in (MjtGain.FIXED, MjtGain.PID)
        or values["biastype"] != 1
    ):
        return
    if values["gaintype"] == MjtGain.FIXED and values["gainprm"][0] != -values["biasprm"][1]:
        return
    if not target.limits.get("range"):
        raise item.node.error(
            f"'{target.name}' has no range to inherit", "inheritrange" if "inheritrange" in item.node.values else None
        )
    low, high = target["range"]
    middle, half = 0.5 * (low + high), 0.5 * factor * (high - low)
    values["actrange" if values["dyntype"] == 1 else "ctrlrange"] = (middle - half, middle + half)
    item.given = item.given | {"actrange" if values["dyntype"] == 1 else "ctrlrange"}


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


def resolve_keys(spec: Spec) -> None:
    """Numbers of keyframes, all of them, in the model's order; those of attached models fill their own places."""
    sizes = {
        "qpos": sum(joint_width(j["type"])[0] for j in spec.joints),
        "qvel": sum(joint_width(j["type"])[1] for j in spec.joints),
        "ctrl": len(spec.actuators),
    }
    for item in spec.keys:
        if item.place.document is not spec.document:
            item.values |= dict.fromkeys(
                ("qpos", "qvel", "act", "ctrl", "mpos", "mquat", "plastic"), ()
            ) | attached_numbers(spec, item)
            continue
        for name, size in sizes.items():
            got = len(item.values.get(name) or ())
            if got > size:
                raise item.node.error(f"has {got} numbers; the model has {size}", name)
        normalize(spec, item)


def normalize(spec: Spec, item: Item) -> None:
    """Quaternions of a keyframe at length one; zero ones become no rotation."""
    qpos, at = list(item.values.get("qpos") or ()), 0
    for joint in spec.joints if qpos else ():
        width = joint_width(joint["type"])[0]
        if joint["type"] in (MjtJoint.FREE, MjtJoint.BALL) and at + width <= len(qpos):
            end = at + width
            qpos[end - 4 : end] = unit_tuple(tuple(qpos[end - 4 : end])) or ONE
        at += width
    item.values["qpos"] = tuple(qpos)


def attached_numbers(spec: Spec, item: Item) -> dict:
    """The numbers of an attached model's keyframe, spread over the model's own places; those of others are as in the
    file. Numbers that do not fit its own things are left out.
    """
    mine = lambda thing: (
        thing.place.document is item.place.document
        and (thing.place.prefix, thing.place.suffix) == (item.place.prefix, item.place.suffix)
    )
    out = {}
    for name, places in key_places(spec).items():
        numbers, at = tuple(item.values.get(name) or ()), 0
        own = [start for thing, start in places if mine(thing)]
        if not numbers or len(numbers) > sum(map(len, own)):
            continue
        numbers += tuple(x for start in own for x in start)[len(numbers) :]
        values: list[float] = []
        for thing, start in places:
            values += numbers[at : at + len(start)] if mine(thing) else start
            at += len(start) * mine(thing)
        out[name] = tuple(values)
    return out


def key_places(spec: Spec) -> dict[str, list]:
    """For each list of a keyframe: the things that have numbers in it, in order, with those that they start from."""
    joints = [(j, rest(j), [0.0] * joint_width(j["type"])[1]) for j in spec.joints]
    mocaps = [body for body in spec.bodies if body.values.get("mocap")]
    return {
        "qpos": [(joint, start) for joint, start, _ in joints],
        "qvel": [(joint, still) for joint, _, still in joints],
        "act": [(actuator, [0.0] * activations(actuator)) for actuator in spec.actuators],
        "ctrl": [(actuator, [0.0] * controls(actuator)) for actuator in spec.actuators],
        "mpos": [(body, list(body.pos)) for body in mocaps],
        "mquat": [(body, list(body.quat)) for body in mocaps],
    }


def activations(actuator: Item) -> int:
    """Activation variables of an actuator."""
    count, dyn = actuator.values.get("actdim", -1), actuator["dyntype"]
    if count >= 0:
        return count
    if dyn in ACTIVATIONS:
        return ACTIVATIONS[dyn](actuator["dynprm"], actuator["gainprm"])
    return 3 if dyn == MjtDyn.INTEGRATOR and actuator["gaintype"] == MjtGain.SO3 else int(dyn != MjtDyn.NONE)


def controls(actuator: Item) -> int:
    """Controls of an actuator."""
    return control_count(actuator["gaintype"], actuator.values.get("ctrlspec") or 0)


def rest(joint: Item) -> list[float]:
    """Coordinates of a joint in the pose of the file."""
    if joint["type"] == MjtJoint.FREE:
        return [*joint.body.pos, *joint.body.quat]
    return [1.0, 0.0, 0.0, 0.0] if joint["type"] == MjtJoint.BALL else [joint["ref"]]

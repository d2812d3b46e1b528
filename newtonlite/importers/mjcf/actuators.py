"""Actuators: the thing that each acts on, what its gain, bias and dynamics ask for, and its inherited range."""

from newtonlite.core.enums import TrnType
from newtonlite.core.motor import control_count, motor_activations, pid_activations
from newtonlite.core.mujoco import MjtBias, MjtDyn, MjtGain, MjtJoint
from newtonlite.importers.mjcf.joints import decide_all
from newtonlite.importers.mjcf.plugins import check_pid, plugin_of
from newtonlite.importers.mjcf.spec import Item, Spec
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
    values = item.values
    gain, bias, dyn = values["gaintype"], values["biastype"], values["dyntype"]
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

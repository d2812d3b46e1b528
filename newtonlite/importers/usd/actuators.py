"""MuJoCo's actuators: targets, ranges, laws; position and velocity servos follow joint targets."""

from dataclasses import dataclass, field
from typing import Any

from newtonlite.core.enums import CtrlSource, CtrlType, JointTargetMode, TrnType
from newtonlite.core.mujoco import MjtBias, MjtLimited
from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.plugins import read_plugin
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import Dof, UsdBody, UsdSpec
from newtonlite.schema.actuator import CONTROLS, GENERAL
from newtonlite.schema.execute import scene_values

UNIT_GEAR = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(eq=False)
class UsdActuator:
    """One actuator; the target is a Dof, a Shape (a site), a Body or a Tendon, by ``kind``."""

    prim: Prim
    kind: int
    target: Any
    refsite: Any = None
    slidersite: Any = None
    values: dict[str, Any] = field(default_factory=dict)
    source: int = CtrlSource.CTRL_DIRECT
    servo: int = CtrlType.GENERAL
    plugin: str | None = None


def read_actuators(spec: UsdSpec, ctrl_direct: bool = False) -> None:
    """All actuators, in the order of the stage; those without a target are left out, which the report tells.

    Position and velocity servos follow joint targets, unless ``ctrl_direct``.
    """
    for prim in spec.walk.of_type("MjcActuator"):
        targets = prim.targets("mjc:target")
        if not targets:
            spec.report.ignore(prim, "has no target and acts on nothing", "mjc:target")
            continue
        if len(targets) > 1:
            raise prim.error(f"names {len(targets)} targets; give one", "mjc:target")
        if spec.walk.ignored(targets[0]):
            spec.report.ignore(prim, "acts on what the caller leaves out", "mjc:target")
            continue
        actuator = read_actuator(spec, prim, targets[0])
        if actuator is not None:
            if not ctrl_direct:
                follow(actuator)
            spec.report.used["actuator"] += 1
            spec.actuators.append(actuator)


def read_actuator(spec: UsdSpec, prim: Prim, path: str) -> UsdActuator | None:
    """One actuator; None for one that is left out."""
    kind, target = target_of(spec, prim, path)
    if target is None:
        return None
    actuator = UsdActuator(
        prim, kind, target, site_of(spec, prim, "mjc:refSite"), site_of(spec, prim, "mjc:sliderSite")
    )
    if actuator.slidersite is not None:
        if kind != TrnType.SITE:
            raise prim.error("a slider-crank needs a site as target", "mjc:target")
        actuator.kind = TrnType.SLIDERCRANK
    if prim.flag("mjc:jointInParent", False) and kind == TrnType.JOINT:
        actuator.kind = TrnType.JOINT_IN_PARENT
    actuator.values, actuator.plugin = mjc.values(prim, GENERAL, defaults=True), read_plugin(prim, "actuator")
    read_controls(prim, actuator)
    bounds(prim, actuator)
    return actuator


def read_controls(prim: Prim, actuator: UsdActuator) -> None:
    """Meaning of the controls of one actuator, the bits of ``mjc:ctrlSpec``, and their ranges."""
    bits = prim.get("mjc:ctrlSpec")
    if bits is None:
        return
    if not 0 <= int(bits) < 2 * max(CONTROLS.words.values()):
        raise prim.error(f"is {bits}; give a sum of {CONTROLS.words}", "mjc:ctrlSpec")
    actuator.values["ctrlspec"] = int(bits)
    for name, attr in (("velrange", "mjc:velRange"), ("ffrange", "mjc:ffRange")):
        band = prim.numbers(attr, 2)
        if band is not None:
            actuator.values[name] = tuple(float(x) for x in band)


def target_of(spec: UsdSpec, prim: Prim, path: str) -> tuple[int, Any]:
    """Kind and record of a target; None for one that does not move, or is of no kind that can be driven."""
    joint = spec.joint_at.get(path)
    if joint is not None:
        if not joint.dofs or (len(joint.dofs) > 1 and any(not d.turns for d in joint.dofs)):
            spec.report.unsupported(prim.error(f"<{path}> is no hinge, slide or ball; target one", "mjc:target"))
            return TrnType.JOINT, None
        return TrnType.JOINT, joint.dofs[0]
    tendon = next((t for t in spec.tendons if t.prim.path == path), None)
    if tendon is not None:
        return TrnType.TENDON, tendon
    shape = spec.shape_at.get(path)
    if shape is not None and shape.site:
        return TrnType.SITE, shape
    if path in spec.body_at:
        free = free_of(spec, spec.body_at[path]) if prim.flag("mjc:freeJoint", False) else None
        return (TrnType.BODY, spec.body_at[path]) if free is None else (TrnType.JOINT, free)
    if spec.walk.find(path) is None:
        raise prim.error(f"there is no prim <{path}>", "mjc:target")
    spec.report.unsupported(prim.error(f"<{path}> is no joint, tendon, site or body; target one", "mjc:target"))
    return TrnType.JOINT, None


def free_of(spec: UsdSpec, body: UsdBody) -> Dof | None:
    """The first axis of the free joint that carries a body; None where none does."""
    bases = [tree.base for tree in spec.trees if tree.root is body and tree.base is not None]
    return bases[0].dofs[0] if bases and bases[0].dofs else None


def site_of(spec: UsdSpec, prim: Prim, name: str) -> Any:
    """The site that a relationship names; None where it names none."""
    paths = prim.targets(name)
    if not paths:
        return None
    shape = spec.shape_at.get(paths[0])
    if shape is None or not shape.site:
        raise prim.error(f"<{paths[0]}> is no site", name)
    return shape


def bounds(prim: Prim, actuator: UsdActuator) -> None:
    """Ranges, and whether they count."""
    values = actuator.values
    inherited(prim, actuator)
    for name in ("ctrl", "force", "act"):
        low, high = values[f"{name}range"]
        limited = values[f"{name}limited"]
        if limited == 1 and not low < high:
            raise prim.error(f"{low:g} is not less than {high:g}; give the lower bound first", f"mjc:{name}Range:min")
        values[f"{name}limited"] = int(low < high) if limited == MjtLimited.AUTO else int(limited)


def inherited(prim: Prim, actuator: UsdActuator) -> None:
    """``inheritRange``: the range of the joint or tendon, scaled about its middle, for the control or the activation."""
    values = actuator.values
    factor = values.pop("inheritrange", 0.0)
    if not factor:
        return
    if factor < 0:
        raise prim.error(f"{factor:g} is negative; give a positive factor", "mjc:inheritRange")
    target = actuator.target
    if isinstance(target, Dof):
        ref = target.custom.get("dof_ref", 0.0)
        low, high = target.lower + ref, target.upper + ref
    else:
        low, high = getattr(target, "values", {}).get("range", (0.0, 0.0))
    if not low < high or high - low > 1e9:
        raise prim.error("the target has no range to inherit", "mjc:inheritRange")
    middle, half = 0.5 * (low + high), 0.5 * factor * (high - low)
    values["actrange" if values["dyntype"] == 1 else "ctrlrange"] = (middle - half, middle + half)


def follow(actuator: UsdActuator) -> None:
    """A servo on one hinge or slide that no drive moves follows the joint's target."""
    values, dof = actuator.values, actuator.target
    plain = (
        actuator.kind == TrnType.JOINT
        and values.get("ctrlspec", 0) in (0, 1, 2)
        and values["dyntype"] == 0
        and values["gaintype"] == 0
        and values["biastype"] == MjtBias.AFFINE
        and tuple(values["gear"]) == UNIT_GEAR
    )
    if (
        not plain
        or dof.settings["actuator_mode"] != JointTargetMode.NONE
        or dof.name not in ("angular", "linear")
        or dof.ball
    ):
        return
    gain, bias = values["gainprm"], values["biasprm"]
    if any(gain[1:]) or any(bias[3:]) or bias[0] != 0 or gain[0] == 0:
        return
    if gain[0] == -bias[1] and bias[2] <= 0:
        actuator.source, actuator.servo = CtrlSource.JOINT_TARGET, CtrlType.POSITION
        dof.settings |= {
            "target_ke": float(gain[0]),
            "target_kd": -float(bias[2]),
            "actuator_mode": JointTargetMode.POSITION,
        }
    elif bias[1] == 0 and gain[0] == -bias[2]:
        actuator.source, actuator.servo = CtrlSource.JOINT_TARGET, CtrlType.VELOCITY
        dof.settings |= {"target_kd": float(gain[0]), "actuator_mode": JointTargetMode.VELOCITY}


def signature(values: dict[str, Any]) -> int:
    """Control type, as MuJoCo's shortcuts name it: 1 a position, 2 a velocity, 0 neither of them."""
    gain, bias = values["gainprm"], values["biasprm"]
    if values["gaintype"] != 0 or values["biastype"] != MjtBias.AFFINE or gain[0] == 0:
        return 0
    return 1 if gain[0] == -bias[1] else 2 if bias[1] == 0 and gain[0] == -bias[2] else 0


def actuator_row(actuator: UsdActuator, tendon_rows: dict[int, int]) -> dict[str, Any]:
    """The row of the ``mujoco`` namespace."""
    values, kind, target = actuator.values, actuator.kind, actuator.target
    index = tendon_rows[id(target)] if kind == TrnType.TENDON else target.index
    row = {"trntype": kind, "trnid": (index, -1), "target_label": target.prim.path if target.prim is not None else ""}
    row["ctrlspec"] = values.get("ctrlspec", signature(values))
    for name, site in (("refsite", actuator.refsite), ("slidersite", actuator.slidersite)):
        row[name] = -1 if site is None else site.index
    for attr in GENERAL.attrs:
        if attr.decides:
            row[f"has_{attr.decides}"] = int(tuple(values[attr.decides]) != (0.0, 0.0))
    if actuator.plugin is not None:
        row["plugin"] = actuator.plugin
    own = {f"mujoco:actuator_{name}": value for name, value in row.items()}
    servo = {"mujoco:ctrl_source": actuator.source, "mujoco:ctrl_type": actuator.servo}
    return scene_values(GENERAL, values, name=actuator.prim.path) | own | servo

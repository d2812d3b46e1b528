"""Axes of joints: limits, drives, losses, start, in SI units and radians."""

import math
from typing import Any

import numpy as np

from newtonlite.core.constants import UNLIMITED, UNLIMITED_EFFORT
from newtonlite.core.enums import JointTargetMode, SolrefMode
from newtonlite.core.table import CUSTOM
from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.resolvers import PrimType
from newtonlite.importers.usd.schemas import HARD
from newtonlite.importers.usd.spec import Dof, UsdSpec
from newtonlite.schema.execute import scene_values
from newtonlite.schema.joint import JOINT

RADIAN = math.pi / 180.0
ENDLESS = 1.0e30
"""Numbers beyond this say: no limit."""
SINGLE = ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint")
"""Joints of one axis."""
LIMIT_GAINS = (1.0e4, 1.0e1)


class DofReader:
    """Reads axes of joints; what nobody authors is the builder's default."""

    def __init__(self, spec: UsdSpec, default: Any, scaling: float, both_gains: bool):
        self.spec, self.default, self.scaling, self.both_gains = spec, default, scaling, both_gains
        self.mujoco = "mjc" in spec.resolvers.names()
        self.degrees = spec.scene.compiler.get("angle", 1) == 1

    def read(self, prim: Prim, axis, turns: bool, name: str, band: tuple[float, float]) -> Dof:
        """One axis named ``angular``, ``linear``, ``transX``, ...; ``band`` are its limits in the file's units."""
        dof = Dof(np.asarray(axis, float), turns, name, *self.limits(band, turns), prim=prim)
        default = self.default
        names = (
            "limit_ke",
            "limit_kd",
            "target_ke",
            "target_kd",
            "damping",
            "stiffness",
            "armature",
            "effort_limit",
            "velocity_limit",
            "friction",
        )
        dof.settings = {key: getattr(default, key) for key in names} | {
            "actuator_mode": JointTargetMode.NONE,
            "target_q": 0.0,
            "target_qd": 0.0,
        }
        self.losses(prim, dof)
        self.gains_of_limits(prim, dof)
        self.drive(prim, dof)
        self.start(prim, dof)
        if self.mujoco:
            self.mujoco_rows(prim, dof)
        return dof

    def limits(self, band: tuple[float, float], turns: bool) -> tuple[float, float]:
        """Limits in rad or m; numbers without bound stay one."""
        unit = RADIAN if turns else self.spec.units.length
        low, high = band
        return -UNLIMITED if low <= -ENDLESS else low * unit, UNLIMITED if high >= ENDLESS else high * unit

    def value(self, prim: Prim, key: str) -> tuple[float | None, str]:
        """An authored number of a resolver and whose it is."""
        value, by = self.spec.resolvers.source(prim, PrimType.JOINT, key)
        if value is None:
            return None, ""
        value = float(value)
        if math.isnan(value):
            raise prim.error(f"{key} is not a number (NaN)")
        return value, by

    def losses(self, prim: Prim, dof: Dof) -> None:
        """Armature, friction, damping, spring, bounds of force and speed."""
        units, turns, out = self.spec.units, dof.turns, dof.settings
        gain, effort = units.gain(turns), units.effort(turns)
        armature, _ = self.value(prim, "armature")
        friction, _ = self.value(prim, "friction")
        damping, by = self.value(prim, "damping")
        stiffness, _ = self.value(prim, "stiffness")
        speed, _ = self.value(prim, "velocity_limit")
        for key, value, unit in (
            ("armature", armature, gain),
            ("friction", friction, effort),
            ("stiffness", stiffness, gain),
        ):
            if value is not None:
                out[key] = self.not_negative(prim, key, value) * unit
        if damping is not None:
            out["damping"] = (
                self.not_negative(prim, "damping", damping) * gain / (RADIAN if turns and by == "newton" else 1.0)
            )
        if speed is not None and math.isfinite(speed) and speed < ENDLESS:
            out["velocity_limit"] = self.not_negative(prim, "velocity_limit", speed) * (
                RADIAN if turns else units.length
            )
        limit, _ = self.value(prim, "effort_limit")
        if limit is not None:
            out["effort_limit"] = limit * effort

    def not_negative(self, prim: Prim, key: str, value: float, attr: str | None = None) -> float:
        """A number of at least 0."""
        if value < 0 or math.isinf(value):
            raise prim.error(f"{key} is {value:g}; give a finite number of at least 0", attr)
        return value

    def gains_of_limits(self, prim: Prim, dof: Dof) -> None:
        """Stiffness and damping of the limits; plus infinity asks for hard ones."""
        unit = self.spec.units.gain(dof.turns) / (RADIAN if dof.turns else 1.0)
        for key, hard in zip(("limit_ke", "limit_kd"), HARD, strict=True):
            value, by = self.value(prim, key)
            if by != "newton":
                own, whose = self.value(prim, f"limit_{dof.name}_{key[-2:]}")
                value, by = (value, by) if own is None else (own, whose)
            if value is None and f"newton:limit{'Stiffness' if key == 'limit_ke' else 'Damping'}" in prim.authored:
                dof.has_limits = True
            if value is None or (by == "physx" and value == 0.0):
                continue
            dof.settings[key] = hard if math.isinf(value) else self.not_negative(prim, key, value) * unit
            dof.has_limits = True

    def drive(self, prim: Prim, dof: Dof) -> None:
        """The drive of an axis: gains per degree become gains per radian."""
        name = self.drive_name(prim, dof)
        if name is None:
            return
        self.spec.followed.add((prim.path, "drive", name))
        start, turns, units = f"drive:{name}:physics:", dof.turns, self.spec.units
        per, at, out = (1.0 / RADIAN, RADIAN, dof.settings) if turns else (1.0, units.length, dof.settings)
        scaling = self.scaling if turns else 1.0
        ke, kd = (
            self.not_negative(prim, name, prim.number(start + name, 0.0), start + name) * per * scaling
            for name in ("stiffness", "damping")
        )
        dof.acceleration = prim.word(start + "type", "force") == "acceleration"
        gain = 1.0 if dof.acceleration else units.gain(turns)
        out["target_ke"], out["target_kd"] = ke * gain, kd * gain
        out["actuator_mode"] = JointTargetMode.from_gains(ke, kd, self.both_gains, has_drive=True)
        out["target_q"] = prim.finite(start + "targetPosition", 0.0) * at
        out["target_qd"] = prim.finite(start + "targetVelocity", 0.0) * at
        force = prim.number(start + "maxForce", math.inf)
        if force < 0:
            raise prim.error(f"{force:g} is negative; give at least 0", start + "maxForce")
        if math.isfinite(force) and force < ENDLESS:
            effort_limit, _ = self.value(prim, "effort_limit")
            bounds = [force * units.effort(turns), *([] if effort_limit is None else [out["effort_limit"]])]
            out["effort_limit"] = min(bounds)

    def drive_name(self, prim: Prim, dof: Dof) -> str | None:
        """Name of the drive of an axis; that of a single axis may also be called after its direction: ``X``, ``transX``."""
        names, there = [dof.name], prim.instances("PhysicsDriveAPI")
        if prim.tag in SINGLE:
            letter = prim.word("physics:axis", "X")
            names += [letter, ("rot" if dof.turns else "trans") + letter]
        return next((name for name in names if name in there), None)

    def start(self, prim: Prim, dof: Dof) -> None:
        """Initial position and velocity of the axis."""
        unit = RADIAN if dof.turns else self.spec.units.length
        names = {"transX": "linear", "transY": "linear", "transZ": "linear"}
        for key, attr in (("position", "position"), ("velocity", "speed")):
            value = None
            for name in dict.fromkeys((dof.name, names.get(dof.name, dof.name))):
                self.spec.followed |= {(prim.path, kind, name) for kind in ("state", "newton")}
                value, by = self.value(prim, f"{name}_{key}")
                if value is not None:
                    break
            if value is not None:
                if math.isinf(value):
                    raise prim.error(f"{key} is {value:g}; give a finite number")
                setattr(dof, attr, value * unit)

    def mujoco_rows(self, prim: Prim, dof: Dof) -> None:
        """MuJoCo's attributes of a joint; the builder's are found by ``losses``, in the order of the resolvers."""
        found = mjc.values(prim, JOINT)
        dof.custom |= {
            name.removeprefix(CUSTOM): value
            for name, value in scene_values(JOINT, found).items()
            if name.startswith(CUSTOM)
        }
        self.limit_reference(prim, dof, found.get("solreflimit"))
        self.joint_reference(dof, found)
        self.effort_limit(dof, *found.get("actuatorfrcrange", (0.0, 0.0)))

    def effort_limit(self, dof: Dof, low: float, high: float) -> None:
        """The range of the force of all actuators, where the limit of the effort does not say it."""
        if (low, high) != (0.0, 0.0) and (dof.settings["effort_limit"] >= UNLIMITED_EFFORT or low != -high):
            dof.custom["jnt_actfrcrange"] = (low, high)

    def limit_reference(self, prim: Prim, dof: Dof, solref: tuple | None) -> None:
        """Constraint reference of limits: as authored, else MuJoCo's default where nobody gave gains."""
        if prim.has("MjcJointAPI") and not dof.has_limits:
            dof.settings |= dict(zip(("limit_ke", "limit_kd"), LIMIT_GAINS, strict=True))
            dof.custom |= {"solreflimit_mode": SolrefMode.MJCF_DEFAULT, "solreflimit_gain_baseline": LIMIT_GAINS}
        if solref is not None:
            dof.custom |= {"solreflimit": solref, "solreflimit_mode": SolrefMode.RAW}

    def joint_reference(self, dof: Dof, found: dict[str, Any]) -> None:
        """Limits and rest of the spring, counted from the pose of the file."""
        angle = RADIAN if dof.turns and self.degrees else 1.0
        ref, spring = found.get("ref", 0.0) * angle, found.get("springref", 0.0) * angle
        if ref:
            dof.custom["dof_ref"] = ref
            dof.lower, dof.upper = (x if abs(x) >= UNLIMITED else x - ref for x in (dof.lower, dof.upper))
        if ref or spring:
            dof.settings["rest_q"] = spring - ref

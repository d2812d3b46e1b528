"""Unread prims and schemas of a stage, reported by the start of their names."""

import re

from newtonlite.importers.usd.spec import UsdSpec

TYPES = {
    "NewtonActuator": "actuators outside the solver are not supported; use drives or MjcActuator",
    "PhysicsAttachment": "deformables are not supported",
    "Mjc": "is not read",
}
"""Types that are not read, by the start of their names."""
READ = ("MjcActuator", "MjcTendon", "MjcKeyframe")
APIS = {
    "PhysicsDeformable": "deformables are not supported",
    "PhysicsSurfaceDeformable": "deformables are not supported",
    "PhysicsVolumeDeformable": "deformables are not supported",
    "PhysicsCurvesDeformable": "deformables are not supported",
    "NewtonPointsDeformable": "particles are not supported",
    "NewtonCurvesDeformable": "cables are not supported",
    "NewtonMPM": "particles are not supported",
    "NewtonXpbd": "the settings of that solver are not used",
    "NewtonVbd": "the settings of that solver are not used",
    "NewtonKamino": "the settings of that solver are not used",
    "NewtonNeuralControl": "actuators outside the solver are not supported",
    "PhysxVehicle": "vehicles are not supported",
    "PhysxTendon": "PhysX's tendons are not read; use MjcTendon",
    "PhysxRigidBodyAPI": "of it damping, sleeping and solver settings of single bodies are not used",
}
"""Schemas that are not read."""
OF_AXES = re.compile(r"(drive|limit|state):([^:]+):physics:|(newton):(linear|angular|(?:trans|rot)[XYZ]):(?:pos|vel)")
"""Attributes of one axis of a joint: kind, and name of the axis."""
CHOICE = "physics"
"""Name of the variant set that a file hides other physics behind."""


def note_unread(spec: UsdSpec) -> None:
    """Tell the report of prims and schemas that are not read, and of physics behind variants that nobody chose."""
    for prim in spec.walk.prims:
        for start, why in TYPES.items():
            if prim.tag.startswith(start) and prim.tag not in READ:
                spec.report.ignore(prim, why)
                break
        for api in sorted(prim.apis):
            why = next((why for start, why in APIS.items() if api.startswith(start)), None)
            if why is not None:
                spec.report.ignore(prim, f"{api}: {why}")
        note_axes(spec, prim)
        if prim.usd.HasVariantSets():
            note_choices(spec, prim)


def note_axes(spec: UsdSpec, prim) -> None:
    """A line for each drive, limit or state of an axis that no joint follows: the joint lacks the axis, or it is locked."""
    lost = {}
    for attr in sorted(prim.authored):
        found = OF_AXES.match(attr)
        about = tuple(filter(None, found.groups())) if found else ()
        if about and (prim.path, *about) not in spec.followed:
            lost.setdefault(about, attr)
    for (kind, axis), attr in lost.items():
        what = "state" if kind == "newton" else kind
        spec.report.ignore(prim, f"a {what} of '{axis}' is not followed: the joint does not move along that axis", attr)


def note_choices(spec: UsdSpec, prim) -> None:
    """A line for a variant set of physics with other choices."""
    sets = prim.usd.GetVariantSets()
    for name in sets.GetNames():
        others = [
            choice for choice in sets.GetVariantSet(name).GetVariantNames() if choice != sets.GetVariantSelection(name)
        ]
        if name.lower() == CHOICE and others:
            text = f"variant set '{name}' is at '{sets.GetVariantSelection(name)}'; variants={{'{prim.path}': {{'{name}': ...}}}} chooses {', '.join(others)}"
            spec.report.ignore(prim, text)

"""Many copies of articulated robots, simulated at once: MuJoCo's physics behind Newton's interface, on one GPU or on
CPU cores.

Names are loaded when they are first used, so that the import is quick.
"""

import logging

from newtonlite import solvers as solvers  # a table of names alone; what it names is loaded when used
from newtonlite.core.lazy_import import import_module

__version__ = "0.1.0"

logging.getLogger(__name__).setLevel(logging.INFO)  # what is said on request reaches an application's own handlers

_HOME = {
    "newtonlite.core.enums": (
        "BodyFlags",
        "EqType",
        "GeoType",
        "JointTargetMode",
        "JointType",
        "ModelFlags",
        "ParticleFlags",
        "ShapeFlags",
        "StateFlags",
    ),
    "newtonlite.core.types": ("Axis", "AxisType", "MAXVAL"),
    "newtonlite.core.errors": (
        "CapacityError",
        "DeviceError",
        "Error",
        "ModelError",
        "NewtonDeprecationWarning",
        "NewtonWarning",
        "ParseError",
        "StateError",
    ),
    "newtonlite.geometry.mesh": ("Mesh", "SDF"),
    "newtonlite.geometry.heightfield": ("Heightfield",),
    "newtonlite.geometry.tet_mesh": ("TetMesh",),
    "newtonlite.sim.builder": ("ModelBuilder",),
    "newtonlite.sim.model": ("Model",),
    "newtonlite.sim.state": ("State",),
    "newtonlite.sim.control": ("Control",),
    "newtonlite.sim.contacts": ("Contacts",),
    "newtonlite.solvers.mujoco.collision.pipeline": ("CollisionPipeline",),
    "newtonlite.collide.substeps": ("CollisionSubstepScheduler",),
    "newtonlite.sim.articulation": ("eval_fk", "eval_ik"),
    "newtonlite.sim.mimic": ("eval_mimic",),
    "newtonlite.sim.raycast": ("intersect_ray",),
    "newtonlite.sim.jacobian": ("eval_jacobian", "eval_mass_matrix"),
    "newtonlite.sim.contact_kinematics": ("eval_rigid_contact_kinematics",),
    "newtonlite.sim.dynamics": ("eval_inverse_dynamics_force", "eval_inverse_dynamics_passive"),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}
_MODULES = (
    "actuators",
    "compat",
    "control",
    "controllers",
    "geometry",
    "ik",
    "math",
    "selection",
    "sensors",
    "mjwarp",
    "solvers",
    "usd",
    "utils",
    "viewer",
)

__all__ = sorted([*_WHERE, *_MODULES])


def __getattr__(name: str):
    if name in _WHERE:
        value = getattr(import_module(_WHERE[name]), name)
    elif name in _MODULES:
        value = import_module(f"newtonlite.{name}")
    else:
        raise AttributeError(f"module 'newtonlite' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})

"""Compiler from a scene model to the engine's model: Newton's words in, MuJoCo's out.

One file per section of MuJoCo's model, which finds the section's structure; numbers come by the rows of
``solvers/mujoco/bindings``, which ``notify_model_changed`` goes through as well.
"""

import numpy as np

from newtonlite.core.garbage import collection_held
from newtonlite.solvers.mujoco.bindings import joint, tendon
from newtonlite.solvers.mujoco.compile.actuators import compile_actuators
from newtonlite.solvers.mujoco.compile.bodies import compile_bodies
from newtonlite.solvers.mujoco.compile.cameras import compile_views
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.constants import derive_constants
from newtonlite.solvers.mujoco.compile.contacts import compile_excludes, compile_filters, compile_pairs
from newtonlite.solvers.mujoco.compile.equality import compile_equality
from newtonlite.solvers.mujoco.compile.flexes.arrays import compile_flexes, compile_materials
from newtonlite.solvers.mujoco.compile.geoms import compile_geoms, compile_sites
from newtonlite.solvers.mujoco.compile.joints import compile_joints, list_joints
from newtonlite.solvers.mujoco.compile.keyframes import compile_keyframes
from newtonlite.solvers.mujoco.compile.lengthrange import derive_lengthranges
from newtonlite.solvers.mujoco.compile.octrees import compile_octrees
from newtonlite.solvers.mujoco.compile.options import authored_statistics, compile_options
from newtonlite.solvers.mujoco.compile.plugins import compile_plugins
from newtonlite.solvers.mujoco.compile.records import compile_records
from newtonlite.solvers.mujoco.compile.sensors import compile_sensors
from newtonlite.solvers.mujoco.compile.skins import compile_skins
from newtonlite.solvers.mujoco.compile.sleep import compile_sleep
from newtonlite.solvers.mujoco.compile.tendons import compile_tendons
from newtonlite.solvers.mujoco.compile.tree import order_bodies
from newtonlite.solvers.mujoco.compile.worlds import Worlds

__all__ = ["CompiledModel", "Worlds", "compile_model", "compile_worlds"]


def compile_model(model, world: int | None = None, *, skip_visual: bool = False, **options) -> CompiledModel:
    """One world of a finalized scene, as the engine takes it.

    ``world`` None means the first world, or the whole scene where it has none. ``options`` override those of the model
    (``iterations=5``, ``cone="elliptic"``). Raises ModelError for what the engine cannot simulate.
    """
    single = model.world_count <= 1
    return compile_worlds(Worlds(model, None if single else [world or 0]), skip_visual=skip_visual, **options)


@collection_held()
def compile_worlds(
    w: Worlds,
    *,
    skip_visual: bool = False,
    include_sites: bool = True,
    flat: bool = False,
    weighed: bool = True,
    **options,
) -> CompiledModel:
    """The worlds' common structure. Real-valued fields get a leading world dimension where the worlds differ.

    ``flat`` lets meshes without volume pass, where the engine is not to collide them itself. ``weighed`` False gives
    every body a mass of 1 kg, for models that no force moves.
    """
    m = CompiledModel()
    compile_options(m, w, options)
    tree = order_bodies(w)
    joints = list_joints(w, tree)
    compile_bodies(m, w, tree)
    if not weighed:
        m.set(body_mass=np.ones(m.nbody), body_inertia=np.ones((m.nbody, 3)))
    compile_joints(m, w, tree, joints)
    compile_geoms(m, w, tree, skip_visual, flat)
    compile_sites(m, w, tree, include_sites)
    compile_filters(m, w)
    compile_pairs(m, w)
    compile_excludes(m, w, tree)
    compile_tendons(m, w)
    compile_actuators(m, w)
    compile_flexes(m, w, tree)
    compile_equality(m, w, tree)
    compile_sleep(m, w, tree)
    derive_constants(m)
    authored_statistics(m, w)
    for row in (joint.tuned, joint.limits, tendon.limits):
        m.set(**row.numpy(m, w))
    derive_lengthranges(m, w)
    compile_keyframes(m, w)
    compile_views(m, w, tree)
    compile_plugins(m, w)
    compile_octrees(m)
    compile_sensors(m, w, tree)
    compile_records(m, w)
    compile_materials(m, w)
    compile_skins(m, w)
    return m

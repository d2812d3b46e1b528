"""From a scene model to the model of the engine: Newton's words on one side, MuJoCo's on the other.

One file per section of MuJoCo's model. Each has a function that fills the structure once, and, where there are
real-valued arrays, one (``*_parameters``) that can be run again after the scene's numbers have changed.
"""

import numpy as np

from .actuators import compile_actuators
from .bodies import compile_bodies
from .compiled import CompiledModel
from .constants import derive_constants
from .contacts import compile_excludes, compile_filters, compile_pairs
from .equality import compile_equality
from .gains import limit_solref, tendon_limit_solref
from .geoms import compile_geoms, compile_sites
from .joints import compile_joints, list_joints, tune_springs
from .keyframes import compile_keyframes
from .lengthrange import derive_lengthranges
from .options import authored_statistics, compile_options
from .records import compile_records
from .sensors import compile_sensors
from .sleep import compile_sleep
from .tendons import compile_tendons
from .tree import order_bodies
from .views import compile_views
from .worlds import Worlds

__all__ = ["CompiledModel", "Worlds", "compile_model", "compile_worlds"]


def compile_model(model, world: int | None = None, *, skip_visual: bool = False, **options) -> CompiledModel:
    """One world of a finalized scene, as the engine takes it.

    ``world`` None means the first world, or the whole scene where it has none. ``options`` override those of the model
    (``iterations=5``, ``cone="elliptic"``). Raises ModelError for what the engine cannot simulate.
    """
    single = model.world_count <= 1
    return compile_worlds(Worlds(model, None if single else [world or 0]), skip_visual=skip_visual, **options)


def compile_worlds(
    w: Worlds, *, skip_visual: bool = False, include_sites: bool = True, cones: bool = False, weighed: bool = True, **options
) -> CompiledModel:
    """The worlds' common structure. Real-valued fields get a leading world dimension where the worlds differ.

    ``cones`` lets cones pass, as cylinders, where the engine is not to collide them itself. ``weighed`` False gives every body a mass of
    1 kg, for models that no force moves.
    """
    m = CompiledModel()
    compile_options(m, w, options)
    tree = order_bodies(w)
    joints = list_joints(w, tree)
    compile_bodies(m, w, tree)
    if not weighed:
        m.set(body_mass=np.ones(m.nbody), body_inertia=np.ones((m.nbody, 3)))
    compile_joints(m, w, tree, joints)
    compile_geoms(m, w, tree, skip_visual, cones)
    compile_sites(m, w, tree, include_sites)
    compile_filters(m, w)
    compile_pairs(m, w)
    compile_excludes(m, w, tree)
    compile_tendons(m, w)
    compile_actuators(m, w)
    compile_equality(m, w, tree)
    compile_sleep(m, w, tree)
    derive_constants(m)
    tune_springs(m, w, joints)
    authored_statistics(m, w)
    m.set(jnt_solref=limit_solref(w, m, np.array(joints.dof, int)), tendon_solref_lim=tendon_limit_solref(w, m))
    derive_lengthranges(m, w)
    compile_keyframes(m, w)
    compile_views(m, w, tree)
    compile_sensors(m, w, tree)
    compile_records(m, w)
    return m

"""Plan: which stages share a kernel, on the CPU and on a GPU, and how many teams of lanes a multiprocessor is to hold.

The lists of ``pipeline`` say what a step computes, and in which order. These say how it is cut into fused kernels;
results do not depend on them.
"""

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.kernels.collide import (
    broadphase,
    convex,
    flex_contacts,
    flex_narrowphase,
    flex_share,
    narrowphase,
    sleep_filter,
    speculative,
    sweep,
)
from newtonlite.solvers.mujoco.kernels.integrate import check, coupled_noslip, effective_inertia, flex_plasticity
from newtonlite.solvers.mujoco.kernels.inverse import discrete, inverse
from newtonlite.solvers.mujoco.kernels.ipc import step as ipc
from newtonlite.solvers.mujoco.kernels.position import flex, inertia, kinematics
from newtonlite.solvers.mujoco.kernels.ray import cast
from newtonlite.solvers.mujoco.kernels.sense import distance, energy, frames, noise
from newtonlite.solvers.mujoco.kernels.sleep import sleep
from newtonlite.solvers.mujoco.kernels.solve import islands, newton, noslip, whiten
from newtonlite.solvers.mujoco.kernels.state_io import external_contacts, observables, standalone_collision
from newtonlite.solvers.mujoco.kernels.velocity import bias, passive
from newtonlite.solvers.mujoco.kernels.velocity import flex as flex_forces

WARP = 32
"""Lanes of a warp."""

# stages that a CPU thread may run for a gang of worlds side by side, one per SIMD lane, before the others (cpu/gang.py):
# they read the state and constants alone, and no branch of theirs depends on a world. The mass matrix only where 16 of them
# stay in the cache; forces only where nothing else comes in between (cpu/kernel_chain.py)
GANG = (*pipeline.KINEMATICS[:3], inertia.crb, bias.com_vel, bias.rne)
GANG_MATRIX = (inertia.mass_matrix,)
GANG_FORCES = (passive.passive, *pipeline.ACTUATION[1:4])

# CPU kernels: neighbours among the stages, which share helpers and code pages; other stages have a kernel each
CPU_KERNELS = {
    "position": (check.check_state, *pipeline.POSITION),
    "broadphase": (sweep.sweep_geoms, broadphase.broadphase, sleep_filter.filter_asleep_pairs),
    "sleep": (sleep.wake_collision, sleep.sleep_islands),
    "soft": (flex_narrowphase.flex_narrowphase, flex_contacts.flex_contacts),
    "velocity": (*pipeline.VELOCITY, *pipeline.ACTUATION),
    "constraint": pipeline.CONSTRAINT,
    "integrate": pipeline.INTEGRATE,
}

# stages of flexes have kernels of their own on a GPU, in models that have some: they need more registers than what else
# goes on beside them
FLEX_POSITION, FLEX_VELOCITY = (
    (flex.flex_position, flex.element_boxes),
    (flex_forces.flex_velocity, flex_forces.flex_passive),
)
FLEX_YIELD = (flex_plasticity.yield_flexes,)
FLEX_STIFFNESS = (effective_inertia.couple_flexes,)
FLEX_APART = (ipc.keep_apart,)
FLEXES = (*FLEX_POSITION, *FLEX_VELOCITY, *FLEX_STIFFNESS, *FLEX_APART, *FLEX_YIELD)


def without_flexes(stages: tuple) -> tuple:
    """Stages of every model."""
    return tuple(s for s in stages if s not in FLEXES)


def with_stiffness(table: dict) -> dict:
    """Kernels with that of the stiffness of flexes after what else couples the inertia, and that of surfaces that never cross
    after the solvers.
    """
    after = {"couple": ("stiffness", FLEX_STIFFNESS), "noslip": ("apart", FLEX_APART)}
    return dict(
        k for name, stages in table.items() for k in ((name, stages), *([after[name]] if name in after else []))
    )


# GPU kernels: stages of similar register need, each kernel with its own occupancy
GPU_KERNELS = {
    "motion": (
        check.check_state,
        *without_flexes(pipeline.POSITION),
        *without_flexes(pipeline.VELOCITY),
        standalone_collision.place_geoms,
        sweep.sweep_geoms,
        broadphase.broadphase,
        sleep_filter.filter_asleep_pairs,
    ),
    "convex": (convex.convex_narrowphase, flex_narrowphase.flex_narrowphase),
    "speculative": (speculative.speculative_narrowphase,),
    "contact": (narrowphase.narrowphase, flex_contacts.flex_contacts, flex_share.share_contacts),
    "external": (external_contacts.load_contacts,),
    "sleep": (sleep.wake_collision, sleep.sleep_islands),
    "constraint": (*pipeline.CONSTRAINT, *pipeline.ACTUATION),  # after the contacts, since adhesion acts at them
    "couple": (effective_inertia.couple_inertia,),
    "whiten": (effective_inertia.right_side, whiten.whiten),
    "dual": (islands.list_islands, newton.solve_unconstrained, newton.solve_dual_newton),
    "pgs": (newton.solve_pgs,),
    "primal": (newton.solve_primal,),
    "noslip": (noslip.noslip, coupled_noslip.coupled_noslip),
    "unwhiten": (whiten.unwhiten, effective_inertia.bare_inertia),
    "analytic": (distance.analytic_distance_sensors,),
    "distance": (distance.convex_distance_sensors,),
    "sensor": (*pipeline.SENSOR_POS[:4], noise.sensor_noise_pos, *pipeline.SENSOR_VEL, *pipeline.SENSOR_ACC),
    "inverse": (discrete.discrete_acc, inverse.inverse_force, discrete.end_inverse),
    "ray": (frames.camera_frames, kinematics.other_geom_poses, cast.cast_rays),
    "islands": pipeline.ISLANDS,
    "integrate": (observables.write_observables, *without_flexes(pipeline.INTEGRATE)),
}
# where trees may sleep, velocities are known only after the contacts are
SLEEP_GPU_KERNELS = GPU_KERNELS | {
    "motion": tuple(s for s in GPU_KERNELS["motion"] if s not in pipeline.VELOCITY),
    "constraint": (*without_flexes(pipeline.VELOCITY), *pipeline.CONSTRAINT, *pipeline.ACTUATION),
}
BEFORE_VELOCITY = ("convex", "speculative", "contact", "external", "sleep")
# flexes have their positions first, for contacts, islands that wake and energies; their forces after the contacts, some of
# which are springs
MOTION_OF_SOFT = tuple(s for s in GPU_KERNELS["motion"] if s is not energy.energy)
FLEX_GPU_KERNELS = {
    "motion": MOTION_OF_SOFT,
    "flex": FLEX_POSITION,
    **{k: GPU_KERNELS[k] for k in BEFORE_VELOCITY},
    "flexforce": (flex_forces.flex_velocity, energy.energy, flex_forces.flex_passive),
    **with_stiffness({k: stages for k, stages in GPU_KERNELS.items() if k not in ("motion", *BEFORE_VELOCITY)}),
    "yield": FLEX_YIELD,
}
SLEEP_FLEX_GPU_KERNELS = {
    "motion": tuple(s for s in SLEEP_GPU_KERNELS["motion"] if s is not sleep_filter.filter_asleep_pairs),
    "flex": (*FLEX_POSITION, sleep_filter.filter_asleep_pairs),
    **{k: SLEEP_GPU_KERNELS[k] for k in BEFORE_VELOCITY},
    "velocity": without_flexes(pipeline.VELOCITY),
    "flexforce": FLEX_VELOCITY,
    **with_stiffness({k: stages for k, stages in GPU_KERNELS.items() if k not in ("motion", *BEFORE_VELOCITY)}),
    "yield": FLEX_YIELD,
}
TABLES = {
    (False, False): GPU_KERNELS,
    (True, False): SLEEP_GPU_KERNELS,
    (False, True): FLEX_GPU_KERNELS,
    (True, True): SLEEP_FLEX_GPU_KERNELS,
}
"""Kernels of a program, by whether trees may sleep and whether there are flexes."""
FUSED = frozenset(s for stages in FLEX_GPU_KERNELS.values() for s in stages)
"""Stages of the GPU's fused kernels; a program with others, which few ask for, has a kernel per stage."""
IN_PARTS = (
    "keep_apart",
    "propose",
    "solve_rows",
    "minimize_primal",
    "dual_newton",
    "minimize_sparse",
    "newton_iterations",
    "try_full_step",
    "cg",
    "cg_iteration",
    "start_primal",
    "warmstart",
    "smooth_acceleration",
    "list_near",
    "add_rows_of_pairs",
)
"""Functions that are no more than calls of others on a GPU (``parts``), in kernels whose stages are: a solver within a loop takes
the compiler many minutes as one function.
"""
SOFT_IN_PARTS = ("solve_dual_newton", "solve_primal")
"""Stages that are so for models with flexes or sparse rows: solvers have more at hand in one function than there are registers."""

# teams of 32 lanes that a multiprocessor shall hold, which caps the registers of each lane. 12 leave 168: the kernels of
# all features spill nothing
BLOCKS_PER_SM = 12
# 8 leave all the registers there are
BLOCKS = {
    "convex": 8,
    "speculative": 8,
    "contact": 8,
    "constraint": 8,
    "distance": 8,
    "pgs": 8,
    "noslip": 8,
    "primal": 8,
    "dual": 8,
    "couple": 8,
    "stiffness": 8,
    "apart": 8,
}
# 64, 96 and 128 registers where stages are folded: kernels that wait for their own operands hide it by more teams
# (docs/gpu_work.md)
FOLDED_BLOCKS = {"motion": 32, "constraint": 32, "contact": 20, "dual": 16, "primal": 16, "integrate": 32}
# where there are flexes, rows and contacts of theirs spill kilobytes so, and solvers meet hundreds of rows: all of them but
# these have the registers that they need
SOFT_FOLDED_BLOCKS = {"motion": 32, "integrate": 32}
# lanes of a team in kernels of which four worlds share a warp, where the others have one each: few pairs of a world need
# GJK and EPA at a time
SHARED_WARP_LANES = {"convex": 8}


def group_kernels(name: str, groups: tuple, prologue: tuple, epilogue: tuple) -> list:
    """Names and stages of the kernels of a program of one kernel per group."""
    whole = [*groups]
    whole[0] = (*prologue, *whole[0])
    whole[-1] = (*whole[-1], *epilogue)
    if len(whole) == 1:
        return [(name, whole[0])]
    return [(f"{name}_first", whole[0]), *((name, g) for g in whole[1:-1]), (f"{name}_last", whole[-1])]


def gpu_kernels(groups: tuple, prologue: tuple, epilogue: tuple, sleeping: bool, soft: bool = False) -> list:
    """Names and stages of the kernels of a program on a GPU; named by their keys in ``TABLES`` alone, so that programs
    share those that are equal. ``sleeping``: trees may sleep; ``soft``: there are flexes.
    """
    whole, table = group_kernels("", groups, prologue, epilogue), TABLES[sleeping, soft]
    return [(f"step_{k}", s) for _, g in whole for k, s in _kernels_of_group(g, prologue, epilogue, table)]


def _kernels_of_group(stages: tuple, prologue: tuple, epilogue: tuple, table: dict) -> list:
    """``stages`` by kernels: ``prologue`` goes into the first one there is, ``epilogue`` into the last."""
    found = {k: [s for s in g if s in stages] for k, g in table.items()}
    found = {k: g for k, g in found.items() if g} or {"bound": []}
    first, last = next(iter(found)), list(found)[-1]
    found[first] = [*(s for s in prologue if s in stages), *found[first]]
    found[last] = [*found[last], *(s for s in epilogue if s in stages)]
    return [(k, tuple(g)) for k, g in found.items()]


def teams_per_sm(name: str, folded: bool, soft: bool) -> int:
    """Teams of 32 lanes that a multiprocessor shall hold of a GPU's kernel ``name``. ``folded``: it is without what its model
    lacks; ``soft``: the model has flexes.
    """
    key = name.split("_")[-1]
    blocks = BLOCKS.get(key, BLOCKS_PER_SM)
    return (SOFT_FOLDED_BLOCKS if soft else FOLDED_BLOCKS).get(key, blocks) if folded else blocks


def kernel_lanes(name: str, nlane: int) -> int:
    """Lanes of a team of a GPU's kernel ``name``, of a model with teams of ``nlane``."""
    return SHARED_WARP_LANES.get(name.split("_")[-1], nlane) if nlane == WARP else nlane

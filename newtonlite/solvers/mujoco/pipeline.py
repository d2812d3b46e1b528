"""Pipeline: one step of a world, as lists of stages in running order.

Every stage is ``stage(m, d, world, lane, nlane)``: one computation for one world, carried out by a team of lanes.
The executor fuses these lists into kernels; profiler, tests and documentation use the same names.
``docs/glossary.md`` gives the ``mj_*`` function of each stage.
"""

from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.solvers.mujoco.kernels.actuate import activation, actuation, smooth, transmission
from newtonlite.solvers.mujoco.kernels.collide import (
    broadphase,
    convex,
    flex_contacts,
    flex_narrowphase,
    narrowphase,
    sleep_filter,
    speculative,
    sweep,
)
from newtonlite.solvers.mujoco.kernels.constant import invweight0, reference_pose
from newtonlite.solvers.mujoco.kernels.constraint import contact, equality, joint
from newtonlite.solvers.mujoco.kernels.constraint import tendon as tendon_constraint
from newtonlite.solvers.mujoco.kernels.integrate import (
    check,
    coupled_noslip,
    effective_inertia,
    euler,
    flex_plasticity,
    implicit,
    plasticity,
    runge_kutta,
)
from newtonlite.solvers.mujoco.kernels.inverse import discrete, inverse
from newtonlite.solvers.mujoco.kernels.ipc import step as ipc
from newtonlite.solvers.mujoco.kernels.position import flex, inertia, kinematics, tendon
from newtonlite.solvers.mujoco.kernels.ray import cast
from newtonlite.solvers.mujoco.kernels.sense import (
    acceleration,
    distance,
    enclosed,
    energy,
    forces,
    frames,
    history,
    noise,
    position,
    rangefinder,
    tactile,
    touch_grid,
    velocity,
)
from newtonlite.solvers.mujoco.kernels.sense import contact as contact_sensor
from newtonlite.solvers.mujoco.kernels.sleep import island_ids, sleep, wake
from newtonlite.solvers.mujoco.kernels.solve import diag_exact, islands, newton, noslip, whiten
from newtonlite.solvers.mujoco.kernels.state_io import standalone_collision
from newtonlite.solvers.mujoco.kernels.velocity import adhesion, bias, passive
from newtonlite.solvers.mujoco.kernels.velocity import flex as flex_velocity
from newtonlite.solvers.mujoco.kernels.velocity import tendon as tendon_velocity

KINEMATICS = (
    kinematics.kinematics,
    inertia.subtree_com,
    inertia.com_pos,
    flex.flex_position,
    tendon.tendon_position,
    inertia.crb,
    inertia.mass_matrix,
    tendon.tendon_armature,
)
POSITION = (wake.wake, *KINEMATICS, wake.wake_tendon)
COLLISION = (
    sweep.sweep_geoms,
    broadphase.broadphase,
    sleep_filter.filter_asleep_pairs,
    convex.convex_narrowphase,
    speculative.speculative_narrowphase,
    narrowphase.narrowphase,
    flex_narrowphase.flex_narrowphase,
    flex_contacts.flex_contacts,
)
VELOCITY = (
    bias.com_vel,
    bias.rne,
    tendon_velocity.tendon_bias,
    flex_velocity.flex_velocity,
    passive.passive,
    tendon_velocity.tendon_passive,
    energy.energy,
    flex_velocity.flex_passive,
)
ACTUATION = (
    adhesion.adhesion_force,
    transmission.transmission,
    transmission.actuator_velocity,
    actuation.fwd_actuation,
    smooth.smooth_force,
)
CONSTRAINT = (
    equality.equality_rows,
    joint.friction_rows,
    tendon_constraint.tendon_friction_rows,
    joint.limit_rows,
    tendon_constraint.tendon_limit_rows,
    contact.contact_rows,
    effective_inertia.effective_inertia,
    diag_exact.diag_exact,
)
SOLVERS = (newton.solve_unconstrained, newton.solve_dual_newton, newton.solve_pgs, newton.solve_primal, noslip.noslip)
EFFECTIVE = (effective_inertia.couple_inertia, effective_inertia.couple_flexes, effective_inertia.right_side)
SOLVE = (
    islands.list_islands,
    *EFFECTIVE,
    whiten.whiten,
    *SOLVERS,
    coupled_noslip.coupled_noslip,
    ipc.keep_apart,
    whiten.unwhiten,
    effective_inertia.bare_inertia,
)
SENSOR_POS = (
    frames.sensor_camera_frames,
    position.sensor_pos,
    enclosed.enclosed_sensors,
    rangefinder.rangefinders,
    distance.analytic_distance_sensors,
    distance.convex_distance_sensors,
    noise.sensor_noise_pos,
)
SENSOR_VEL = (
    velocity.subtree_vel,
    velocity.sensor_vel,
    contact_sensor.contact_sensors,
    tactile.tactile_sensors,
    noise.sensor_noise_vel,
)
SENSOR_ACC = (
    forces.contact_forces,
    forces.rne_postconstraint,
    acceleration.sensor_acc,
    acceleration.touch_sensors,
    touch_grid.touch_grids,
    contact_sensor.contact_force_sensors,
    noise.sensor_noise_acc,
    history.sensor_delay,
)
INTEGRATE = (
    check.check_acceleration,
    history.sensor_history,
    inverse.compare_fwdinv,
    implicit.implicit_acceleration,
    flex_plasticity.keep_flex_start,
    runge_kutta.runge_kutta,
    activation.advance_activation,
    euler.advance,
    plasticity.yield_springs,
    flex_plasticity.yield_flexes,
)

FWD_POSITION = (*POSITION, *COLLISION, sleep.wake_collision)
FWD_VELOCITY = VELOCITY + ACTUATION + CONSTRAINT + SENSOR_POS + SENSOR_VEL + SOLVE + SENSOR_ACC
FORWARD = tuple(s for s in FWD_POSITION + FWD_VELOCITY if s is not ipc.keep_apart)
STEP = (check.check_state, *FWD_POSITION, sleep.sleep_islands, *FWD_VELOCITY, *INTEGRATE)


def step_groups(integrator: int) -> tuple:
    """The stages of one step, in groups that run one after the other for all worlds.

    Of the four passes of RK4, the first one computes the sensors.
    """
    if integrator != MjtIntegrator.RK4:
        return (STEP,)
    sensors = (*SENSOR_POS, *SENSOR_VEL, *SENSOR_ACC, history.sensor_history)
    later = tuple(s for s in STEP if s not in sensors)
    return ((), STEP, later, later, later, ())


# Programs beside the step: what comes before the first sensor, which counts contacts and rows, acceleration without constraints, islands of the present rows, standalone collision at the
# poses of a scene's bodies, frames of cameras and lights, rays, inverse dynamics, and constants at the reference pose
# (with qpos bound to qpos0; MODEL_UPDATE adds those of a scene, SPRING_LENGTHS runs at qpos_spring).
ROWS = (check.check_state, *FWD_POSITION, sleep.sleep_islands, *VELOCITY, *ACTUATION, *CONSTRAINT)
SMOOTH = (newton.smooth_acceleration, whiten.smooth_acceleration_float64)
SMOOTH_OF_STEP = (effective_inertia.begin_smooth, *SMOOTH, effective_inertia.end_smooth)
ISLANDS = (island_ids.find_islands,)
COLLIDE = (standalone_collision.place_geoms, broadphase.broadphase, convex.convex_narrowphase, narrowphase.narrowphase)
CAMERA = (kinematics.kinematics, inertia.subtree_com, frames.camera_frames)
RAY = (kinematics.kinematics, kinematics.other_geom_poses, cast.cast_rays)
INVERSE = (
    *FWD_POSITION,
    *VELOCITY,
    *ACTUATION,
    *CONSTRAINT,
    discrete.discrete_acc,
    inverse.inverse_force,
    discrete.end_inverse,
)
SET_CONST = (
    invweight0.set_subtreemass,
    *KINEMATICS,
    transmission.transmission,
    invweight0.factor_m,
    invweight0.set_body_invweight0,
    invweight0.set_dof_invweight0,
    invweight0.set_tendon_invweight0,
    invweight0.set_actuator_acc0,
)
MODEL_UPDATE = (
    *SET_CONST,
    kinematics.other_geom_poses,
    reference_pose.equality_poses,
    reference_pose.damping_ratios,
    reference_pose.dof_lengths,
)
SPRING_LENGTHS = (
    kinematics.kinematics,
    inertia.subtree_com,
    inertia.com_pos,
    tendon.tendon_position,
    reference_pose.spring_lengths,
)

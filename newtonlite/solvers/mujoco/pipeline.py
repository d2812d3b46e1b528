"""One step of a world, as a list of stages in running order.

Every stage is ``stage(m, d, world, lane, nlane)``: one physical idea for one world, carried out by a team of lanes.  The
schedule packs these lists into kernels; profiler, tests and documentation use the same names.
"""

from newtonlite.solvers.mujoco.enums import RK4
from newtonlite.solvers.mujoco.kernels.actuate.activation import advance_activation
from newtonlite.solvers.mujoco.kernels.actuate.actuation import actuation
from newtonlite.solvers.mujoco.kernels.actuate.smooth import smooth_force
from newtonlite.solvers.mujoco.kernels.actuate.transmission import actuator_velocity, transmission
from newtonlite.solvers.mujoco.kernels.collide.broadphase import broadphase
from newtonlite.solvers.mujoco.kernels.collide.convex import convex_pairs
from newtonlite.solvers.mujoco.kernels.collide.keep import pass_over
from newtonlite.solvers.mujoco.kernels.collide.narrowphase import narrowphase
from newtonlite.solvers.mujoco.kernels.constant.follow import damping_ratios, dof_lengths, equality_poses, slack_bands
from newtonlite.solvers.mujoco.kernels.constant.weights import (
    actuator_weights,
    body_weights,
    dof_weights,
    factor_inertia,
    subtree_masses,
    tendon_weights,
)
from newtonlite.solvers.mujoco.kernels.constraint.contact import contact_rows
from newtonlite.solvers.mujoco.kernels.constraint.diagonal import exact_weights
from newtonlite.solvers.mujoco.kernels.constraint.equality import equality_rows
from newtonlite.solvers.mujoco.kernels.constraint.scalar import friction_rows, limit_rows
from newtonlite.solvers.mujoco.kernels.constraint.tendon import tendon_friction_rows, tendon_limit_rows
from newtonlite.solvers.mujoco.kernels.convert.detect import place_geoms
from newtonlite.solvers.mujoco.kernels.convert.given import take_contacts
from newtonlite.solvers.mujoco.kernels.convert.observe import observe
from newtonlite.solvers.mujoco.kernels.guard import check_acceleration, check_state
from newtonlite.solvers.mujoco.kernels.integrate.euler import advance
from newtonlite.solvers.mujoco.kernels.integrate.implicit import step_acceleration
from newtonlite.solvers.mujoco.kernels.integrate.plastic import yield_springs
from newtonlite.solvers.mujoco.kernels.integrate.runge_kutta import runge_kutta
from newtonlite.solvers.mujoco.kernels.inverse.discrete import continuous_acceleration
from newtonlite.solvers.mujoco.kernels.inverse.inverse import compare_inverse, inverse_force
from newtonlite.solvers.mujoco.kernels.position.inertia import com_position, mass_matrix, motion_axes
from newtonlite.solvers.mujoco.kernels.position.kinematics import kinematics
from newtonlite.solvers.mujoco.kernels.position.tendon import tendon_inertia, tendon_position
from newtonlite.solvers.mujoco.kernels.ray.cast import cast_rays
from newtonlite.solvers.mujoco.kernels.sense.energy import energies
from newtonlite.solvers.mujoco.kernels.sense.acceleration import sensor_acc, touch_sensors
from newtonlite.solvers.mujoco.kernels.sense.contact import contact_force_sensors, contact_sensors
from newtonlite.solvers.mujoco.kernels.sense.distance import distance_sensors, formula_distances
from newtonlite.solvers.mujoco.kernels.sense.enclosed import enclosed_sensors
from newtonlite.solvers.mujoco.kernels.sense.forces import body_forces, contact_forces
from newtonlite.solvers.mujoco.kernels.sense.frames import camera_frames, sensed_cameras
from newtonlite.solvers.mujoco.kernels.sense.history import delay_sensors, record_sensors
from newtonlite.solvers.mujoco.kernels.sense.noise import noise_of_forces, noise_of_positions, noise_of_velocities
from newtonlite.solvers.mujoco.kernels.sense.position import sensor_pos
from newtonlite.solvers.mujoco.kernels.sense.rangefinder import rangefinders
from newtonlite.solvers.mujoco.kernels.sense.tactile import tactile_sensors
from newtonlite.solvers.mujoco.kernels.sense.velocity import sensor_vel, subtree_velocity
from newtonlite.solvers.mujoco.kernels.sleep.fall import fall_asleep, meet
from newtonlite.solvers.mujoco.kernels.sleep.number import find_islands
from newtonlite.solvers.mujoco.kernels.sleep.wake import stir, wake
from newtonlite.solvers.mujoco.kernels.solve.newton import (
    smooth_acceleration,
    solve_by_sweeps,
    solve_few_rows,
    solve_many_rows,
    solve_unconstrained,
)
from newtonlite.solvers.mujoco.kernels.solve.slip import less_slip
from newtonlite.solvers.mujoco.kernels.velocity.adhesion import adhesive_force
from newtonlite.solvers.mujoco.kernels.velocity.bias import bias, com_velocity
from newtonlite.solvers.mujoco.kernels.velocity.passive import passive
from newtonlite.solvers.mujoco.kernels.velocity.tendon import tendon_bias, tendon_passive

PLACE = (kinematics, com_position, motion_axes, tendon_position, mass_matrix, tendon_inertia)
POSITION = (wake, *PLACE, stir)
COLLISION = (broadphase, pass_over, convex_pairs, narrowphase)
VELOCITY = (com_velocity, bias, tendon_bias, passive, tendon_passive, energies)
ACTUATION = (adhesive_force, transmission, actuator_velocity, actuation, smooth_force)
CONSTRAINT = (equality_rows, friction_rows, tendon_friction_rows, limit_rows, tendon_limit_rows, contact_rows, exact_weights)
SOLVE = (solve_unconstrained, solve_few_rows, solve_by_sweeps, solve_many_rows, less_slip)
SENSE_POSITION = (sensed_cameras, sensor_pos, enclosed_sensors, rangefinders, formula_distances, distance_sensors, noise_of_positions)
SENSE_VELOCITY = (subtree_velocity, sensor_vel, contact_sensors, tactile_sensors, noise_of_velocities)
SENSE_FORCE = (contact_forces, body_forces, sensor_acc, touch_sensors, contact_force_sensors, noise_of_forces, delay_sensors)
INTEGRATE = (check_acceleration, record_sensors, compare_inverse, step_acceleration, runge_kutta, advance_activation, advance, yield_springs)

BEFORE_SPEED = (*POSITION, *COLLISION, meet)
FROM_SPEED = VELOCITY + ACTUATION + CONSTRAINT + SENSE_POSITION + SENSE_VELOCITY + SOLVE + SENSE_FORCE
FORWARD = BEFORE_SPEED + FROM_SPEED
STEP = (check_state, *BEFORE_SPEED, fall_asleep, *FROM_SPEED, *INTEGRATE)


def step_groups(integrator: int) -> tuple:
    """The stages of one step, in the groups that run one after the other for all worlds: of RK4's four passes the first one senses."""
    if integrator != RK4:
        return (STEP,)
    sense = (*SENSE_POSITION, *SENSE_VELOCITY, *SENSE_FORCE, record_sensors)
    later = tuple(s for s in STEP if s not in sense)
    return ((), STEP, later, later, later, ())


# Not part of a step, for those who ask: acceleration without constraints, contacts at the poses of a scene's bodies, frames of cameras and
# lights, what rays meet, islands of the rows there are, forces of given accelerations, and parameters that follow from others (with qpos bound
# to qpos0; FOLLOW adds those of a scene, SLACK wants qpos_spring)
SMOOTH = (smooth_acceleration,)
ISLANDS = (find_islands,)
DETECT = (place_geoms, broadphase, convex_pairs, narrowphase)
CAMERA = (kinematics, com_position, camera_frames)
RAY = (kinematics, cast_rays)
INVERSE = (*BEFORE_SPEED, *VELOCITY, *ACTUATION, *CONSTRAINT, continuous_acceleration, inverse_force)
SET_CONST = (
    subtree_masses, *PLACE, transmission, factor_inertia, body_weights, dof_weights, tendon_weights, actuator_weights,
)  # fmt: skip
FOLLOW = (*SET_CONST, equality_poses, damping_ratios, dof_lengths)
SLACK = (kinematics, com_position, motion_axes, tendon_position, slack_bands)

# GPU packs: kernels of similar register need, each with its own occupancy; those named in ROOMY get all the registers there are
ROOMY = ("convex", "distance", "sweeps", "slip")
GPU_PACKS = {
    "motion": (check_state, *POSITION, *VELOCITY, place_geoms, broadphase, pass_over),
    "convex": (convex_pairs,),
    "contact": (narrowphase,),
    "given": (take_contacts,),
    "sleep": (meet, fall_asleep),
    "rows": CONSTRAINT,
    "actuate": ACTUATION,  # after the contacts, which pull and are pulled at
    "few_rows": (solve_unconstrained, solve_few_rows),
    "sweeps": (solve_by_sweeps,),
    "many_rows": (solve_many_rows,),
    "slip": (less_slip,),
    "gap": (formula_distances,),
    "distance": (distance_sensors,),
    "sense": (*SENSE_POSITION[:4], noise_of_positions, *SENSE_VELOCITY, *SENSE_FORCE),
    "inverse": (continuous_acceleration, inverse_force),
    "sight": (camera_frames, cast_rays),
    "islands": ISLANDS,
    "integrate": (observe, *INTEGRATE),
}
# where trees may fall asleep, speeds are known only after the contacts are
SLEEP_PACKS = GPU_PACKS | {
    "motion": tuple(s for s in GPU_PACKS["motion"] if s not in VELOCITY),
    "rows": (*VELOCITY, *CONSTRAINT),
}

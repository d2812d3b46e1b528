"""Step functions and parts of a step: each runs stages of ``pipeline`` for all worlds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.mujoco import MjtDisableBit, MjtIntegrator, MjtSolver, MjtStage
from newtonlite.mjwarp import callback
from newtonlite.mjwarp.layout import FRAMES
from newtonlite.solvers.mujoco import pipeline as p
from newtonlite.solvers.mujoco.kernels.actuate.actuation import fwd_actuation
from newtonlite.solvers.mujoco.kernels.actuate.smooth import smooth_force
from newtonlite.solvers.mujoco.kernels.actuate.transmission import actuator_velocity, transmission
from newtonlite.solvers.mujoco.kernels.collide.flex_contacts import flex_contacts
from newtonlite.solvers.mujoco.kernels.collide.flex_share import share_contacts
from newtonlite.solvers.mujoco.kernels.integrate.check import check_state
from newtonlite.solvers.mujoco.kernels.position.flex import element_boxes, flex_position
from newtonlite.solvers.mujoco.kernels.position.inertia import com_pos, crb, mass_matrix, subtree_com
from newtonlite.solvers.mujoco.kernels.position.kinematics import kinematics
from newtonlite.solvers.mujoco.kernels.position.tendon import tendon_armature, tendon_position
from newtonlite.solvers.mujoco.kernels.sense.contact import contact_sensors
from newtonlite.solvers.mujoco.kernels.sense.energy import energy
from newtonlite.solvers.mujoco.kernels.sense.forces import contact_forces, rne_postconstraint
from newtonlite.solvers.mujoco.kernels.sense.frames import camera_frames
from newtonlite.solvers.mujoco.kernels.sense.velocity import subtree_vel
from newtonlite.solvers.mujoco.kernels.sleep.sleep import sleep_islands, wake_collision
from newtonlite.solvers.mujoco.kernels.velocity.adhesion import adhesion_force
from newtonlite.solvers.mujoco.kernels.velocity.bias import com_vel, rne
from newtonlite.solvers.mujoco.kernels.velocity.flex import flex_passive, flex_velocity
from newtonlite.solvers.mujoco.kernels.velocity.passive import passive
from newtonlite.solvers.mujoco.kernels.velocity.tendon import tendon_bias, tendon_forces, tendon_passive

FOUND = tuple(s for s in p.COLLISION if s is not flex_contacts)
"""Stages that have nothing to do where contacts are given."""
WHOLE = ("qacc_smooth", *FRAMES)
UNDONE = {"solve": ("qacc_smooth",), "step2": ("qacc_smooth",)}
"""Arrays that functions leave undone where nothing needs them."""


class StageFunction(NamedTuple):
    """A function: what it computes, the stages it runs, sizes or options under which they run whatever the model's are."""

    doc: str
    stages: tuple
    wanted: dict = {}


FLEXES = (flex_position, flex_velocity)
BODY_FORCES = {"nrne": 1, "ncontactforce": 1}
PARTS = {
    "fwd_kinematics": StageFunction(
        "Frames, centres of mass, cameras and lights, flexes, tendons.",
        (kinematics, subtree_com, com_pos, camera_frames, *FLEXES, tendon_position),
    ),
    "fwd_position": StageFunction(
        "Everything that follows from positions: frames, inertia, contacts, constraint rows, transmissions.",
        (*p.FWD_POSITION, camera_frames, com_vel, *p.CONSTRAINT, transmission),
    ),
    "fwd_velocity": StageFunction(
        "Everything that follows from velocities.", (*p.VELOCITY, adhesion_force, actuator_velocity)
    ),
    "fwd_actuation": StageFunction("Actuator forces.", p.ACTUATION),
    "kinematics": StageFunction("Frames of bodies, joints, geoms and sites.", (kinematics,)),
    "com_pos": StageFunction("Centres of mass, spatial inertias and motion axes.", (subtree_com, com_pos)),
    "camlight": StageFunction("Frames of cameras and lights.", (camera_frames,)),
    "tendon": StageFunction("Lengths and Jacobians of tendons.", (tendon_position,)),
    "crb": StageFunction("Joint-space inertia ``M``.", (crb, mass_matrix, tendon_armature)),
    "transmission": StageFunction("Lengths and moments of actuators.", (transmission,)),
    "collision": StageFunction("Contacts.", (element_boxes, *p.COLLISION, wake_collision)),
    "make_constraint": StageFunction("Constraint rows.", (com_vel, flex_velocity, share_contacts, *p.CONSTRAINT)),
    "island": StageFunction("Islands: trees that constraint rows tie together.", p.ISLANDS),
    "com_vel": StageFunction("Velocities of bodies.", (com_vel,)),
    "rne": StageFunction("Coriolis, centrifugal and gravity forces, ``qfrc_bias``.", (com_vel, rne, tendon_bias)),
    "passive": StageFunction(
        "Springs, dampers, elastic bodies, gravity compensation, fluid, contacts that pull.",
        (passive, tendon_passive, flex_passive, adhesion_force),
    ),
    "subtree_vel": StageFunction("Momenta of subtrees.", (subtree_vel,), {"nsubtreevel": 1}),
    "energy_pos": StageFunction("Potential (and kinetic) energy.", (energy,), {"nenergy": 1}),
    "energy_vel": StageFunction("Kinetic (and potential) energy.", (energy,), {"nenergy": 1}),
    "fwd_acceleration": StageFunction(
        "``qfrc_smooth``, and with it ``qacc_smooth``, the acceleration without constraints.", (smooth_force, *p.SMOOTH)
    ),
    "solve": StageFunction("Constraint forces and ``qacc``.", p.SOLVE),
    "rne_postconstraint": StageFunction(
        "Accelerations of bodies, forces between them and from outside.",
        (com_vel, rne, tendon_forces, contact_forces, rne_postconstraint),
        BODY_FORCES,
    ),
    "sensor_pos": StageFunction(
        "Sensors of positions, and of contacts but for their forces.", (*p.SENSOR_POS, contact_sensors)
    ),
    "sensor_vel": StageFunction("Sensors of velocities.", tuple(s for s in p.SENSOR_VEL if s is not contact_sensors)),
    "euler": StageFunction("Integrate with Euler's method.", p.INTEGRATE, {"opt_integrator": MjtIntegrator.EULER}),
    "step2": StageFunction(
        "The second half of a step: forces of actuators, solution, sensors of forces, integration.",
        (fwd_actuation, smooth_force, *p.SOLVE, *p.SENSOR_ACC, *p.INTEGRATE),
    ),
}
"""Functions by name."""
FIRST_HALF = (
    check_state,
    *p.FWD_POSITION,
    sleep_islands,
    *p.VELOCITY,
    adhesion_force,
    transmission,
    actuator_velocity,
    *p.CONSTRAINT,
    *p.SENSOR_POS,
    *p.SENSOR_VEL,
)
SENSOR_ACC_ANEW = (com_vel, tendon_forces, *p.SENSOR_ACC)
SENSOR_ACC_GIVEN = tuple(s for s in p.SENSOR_ACC if s not in (contact_forces, rne_postconstraint))
"""Sensors of forces: with accelerations from those at qacc = 0 on, or with those that are there."""
INVERSE = (*p.INVERSE, *p.SENSOR_POS, *p.SENSOR_VEL, *p.SENSOR_ACC)
"""Inverse dynamics, and what sensors show at that acceleration."""


def step(m, d) -> None:
    """Advance every world by one time step. StateError where model and data do not belong together."""
    if not d.again(m, "step"):
        _whole(m, d, "step", p.step_groups)


def forward(m, d) -> None:
    """Forward dynamics: everything up to the acceleration; the state stays."""
    if not d.again(m, "forward"):
        _whole(m, d, "forward", lambda integrator: (p.FORWARD,))


def _whole(m, d, name: str, groups: Callable) -> None:
    """A step or forward dynamics, by groups of stages that depend on the integrator, in the way that options, callbacks
    and arrays ask for now; remembered for the next call where it is the plain one.
    """
    with late_results(m, d) as plain:
        if m.callback.names():
            callback.run(m, d, f"{name}_{m.opt_integrator}", groups(m.opt_integrator))
        elif not m.switches["run_collision_detection"]:
            _with_given_contacts(m, d, name, groups)
        else:
            schedule = d.schedule(m, **body_force_sizes(m))
            getattr(schedule, name)()
            if plain and schedule.model.origin is None:
                d.remember(m, name, schedule, WHOLE)


@contextmanager
def late_results(m, d) -> Iterator[bool]:
    """Around a program: what it leaves undone is computed when it is read, and ``qacc_smooth`` stays as it was where the
    option ``run_qacc_smooth`` says so. Gives whether there is nothing to keep.
    """
    needed = m.opt_disableflags & MjtDisableBit.WARMSTART or m.opt_noslip_iterations or m.opt_solver != MjtSolver.NEWTON
    if m.switches["run_qacc_smooth"] or needed or d.engine.scratch != "per_world":
        yield True
        d.undone |= {*WHOLE}
    else:
        own = d.engine.arrays["qacc_smooth"]
        before = wp.clone(own)
        yield False
        wp.copy(own, before)
        d.batch.recorded.append(before)
        d.undone = {*d.undone, *FRAMES} - {"qacc_smooth"}


def _with_given_contacts(m, d, name: str, groups: Callable) -> None:
    """Groups of stages without collision: contacts are as the caller left them in ``d.contact``."""
    if d.engine.scratch != "per_world":
        raise StateError("run_collision_detection: contacts have to be kept; make the data with scratch='per_world'")
    d.put_contacts_back(m)
    schedule = d.schedule(m, **body_force_sizes(m))
    kept = lambda group: tuple(share_contacts if s is flex_contacts else s for s in group if s not in FOUND)
    given = lambda integrator: tuple(map(kept, groups(integrator)))
    schedule.add_step(f"{name}_given", given)
    schedule.run(f"{name}_given")


def body_force_sizes(m) -> dict:
    """Sizes of what an option asks for beyond what the model needs."""
    return BODY_FORCES if m.switches["run_rne_postconstraint"] else {}


def second_half(m) -> dict:
    """Sizes and options of ``step2``: like MuJoCo's it integrates by Euler's method where the model asks for RK4."""
    return body_force_sizes(m) | (
        {"opt_integrator": MjtIntegrator.EULER} if m.opt_integrator == MjtIntegrator.RK4 else {}
    )


def step1(m, d) -> None:
    """The first half of a step: everything that does not depend on the controls, sensors of positions and velocities
    included.
    """
    _run(m, d, "step1", FIRST_HALF)
    d.undone |= {*FRAMES}
    if m.callback.control is not None and not m.opt_disableflags & MjtDisableBit.ACTUATION:
        m.callback.control(m, d)


def inverse(m, d) -> None:
    """``qfrc_inverse``, the constraint forces and what sensors show, of the accelerations in ``qacc``."""
    _run(m, d, "inverse_0_False", INVERSE, callback.BEFORE_ACTUATION)


def forward_skip(m, d, skipstage: int = 0, skipsensor: bool = False) -> None:
    """``forward`` without what follows from positions (``skipstage`` 1), nor from velocities (2), and without sensors:
    MuJoCo's ``mj_forwardSkip``.

    What is skipped is as the last ``forward`` left it. StateError for another stage, or for data that does not keep
    intermediate results.
    """
    _skip(m, d, "forward", p.FORWARD, skipstage, skipsensor)


def inverse_skip(m, d, skipstage: int = 0, skipsensor: bool = False) -> None:
    """``inverse`` without what follows from positions (``skipstage`` 1), nor from velocities (2), and without sensors:
    MuJoCo's ``mj_inverseSkip``.

    Raises StateError as ``forward_skip`` does.
    """
    _skip(m, d, "inverse", INVERSE, skipstage, skipsensor, callback.BEFORE_ACTUATION)


def _run(m, d, name: str, stages: tuple, without: tuple = ()) -> None:
    """A program of these stages, with the callbacks that belong there."""
    if m.callback.names():
        callback.run(m, d, name, (stages,), without)
        return
    schedule = d.schedule(m)
    schedule.add(name, stages)
    schedule.run(name)


def _skip(m, d, name: str, stages: tuple, skipstage: int, skipsensor: bool, without: tuple = ()) -> None:
    if not isinstance(skipstage, int) or not 0 <= skipstage < MjtStage.ACC:
        raise StateError(f"skipstage={skipstage!r}: expected 0, 1 (positions) or 2 (positions and velocities)")
    if d.engine.scratch != "per_world":
        raise StateError("skipstage: what is skipped has to be kept; make the data with scratch='per_world'")
    left: tuple = ()
    if skipstage >= MjtStage.POS:
        left += (*p.FWD_POSITION, *p.SENSOR_POS)
    if skipstage >= MjtStage.VEL:
        left += (*p.VELOCITY, *p.CONSTRAINT, *p.SENSOR_VEL)
    if skipsensor:
        left += (*p.SENSOR_POS, *p.SENSOR_VEL, *p.SENSOR_ACC)
    _run(m, d, f"{name}_{skipstage}_{bool(skipsensor)}", tuple(s for s in stages if s not in left), without)


def implicit(m, d) -> None:
    """Integrate implicitly in velocity. Raises StateError for models with another integrator, which have no arrays
    for the derivatives.
    """
    if m.opt_integrator not in (MjtIntegrator.IMPLICIT, MjtIntegrator.IMPLICITFAST):
        raise StateError("implicit: the model was put with another integrator; put it with implicit or implicitfast")
    schedule = d.schedule(m)
    schedule.add("implicit", p.INTEGRATE)
    schedule.run("implicit")


def discrete(m, d) -> None:
    """Integrate in discrete time, from accelerations that ``forward`` found. Raises StateError for models with another
    integrator, whose accelerations are those of continuous time.
    """
    if m.opt_integrator != MjtIntegrator.DISCRETE:
        raise StateError("discrete: the model was put with another integrator; put it with discrete")
    schedule = d.schedule(m)
    schedule.add("discrete", p.INTEGRATE)
    schedule.run("discrete")


def rungekutta4(m, d) -> None:
    """Integrate with Runge and Kutta's method of fourth order, from a state that ``forward`` was called for.

    Raises StateError for models with another integrator, which have no arrays for its sums.
    """
    if m.opt_integrator != MjtIntegrator.RK4:
        raise StateError("rungekutta4: the model was put with another integrator; put it with RK4")
    schedule = d.schedule(m)
    schedule.add("rungekutta4_first", p.INTEGRATE)
    schedule.run("rungekutta4_first")
    for stages in p.step_groups(MjtIntegrator.RK4)[2:]:
        if stages:
            schedule.add("rungekutta4_later", stages)
            schedule.run("rungekutta4_later")


def _function(name: str, part: StageFunction):
    def run(m, d, *unused, **settings) -> None:
        if name == "rne" and (settings.get("flg_acc") or any(unused)):
            raise StateError("rne flg_acc: accelerations are not taken in; inverse gives the forces that they need")
        if name == "make_constraint":
            d.put_contacts_back(m)
        if m.callback.names() and not part.wanted:
            callback.run(m, d, name, (part.stages,), ("control",))
            return
        schedule = d.schedule(m, **(part.wanted or (second_half(m) if name == "step2" else {})))
        schedule.add(name, part.stages)
        schedule.run(name)
        d.undone |= {*UNDONE.get(name, ())}

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"{part.doc} Switches of MuJoCo Warp's function, for work that this engine does where it is needed, are taken and not used."
    return run


def sensor_acc(m, d, skip_rne_postconstraint: bool = False) -> None:
    """Sensors of accelerations and forces; without the accelerations of bodies and the forces between them where those
    are there already.
    """
    if skip_rne_postconstraint:
        _run(m, d, "sensor_acc_given", SENSOR_ACC_GIVEN)
    else:
        _run(m, d, "sensor_acc", SENSOR_ACC_ANEW)


globals().update({name: _function(name, part) for name, part in PARTS.items()})
__all__ = [
    "discrete",
    "sensor_acc",
    "forward",
    "forward_skip",
    "implicit",
    "inverse",
    "inverse_skip",
    "rungekutta4",
    "step",
    "step1",
    *PARTS,
]


def programs() -> list[tuple]:
    """Stages of the functions that run parts of a step."""
    return [FIRST_HALF, INVERSE, SENSOR_ACC_ANEW, SENSOR_ACC_GIVEN, *(part.stages for part in PARTS.values())]

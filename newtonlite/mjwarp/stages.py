"""Steps and parts of a step: each function runs stages of ``pipeline`` for all worlds."""

from typing import NamedTuple

from newtonlite.core.errors import StateError
from newtonlite.mjwarp import callback
from newtonlite.solvers.mujoco import pipeline as p
from newtonlite.solvers.mujoco.enums import EULER, IMPLICIT, IMPLICITFAST, DISABLE_ACTUATION, RK4, STAGE_ACC, STAGE_POS, STAGE_VEL


class Part(NamedTuple):
    """A function: what it computes, the stages it runs, sizes or options under which they run whatever the model's are."""

    doc: str
    stages: tuple
    wanted: dict = {}


PARTS = {
    "fwd_kinematics": Part("Frames, centres of mass, cameras and lights, tendons.",
                           (p.kinematics, p.com_position, p.motion_axes, p.camera_frames, p.tendon_position)),
    "fwd_position": Part("Everything that follows from positions, contacts and constraint rows excepted.", p.POSITION),
    "fwd_velocity": Part("Everything that follows from velocities.", p.VELOCITY),
    "fwd_actuation": Part("Actuator forces.", p.ACTUATION),
    "kinematics": Part("Frames of bodies, joints, geoms and sites.", (p.kinematics,)),
    "com_pos": Part("Centres of mass, spatial inertias and motion axes.", (p.com_position, p.motion_axes)),
    "camlight": Part("Frames of cameras and lights.", (p.camera_frames,)),
    "tendon": Part("Lengths and Jacobians of tendons.", (p.tendon_position,)),
    "crb": Part("Joint-space inertia ``M``.", (p.mass_matrix, p.tendon_inertia)),
    "transmission": Part("Lengths and moments of actuators.", (p.transmission,)),
    "collision": Part("Contacts.", (*p.COLLISION, p.meet)),
    "make_constraint": Part("Constraint rows.", p.CONSTRAINT),
    "island": Part("Islands: trees that constraint rows tie together.", p.ISLANDS),
    "com_vel": Part("Velocities of bodies.", (p.com_velocity,)),
    "rne": Part("Coriolis, centrifugal and gravity forces, ``qfrc_bias``.", (p.bias, p.tendon_bias)),
    "passive": Part("Springs, dampers, gravity compensation, fluid, contacts that pull.", (p.passive, p.tendon_passive, p.adhesive_force)),
    "subtree_vel": Part("Momenta of subtrees.", (p.subtree_velocity,), {"nsubtreevel": 1}),
    "energy_pos": Part("Potential (and kinetic) energy.", (p.energies,), {"nenergy": 1}),
    "energy_vel": Part("Kinetic (and potential) energy.", (p.energies,), {"nenergy": 1}),
    "fwd_acceleration": Part("``qacc_smooth``, the acceleration without constraints.", p.SMOOTH),
    "solve": Part("Constraint forces and ``qacc``.", p.SOLVE),
    "rne_postconstraint": Part("Accelerations of bodies, forces between them and from outside.",
                               (p.com_velocity, p.bias, p.contact_forces, p.body_forces), {"nrne": 1, "ncontactforce": 1}),
    "sensor_pos": Part("Sensors of positions.", p.SENSE_POSITION),
    "sensor_vel": Part("Sensors of velocities.", p.SENSE_VELOCITY),
    "sensor_acc": Part("Sensors of accelerations and forces.", p.SENSE_FORCE),
    "euler": Part("Integrate with Euler's method.", p.INTEGRATE, {"opt_integrator": EULER}),
    "step2": Part("The second half of a step: forces of actuators, solution, sensors of forces, integration.",
                  (p.actuation, p.smooth_force, *p.SOLVE, *p.SENSE_FORCE, *p.INTEGRATE)),
}  # fmt: skip
"""Functions by name."""
FIRST_HALF = (p.check_state, *p.BEFORE_SPEED, p.fall_asleep, *p.VELOCITY, p.adhesive_force, p.transmission, p.actuator_velocity,
              *p.CONSTRAINT, *p.SENSE_POSITION, *p.SENSE_VELOCITY)  # fmt: skip
INVERSE = (*p.INVERSE, *p.SENSE_POSITION, *p.SENSE_VELOCITY, *p.SENSE_FORCE)
"""Inverse dynamics, and what sensors show at that acceleration."""


def step(m, d) -> None:
    """Advance every world by one time step. StateError where model and data do not belong together."""
    if m.callback.names():
        callback.run(m, d, "step", p.step_groups(m.opt_integrator))
    else:
        d.schedule(m).step()


def forward(m, d) -> None:
    """Everything up to the acceleration; the state stays."""
    if m.callback.names():
        callback.run(m, d, "forward", (p.FORWARD,))
    else:
        d.schedule(m).forward()


def step1(m, d) -> None:
    """The first half of a step: everything that does not depend on the controls, sensors of positions and velocities included."""
    _run(m, d, "step1", FIRST_HALF)
    if m.callback.control is not None and not m.opt_disableflags & DISABLE_ACTUATION:
        m.callback.control(m, d)


def inverse(m, d) -> None:
    """``qfrc_inverse``, the constraint forces and what sensors show, of the accelerations in ``qacc``."""
    _run(m, d, "inverse_0_False", INVERSE, callback.BEFORE_ACTUATION)


def forward_skip(m, d, skipstage: int = 0, skipsensor: bool = False) -> None:
    """``forward`` without what follows from positions (``skipstage`` 1), nor from velocities (2), and without sensors: MuJoCo's ``mj_forwardSkip``.

    What is skipped is as the last ``forward`` left it. StateError for another stage, or for data that does not keep intermediate results.
    """
    _skip(m, d, "forward", p.FORWARD, skipstage, skipsensor)


def inverse_skip(m, d, skipstage: int = 0, skipsensor: bool = False) -> None:
    """``inverse`` without what follows from positions (``skipstage`` 1), nor from velocities (2), and without sensors: MuJoCo's ``mj_inverseSkip``.

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
    if not isinstance(skipstage, int) or not 0 <= skipstage < STAGE_ACC:
        raise StateError(f"skipstage={skipstage!r}: expected 0, 1 (positions) or 2 (positions and velocities)")
    if d.engine.scratch != "per_world":
        raise StateError("skipstage: what is skipped has to be kept; make the data with scratch='per_world'")
    left: tuple = ()
    if skipstage >= STAGE_POS:
        left += (*p.BEFORE_SPEED, *p.SENSE_POSITION)
    if skipstage >= STAGE_VEL:
        left += (*p.VELOCITY, *p.CONSTRAINT, *p.SENSE_VELOCITY)
    if skipsensor:
        left += (*p.SENSE_POSITION, *p.SENSE_VELOCITY, *p.SENSE_FORCE)
    _run(m, d, f"{name}_{skipstage}_{bool(skipsensor)}", tuple(s for s in stages if s not in left), without)


def implicit(m, d) -> None:
    """Integrate implicitly in velocity. Raises StateError for models with another integrator, which have no room for the slopes."""
    if m.opt_integrator not in (IMPLICIT, IMPLICITFAST):
        raise StateError("implicit: the model was put with another integrator; put it with implicit or implicitfast")
    schedule = d.schedule(m)
    schedule.add("implicit", p.INTEGRATE)
    schedule.run("implicit")


def rungekutta4(m, d) -> None:
    """Integrate with Runge and Kutta's method of fourth order, from a state that ``forward`` was called for.

    Raises StateError for models with another integrator, which have no room for its sums.
    """
    if m.opt_integrator != RK4:
        raise StateError("rungekutta4: the model was put with another integrator; put it with RK4")
    schedule = d.schedule(m)
    schedule.add("rungekutta4_first", p.INTEGRATE)
    schedule.run("rungekutta4_first")
    for stages in p.step_groups(RK4)[2:]:
        if stages:
            schedule.add("rungekutta4_later", stages)
            schedule.run("rungekutta4_later")


def _function(name: str, part: Part):
    def run(m, d, *unused, **also_unused) -> None:
        if m.callback.names() and not part.wanted:
            callback.run(m, d, name, (part.stages,), ("control",))
            return
        schedule = d.schedule(m, **part.wanted)
        schedule.add(name, part.stages)
        schedule.run(name)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"{part.doc} Switches of MuJoCo Warp's function, for work that this engine does where it is needed, are taken and not used."
    return run


globals().update({name: _function(name, part) for name, part in PARTS.items()})
__all__ = ["forward", "forward_skip", "implicit", "inverse", "inverse_skip", "rungekutta4", "step", "step1", *PARTS]  # noqa: PLE0604

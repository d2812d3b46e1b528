"""Steps and parts of a step: each function runs stages of ``pipeline`` for all worlds."""

from newtonlite.solvers.mujoco import pipeline as p

FUNCTIONS = {
    "fwd_position": ("Everything that follows from positions, contacts and constraint rows excepted.", p.POSITION),
    "fwd_velocity": ("Everything that follows from velocities.", p.VELOCITY),
    "fwd_actuation": ("Actuator forces.", p.ACTUATION),
    "kinematics": ("Frames of bodies, joints, geoms and sites.", (p.kinematics,)),
    "com_pos": ("Centres of mass, spatial inertias and motion axes.", (p.com_position, p.motion_axes)),
    "crb": ("Joint-space inertia ``M``.", (p.mass_matrix,)),
    "collision": ("Contacts.", p.COLLISION),
    "make_constraint": ("Constraint rows.", p.CONSTRAINT),
    "com_vel": ("Velocities of bodies.", (p.com_velocity,)),
    "rne": ("Coriolis, centrifugal and gravity forces, ``qfrc_bias``.", (p.bias,)),
    "passive": ("Springs, dampers, gravity compensation.", (p.passive,)),
    "fwd_acceleration": ("``qacc_smooth``, the acceleration without constraints.", p.SMOOTH),
    "solve": ("Constraint forces and ``qacc``.", p.SOLVE),
    "step1": ("The first half of a step: everything that does not depend on the controls.",
              (p.check_state, *p.POSITION, *p.COLLISION, *p.VELOCITY)),
    "step2": ("The second half of a step: actuation, constraints, integration.",
              (*p.ACTUATION, *p.CONSTRAINT, *p.SOLVE, *p.INTEGRATE)),
}  # fmt: skip
"""Name of a function, what it computes, the stages it runs."""


def step(m, d) -> None:
    """Advance every world by one time step. StateError where model and data do not belong together."""
    d.schedule(m).step()


def forward(m, d) -> None:
    """Everything up to the acceleration; the state stays."""
    d.schedule(m).forward()


def _function(name: str, doc: str, stages: tuple):
    def run(m, d) -> None:
        schedule = d.schedule(m)
        schedule.add(name, stages)
        schedule.run(name)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = doc
    return run


globals().update({name: _function(name, *row) for name, row in FUNCTIONS.items()})
__all__ = ["forward", "step", *FUNCTIONS]  # noqa: PLE0604

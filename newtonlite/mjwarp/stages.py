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
    "camlight": ("Frames of cameras and lights.", (p.camera_frames,)),
    "sensor_pos": ("Sensors of positions.", p.SENSE_POSITION),
    "sensor_vel": ("Sensors of velocities.", p.SENSE_VELOCITY),
    "sensor_acc": ("Sensors of accelerations and forces.", p.SENSE_FORCE),
    "subtree_vel": ("Velocities and angular momenta of subtrees, ``subtree_linvel`` and ``subtree_angmom``.", (p.subtree_velocity,)),
    "rne_postconstraint": ("Accelerations of bodies and the forces on and between them: ``cacc``, ``cfrc_ext``, ``cfrc_int``.",
                           (p.com_velocity, p.contact_forces, p.body_forces)),
    "step1": ("The first half of a step: everything that does not depend on the controls.",
              (p.check_state, *p.POSITION, *p.COLLISION, *p.VELOCITY)),
    "step2": ("The second half of a step: actuation, constraints, integration.",
              (*p.ACTUATION, *p.CONSTRAINT, *p.SENSE_POSITION, *p.SENSE_VELOCITY, *p.SOLVE, *p.SENSE_FORCE, *p.INTEGRATE)),
}  # fmt: skip
"""Name of a function, what it computes, the stages it runs."""

NEEDS = {"subtree_vel": ("nsubtreevel",), "rne_postconstraint": ("nrne", "ncontactforce")}
"""Sizes that say that something is computed, for functions whose model may not have asked for it."""


def step(m, d) -> None:
    """Advance every world by one time step. StateError where model and data do not belong together."""
    d.schedule(m).step()


def forward(m, d) -> None:
    """Everything up to the acceleration; the state stays."""
    d.schedule(m).forward()


def _function(name: str, doc: str, stages: tuple):
    def run(m, d) -> None:
        for size in NEEDS.get(name, ()):
            if not m.sizes[size]:
                m.sizes[size] = 1
                m.version += 1
        schedule = d.schedule(m)
        schedule.add(name, stages)
        schedule.run(name)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = doc
    return run


globals().update({name: _function(name, *row) for name, row in FUNCTIONS.items()})
__all__ = ["forward", "step", *FUNCTIONS]  # noqa: PLE0604

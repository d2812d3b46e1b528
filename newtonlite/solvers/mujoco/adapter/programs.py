"""Programs of a solver's step: the engine's stages between push and pull, in the variants that a caller may request."""

from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import plan
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import load_contacts
from newtonlite.solvers.mujoco.kernels.state_io.observables import write_observables
from newtonlite.solvers.mujoco.kernels.state_io.pull import pull
from newtonlite.solvers.mujoco.kernels.state_io.push import push_input, push_marked, push_state

PUSH, COAST, PULL = (push_state, push_input), (push_marked, push_input), (pull,)


def program(schedule, resync: bool = True, given: bool = False, watched: bool = False) -> str:
    """Name of the program that does a step; made when first asked for.

    ``resync``: positions and velocities come from the scene's state, else the engine goes on from its own but for
    worlds that were reset. ``given``: contacts are the caller's, else the engine finds them. ``watched``: the step is
    observed.
    """
    if resync and not given and not watched:
        return "step"
    name = "step" + "_coast" * (not resync) + "_given" * given + "_watched" * watched
    if name not in schedule.programs:

        def groups(integrator: int) -> tuple:
            found = pipeline.step_groups(integrator)
            found = tuple(with_external_contacts(g) for g in found) if given else found
            return with_observer(found) if watched else found

        schedule.add_step(name, groups, prologue=PUSH if resync else COAST, epilogue=PULL)
    return name


def with_external_contacts(stages: tuple) -> tuple:
    """The stages with ``load_contacts`` in place of collision."""
    if not set(stages) & set(pipeline.COLLISION):
        return stages
    first = next(i for i, stage in enumerate(stages) if stage in pipeline.COLLISION)
    return (*stages[:first], load_contacts, *without_collision(stages[first:]))


def without_collision(stages: tuple) -> tuple:
    """The stages without collision."""
    return tuple(stage for stage in stages if stage not in pipeline.COLLISION)


def with_observer(groups: tuple) -> tuple:
    """The groups of stages with ``write_observables`` before the state moves on for the first time."""
    k = next(k for k, stages in enumerate(groups) if set(stages) & set(pipeline.INTEGRATE))
    first = next(i for i, stage in enumerate(groups[k]) if stage in pipeline.INTEGRATE)
    return (*groups[:k], (*groups[k][:first], write_observables, *groups[k][first:]), *groups[k + 1 :])


def every_program() -> list[tuple]:
    """The stages of every program of a solver and of an environment, whatever the features of the model."""
    steps = [g for integrator in (MjtIntegrator.EULER, MjtIntegrator.RK4) for g in pipeline.step_groups(integrator)]
    steps += [with_external_contacts(g) for g in steps]
    watched = [
        g
        for integrator in (MjtIntegrator.EULER, MjtIntegrator.RK4)
        for g in with_observer(pipeline.step_groups(integrator))
    ]
    watched += [with_external_contacts(g) for g in watched]
    names = (
        "FORWARD",
        "ROWS",
        "INVERSE",
        "MODEL_UPDATE",
        "SPRING_LENGTHS",
        "COLLISION",
        "COLLIDE",
        "CAMERA",
        "RAY",
        "SMOOTH",
        "ISLANDS",
    )
    others = [getattr(pipeline, name) for name in names]
    return [PUSH, COAST, PULL, *steps, *watched, *others, plan.CPU_KERNELS["position"]]

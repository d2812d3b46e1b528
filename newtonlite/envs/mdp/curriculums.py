"""Curriculum terms: tasks that become harder. Stages are by the count of steps of the environment, the same for every
world.
"""


def commands_vel(env, mask, command_name: str, velocity_stages: list):
    """Ranges of a velocity command by stage: dicts with ``step`` and new ranges."""
    command = env.command_terms[command_name]
    for stage in velocity_stages:
        if env.common_step_counter >= stage["step"]:
            ranges = {k: v for k, v in stage.items() if k != "step" and v is not None}
            if not _holds(command.ranges, ranges):
                command.ranges.update(ranges)


def reward_curriculum(env, mask, reward_name: str, stages: list):
    """Weight and parameters of a reward by stage: dicts with ``step`` and ``weight`` or ``params``."""
    _apply(env, env.rewards.terms[reward_name], stages)


def termination_curriculum(env, mask, termination_name: str, stages: list):
    """Parameters of a termination by stage: dicts with ``step`` and ``params``."""
    _apply(env, env.terminations.terms[termination_name], stages)


def _apply(env, term, stages: list) -> None:
    for stage in stages:
        if env.common_step_counter >= stage["step"]:
            if "weight" in stage:
                term.weight = stage["weight"]
            if not _holds(term.params, params := stage.get("params", {})):
                term.params.update(params)


def _holds(table: dict, part: dict) -> bool:
    """Whether a table has the entries of another already."""
    return all(name in table and table[name] is value for name, value in part.items())

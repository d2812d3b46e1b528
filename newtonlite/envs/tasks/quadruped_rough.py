"""Quadruped on velocity commands over rough ground, which becomes harder as it walks farther."""

from newtonlite.envs.ground import height_scan, out_of_terrain_bounds, terrain_levels_vel
from newtonlite.envs.task import CurriculumTerm, Noise, ObservationTerm, Task, TerminationTerm
from newtonlite.envs.tasks import quadruped_velocity
from newtonlite.envs.terrains import Terrain


def task() -> Task:
    """The task on flat ground, with a terrain, a height scan of 17 x 11 points, and a curriculum of levels."""
    made = quadruped_velocity.task()
    made.terrain = Terrain(max_init_level=1)
    made.nconmax = 40
    for group in made.observations.values():
        group.terms["height_scan"] = ObservationTerm(
            height_scan, {"offset": 0.3}, noise=Noise("uniform", -0.05, 0.05), clip=(-1.0, 1.0)
        )
    made.terminations["out_of_terrain_bounds"] = TerminationTerm(out_of_terrain_bounds, time_out=True)
    made.curriculum["terrain_levels"] = CurriculumTerm(terrain_levels_vel, {"command_name": "twist"})
    del made.rewards["foot_clearance"]  # measures heights from zero
    made.about = "a quadruped follows velocity commands, over rough ground"
    return made

"""How long the broad phase takes by looking at every pair and by sweep and prune, over scenes of more and more free
balls.

    python -m benchmarks broadphase [--sizes 50,100,200,500,1000,2000] [--rounds 5] [--pipeline]

The balls lie as close as in a heap. All ways run in turn, on one CPU thread, in one process; the least CPU time counts.
A CPU looks at sixteen pairs at once in scenes of up to 2048 geoms; one by one is what a lane of a GPU's team does. The
bounds ``MOST_LISTED`` (solvers/mujoco/derive/geom.py) are where sweeping becomes the faster one. docs/benchmarks.md has
a table. With ``--pipeline`` a ``CollisionPipeline`` is raced instead, from making it to its list of contacts.
"""

import argparse
import time
from typing import Any

import numpy as np
import warp as wp

import newtonlite
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.kernels.collide.broadphase import candidates_in_range
from newtonlite.solvers.mujoco.kernels.position.kinematics import kinematics
from newtonlite.solvers.mujoco.model import put_model
from tests.oracle import compile_xml

WORLDS = 4
REPEATS = 5


@wp.func
def one_by_one(m: Any, d: Any, world: int, lane: int, nlane: int):
    """The broad phase as a lane of a team does it."""
    d.nbp[world] = candidates_in_range(m, d, world, lane, nlane)


def heap(count: int) -> str:
    """Balls of radius 0.1 in a cube, so many that each overlaps some others."""
    side = 0.16 * count ** (1 / 3)
    places = np.random.default_rng(0).uniform(0, side, (count, 3))
    balls = "".join(
        f'<body pos="{x:.3f} {y:.3f} {z:.3f}"><joint type="slide"/><geom size=".1"/></body>' for x, y, z in places
    )
    return f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{balls}</worldbody></mujoco>'


class Contender:
    """The broad phase of one kind over a scene."""

    def __init__(self, mj, kind: str, stage=pipeline.COLLISION[0]):
        self.m = put_model(mj, WORLDS, "cpu", broadphase=kind)
        self.d = make_data(self.m, WORLDS, 8, 8, scratch="per_world", nbpmax=64 * mj.ngeom)
        self.schedule = Schedule(self.m, self.d, mode="staged", threads=1)
        self.schedule.add("place", (kinematics,))
        self.schedule.add("broad", (stage,))
        self.schedule.run("place")
        self.schedule.run("broad")
        self.best = np.inf

    def run(self) -> None:
        """Time some runs; keep the best."""
        start = time.process_time()
        self.schedule.run("broad", REPEATS)
        self.best = min(self.best, (time.process_time() - start) / REPEATS / WORLDS)

    @property
    def bytes(self) -> int:
        """Of the model's lists of pairs and filters."""
        return sum(a.capacity for name, a in self.m.arrays.items() if name.startswith(("cand_", "prune_")))


class Pipeline:
    """A ``CollisionPipeline`` with one broad phase over one world of free balls."""

    def __init__(self, model, phase: str):
        start = time.process_time()
        self.pipeline, self.state = (
            newtonlite.CollisionPipeline(model, broad_phase=phase, rigid_contact_max=100_000),
            model.state(),
        )
        self.made = time.process_time() - start
        self.contacts, self.best = self.pipeline.contacts(), np.inf
        self.pipeline.collide(self.state, self.contacts)

    def run(self) -> None:
        """Time some calls; keep the best."""
        start = time.process_time()
        for _ in range(REPEATS):
            self.pipeline.collide(self.state, self.contacts)
        self.best = min(self.best, (time.process_time() - start) / REPEATS)


def free_balls(count: int):
    """The same heap as a scene."""
    b = newtonlite.ModelBuilder()
    for place in np.random.default_rng(0).uniform(0, 0.16 * count ** (1 / 3), (count, 3)).tolist():
        b.add_shape_sphere(b.add_body(xform=(tuple(place), (0, 0, 0, 1))), radius=0.1, cfg=b.ShapeConfig(gap=0.0))
    return b.finalize(device="cpu")


def free_cones(count: int):
    """Cones, which the engine does not collide, some way apart; here and there two touch."""
    b = newtonlite.ModelBuilder()
    for place in np.random.default_rng(0).uniform(0, 0.4 * count ** (1 / 3), (count, 3)).tolist():
        b.add_shape_cone(
            b.add_body(xform=(tuple(place), (0, 0, 0, 1))), radius=0.1, half_height=0.1, cfg=b.ShapeConfig(gap=0.0)
        )
    return b.finalize(device="cpu")


def race_pipelines(shapes: str, sizes: list[int], rounds: int) -> None:
    """Print a table of pipelines."""
    print(f"| {shapes} | contacts | made by nxn [s] | by sap [s] | collide by nxn [ms] | by sap [ms] |")
    print("|---|---|---|---|---|---|")
    for count in sizes:
        model = {"balls": free_balls, "cones": free_cones}[shapes](count)
        both = Pipeline(model, "nxn"), Pipeline(model, "sap")
        for _ in range(rounds):
            for contender in both:
                contender.run()
        found = int(both[0].contacts.rigid_contact_count.numpy()[0])
        made, times = (
            " | ".join(f"{x:.2f}" for x in row) for row in ([c.made for c in both], [1e3 * c.best for c in both])
        )
        print(f"| {count} | {found} | {made} | {times} |", flush=True)


def main() -> None:
    """Print a table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sizes", default="50,100,200,500,1000,2000")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument(
        "--pipeline",
        choices=("balls", "cones"),
        nargs="?",
        const="balls",
        help="race CollisionPipeline's broad phases over these",
    )
    args = arguments.parse_args()
    if args.pipeline:
        race_pipelines(args.pipeline, list(map(int, args.sizes.split(","))), args.rounds)
        return
    print(
        "| balls | candidates | near pairs | sixteen pairs at once [us] | one by one [us] | sweep and prune [us] | lists [kB] | filters [kB] |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for count in map(int, args.sizes.split(",")):
        mj = compile_xml(heap(count))
        three = Contender(mj, "nxn"), Contender(mj, "nxn", one_by_one), Contender(mj, "sap")
        for _ in range(args.rounds):
            for contender in three:
                contender.run()
        wide, scalar, swept = three
        near = int(swept.d.nbp_needed.numpy()[0])
        times = " | ".join(f"{c.best * 1e6:.1f}" for c in three)
        print(
            f"| {count} | {wide.m.ncandidate} | {near} | {times} | {wide.bytes / 1000:.0f} | {swept.bytes / 1000:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

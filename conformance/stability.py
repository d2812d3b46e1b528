"""What stands, lies or is held for seconds, beside MuJoCo C: how deep it sinks and how far it creeps. Writes
docs/stability.md.

    python -m conformance stability [--only peg]

Both sides start from the same pose and run by themselves. Penetration is the deepest contact met in the last second; creep
is how far the body that moved most went from one second (four for piles, which have to settle first) to the end. What
it is for MuJoCo with its positions rounded to float32 after every step, and nothing else, tells what storing them so
costs.
"""

import mujoco
import numpy as np

from conformance.collection.places import ROOT
from conformance.contact_scenes import free_meshes, solid, towers
from conformance.sweep import FAULT, Sweep, table
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.model import put_model

MOST_SECONDS = 7200
FLOOR = '<geom type="plane" size="0 0 1"/>'
FLOAT = """Creep of some micrometres is that of positions in float32, and not repaired: MuJoCo, all else in float64, creeps as far, or farther, once its qpos
is kept in float32 (*rounded*). The cylinder comes to lie with a tilt of 3.4e-7, which leaves one end 1e-7 m deeper than the other; contacts answer with
1e-6 m/s at the ends, and the turn of a step at that speed is less than the last digit of its quaternion, while its position moves on."""
EVERY = 25  # steps between two looks
SECONDS = 10.0


def lying() -> str:
    """A cylinder on its side."""
    body = '<body pos="0 0 .1" euler="90 0 20"><freejoint/><geom type="cylinder" size=".1 .2"/></body>'
    return f'<mujoco><option timestep="0.004"/><worldbody>{FLOOR}{body}</worldbody></mujoco>'


def peg() -> str:
    """A cylinder of 30 mm radius dropped into a square hole with half a millimetre to each side."""
    walls = "".join(
        f'<geom type="box" size="{a} {b} .05" pos="{x} {y} .05"/>'
        for a, b, x, y in (
            (0.02, 0.1, 0.0505, 0),
            (0.02, 0.1, -0.0505, 0),
            (0.03, 0.02, 0, 0.0505),
            (0.03, 0.02, 0, -0.0505),
        )
    )
    body = '<body pos="0 0 .13"><freejoint/><geom type="cylinder" size=".03 .05" friction=".3 .005 .0001"/></body>'
    return f'<mujoco><option timestep="0.002"/><worldbody>{FLOOR}{walls}{body}</worldbody></mujoco>'


def gripper() -> str:
    """Two fingers that press a pebble of mesh between them with 20 N, over nothing."""
    finger = lambda name, side: (
        f'<body pos="0 {side * 0.095} 1"><joint name="{name}" type="slide" axis="0 {-side} 0" damping="5"/>'
        '<geom type="box" size=".03 .02 .04" mass=".2" friction="1 .02 .001" condim="4"/></body>'
    )
    held = '<body pos="0 0 1"><freejoint/><geom type="mesh" mesh="m" density="800" friction="1 .02 .001" condim="4"/></body>'
    motors = "".join(f'<motor joint="{name}" gear="20"/>' for name in ("left", "right"))
    couple = '<equality><joint joint1="left" joint2="right"/></equality>'
    return (
        f'<mujoco><option timestep="0.002" cone="elliptic" impratio="10"/><asset><mesh name="m" vertex="{solid(3, 24)}"/></asset>'
        f"<worldbody>{finger('left', -1)}{finger('right', 1)}{held}</worldbody><actuator>{motors}</actuator>{couple}</mujoco>"
    )


SCENES = {
    "ten boxes on each other": (lambda: towers(1, 10), 1.0),
    "a pile of fifty meshes": (lambda: free_meshes(50), 4.0),
    "a cylinder on its side": (lying, 1.0),
    "a peg in a hole": (peg, 1.0),
    "a gripper that holds a mesh": (gripper, 1.0),
}
"""Models, and the seconds after which creep counts."""


class Run:
    """What became of the bodies of a scene: their places over time and the deepest contacts."""

    def __init__(self):
        self.places, self.depths = [], []

    def note(self, xpos, dist) -> None:
        """One look."""
        self.places.append(np.array(xpos, float))
        self.depths.append(max(0.0, -float(np.min(dist, initial=0.0))))

    def judged(self, dt: float, settled: float) -> tuple[float, float, float]:
        """(penetration, creep, largest drop from the start), in metres."""
        places, look = np.array(self.places), EVERY * dt
        after = places[int(settled / look) :]
        creep = np.linalg.norm(after - after[0], axis=2).max()
        return max(self.depths[-int(1.0 / look) :]), float(creep), float((places[0] - places[-1])[:, 2].max())


def theirs(mj, steps: int) -> Run:
    """MuJoCo's run."""
    data, run = mujoco.MjData(mj), Run()
    data.ctrl[:] = 1.0
    for _ in range(steps // EVERY):
        mujoco.mj_step(mj, data, EVERY)
        run.note(data.xpos[1:], data.contact.dist)
    return run


def rounded(mj, steps: int) -> Run:
    """MuJoCo's run with ``qpos`` in float32 between steps."""
    data, run = mujoco.MjData(mj), Run()
    data.ctrl[:] = 1.0
    for step in range(1, steps + 1):
        mujoco.mj_step(mj, data)
        data.qpos[:] = data.qpos.astype(np.float32)
        if step % EVERY == 0:
            run.note(data.xpos[1:], data.contact.dist)
    return run


def ours(mj, steps: int) -> Run:
    """newtonlite's run; raises RuntimeError where contacts were lost or the state went bad."""
    m = put_model(mj, 1, "cpu")
    d = make_data(m, 1, keep=("xpos", "contact_dist"))
    d.ctrl.fill_(1.0)
    schedule, run = Schedule(m, d, threads=1), Run()
    for _ in range(steps // EVERY):
        schedule.step(EVERY)
        run.note(d.xpos.numpy()[0, 1:], d.contact_dist.numpy()[0, : int(d.ncon.numpy()[0])])
    if d.overflow.numpy().any() or d.bad_count.numpy().any():
        raise RuntimeError("contacts were lost, or the state went bad")
    return run


def compare(text: str, seconds: float, settled: float, runs=(ours, theirs)) -> list[tuple[float, float, float]]:
    """(penetration, creep, drop) of newtonlite and of MuJoCo, or of other runs."""
    mj = mujoco.MjModel.from_xml_string(text)
    steps, dt = int(seconds / mj.opt.timestep), mj.opt.timestep
    return [run(mj, steps).judged(dt, settled) for run in runs]


def judge(name: str) -> dict:
    """What both sides did in a scene, in metres."""
    text, settled = SCENES[name]
    one, two, three = compare(text(), SECONDS, settled, (ours, theirs, rounded))
    return {"verdict": "measured", "newtonlite": one, "mujoco": two, "rounded": three}


def page(rows: list[dict]) -> str:
    """The table as Markdown."""
    lines = [
        "# Stability of resting and grasped objects",
        "",
        f"Written by `make stability`: {SECONDS:g} s of simulated time from the same pose, newtonlite and MuJoCo {mujoco.__version__} each by itself.",
        "Penetration is the deepest contact met in the last second; creep how far the body that moved most went from one second",
        "(four for the pile) to the end, and *rounded* MuJoCo's with its qpos in float32 between steps; drop how much lower the body that fell most is at the end than at the first look.",
        "",
        *table("scene", "penetration [mm]", "MuJoCo's", "creep [mm]", "MuJoCo's", "rounded", "drop [mm]", "MuJoCo's"),
    ]
    for record in rows:
        if record["verdict"] == FAULT:
            lines.append(f"| {record['model']} | {record['note']} | | | | | | |")
            continue
        deep, creep, drop = (
            f"{1e3 * a:.3g} | {1e3 * b:.3g}" for a, b in zip(record["newtonlite"], record["mujoco"], strict=True)
        )
        cells = f"{deep} | {creep} | {1e3 * record['rounded'][1]:.3g} | {drop}"
        lines.append(f"| {record['model']} | {cells} |")
    lines += ["", FLOAT]
    return "\n".join(lines) + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "stability.md",
    lambda: {name: name for name in SCENES},
    judge,
    page,
    lambda row: str({side: row.get(side) for side in ("newtonlite", "mujoco", "rounded")}),
    seconds=MOST_SECONDS,
    needs=ROOT,
)

"""Hashes of states after 100 steps of 20 scenes: shows that a change of names or structure leaves every bit of the
results as it was.

    python -m conformance state_hashes              compares with conformance/results/state_hashes.json
    python -m conformance state_hashes --write 1    keeps this engine's hashes there

The bits depend on the processor and the compiler; compare hashes that were made on one machine.
"""

import hashlib
import json

import numpy as np

import newtonlite as newton
from conformance.collection.models import named
from conformance.collection.places import ROOT
from conformance.sweep import Sweep

RESULTS = ROOT / "conformance" / "results" / "state_hashes.json"
WORLDS, HASHED, STEPS = 36, 4, 100
"""Worlds that are stepped, on two threads more than a gang for each, and the first ones, whose states are hashed: the bits
do not depend on how many there are.
"""
SCENES = """
    mjwarp_bench/humanoid/humanoid.xml mjwarp_bench/humanoid/three_humanoids.xml mjwarp_bench/franka_emika_panda/scene.xml
    mjwarp_bench/aloha/scene_pot.xml mjwarp_bench/unitree_g1/scene_flat.xml mjwarp_bench/unitree_g1/scene_hfield.xml
    mjwarp_test/collision.xml mjwarp_test/constraints.xml mjwarp_test/tendon/pulley_wrap.xml mjwarp_test/actuation/muscle.xml
    mujoco_mjx/convex.xml mujoco_mjx/shadow_hand/scene_right.xml mujoco_mjx/barkour_v0/assets/barkour_v0_mjx.xml
    mujoco_model/car/car.xml mujoco_model/tendon_arm/arm26.xml mujoco_test/engine/island/island_efc.xml
    mujoco_test/engine/sensor/contact_net.xml newton/nv_humanoid.xml unitree_go1_mjlab/go1.xml unitree_h1/mjcf/h1.xml
""".split()


def state_hash(file: str) -> str:
    """SHA-256 of ``joint_q``, ``joint_qd`` and ``body_q`` of the first worlds, driven by controls that differ by world."""
    robot = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(robot)
    robot.add_mjcf(file, convert_mjc_equality_constraints=False)
    worlds = newton.ModelBuilder()
    worlds.replicate(robot, WORLDS)
    model = worlds.finalize(device="cpu")
    solver = newton.solvers.SolverMuJoCo(model)
    state, control = model.state(), model.control()
    rng = np.random.default_rng(7)
    control.joint_f.assign(rng.uniform(-0.5, 0.5, control.joint_f.shape).astype(np.float32))
    for _ in range(STEPS):
        solver.step(state, state, control, None, 0.002)
    sums = hashlib.sha256()
    for array in (state.joint_q, state.joint_qd, state.body_q):
        sums.update(array.numpy().reshape(WORLDS, -1)[:HASHED].tobytes())
    return sums.hexdigest()


def kept() -> dict[str, str]:
    """Hashes by scene that are compared with."""
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}


def judge(case: list[str], write: int) -> dict:
    """The row of one scene: its hash, and whether it is the one that is kept."""
    scene, file = case
    found = state_hash(file)
    return {"verdict": "written" if write else "equal" if kept().get(scene) == found else "different", "hash": found}


def page(rows: list[dict], write: int) -> str:
    """The file of hashes: the new ones with ``--write 1``, else as it was."""
    return json.dumps({row["model"]: row["hash"] for row in rows} if write else kept(), indent=1) + "\n"


SWEEP = Sweep(
    module=__name__,
    page_file=RESULTS,
    cases=lambda write: {name: [name, file] for name, file in named(SCENES).items()},
    judge=judge,
    page=page,
    line=lambda row: row.get("note", row.get("hash", ""))[:60],
    options={"write": 0},
    settles=False,
)

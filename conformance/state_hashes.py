"""Hashes of states after 100 steps of 20 scenes: shows that a change of names or structure leaves every bit of the
results as it was.

    python -m conformance state_hashes            compares with conformance/results/state_hashes.json
    python -m conformance state_hashes --write    keeps this engine's hashes there

The bits depend on the processor and the compiler; compare hashes that were made on one machine.
"""

import argparse
import hashlib
import json
import sys
import warnings
from pathlib import Path

import numpy as np

import newtonlite as newton

ROOT = Path(__file__).parents[1]
MJCF = ROOT.parent / "shared" / "assets" / "mjcf"
RESULTS = ROOT / "conformance" / "results" / "state_hashes.json"
WORLDS, STEPS = 4, 100
SCENES = """
    mjwarp_bench/humanoid/humanoid.xml mjwarp_bench/humanoid/three_humanoids.xml mjwarp_bench/franka_emika_panda/scene.xml
    mjwarp_bench/aloha/scene_pot.xml mjwarp_bench/unitree_g1/scene_flat.xml mjwarp_bench/unitree_g1/scene_hfield.xml
    mjwarp_test/collision.xml mjwarp_test/constraints.xml mjwarp_test/tendon/pulley_wrap.xml mjwarp_test/actuation/muscle.xml
    mujoco_mjx/convex.xml mujoco_mjx/shadow_hand/scene_right.xml mujoco_mjx/barkour_v0/assets/barkour_v0_mjx.xml
    mujoco_model/car/car.xml mujoco_model/tendon_arm/arm26.xml mujoco_test/engine/island/island_efc.xml
    mujoco_test/engine/sensor/contact_net.xml newton/nv_humanoid.xml unitree_go1_mjlab/go1.xml unitree_h1/mjcf/h1.xml
""".split()


def state_hash(file: Path) -> str:
    """SHA-256 of ``joint_q``, ``joint_qd`` and ``body_q`` of all worlds, driven by controls that differ by world."""
    robot = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(robot)
    robot.add_mjcf(str(file))
    scene = newton.ModelBuilder()
    scene.replicate(robot, WORLDS)
    model = scene.finalize(device="cpu")
    solver = newton.solvers.SolverMuJoCo(model)
    state, control = model.state(), model.control()
    rng = np.random.default_rng(7)
    control.joint_f.assign(rng.uniform(-0.5, 0.5, control.joint_f.shape).astype(np.float32))
    for _ in range(STEPS):
        solver.step(state, state, control, None, 0.002)
    sums = hashlib.sha256()
    for array in (state.joint_q, state.joint_qd, state.body_q):
        sums.update(array.numpy().tobytes())
    return sums.hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="keep the hashes instead of comparing")
    parser.add_argument("--only", default="", help="scenes whose path contains this")
    chosen = parser.parse_args()
    kept = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    differ = []
    for scene in (s for s in SCENES if chosen.only in s):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = state_hash(MJCF / scene)
        if chosen.write:
            kept[scene] = found
            RESULTS.parent.mkdir(parents=True, exist_ok=True)
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
        elif kept.get(scene) != found:
            differ.append(scene)
        print(scene, found[:16], "differs" if scene in differ else "", flush=True)
    print(f"{len(differ)} differ")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())

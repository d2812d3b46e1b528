"""Parts that hold each other by not being convex, and soft bodies: what they do over seconds, and what finding their
contacts costs. Writes docs/outside.md.

    python -m conformance mesh_contacts [--only mug]
"""

import tempfile
import time

import numpy as np
import warp as wp

from conformance.collection.places import ROOT
from conformance.sweep import Sweep
from newtonlite import CollisionPipeline
from newtonlite.cli.doctor import processor
from newtonlite.geometry.signed_distance import cache
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.executor import specialize
from tests.collide import test_hang, test_hydroelastic
from tests.harness import collide_parts

HEAD = """# Contacts of CollisionPipeline in simulations: nut, mug, pressed ball

`make outside` simulates them with `SolverMuJoCo(use_mujoco_contacts=False)` and writes this page. Times are CPU time of one core of {cpu}; steps
run the general kernels of the tests, which are compiled without optimisation, so that only `collide` says something of speed.

| scene | simulated | triangles | tables | building them | contacts | `collide` | step | what it did |
|---|--:|--:|--:|--:|--:|--:|--:|---|
"""
ROW = "| {name} | {seconds:.1f} s | {triangles} | {size:.1f} MiB | {built:.1f} s | {contacts} | {find:.2f} ms | {step:.2f} ms | {what} |\n"

BALL = """
Hydroelastic: a ball of 10 cm pressed 1 cm into a box, stiffnesses `kh` [N/m^3]; errors against the closed form, that of the centre of pressure as
part of the patch's radius.

| box | ball | area | force | centre | contacts |
|--:|--:|--:|--:|--:|--:|
"""


def simulate(b, seconds: float, dt: float, pull: float = 0.0) -> dict:
    """Poses of the last body, and the CPU time of collision and of steps."""
    model = b.finalize(device="cpu")
    solver, one, two = (
        SolverMuJoCo(model, use_mujoco_contacts=False, nconmax=200, njmax=1000),
        model.state(),
        model.state(),
    )
    pipeline, poses, most = CollisionPipeline(model), [], 0
    contacts = pipeline.contacts()
    spent = np.zeros(2)
    for k in range(int(seconds / dt)):
        clock = [time.process_time()]
        pipeline.collide(one, contacts)
        clock.append(time.process_time())
        one.body_f.assign(np.tile(np.array([0, 0, pull, 0, 0, 0], np.float32), (model.body_count, 1)))
        solver.step(one, two, None, contacts, dt)
        clock.append(time.process_time())
        one, two = two, one
        spent += np.diff(clock) * (k > 0)
        most = max(most, int(contacts.rigid_contact_count.numpy()[0]))
        poses.append(one.body_q.numpy()[-1].copy())
    find, step = spent / (len(poses) - 1) * 1e3
    return {"seconds": seconds, "poses": np.array(poses), "contacts": most, "find": find, "step": step}


def tables(meshes, **settings) -> dict:
    """Build the fields of meshes, each in a folder of its own so that none is taken from the disk."""
    cache.forget()
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        size = sum(mesh.build_sdf(cache_dir=folder, **settings).table.nbytes for mesh in meshes)
    return {
        "built": time.process_time() - began,
        "size": size / 2**20,
        "triangles": sum(len(mesh.triangles) for mesh in meshes),
    }


def nut(mu: float, pull: float, seconds: float) -> dict:
    """The nut on the bolt, pulled down."""
    meshes = collide_parts.bolt(-0.016, 0.014), collide_parts.nut()
    found = tables(meshes, **test_hang.FIELD) | simulate(test_hang.on_bolt(meshes, mu), seconds, 0.001, pull)
    turned, height = test_hang.turns(found["poses"]), found["poses"][:, 2]
    begin = len(turned) // 4
    down, around = 1e3 * (height[begin] - height[-1]), abs(turned[-1] - turned[begin])
    found["what"] = f"after a quarter of it, {down:.2f} mm down and {around:.3f} turns"
    found["what"] += (
        f": {down / around:.2f} mm a turn; the pitch is {1e3 * collide_parts.PITCH:.0f} mm" if around > 0.1 else ""
    )
    return found | {"name": f"nut on a bolt, friction {mu:g}, pulled by {-pull:g} N"}


def mug(seconds: float) -> dict:
    """The mug on its hook."""
    b, meshes = test_hang.on_hook(None)
    for mesh in meshes:
        mesh.clear_sdf()
    found = tables(meshes, **test_hang.COARSE) | simulate(b, seconds, 0.002)
    far = np.linalg.norm(test_hang.opening(found["poses"])[:, 1:], axis=1).max()
    found["what"] = f"swings; the middle of its handle stays within {1e3 * far:.0f} mm of the hook's axis"
    return found | {"name": "mug on a hook"}


def ball(box: float, soft: float) -> dict:
    """How far area, force and centre of pressure of a pressed ball are from the closed form."""
    got = test_hydroelastic.patch(test_hydroelastic.pressed(box, soft).finalize(device="cpu"))
    want = test_hydroelastic.closed_form(box, soft)
    off = np.linalg.norm(got["centre"] - [0.0137, 0.0071, want["height"]]) / np.sqrt(want["area"] / np.pi)
    errors = [abs(got["area"] / want["area"] - 1), abs(got["force"][2] / want["force"] - 1), off]
    line = f"| {box:.0e} | {soft:.0e} | " + " | ".join(f"{100 * e:.2f} %" for e in errors) + f" | {got['count']} |\n"
    return {"line": line}


SCENES = {
    "nut without friction": lambda: nut(0.0, -0.16, 0.5),
    "nut with friction": lambda: nut(0.5, -0.16, 3.0),
    "mug": lambda: mug(5.0),
    "ball of the box's stiffness": lambda: ball(1e7, 1e7),
    "soft ball": lambda: ball(1e9, 1e6),
    "stiff ball": lambda: ball(1e6, 1e8),
}


def judge(name: str) -> dict:
    """What one scene did, with the general kernels."""
    wp.config.log_level = wp.LOG_WARNING
    specialize.disable()
    found = SCENES[name]()
    found.pop("poses", None)
    line = found.get("line") or ROW.format(**found)
    return {"verdict": "measured", "line": line, "pressed": "line" in found}


def page(rows: list[dict]) -> str:
    """The tables of what hangs and of what is pressed."""
    lines = [[row["line"] for row in rows if row.get("pressed") is pressed] for pressed in (False, True)]
    return HEAD.format(cpu=processor()) + "".join(lines[0]) + BALL + "".join(lines[1])


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "outside.md",
    lambda: {name: name for name in SCENES},
    judge,
    page,
    lambda row: row.get("line", row.get("note", "")).strip(),
    needs=ROOT,
)

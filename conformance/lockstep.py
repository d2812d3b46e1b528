"""SolverMuJoCo beside MuJoCo C, step by step, on real models: 200 steps through State and Control. Writes
docs/lockstep.md.

    python -m conformance lockstep [--steps 200] [--worlds 4] [--only humanoid]

``lockstep_contacts`` is the same for scenes in which things touch.

Each step begins, on both sides, in the state that MuJoCo has come to, rounded to float32, and with the same random
controls; the solver keeps its own warm start. MuJoCo gets what Newton's document has the solver leave out: ``gap``,
and margins beside boxes.
"""

from pathlib import Path

import numpy as np

from conformance.collection.models import complete, models, named
from conformance.collection.places import ROOT
from conformance.lockstep_own import TRIALS, errors, explained
from conformance.sweep import FAULT, Sweep, counts, exceptions, left_out, one_line, table
from newtonlite.core.errors import Error
from newtonlite.solvers.mujoco.executor import specialize
from tests import oracle
from tests.harness.beside import load, to_scene, write_activations, write_controls
from tests.oracle import States
from tests.tolerance import tolerance

STEPS, WORLDS = 200, 4
ITERATIONS = 100  # solvers stopped early need not agree
CONVERGED = 1e-12  # with its default, where MuJoCo stops hangs on its warm start: speeds differ by 1e-4
MODELS = """
    mjwarp_bench/franka_emika_panda/panda.xml mjwarp_bench/franka_emika_panda/scene.xml mjwarp_bench/humanoid/humanoid.xml
    mjwarp_bench/humanoid/three_humanoids.xml mjwarp_bench/aloha/scene_pot.xml mjwarp_bench/unitree_g1/scene_flat.xml
    mjwarp_bench/unitree_g1/scene_hfield.xml mjwarp_test/actuation/actuation.xml mjwarp_test/actuation/adhesion.xml
    mjwarp_test/actuation/muscle.xml mjwarp_test/actuation/slidercrank.xml mjwarp_test/collision.xml mjwarp_test/constraints.xml
    mjwarp_test/tendon/pulley_wrap.xml mujoco_mjx/actuator/arm26.xml mujoco_mjx/barkour_v0/assets/barkour_v0_mjx.xml
    mujoco_mjx/constraints.xml mujoco_mjx/convex.xml mujoco_mjx/humanoid/03_humanoids.xml mujoco_mjx/shadow_hand/scene_right.xml
    mujoco_mjx/tendon/site_wrap.xml mujoco_model/car/car.xml mujoco_model/replicate/helix.xml mujoco_model/slider_crank/slider_crank.xml
    mujoco_model/tendon_arm/arm26.xml mujoco_test/common/catenary.xml mujoco_test/common/delay.xml mujoco_test/common/tendon_wrap.xml
    mujoco_test/engine/actuation/dampratio.xml mujoco_test/engine/collision_driver/humanoid.xml
    mujoco_test/engine/core_constraint/jdotv_weld_3d.xml mujoco_test/engine/hammock/humanoid_body.xml mujoco_test/engine/island/abacus.xml
    mujoco_test/engine/island/island_efc.xml mujoco_test/engine/sensor/contact_net.xml mujoco_test/engine/weld.xml
    mujoco_usd_converter/stacked_joints.xml mujoco_usd_converter/tendon_spatial_attributes.xml
    myo_sim/elbow/myoelbow_1dof6muscles_1dofexo.xml myo_sim/elbow/myoelbow_2dof6muscles.xml myo_sim/finger/finger_v0.xml
    newton/constraints.xml newton/nv_humanoid.xml so101/scene.xml so101/so101_new_calib.xml unitree_g1/g1_29dof_rev_1_0.xml
    unitree_g1/g1_29dof_with_hand_rev_1_0.xml unitree_go1_mjlab/go1.xml unitree_h1/mjcf/h1.xml unitree_h1/mjcf/h1_with_hand.xml
""".split()


LARGEST = {"nv": 60, "nmeshvert": 60_000}
"""Sizes of models of the collection that go along with those above."""
EVERY = 3
"""Of how many of these one is taken."""


def cases(**options) -> dict[str, str]:
    """Files of the models above that are there, of our own, and of some of the collection."""
    small = models(**LARGEST).items()
    own = complete({name: row for name, row in small if row["source"] == "own"})
    fetched = complete({name: row for name, row in small if row["source"] not in ("own", "beside")})
    return named(MODELS) | own | dict(list(fetched.items())[::EVERY])


def walk(path: Path, steps: int = STEPS, worlds: int = WORLDS, device="cpu") -> dict:
    """Go along MuJoCo's motions of a model, one solver step at a time: a row of the table.

    Errors are those of ``joint_q`` and ``joint_qd``, the worst of all steps, relative to a world's vector or to 1,
    whichever is larger. Steps ``apart`` are beyond the tolerance; ``sensitive`` says how many of them MuJoCo itself is
    as far apart in, moved by roundings.
    """
    mj, solver = load(path, device, worlds, iterations=ITERATIONS, overflow="grow")
    mj.opt.iterations, mj.opt.tolerance = ITERATIONS, CONVERGED
    states = oracle.journey(mj, worlds, steps)
    model, m = solver.model, solver.mj_model
    scene = model.state(), model.state(), model.control()
    found, apart, uneven, most = np.zeros((worlds, 2)), [], 0, 0
    for now, after in zip(states[:-1], states[1:], strict=True):
        got = stepped(solver, *scene, now, float(mj.opt.timestep))
        error = errors(m, got, after)
        off = np.flatnonzero(error.max(axis=1) > tolerance("lockstep"))
        if len(off):
            apart.append((now[off], after[off], error[off]))
            uneven += int((solver.mjw_data.nefc.numpy()[off] != oracle.step(mj, now[off]).nefc).sum())
        found, most = np.maximum(found, error), max(most, int(solver.mjw_data.ncon.numpy().max()))
    row = {"verdict": "equal", "joint_q": found[:, 0].max(), "joint_qd": found[:, 1].max(), "contacts": most}
    return row | {"apart": 0, "sensitive": 0} if not apart else row | judged(mj, m, apart) | {"uneven": uneven}


def stepped(solver, first, second, control, now: States, dt: float) -> list[np.ndarray]:
    """joint_q and joint_qd [nworld, ...] after a step from MuJoCo's states; once more where not all contacts
    fitted.
    """
    m, capacity = solver.mj_model, -1
    q, qd = to_scene(m, now)
    while capacity != solver.mjw_data.njmax:
        capacity = solver.mjw_data.njmax
        first.joint_q.assign(q.ravel().astype(np.float32))
        first.joint_qd.assign(qd.ravel().astype(np.float32))
        write_controls(m, control, now.ctrl)
        write_activations(solver.mjw_data, now)
        solver.step(first, second, control, None, dt)
        solver.check_capacity()
    return [array.numpy().reshape(len(now), -1) for array in (second.joint_q, second.joint_qd)]


def judged(mj, m, apart: list[tuple]) -> dict:
    """What is said of the steps apart: states before and after them, and errors."""
    now, after = (oracle.stacked(batch) for batch in list(zip(*apart, strict=True))[:2])
    known, own = explained(mj, m, now, after, np.concatenate([error for _, _, error in apart]))
    verdict = "as sensitive" if known.all() else "different"
    return {"verdict": verdict, "apart": len(known), "sensitive": int(known.sum()), "own": own[:, 1].max()}


def judge(path: str, steps: int, worlds: int) -> dict:
    """The row of one model, with one set of kernels for all models."""
    specialize.disable()
    try:
        row = {"note": "", **walk(Path(path), steps, worlds)}
    except RuntimeError as problem:
        return {"verdict": "unstable in MuJoCo", "note": one_line(problem)}
    except Error as problem:
        return {"verdict": "refused", "note": one_line(problem)}
    if row["apart"]:
        row["note"] = (
            f"{row['uneven']} of {row['apart']} with other rows; MuJoCo's own joint_qd, moved by roundings, by up to {row['own']:.0e}"
        )
    return {key: value if isinstance(value, str) else float(value) for key, value in row.items()}


def page(rows: list[dict], steps: int, worlds: int, command: str = "make lockstep") -> str:
    """The table as Markdown."""
    order = ("equal", "as sensitive", "different", "unstable in MuJoCo", "refused", FAULT)
    lines = [
        "# SolverMuJoCo in lockstep with MuJoCo",
        "",
        f"Written by `{command}`: {len(rows)} real models, {steps} steps of {worlds} worlds each through `State` and `Control`. Every step",
        "begins, on both sides, in the state MuJoCo 4.0.0 has come to under random controls (the first ten steps are MuJoCo's alone: files put",
        "things exactly in touch). Errors are the worst of all steps, relative to the whole vector or 1, whichever is larger; steps beyond",
        f"{tolerance('lockstep'):.0e} are *apart*, and a model without any is *equal*. Solvers have {ITERATIONS} iterations on both sides, MuJoCo's a tolerance of",
        f"{CONVERGED:.0e}, and there is room for all contacts. Gaps, and margins beside boxes, are zero on both sides, as the solver has them.",
        "",
        "A model is *as sensitive* where in every step apart MuJoCo's own step ends a tenth as far away when its inputs, and what its parts hand",
        "on, are moved by one rounding of float32, or as far (nine tenths) when they are moved by ten: the rule of parity.md, with up to",
        f"{TRIALS[-1]} trials of each (`conformance/lockstep_own.py`). Then a contact is just there or not (rows differ in number), two faces are equally",
        "deep, or sixteen corners of a cylinder's cap have several largest quadrilaterals. It is *different* where a step apart is none of these.",
        "",
        counts(rows, order),
        "",
        *table(
            "model",
            "verdict",
            "joint_q",
            "joint_qd",
            "most contacts",
            f"apart of {steps * worlds} steps",
            "as sensitive",
            "different",
            "note",
        ),
    ]
    walked = [row for row in rows if row["verdict"] == "equal"]
    shown = exceptions(rows, order) + sorted(walked, key=lambda row: -row["joint_qd"])[:8]  # the eight farthest
    for row in shown:
        numbers = [f"{row[key]:.0e}" if key in row else "" for key in ("joint_q", "joint_qd")]
        apart, sensitive = (int(row.get(key, 0)) for key in ("apart", "sensitive"))
        counted = [int(row["contacts"]), apart, sensitive, apart - sensitive] if "apart" in row else [""] * 4
        cells = [row["model"], row["verdict"], *numbers, *map(str, counted), row["note"]]
        lines.append("| " + " | ".join(cells) + " |")
    lines += left_out(rows, shown)
    return "\n".join(lines) + "\n"


def line(row: dict) -> str:
    """The error of joint_qd, and what is to be said."""
    return f"{row.get('joint_qd', '')}  {row.get('note', '')}"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "lockstep.md",
    cases,
    judge,
    page,
    line,
    options={"steps": STEPS, "worlds": WORLDS},
    fails=(FAULT,),
)

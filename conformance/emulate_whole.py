"""Whole steps of soft bodies and of distance fields under the emulator, by kernels of each scene's own features, as the engine
builds them for it. Each is ``case(device, nlane, order)`` and gives arrays by name.
"""

import contextlib
from collections.abc import Callable
from unittest.mock import patch

from conformance.emulate_soft import (
    BEND_AND_STRETCH,
    COUNTS,
    DISCRETE,
    EDGES,
    FIELD,
    FIELDS,
    KEPT_APART,
    PLANE,
    SCENES,
    TORUS,
    WIDE,
    WORLDS,
    compiled,
    elastic,
    flex,
    free,
    scene,
    states,
)

SOFT_DOFS = ("SOFT_DOFS",)
ALL_DOFS = ("WIDE_DOFS", "SOFT_DOFS", "DENSE_DOFS")
"""Bounds above which models are stored sparse, and those above which couplings of the effective inertia are too."""
STEM_BOUNDS = (*SOFT_DOFS, "BRANCHES")
"""The first of them, and branches of a body above which it counts as a stem."""
FEW = 3
"""What they are for scenes that are taken for large ones."""

NEWTON, GRADIENTS = DISCRETE + ' solver="Newton" iterations="30"', DISCRETE + ' solver="CG" iterations="60"'
PASSIVE = '<contact passive="true" selfcollide="none"/>'
LARGE = {
    "coupled rows by Newton": scene(PLANE + flex(BEND_AND_STRETCH, pos="0 0 .009"), NEWTON),
    "coupled rows by gradients": scene(PLANE + flex(BEND_AND_STRETCH, pos="0 0 .009"), GRADIENTS),
    "coupled rows and passive contacts": scene(
        PLANE + flex(BEND_AND_STRETCH, pos="0 0 .009", touch=PASSIVE) + free(".03 .02 .045", 'size=".03" mass=".1"'), NEWTON
    ),
    "coupled rows of surfaces kept apart": scene(
        flex(elastic(thickness=".01", elastic2d="both")) + flex(name="g", pos=".013 .02 .0215", count="3 2 1"),
        NEWTON,
        flag='ipc="enable"',
    ),
}  # fmt: skip
"""Scenes that are taken for models of more dofs than dense matrices are kept for."""
PAD = {"type": "grid", "dim": 3, "count": "2 2 2", "spacing": ".03 .03 .03", "mass": ".1"}


def finger(name: str, side: int) -> str:
    """A finger that slides along x, with a soft pad towards the other one."""
    pad = flex(EDGES + '<pin id="0"/>', name=name, pos=f"{side * 0.04} 0 -.08", **PAD)
    slide = f'<joint name="{name}" type="slide" axis="{-side} 0 0" damping="1"/>'
    bone = f'<geom type="box" size=".01 .03 .04" pos="{side * 0.08} 0 -.08" mass=".2" contype="0" conaffinity="0"/>'
    return f'<body name="{name}_finger">{slide}{bone}{pad}</body>'


HAND = (
    '<body name="hand" pos="0 0 .1"><joint name="lift" type="slide" axis="0 0 1"/><geom type="box" size=".08 .03 .02" mass=".5" contype="0" conaffinity="0"/>'
    + finger("right", 1) + finger("left", -1) + "</body>" + free("0 0 .02", 'type="box" size=".02 .03 .03" mass=".1" condim="6" priority="1"')
)  # fmt: skip
GRASP = '<equality><joint joint1="right" joint2="left"/></equality><actuator><position joint="lift" kp="60"/><position joint="right" kp="20"/></actuator>'
STEMS = {
    "fingers with soft pads": scene(HAND, 'cone="elliptic" impratio="10" integrator="implicitfast" iterations="30"', GRASP),
    "fingers with soft pads by gradients": scene(HAND, 'solver="CG" iterations="60"', GRASP),
    "fingers with soft pads under discrete": scene(HAND, NEWTON, GRASP),
}  # fmt: skip
"""Scenes of trees whose bodies carry many branches, and bodies that do."""
BY_GRADIENTS = {
    f"{name} by gradients": KEPT_APART[name].replace(DISCRETE, f'{DISCRETE} solver="CG"')
    for name in ("cloths kept apart",)
}
"""Scenes of the flag ipc that ask for conjugate gradients."""
SOLIDS = {
    "distance fields of rigid bodies": scene(
        '<geom type="sdf" mesh="torus"><plugin instance="torus"/></geom>' + free(".25 0 .14", 'size=".05"')
        + free("0 .26 .14", 'type="sdf" mesh="torus"><plugin instance="torus"/></geom><geom size=".01" contype="0" conaffinity="0"', "p"),
        'sdf_initpoints="5" sdf_iterations="4"',
        TORUS + FIELD,
    ),
    "tactile sensor on a cloth and a box": scene(
        free("0 0 0", 'type="box" size=".1 .1 .05"', "b") + flex(EDGES, pos="0 0 .055")
        + '<body pos=".01 .02 .09"><freejoint/><geom size=".04" mass=".1"/><geom name="t" type="mesh" mesh="t" mass="0" contype="0" conaffinity="0"/></body>',
        "",
        '<asset><mesh name="t" builtin="wedge" params="5 5 45 45 0" scale=".04 .04 .04"/></asset><sensor><tactile geom="t" mesh="t"/></sensor>',
    ),
}  # fmt: skip
"""Scenes of what is beside soft bodies."""


def taken_for_large(bounds: tuple):
    """A context in which models of more than a few dofs are beyond ``bounds``."""
    from newtonlite.solvers.mujoco.derive import sparse

    context = contextlib.ExitStack()
    for name in bounds:
        context.enter_context(patch.object(sparse, name, FEW))
    return context


def bounds_of(name: str) -> tuple:
    """Bounds that a scene is taken to be beyond."""
    large = {**dict.fromkeys(WIDE, SOFT_DOFS), **dict.fromkeys(LARGE, ALL_DOFS), **dict.fromkeys(STEMS, STEM_BOUNDS)}
    return large.get(name, ())


def stepped(name: str) -> Callable:
    """One step of three states of a scene."""

    def run(device: str, nlane: int | None, order: slice = slice(None)) -> dict:
        from newtonlite.solvers.mujoco.executor import specialize
        from tests.harness.engine import Engine

        mj, bounds = compiled(ALL[name]), bounds_of(name)
        mode = "staged" if device == "cpu" else "auto"
        with taken_for_large(bounds), patch.object(specialize, "enabled", device != "cpu"):
            engine = Engine(mj, states(mj)[order], device, mode=mode, nlane=nlane, scratch="per_world").step()
        if bounds and not engine.m.nsparse:
            raise ValueError(f"{name}: not taken for a large model")
        if name in STEMS and not engine.m.nstem:
            raise ValueError(f"{name}: has no stems")
        rows = {"contact_": int(engine.read("ncon").min()), "efc_": int(engine.read("nefc").min())}
        read = {field: engine.read(field) for field in (*COUNTS, *FIELDS) if field in engine.d.arrays}
        for field, values in read.items():
            for prefix, count in rows.items():
                if field.startswith(prefix):
                    read[field] = values[:, :count]
        return {field: values.reshape(WORLDS, -1) for field, values in read.items()}

    run.model = name
    return run


ALL = SCENES | WIDE | KEPT_APART | LARGE | STEMS | BY_GRADIENTS | SOLIDS
CASES = {f"soft: {name}": stepped(name) for name in ALL}

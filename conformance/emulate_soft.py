"""Soft bodies under the emulator: small scenes that between them run every kernel of flexes, as cases of the emulation. Each is
``case(device, nlane, order)`` and gives arrays by name.
"""

import contextlib
import functools
from collections.abc import Callable
from unittest.mock import patch

import numpy as np

from newtonlite.core.mujoco import MjtEnableBit

WORLDS, SEED = 3, 5
BEND, SPEED = 0.004, 0.2
COUNTS = ("ncon", "nefc")
FIELDS = (
    "flexvert_xpos flexedge_length flexedge_velocity qfrc_spring qfrc_damper qfrc_passive qfrc_smooth qfrc_actuator contact_dist"
    " contact_pos efc_pos efc_vel efc_aref sensordata plastic qacc qpos qvel"
).split()

EDGES, STRAIN = '<edge equality="true"/>', '<edge equality="strain"/>'
APART = '<contact contype="0" conaffinity="0" selfcollide="none"/>'
PLANE = '<geom type="plane" size="1 1 .1"/>'
DISCRETE = 'integrator="discrete" timestep=".002"'
ARM = '<body name="arm" pos="0 0 1"><joint axis="0 1 0"/><joint type="slide" axis="1 0 0"/><geom size=".05" contype="0" conaffinity="0"/>{}</body>'
CUBE = "-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1"
TORUS = '<extension><plugin plugin="mujoco.sdf.torus"><instance name="torus"/></plugin></extension>'
FIELD = '<asset><mesh name="torus"><plugin instance="torus"/></mesh></asset>'
HILLS = f'<asset><hfield name="h" nrow="4" ncol="4" size=".2 .2 .05 .1" elevation="{"0 1 .5 .2 " * 4}"/></asset>'
MESH = f'<asset><mesh name="m" vertex="{CUBE}"/></asset>'


def elastic(**attributes) -> str:
    """An ``elasticity`` element."""
    given = {"young": "3e4", "poisson": ".2", "damping": ".01", **attributes}
    return "<elasticity " + " ".join(f'{name}="{value}"' for name, value in given.items()) + "/>"


def flat_rod(section: str, pos: str) -> str:
    """A rod of box section; its radius is the lesser half of that."""
    return flex(
        EDGES + elastic(young="1e5", shear="4e4", section="box", sectionsize=section),
        pos=pos,
        radius=section.split()[1],
        **ROD,
    )


def flex(inside: str = EDGES, name: str = "f", touch: str = '<contact selfcollide="none"/>', **attributes) -> str:
    """A ``flexcomp``: a cloth of 3 x 3 points, unless it is said otherwise."""
    given = {
        "type": "grid",
        "dim": 2,
        "count": "3 3 1",
        "spacing": ".05 .05 .05",
        "mass": ".4",
        "radius": ".01",
    } | attributes
    written = " ".join(f'{key}="{value}"' for key, value in given.items())
    return f'<flexcomp name="{name}" {written}>{touch}{inside}</flexcomp>'


def free(pos: str, geom: str, name: str = "o") -> str:
    """A free body of one geom."""
    return f'<body name="{name}" pos="{pos}"><freejoint/><geom {geom}/></body>'


NEO_HOOKEAN = "<!-- Neo-Hookean -->"
"""In a scene whose solids are, which no attribute says."""


def compiled(source: str):
    """MuJoCo's model of a scene."""
    from tests import oracle
    from tests.harness.soft_bodies import neo_hookean

    return neo_hookean(source) if NEO_HOOKEAN in source else oracle.compile_xml(source)


def scene(things: str, option: str = "", extra: str = "", flag: str = "") -> str:
    """MJCF of a world."""
    return f"<mujoco><option {option}><flag {flag}/></option>{extra}<worldbody>{things}</worldbody></mujoco>"


BLOCK = {"dim": 3, "type": "box", "count": "3 3 3"}
SOLID = {"dim": 3, "count": "3 2 2"}
SHELL = {"type": "box", "count": "3 3 3", "dof": "trilinear", "cellcount": "2 1 1"}
ROD = {"dim": 1, "count": "5 1 1", "spacing": ".04 .04 .04"}
BEND_AND_STRETCH = elastic(thickness=".01", elastic2d="both")
TWIST = EDGES + elastic(young="1e5", shear="4e4")
YIELD = {"young": "1e3", "damping": ".001", "yield": ".002"}
FOLDED = {
    "type": "direct",
    "point": "0 0 0 .1 0 0 0 .1 0 .02 .02 .015 .12 .02 .016 .02 .12 .017",
    "element": "0 1 2 3 4 5",
}

SCENES = {
    "cloth of edges on a plane": scene(flex(pos="0 0 .009") + PLANE),
    "cloth that bends and stretches, pinned": scene(flex(BEND_AND_STRETCH + '<pin id="0"/>', touch=APART)),
    "cloth on an arm": scene(ARM.format(flex(BEND_AND_STRETCH + '<pin id="0 3"/>', touch=APART))),
    "tetrahedra under a sphere": scene(flex(elastic(), **SOLID) + free(".03 .02 .08", 'size=".05"')),
    "radial": scene(flex(elastic(), touch=APART, dof="radial", **BLOCK)),
    "trilinear cells": scene(flex(elastic(), touch=APART, dof="trilinear", cellcount="2 1 1", **BLOCK)),
    "quadratic cells on an arm": scene(
        ARM.format(flex(elastic() + '<pin id="0 1 2"/>', touch=APART, dof="quadratic", **BLOCK))
    ),
    "strain of trilinear cells on a plane": scene(flex(STRAIN, pos="0 0 .058", dof="trilinear", **BLOCK) + PLANE),
    "strain of quadratic cells": scene(flex(STRAIN, touch=APART, dof="quadratic", **BLOCK)),
    "shell": scene(flex(elastic(thickness=".02", elastic2d="both"), touch=APART, **SHELL)),
    "quadratic shell": scene(
        flex(elastic(thickness=".02", elastic2d="both"), touch=APART, **SHELL | {"dof": "quadratic", "cellcount": "1 1 1"})
    ),
    "rope on a box": scene(flex(pos="0 0 .055", **ROD) + free("0 0 0", 'type="box" size=".1 .1 .05"')),
    "rod on a plane": scene(flex(TWIST, pos="0 0 .009", **ROD) + PLANE),
    "rod clamped twice": scene(ARM.format(flex(TWIST + '<pin id="0 1 3 4"/>', touch=APART, **ROD))),
    "flat rod on a box": scene(
        flat_rod(".03 .012", "0 0 .055")
        + free("0 0 0", 'type="box" size=".1 .1 .05"')
    ),
    "flat rod on a plane": scene(
        flat_rod(".03 .012", "0 0 .005") + PLANE
    ),
    "rigid flex on a sphere": scene(
        flex("", rigid="true", pos="0 0 .058") + free("0 0 0", 'size=".05"'),
    ),
    "cloth on a mesh": scene(flex(pos="0 0 .108") + free("0 0 0", 'type="mesh" mesh="m"'), extra=MESH),
    "solid on a cylinder": scene(
        flex(elastic(), pos="0 0 .083", **SOLID) + free("0 0 0", 'type="cylinder" size=".08 .05"')
    ),
    "cloth on hills": scene(flex(pos="0 0 .05") + '<geom type="hfield" hfield="h"/>', extra=HILLS),
    "cloth on a distance field": scene(
        flex(spacing=".2 .2 .2", pos=".03 0 .13") + '<geom type="sdf" mesh="torus"><plugin instance="torus"/></geom>',
        'sdf_initpoints="5" sdf_iterations="4"',
        TORUS + FIELD,
    ),
    "two cloths": scene(flex() + flex(name="g", count="4 3 1", pos=".013 .02 .012")),
    "two ropes": scene(flex(**ROD) + flex(name="g", pos=".013 .02 .012", euler="0 0 50", **ROD)),
    "block and cloth": scene(flex(elastic(), **SOLID) + flex(name="g", pos=".013 .02 .043")),
    "interpolated block and cloth": scene(flex(elastic(), dof="trilinear", **BLOCK) + flex(name="g", pos=".013 .02 .063")),
    "folded, all pairs": scene(flex("", touch='<contact selfcollide="narrow"/>', **FOLDED)),
    "folded, by its tree": scene(flex("", touch='<contact selfcollide="bvh"/>', **FOLDED)),
    "folded, swept": scene(flex("", touch='<contact selfcollide="sap"/>', **FOLDED)),
    "passive cells on a sphere and a plane": scene(
        PLANE
        + '<geom size=".05" pos=".01 .02 -.036"/>'
        + flex(elastic(young="1e4"), dof="trilinear", pos="0 0 .058", touch='<contact passive="true" selfcollide="none"/>', **BLOCK),
        DISCRETE,
    ),
    "passive, folded on itself": scene(flex("", touch='<contact passive="true" selfcollide="narrow"/>', **FOLDED), DISCRETE),
    "passive on an arm": scene(
        PLANE
        + '<body name="arm" pos="0 0 .008"><joint axis="0 1 0" pos="-.1 0 0"/><geom size=".01" contype="0" conaffinity="0"/>'
        + flex(EDGES + '<pin id="0 1"/>', touch='<contact passive="true" selfcollide="none"/>')
        + "</body>",
        DISCRETE,
    ),
    "discrete tetrahedra under a ball": scene(
        PLANE + flex(elastic(), pos="0 0 .03", **SOLID) + free(".03 .02 .12", 'size=".05" mass=".2"'), DISCRETE
    ),
    "discrete cloth on an arm": scene(ARM.format(flex(BEND_AND_STRETCH + '<pin id="0 3"/>', touch=APART)), DISCRETE),
    "discrete cells": scene(flex(elastic(), touch=APART, dof="trilinear", cellcount="2 1 1", **BLOCK), DISCRETE),
    "discrete shell": scene(flex(elastic(thickness=".02", elastic2d="both"), touch=APART, **SHELL), DISCRETE),
    "discrete rod clamped to an arm": scene(ARM.format(flex(TWIST + '<pin id="0 1"/>', touch=APART, **ROD)), DISCRETE),
    "discrete flat rod on a cylinder": scene(
        flat_rod(".006 .003", "0 0 .031")
        + '<geom type="cylinder" size=".03 .2" euler="90 0 0"/>',
        DISCRETE,
    ),
    "speculative ball beside a cloth": scene(
        flex(pos="0 0 .02")
        + free("0 0 .3", 'size=".03"')
        + free(".4 0 .3", 'type="box" size=".03 .02 .03"', "p")
        + '<geom type="box" size=".1 .1 .003" pos=".4 0 .2"/>',
        'timestep=".01"',
        flag='speculative="enable"',
    ),
    "sleep of edges": scene(PLANE + flex(pos="0 0 .0095") + free("1 0 .05", 'size=".05"'), flag='sleep="enable"'),
    "sleep of an elastic block": scene(PLANE + flex(elastic(), pos="0 0 .009", **SOLID), DISCRETE, flag='sleep="enable"'),
    "yielding solid": scene(flex(elastic(**YIELD), touch=APART, **SOLID)),
    "yielding cloth, Runge-Kutta": scene(
        flex(elastic(**YIELD | {"yield": ".002 .01"}, thickness=".02", elastic2d="both"), touch=APART),
        'integrator="RK4" timestep=".001"',
    ),
    "Neo-Hookean solid": scene(flex(elastic(), touch=APART, **SOLID) + NEO_HOOKEAN, DISCRETE),
    "yielding cells": scene(flex(elastic(**YIELD), touch=APART, dof="trilinear", **BLOCK)),
    "yielding shell": scene(flex(elastic(**YIELD, thickness=".02", elastic2d="both"), touch=APART, **SHELL)),
    "Gauss-Seidel": scene(flex(pos="0 0 .009") + PLANE, 'solver="PGS"'),
    "gradients": scene(flex(pos="0 0 .009") + PLANE, 'solver="CG" cone="elliptic"'),
}  # fmt: skip
WIDE = {
    "sparse rows of edges by Newton": scene(flex(pos="0 0 .009") + PLANE, 'solver="Newton" iterations="30"'),
    "sparse rows of edges by gradients": scene(flex(pos="0 0 .009") + PLANE, 'solver="CG" iterations="60"'),
    "sparse rows of elliptic cones": scene(
        flex(pos="0 0 .058") + free("0 0 0", 'size=".05"'), 'solver="Newton" cone="elliptic" iterations="30"'
    ),
    "sparse rows of strain": scene(
        flex(STRAIN, pos="0 0 .058", dof="trilinear", cellcount="2 1 1", **BLOCK) + PLANE, 'solver="Newton" iterations="30"'
    ),
    "sparse rows of two ropes": scene(
        flex(**ROD) + flex(name="g", pos=".013 .02 .012", euler="0 0 50", **ROD), 'solver="Newton" iterations="30"'
    ),
    "sparse rows of a radial flex": scene(
        PLANE + flex(EDGES, pos="0 0 .055", dof="radial", **BLOCK), 'solver="Newton" iterations="30"'
    ),
    "sparse rows, discrete": scene(
        PLANE + flex(EDGES, pos="0 0 .009", **SOLID), DISCRETE + ' solver="Newton" iterations="30"'
    ),
}  # fmt: skip
"""Scenes that are taken for wide ones."""
KEPT_APART = {
    "cloths kept apart": scene(
        flex(elastic(thickness=".01", elastic2d="both")) + flex(name="g", pos=".013 .02 .0215", count="3 2 1"),
        DISCRETE + ' iterations="20"',
        flag='ipc="enable"',
    ),
    "cloth kept off geoms": scene(
        flex(elastic(thickness=".01", elastic2d="both"), pos="0 0 .0115")
        + PLANE
        + '<geom type="box" size=".02 .02 .02" pos="0 0 -.0195"/><geom type="sphere" size=".03" pos=".05 .05 -.0295"/>'
        + '<geom type="capsule" size=".01 .05" pos="-.05 0 -.0095"/>',
        DISCRETE + ' iterations="20"',
        flag='ipc="enable"',
    ),
}
"""Scenes of the flag ipc, whose kernel no other has."""
CONTROL, FAST = 0.7, 20.0


def states(mj):
    """States of all worlds: bent, and moving."""
    from tests.harness.soft_bodies import bent_states

    found = bent_states(mj, (BEND,) * WORLDS, SPEED, SEED, CONTROL)
    if mj.opt.enableflags & MjtEnableBit.SPECULATIVE:
        found.qvel[:, -4] -= FAST
    return found


@functools.cache
def absent(kept_apart: bool = False) -> tuple:
    """Features that none of the scenes has, or of those of the flag ipc: their kernels, which all share, are compiled
    without.
    """
    from newtonlite.solvers.mujoco.executor import specialize
    from newtonlite.solvers.mujoco.model import put_model

    sizes = []
    for name, source in (KEPT_APART if kept_apart else SCENES | WIDE).items():
        with taken_for_wide(name in WIDE):
            sizes.append(put_model(compiled(source), 1, "cpu").sizes)
    lacking = [g for g in specialize.GROUPS if not any(found[field] for found in sizes for field in g)]
    return tuple((field, 0) for group in lacking for field in group)


def taken_for_wide(wide: bool):
    """A context in which models with more than a few dofs are taken for wide ones."""
    from newtonlite.solvers.mujoco.derive import sparse

    return patch.object(sparse, "SOFT_DOFS", 3) if wide else contextlib.nullcontext()


def engine_of(source: str, wide: bool, device: str, nlane: int | None):
    """An engine of a scene, with room for the same numbers on every device."""
    from newtonlite.solvers.mujoco.executor import memory, schedule
    from tests.harness.engine import Engine

    mj, folded = compiled(source), () if device == "cpu" else absent(source in KEPT_APART.values())
    mode = "staged" if device == "cpu" else "auto"
    with taken_for_wide(wide), patch.object(schedule, "features", lambda m: folded):
        with patch.object(memory, "features", lambda m: folded):
            return Engine(mj, states(mj), device, mode=mode, nlane=nlane, scratch="per_world", **ROOM)


def started(source: str, wide: bool, device: str, nlane: int | None, before: tuple):
    """An engine of a scene after some stages, which the CPU runs."""
    from newtonlite.solvers.mujoco.executor import specialize

    with patch.object(specialize, "enabled", False):  # by the kernels of everything, which are compiled once
        engine = engine_of(source, wide, "cpu", None)
        engine.run(before)
    if device == "cpu":
        return engine
    other = engine_of(source, wide, device, nlane)
    for name, values in engine.arrays().items():
        if name in other.d.arrays and other.d.arrays[name].numpy().shape == values.shape:
            other.d.arrays[name].assign(values)
    return other


def of_stage(name: str, scenes: dict[str, str], scratch: bool = True) -> Callable:
    """A stage of a step alone, of scenes, from what the CPU has computed before it: all numbers that it changes there, or
    without those that are ``scratch``, which of a solver are what is left of its last iteration.
    """

    def run(device: str, nlane: int | None) -> dict:
        from newtonlite.solvers.mujoco import pipeline

        stages = pipeline.STEP
        at = [stage.key for stage in stages].index(name)
        found, whole = {}, []
        for scene_name, source in scenes.items():
            engine = started(source, scene_name in WIDE, device, nlane, stages[:at])
            before = engine.arrays()
            changed = CHANGED.setdefault((name, scene_name), set())
            engine.run(stages[at : at + 1])
            after = engine.arrays()
            if device == "cpu":
                changed |= {
                    f
                    for f in after
                    if (scratch or not of_scratch(f)) and not of_team(f) and not same(before[f], after[f])
                }
            whole += [after[f].ravel() for f in sorted(changed) if after[f].dtype.kind != "f"]
            found |= {f"{scene_name}: {f}": after[f].reshape(WORLDS, -1) for f in changed if after[f].dtype.kind == "f"}
        return found | ({"ncon": np.concatenate(whole)} if whole else {})

    return run


def of_team(field: str) -> bool:
    """Whether a field's size, or what is in it, depends on how many lanes a team has, or on the device."""
    from newtonlite.solvers.mujoco.data import FIELDS

    return FIELDS[field].role == "team" or field.startswith("island")


def of_scratch(field: str) -> bool:
    """Whether a field has meaning within a step alone."""
    from newtonlite.solvers.mujoco.data import FIELDS

    return FIELDS[field].role == "scratch" and field not in ("qacc", "qfrc_constraint")


def same(one: np.ndarray, two: np.ndarray) -> bool:
    """Whether arrays have the same bits."""
    return one.tobytes() == two.tobytes()


CHANGED: dict = {}
"""Fields that a stage has changed on the CPU, by stage and scene."""
STAGES = (
    "flex_position flex_velocity flex_passive flex_narrowphase flex_contacts equality_rows contact_rows couple_flexes"
    " yield_flexes"
).split()


def near_parts(device: str, nlane: int | None) -> dict:
    """Lists of near elements of two cloths, from the boxes of their elements."""
    from newtonlite.solvers.mujoco.kernels.position.flex import flex_position
    from newtonlite.solvers.mujoco.pipeline import KINEMATICS
    from tests.harness.soft_stages import pairs_of_first_group

    engine = started(NEAR, False, device, nlane, (*KINEMATICS, flex_position))
    engine.run((pairs_of_first_group,))
    count = engine.read("nflexhits").reshape(WORLDS, 1)
    listed = [engine.read(name) for name in ("flexhit_part", "flex_box", "flextree_box", "flexnear_ofblock")]
    parts = np.where(np.arange(listed[0].shape[1])[None, :, None] < count[:, :, None], listed[0], 0).reshape(WORLDS, -1)
    return {"ncon": count, "nefc": parts, "boxes": np.concatenate([x.reshape(WORLDS, -1) for x in listed[1:]], axis=1)}


def sparse_solution(device: str, nlane: int | None) -> dict:
    """Solution by the sparse factor of rows of flexes."""
    from newtonlite.solvers.mujoco import pipeline
    from newtonlite.solvers.mujoco.kernels.constraint.contact import contact_rows
    from tests.harness.soft_stages import solve_coupled

    engine = started(ROOTS, True, device, nlane, pipeline.FORWARD[: pipeline.FORWARD.index(contact_rows) + 1])
    engine.fill("qacc", np.float32(np.random.default_rng(SEED).normal(size=(WORLDS, engine.mj.nv))))
    engine.run((solve_coupled,))
    return {"ncon": engine.read("H_shape"), "nefc": engine.read("H_place"), "qacc": engine.read("qacc")}


ROOM = {"nconmax": 600, "njmax": 1200}
NEAR = scene(flex(count="6 5 1") + flex(name="g", count="5 5 1", pos=".06 .04 .012"))
ROOTS = scene(
    '<body name="a"><freejoint/><geom size=".01"/>' + flex(dof="radial", **BLOCK | {"count": "4 4 4"}) + "</body>"
    + flex(name="g", pos="0 0 .1")
)  # fmt: skip
PROGRAMS = {"program: near parts of flexes": near_parts, "program: sparse factor of flexes": sparse_solution}
PARTS = {f"soft stage: {name}": of_stage(name, SCENES | WIDE) for name in STAGES}
PARTS["soft stage: keep_apart"] = of_stage("keep_apart", KEPT_APART, scratch=False)
CASES = PARTS | PROGRAMS

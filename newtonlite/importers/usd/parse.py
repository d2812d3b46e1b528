"""``parse_usd``: what ``ModelBuilder.add_usd`` calls, with Newton's parameters and a few of our own."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.importers.report import Report
from newtonlite.importers.usd.build import WORLD, UsdOptions, build
from newtonlite.importers.usd.custom import add_frequencies, declare, fill_values
from newtonlite.importers.usd.load import load_usd, stage_up
from newtonlite.importers.usd.resolvers import SchemaResolver
from newtonlite.importers.usd.result import renumber, result_of
from newtonlite.importers.usd.shapes import Wanted
from newtonlite.importers.usd.stage import name_of, need_pxr, quiet
from newtonlite.importers.usd.undo import Undo
from newtonlite.math.transform import quat_multiply
from newtonlite.sim.builder import check
from newtonlite.sim.namespace.registration import register


def parse_usd(
    builder,
    source: Any,
    *,
    xform: Any = None,
    override_root_xform: bool = False,
    floating: bool | None = None,
    base_joint: dict | None = None,
    parent_body: int = WORLD,
    only_load_enabled_rigid_bodies: bool = True,
    only_load_enabled_joints: bool = True,
    joint_drive_gains_scaling: float = 1.0,
    verbose: bool = False,
    ignore_paths: Sequence[str] | None = None,
    collapse_fixed_joints: bool = False,
    enable_self_collisions: bool = True,
    apply_up_axis_from_stage: bool = False,
    root_path: str = "/",
    joint_ordering: str | None = "dfs",
    bodies_follow_joint_ordering: bool = True,
    skip_mesh_approximation: bool = False,
    load_sites: bool = True,
    load_visual_shapes: bool = True,
    load_static_visual_shapes: bool = True,
    hide_collision_shapes: bool = False,
    force_show_colliders: bool = False,
    parse_mujoco_options: bool = True,
    mesh_maxhullvert: int | None = None,
    schema_resolvers: Sequence[SchemaResolver] | None = None,
    force_position_velocity_actuation: bool = False,
    convert_mjc_equality_constraints: bool = True,
    legacy_margin_gap: bool = False,
    return_deformable_results: bool = False,
    allow_unsafe_torch_checkpoints: bool = False,
    ctrl_direct: bool = False,
    variants: Mapping[str, Mapping[str, str]] | None = None,
    time_code: float | None = None,
    units: str = "si",
    allow_outside: bool = False,
    on_unsupported: str = "raise",
    report: Report | None = None,
) -> dict[str, Any]:
    """Add a USD stage, from a path, from text that begins with ``#usda``, or from a ``Usd.Stage``, to a builder;
    returns what became of it.

    ``xform`` places the stage, its up axis turned onto the builder's unless ``apply_up_axis_from_stage``, in the world
    or on ``parent_body``; with ``override_root_xform`` prims with the root schema stand there themselves.  ``floating``
    gives articulations a free (True) or a fixed base, ``base_joint`` one of the caller's (arguments of ``add_joint``).
    ``root_path`` and ``ignore_paths`` (regular expressions, matched from the start) choose prims.  ``joint_ordering``
    is "dfs" or "bfs" with siblings by name, None, or "authored" for the order of the file; bodies follow it unless
    ``bodies_follow_joint_ordering`` is False.  Bodies and joints that are switched off are left out unless asked for.

    ``schema_resolvers`` say which vendors' attributes count, the first first: Newton's, PhysX's and MuJoCo's by
    default.  MuJoCo's servos follow joint targets unless ``ctrl_direct``; its equalities are rows of
    ``mujoco:equality_constraint``, and unless ``convert_mjc_equality_constraints`` is False loop joints and mimics too.
    ``units`` "si" scales a stage that says its units to metres and kilograms, "newton" takes the numbers as they are.
    ``variants`` chooses variants by prim path, ``time_code`` the time at which values are read.

    Layers outside the folder of the file need ``allow_outside``.  What is not supported raises ParseError ``layer:
    <prim> attribute: problem``, or is left out with a warning where ``on_unsupported="warn"``; a ``report`` is filled
    with what was used, converted and ignored.  The stage is resolved completely before the builder changes, and a
    builder whose import fails is left as it was.

    Returns Newton's keys: ``path_body_map``, ``path_joint_map``, ``path_shape_map``, ``physics_dt`` [s], ``up_axis``,
    ``scene_attributes``, ...
    """
    need_pxr()
    pose = check.pose(xform, "add_usd xform")
    parent = check.index(parent_body, builder.body_count, "body", "add_usd parent_body", low=WORLD)
    check_base(floating, base_joint, parent, override_root_xform, xform is not None)
    report = Report() if report is None else report
    report.expect(on_unsupported)
    spec = load_usd(
        source,
        default_joint=builder.default_joint_cfg,
        default_density=builder.default_shape_cfg.density,
        wanted=Wanted(
            load_sites,
            load_visual_shapes,
            load_static_visual_shapes,
            not skip_mesh_approximation,
            mesh_maxhullvert,
            legacy_margin_gap,
            next_domain(builder),
        ),
        resolvers=schema_resolvers,
        builder=builder,
        enabled_bodies=only_load_enabled_rigid_bodies,
        enabled_joints=only_load_enabled_joints,
        drive_scaling=float(check.number(joint_drive_gains_scaling, "add_usd joint_drive_gains_scaling", low=0.0)),
        both_gains=force_position_velocity_actuation,
        ignore_paths=tuple(ignore_paths or ()),
        root_path=root_path,
        ordering=joint_ordering,
        self_collisions=enable_self_collisions,
        ctrl_direct=ctrl_direct,
        variants=variants,
        time_code=time_code,
        units=units,
        allow_outside=allow_outside,
        report=report,
    )
    try:
        up = stage_up(spec.walk.stage)
        turn = np.array([0.0, 0.0, 0.0, 1.0])
        if not apply_up_axis_from_stage and up != builder.up_axis:
            turn = np.array([float(c) for c in up.quat_between_axes(builder.up_axis)], float)
            turn = np.sign(turn) * np.sqrt(np.round(turn * turn * 2.0) / 2.0)  # quarter turns, exactly
        options = UsdOptions(
            place=np.concatenate([pose[:3], quat_multiply(pose[3:], turn)]),
            turn=turn,
            override=bool(override_root_xform),
            floating=floating,
            base_joint=base_joint,
            parent_body=parent,
            hide_colliders=hide_collision_shapes,
            show_colliders=force_show_colliders,
            settings=parse_mujoco_options,
            equality_targets=bool(convert_mjc_equality_constraints),
            bodies_follow=bodies_follow_joint_ordering,
        )
        with quiet(name_of(source)), Undo(builder):
            register(builder)
            declare(builder, spec)
            if apply_up_axis_from_stage:
                builder.up_axis = up
            build(builder, spec, options)
            result = result_of(spec, builder)
            fill_values(builder, spec, result)
            add_frequencies(builder, spec, result)
            if (
                collapse_fixed_joints
                if spec.scene.prim is None
                else spec.scene.prim.flag("newton:collapse_fixed_joints", collapse_fixed_joints)
            ):
                result["collapse_results"] = builder.collapse_fixed_joints(verbose=verbose)
                renumber(result, result["collapse_results"])
    finally:
        spec.walk.release()
    return result


def next_domain(builder) -> int:
    """A number for this stage's collision masks that no other file has."""
    known = builder.custom_attributes.get("mujoco:collision_mask_domain")
    return 0 if known is None else int(known.array(builder.shape_count).max(initial=-1)) + 1


def check_base(floating: bool | None, base_joint: dict | None, parent: int, override: bool, placed: bool) -> None:
    """ModelError for wishes that contradict each other."""
    if floating is not None and not isinstance(floating, bool):
        raise ModelError(f"add_usd floating={floating!r}: give True, False or None")
    if floating is not None and base_joint is not None:
        raise ModelError("add_usd: Cannot specify both floating and base_joint, which exclude each other; give one")
    if floating and parent != WORLD:
        raise ModelError(
            "add_usd: floating=True needs the world as parent; leave parent_body at -1, or floating at None or False"
        )
    if override and not placed:
        raise ModelError("add_usd override_root_xform: needs xform, the pose that counts instead of the stage's")

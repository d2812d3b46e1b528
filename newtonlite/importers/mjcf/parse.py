"""MJCF import: ``parse_mjcf``, called by ``ModelBuilder.add_mjcf``, with Newton's parameters and a few of our own."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from newtonlite.core.errors import ModelError
from newtonlite.core.types import Axis
from newtonlite.importers.mjcf.build import build
from newtonlite.importers.mjcf.declared import declared_names
from newtonlite.importers.mjcf.edit import edit
from newtonlite.importers.mjcf.edit.base import WORLD, checked
from newtonlite.importers.mjcf.edit.select import COLLIDER, VISUAL, selection
from newtonlite.importers.mjcf.frame import up_turn
from newtonlite.importers.mjcf.load import load_mjcf
from newtonlite.importers.mjcf.options import MjcfOptions
from newtonlite.importers.report import Report
from newtonlite.math.quat import product
from newtonlite.sim.builder import check
from newtonlite.sim.namespace.registration import register


def parse_mjcf(
    builder,
    source: str,
    *,
    xform: Any = None,
    floating: bool | None = None,
    base_joint: dict | None = None,
    parent_body: int = WORLD,
    armature_scale: float = 1.0,
    scale: float = 1.0,
    hide_visuals: bool = False,
    parse_meshes: bool = True,
    parse_sites: bool = True,
    parse_visuals: bool = True,
    parse_mujoco_options: bool = True,
    up_axis: Any = Axis.Z,
    ignore_names: Sequence[str] = (),
    ignore_classes: Sequence[str] = (),
    visual_classes: Sequence[str] = VISUAL,
    collider_classes: Sequence[str] = COLLIDER,
    no_class_as_colliders: bool = True,
    parse_visuals_as_colliders: bool = False,
    force_show_colliders: bool = False,
    enable_self_collisions: bool = True,
    ignore_inertial_definitions: bool = False,
    collapse_fixed_joints: bool = False,
    collapse_massless_fixed_root: bool = False,
    verbose: bool = False,
    skip_equality_constraints: bool = False,
    convert_mjc_equality_constraints: bool = True,
    convert_3d_hinge_to_ball_joints: bool = False,
    mesh_maxhullvert: int | None = None,
    ctrl_direct: bool = False,
    path_resolver: Callable[[str | None, str], str] | None = None,
    override_root_xform: bool = False,
    legacy_margin_gap: bool = False,
    assets: Mapping[str, bytes] | None = None,
    allow_outside: bool | None = None,
    on_unsupported: str = "raise",
    report: Report | None = None,
    **more: Any,
) -> None:
    """Add an MJCF model, from a path or from XML text, to a builder.

    ``xform`` places its world on ``parent_body``, turned so that its ``up_axis`` becomes the builder's; gravity, wind
    and magnetism of its options turn along, and planes stay in the scene's world.  With ``override_root_xform`` its
    only root, a body on its world, stands at ``xform`` itself.  ``floating`` gives its roots a free joint
    (True) or none (False) in place of the file's, ``base_joint`` one of arguments of ``add_joint``; what refers to the
    joints of the file is left out, keyframes follow.  On a ``parent_body`` roots without joints or with a free one are fixed.
    ``collapse_fixed_joints`` merges bodies without joints into what carries them, as ``compiler fusestatic`` does: not
    those that sensors, constraints, cameras and the like name, nor roots on a ``parent_body``.
    ``collapse_massless_fixed_root`` drops roots without joints and mass that carry bodies.

    ``ignore_names`` and ``ignore_classes``, regular expressions matched from the start, leave out bodies with all that
    is on them, joints and geoms (also their mass), and what refers to these; the report lists it.  Contact masks
    decide which geoms are visuals, as in MuJoCo, until one of ``visual_classes``, ``collider_classes``,
    ``no_class_as_colliders`` is changed: then so are geoms of a visual class, and without ``no_class_as_colliders`` all
    that are of no collider class.  With ``parse_visuals_as_colliders`` the visuals of a body collide in place of its
    colliders, where it has any.

    ``scale`` multiplies all lengths: geoms of a density weigh accordingly, masses that are given stay and their
    inertias grow with the square; gains, forces, contact margins and ranges of controls stay.

    ``convert_3d_hinge_to_ball_joints`` makes ball joints of bodies with three hinges about x, y and z: motors turn
    about the axes of theirs, keyframes follow, and what else speaks of one of the hinges is an error.

    Equality constraints are rows of ``mujoco:equality_constraint`` (none with ``skip_equality_constraints``), which the
    engine simulates.  With ``convert_mjc_equality_constraints`` a loop joint or a mimic constraint stands beside each
    that has one: fixed for welds, ball for connects, their frames where the constraint holds.

    ``ctrl_direct`` lets position and velocity servos read ``control.mujoco.ctrl`` instead of joint targets.  ``assets``
    are files in memory.  What a model names is read, wherever it is, as in MuJoCo; ``allow_outside=False`` confines a
    model that one does not trust to the folder above its own (None: as the environment variable
    NEWTONLITE_ALLOW_OUTSIDE says).  What is not supported raises ParseError, or is left out with a warning where
    ``on_unsupported="warn"``.  A ``report`` is filled with what was used, converted, ignored.  The file is resolved
    completely before the builder changes.
    """
    if more:
        raise ModelError(f"add_mjcf {next(iter(more))}: no such parameter")
    pose = check.pose(xform, "add_mjcf xform")
    turn = up_turn(Axis.from_any(up_axis), builder.up_axis)
    parent = check.index(parent_body, builder.body_count, "body", "add_mjcf parent_body", low=WORLD)
    base = checked(builder, floating, base_joint, parent, override_root_xform, xform is not None, "add_mjcf")
    chosen = selection(
        ignore_names,
        ignore_classes,
        visual_classes,
        collider_classes,
        no_class_as_colliders,
        parse_visuals_as_colliders,
        "add_mjcf",
    )
    report = Report() if report is None else report
    report.verbose = bool(verbose)
    report.declared = declared_names(builder)
    spec, meshes, _ = load_mjcf(
        source,
        assets=assets,
        path_resolver=path_resolver,
        allow_outside=allow_outside,
        on_unsupported=on_unsupported,
        ignore_inertial=ignore_inertial_definitions,
        scale=length_scale(scale),
        density=builder.default_shape_cfg.density,
        report=report,
    )
    register(builder)
    options = MjcfOptions(
        pos=tuple(pose[:3].tolist()),
        quat=product((float(pose[6]), *pose[3:6].tolist()), turn),
        turn=turn,
        base=base,
        merge=collapse_fixed_joints,
        balls=bool(convert_3d_hinge_to_ball_joints),
        skip_empty=collapse_massless_fixed_root,
        armature_scale=float(check.number(armature_scale, "add_mjcf armature_scale", low=0.0)),
        sites=parse_sites,
        visuals=parse_visuals,
        hide_visuals=hide_visuals,
        meshes=parse_meshes,
        settings=parse_mujoco_options,
        self_collisions=enable_self_collisions,
        equalities=not skip_equality_constraints,
        equality_targets=bool(convert_mjc_equality_constraints),
        ctrl_direct=ctrl_direct,
        legacy_margin_gap=legacy_margin_gap,
        maxhullvert=mesh_maxhullvert,
        selection=chosen,
        loaded=meshes,
        seen=bool(force_show_colliders or parse_visuals_as_colliders or not parse_visuals),
    )
    edit(spec, options)
    build(builder, spec, meshes, options)


def length_scale(value: Any) -> float:
    """A factor for lengths; ModelError where it is not positive."""
    factor = float(check.number(value, "add_mjcf scale", low=0.0))
    if factor == 0.0:
        raise ModelError("add_mjcf scale: 0 leaves nothing; give a positive factor")
    return factor

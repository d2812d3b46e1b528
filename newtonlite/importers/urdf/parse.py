"""URDF import: ``parse_urdf``, called by ``ModelBuilder.add_urdf``, with Newton's parameters and a few of our own."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from newtonlite.core.errors import MissingFileError, ModelError
from newtonlite.core.types import Axis
from newtonlite.importers.mjcf import build as mjcf
from newtonlite.importers.mjcf.edit import edit
from newtonlite.importers.mjcf.edit.base import checked
from newtonlite.importers.mjcf.files import load_root
from newtonlite.importers.mjcf.frame import up_turn
from newtonlite.importers.mjcf.options import MjcfOptions as MjcfOptions
from newtonlite.importers.report import Report
from newtonlite.importers.urdf.build import WORLD, UrdfOptions, build
from newtonlite.importers.urdf.check import check
from newtonlite.importers.urdf.empty import drop_empty_roots, stand_at_origin
from newtonlite.importers.urdf.files import PACKAGES, RobotFiles
from newtonlite.importers.urdf.robot import Robot, child, read_robot
from newtonlite.importers.urdf.surfaces import MeshFiles
from newtonlite.importers.urdf.translate import load_as_mujoco
from newtonlite.math.quat import product
from newtonlite.sim.builder import check as plain
from newtonlite.sim.namespace.registration import register


def load_urdf(
    source: str,
    *,
    assets: Mapping[str, bytes] | None = None,
    package_dirs: Sequence[str] | None = None,
    allow_outside: bool | None = None,
    report: Report,
    foreign: bool = True,
    builder=None,
) -> tuple[Robot, MeshFiles]:
    """A robot from a path, or from XML text that starts with ``<``; ParseError ``file:line:column: ...`` for what is
    wrong. ``foreign`` elements and attributes are let through, and those that a ``builder`` declares.
    """
    source = located(os.fspath(source), package_dirs or ())
    root, folder = load_root(source, lambda folder: folder)
    check(root, report, foreign, builder)
    robot = read_robot(root, report)
    compiler = None if robot.settings is None else child(robot.settings, "compiler")
    given = {} if compiler is None else compiler.values
    mesh_folder = given.get("meshdir") or given.get("assetdir") or ""
    files = RobotFiles(folder and Path(folder), assets, package_dirs or (), allow_outside, mesh_folder)
    return robot, MeshFiles(files)


def located(source: str, package_dirs: Sequence[str]) -> str:
    """The path of a source that is a URI; others as they are. MissingFileError where there is nothing."""
    if not source.lower().startswith(PACKAGES) and not source.lower().startswith("file:"):
        return source
    path = RobotFiles(None, package_dirs=package_dirs, allow_outside=True).path_of(source)
    if path is None:
        raise MissingFileError(
            f"{source}: Could not resolve URI; there is no such file. Name the folders of packages in package_dirs"
        )
    return str(path)


def check_words(convention: str, joint_damping_mode: str) -> None:
    """Raise ModelError for an option of ``parse_urdf`` that is none of its words."""
    if convention not in ("newton", "mujoco"):
        raise ModelError(f"add_urdf convention={convention!r}: unknown; use 'newton' or 'mujoco'")
    if joint_damping_mode not in ("passive", "drive"):
        raise ModelError(f"add_urdf joint_damping_mode={joint_damping_mode!r}: unknown; use 'passive' or 'drive'")


def parse_urdf(
    builder,
    source: str,
    *,
    xform: Any = None,
    floating: bool | None = None,
    base_joint: dict | None = None,
    parent_body: int = WORLD,
    scale: float = 1.0,
    hide_visuals: bool = False,
    parse_visuals_as_colliders: bool = False,
    up_axis: Any = Axis.Z,
    force_show_colliders: bool = False,
    enable_self_collisions: bool = True,
    ignore_inertial_definitions: bool = False,
    joint_ordering: str | None = "dfs",
    bodies_follow_joint_ordering: bool = True,
    collapse_fixed_joints: bool = False,
    collapse_massless_fixed_root: bool = False,
    mesh_maxhullvert: int | None = None,
    force_position_velocity_actuation: bool = False,
    override_root_xform: bool = False,
    joint_damping_mode: str = "passive",
    package_dirs: Sequence[str] | None = None,
    convention: str = "newton",
    compiler: Mapping[str, Any] | None = None,
    assets: Mapping[str, bytes] | None = None,
    allow_outside: bool | None = None,
    on_unsupported: str | None = None,
    report: Report | None = None,
) -> None:
    """Add a URDF robot, from a path or from XML text, to a builder.

    ``xform`` places its root, which is fixed there unless it is ``floating`` or a ``base_joint`` (arguments of
    ``add_joint``) says otherwise; it stands on ``parent_body``.  ``scale`` multiplies lengths; masses stay, explicit
    inertias grow with its square.  ``collapse_massless_fixed_root`` drops roots without mass and shapes that fixed
    joints alone leave; what they carry then stands where it did, or with ``override_root_xform`` at ``xform`` itself.
    ``package_dirs`` are searched for ``package://``, then the folders above the file.  ``convention="mujoco"`` compiles
    it as MuJoCo does: fixed links are fused, visuals discarded, the root is the world unless it is ``floating``, as its
    ``<mujoco><compiler>`` says, or ``compiler`` in its place (``{"balanceinertia": True}``).  A ``report`` is filled with what was used, converted, ignored.  The file is
    read completely before the builder changes.  Custom attributes that the builder declares for articulations, bodies,
    joints and shapes are read from ``<robot>``, ``<link>``, ``<joint>`` and ``<geometry>``; other elements and attributes
    that URDF does not have belong to other programs, and the report lists them; ``on_unsupported="raise"`` makes them errors, ``"warn"`` turns all that is not
    supported into warnings.
    """
    report = Report() if report is None else report
    report.expect("raise" if on_unsupported is None else on_unsupported)
    check_words(convention, joint_damping_mode)
    parent = plain.index(parent_body, builder.body_count, "body", "add_urdf parent_body", low=WORLD)
    checked(builder, floating, base_joint, parent, override_root_xform, xform is not None, "add_urdf")
    if convention == "mujoco" and (base_joint is not None or parent != WORLD):
        raise ModelError("add_urdf base_joint and parent_body: not with convention='mujoco'; leave them out")
    if convention != "mujoco" and compiler is not None:
        raise ModelError("add_urdf compiler: these are MuJoCo's settings; they need convention='mujoco'")
    factor = float(plain.number(scale, "add_urdf scale", low=0.0))
    if factor == 0.0:
        raise ModelError("add_urdf scale must be nonzero: 0 leaves nothing; give a positive factor")
    pose = plain.pose(xform, "add_urdf xform").tolist()
    quat = (pose[6], *pose[3:6])
    robot, surfaces = load_urdf(
        source,
        assets=assets,
        package_dirs=package_dirs,
        allow_outside=allow_outside,
        report=report,
        foreign=on_unsupported is None,
        builder=None if convention == "mujoco" else builder,
    )
    if collapse_massless_fixed_root and convention == "mujoco":
        raise ModelError(
            "add_urdf collapse_massless_fixed_root: with convention='mujoco' fixed links are fused anyway; leave it at False"
        )
    if collapse_massless_fixed_root:
        drop_empty_roots(robot, report)
    if override_root_xform:
        stand_at_origin(robot)
    if convention == "mujoco":
        spec, meshes = load_as_mujoco(robot, surfaces, report, floating, compiler or {})
        register(builder)
        options = MjcfOptions(
            pos=tuple(pose[:3]),
            quat=quat,
            maxhullvert=mesh_maxhullvert,
            self_collisions=enable_self_collisions,
            flat_labels=True,
        )
        edit(spec, options)
        mjcf.build(builder, spec, meshes, options)
        return
    if robot.settings is not None:
        report.ignore(robot.settings, "MuJoCo's settings count where convention='mujoco'; its mesh folder is searched")
    build(
        builder,
        robot,
        surfaces,
        UrdfOptions(
            pos=tuple(pose[:3]),
            quat=product(quat, up_turn(Axis.from_any(up_axis), builder.up_axis)),
            floating=floating,
            base_joint=base_joint,
            parent_body=parent,
            scale=factor,
            whole_xform=override_root_xform,
            hide_visuals=hide_visuals,
            visuals_collide=parse_visuals_as_colliders,
            show_colliders=force_show_colliders,
            self_collisions=enable_self_collisions,
            ignore_inertial=ignore_inertial_definitions,
            ordering=joint_ordering,
            bodies_follow=bodies_follow_joint_ordering,
            maxhullvert=mesh_maxhullvert,
            both_gains=force_position_velocity_actuation,
            damping_drives=joint_damping_mode == "drive",
        ),
        report,
    )
    if collapse_fixed_joints:
        builder.collapse_fixed_joints()

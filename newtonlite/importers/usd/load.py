"""Loading a stage into a ``UsdSpec``: open, read, resolve. Nothing is built before all of it has succeeded."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from newtonlite.core.errors import ParseError
from newtonlite.core.types import Axis
from newtonlite.importers.report import Report
from newtonlite.importers.usd.actuators import read_actuators
from newtonlite.importers.usd.bodies import read_bodies
from newtonlite.importers.usd.dofs import DofReader
from newtonlite.importers.usd.equalities import read_equalities
from newtonlite.importers.usd.filters import read_filters
from newtonlite.importers.usd.flexes import read_flexes
from newtonlite.importers.usd.joints import read_free, read_joints
from newtonlite.importers.usd.keyframes import read_keyframes
from newtonlite.importers.usd.layers import label_of
from newtonlite.importers.usd.masses import resolve_masses
from newtonlite.importers.usd.pairs import read_pairs
from newtonlite.importers.usd.resolvers import PrimType, Resolvers, SchemaResolver
from newtonlite.importers.usd.response import scale_accelerations
from newtonlite.importers.usd.scene import read_scene
from newtonlite.importers.usd.schemas import all_resolvers
from newtonlite.importers.usd.sensors import read_sensors
from newtonlite.importers.usd.shapes import Wanted, read_shapes
from newtonlite.importers.usd.soft import read_soft
from newtonlite.importers.usd.spec import UsdSpec
from newtonlite.importers.usd.stacks import resolve_stacks
from newtonlite.importers.usd.stage import folder_of, name_of, open_stage, quiet, units_of
from newtonlite.importers.usd.tendons import read_distances, read_tendons
from newtonlite.importers.usd.trees import resolve_trees, set_carried_poses
from newtonlite.importers.usd.unread import note_unread
from newtonlite.importers.usd.walk import walk_stage
from newtonlite.sim.builder.config import JointDofConfig


def load_usd(
    source: Any,
    *,
    default_joint: JointDofConfig | None = None,
    default_density: float = 1000.0,
    wanted: Wanted | None = None,
    resolvers: Sequence[SchemaResolver] | None = None,
    builder: Any = None,
    enabled_bodies: bool = True,
    enabled_joints: bool = True,
    drive_scaling: float = 1.0,
    both_gains: bool = False,
    ignore_paths: Sequence[str] = (),
    root_path: str = "/",
    ordering: str | None = "dfs",
    self_collisions: bool = True,
    ctrl_direct: bool = False,
    variants: Mapping[str, Mapping[str, str]] | None = None,
    time_code: float | None = None,
    units: str = "si",
    allow_outside: bool = False,
    report: Report | None = None,
) -> UsdSpec:
    """A resolved stage; ParseError ``layer: <prim> attribute: problem`` for what cannot be."""
    report = Report() if report is None else report
    chosen = Resolvers(all_resolvers() if resolvers is None else resolvers)
    if builder is not None and resolvers is not None:
        for resolver in chosen.all:
            if resolver.name != "mjc":  # what that needs is registered by the import
                resolver.validate_custom_attributes(builder)
    with quiet(name_of(source)):
        stage = open_stage(source, allow_outside, variants, report)
        spec = UsdSpec(None, units_of(stage, units, report), chosen)
        folder = folder_of(source, stage, allow_outside)
        spec.walk = walk_stage(stage, report, spec.units.length, time_code, root_path, ignore_paths, folder)
        try:
            spec.scene = read_scene(spec.walk, chosen, spec.units, np.array(stage_up(stage).to_vector(), float))
            read_bodies(spec, enabled_bodies)
            read_shapes(spec, wanted or Wanted())
            resolve_masses(spec, default_density)
            if spec.scene.prim is not None:
                drive_scaling = spec.scene.prim.finite("newton:joint_drive_gains_scaling", drive_scaling)
            reader = DofReader(spec, default_joint or JointDofConfig(), drive_scaling, both_gains)
            read_joints(spec, reader, enabled_joints)
            resolve_trees(spec, ordering)
            read_free(spec, reader)
            resolve_stacks(spec)
            set_carried_poses(spec)
            scale_accelerations(spec)
            read_tendons(spec)
            read_distances(spec, enabled_joints)
            read_actuators(spec, ctrl_direct)
            read_flexes(spec)
            read_soft(spec)
            read_equalities(spec, enabled_joints)
            read_keyframes(spec)
            read_pairs(spec)
            read_sensors(spec)
            read_filters(spec)
            note_unread(spec)
            for tree in spec.trees:
                if tree.prim is not None:
                    tree.self_collisions = bool(
                        chosen.get(tree.prim, PrimType.ARTICULATION, "self_collision_enabled", self_collisions)
                    )
        except BaseException:
            spec.walk.release()
            raise
    return spec


def stage_up(stage) -> Axis:
    """The up axis of a stage."""
    from pxr import UsdGeom

    word = str(UsdGeom.GetStageUpAxis(stage))
    if word not in ("X", "Y", "Z"):
        raise ParseError(f"{label_of(stage.GetRootLayer())}: upAxis is '{word}'; use Y or Z")
    return Axis.from_any(word)

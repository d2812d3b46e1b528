"""Result of ``add_usd``: the index of each prim in the builder, and the properties of the stage."""

from typing import Any

from newtonlite.importers.usd.spec import UsdSpec


def result_of(spec: UsdSpec, builder) -> dict[str, Any]:
    """Newton's keys."""
    from pxr import UsdGeom, UsdPhysics

    stage, scene = spec.walk.stage, spec.scene
    has_mass = UsdPhysics.StageHasAuthoredKilogramsPerUnit(stage)
    bodies = {body.path: body.index for body in spec.bodies}
    joints = {path: joint.place for path, joint in spec.joint_at.items() if joint.place >= 0}
    shapes = {path: shape.index for path, shape in spec.shape_at.items()}
    attributes = (
        {}
        if scene.prim is None
        else {name: scene.prim.get(name) for name in sorted(scene.prim.authored) if scene.prim.usd.GetAttribute(name)}
    )
    return {
        "fps": stage.GetFramesPerSecond(),
        "duration": stage.GetEndTimeCode() - stage.GetStartTimeCode(),
        "up_axis": str(UsdGeom.GetStageUpAxis(stage)),
        "path_body_map": bodies,
        "path_joint_map": joints,
        "path_shape_map": shapes,
        "path_shape_scale": {path: tuple(shape.scale) for path, shape in spec.shape_at.items()},
        "path_particle_map": {},
        "mass_unit": UsdPhysics.GetStageKilogramsPerUnit(stage) if has_mass else 1.0,
        "linear_unit": UsdGeom.GetStageMetersPerUnit(stage) if UsdGeom.StageHasAuthoredMetersPerUnit(stage) else 1.0,
        "scene_attributes": attributes,
        "physics_scene_path": None if scene.prim is None else scene.prim.path,
        "physics_dt": scene.dt,
        "max_solver_iterations": scene.iterations,
        "collapse_results": None,
        "schema_attrs": spec.resolvers.collected,
        "path_body_relative_transform": {},
        "particle_scene_path": None,
        "actuator_count": 0,
    }


def renumber(result: dict[str, Any], collapsed: dict[str, Any]) -> None:
    """Indices after fixed joints were collapsed; merged bodies have the index of what they became part of, and their
    pose in it.
    """
    bodies, parents = collapsed["body_remap"], collapsed["body_merged_parent"]
    for path, body in list(result["path_body_map"].items()):
        if body in parents:
            result["path_body_relative_transform"][path] = collapsed["body_merged_transform"][body]
            result["path_body_map"][path] = bodies.get(parents[body], -1)
        else:
            result["path_body_map"][path] = bodies[body]
    joints = collapsed["joint_remap"]
    result["path_joint_map"] = {
        path: joints[joint] for path, joint in result["path_joint_map"].items() if joint in joints
    }

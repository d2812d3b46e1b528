"""What the scene says in other words than the engine: frames, springs, gains, ties. Launches of the kernels in ``kernels/convert/follow*``."""

import numpy as np
import warp as wp

from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.solvers.mujoco.adapter import moves
from newtonlite.solvers.mujoco.adapter.flat import deep, flat
from newtonlite.solvers.mujoco.compile.equality import AUTHORED, LOOP, MIMIC
from newtonlite.solvers.mujoco.compile.joints import starts
from newtonlite.solvers.mujoco.compile.loops import ARM
from newtonlite.solvers.mujoco.compile.topology import DOFS
from newtonlite.solvers.mujoco.enums import EQ_CONNECT, EQ_WELD, FREE, HFIELD, MESH, OBJ_BODY
from newtonlite.solvers.mujoco.kernels.convert import follow, follow_rest, follow_shapes

JOINT, MODEL, INERTIAL = Flag.JOINT_PROPERTIES, Flag.MODEL_PROPERTIES, Flag.BODY_INERTIAL_PROPERTIES
FRAMES = JOINT | Flag.BODY_PROPERTIES | Flag.JOINT_REFERENCE_POSE_PROPERTIES
ANCHORS = JOINT | Flag.JOINT_DOF_PROPERTIES
REST = moves.REFERENCE | FRAMES
TIES = moves.TIE | ANCHORS
DRIVES = moves.DOF | moves.ACTUATOR
LOADED = moves.DOF | moves.INERTIAL | moves.TENDON | moves.ACTUATOR
WEIGHING = FRAMES | ANCHORS | INERTIAL | moves.INERTIAL | moves.TIE | moves.TENDON | moves.ACTUATOR
LIMITS = WEIGHING | moves.DOF | moves.SHAPE
FIELDS = {
    FRAMES: "body_pos body_quat", ANCHORS: "jnt_pos jnt_axis", REST: "jnt_stiffness qpos0 qpos_spring",
    INERTIAL: "body_mass body_ipos body_iquat body_inertia", moves.SHAPE: "geom_pos geom_quat geom_rbound geom_size",
    TIES: "eq_data eq_active0", moves.TENDON: "tendon_lengthspring", LIMITS: "jnt_solref jnt_solimp tendon_solref_lim tendon_solimp_lim",
    MODEL: "opt_gravity",
}  # fmt: skip
"""Fields that are written, or read per world, for some flags."""
RAW, FORCE_SPACE, AS_MJCF = 1, 0, 2


def written(f, flags: int) -> set:
    """Fields that the conversions for these flags need one copy per world of."""
    found = {name for wanted, names in FIELDS.items() if wanted & flags for name in names.split()}
    if flags & LIMITS and f.mj.jnt_tuned.any():
        found |= {"jnt_stiffness", "dof_damping"}
    if flags & DRIVES and f.mj.newton_drive[:, 0].any():
        found |= {"actuator_gainprm", "actuator_biasprm"}
    if flags & LOADED and f.loads.entries:
        found |= {*f.loads.entries, "actuator_gear"}
    if flags & moves.SHAPE and not f.override:
        found.add("geom_solref")
    if flags & REST and f.engine.mjw_model.nplastic:
        found |= {"plastic0", "tendon_lengthspring"}
    if flags & (LIMITS | FRAMES):
        found |= {"dof_invweight0", "tendon_invweight0"}
    return found


def before(f, flags: int) -> None:
    """Frames, and what is about to be weighed."""
    mj, m = f.mj, f.engine.mjw_model
    if flags & FRAMES:
        floats = np.array([n > 0 and mj.jnt_type[a] == FREE for a, n in zip(mj.body_jntadr, mj.body_jntnum)], int)
        tables = f.tables("frames", lambda: (mj.newton_body, mj.newton_carrier, floats))
        sources = [f.rows(name) for name in ("joint_X_p", "joint_X_c", "body_q")]
        f.launch(follow.follow_frames, mj.nbody, [*tables, *sources, f.changed, m.body_pos, m.body_quat])
    if flags & ANCHORS:
        tables = f.tables("anchors", lambda: (mj.newton_joint, moves.ROWS["first"](mj)))
        own = f.rows("mujoco:dof_pos", ("dof", wp.vec3(np.nan, np.nan, np.nan)))
        sources = [f.rows("joint_X_c"), f.rows("joint_axis"), own]
        f.launch(follow.follow_anchors, mj.njnt, [*tables, m.jnt_type, *sources, f.changed, m.jnt_pos, m.jnt_axis])
    if flags & INERTIAL:
        told = f.rows("mujoco:body_iquat", ("body", wp.vec4(0.0, 0.0, 0.0, 0.0)))
        sources = [*(f.rows(name) for name in ("body_mass", "body_com", "body_inertia")), told]
        fields = [m.arrays[name] for name in FIELDS[INERTIAL].split()]
        f.launch(follow.follow_bodies, mj.nbody, [*f.tables("frames_of_bodies", lambda: (mj.newton_body,)), *sources, f.changed, *fields])
    if flags & REST:
        rest(f, m)


def rest(f, m) -> None:
    """Reference and spring coordinates."""
    mj = f.mj
    tables = f.tables("rest", lambda: (moves.ROWS["first"](mj), mj.newton_coord[mj.jnt_qposadr], mj.jnt_tuned))
    zero = lambda name: f.rows(f"mujoco:{name}", ("dof", 0.0))  # noqa: E731
    sources = [zero("dof_ref"), f.rows("joint_stiffness"), f.rows("joint_rest_q"), zero("dof_passive_stiffness"), zero("dof_springref")]
    places = [m.jnt_type, m.jnt_qposadr, m.jnt_bodyid]
    fields = [f.changed, m.jnt_stiffness, m.qpos0, m.qpos_spring]
    f.launch(follow_rest.follow_rest, mj.njnt, [*tables, *places, *sources, m.body_pos, m.body_quat, *fields])


def after(f, flags: int) -> None:
    """Geoms, gains, loads and ties, once the plain numbers are there."""
    m = f.engine.mjw_model
    if flags & moves.SHAPE:
        geoms(f, m)
    if flags & DRIVES:
        drives(f, m)
    if flags & LOADED:
        for field in f.loads.entries:
            name = field.partition("_")[2]
            tables = f.tables(f"loads {field}", lambda field=field: f.loads.tables(field))
            own = f.words(f"joint_{name}" if field in ("dof_damping", "dof_armature") else f"mujoco:{field}")
            sources = [own, f.words(f"mujoco:actuator_{name}"), deep(m.actuator_gear)]
            f.launch(follow_rest.follow_loads, len(tables[0]), [*tables, *sources, f.changed, flat(m.arrays[field])])
    if flags & TIES and f.mj.neq:
        ties(f, m, flags)
    if flags & moves.TENDON and f.mj.ntendon and f.has("mujoco:tendon_springlength"):
        tables = f.tables("tendons", lambda: (f.mj.newton_tendon,))
        f.launch(follow_shapes.follow_spring_bands, f.mj.ntendon, [*tables, f.rows("mujoco:tendon_springlength"), f.changed, m.tendon_lengthspring])


def geoms(f, m) -> None:
    """Frames, radii and references of geoms."""
    mj = f.mj
    f.launch(follow_shapes.follow_geoms, mj.ngeom, [
        *f.tables("geoms", lambda: (mj.newton_geom, mj.geom_type, *asset_frames(f))), f.rows("shape_transform"), m.geom_size, f.changed,
        m.geom_pos, m.geom_quat, m.geom_rbound,
    ])  # fmt: skip
    if not f.override:
        mode = f.rows("mujoco:solref_mode", ("shape", AS_MJCF))
        sources = [mode, f.rows("mujoco:solref", ("shape", wp.vec2(0.0, 0.0))), f.rows("shape_material_ke"), f.rows("shape_material_kd")]
        f.launch(follow_shapes.follow_gains, mj.ngeom, [*f.tables("geoms", tuple)[:1], *sources, f.changed, m.geom_solref, f.engine.border.fixed["geom_gains"]])


def asset_frames(f) -> tuple:
    """Where meshes and height fields are in their shapes' frames: positions and (w, x, y, z)."""
    mj = f.mj
    offset, turn = np.zeros((mj.ngeom, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (mj.ngeom, 1))
    mesh, field = mj.geom_type == MESH, mj.geom_type == HFIELD
    offset[mesh], turn[mesh] = mj.mesh_pos[mj.geom_dataid[mesh]], mj.mesh_quat[mj.geom_dataid[mesh]]
    offset[field, 2] = mj.hfield_low[mj.geom_dataid[field]]
    return wp.array(offset, dtype=wp.vec3, device=f.device), wp.array(turn, dtype=wp.quat, device=f.device)


def drives(f, m) -> None:
    """Gains of actuators that take them from joints."""
    kind, dof = f.mj.newton_drive.T
    driven = np.flatnonzero(kind)
    if len(driven):
        tables = f.tables("drives", lambda: (driven, kind[driven], dof[driven]))
        sources = [f.rows("joint_target_ke"), f.rows("joint_target_kd")]
        f.launch(follow_rest.follow_drives, len(driven), [*tables, *sources, f.changed, deep(m.actuator_gainprm), deep(m.actuator_biasprm)])


def ties(f, m, flags: int) -> None:
    """Poses of welds and loops, and which constraints hold."""
    mj = f.mj
    kind, row = mj.eq_source.T
    if flags & moves.TIE:
        welds = np.flatnonzero((kind == AUTHORED) & (mj.eq_type == EQ_WELD) & (mj.eq_objtype == OBJ_BODY))
        if len(welds):
            tables = f.tables("welds", lambda: (welds, row[welds]))
            f.launch(follow_shapes.follow_welds, len(welds), [*tables, f.rows("mujoco:equality_constraint_relpose"), f.changed, m.eq_data])
        for source, name in ((AUTHORED, "mujoco:equality_constraint_enabled"), (MIMIC, "constraint_mimic_enabled")):
            here = np.flatnonzero(kind == source)
            if len(here) and f.has(name):
                tables = f.tables(name, lambda here=here: (here, row[here]))
                for target in (m.eq_active0, f.engine.mjw_data.eq_active):
                    f.launch(follow.move_flags, len(here), [*tables, f.rows(name), target])
    if flags & ANCHORS:
        loops(f, m)


def loops(f, m) -> None:
    """Ties of joints that close loops; the second of a hinge is a point along its axis."""
    mj = f.mj
    kind, joint = mj.eq_source.T
    here = np.flatnonzero(kind == LOOP)
    if len(here):
        second = [mj.eq_type[k] == EQ_CONNECT and k > 0 and (mj.eq_source[k] == mj.eq_source[k - 1]).all() for k in here]
        dof = lambda: starts(f.engine.view(), "joint_qd_start")[joint[here]]  # noqa: E731
        make = lambda: (here, joint[here], dof(), wp.array(np.where(second, ARM, 0.0), dtype=float, device=f.device))  # noqa: E731
        sources = [f.rows(name) for name in ("joint_X_p", "joint_X_c", "joint_axis")]
        f.launch(follow_shapes.follow_loops, len(here), [*f.tables("loops", make), m.eq_type, *sources, f.changed, m.eq_data])


def last(f, flags: int) -> None:
    """What depends on weights, gravity, and what states start from."""
    mj, m = f.mj, f.engine.mjw_model
    if flags & LIMITS:
        limits(f, m)
    if flags & MODEL:
        wp.copy(m.opt_gravity.reshape((f.nworld, 1)), f.rows("gravity"))
    if flags & JOINT and mj.nmocap:
        bodies = np.flatnonzero(mj.body_mocapid >= 0)
        for name, width in (("pos", 3), ("quat", 4)):
            copy_words(f, f"mocap_{name}", flat(m.arrays[f"body_{name}"]), flat(f.engine.mjw_data.arrays[f"mocap_{name}"]), spread(mj.body_mocapid[bodies], width), spread(bodies, width))
    if flags & REST and m.nplastic:
        plastic(f, m)


def limits(f, m) -> None:
    """Gains of limits, and springs that are tuned to the inertia they feel."""
    mj = f.mj
    first = moves.ROWS["first"](mj) if mj.njnt else np.zeros(0, int)
    if mj.njnt:
        pair = lambda name, value: f.rows(f"mujoco:{name}", ("dof", wp.vec2(value, value)))  # noqa: E731
        gains = [f.rows("joint_limit_ke"), f.rows("joint_limit_kd")]
        told = [f.rows("mujoco:solreflimit_mode", ("dof", FORCE_SPACE)), pair("solreflimit", 0.0), pair("solreflimit_gain_baseline", -np.inf)]
        fields = [m.jnt_solimp, m.dof_invweight0, f.changed, m.jnt_solref]
        f.launch(follow.follow_limits, mj.njnt, [*f.tables("first", lambda: (first,)), m.jnt_dofadr, *gains, *told, *fields])
    tuned = np.flatnonzero(mj.jnt_tuned)
    if len(tuned):
        tables = f.tables("tuned", lambda: (tuned, first[tuned], mj.jnt_dofadr, DOFS[mj.jnt_type[tuned]]))
        fields = [m.dof_invweight0, f.changed, m.jnt_stiffness, m.dof_damping]
        f.launch(follow_rest.tune_springs, len(tuned), [*tables, f.rows("mujoco:jnt_springdamper"), *fields])
    if mj.ntendon:
        pair = lambda name, value: f.rows(f"mujoco:{name}", ("mujoco:tendon", value))  # noqa: E731
        gains = [pair("tendon_limit_ke", 0.0), pair("tendon_limit_kd", 0.0)]
        told = [pair("tendon_solref_limit_mode", RAW), pair("tendon_solref_limit", wp.vec2(0.02, 1.0))]
        fields = [m.tendon_solimp_lim, m.tendon_invweight0, f.changed, m.tendon_solref_lim]
        f.launch(follow.tendon_limits, mj.ntendon, [*f.tables("tendons", lambda: (mj.newton_tendon,)), *gains, *told, *fields])


def plastic(f, m) -> None:
    """Rests of springs that yield, as a reset leaves them."""
    joint = [(adr + k, q + k) for adr, q, n in zip(f.mj.jnt_plasticadr, f.mj.jnt_qposadr, np.where(f.mj.jnt_type == 1, 4, 1)) for k in range(n) if adr >= 0]
    if joint:
        copy_words(f, "plastic", flat(m.qpos_spring), flat(m.plastic0), *np.array(joint).T)
    tendon = [(adr + k, 2 * t + k) for t, adr in enumerate(f.plastic_tendons) for k in range(2) if adr >= 0]
    if tendon:
        copy_words(f, "plastic of tendons", flat(m.tendon_lengthspring), flat(m.plastic0), *np.array(tendon).T)


def spread(index, width: int) -> np.ndarray:
    """Words of vectors at an index."""
    return (np.asarray(index)[:, None] * width + np.arange(width)).ravel()


def copy_words(f, name: str, source, target, where, first) -> None:
    """Numbers of one engine array into another."""
    ones = lambda: wp.full(len(where), 1.0, dtype=float, device=f.device)  # noqa: E731
    tables = f.tables(name, lambda: (where, first, ones(), np.full(len(where), -1)))
    f.launch(follow.move_words, len(where), [*tables, source, source, f.changed, target])

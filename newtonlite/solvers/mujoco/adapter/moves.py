"""Numbers that the engine has as the scene has them: which attribute goes to which field, for which flag of ``notify_model_changed``."""

from dataclasses import dataclass

import numpy as np

from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.solvers.mujoco.compile.actuator_rows import RANGES
from newtonlite.solvers.mujoco.compile.equality import AUTHORED, FOLLOWER, MIMIC
from newtonlite.solvers.mujoco.enums import BALL, EQ_JOINT, EQ_WELD, HFIELD, MESH, OBJ_BODY

DOF = Flag.JOINT_DOF_PROPERTIES | Flag.JOINT_DOF_FORCE_PROPERTIES
INERTIAL = Flag.JOINT_DOF_PROPERTIES | Flag.JOINT_DOF_INERTIAL_PROPERTIES
REFERENCE = DOF | Flag.JOINT_REFERENCE_POSE_PROPERTIES
SHAPE, TIE, TENDON, ACTUATOR = Flag.SHAPE_PROPERTIES, Flag.CONSTRAINT_PROPERTIES, Flag.TENDON_PROPERTIES, Flag.ACTUATOR_PROPERTIES
QUAT = ((0, 6, 1.0), (1, 3, 1.0), (2, 4, 1.0), (3, 5, 1.0))
"""Words of an engine's quaternion in a scene's transform."""


@dataclass(frozen=True)
class Move:
    """``field`` takes ``attribute`` of the row that ``rows`` names (see ``ROWS``), for these flags.

    ``parts`` are (word of the field, word of the attribute, factor), all words in order when empty; ``plus`` is an attribute that is
    added; ``only`` names what the move is for (see ``ONLY``).
    """

    flags: int
    field: str
    attribute: str
    rows: str
    parts: tuple = ()
    only: str = ""
    plus: str = ""


def same(flags: int, rows: str, kind: str, prefix: str, names: str) -> tuple:
    """Moves of fields ``kind_name`` that the scene calls ``prefix + name``."""
    return tuple(Move(flags, f"{kind}_{name}", prefix + name, rows) for name in names.split())


def component(k: int) -> tuple:
    """A scalar that is one component of a vector."""
    return ((k, 0, 1.0),)


MOVES = (
    Move(INERTIAL, "dof_armature", "joint_armature", "dof", only="armature"),
    Move(DOF, "dof_damping", "joint_damping", "dof", only="damping"),
    Move(DOF, "dof_dampingpoly", "mujoco:dof_dampingpoly", "dof", only="dampingpoly"),
    Move(DOF, "dof_frictionloss", "joint_friction", "dof"),
    Move(DOF, "dof_solref", "mujoco:solreffriction", "dof"),
    Move(DOF, "dof_solimp", "mujoco:solimpfriction", "dof"),
    Move(DOF, "jnt_solimp", "mujoco:solimplimit", "first"),
    Move(DOF, "jnt_margin", "mujoco:limit_margin", "first"),
    *same(DOF, "first", "jnt", "mujoco:jnt_", "stiffnesspoly springyield"),
    Move(REFERENCE, "jnt_range", "joint_limit_lower", "first", component(0), only="limited", plus="mujoco:dof_ref"),
    Move(REFERENCE, "jnt_range", "joint_limit_upper", "first", component(1), only="limited", plus="mujoco:dof_ref"),
    Move(DOF, "jnt_actfrcrange", "mujoco:jnt_actfrcrange", "first", only="band"),
    Move(DOF, "jnt_actfrcrange", "joint_effort_limit", "first", ((0, 0, -1.0), (1, 0, 1.0)), only="effort"),
    Move(DOF, "actuator_forcerange", "joint_effort_limit", "driven", ((0, 0, -1.0), (1, 0, 1.0)), only="ball"),
    Move(Flag.BODY_PROPERTIES, "body_gravcomp", "mujoco:gravcomp", "body"),
    Move(SHAPE, "site_pos", "shape_transform", "site", ((0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0))),
    Move(SHAPE, "site_quat", "shape_transform", "site", QUAT),
    Move(SHAPE, "site_size", "shape_scale", "site"),
    Move(SHAPE, "geom_size", "shape_scale", "geom", only="used"),
    Move(SHAPE, "geom_friction", "shape_material_mu", "geom", component(0)),
    Move(SHAPE, "geom_friction", "shape_material_mu_torsional", "geom", component(1)),
    Move(SHAPE, "geom_friction", "shape_material_mu_rolling", "geom", component(2)),
    Move(SHAPE, "geom_margin", "shape_margin", "geom", only="margin"),
    Move(SHAPE, "geom_solimp", "mujoco:geom_solimp", "geom", only="own"),
    *same(SHAPE, "geom", "geom", "mujoco:geom_", "solmix adhesion surfacevel"),
    *same(SHAPE, "pair", "pair", "mujoco:pair_", "friction gap adhesion"),
    *(Move(SHAPE, f"pair_{name}", f"mujoco:pair_{name}", "pair", only="own") for name in ("solref", "solreffriction", "solimp", "margin")),
    *same(TIE, "authored", "eq", "mujoco:eq_", "solref solimp"),
    Move(TIE, "eq_data", "mujoco:equality_constraint_polycoef", "authored", only="polynomial"),
    Move(TIE, "eq_data", "mujoco:equality_constraint_anchor", "authored", only="anchored"),
    Move(TIE, "eq_data", "mujoco:equality_constraint_torquescale", "authored", component(10), only="weld"),
    Move(TIE, "eq_data", "constraint_mimic_coef0", "mimic", component(0)),
    Move(TIE, "eq_data", "constraint_mimic_coef1", "mimic", component(1)),
    Move(TIE, "eq_data", "joint_mimic_coeffs", "follower"),
    Move(TENDON, "wrap_prm", "mujoco:tendon_coef", "coef"),
    Move(TENDON, "wrap_prm", "mujoco:tendon_wrap_prm", "pulley"),
    *same(TENDON, "tendon", "tendon", "mujoco:tendon_", "stiffness frictionloss margin springyield stiffnesspoly range"),
    *(Move(TENDON, f"tendon_{name}", f"mujoco:tendon_{name}", "tendon", only=f"tendon_{name}") for name in ("damping", "armature", "dampingpoly")),
    Move(TENDON, "tendon_actfrcrange", "mujoco:tendon_actuator_force_range", "tendon"),
    Move(TENDON, "tendon_solimp_lim", "mujoco:tendon_solimp_limit", "tendon"),
    Move(TENDON, "tendon_solref_fri", "mujoco:tendon_solref_friction", "tendon"),
    Move(TENDON, "tendon_solimp_fri", "mujoco:tendon_solimp_friction", "tendon"),
    *same(ACTUATOR, "own", "actuator", "mujoco:actuator_", "dynprm actrange delay cranklength"),
    Move(ACTUATOR, "actuator_forcerange", "mujoco:actuator_forcerange", "own"),
    Move(ACTUATOR, "actuator_gainprm", "mujoco:actuator_gainprm", "own", only="ungained"),
    Move(ACTUATOR, "actuator_biasprm", "mujoco:actuator_biasprm", "own", only="biased"),
    Move(ACTUATOR, "actuator_dampratio", "mujoco:actuator_biasprm", "own", ((0, 2, 1.0),), only="ratio"),
    Move(ACTUATOR, "actuator_gear", "mujoco:actuator_gear", "output"),
    Move(ACTUATOR, "actuator_lengthrange", "mujoco:actuator_lengthrange", "output", only="authored"),
    *(Move(ACTUATOR, "actuator_ctrlrange", f"mujoco:actuator_{name}", name) for name in RANGES),
    *same(Flag.MODEL_PROPERTIES, "sensor", "sensor", "mujoco:sensor_", "cutoff delay interval"),
)
"""The table."""


def where(rows, chosen) -> np.ndarray:
    """``rows`` where ``chosen``, else -1."""
    return np.where(chosen, rows, -1)


def ties(kind: int):
    """Rows of constraints of a kind."""
    return lambda m: where(m.eq_source[:, 1], m.eq_source[:, 0] == kind)


ROWS = {
    "dof": lambda m: m.newton_dof,
    "first": lambda m: m.newton_dof[m.jnt_dofadr],
    "driven": lambda m: m.newton_drive[:, 1],
    "body": lambda m: np.asarray(m.newton_body),
    "site": lambda m: m.newton_site,
    "geom": lambda m: m.newton_geom,
    "pair": lambda m: np.arange(m.npair),
    "authored": ties(AUTHORED), "mimic": ties(MIMIC), "follower": ties(FOLLOWER),
    "coef": lambda m: m.newton_coef, "pulley": lambda m: m.newton_pulley, "tendon": lambda m: m.newton_tendon,
    "own": lambda m: m.newton_actuator,
    "output": lambda m: np.repeat(m.newton_actuator, m.actuator_outnum),
    **{name: lambda m, k=k: where(np.repeat(m.newton_actuator, m.actuator_ctrlnum), m.newton_ctrlrange == k) for k, name in enumerate(RANGES)},
    "sensor": lambda m: np.arange(m.nsensor),
}  # fmt: skip
"""Row, within a world of the scene, that each thing of the engine comes from; -1: none."""


def loaded_dofs(name: str):
    """Dofs that no actuator adds to, of those that count and whose springs are not tuned."""
    def chosen(f):
        free = ~f.loads.touched(f"dof_{name}", f.mj.nv)
        if name == "armature":
            return free & f.mj.dof_counted
        return free & ~f.mj.jnt_tuned.astype(bool)[f.mj.dof_jntid] if name == "damping" else free
    return chosen


def own_gains(f) -> np.ndarray:
    """Words of an actuator's parameters that are its own: all but those that it takes from a joint or a ratio, [nactuator, 10]."""
    return np.tile((f.mj.newton_drive[:, 0] == 0)[:, None], (1, 10))


def biased(f) -> np.ndarray:
    """Words of the bias that are its own."""
    found = own_gains(f)
    found[:, 2] &= ~f.ratio
    return found


def used_sizes(mj, view) -> np.ndarray:
    """Words of a geom's size that are those of its shape, [ngeom, 3]: not a mesh's, and not what its type has no use for.

    The scene is to be as it was compiled.
    """
    if not mj.ngeom:
        return np.zeros((0, 3), bool)
    scale = view.first("shape_scale")[mj.newton_geom]
    size = np.asarray(mj.geom_size).reshape(-1, mj.ngeom, 3)[0]
    return (size == scale) & ~np.isin(mj.geom_type, (MESH, HFIELD))[:, None]


ONLY = {
    "armature": loaded_dofs("armature"), "damping": loaded_dofs("damping"), "dampingpoly": loaded_dofs("dampingpoly"),
    **{f"tendon_{name}": lambda f, name=name: ~f.loads.touched(f"tendon_{name}", f.mj.ntendon) for name in ("damping", "armature", "dampingpoly")},
    "limited": lambda f: f.mj.jnt_limited != 0,
    "band": lambda f: f.authored_band,
    "effort": lambda f: (f.mj.jnt_actfrclimited != 0) & ~f.authored_band,
    "ball": lambda f: (f.mj.newton_drive[:, 1] >= 0) & (f.mj.newton_actuator < 0) & (f.mj.jnt_type[np.maximum(f.mj.actuator_trnid[:, 0], 0)] == BALL),
    "used": lambda f: f.used_sizes,
    "margin": lambda f: np.full(f.mj.ngeom, f.mj.margins_kept and not f.override),
    "own": lambda f: not f.override,
    "polynomial": lambda f: f.mj.eq_type >= EQ_JOINT,
    "anchored": lambda f: (f.mj.eq_type <= EQ_WELD) & (f.mj.eq_objtype == OBJ_BODY),
    "weld": lambda f: f.mj.eq_type == EQ_WELD,
    "ungained": own_gains, "biased": biased, "ratio": lambda f: f.ratio,
    "authored": lambda f: f.authored_lengths,
}  # fmt: skip
"""What a move is for: a mask of things, or of things and words, from a follower."""


def words(f, move: Move, width: int, source_width: int) -> tuple:
    """(word of the field, word of the attribute, factor, row) of each number that a move writes; ``width`` are words of one thing."""
    rows = np.asarray(ROWS[move.rows](f.mj), int)
    parts = move.parts or tuple((k, k, 1.0) for k in range(min(width, source_width)))
    things = np.flatnonzero(rows >= 0)
    to, of, factor = (np.array(x) for x in zip(*parts, strict=True))
    chosen = np.ones((len(rows), width), bool)
    if move.only:
        only = np.asarray(ONLY[move.only](f))
        chosen &= only if only.ndim == 2 else only.reshape(-1, 1) if only.ndim else only
    target = (things[:, None] * width + to).ravel()
    keep = chosen.ravel()[target]
    source = (rows[things][:, None] * source_width + of).ravel()
    return target[keep], source[keep], np.tile(factor, len(things))[keep], np.repeat(rows[things], len(parts))[keep]

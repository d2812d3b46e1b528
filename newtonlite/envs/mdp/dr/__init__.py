"""Domain randomisation: event terms that change numbers of the model in each world, in place, and what follows from
them.

Every function takes ``ranges``: a pair (lo, hi), a dict of pairs by axis, or a dict of pairs by pattern of names. The
operations are ``abs`` (the number drawn), ``scale`` and ``add`` (to the model's own number, so that repeats do not pile
up); the distributions ``uniform``, ``log_uniform``, ``gaussian`` (mean and deviation). With ``shared_random`` all parts
of a world get the same number.
"""

from newtonlite.envs.mdp.dr.fields import ModelParameter, _one, encoder_bias, fields_of, pd_gains, randomize
from newtonlite.envs.mdp.dr.inertia import pseudo_inertia
from newtonlite.envs.mdp.dr.turns import body_quat, cam_quat, geom_quat, site_quat

__all__ = [
    "ModelParameter",
    "body_quat",
    "cam_quat",
    "encoder_bias",
    "fields_of",
    "geom_quat",
    "pd_gains",
    "pseudo_inertia",
    "randomize",
    "site_quat",
]

geom_friction = _one("geom_friction", "abs", "Friction of geoms: sliding (axis 0), torsional, rolling.")
geom_pos = _one("geom_pos", "abs", "Places of geoms in their bodies [m].")
body_mass = _one("body_mass", "scale", "Masses; inertias stay (``body_inertia``).")
body_com_offset = _one("body_ipos", "add", "Centres of mass [m].")
body_ipos = body_com_offset
body_pos = _one("body_pos", "add", "Places of bodies in their parents [m].")
body_inertia = _one("body_inertia", "scale", "Principal moments of inertia.")
joint_damping = _one("dof_damping", "abs", "Damping of joints.")
joint_armature = _one("dof_armature", "abs", "Rotor inertia of joints.")
joint_friction = _one("dof_frictionloss", "abs", "Dry friction of joints.")
joint_stiffness = _one("jnt_stiffness", "abs", "Stiffness of joints.")
joint_limits = _one("jnt_range", "abs", "Limits of joints: axis 0 the lower, axis 1 the upper.")
joint_default_pos = _one("qpos0", "add", "Reference pose of joints.")
dof_damping, dof_armature, dof_frictionloss, jnt_stiffness, jnt_range, qpos0 = (
    joint_damping,
    joint_armature,
    joint_friction,
    joint_stiffness,
    joint_limits,
    joint_default_pos,
)
tendon_damping = _one("tendon_damping", "abs", "Damping of tendons.")
tendon_stiffness = _one("tendon_stiffness", "abs", "Stiffness of tendons.")
tendon_friction = _one("tendon_frictionloss", "abs", "Dry friction of tendons.")
tendon_armature = _one("tendon_armature", "abs", "Inertia of tendons.")
pair_friction = _one("pair_friction", "abs", "Friction of pairs of geoms.")
site_pos = _one("site_pos", "abs", "Places of sites in their bodies [m].")
cam_pos = _one("cam_pos", "add", "Places of cameras in their bodies [m].")
cam_fovy = _one("cam_fovy", "scale", "Fields of view of cameras [deg].")
cam_intrinsic = _one("cam_intrinsic", "scale", "Focal lengths and principal points of cameras.")
light_pos = _one("light_pos", "add", "Places of lights in their bodies [m].")
light_dir = _one("light_dir", "add", "Directions of lights.")
effort_limits = _one("actuator_forcerange", "scale", "Ranges of actuator forces.")
gravity = _one("opt_gravity", "add", "Gravity [m/s^2]; x, y, z are the parts 0, 1, 2 or the axes of part 0.")

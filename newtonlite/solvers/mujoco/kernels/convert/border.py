"""The scene's arrays as stages see them: one row per world, Newton's words.

``in_*`` are read by push, ``out_*`` written by pull, the rest are tables and parameters of the scene's model. Tables are
[1, n], shared by all worlds. Transforms are position and (x, y, z, w).
"""

import warp as wp

from newtonlite.core.field import Field as F

BORDER = (
    F("in_joint_q", float, "njoint_q", "State.joint_q", "border"),
    F("in_joint_qd", float, "njoint_qd", "State.joint_qd", "border"),
    F("in_body_f", wp.spatial_vector, "nlink", "State.body_f: force, torque at the centre of mass, world frame", "border"),
    F("in_joint_f", float, "njoint_qd", "Control.joint_f", "border"),
    F("in_target_q", float, "njoint_q", "Control.joint_target_q", "border"),
    F("in_target_qd", float, "njoint_qd", "Control.joint_target_qd", "border"),
    F("in_ctrl", float, "nctrl", "Control.mujoco.ctrl", "border"),
    F("out_joint_q", float, "njoint_q", "State.joint_q", "border"),
    F("out_joint_qd", float, "njoint_qd", "State.joint_qd", "border"),
    F("out_body_q", wp.transformf, "nlink", "State.body_q", "border"),
    F("out_body_qd", wp.spatial_vector, "nlink", "State.body_qd: velocity of the centre of mass, then angular", "border"),
    F("joint_X_p", wp.transformf, "njoint", "Model.joint_X_p", "border"),
    F("joint_X_c", wp.transformf, "njoint", "Model.joint_X_c", "border"),
    F("link_of_body", int, "nbody", "Newton body of each body, -1 for the world", "border"),
    F("joint_of_jnt", int, "njnt", "Newton joint of each joint", "border"),
    F("coord_of_jnt", int, "njnt", "its first coordinate", "border"),
    F("speed_of_jnt", int, "njnt", "its first degree of freedom", "border"),
    F("jnt_prescribed", int, "njnt", "1 where the caller moves the joint", "border"),
    F("ctrl_from", int, "nu", "compile.actuators.Source", "border"),
    F("ctrl_index", int, "nu", "index in the source, within the world", "border"),
)

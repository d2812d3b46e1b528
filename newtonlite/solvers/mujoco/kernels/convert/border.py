"""The scene's arrays as stages see them: one row per world, Newton's words.

``in_*`` are read by push, ``out_*`` written by pull, the rest are tables and parameters of the scene's model. Tables are
[1, n], shared by all worlds. Transforms are position and (x, y, z, w).
"""

import warp as wp

from newtonlite.core.field import Field as F

vec3i = wp.vec3i
vec5i = wp.types.vector(length=5, dtype=int)

BORDER = (
    F("in_joint_q", float, "njoint_q", "State.joint_q", "border"),
    F("in_joint_qd", float, "njoint_qd", "State.joint_qd", "border"),
    F("in_resync", int, "1", "1 where positions and velocities of a world are to be read whatever the interval", "border"),
    F("in_body_f", wp.spatial_vector, "nlink", "State.body_f: force, torque at the centre of mass, world frame", "border"),
    F("in_joint_f", float, "njoint_qd", "Control.joint_f", "border"),
    F("in_target_q", float, "njoint_q", "Control.joint_target_q", "border"),
    F("in_target_qd", float, "njoint_qd", "Control.joint_target_qd", "border"),
    F("in_ctrl", float, "nctrl", "Control.mujoco.ctrl", "border"),
    F("in_ctrl_more", wp.vec3, "nctrl", "Control.mujoco.ctrl_more: second to fourth control of an actuator", "border"),
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
    F("joint_run", vec5i, "njointrun", "hinges and slides in a row: first qpos address, coordinate, dof and speed, how many", "border"),
    F("wide_jnt", int, "nwide", "the other joints: free and ball", "border"),
    F("body_run", vec3i, "nbodyrun", "bodies in a row: first body, Newton body, how many", "border"),
    F("ctrl_run", vec3i, "nctrlrun", "controls in a row that are read from in_ctrl: first control, index, how many", "border"),
    F("other_ctrl", int, "notherctrl", "controls with another source", "border"),
    F("held_jnt", int, "nheldjnt", "joints that the caller moves", "border"),
    F("held_dof", int, "nhelddof", "their dofs", "border"),
    F("held_body", int, "nheldbody", "bodies that the caller moves", "border"),
    F("ctrl_from", int, "nu", "compile.actuators.Source", "border"),
    F("ctrl_index", int, "nu", "index in the source, within the world", "border"),
    F("geom_gains", wp.vec3, "ngeom", "stiffness [N/m] and damping [N s/m] of contacts; third 1 where they are forces", "border"),
    F("geom_of_shape", int, "nshape", "geom of each shape of the scene, -1: none", "border"),
    F("given_start", int, "2", "first and last+1 of the world's rows in given_order", "border"),
    F("given_order", int, "ngiven", "rows of the caller's contacts, by world", "border"),
    F("given_slot", int, "ngiven", "contact that each row became, -1: none", "border"),
    F("given_shape0", int, "ngiven", "Contacts.rigid_contact_shape0", "border"),
    F("given_shape1", int, "ngiven", "Contacts.rigid_contact_shape1", "border"),
    F("given_point0", wp.vec3, "ngiven", "Contacts.rigid_contact_point0: in the body of the first shape [m]", "border"),
    F("given_point1", wp.vec3, "ngiven", "Contacts.rigid_contact_point1 [m]", "border"),
    F("given_normal", wp.vec3, "ngiven", "Contacts.rigid_contact_normal: from the first shape to the second", "border"),
    F("given_margin0", float, "ngiven", "Contacts.rigid_contact_margin0: from the point to the surface and its margin [m]", "border"),
    F("given_margin1", float, "ngiven", "Contacts.rigid_contact_margin1 [m]", "border"),
    F("given_stiffness", float, "ngiven", "Contacts.rigid_contact_stiffness, 0: the shapes' [N/m]", "border"),
    F("given_damping", float, "ngiven", "Contacts.rigid_contact_damping, 0: critical, where there is a stiffness [N s/m]", "border"),
    F("given_friction", float, "ngiven", "Contacts.rigid_contact_friction along the surface, 0: the shapes'", "border"),
    F("shape_margin", float, "nshape", "Model.shape_margin [m]", "border"),
    F("in_body_q", wp.transformf, "nlink", "State.body_q, where only the poses count", "border"),
    F("out_body_qdd", wp.spatial_vector, "nlink", "acceleration of the centre of mass, then angular, world frame", "border"),
    F("out_body_parent_f", wp.spatial_vector, "nlink", "what the parent does to the body at its centre of mass [N, N m]", "border"),
    F("out_qfrc_actuator", float, "njoint_qd", "force of the actuators on each dof of the scene", "border"),
    F("out_qfrc_bias", float, "njoint_qd", "bias force on each dof", "border"),
    F("out_qfrc_constraint", float, "njoint_qd", "constraint force on each dof", "border"),
    F("out_qfrc_frictionloss", float, "njoint_qd", "dry friction on each dof", "border"),
    F("out_overflow", int, "1", "bits of what did not fit in this step", "border"),
)

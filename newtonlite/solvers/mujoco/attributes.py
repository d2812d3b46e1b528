"""Custom attributes of the ``mujoco`` namespace: what the builder carries beyond Newton's fields, so that MJCF is kept
exactly.

``register(builder)`` declares it all.  Rows with a meaning in MJCF come from the schema (``Attr.binds``), the others from
``newtonlite.schema.namespace``; run ``print(table())`` for the whole list.  This is where an MJCF model goes:

========================  ===============================================================================================
MJCF                      scene
========================  ===============================================================================================
body                      a link; static bodies hang on a FIXED joint with ``body_mocap`` 0, mocap bodies with 1.  Mass,
                          ``body_com`` and ``body_inertia`` are final: compiler rules and geoms are already in them
body pos, quat            ``joint_X_p inverse(joint_X_c)``, the joint's anchor being ``joint_X_c``; floating bodies: ``body_q``
free, ball joint          FREE, BALL; a ball's limit [0, angle] is in the limits of its first dof
one hinge or slide        REVOLUTE or PRISMATIC with the axis in the body frame
several of them           one D6, slides first, then hinges.  ``dof_order`` is each one's place in the file, ``dof_pos`` its
                          own anchor in the body frame (``joint_X_c`` has that of the first), ``joint_dof_label`` its name
a ball among others, or   several joints over massless links (``body_link`` 1) in the pose of the body; ``compile`` makes one body of
more than 3 of a kind     them again
body inertia              ``body_inertia``; ``body_iquat`` are the principal axes that MuJoCo would choose
names                     labels; ``body_unnamed``, ``joint_unnamed``, ``shape_unnamed`` mark those that were made up
materials, textures,      ``mujoco:record`` rows: kind, name, values as JSON; unused meshes with their vertices
custom data, sizes
user numbers              ``body_user``, ``shape_user``, ``joint_user``, ... as text
joint ref                 ``dof_ref``; ``joint_q``, limits and ``joint_rest_q`` are Newton's, that is MuJoCo's minus ref
joint range               ``joint_limit_lower/upper``; without limits -1e10 and 1e10
joint stiffness, springref  ``joint_stiffness``, ``joint_rest_q``
joint solreflimit         ``solreflimit`` with mode 1, or mode 2 where the file says nothing
joint actuatorfrcrange    ``joint_effort_limit``, and ``jnt_actfrcrange`` where it is not symmetric (0 0 otherwise)
armature, damping,        ``joint_armature``, ``joint_damping``, ``joint_friction``, ``solreffriction``, ``solimpfriction``,
frictionloss, ...         ``solimplimit``, ``limit_margin``, ``jnt_actgravcomp``
geom                      a shape in file order, density 0.  Sizes in ``shape_scale``; ``shape_margin``, ``geom_gap``, friction in
                          ``shape_material_mu``, ``_mu_torsional``, ``_mu_rolling``
geom contype, conaffinity  the same names; ``collision_mask_domain`` numbers the file.  No collision group or parent filter of
                          Newton applies to such shapes
geom solref               ``solref`` with ``solref_mode`` 1, or 2 where the file says nothing
geom solimp, solmix, ...  ``geom_solimp``, ``geom_solmix``, ``geom_priority``, ``condim``, ``geom_group``
site                      a shape with the SITE flag
pair                      a ``mujoco:pair`` row; friction and solreffriction are filled in
exclude                   a ``mujoco:exclude`` row, and filter pairs of all shapes of the two bodies
fixed tendon              a ``mujoco:tendon`` row; ``tendon_joint_adr/num`` rows of ``mujoco:tendon_joint``: joint, dof, coef
spatial tendon            a ``mujoco:tendon`` row of type 1; ``tendon_wrap_adr/num`` rows of ``mujoco:tendon_wrap``
equality                  a ``mujoco:equality_constraint`` row; joints with their dof
actuator                  a ``mujoco:actuator`` row in file order, shortcuts spelled out as ``general``.  ``actuator_trnid[0]`` is a
                          dof, a tendon row, a site's shape or a body; the second site is ``actuator_trnid[1]``, ``actuator_refsite``
                          or ``actuator_slidersite``.  Further controls of one actuator are in ``mujoco.ctrl_more``.  ``ctrllimited``
                          etc. are final (0 or 1).  A position or velocity servo on a joint has ``ctrl_source`` 0 and
                          ``ctrl_type`` 0 or 1, and its gains are in ``joint_target_ke/kd`` too; with ``ctrl_direct=True`` all read ``mujoco.ctrl``
keyframe                  a ``mujoco:key`` row; numbers as text (``key_qpos``), after the last ``/``; empty: not given
camera, light             ``mujoco:camera`` and ``mujoco:light`` rows; ``cam_intrinsic`` and ``cam_fovy`` follow from focal and
                          sensorsize.  Poses of targets follow in the solver (``compile/cameras.py``)
sensor                    a ``mujoco:sensor`` row in file order.  ``sensor_objtype`` and ``sensor_reftype`` say what ``sensor_objid`` and
                          ``sensor_refid`` are: body, dof of a joint, shape of a geom or site, row of a camera, tendon or actuator.
                          What they measure is ``solver.mjw_data.sensordata``, ``solver.mj_model.sensor_adr`` says where
option, flag, statistic   attributes of the same name; ``flag_x`` True is enabled; gravity is the builder's
========================  ===============================================================================================
"""

from newtonlite.schema.columns import columns, table
from newtonlite.sim.namespace.registration import DTYPES, register

__all__ = ["DTYPES", "columns", "register", "register_custom_attributes", "table"]

register_custom_attributes = register

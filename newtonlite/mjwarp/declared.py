"""Declared fields: what ``dataclasses.fields`` says that a model, a data and their parts have, in MuJoCo's order.

Programs for MuJoCo Warp go through these to find, copy or expand fields. Types come from the tables of fields; those
after ``callback`` and ``contact`` are MuJoCo Warp's own.
"""

import dataclasses

import warp as wp

from newtonlite.core.types import cell_shape
from newtonlite.mjwarp import host_fields
from newtonlite.mjwarp.layout import ENGINES, LAYOUTS
from newtonlite.mjwarp.typed_views import VIEWED
from newtonlite.solvers.mujoco import data as engine_data
from newtonlite.solvers.mujoco import model as engine_model

MODEL = """
nq nv nu nactuator na nbody njnt ntree nM nC nD ngeom nsite ncam nlight nmesh nmeshvert nmeshnormal nmeshface
nmeshgraph nmeshpoly nmeshpolyvert nmeshpolymap nhfield nhfielddata nmat npair nexclude neq ntendon nJten nwrap
nsensor nkey nmocap nplugin nplastic nJmom npolygonmax nmeshdegmax nuserdata nsensordata nhistory opt stat qpos0
qpos_spring body_parentid body_rootid body_weldid body_mocapid body_jntnum body_jntadr body_dofnum body_dofadr
body_treeid body_geomnum body_geomadr body_simple body_pos body_quat body_ipos body_iquat body_mass body_subtreemass
body_inertia body_invweight0 body_gravcomp body_contype body_conaffinity jnt_type jnt_qposadr jnt_dofadr jnt_bodyid
jnt_actuatorid jnt_plasticadr jnt_limited jnt_actfrclimited jnt_actgravcomp jnt_solref jnt_solimp jnt_pos jnt_axis
jnt_stiffness jnt_stiffnesspoly jnt_springyield jnt_range jnt_actfrcrange jnt_margin dof_bodyid dof_jntid
dof_parentid dof_treeid dof_Madr dof_solref dof_solimp dof_frictionloss dof_armature dof_damping dof_dampingpoly
dof_invweight0 dof_length tree_bodynum tree_dofadr tree_dofnum tree_sleep_policy geom_type geom_contype
geom_conaffinity geom_condim geom_bodyid geom_dataid geom_matid geom_group geom_priority geom_solmix geom_solref
geom_solimp geom_size geom_aabb geom_rbound geom_pos geom_quat geom_friction geom_margin geom_gap geom_surfacevel
geom_adhesion geom_fluid geom_rgba site_type site_bodyid site_size site_pos site_quat cam_mode cam_bodyid
cam_targetbodyid cam_pos cam_quat cam_poscom0 cam_pos0 cam_mat0 cam_projection cam_fovy cam_resolution
cam_sensorsize cam_intrinsic light_mode light_bodyid light_targetbodyid light_type light_castshadow light_active
light_pos light_dir light_poscom0 light_pos0 light_dir0 light_attenuation light_cutoff light_exponent light_ambient
light_diffuse light_specular mesh_vertadr mesh_vertnum mesh_faceadr mesh_normaladr mesh_normalnum mesh_graphadr
mesh_vert mesh_normal mesh_face mesh_graph mesh_pos mesh_quat mesh_polynum mesh_polyadr mesh_polynormal
mesh_polyvertadr mesh_polyvertnum mesh_polyvert mesh_polymapadr mesh_polymapnum mesh_polymap hfield_size hfield_nrow
hfield_ncol hfield_adr hfield_data mat_texid mat_texuniform mat_texrepeat mat_emission mat_specular mat_shininess
mat_rgba pair_dim pair_geom1 pair_geom2 pair_solref pair_solreffriction pair_solimp pair_margin pair_gap
pair_adhesion pair_friction exclude_signature eq_type eq_obj1id eq_obj2id eq_objtype eq_active0 eq_solref eq_solimp
eq_data tendon_adr tendon_num tendon_actuatorid tendon_plasticadr ten_J_rownnz ten_J_rowadr ten_J_colind
tendon_limited tendon_actfrclimited tendon_solref_lim tendon_solimp_lim tendon_solref_fri tendon_solimp_fri
tendon_range tendon_actfrcrange tendon_margin tendon_stiffness tendon_stiffnesspoly tendon_damping
tendon_dampingpoly tendon_armature tendon_frictionloss tendon_lengthspring tendon_springyield tendon_length0
tendon_invweight0 wrap_type wrap_objid wrap_prm actuator_trntype actuator_dyntype actuator_gaintype
actuator_biastype actuator_ctrladr actuator_ctrlnum actuator_ctrlspec actuator_actadr actuator_actnum actuator_trnid
actuator_cranklength actuator_dynprm actuator_gainprm actuator_biasprm actuator_actlimited actuator_actrange
actuator_actearly actuator_history actuator_historyadr actuator_delay actuator_damping actuator_dampingpoly
actuator_armature actuator_forcelimited actuator_forcerange actuator_ctrllimited actuator_ctrlrange actuator_gear
actuator_acc0 actuator_lengthrange sensor_type sensor_datatype sensor_objtype sensor_objid sensor_reftype
sensor_refid sensor_intprm sensor_dim sensor_adr sensor_cutoff sensor_history sensor_historyadr sensor_delay
sensor_interval key_time key_qpos key_qvel key_act key_mpos key_mquat key_ctrl key_plastic M_rownnz M_rowadr
M_colind mapM2M D_rownnz D_rowadr D_diag D_colind mapM2D mapD2M
callback nv_pad is_sparse qLD_block_total flg_adhesion has_fluid flg_surfacevel has_sdf_geom has_actuator_wrap
has_actuator_dcmotor body_is_free M_tiles M_fullm_i M_fullm_j M_elemid
""".split()
DATA = """
solver_niter ne nf nl nefc nisland nidof ntree_awake nbody_awake nv_awake time energy qpos qvel act history plastic
qacc_warmstart ctrl qfrc_applied xfrc_applied eq_active mocap_pos mocap_quat qacc act_dot userdata sensordata
tree_asleep xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat cam_xpos cam_xmat
light_xpos light_xdir subtree_com cdof cinert ten_wrapadr ten_wrapnum ten_J ten_length wrap_obj wrap_xpos
actuator_length moment_rownnz moment_rowadr moment_colind actuator_moment crb M qLD qLDiagInv tree_awake body_awake
body_awake_ind dof_awake_ind ten_velocity actuator_velocity cvel cdof_dot qfrc_bias qfrc_spring qfrc_damper
qfrc_gravcomp qfrc_fluid qfrc_adhesion qfrc_passive subtree_linvel subtree_angmom actuator_force qfrc_actuator
qfrc_smooth qacc_smooth qfrc_constraint qfrc_inverse cacc cfrc_int cfrc_ext
contact efc tree_island dof_island efc_islandid nworld naconmax naccdmax njmax njmax_nnz njmax_pad nvmax nacon overflow island_nv island_ne
island_nf island_nefc island_iefcadr island_idofadr island_dofadr map_dof2idof map_idof2dof dof_islandid map_efc2iefc
map_iefc2efc
""".split()
OPTION = """
timestep tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance gravity wind magnetic density
viscosity integrator cone solver iterations ls_iterations noslip_iterations ccd_iterations disableflags enableflags
sdf_initpoints sdf_iterations impratio_invsqrt broadphase broadphase_filter graph_conditional
run_collision_detection run_rne_postconstraint run_qacc_smooth contact_sensor_maxmatch warn_overflow deterministic
""".split()
CONTACT = """
dist pos frame includemargin friction solref solreffriction solimp dim geom flex elem vert efc_address worldid type
adhesion surfacevel
""".split()
CONSTRAINT = (
    "type id J_rownnz J_rowadr J_colind J pos margin D vel aref frictionloss force state island Ma Jqvel".split()
)

STATISTIC = ("meaninertia",)
SHARED_PARAMETERS = (
    *"cam_sensorsize dof_length eq_active0 geom_fluid sensor_cutoff site_size wrap_prm".split(),
    *"flex_bending flex_damping flex_edgedamping flex_edgestiffness flex_friction flex_gap flex_margin".split(),
    *"flex_node flex_node0 flex_radius flex_solimp flex_solmix flex_solref flex_stiffness flex_vert".split(),
    *"flex_yield flexedge_invweight0 flexedge_length0".split(),
)
"""Parameters that MuJoCo Warp has once for all worlds."""
LED_BY_WORLDS = ("actuator_history", "sensor_history", "actuator_historyadr", "sensor_historyadr", "geom_dataid")
"""Lists that MuJoCo Warp may have per world: shown as ``[1, ...]``, or with equal rows for as many worlds as were asked."""


def fields_of(names, table: dict, prefix: str = "") -> dict[str, dataclasses.Field]:
    """Dataclass fields of these names; arrays have an annotation with their dimensions, ``"*"`` for worlds that may
    share one value, sizes are ints, and what has no row in a table is an ``object``.
    """
    made = [(name, annotation(table.get(prefix + name), name)) for name in names]
    return dataclasses.make_dataclass("Fields", made).__dataclass_fields__


def annotation(field, name: str):
    """Type of a field, as its row says; of those without a row what ``host_fields`` knows."""
    if name in LAYOUTS and name not in ENGINES:
        return object
    if field is None:
        dtype = host_fields.PER_WORLD.get(name) or host_fields.SHARED.get(name)
        dims = ("*", "n") if name in host_fields.PER_WORLD else ("n",)
    else:
        dtype, dims = VIEWED.get(field.name, field.dtype), (field.dims or "").split()
        dims = dims[:-1] if name in VIEWED and cell_shape(dtype) else dims
        if field.role == "size":
            return int
        if field.role == "param" and name not in SHARED_PARAMETERS or name in LED_BY_WORLDS:
            dims = ("*", *dims)
        elif field.name in engine_data.FIELDS:
            dims = ("nworld", *dims)
    if dtype is None:
        return object
    made = wp.array(ndim=max(1, len(dims)), dtype=dtype)
    made.shape = tuple(dims)
    return made


def mark_batched(array: wp.array) -> wp.array:
    """The array, marked as having an axis of worlds, so that programs spread one value over all of them."""
    array._is_batched = True
    return array


def declares(names, table: dict, prefix: str = ""):
    """Class decorator: the dataclass fields of these names, which the docstring then lists with their meaning."""
    fields = fields_of(names, table, prefix)

    def decorate(kind: type) -> type:
        meaning = {
            name: table[prefix + name].doc if prefix + name in table else f"{name} of MuJoCo or MuJoCo Warp"
            for name in names
        }
        rows = [f"    {name}: {text}" for name, text in meaning.items()]
        kind.__doc__ = "\n".join([(kind.__doc__ or "").rstrip(), "", "    Attributes:", *rows])
        kind.__dataclass_fields__ = fields
        return kind

    return decorate


of_model = declares(MODEL, engine_model.FIELDS)
of_data = declares(DATA, engine_data.FIELDS)
of_contact = declares(CONTACT, engine_data.FIELDS, "contact_")
of_constraint = declares(CONSTRAINT, engine_data.FIELDS, "efc_")
of_option = declares(OPTION, engine_model.FIELDS, "opt_")
of_statistic = declares(STATISTIC, engine_model.FIELDS, "stat_")

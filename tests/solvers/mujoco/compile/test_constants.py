"""Constants derived from a model's structure equal those that MuJoCo derives."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.constants import derive_constants
from newtonlite.solvers.mujoco.compile.topology import derive_topology
from tests.oracle import compile_xml, model_names, small_model
from tests.tolerance import assert_close

STRUCTURE = """
    nflex nflexedge nbody njnt ngeom nsite ntendon nu body_parentid body_mocapid body_pos body_quat body_ipos body_iquat body_mass
    body_inertia jnt_bodyid jnt_type jnt_pos jnt_axis qpos0 qpos_spring dof_armature geom_bodyid geom_type geom_pos
    geom_quat geom_size geom_rbound site_bodyid site_pos tendon_adr tendon_num tendon_armature tendon_lengthspring wrap_type wrap_objid
    wrap_prm nactuator nout actuator_trntype actuator_trnid actuator_gear actuator_gaintype actuator_gainprm actuator_biasprm
    actuator_cranklength actuator_outadr actuator_outnum actuator_damping actuator_dampingpoly actuator_armature dof_damping
    dof_dampingpoly tendon_damping tendon_dampingpoly site_quat
""".split()
TABLES = """
    nq nv jnt_dofadr jnt_qposadr dof_jntid dof_bodyid dof_parentid dof_treeid body_jntnum body_jntadr body_dofnum
    body_dofadr body_rootid body_weldid body_treeid ntree tree_bodyadr tree_bodynum tree_dofadr tree_dofnum
""".split()
CONSTANTS = """
    body_subtreemass dof_M0 dof_invweight0 body_invweight0 tendon_length0 tendon_lengthspring tendon_invweight0
    actuator_length0 actuator_acc0 actuator_biasprm
""".split()
STATISTICS = ("meaninertia", "meanmass", "meansize", "extent", "center")

SLIDERS = """<mujoco><worldbody>
  <body><joint type="slide" armature="3"/><joint type="slide" axis="0 1 0"/><geom size="1" mass="10"/></body>
  <body><joint type="slide" pos="0 0 1"/><geom size="1" mass="10"/></body>
  <body><joint type="slide" axis="1 1 0" armature="3"/><geom size="1" mass="10"/></body>
  <body mocap="true"><geom size="1"/>
    <body><joint type="slide" axis="0 1 0"/><geom size="1" mass="4"/></body></body>
  <body><joint type="slide"/><geom size="1" mass="10"/><body pos="0 1 0"><geom size="1"/></body></body>
</worldbody></mujoco>"""
HEAVY = """<mujoco><worldbody><site name="w" pos="0 0 3"/>
  <body><joint name="a" type="slide"/><geom size="1" mass="2"/></body>
  <body pos="3 0 0"><joint name="b" type="slide" axis="0 0 1"/><geom size="1" mass="2"/><site name="s"/></body>
  <body pos="6 0 0"><joint name="c" type="slide"/><geom size="1" mass="2"/></body>
</worldbody><tendon>
  <fixed armature="3"><joint joint="a" coef="1"/></fixed> <spatial armature="2"><site site="w"/><site site="s"/></spatial>
  <fixed><joint joint="c" coef="1"/></fixed>
</tendon></mujoco>"""
SERVOS = """<mujoco><worldbody>
  <body><joint name="a" armature="0.1" ref="10"/><geom size="1"/>
    <body pos="1 0 0"><joint name="b" type="ball"/><geom size="0.5"/>
      <body pos="1 0 0"><joint name="c" type="slide"/><geom size="0.2"/></body></body></body>
  <body><freejoint name="d"/><geom size="0.1"/></body>
</worldbody>
<tendon><fixed name="t" armature="0.2"><joint joint="a" coef="2"/><joint joint="c" coef="-1"/></fixed></tendon>
<actuator>
  <position joint="a" kp="20" dampratio="0.7" gear="3"/> <position tendon="t" kp="5" dampratio="1"/>
  <motor joint="b" gear="1 2 3"/> <motor jointinparent="b" gear="1 2 3"/> <motor joint="d" gear="1 2 3 4 5 6"/>
  <position joint="c" kp="5" kv="0.3"/>
</actuator></mujoco>"""
NO_BODIES = "<mujoco><worldbody><geom type='plane' size='3 0 1'/></worldbody></mujoco>"
TEXTS = {"sliders": SLIDERS, "sliders_with_heavy_tendons": HEAVY, "servos": SERVOS, "no_bodies": NO_BODIES}


def structure_of(oracle) -> CompiledModel:
    """What the constants are computed from, and nothing that is computed."""
    m = CompiledModel()
    for name in STRUCTURE:
        setattr(m, name, np.array(getattr(oracle, name)) if np.ndim(getattr(oracle, name)) else getattr(oracle, name))
    return m


def derived(oracle, **changes) -> CompiledModel:
    m = structure_of(oracle)
    derive_topology(m)
    m.dof_counted = np.ones(m.nv, bool)
    vars(m).update(changes)
    derive_constants(m)
    return m


def check(oracle):
    m = derived(oracle)
    for name in TABLES:
        np.testing.assert_array_equal(getattr(m, name), getattr(oracle, name), err_msg=name)
    for name in CONSTANTS:
        assert_close(getattr(m, name), getattr(oracle, name), "compiled", floor=1.0, what=name)
    for name in STATISTICS:
        assert_close(getattr(m.stat, name), getattr(oracle.stat, name), "compiled", floor=1.0, what=name)


@pytest.mark.parametrize("name", model_names())
def test_constants_of_small_models(name):
    check(small_model(name))


@pytest.mark.parametrize("name", TEXTS)
def test_constants_of_special_cases(name):
    check(compile_xml(TEXTS[name]))


def test_a_damping_ratio_becomes_critical_damping_of_the_reflected_inertia():
    oracle = compile_xml(SERVOS)
    ratios = np.array(oracle.actuator_biasprm)
    ratios[:2, 2] = [0.7, 1.0]
    m = derived(oracle, actuator_biasprm=ratios)
    assert (m.actuator_biasprm[:2, 2] < 0).all()
    assert_close(m.actuator_biasprm, oracle.actuator_biasprm, "compiled")


def test_prescribed_dofs_do_not_inflate_the_mean_inertia():
    oracle = compile_xml(SERVOS)
    counted = np.arange(oracle.nv) != 0
    m = derived(oracle, dof_counted=counted, dof_armature=np.where(counted, oracle.dof_armature, 1e10))
    assert m.stat.meaninertia < 1e4


def test_worlds_get_the_constants_they_would_have_alone():
    oracle = compile_xml(SERVOS)
    scale = np.array([1.0, 2.0, 0.5])[:, None]
    mass, inertia = scale * oracle.body_mass, scale[..., None] * oracle.body_inertia
    batch = derived(oracle, body_mass=mass, body_inertia=inertia)
    for world in range(3):
        alone = derived(oracle, body_mass=mass[world], body_inertia=inertia[world])
        for name in CONSTANTS:
            value = np.broadcast_to(getattr(batch, name), (3, *getattr(alone, name).shape))[world]
            assert_close(value, getattr(alone, name), "compiled", floor=1.0, what=name)

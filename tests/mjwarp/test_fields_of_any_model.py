"""Every field of the model and the data can be read, whatever the model has, and batched where MuJoCo Warp batches it."""

import numpy as np
import pytest
import warp as wp

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import ModelError
from newtonlite.mjwarp import declared, host_fields
from newtonlite.mjwarp.layout import LAYOUTS
from newtonlite.solvers.mujoco.fields import DATA, MODEL
from tests import oracle

BALL = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
EVERYTHING = """<mujoco><option density="1"/>
<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale=".1 .1 .1"/><material name="red" rgba="1 0 0 1"/></asset>
<worldbody><light/><camera resolution="10 10"/><geom type="plane" size="1 1 1"/>
<body name="hand" mocap="true"><geom size=".01" contype="0" conaffinity="0"/></body>
<body name="box" pos="0 0 1"><freejoint/><geom name="g" size=".1" material="red" fluidshape="ellipsoid"/><site name="s"/></body>
<body name="arm" pos="1 0 1"><joint name="j" springyield="1" stiffness="2" damping="1" frictionloss=".1" range="-1 1"/>
<geom type="mesh" mesh="m"/><site name="t"/><body pos="0 0 .3"><joint type="ball"/><geom name="h" size=".05"/></body></body></worldbody>
<tendon><spatial name="rope" springlength="-1" stiffness="1"><site site="s"/><site site="t"/></spatial><fixed><joint joint="j" coef="2"/></fixed></tendon>
<equality><weld body1="hand" body2="box"/><connect body1="box" body2="arm" anchor="0 0 0"/><joint joint1="j"/></equality>
<actuator><position joint="j" kp="3"/><general tendon="rope" dyntype="filter" dynprm=".1"/></actuator>
<sensor><gyro site="s" cutoff="3"/><jointpos joint="j"/></sensor>
<contact><pair geom1="g" geom2="h"/><exclude body1="box" body2="arm"/></contact>
<keyframe><key plastic=".3"/></keyframe></mujoco>"""
MODELS = {
    "nothing": "<mujoco/>",
    "plane": "<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>",
    "ball": BALL,
    "everything": EVERYTHING,
}
NAMES = tuple(
    dict.fromkeys(
        [
            *(f.name for f in MODEL),
            *host_fields.PER_WORLD,
            *host_fields.SHARED,
            *host_fields.COMPUTED,
            *host_fields.NO_TILES,
            *host_fields.FLAGS,
        ]
    )
)
OF_HOST_MODELS = (
    "nM nD nmeshnormal nplugin npolygonmax nmeshdegmax body_simple body_contype body_conaffinity dof_Madr mesh_normal mesh_normaladr mesh_normalnum "
    "D_rownnz D_rowadr D_diag D_colind mapM2M mapM2D mapD2M"
).split()
"""Tables of MuJoCo's own that a model compiled here lacks: an AttributeError, which ``hasattr`` understands."""
LISTS = declared.LED_BY_WORLDS
BATCHED = (*(f.name for f in MODEL if f.role == "param"), *host_fields.PER_WORLD, "geom_aabb", *LISTS)
"""MuJoCo Warp's batched fields are among these; its own others are tables of its kernels."""


def host(text: str, of_a_file: bool):
    return mjw.load(text) if of_a_file else oracle.compile_xml(text)


def unreadable(owner, names) -> list[str]:
    """Names whose array cannot be read, with the reason."""
    found = []
    for name in names:
        try:
            value = getattr(owner, name)
            assert not isinstance(value, wp.array) or np.shape(value.numpy())[: value.ndim] == value.shape
        except Exception as problem:  # any is a fault of this test
            found.append(f"{name}: {type(problem).__name__} {problem}")
    return found


@pytest.mark.parametrize("of_a_file", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_every_field_of_a_model_can_be_read(name, of_a_file, device):
    m = mjw.put_model(host(MODELS[name], of_a_file), device=device)
    there = [name for name in NAMES if not (of_a_file and name in OF_HOST_MODELS)]
    assert unreadable(m, there) == []
    assert all(hasattr(m, name) for name in there) and not hasattr(m, "no_such_field")


@pytest.mark.parametrize("name", MODELS)
def test_every_field_of_data_can_be_read(name, device):
    c = oracle.compile_xml(MODELS[name])
    d = mjw.make_data(c, nworld=2, device=device)
    named = [f.name for f in DATA if f.role in ("state", "input", "output", "scratch")]
    kept = [name for name in named if name not in d.engine.private]
    assert unreadable(d, [*kept, *LAYOUTS]) == [] and not any(hasattr(d, name) for name in set(named) - set(kept))
    assert unreadable(d, ("nacon", "userdata", "efc_J")) == [] and unreadable(d.contact, ("dist", "worldid")) == []


@pytest.mark.parametrize("name", MODELS)
def test_fields_of_a_model_without_such_elements_are_empty(name, device):
    """Those that all worlds share have no axis of worlds then either."""
    mj = oracle.compile_xml(MODELS[name])
    m = mjw.put_model(mj, device=device)
    counts = dict(site_size=mj.nsite, cam_sensorsize=mj.ncam, wrap_prm=mj.nwrap, sensor_cutoff=mj.nsensor)
    counts |= dict(dof_length=mj.nv, key_mpos=mj.nkey, key_mquat=mj.nkey)
    assert {name: getattr(m, name).shape[0] for name in counts} == counts
    assert m.key_mpos.shape == (mj.nkey, mj.nmocap)


@pytest.mark.parametrize("name", ["nothing", "ball", "everything"])
def test_every_batched_field_gets_a_row_per_world(name, device):
    mj, wrong = oracle.compile_xml(MODELS[name]), []
    m = mjw.put_model(mj, batch_sizes=dict.fromkeys(BATCHED, 3), device=device)
    for field in BATCHED:
        rows = getattr(m, field)
        if rows.shape[0] != 3 or (rows.numpy() != rows.numpy()[:1]).any():
            wrong.append((field, rows.shape))
    assert wrong == []


def test_a_list_of_its_own_for_a_world_is_refused_at_the_next_call(device):
    mj = oracle.compile_xml(EVERYTHING)
    m, d = (
        mjw.put_model(mj, batch_sizes={"sensor_historyadr": 2}, device=device),
        mjw.make_data(mj, nworld=2, device=device),
    )
    mjw.forward(m, d)
    lists = m.sensor_historyadr.numpy()
    lists[1] += 1
    m.sensor_historyadr.assign(lists)
    with pytest.raises(ModelError, match="sensor_historyadr: all worlds share this list"):
        mjw.forward(m, d)


def test_reading_the_armature_of_actuators_leaves_that_of_dofs_as_it_was_written(device):
    mj = oracle.compile_xml(EVERYTHING)
    m, d = mjw.put_model(mj, batch_sizes={"dof_armature": 2}, device=device), mjw.make_data(mj, nworld=2, device=device)
    wanted = np.arange(2.0 * mj.nv, dtype=np.float32).reshape(2, -1)
    m.dof_armature.assign(wanted)
    assert not m.actuator_armature.numpy().any()
    mjw.forward(m, d)
    assert m.dof_armature.numpy().tolist() == wanted.tolist() == m.arrays["dof_armature"].numpy().tolist()

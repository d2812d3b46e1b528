"""Row N-117, the tables: what of the scene each thing of the engine is, under the names that Newton's solver has for
them.
"""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.adapter.index_maps import TABLES
from tests.harness.engine_scenes import Y, builder, pose
from tests.harness.newton_scenes import solver
from tests.tolerance import assert_same

pytestmark = pytest.mark.filterwarnings("ignore:add_constraint_mimic")


def tied():
    """A fixed root with two links, one that follows the other, a ball beside, and one constraint of each kind."""
    b = builder()
    root, upper, lower = (b.add_link(label=name, mass=1.0, inertia=np.eye(3)) for name in ("root", "upper", "lower"))
    joints = [
        b.add_joint_fixed(-1, root, label="mount"),
        b.add_joint_revolute(root, upper, axis=Y, label="a"),
        b.add_joint_revolute(upper, lower, axis=Y, label="b"),
    ]
    b.add_articulation(joints)
    b.add_shape_box(lower, hx=0.1, hy=0.1, hz=0.1, label="brick")
    b.add_shape_sphere(b.add_body(xform=pose(0, 3, 0), label="ball"), radius=0.1, label="skin")
    b.add_custom_values(
        **{
            "mujoco:equality_constraint_type": int(SolverMuJoCo.EqType.CONNECT),
            "mujoco:equality_constraint_body1": 3,
            "mujoco:equality_constraint_body2": -1,
        }
    )
    b.add_constraint_mimic(joint0=2, joint1=1, coef1=2.0)
    b.set_joint_mimic(2, 1)
    b.add_joint_ball(-1, lower, label="loop")
    b.add_custom_values(**{"mujoco:tendon_joint_adr": 0, "mujoco:tendon_joint_num": 1})
    b.add_custom_values(**{"mujoco:tendon_joint": 1, "mujoco:tendon_coef": 1.0})
    return b


def test_n_117_each_thing_of_the_engine_says_what_of_the_scene_it_is(device):
    b = builder()
    b.replicate(tied(), 2)
    b.add_ground_plane(label="ground")
    model = b.finalize(device=device)
    s = solver(model)
    found = {name: getattr(s, name).numpy() for name in TABLES}
    mj = s.mj_model
    sizes = {"body": mj.nbody, "geom": mj.ngeom, "jnt": mj.njnt, "dof": mj.nv, "tendon": 1, "mocap": 1, "eq": mj.neq}
    assert all(
        table.shape == (2, sizes[name.split("_")[1]]) and table.dtype == np.int32 for name, table in found.items()
    )
    for world in range(2):
        place = {name: table[world] for name, table in found.items()}
        assert place["mjc_body_to_newton"].tolist() == [-1, *(4 * world + k for k in range(4))]
        assert sorted(str(model.shape_label[k]) for k in place["mjc_geom_to_newton_shape"]) == [
            "brick",
            "ground",
            "skin",
        ]
        assert set(model.shape_world.numpy()[place["mjc_geom_to_newton_shape"]]) == {world, -1}
        assert [str(model.joint_label[k]) for k in place["mjc_jnt_to_newton_jnt"][:2]] == ["a", "b"]
        assert_same(place["mjc_jnt_to_newton_dof"], model.joint_qd_start.numpy()[place["mjc_jnt_to_newton_jnt"]])
        assert_same(place["mjc_dof_to_newton_dof"][mj.jnt_dofadr], place["mjc_jnt_to_newton_dof"])
        assert str(model.joint_label[place["mjc_mocap_to_newton_jnt"][0]]) == "mount"
        assert place["mjc_tendon_to_newton_tendon"].tolist() == [world]
        kinds = [place[f"mjc_eq_to_newton_{kind}"] for kind in ("eq", "mimic", "joint_mimic", "jnt")]
        assert ((np.array(kinds) >= 0).sum(axis=0) == 1).all()
        assert [int(x.max()) for x in kinds[:2]] == [world, world]
        assert [str(model.joint_label[x.max()]) for x in kinds[2:]] == ["b", "loop"]


def test_n_117_tables_of_worlds_of_several_structures_are_padded(device):
    b = builder()
    for shapes in (1, 2):
        b.begin_world()
        body = b.add_body()
        for _ in range(shapes):
            b.add_shape_box(body)
        b.end_world()
    s = solver(b.finalize(device=device))
    assert s.mjc_body_to_newton.numpy().tolist() == [[-1, 0], [-1, 1]]
    assert s.mjc_geom_to_newton_shape.numpy().tolist() == [[0, -1], [1, 2]]
    assert s.newton_shape_to_mjc_geom.numpy().tolist() == [0, 0, 1]


def test_n_098_capacities_that_the_engine_has_no_need_of_are_taken(device):
    b = newton.ModelBuilder()
    b.add_shape_sphere(b.add_body())
    model = b.finalize(device=device)
    assert solver(model, njmax_nnz=1).enable_sleeping is False
    assert solver(model, enable_sleeping=True, nvmax=model.joint_dof_count).enable_sleeping is True
    for argument in ({"njmax_nnz": 0}, {"nvmax": 1.5}, {"tolerance": "small"}, {"impratio": True}):
        with pytest.raises(ModelError, match=next(iter(argument))):
            solver(model, **argument)

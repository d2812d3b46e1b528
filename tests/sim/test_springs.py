"""Springs under MuJoCo's former names: what a builder was given goes to the joints' own arrays, and these names are theirs."""

import numpy as np
import pytest

from newtonlite import ModelBuilder, NewtonDeprecationWarning
from newtonlite.core.errors import ModelError
from newtonlite.solvers import SolverMuJoCo
from tests.tolerance import assert_close

STIFFNESS, SPRINGREF, REF = (f"mujoco:dof_{name}" for name in ("passive_stiffness", "springref", "ref"))


def hinge(rest: float = 0.0, free: bool = False, **custom):
    """A hinge with custom attributes of its dof, behind a free body or not."""
    b = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(b)
    if free:
        b.add_body(mass=1.0, inertia=np.eye(3))
    link = b.add_link(mass=1.0, inertia=np.eye(3))
    custom = {f"mujoco:dof_{name}": value for name, value in custom.items()}
    joint = b.add_joint_revolute(-1, link, axis=(0, 1, 0), custom_attributes=custom)
    b.add_articulation([joint])
    if rest:
        b.joint_rest_q[-1] = rest
    return b


def test_former_springs_become_those_of_joints():
    with pytest.warns(NewtonDeprecationWarning, match="joint_(stiffness|rest_q)") as said:
        model = hinge(free=True, passive_stiffness=7.0, springref=0.5, ref=0.2).finalize("cpu")
    assert {warning.filename for warning in said} == {__file__}
    assert model.joint_stiffness.numpy().tolist() == [0.0] * 6 + [7.0]
    assert_close(model.joint_rest_q.numpy()[-1], 0.3, "authored", floor=1.0)
    s = SolverMuJoCo(model)
    assert_close(s.mj_model.jnt_stiffness, [0.0, 7.0], "authored")
    assert_close(s.mj_model.qpos_spring[-1], 0.5, "authored", floor=1.0)


def test_a_stiffness_alone_rests_at_reference_zero():
    with pytest.warns(NewtonDeprecationWarning):
        model = hinge(passive_stiffness=7.0, ref=0.2).finalize("cpu")
    assert_close(model.joint_rest_q.numpy(), [-0.2], "authored", floor=1.0)


def test_copies_keep_their_springs():
    scene = ModelBuilder()
    scene.replicate(hinge(passive_stiffness=7.0, springref=0.5), 3)
    with pytest.warns(NewtonDeprecationWarning):
        model = scene.finalize("cpu")
    assert model.joint_stiffness.numpy().tolist() == [7.0] * 3
    assert model.joint_rest_q.numpy().tolist() == [0.5] * 3


def test_former_names_are_those_of_the_joints_arrays():
    model = hinge().finalize("cpu")
    with pytest.warns(NewtonDeprecationWarning, match="use joint_stiffness"):
        assert model.mujoco.dof_passive_stiffness is model.joint_stiffness
    with pytest.warns(NewtonDeprecationWarning, match="use joint_rest_q"):
        model.mujoco.dof_springref = [0.25]
    assert model.joint_rest_q.numpy().tolist() == [0.25]


@pytest.mark.parametrize("given", [{"free": True}, {"ref": 0.2}])
def test_rests_that_are_no_spring_references_are_not_called_so(given):
    model = hinge(**given).finalize("cpu")
    with pytest.raises(AttributeError, match="joint_rest_q, which is springref less ref"):
        _ = model.mujoco.dof_springref


@pytest.mark.filterwarnings("ignore::newtonlite.NewtonDeprecationWarning")
@pytest.mark.parametrize(
    "name, first", [("joint_stiffness", {"passive_stiffness": 7.0}), ("joint_rest_q", {"springref": 0.5})]
)
def test_two_springs_that_differ_are_refused(name, first):
    b = hinge(rest=0.4, **first)
    b.joint_stiffness[0] = 3.0
    with pytest.raises(ModelError, match=f"Conflicting {name}"):
        b.finalize("cpu")

"""What compiling actuators does beyond one model's fields: parts by world, refusals, damping and armature of targets."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError, ParseError
from newtonlite.solvers.mujoco.authoring import ActuatorTarget, add_actuator_dcmotor
from newtonlite.solvers.mujoco.compile import Worlds, compile_model, compile_worlds
from newtonlite.solvers.mujoco.compile.per_world_fields import split_worlds
from newtonlite.solvers.mujoco.derive.actuator import shares
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.engine_scenes import builder
from tests.tolerance import assert_close

ARM = """<mujoco><worldbody><body>
  <joint name="h"/><geom size="0.1"/><body pos="1 0 0"><joint name="b" type="ball"/><geom size="0.1"/><site name="s"/></body>
</body></worldbody><actuator>{}</actuator></mujoco>"""


def compiled(actuators: str):
    """A compiled model of the arm with these actuators."""
    b = builder()
    b.add_mjcf(ARM.format(actuators), ctrl_direct=True)
    return compile_model(b.finalize(device="cpu"))


REFUSED = {
    '<orientation joint="h"/>': "needs a ball joint",
    '<orientation site="s"/>': "needs a 'refsite' too",
    '<orientation joint="b" forcerange="-1 1"/>': "the lower bound must be 0",
    '<pid joint="h" ki="1" input="vel"/>': "needs the input 'pos'",
    '<pid joint="h" input="vel pos"/>': "in the order pos, vel, ff",
    '<dcmotor joint="h" resistance="1"/>': "motor constant must be positive",
    '<dcmotor joint="h" motorconst="1"/>': "resistance must be positive",
    '<dcmotor joint="h" motorconst="1" resistance="1" controller="1"/>': "needs one of the inputs",
    '<dcmotor joint="h" motorconst="1" resistance="1" thermal="1"/>': "two of resistance, capacitance and timeconst",
    '<general joint="h" gaintype="pid"/>': "needs biastype affine",
    '<general joint="b" gaintype="so3"/>': "so3 together or not at all",
    '<motor cranksite="s" cranklength="1"/>': "needs 'slidersite'",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_is_refused_where_it_stands(text):
    with pytest.raises((ModelError, ParseError), match=REFUSED[text]):
        compiled(text)


@pytest.mark.parametrize(
    "actuators, shared", [('<motor joint="h"/><motor joint="b"/>', 0), ('<motor joint="h"/>' * 2, 1)]
)
def test_dofs_that_several_actuators_push_are_counted(actuators, shared):
    assert put_model(compiled(actuators), device="cpu").sizes["nsharedpush"] == shared


def test_damping_and_armature_reach_the_targets_with_the_gear_squared():
    mj = oracle.small_model("actuator_damping_and_armature")
    m = put_model(mj, device="cpu")
    swing, slide = (mj.jnt_dofadr[mj.joint(name).id] for name in ("swing", "slide"))
    assert_close(m.dof_damping.numpy()[0, swing], mj.dof_damping[swing] + 4 * 0.2, "parameter")
    assert_close(m.dof_armature.numpy()[0, swing], 4 * 0.1, "parameter")
    assert_close(m.dof_damping.numpy()[0, slide], mj.dof_damping[slide] + 0.5 + 2.25 * 0.1, "parameter")
    assert_close(m.dof_dampingpoly.numpy()[0, slide], [0.3 + 2.25 * 0.2, 0.2], "parameter")


def test_shares_differ_between_worlds_where_actuators_do():
    m = compiled('<motor joint="h" armature="0.1" gear="2"/>')
    m.actuator_armature = np.array([[0.1], [0.2], [0.3]])
    assert_close(shares(m)["dof_armature"][:, 0], [0.4, 0.8, 1.2], "compiled")


def test_a_motor_of_the_builder_is_that_of_a_file():
    sheet = dict(
        motorconst=(1.1, 1.2),
        resistance=1.3,
        inductance=(0.0, 0.01),
        thermal=(2, 3, 0, 0.004, 25, 20),
        cogging=(0.3, 5, 0.2),
    )
    sheet |= dict(
        lugre=(50, 1, 0.5, 0.8, 0.1),
        controller=(4, 2, 1, 5, 0.3, 3),
        saturation=(1,),
        damping=(0.1, 0.2),
        armature=0.05,
    )
    text = " ".join(f'{name}="{" ".join(map(str, np.atleast_1d(value)))}"' for name, value in sheet.items())
    want = compiled(f'<dcmotor joint="h" input="pos vel ff voltage" {text}/>')
    b = builder()
    b.add_mjcf(ARM.format(""), ctrl_direct=True)
    add_actuator_dcmotor(b, ActuatorTarget(ActuatorTarget.Kind.JOINT, 0), input="pos vel ff voltage", **sheet)
    got = compile_model(b.finalize(device="cpu"))
    for name in [n for n in vars(want) if n.startswith("actuator_")]:
        assert_close(getattr(got, name), getattr(want, name), "authored", floor=1.0, what=name)


def test_each_world_has_the_armature_of_its_own_actuators():
    one, b = builder(), builder()
    one.add_mjcf(ARM.format('<motor joint="h" armature="0.1" damping="0.5" gear="2"/>'), ctrl_direct=True)
    b.replicate(one, 3)
    model = b.finalize(device="cpu")
    model.mujoco.actuator_armature.assign([0.1, 0.2, 0.3])
    single, varied = split_worlds(compile_worlds(Worlds(model, range(3))))
    m = put_model(single, 3, "cpu", tuple(varied))
    for name, values in varied.items():
        m.set(name, values)
    assert_close(m.dof_armature.numpy()[:, 0], [0.4, 0.8, 1.2], "parameter")
    assert_close(m.dof_damping.numpy()[:, 0], np.full(len(m.dof_damping), 2.0), "parameter")

"""The two forms of every row of the bindings agree: NumPy's, by which the compiler fills a model, and the kernel, which
follows changes on the device.
"""

import numpy as np
import pytest

from newtonlite.core.enums import JointTargetMode, ModelFlags
from newtonlite.solvers.mujoco.bindings import BINDS, DERIVED, Bind, actuator, equality
from newtonlite.solvers.mujoco.compile import compile_worlds
from tests.harness.engine_scenes import Y, builder, pose
from tests.harness.newton_scenes import solver
from tests.solvers.mujoco.adapter.test_model_update_device import WORLDS, attribute, change
from tests.solvers.mujoco.adapter.test_model_update_device import scene as scene_of_numbers
from tests.tolerance import assert_close

pytestmark = pytest.mark.filterwarnings("ignore:add_constraint_mimic")

MORE = """
<mujoco>
  <worldbody>
    <body name="cart" pos="3 0 1">
      <joint name="rail" type="slide" axis="1 0 0" damping=".1" stiffness="3" springyield="5"/>
      <geom name="cart" size=".1" mass="1" contype="0" conaffinity="0"/>
      <site name="p0" pos="0 0 -.1"/>
    </body>
    <body name="bob" pos="3 0 0">
      <joint name="bob" type="slide" axis="0 0 1" springdamper=".2 .7"/>
      <geom name="bob" size=".1" mass="1" contype="0" conaffinity="0"/>
      <site name="p1"/>
    </body>
  </worldbody>
  <tendon><spatial name="rope" stiffness="2" springyield="4" springlength=".2" damping=".1"><site site="p0"/><site site="p1"/></spatial></tendon>
  <equality><weld body1="cart" body2="bob" relpose="0 0 -1 1 .1 0 0" active="false"/></equality>
  <actuator>
    <general name="geared" joint="rail" gear="2" armature=".03" damping=".2 .01 .02"/>
    <general name="winch" tendon="rope" gear="1.5" armature=".05" damping=".3 .02 .01"/>
    <pid name="pid" joint="bob" kp="3" kv=".2" input="pos vel ff" posrange="-3 3" velrange="-1 1" ffrange="-2 2"/>
  </actuator>
</mujoco>
"""
ROWS = [row for row in (*DERIVED, *BINDS) if isinstance(row, Bind) or row.numpy]
ROWS = [row for row in ROWS if row not in (*equality.LIVE, actuator.RATIO)]
SOFT = "mujoco:flex_", "mujoco:equality_constraint_cell"
ROWS = [
    row
    for row in ROWS
    if not (row.attribute if isinstance(row, Bind) else next(iter(row.sources), "")).startswith(SOFT)
]
"""All but those that only the device has, and numbers of soft bodies (``tests/importers/test_flexes.py``, ``test_flex.py``,
``adapter/test_flexes.py``).
"""
POISON = 7.0
SPECIAL = {"mujoco:dof_pos", "mujoco:body_iquat", "mujoco:equality_constraint_relpose"}
SPECIAL |= {"mujoco:actuator_gainprm", "mujoco:actuator_biasprm"}
"""Attributes that stay as they are: special numbers ask for a default, and servos have gains that match."""


def sources(row) -> list[str]:
    """Attributes that a row reads."""
    return [row.attribute] if isinstance(row, Bind) else row.sources


def fields(row) -> list[str]:
    """Fields that a row writes."""
    return [row.field] if isinstance(row, Bind) else row.fields.split()


def title(row) -> str:
    """What a test of a row is called: its fields, and where they come from."""
    return f"{' '.join(fields(row))} <- {[*sources(row), *getattr(row, 'arrays', {}).values(), 'the engine'][0]}"


def worlds(device):
    """Worlds that have something for every row, with other numbers in each but one."""
    one, b = scene_of_numbers(), builder()
    one.add_mjcf(MORE)
    links = [one.add_link() for _ in range(3)]
    for k, link in enumerate(links):
        one.add_shape_sphere(link, radius=0.05, xform=pose(0.1 * k, 0.0, 0.0))
    hinges = [one.add_joint_revolute(-1, link, axis=Y, parent_xform=pose(4.0, 0.0, 1.0)) for link in links[:2]]
    one.set_joint_mimic(hinges[1], hinges[0], coeffs=(0.1, 0.5))
    ball = one.add_joint_ball(-1, links[2], parent_xform=pose(5.0, 0.0, 1.0), actuator_mode=JointTargetMode.POSITION)
    one.add_articulation(hinges)
    one.add_articulation([ball])
    one.add_joint_ball(links[0], links[2], parent_xform=pose(1.0, 0.0, 0.0))  # closes a loop
    b.replicate(one, WORLDS)
    model = b.finalize(device=device)
    for k, name in enumerate(sorted({name for row in ROWS for name in sources(row)} - SPECIAL)):
        array = attribute(model, name)
        if array is not None and array.numpy().dtype.kind == "f" and len(array):
            change(model, name, k)
    return model


@pytest.fixture(scope="module")
def scene(device):
    """(adapter of a solver that followed all changes, the scene compiled as it is, its worlds)."""
    model = worlds(device)
    s = solver(model)
    s.only._updater.update(ModelFlags.ALL)
    w = s.only.worlds_view
    return s.only._updater, compile_worlds(w, skip_visual=True), w


def launched(updater, row) -> dict:
    """Fields as a row alone writes them over numbers that nobody means; they are put back."""
    arrays = {name: updater.field(name) for name in fields(row)}
    kept = {name: array.numpy().copy() for name, array in arrays.items()}
    for name, array in arrays.items():
        array.assign(np.full_like(kept[name], POISON))
    updater.launch_row(row)
    found = {name: array.numpy().astype(float) for name, array in arrays.items()}
    for name, array in arrays.items():
        array.assign(kept[name])
    return found


def compiled(m, w, row) -> dict:
    """The same fields in NumPy, [nworld, ...]."""
    values = {row.field: getattr(m, row.field)} if isinstance(row, Bind) else row.numpy(m, w)
    assert set(values) == set(fields(row))
    full = {name: np.asarray(value, float) for name, value in values.items()}
    return {name: np.broadcast_to(v, (WORLDS, *v.shape[v.ndim - m.rank(name) :])) for name, v in full.items()}


@pytest.mark.parametrize("row", ROWS, ids=title)
def test_what_the_kernel_writes_is_what_the_compiler_says(row, scene):
    """Every number that a row's kernel writes is that of the NumPy form; inertia as tensors, whose axes may have another
    order.
    """
    updater, m, w = scene
    assert updater.tables(row)[0], "the scene has nothing for this row"
    got, want = launched(updater, row), compiled(m, w, row)
    if "body_inertia" in got:
        got, want = ({"mass": x["body_mass"], "com": x["body_ipos"], "tensor": tensor(x)} for x in (got, want))
    for name, values in got.items():
        written = (values != POISON).reshape(WORLDS, -1)
        if name == "tensor":
            written[:, :9] = False  # the world's body, which is left alone
        assert written.any(), name
        pair = (np.where(written, x.reshape(WORLDS, -1), 0.0)[None] for x in (values, want[name]))
        assert_close(*pair, "reference", floor=1.0, what=name)


def tensor(values: dict) -> np.ndarray:
    """Inertia of bodies about their own axes, [nworld, nbody, 3, 3]."""
    w, x, y, z = np.moveaxis(values["body_iquat"] / np.linalg.norm(values["body_iquat"], axis=-1, keepdims=True), -1, 0)
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    turn = np.moveaxis(turn, (0, 1), (-2, -1))
    return turn * values["body_inertia"][..., None, :] @ np.swapaxes(turn, -1, -2)

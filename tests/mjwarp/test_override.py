"""``override_model``: fields by name, on host models and on the device."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import ModelError
from tests import oracle

TEXTS = [
    ("opt.iterations = 7", "iterations", 7),
    ("opt.cone=elliptic", "cone", 1),
    ("opt.solver=CG", "solver", 1),
    ("opt.integrator=implicitfast", "integrator", 3),
    ("opt.disableflags = contact | spring", "disableflags", 16 + 32),
    ("opt.timestep=0.005", "timestep", 0.005),
    ("opt.gravity=0 1 -2", "gravity", [0.0, 1.0, -2.0]),
    ("opt.tolerance=[1e-6]", "tolerance", 1e-6),
]


@pytest.mark.parametrize("kind", ["mujoco", "own", "device"])
@pytest.mark.parametrize(("text", "name", "value"), TEXTS)
def test_texts_set_fields(text, name, value, kind):
    mj = oracle.small_model("boxes_tumbling")
    model = {
        "mujoco": lambda: mj,
        "own": lambda: mjw.load(oracle.model_text(mj)),
        "device": lambda: mjw.put_model(mj, device="cpu"),
    }[kind]()
    mjw.override_model(model, [text])
    got = getattr(model.opt, name)
    got = np.ravel(got.numpy()) if hasattr(got, "numpy") else got
    np.testing.assert_array_equal(np.float32(got), np.float32(value))


def test_flags_can_be_taken_away():
    m = mjw.put_model(oracle.small_model("boxes_tumbling"), device="cpu")
    mjw.override_model(m, {"opt.disableflags": int(mjw.DisableBit.GRAVITY | mjw.DisableBit.CONTACT)})
    mjw.override_model(m, ["opt.disableflags=~gravity", "opt.warn_overflow=~iterations|~nefc"])
    assert m.opt.disableflags == mjw.DisableBit.CONTACT
    assert m.opt.warn_overflow == mjw.OverflowType.ALL & ~mjw.OverflowType.ITERATIONS & ~mjw.OverflowType.NEFC


def test_parameters_are_set_in_all_worlds():
    m = mjw.put_model(oracle.small_model("boxes_tumbling"), device="cpu")
    mjw.override_model(m, {"geom_gap": 0.25})
    assert (m.geom_gap.numpy() == 0.25).all()


def test_fields_of_the_other_kind_of_model_are_passed_over():
    mj = oracle.small_model("boxes_tumbling")
    m = mjw.put_model(mj, device="cpu")
    both = {"opt.jacobian": "sparse", "opt.graph_conditional": "false", "opt.deterministic": "true"}
    for model in (mj, m):
        mjw.override_model(model, both)
    assert (mj.opt.jacobian, m.opt.graph_conditional, m.opt.deterministic) == (1, False, mjw.DeterminismType.ALL)


@pytest.mark.parametrize("text", ["opt.cone", "opt.cones=1", "opt.cone=round", "opt.iterations=many"])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(ModelError, match="override"):
        mjw.override_model(oracle.small_model("boxes_tumbling"), [text])

"""Calls of Newton's viewers that are refused say what to do."""

import pytest

from newtonlite import ModelBuilder
from newtonlite.core.errors import UnsupportedError
from newtonlite.viewer import ViewerNull
from newtonlite.viewer.newton.refused import CALLS, EMPTY


@pytest.mark.parametrize("name", CALLS)
def test_each_call_is_refused_by_its_name(name):
    with pytest.raises(UnsupportedError, match=f"ViewerNull.{name}: .+; "):
        getattr(ViewerNull(), name)("other", object())


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_to_show_is_shown(name):
    getattr(ViewerNull(), name)(None)


def test_there_is_one_model_and_no_layer():
    viewer = ViewerNull()
    viewer.set_model(ModelBuilder().finalize("cpu"))
    for name in ("layers", "layer"):
        with pytest.raises(UnsupportedError, match="shows one model"):
            getattr(viewer, name)


def test_drawing_goes_on():
    viewer = ViewerNull()
    viewer.set_rendering_paused(False)
    assert not viewer.is_rendering_paused()
    with pytest.raises(UnsupportedError, match="leave log_state out"):
        viewer.set_rendering_paused(True)

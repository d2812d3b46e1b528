"""What lazily imported modules make is left out of garbage collection, which goes on as the caller has it."""

import gc
import subprocess
import sys

import pytest

from newtonlite.core.lazy_import import import_module, uncollected


@pytest.mark.parametrize("enabled", [True, False])
def test_collection_goes_on_as_it_was(enabled, monkeypatch):
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with uncollected():
            assert not gc.isenabled()
        assert gc.isenabled() == enabled
        with pytest.raises(ModuleNotFoundError):
            import_module("newtonlite.absent")
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()


def test_the_solver_is_left_out_of_collections():
    code = (
        "import gc, newtonlite; newtonlite.solvers.SolverMuJoCo; print(gc.isenabled(), gc.get_freeze_count() > 100000)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]

"""Every module with kernels of its own compiles for an H100 or H200 without one at hand."""

import importlib
import pkgutil

import pytest
import warp as wp

import newtonlite


def kernel_modules() -> list[str]:
    """Modules of the package that define Warp kernels."""
    for module in pkgutil.walk_packages(newtonlite.__path__, "newtonlite.", onerror=lambda name: None):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as problem:  # of an extra that is not installed
                if problem.name.startswith("newtonlite"):
                    raise
    return sorted(
        name
        for name, module in wp._src.context.user_modules.items()
        if name.startswith("newtonlite") and any(not k.is_generic or k.overloads for k in module.kernels.values())
    )


@pytest.mark.filterwarnings("ignore:Generic kernels without overloads")
def test_every_module_with_kernels_compiles(tmp_path):
    modules = kernel_modules()
    assert modules
    for name in modules:
        wp.compile_aot_module(name, device=None, arch=90, module_dir=str(tmp_path / name), use_ptx=True)
        assert [path for path in (tmp_path / name).glob("*.ptx") if path.stat().st_size], name

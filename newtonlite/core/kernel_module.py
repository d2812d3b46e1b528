"""Kernel modules: Warp modules of the package, which say what a call waits for while they are compiled, are found compiled
in the package, and are compiled where the cache cannot be written to.

A file of kernels begins with ``kernel_module(__name__)``, after its imports. ``modules()`` has them all for
``newtonlite warmup``, whatever was imported.
"""

import atexit
import contextlib
import functools
import hashlib
import importlib
import os
import re
import shutil
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import warp as wp

from newtonlite.core import warp_internals
from newtonlite.core.compile_notice import notice
from newtonlite.core.errors import NewtonWarning
from newtonlite.core.kernel_folders import PACKAGE, PACKAGED, folder, packaged_kind
from newtonlite.core.replacing import replace_file

KERNELS = re.compile(r"^@(wp\.kernel|formula|derived|update_kernel)\b|^kernel_module\(", re.MULTILINE)
"""Pattern of files of kernels."""
KIND = "-target-cpu "  # the compiler's word for a kind of processor
STALE = 3600.0  # [s] of age of what somebody left half-compiled
PROBE = 1 << 16  # bytes that a folder takes which can be written to


class KernelModule(wp.Module):
    """A Warp module of the package until it is loaded: ``kernel_module`` and ``adopted`` make them. Where there is one
    device, it is an ordinary module from then on: launches ask it each time.

    ``of_cuda``: what becomes of the code that Warp generates for a GPU, where it is not left as it is; the module's hash knows
    nothing of it.
    """

    of_cuda: Callable[[str], str] | None = None

    def _run_codegen(self, options: dict, is_cpu: bool):
        """The generated code and what belongs to it."""
        source, *rest = vars(wp.Module)["_run_codegen"](self, options, is_cpu)
        return (source if is_cpu or self.of_cuda is None else self.of_cuda(source), *rest)

    def load(self, device, block_dim: int | None = None, *places, **named):
        """The compiled module, from wherever it is found; as ``wp.Module`` does it otherwise."""
        device = wp.get_device(device)
        block = self.options["block_dim"] if block_dim is None else block_dim
        if places or named or (device.context, block) in self.execs:
            return wp.Module.load(self, device, block_dim, *places, **named)
        with notice.compiling([self.name]), quiet():
            made = _found(self, device, block) or _compiled(self, device, block)
        if wp.get_cuda_device_count() == 0:
            self.__class__ = wp.Module  # while another thread may still be within
        return made


def _found(module: wp.Module, device, block: int):
    """The module as it was compiled for the package; None where it was not."""
    kind = packaged_kind() if device.is_cpu else None
    if not kind or str(module.options["cpu_compiler_flags"]).startswith(KIND):
        return None
    if (Path(wp.config.kernel_cache_dir) / module.get_module_identifier(block)).is_dir():
        return None
    file = PACKAGED / folder(kind) / "modules" / f"{digest(module, block)}.o"
    try:
        if hashlib.sha256(file.read_bytes()).hexdigest() != file.with_suffix(".sha256").read_text():
            return None
    except OSError:
        return None
    return wp.Module.load(module, device, block, binary_path=file, meta_path=file.with_suffix(".meta"))


def _compiled(module: wp.Module, device, block: int):
    """The module from Warp's cache, or compiled; in a folder of this process where the cache cannot be written to."""
    place = wp.config.kernel_cache_dir
    _tidy(place)
    try:
        return wp.Module.load(module, device, block)
    except Exception:
        with contextlib.suppress(Exception):  # a module without a name has left nothing
            build = f"{module.get_module_identifier(block)}_p{os.getpid()}_t{threading.get_ident()}"
            shutil.rmtree(Path(place) / build, ignore_errors=True)
        why = own_folders and reason(place)
        if not why:
            raise
        module.failed_builds.clear()
        with cache_folder(_own_folder(place, why)):
            return wp.Module.load(module, device, block)


def digest(module: wp.Module, block: int) -> str:
    """Name by what a module is compiled from, apart from the processor."""
    module.get_module_hash(block)
    total = hashlib.sha256(module.name.encode())
    for one in module.hashers[block].unique_kernels:
        total.update(one)
    options = {k: v for k, v in module.resolved_options[block].items() if k != "cpu_compiler_flags"}
    total.update(repr(sorted(options.items())).encode())
    return f"{module.name}-{total.hexdigest()[:16]}"


_named: dict[str, wp.Module] = {}
_lock = threading.Lock()
_quiet, _elsewhere, _was = 0, 0, ""
_own: dict[tuple, str] = {}
own_folders = True
"""Whether this process compiles into a folder of its own where the cache cannot be written to."""


def _own_folder(place: str, why: str) -> str:
    """A folder of this process, in place of a cache that cannot be written to."""
    key = os.getpid(), place
    with _lock:
        if key in _own:
            return _own[key]
        _own[key] = made = tempfile.mkdtemp(prefix="newtonlite-kernels-")
        atexit.register(_remove, made, os.getpid())
    warnings.warn(
        f"kernels: {place} cannot be written to ({why}); each program compiles anew what it lacks: "
        "make room there, or name another folder by WARP_CACHE_PATH",
        NewtonWarning,
        stacklevel=2,
    )
    return made


@functools.cache
def _tidy(place: str) -> None:
    """Once in the life of a process: remove what killed programs left half-compiled."""
    for pattern in ("wp_newtonlite.*_p*_t*", "wp_fused_*_p*_t*"):
        for build in Path(place).glob(pattern):
            with contextlib.suppress(OSError):
                if time.time() - build.stat().st_mtime > STALE:
                    shutil.rmtree(build, ignore_errors=True)


def _remove(made: str, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(made, ignore_errors=True)


@contextlib.contextmanager
def cache_folder(other: str) -> Iterator[None]:
    """Another folder in place of Warp's cache, until the last of those that want it at a time is done."""
    global _elsewhere, _was
    with _lock:
        if not _elsewhere:
            _was, wp.config.kernel_cache_dir = wp.config.kernel_cache_dir, other
        _elsewhere += 1
    try:
        yield
    finally:
        with _lock:
            _elsewhere -= 1
            if not _elsewhere:
                wp.config.kernel_cache_dir = _was


def reason(place: str) -> str | None:
    """Reason why a folder cannot be written to; None where it can."""
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(bytes(PROBE))
    except OSError as problem:
        return problem.strerror or str(problem)
    return None


def kernel_module(name: str, **options) -> wp.Module:
    """The module of the kernels of a Python file, with options of Warp's; without derivatives where nothing else is
    said.
    """
    module = adopted(wp.get_module(name))
    wp.set_module_options({"enable_backward": False, **options}, module=module)
    _named[name] = module
    return module


def adopted(module: wp.Module, of_cuda: Callable[[str], str] | None = None) -> wp.Module:
    """A module of the package's own; an ordinary one where what ``KernelModule`` knows of Warp may not hold."""
    if module.__class__ is wp.Module and warp_internals.used():
        module.__class__ = KernelModule
    if isinstance(module, KernelModule):
        module.of_cuda = of_cuda
    return module


def modules() -> list[wp.Module]:
    """The modules of all files of kernels, imported; without those of parts that are not installed."""
    for file in sorted(PACKAGE.rglob("*.py")):
        if not KERNELS.search(file.read_text(encoding="utf-8")):
            continue
        try:
            importlib.import_module(".".join((PACKAGE.name, *file.relative_to(PACKAGE).with_suffix("").parts)))
        except ModuleNotFoundError as problem:
            if (problem.name or PACKAGE.name).split(".")[0] == PACKAGE.name:
                raise
    found = [module for _, module in sorted(_named.items())]
    return [module for module in found if module._get_live_kernels()] if warp_internals.used() else found


def load_all(modules: list[wp.Module], device) -> None:
    """Load modules for one lane, compiled in as many threads as there are cores."""
    with notice.compiling([module.name for module in modules]):
        wp.force_load(device, modules, block_dim=1, max_workers=os.cpu_count())


def compile_modules(packaged: str | None = None) -> int:
    """Compile the modules for the CPU into Warp's cache, or for ``packaged``, a kind of processor, into the package's
    folder; how many there are. With ``packaged`` this process can run none of them then.
    """
    found = modules()
    if not packaged:
        load_all(found, "cpu")
        return len(found)
    for module in found:
        adopted(module).options["cpu_compiler_flags"] = KIND + packaged
        module.unload()
    with tempfile.TemporaryDirectory() as build, cache_folder(build):
        load_all(found, "cpu")
        for module in found:
            _keep(module, packaged)
    return len(found)


def _keep(module: wp.Module, kind: str) -> None:
    """Put what a module was compiled to for a kind of processor into the package's folder."""
    binary = Path(module.execs[None, 1].binary_path)
    file = PACKAGED / folder(kind) / "modules" / f"{digest(module, 1)}.o"
    replace_file(file.with_suffix(".meta"), (binary.parent / module._get_meta_name(1)).read_bytes())
    replace_file(file.with_suffix(".sha256"), hashlib.sha256(binary.read_bytes()).hexdigest().encode())
    replace_file(file, binary.read_bytes())


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Warp does not announce the modules that are loaded within, unless it is asked for more than it says by itself."""
    global _quiet
    with _lock:
        own = bool(_quiet) or wp.config.log_level == wp.LOG_INFO
        if own:
            _quiet, wp.config.log_level = _quiet + 1, wp.LOG_WARNING
    try:
        yield
    finally:
        with _lock:
            _quiet -= own
            if own and not _quiet and wp.config.log_level == wp.LOG_WARNING:
                wp.config.log_level = wp.LOG_INFO


def _after_fork() -> None:
    """A child has none of the threads that may have held the locks."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

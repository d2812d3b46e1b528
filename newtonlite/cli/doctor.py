"""newtonlite doctor: what is installed, which devices there are, what is missing, which limits
the platform has, and whether a step is computed right.
"""

import json
import os
import platform
from importlib import metadata, util

from newtonlite import __version__
from newtonlite.cli.platform_limits import platform_limits, processor_limits
from newtonlite.cli.progress import waiting
from newtonlite.core.processor_kinds import processor_flags

RIGHT = "right"
REQUIRED = ("warp-lang", "numpy", "scipy", "trimesh", "usd-core", "lxml")
OPTIONAL = {
    "mujoco": ("mujoco", "the oracle of the tests and an opponent of the benchmark: pip install 'newtonlite[test]'"),
    "mujoco-warp": ("mujoco_warp", "an opponent of the benchmark: pip install 'newtonlite[bench]'"),
    "newton": ("newton", "an opponent of the benchmark: pip install newton"),
    "viser": ("viser", "shows simulations in the browser: pip install 'newtonlite[viewer]'"),
    "ray": ("ray", "spreads rollouts and training over machines: pip install 'newtonlite[scale]'"),
    "pytest": ("pytest", "runs the tests: pip install 'newtonlite[test]'"),
    "hypothesis": ("hypothesis", "used by the tests: pip install 'newtonlite[test]'"),
}


def arguments(parser) -> None:
    """Options of the command."""
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument(
        "--no-step", action="store_true", help="compute nothing, which may have to compile kernels first"
    )


def run(args) -> int:
    """Print the findings; exit code 1 where something required is missing, or a step is not computed right."""
    found = findings()
    if not (args.no_step or found["missing"]):
        with waiting("trying a step on each device"):
            found["steps"] = {alias: falls(alias) for alias in (name.split(": ")[0] for name in found["devices"])}
    print(json.dumps(found) if args.json else page(found))
    return 1 if found["missing"] or set(found.get("steps", {}).values()) - {RIGHT} else 0


def findings() -> dict:
    """Findings of the command."""
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "limits": platform_limits(platform.uname().system, platform.machine()) + processor_limits(processor_flags()),
        "newtonlite": __version__,
        "installed": installed("newtonlite") is not None,
        "packages": {name: installed(name) for name in REQUIRED},
        "missing": [name for name in REQUIRED if installed(name) is None],
        "optional": {name: installed(name) for name in OPTIONAL},
        **devices(),
    }


def falls(device: str, steps: int = 10, dt: float = 0.01) -> str:
    """Free fall on a device beside its closed form, z = z0 - g dt^2 n (n + 1) / 2: ``RIGHT``, or what went wrong."""
    try:
        import newtonlite

        builder = newtonlite.ModelBuilder()
        builder.add_shape_sphere(builder.add_body(), radius=0.1)
        model = builder.finalize(device=device)
        solver, state, control = newtonlite.solvers.SolverMuJoCo(model), model.state(), model.control()
        for _ in range(steps):
            solver.step(state, state, control, None, dt)
        z, wanted = float(state.body_q.numpy()[0, 2]), -9.81 * dt * dt * steps * (steps + 1) / 2
    except Exception as problem:  # whatever it is, it is what one wants to know
        return f"{type(problem).__name__}: {' '.join(str(problem).split())}"
    return RIGHT if abs(z - wanted) < 1e-5 else f"wrong: fell {-z:.6f} m in {steps} steps, not {-wanted:.6f} m"


def installed(name: str) -> str | None:
    """The version of a distribution, None where it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def processor() -> str:
    """The CPU's name."""
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def devices() -> dict:
    """Warp's devices and the folder of compiled kernels."""
    if util.find_spec("warp") is None:
        return {"devices": [], "kernel_cache": None, "packaged_kernels": None, "warp_internals": None}
    import warp as wp

    from newtonlite.core import warp_internals
    from newtonlite.core.kernel_folders import packaged_kind

    names = [
        f"{d.alias}: {d.name}" + (f", sm_{d.arch}, {d.total_memory / 2**30:.0f} GiB" if d.is_cuda else "")
        for d in wp.get_devices()
    ]
    return {
        "devices": names,
        "kernel_cache": wp.config.kernel_cache_dir,
        "packaged_kernels": packaged_kind(),
        "warp_internals": warp_internals.state(),
    }


def kernels_for(kind: str | None) -> str:
    """Text about the kernels that the package has for this processor."""
    return f"kernels for {kind}" if kind else "no kernels for this processor: newtonlite warmup compiles them once"


def page(found: dict) -> str:
    """The findings for people."""
    lines = [
        f"python      {found['python']} on {found['platform']}",
        f"processor   {found['processor']}, {found['cores']} cores",
        *(f"limit       {text}" for text in found["limits"]),
        *(f"device      {name}" for name in found["devices"]),
        *(f"step        on {name}: {said}" for name, said in found.get("steps", {}).items()),
        f"kernels     {found['kernel_cache']}",
        f"packaged    {kernels_for(found['packaged_kernels'])}",
        f"internals   of Warp are {found['warp_internals']}",
        f"newtonlite  {found['newtonlite']}{'' if found['installed'] else ', run from its source tree, not installed'}",
        *(f"{name:<11} {version or 'MISSING: reinstall newtonlite'}" for name, version in found["packages"].items()),
        *(
            f"{name:<11} {version or 'not installed, optional: ' + OPTIONAL[name][1]}"
            for name, version in found["optional"].items()
        ),
    ]
    if not any("cuda" in name for name in found["devices"]):
        lines.append("no GPU that Warp can use: simulations run on the CPU cores")
    return "\n".join(lines)

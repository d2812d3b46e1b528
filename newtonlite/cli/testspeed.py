"""newtonlite testspeed MODEL: speed of a function of MuJoCo Warp's, with the options of ``mjwarp-testspeed``."""

import json
import sys
import time
from pathlib import Path

import numpy as np
import warp as wp

from newtonlite.cli.options import model_file, positive_integer
from newtonlite.cli.progress import Progress
from newtonlite.core.archive import BROKEN, Archive
from newtonlite.core.errors import FileError, StateError
from newtonlite.core.files import open_file
from newtonlite.core.limits import most
from newtonlite.envs.control_signal import Drive, ranges

PARTS = "step forward kinematics com_pos crb collision make_constraint fwd_position fwd_velocity fwd_actuation solve sensor_pos sensor_vel sensor_acc inverse".split()

NSTEP = 1000
UNSIZED = ("njmax_nnz", "nccdmax", "nvmax")
"""Capacities of MuJoCo Warp that nothing here is sized by."""


def arguments(parser) -> None:
    """Options of the command, named as MuJoCo Warp's."""
    parser.add_argument("model", help="MJCF or URDF file, or the name of a packaged model")
    parser.add_argument("--nworld", type=positive_integer, default=8192, metavar="N", help="worlds (%(default)s)")
    parser.add_argument(
        "--nstep", type=positive_integer, metavar="N", help=f"steps of each ({NSTEP}, or those of --replay)"
    )
    parser.add_argument("--nconmax", type=int, metavar="N", help="contacts for which a world has room")
    parser.add_argument("--njmax", type=int, metavar="N", help="constraint rows for which a world has room")
    for name in UNSIZED:
        parser.add_argument(f"--{name}", type=int, metavar="N", help="taken, and sizes nothing here")
    parser.add_argument("--function", choices=PARTS, default="step", help="what is measured (%(default)s)")
    parser.add_argument("-o", "--override", action="append", default=[], metavar="FIELD=VALUE", help="set a field")
    parser.add_argument("--keyframe", type=int, default=0, metavar="K", help="where worlds begin, if there is such one")
    parser.add_argument(
        "--replay", type=Path, metavar="NPZ", help="controls [n, nu] with their times, in place of noise"
    )
    parser.add_argument("--noise_std", type=float, default=0.01, metavar="X", help="noise of controls (%(default)s)")
    parser.add_argument("--noise_rate", type=float, default=0.1, metavar="S", help="its correlation time (%(default)s)")
    parser.add_argument("--measure_alloc", action="store_true", help="contacts and rows over the steps")
    parser.add_argument("--measure_solver", action="store_true", help="iterations of the solver over the steps")
    parser.add_argument("--num_buckets", type=positive_integer, default=10, metavar="N", help="rows of these tables")
    parser.add_argument("--memory", action="store_true", help="bytes of model and data")
    parser.add_argument("--info", action="store_true", help="all sizes of the model")
    parser.add_argument("--clear_warp_cache", action="store_true", help="remove Warp's compiled kernels before")
    parser.add_argument("--format", choices=("human", "short", "json"), default="human", help="how it is printed")
    parser.add_argument(
        "--overflow_behavior",
        choices=("error", "continue"),
        default="error",
        help="whether to stop where contacts or rows do not fit (%(default)s)",
    )
    parser.add_argument("--device", metavar="NAME", help="Warp device")


def run(args) -> int:
    """Measure and print; 1 where something did not fit and that is an error."""
    with wp.ScopedDevice(args.device), Progress(f"measuring {args.function}") as bar:
        result = time_function(args, bar)
    print(json.dumps(result) if args.json or args.format == "json" else page(result, args.format == "short"))
    return 1 if result["overflow"] and args.overflow_behavior == "error" else 0


def time_function(args, progress=lambda share: None) -> dict:
    """Run the function step by step from one keyframe, with noise on the controls; ``progress`` is called with the share done."""
    from newtonlite import mjwarp as mjw

    if args.clear_warp_cache:
        wp.clear_kernel_cache()
    source = mjw.load(model_file(args.model))
    mjw.override_model(source, args.override)
    m = mjw.put_model(source)
    mjw.override_model(m, args.override)
    scratch = "shared" if args.function in ("step", "forward") else "per_world"
    d = mjw.make_data(m, args.nworld, args.nconmax, njmax=args.njmax, scratch=scratch)
    if 0 <= args.keyframe < int(source.nkey):
        mjw.reset_data_keyframe(m, d, args.keyframe)
    timestep = float(m.opt.timestep.numpy()[0])
    controls = None if args.replay is None else replayed(args.replay, d, timestep)
    nstep = args.nstep or (NSTEP if controls is None else len(controls))
    function = getattr(mjw, args.function)
    began = time.perf_counter()
    if scratch == "per_world":
        mjw.forward(m, d)
    function(m, d)
    wp.synchronize()
    compiled = time.perf_counter() - began
    drive = Drive("ou", *ranges(source), timestep, args.noise_std)
    drive.keep = float(np.exp(-timestep / args.noise_rate))
    seen: dict = {"nacon": [], "nefc": [], "solver_niter": []}
    spent = 0.0
    for k in range(nstep):
        if controls is None:
            drive.write(d.ctrl)
        else:
            d.ctrl = np.broadcast_to(controls[min(k, len(controls) - 1)], d.ctrl.shape)
        wp.synchronize()
        began = time.perf_counter()
        function(m, d)
        wp.synchronize()
        spent += time.perf_counter() - began
        progress((k + 1) / nstep)
        for name, values in seen.items():
            if args.measure_alloc and name != "solver_niter" or args.measure_solver and name == "solver_niter":
                values.append(d.ncon.numpy().sum() if name == "nacon" else getattr(d, name).numpy())
        if args.overflow_behavior == "error" and d.overflow.numpy().any():
            break
    steps = args.nworld * nstep
    good = int(np.isfinite(d.qpos.numpy()).all(axis=1).sum())
    return {
        "model": Path(args.model).name,
        "function": args.function,
        "nworld": args.nworld,
        "nstep": nstep,
        "jit_duration": compiled,
        "run_time": spent,
        "steps_per_second": steps / spent,
        "realtime_factor": steps * timestep / spent,
        "time_per_step_ns": 1e9 * spent / steps,
        "converged_worlds": good,
        "overflow": int(np.count_nonzero(d.overflow.numpy())),
        **({"sizes": {name: n for name, n in sorted(m.sizes.items()) if n > 0}} if args.info else {}),
        **({"memory": memory(m, d)} if args.memory else {}),
        **{name: table(values, args.num_buckets) for name, values in seen.items() if values},
    }


def arrays_of(path: Path) -> dict[str, np.ndarray]:
    """The arrays ``ctrl``, ``times``, ``qpos``, ``qvel`` of a file of NumPy's; FileError where it is none, or lacks one
    of the first two.
    """
    try:
        with open_file(path, "table") as file:
            archive = Archive(file, "recording")
            return {
                name: archive.array(name)
                for name in ("ctrl", "times", "qpos", "qvel")
                if name in ("ctrl", "times") or f"{name}.npy" in archive.names
            }
    except FileError:
        raise
    except (OSError, *BROKEN) as problem:
        raise FileError(path, f"holds no controls ({problem}); give an .npz with ctrl and times") from None


def replayed(path: Path, d, timestep: float) -> np.ndarray:
    """Controls [nstep, nu] of a file, each held until the next one's time; the worlds begin at the file's first ``qpos`` and
    ``qvel``, where it has them. StateError where arrays do not fit.
    """
    file = arrays_of(path)
    controls, times = np.asarray(file["ctrl"], np.float32), np.asarray(file["times"], float)
    count, width = len(controls), d.ctrl.shape[1]
    if controls.ndim != 2 or controls.shape != (count, width) or not count:
        raise StateError(f"{path}: ctrl has shape {controls.shape}; give [nstep, {width}]")
    if times.shape not in ((count,), (count + 1,)) or not (np.diff(times) > 0).all():
        raise StateError(f"{path}: times has shape {times.shape}; give {count} or {count + 1} numbers that increase")
    if len(times) == count:
        times = np.append(times, times[-1] + (times[-1] - times[-2] if count > 1 else timestep))
    for name in ("qpos", "qvel"):
        if name in file:
            first, shape = np.asarray(file[name], np.float32)[0], getattr(d, name).shape
            if first.shape != shape[1:]:
                raise StateError(f"{path}: {name} has shape {file[name].shape}; give [1, {shape[1]}]")
            setattr(d, name, np.broadcast_to(first, shape))
    span = (times[-1] - times[0]) / timestep
    if not span * max(width, 1) <= most("numbers"):  # also where it is not finite
        raise StateError(f"{path}: times span {span:g} steps; at most {most('numbers') // max(width, 1)} are replayed")
    nstep = max(1, round(span))
    at = times[0] + timestep * (np.arange(nstep) + 1e-6)
    return controls[np.searchsorted(times[:-1], at, side="right") - 1]


def memory(m, d) -> dict:
    """Bytes of the largest arrays of the model and of the data, and of all of them."""
    sizes = {name: a.capacity for arrays in (m.arrays, d.engine.arrays) for name, a in arrays.items()}
    largest = sorted(sizes, key=lambda name: -sizes[name])[:8]
    return {"total": sum(sizes.values()), **{name: sizes[name] for name in largest}}


def table(values: list, buckets: int) -> list:
    """Mean, deviation, least and greatest number of each part of the run."""
    rows = [np.ravel(part) for part in np.array_split(np.array(values), min(buckets, len(values)))]
    return [[float(x) for x in (row.mean(), row.std(), row.min(), row.max())] for row in rows]


def page(result: dict, short: bool) -> str:
    """The result for people: one line, or one for each number."""
    if short:
        return (
            f"{result['model']} {result['function']} {result['steps_per_second']:.0f} {result['time_per_step_ns']:.2f}"
        )
    lines = [
        f"Summary for {result['nworld']} parallel rollouts of {result['nstep']} {result['function']}s, {result['model']}",
        f"Total JIT time: {result['jit_duration']:.2f} s",
        f"Total simulation time: {result['run_time']:.2f} s",
        f"Total steps per second: {result['steps_per_second']:,.0f}",
        f"Total realtime factor: {result['realtime_factor']:,.2f} x",
        f"Total time per step: {result['time_per_step_ns']:.2f} ns",
        f"Total converged worlds: {result['converged_worlds']} / {result['nworld']}",
    ]
    if result["overflow"]:
        lines.append(f"Worlds in which contacts or rows did not fit: {result['overflow']}")
    if "sizes" in result:
        lines.append("  ".join(f"{name}: {n}" for name, n in result["sizes"].items()))
    for name, size in result.get("memory", {}).items():
        lines.append(f"  {name:<20} {size / 2**20:10.2f} MiB")
    for name in ("nacon", "nefc", "solver_niter"):
        if name in result:
            lines.append(f"{name}: mean, deviation, least, greatest")
            lines += ["  " + " ".join(f"{x:10.4g}" for x in row) for row in result[name]]
    return "\n".join(lines)


def main() -> int:
    """The command ``mjwarp-testspeed``."""
    from newtonlite.cli.main import main as command

    return command(["testspeed", *sys.argv[1:]])

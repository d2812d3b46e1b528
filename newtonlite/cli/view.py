"""newtonlite view MODEL|RECORDING: a simulation, or what was recorded of one, in the browser."""

import sys
import webbrowser

from newtonlite.cli.control import KINDS
from newtonlite.cli.options import model_file, positive


def arguments(parser) -> None:
    """Options of the command."""
    parser.add_argument(
        "model", metavar="MODEL|RECORDING", help="an MJCF or URDF file, a packaged model, or a recording (.npz)"
    )
    parser.add_argument(
        "--worlds", "--nworld", type=positive, default=1, metavar="N", help="copies of the model (%(default)s)"
    )
    parser.add_argument(
        "--control", choices=KINDS, default="zero", help="what drives the motors at first (%(default)s)"
    )
    parser.add_argument("--paused", action="store_true", help="start paused")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of the page (any free one)")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on; beyond this machine the page asks for a token (%(default)s)",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=None,
        metavar="S",
        help="stop after so many seconds (when the command is interrupted)",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--device", default=None, help="cpu, cuda:0, ... (default: the GPU if there is one)")
    parser.add_argument("--threads", type=positive, default=None, metavar="N", help="CPU threads (default: all cores)")
    parser.add_argument("--seed", type=int, default=0, help="decides everything random (%(default)s)")


def run(args) -> int:
    """Open the page and go on until it is closed."""
    from newtonlite.viewer.page.server import viser
    from newtonlite.viewer.recording.file import is_recording

    viser()
    viewer, session = (opened_recording if is_recording(args.model) else opened_model)(args)
    print(f"open {viewer.url}", flush=True)
    print("Ctrl + C ends it", file=sys.stderr)
    if not args.no_browser:
        webbrowser.open(viewer.url)
    try:
        viewer.run(session, args.seconds)
    finally:
        viewer.close()
    return 0


def opened_model(args) -> tuple:
    """(viewer, session) of a model."""
    from newtonlite.cli.simulation import Simulation
    from newtonlite.viewer import Viewer
    from newtonlite.viewer.clock import Clock
    from newtonlite.viewer.session import Session

    made = Simulation(
        model_file(args.model), args.worlds, "zero", device=args.device, threads=args.threads, seed=args.seed
    )
    signals = {kind: made.drive_of(kind) for kind in KINDS if kind != "zero"} if made.ctrl is not None else {}
    drives = {kind: lambda _, signal=signal: signal.write(made.ctrl) for kind, signal in signals.items()}
    session = Session(
        made.model,
        made.solver,
        state=made.state,
        control=made.control,
        timestep=made.timestep,
        drives=drives,
        driving=args.control if args.control in drives else None,
        clock=Clock(paused=args.paused),
    )
    print("compiling the engine, if it has not been for such a model", file=sys.stderr)
    session.step()
    session.reset()
    return Viewer(made.model, args.port, args.host, session=session, label=made.file.stem), session


def opened_recording(args) -> tuple:
    """(viewer, playback) of a recording."""
    from newtonlite.viewer import Viewer
    from newtonlite.viewer.clock import Clock
    from newtonlite.viewer.recording.file import load
    from newtonlite.viewer.recording.playback import Playback

    playback = Playback(load(args.model), Clock(paused=args.paused))
    return Viewer(playback.recording.look, args.port, args.host, session=playback, label="recording"), playback

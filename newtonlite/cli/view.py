"""newtonlite view MODEL|TASK|RECORDING: a simulation, a task, or what was recorded of one, in the browser."""

import sys
import webbrowser
from pathlib import Path

from newtonlite import models
from newtonlite.cli.options import model_file, positive_integer
from newtonlite.cli.outcome import close
from newtonlite.cli.progress import waiting
from newtonlite.envs.control_signal import KINDS


def arguments(parser) -> None:
    """Options of the command."""
    parser.add_argument(
        "model",
        metavar="MODEL|TASK|RECORDING",
        help="an MJCF, URDF or USD file, a packaged model, a packaged task or FILE.py with a function task(), or a recording (.npz)",
    )
    parser.add_argument("--task", action="store_true", help="show the task of a name that is a packaged model's too")
    parser.add_argument(
        "--worlds", "--nworld", type=positive_integer, default=1, metavar="N", help="copies of the model (%(default)s)"
    )
    parser.add_argument(
        "--control",
        choices=KINDS,
        default="zero",
        help="what drives the motors, or the actions of a task, at first (%(default)s)",
    )
    page_arguments(parser)
    parser.add_argument("--device", default=None, help="cpu, cuda:0, ... (default: the GPU if there is one)")
    parser.add_argument(
        "--threads", type=positive_integer, default=None, metavar="N", help="CPU threads (default: all cores)"
    )
    parser.add_argument("--seed", type=int, default=0, help="decides everything random (%(default)s)")


def page_arguments(parser) -> None:
    """Options of the page, for all commands that open one."""
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
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="PNG",
        help="write a picture to this file instead of a page; needs neither a browser nor the extra",
    )


def run(args) -> int:
    """Open the page and go on until it is closed."""
    from newtonlite.viewer.page.server import viser
    from newtonlite.viewer.recording.file import is_recording

    if args.picture is None:
        viser()
    if is_recording(args.model):
        session, label = recording_session(args), "recording"
    elif is_task(args.model, args.task):
        session, label = task_session(args), args.model
    else:
        session, label = model_session(args), shown_file(args.model).stem
    return show(session, label, args)


def shown_file(name: str) -> Path:
    """The file of a model; ValueError names packaged models and tasks where it is none."""
    from newtonlite.envs import tasks

    try:
        return model_file(name)
    except ValueError as problem:
        raise ValueError(f"{problem}, and no task (there are: {', '.join(tasks.names())})") from None


def is_task(name: str, wanted: bool) -> bool:
    """Whether a name is that of a task: a packaged one, or a Python file; names of models and files are theirs unless
    a task is wanted.
    """
    from newtonlite.envs import tasks

    if wanted or name.endswith(".py") or ".py:" in name:
        return True
    return name in tasks.names() and name not in models.names() and not Path(name).is_file()


def show(session, label: str, args) -> int:
    """Serve the page of a session until it is closed."""
    from newtonlite.viewer import Playback, Viewer, still, write_png
    from newtonlite.viewer.poses import body_q_of

    what = session.recording.look if isinstance(session, Playback) else session.model
    if args.picture is not None:
        with waiting("drawing"):
            write_png(args.picture, still(what, body_q_of(session.state)))
        close(args, str(args.picture), picture=args.picture)
        return 0
    viewer = Viewer(what, args.port, args.host, session=session, label=label)
    close(args, f"open {viewer.url}", url=viewer.url)
    print("Ctrl + C ends it", file=sys.stderr)
    if not args.no_browser:
        webbrowser.open(viewer.url)
    try:
        viewer.run(session, args.seconds)
    finally:
        viewer.close()
    return 0


def model_session(args):
    """Session of a model."""
    from newtonlite.cli.simulation import SolverRun
    from newtonlite.viewer.clock import Clock
    from newtonlite.viewer.session import Session

    made = SolverRun(
        shown_file(args.model),
        args.worlds,
        "zero",
        device=args.device,
        threads=args.threads,
        seed=args.seed,
        force_show_colliders=True,  # groups decide what is seen, as in MuJoCo's viewer
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
    if args.picture is None:
        session.step()
        session.reset()
    return session


def task_session(args):
    """Session of a task, its actions zero or random."""
    from newtonlite.envs import TaskSession, tasks
    from newtonlite.viewer.clock import Clock

    return TaskSession(
        tasks.load(args.model),
        args.worlds,
        driving=None if args.control == "zero" else "random",
        clock=Clock(paused=args.paused),
        seed=args.seed,
        device=args.device,
        threads=args.threads,
    )


def recording_session(args):
    """Playback of a recording."""
    from newtonlite.viewer.clock import Clock
    from newtonlite.viewer.recording.file import load
    from newtonlite.viewer.recording.playback import Playback

    return Playback(load(args.model), Clock(paused=args.paused))

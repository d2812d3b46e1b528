"""newtonlite convert IN OUT: a model file as canonical MJCF, or in an exact binary form."""

from pathlib import Path

from newtonlite.cli.options import model_file

XML, BINARY = ".xml", ".bin"


def arguments(parser) -> None:
    """Options of the command."""
    parser.add_argument(
        "model",
        metavar="IN",
        help=f"an MJCF or URDF file, a packaged model, or a {BINARY} file written by this command",
    )
    parser.add_argument(
        "out", type=Path, metavar="OUT", help=f"a {XML} file for MJCF, or a {BINARY} file for the exact binary form"
    )
    parser.add_argument(
        "--on-unsupported",
        choices=("raise", "warn"),
        default="raise",
        help="stop at what is not supported, or leave it out (%(default)s)",
    )


def run(args) -> int:
    """Read, compile, write; one line about it."""
    from newtonlite.core.errors import ModelError
    from newtonlite.exporters.mjcf import save_mjcf
    from newtonlite.solvers.mujoco.compile.binary import load_model, save_model

    if args.out.suffix not in (XML, BINARY):
        raise ModelError(
            f"{args.out}: ends in '{args.out.suffix}'; give a {XML} file for MJCF or a {BINARY} file for the binary form"
        )
    file = model_file(args.model)
    model = load_model(file) if file.suffix == BINARY else compiled(file, args.on_unsupported)
    written = (save_mjcf if args.out.suffix == XML else save_model)(model, args.out)
    print(
        f"{file} -> {written}: {model.nbody} bodies, {model.njnt} joints, {model.ngeom} geoms, {written.stat().st_size:,} bytes"
    )
    return 0


def compiled(file: Path, on_unsupported: str = "raise", report=None):
    """The compiled model of a file."""
    from newtonlite import ModelBuilder
    from newtonlite.importers.files import add_file
    from newtonlite.solvers.mujoco.compile import compile_model

    builder = ModelBuilder()
    add_file(builder, file, report, on_unsupported=on_unsupported)
    return compile_model(builder.finalize(device="cpu"))

"""newtonlite convert IN OUT: a model file as canonical MJCF, as USD, or in an exact binary form."""

from pathlib import Path

from newtonlite.cli.options import model_file
from newtonlite.cli.outcome import close
from newtonlite.cli.progress import waiting

XML, BINARY, USD = ".xml", ".bin", (".usda", ".usdc", ".usdz", ".usd")


def arguments(parser) -> None:
    """Options of the command."""
    parser.add_argument(
        "model",
        metavar="IN",
        help=f"an MJCF, URDF or USD file, a packaged model, or a {BINARY} file written by this command",
    )
    parser.add_argument(
        "out",
        type=Path,
        metavar="OUT",
        help=f"a {XML} file for MJCF, one of {', '.join(USD)} for USD, or a {BINARY} file for the exact binary form",
    )
    parser.add_argument(
        "--on-unsupported",
        choices=("raise", "warn"),
        help="stop at what is not supported, or leave it out (default: stop, but leave out what URDF does not know)",
    )
    parser.add_argument(
        "--inline",
        action="store_true",
        help="MJCF with its meshes and height fields in the text, instead of in files in a folder beside it",
    )
    parser.add_argument(
        "--layers",
        action="store_true",
        help="USD as an interface, with layers of materials, physics and geometry in a folder payload beside it",
    )


def run(args) -> int:
    """Read, compile, write; one line about it."""
    from newtonlite.core.errors import ModelError
    from newtonlite.exporters.mjcf import save_mjcf
    from newtonlite.exporters.usd import save_usd
    from newtonlite.importers.report import Report
    from newtonlite.solvers.mujoco.compile.binary import load_model, save_model

    if args.out.suffix not in (XML, BINARY, *USD):
        raise ModelError(
            f"{args.out}: ends in '{args.out.suffix}'; give a {XML} file for MJCF, one of {', '.join(USD)} for USD, or a {BINARY} file for the binary form"
        )
    file = model_file(args.model)
    with waiting(f"converting {file.name}"):
        model = load_model(file) if file.suffix == BINARY else compile_source(file, args.on_unsupported)
        report = Report("warn")
        if args.out.suffix in USD:
            written = save_usd(model, args.out, report=report, layers=args.layers)
        elif args.out.suffix == XML:
            written = save_mjcf(model, args.out, inline=args.inline)
        else:
            written = save_model(model, args.out)
    lost, size = [group.line() for group in report.ignored], written.stat().st_size
    close(
        args,
        "\n  not written: ".join(
            [
                f"{file} -> {written}: {model.nbody} bodies, {model.njnt} joints, {model.ngeom} geoms, {size:,} bytes",
                *lost,
            ]
        ),
        source=file,
        out=written,
        bodies=model.nbody,
        joints=model.njnt,
        geoms=model.ngeom,
        bytes=size,
        not_written=lost,
    )
    return 0


def compile_source(file: Path, on_unsupported: str | None = None, report=None, **options):
    """The compiled model of a file. ``options`` go to its importer."""
    from newtonlite import ModelBuilder
    from newtonlite.importers.files import add_file
    from newtonlite.solvers.mujoco.compile import compile_model

    builder = ModelBuilder()
    options |= {} if on_unsupported is None else {"on_unsupported": on_unsupported}
    add_file(builder, file, report, **options)
    return compile_model(builder.finalize(device="cpu"))

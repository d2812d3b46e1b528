"""USD layers: which files a stage would open, found before anything is composed, so that a file cannot reach outside
its folder.
"""

import os
from pathlib import Path

from newtonlite.core.errors import MissingFileError, ParseError
from newtonlite.core.files import check_file, inside
from newtonlite.core.limits import most

MAX_LAYERS = 4096
"""Layers that one stage may have."""
MAX_BYTES = most("layers")
"""Size of all layers of a stage together."""
KINDS = (".usd", ".usda", ".usdc", ".usdz")


def check_layers(path: Path, allow_outside: bool) -> None:
    """ParseError where a layer that the file at ``path`` needs lies outside its folder, is of an unknown kind, or is
    too large.

    Sublayers, references, payloads and value clips are followed in all variants.  ``allow_outside`` lets layers lie anywhere;
    missing ones are left to the composition, which tells where they are asked for.
    """
    from pxr import Sdf

    folder = path.resolve().parent
    seen: set[str] = set()
    waiting, total = [str(path)], 0
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if len(seen) > MAX_LAYERS:
            raise ParseError(f"{path}: needs more than {MAX_LAYERS} layers; join some of them")
        total += size_of(name)
        if total > MAX_BYTES:
            raise ParseError(f"{path}: its layers have more than {MAX_BYTES} bytes; split the scene")
        layer = open_layer(name, required=name == str(path))
        if layer is None:
            continue
        for asked in assets_of(layer):
            found = Sdf.ComputeAssetPathRelativeToLayer(layer, asked) or asked
            if not Path(found.split("[")[0]).is_absolute():
                found = str(Path(name.split("[")[0]).parent / found)
            if not allow_outside:
                confine(found, asked, folder, name)
            waiting.append(found)


def open_layer(name: str, required: bool):
    """A layer by its identifier; None for one that cannot be had, ParseError where it is ``required``."""
    from pxr import Sdf, Tf

    if not required and not name.lower().split("[")[0].endswith(KINDS):
        return None
    try:
        layer = Sdf.Layer.FindOrOpen(name)
    except (Tf.ErrorException, RuntimeError) as problem:
        if required:
            raise ParseError(f"{name}: cannot be read as USD ({first_line(problem)})") from None
        return None
    if layer is None and required:
        raise ParseError(f"{name}: cannot be read as USD")
    if layer is not None and not layer.dirty:
        reload(layer, name)
    return layer


def reload(layer, name: str) -> None:
    """Read a layer anew where its file has changed since somebody else opened it; ParseError where it cannot be read
    any more.
    """
    from pxr import Tf

    try:
        layer.Reload()
    except (Tf.ErrorException, RuntimeError) as problem:
        raise ParseError(f"{name}: cannot be read as USD ({first_line(problem)})") from None


def confine(found: str, asked: str, folder: Path, layer: str) -> None:
    """ParseError where a file is not inside a folder, symbolic links followed, or is no USD file."""
    outer = found.split("[")[0]
    if ":" in asked.split("/")[0] and not Path(asked).exists():
        raise ParseError(
            f"{layer}: asset '{asked}' is no file; only files beside the stage are read, allow_outside=True lifts that"
        )
    if not Path(outer).resolve().is_relative_to(folder):
        raise ParseError(
            f"{layer}: asset '{asked}' lies outside the folder of the stage ({folder}); allow_outside=True lifts that"
        )
    if not outer.split(":SDF_FORMAT_ARGS:")[0].lower().endswith(KINDS) or ":SDF_FORMAT_ARGS:" in asked:
        raise ParseError(
            f"{layer}: asset '{asked}' is no USD layer; use one of {', '.join(KINDS)}, or allow_outside=True"
        )


def label_of(layer) -> str:
    """Label of a layer in messages: its path, or a word for a layer in memory."""
    return "<text>" if layer.anonymous else layer.identifier


def size_of(name: str) -> int:
    """Bytes of a file; 0 where there is none. FileError for what OpenUSD should not open: pipes, devices, folders."""
    try:
        return check_file(name.split("[")[0].split(":SDF_FORMAT_ARGS:")[0], "layers")
    except MissingFileError:
        return 0


def home_of(stage) -> Path | None:
    """The folder of a stage; None for one in memory."""
    path = stage.GetRootLayer().realPath
    return Path(path.split("[")[0]).resolve().parent if path else None


def is_outside(asset: str, folder: Path) -> bool:
    """Whether a file that a stage names, other than a layer, is or would be outside a folder, symbolic links followed."""
    outer = asset.split("[")[0].replace("\\", "/")
    if ":" in outer.split("/")[0] and not os.path.isabs(outer):
        return True  # a URI
    full = os.path.abspath(outer)
    named = os.path.isabs(outer) or ".." in outer.split("/")
    return (named or os.path.lexists(full)) and not inside(full, folder)


def assets_of(layer) -> list[str]:
    """Files that a layer has OpenUSD open: sublayers, references, payloads, and value clips, those of all variants."""
    found = {name for name in layer.GetCompositionAssetDependencies() if name}
    stack = list(layer.rootPrims)
    while stack:
        spec = stack.pop()
        if spec.HasInfo("clips"):
            for values in dict(spec.GetInfo("clips")).values():
                named = [values.get("manifestAssetPath"), *(values.get("assetPaths") or ())]
                found |= {str(asset.path) for asset in named if asset is not None and asset.path}
                found |= {str(values["templateAssetPath"])} if values.get("templateAssetPath") else set()
        stack += spec.nameChildren
        for variants in spec.variantSets.values():
            stack += [variant.primSpec for variant in variants.variants.values()]
    return sorted(found)


def first_line(problem: Exception) -> str:
    """First line of an error of USD."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip(" '\t")]
    first = lines[0] if lines else type(problem).__name__
    return first.partition(" : '")[2].strip("'") or first

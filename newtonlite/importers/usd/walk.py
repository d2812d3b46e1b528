"""Walk over a stage: its prims in order, copies of point instancers unfolded."""

from collections.abc import Sequence
from pathlib import Path

from newtonlite.core.errors import ParseError
from newtonlite.importers.report import Report
from newtonlite.importers.usd.instancers import unfold
from newtonlite.importers.usd.layers import label_of
from newtonlite.importers.usd.prims import Prim, Walk

MAX_DEPTH = 512


def walk_stage(
    stage,
    report: Report,
    length: float = 1.0,
    time=None,
    root_path: str = "/",
    ignore: Sequence[str] = (),
    folder: Path | None = None,
) -> Walk:
    """All prims of a stage below a path that are defined, active and loaded; ParseError where there is no such path."""
    walk = Walk(stage, report, length, time, ignore, folder)
    root = stage.GetPrimAtPath(root_path)
    if not root:
        raise ParseError(f"{label_of(stage.GetRootLayer())}: there is no prim <{root_path}>; correct root_path")
    visit(walk, root, None if root.IsPseudoRoot() else walk.find(str(root.GetPath().GetParentPath())))
    return walk


def visit(walk: Walk, root, above: Prim | None) -> None:
    """Take in a prim of USD and all below it; ``above`` is its parent."""
    from pxr import Usd

    parents = {str(root.GetPath().GetParentPath()): above}
    below = iter(Usd.PrimRange(root, Usd.TraverseInstanceProxies()))
    for usd in below:
        path = str(usd.GetPath())
        if path == "/":
            parents[path] = None
            continue
        if path.count("/") > MAX_DEPTH:
            raise ParseError(
                f"{label_of(walk.stage.GetRootLayer())}: <{path[:80]}...> lies more than {MAX_DEPTH} prims deep"
            )
        if walk.ignored(path):
            # what lies below is passed over where no longer path could be wanted
            if any(pattern.match(path + "/x") for pattern in walk.ignore):
                below.PruneChildren()
            continue
        parent = parents.get(path.rpartition("/")[0] or "/")
        prim = parents[path] = Prim(walk, usd, path, parent, None, None)
        walk.add(prim)
        if prim.tag == "PointInstancer":
            below.PruneChildren()
            unfold(walk, prim)

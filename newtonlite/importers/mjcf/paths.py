"""Tendon paths of spatial tendons, by the rules of MuJoCo's compiler."""

from newtonlite.core.mujoco import MjtGeom
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import Item

ENDS = (None, "pulley")


def check_path(item: Item, nodes: list[Node]) -> None:
    """ParseError where a path has no sense: ``nodes`` are its steps, ``item["path"]`` what they name."""
    kinds = [kind for kind, _, _ in item["path"]]
    before, after = [None, *kinds[:-1]], [*kinds[1:], None]
    for k, (node, (kind, thing, _)) in enumerate(zip(nodes, item["path"], strict=True)):
        if kind == "geom":
            check_geom(item, node, thing, before[k], after[k])
        elif kind == "site" and before[k] in ENDS and after[k] in ENDS:
            raise node.error("stands alone between ends and pulleys; give at least two sites")
        elif kind == "site" and before[k] == "site" and item["path"][k - 1][1] is thing:
            raise node.error(f"site '{thing.name}' stands twice in a row; keep one", "site")
        elif kind == "pulley" and after[k] in ENDS:
            raise node.error("nothing follows the pulley; give at least two sites, or remove it")


def check_geom(item: Item, node: Node, geom: Item, before: str | None, after: str | None) -> None:
    """A geom that a string runs around is round, and stands between two sites."""
    if geom["type"] not in (MjtGeom.SPHERE, MjtGeom.CYLINDER):
        raise node.error(f"geom '{geom.name}' is neither sphere nor cylinder; strings run around those only", "geom")
    if (before, after) != ("site", "site"):
        raise node.error("a geom of a path stands between two sites; give one before and one after it")
    if item["armature"]:
        raise node.error("a tendon with armature cannot run around geoms; set armature 0, or run over sites")

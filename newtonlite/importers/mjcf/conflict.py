"""Conflict policy (``compiler conflict``): settings of a model and of one attached to it.

A setting counts where a file speaks of it.  ``warning`` keeps the settings of the host, ``error`` refuses those that
differ, ``merge`` takes over what the host does not say and settles the rest as ``RULES`` tells, or refuses it.
"""

from collections.abc import Iterator

from newtonlite.core.mujoco import MjtConflict
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.read import Node
from newtonlite.schema.option import FLAG, SIZE

FLAGS = {attr.name: attr.default for attr in FLAG.attrs}


def union(one: tuple, two: tuple) -> tuple:
    """Union of two lists, sorted."""
    return tuple(sorted({*one, *two}))


LEAST = "option/timestep option/tolerance option/ls_tolerance option/noslip_tolerance option/ccd_tolerance option/sleep_tolerance map/znear global/realtime".split()
MOST = "option/iterations option/ls_iterations option/noslip_iterations option/ccd_iterations option/sdf_iterations option/sdf_initpoints map/zfar".split()
MOST += [
    f"size/{attr.name}"
    for attr in SIZE.attrs
    if attr.name.startswith("n") and attr.name not in ("njmax", "nconmax", "nstack")
]
RULES = dict.fromkeys(LEAST, min) | dict.fromkeys(MOST, max) | {"option/actuatorgroupdisable": union}
"""Merge rules of two values; other options cannot be merged, other settings of the picture stay the host's."""


def merge_settings(node: Node, host: Document, guest: Document) -> None:
    """Merge the settings of an attached model into its host's; ParseError at the ``attach`` that does not allow it."""
    mode = host.compiler["conflict"]
    if mode == MjtConflict.WARNING:
        return
    clashes = []
    own = dict(spoken(host))
    for path, theirs in dict(spoken(guest)).items():
        section = path.partition("/")[0]
        if section not in ("option", "flag") and path not in RULES:
            continue
        ours = own.get(path)
        if ours is None:
            if mode == MjtConflict.MERGE:
                say(host, path, theirs)
        elif ours == theirs:
            continue
        elif mode == MjtConflict.MERGE and (section == "flag" or path in RULES):
            say(host, path, not FLAGS[path.partition("/")[2]] if section == "flag" else RULES[path](ours, theirs))
        elif path != "option/actuatorgroupdisable":
            clashes.append(f"{path.partition('/')[2]} is {ours} here and {theirs} there")
    if clashes:
        rule = "error" if mode == MjtConflict.ERROR else "merge"
        raise node.error(
            f"the attached model disagrees (compiler conflict='{rule}'): {', '.join(clashes)}; make them equal, or say conflict='warning'"
        )


def spoken(document: Document) -> Iterator[tuple[str, object]]:
    """(``section/name``, value) of every setting that a model speaks of; the last one wins."""
    for section in ("option", "size", "visual"):
        for node in document.sections[section]:
            parts = node.children if section == "visual" else [node, *node.children]
            for part in parts:
                yield from (
                    (f"{part.tag}/{name}", whole(document, part.tag, name, value))
                    for name, value in part.values.items()
                )


def whole(document: Document, section: str, name: str, value):
    """A value with what the file left out of it."""
    return document.option[name] if section == "option" else value


def say(document: Document, path: str, value) -> None:
    """Make a model speak of a setting."""
    section, _, name = path.partition("/")
    top = {"flag": "option", "map": "visual", "global": "visual"}.get(section, section)
    element = document.root.element.child(top)
    node = Node(top, {}, document.root.source, document.root.offset)
    node.element = element
    document.sections[top].append(node)
    if section != top:
        part = Node(section, {}, node.source, node.offset)
        part.element = element.child(section)
        node.children.append(part)
        node = part
    node.values = {name: value}
    {"option": document.option, "flag": document.flags}.get(section, {})[name] = value

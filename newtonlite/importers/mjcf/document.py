"""MJCF document: one file, its includes spliced in and its sections sorted."""

import math
import os
from pathlib import PurePosixPath

from newtonlite.importers.mjcf.check import check, suggestion
from newtonlite.importers.mjcf.defaults import Classes, complete
from newtonlite.importers.mjcf.files import Files, splice
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.report import Report

LISTS = ("contact", "equality", "tendon", "actuator", "sensor", "keyframe", "custom")
ASSETS = ("mesh", "hfield", "texture", "material")


class Document:
    """A checked model, with what its elements need to be understood.

    ``compiler`` and ``option`` hold the settings that count; ``given`` those options that the file speaks of.
    """

    def __init__(self, root: Node, files: Files, report: Report):
        splice(root, files, report)
        check(root, report)
        self.root, self.files, self.report = root, files, report
        sections = self.sections = {
            c.name: [n for n in root.children if n.tag == c.name] for c in root.element.children
        }
        self.compiler = settings(sections["compiler"], root.element.child("compiler"))
        self.eulerseq = self._eulerseq()
        self.option = settings(sections["option"], root.element.child("option"))
        self.flags = settings(
            [n for part in sections["option"] for n in part.children], root.element.child("option").child("flag")
        )
        self.statistic = settings(sections["statistic"], root.element.child("statistic"))
        self.chain: tuple[str, ...] = (os.path.realpath(root.source.name),)
        check_settings(self)
        self.classes = Classes()
        for section in sections["default"]:
            self.classes.add_section(section)
        self.assets: dict[str, dict[str, Node]] = {kind: {} for kind in ASSETS}
        for section in sections["asset"]:
            for node in section.children:
                self._add_asset(node)
        self.attached: dict[str, Document] = {}
        self.host = self
        """The model that this one is attached to, in the end; itself, where it stands alone."""

    @property
    def world(self) -> list[Node]:
        """The contents of the world, of all its sections."""
        return [node for section in self.sections["worldbody"] for node in section.children]

    def items(self, section: str) -> list[Node]:
        """The contents of all sections of a name."""
        return [node for part in self.sections[section] for node in part.children]

    def radians(self, angle: float) -> float:
        """An angle of the file in rad."""
        return math.radians(angle) if self.compiler["angle"] else angle

    def file_folder(self, kind: str) -> str:
        """Folder of the files of an asset, as the compiler settings say."""
        special = self.compiler["texturedir" if kind == "texture" else "meshdir"]
        return special or self.compiler["assetdir"]

    def file_name(self, name: str) -> str:
        """A file name, without its folders where the compiler settings say so."""
        return PurePosixPath(name.replace("\\", "/")).name if self.compiler["strippath"] else name

    def open(self, node: Node, attr: str, kind: str) -> tuple[bytes, str]:
        """Contents and full name of an asset's file."""
        text = node.values[attr]
        if self.compiler["strippath"]:
            node.values[attr] = self.file_name(text)
        return self.files.read(node, attr, self.file_folder(kind), kind=kind)

    def _eulerseq(self) -> str:
        seq = self.compiler["eulerseq"]
        if len(seq) != 3 or any(c not in "xyzXYZ" for c in seq):
            node = [n for n in self.sections["compiler"] if "eulerseq" in n.values][-1]
            raise node.error(f"'{seq}' is no sequence of axes; give three letters of xyzXYZ", "eulerseq")
        return seq

    def _add_asset(self, node: Node) -> None:
        kind = node.tag
        if kind == "skin":
            return
        name = node.values.get("name") or asset_name(node)
        if kind != "model" and name in self.assets[kind] and (name or kind != "texture"):
            raise node.error(
                f"{kind} '{name}' is defined a second time (first at {self.assets[kind][name].where()}); give it another name"
            )
        if kind == "model":
            return
        if not name and not (kind == "texture" and node.values.get("type") == 2):
            raise node.error("needs the attribute 'name'")
        self.assets[kind][name or f"\0{len(self.assets[kind])}"] = node

    def asset(self, kind: str, name: str, node: Node, attr: str) -> Node:
        """An asset by name; ParseError at the attribute that names it where there is none."""
        found = self.assets[kind].get(name)
        if found is None:
            raise node.error(f"there is no {kind} '{name}'{suggestion(name, self.assets[kind])}", attr)
        return found


def asset_name(node: Node) -> str:
    """The name of an asset that gives none: that of its file."""
    return PurePosixPath(node.values.get("file", "").replace("\\", "/")).stem


def settings(sections: list[Node], element) -> dict:
    """The values of a section that may be repeated; the last one wins, and arrays that are shorter keep the rest."""
    values = complete(element, {})
    for node in sections:
        for name, value in node.values.items():
            rest = values.get(name) if isinstance(value, tuple) and element.attr(name).kind.high else None
            values[name] = value + rest[len(value) :] if rest else value
    return values


def check_settings(document: Document) -> None:
    """Options that would make no sense."""
    for node in document.sections["option"]:
        for name in ("timestep", "impratio"):
            if node.values.get(name, 1.0) <= 0:
                raise node.error(f"{node.values[name]:g}; give a number greater than 0", name)
        for name in (
            "iterations",
            "ls_iterations",
            "noslip_iterations",
            "ccd_iterations",
            "sdf_iterations",
            "sdf_initpoints",
            "tolerance",
            "ls_tolerance",
        ):
            if node.values.get(name, 0) < 0:
                raise node.error(f"{node.values[name]:g} is negative; give at least 0", name)
        for group in node.values.get("actuatorgroupdisable", ()):
            if not 0 <= group <= 30:
                raise node.error(
                    f"there is no group {group}; groups that can be disabled are 0 to 30", "actuatorgroupdisable"
                )

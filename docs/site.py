"""Site: what the pages of ``docs/`` lack as a site: pages of the public interface, documents of the project's root, links
to files of the repository.
"""

import inspect
import posixpath
import re
from importlib import import_module
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
ROOT_PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")
PUBLIC = {
    "newtonlite": "Scene, model, state, errors",
    "newtonlite.solvers": "Solvers",
    "newtonlite.sensors": "Sensors of the scene",
    "newtonlite.selection": "Selections",
    "newtonlite.envs": "Environments",
    "newtonlite.learn.runner": "Training",
    "newtonlite.scale": "Scale-out",
    "newtonlite.viewer": "Viewer",
    "newtonlite.mjwarp": "MuJoCo Warp's names",
    "newtonlite.actuators": "Actuators",
    "newtonlite.controllers": "Controllers",
    "newtonlite.ik": "Inverse kinematics",
    "newtonlite.control": "Control: the names of the three above",
    "newtonlite.compat": "Compatibility",
    "newtonlite.geometry": "Geometry",
    "newtonlite.math": "Math",
    "newtonlite.usd": "USD",
    "newtonlite.utils": "Utilities",
    "newtonlite.models": "Packaged models",
    "newtonlite.exporters.mjcf": "Writing MJCF",
}
"""Public modules, with the title of their page."""
UNSEEN = {"newtonlite.learn.runner": ("Runner", "load_policy", "load_task")}
"""Names of modules that are read without being imported, which would need torch."""


def on_config(config):
    """Fill in the parts of the navigation that are lists of files."""
    decisions = [{title(p): f"decisions/{p.name}"} for p in sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    interface = [{text: f"api/{module}.md"} for module, text in PUBLIC.items()]
    config.nav = [fill(entry, {"decisions": decisions, "api": interface}) for entry in config.nav]
    return config


def fill(entry, lists: dict):
    """An entry of the navigation with the lists that it names."""
    if not isinstance(entry, dict):
        return entry
    (name, value), *_ = entry.items()
    if isinstance(value, str) and value in lists:
        return {name: lists[value]}
    return {name: [fill(e, lists) for e in value] if isinstance(value, list) else value}


def title(path: Path) -> str:
    """First heading of a page."""
    return path.read_text().partition("\n")[0].lstrip("# ")


def on_files(files, config):
    """Add the documents of the root, and a page for each public module."""
    for name in ROOT_PAGES:
        files.append(File.generated(config, name, content=(ROOT / name).read_text()))
    for module, text in PUBLIC.items():
        files.append(File.generated(config, f"api/{module}.md", content=interface(module, text)))
    return files


def interface(module: str, text: str) -> str:
    """Page of a public module: what it is, then each of its names."""
    if module in UNSEEN:
        return "\n\n".join([f"# {text}", *(f"::: {module}.{name}" for name in UNSEEN[module])])
    found = import_module(module)
    names = getattr(found, "__all__", dir(found))
    lines = [f"# {text}", "", f"`{module}`: {inspect.getdoc(found) or ''}", ""]
    said, short = [], []
    for name in sorted(names):
        value = getattr(found, name, None)
        if inspect.ismodule(value) or name.startswith("_") or value is None:
            continue
        place = where(value)
        if place is None:
            about = (inspect.getdoc(value) or "").partition("\n")[0] if callable(value) else ""
            short.append(f"| `{name}` | {about.replace('|', chr(92) + '|')} |")
        else:
            said += [f"::: {place}", ""]
    if short:
        lines += ["| name | |", "|---|---|", *short, ""]
    return "\n".join([*lines, *said])


def where(value) -> str | None:
    """Where the source of a class or function is found without running it; None where it is made by a program."""
    value = (
        getattr(value, "func", value) if type(value).__module__.startswith("warp") else value
    )  # a Warp function's own
    if not (inspect.isclass(value) or inspect.isfunction(value)) or not value.__module__.startswith("newtonlite"):
        return None
    try:
        lines, _ = inspect.getsourcelines(value)
    except (OSError, TypeError):
        return None
    named = any(re.match(rf"(class|def) {value.__name__}\b", line) for line in lines)
    return f"{value.__module__}.{value.__qualname__}" if named and "<locals>" not in value.__qualname__ else None


def on_page_markdown(markdown, page, config, files):
    """Links to files of the repository that are no pages become their names."""

    def mend(m: re.Match) -> str:
        picture, text, target, place = m.groups()
        if target.startswith(("http:", "https:", "mailto:")):
            return m[0]
        at = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), target))
        if at.startswith("../"):  # of the root
            at = at[3:]
            if at in ROOT_PAGES:
                back = posixpath.relpath(at, posixpath.dirname(page.file.src_uri) or ".")
                return f"[{text}]({back}{place or ''})"
            return f"`{at}`"
        if page.file.src_uri in ROOT_PAGES and at.startswith("docs/"):
            return f"{picture}[{text}]({at.removeprefix('docs/')}{place or ''})"
        if files.get_file_from_path(at) is None and (ROOT / "docs" / at).is_dir():
            return text
        if page.file.src_uri in ROOT_PAGES and files.get_file_from_path(at) is None:
            return text
        return m[0]

    return LINK.sub(mend, markdown)

"""Newton 1.8's public names beside ours: what is absent, and which parameters or defaults differ. Writes
docs/newton_api.md.

    python -m conformance newton_api

Reads the list of names, signatures and defaults in ../shared/reference/newton_api.md. Everything absent has a reason in
``REASONS``.
"""

import ast
import importlib
import inspect
import re
import sys
from functools import cache
from typing import NamedTuple

import numpy as np

import newtonlite
from conformance.collection.places import ROOT

REFERENCE = ROOT.parent / "shared" / "reference" / "newton_api.md"
PAGE = ROOT / "docs" / "newton_api.md"
MODULES = "newton newton.solvers newton.geometry newton.utils newton.math newton.selection newton.sensors newton.usd newton.ik newton.actuators newton.controllers newton.config newton.viewer".split()
CLASSES = (
    "ModelBuilder",
    "Model",
    "State",
    "Control",
    "Contacts",
    "SolverMuJoCo",
    "ArticulationView",
    "SensorContact",
    "SensorIMU",
    "SensorFrameTransform",
    "CollisionPipeline",
    "Mesh",
    "Heightfield",
)
SAMPLES = {
    "Mesh": lambda kind: kind(
        np.eye(4, 3),
        [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3],
        normals=np.eye(4, 3),
        uvs=np.zeros((4, 2)),
        texture="grid.png",
        roughness=0.5,
        metallic=0.5,
        opacity=1.0,
    ),
    "CollisionPipeline": lambda kind: kind(newtonlite.ModelBuilder().finalize(device="cpu")),
    "ModelBuilder": lambda kind: kind(),
    "Model": lambda kind: sample(),
    "State": lambda kind: sample().state(),
    "Control": lambda kind: sample().control(),
    "Contacts": lambda kind: kind(1, per_contact_shape_properties=True, contact_matching=True, contact_report=True),
    "SolverMuJoCo": lambda kind: kind(sample()),
}
"""Objects that show what only instances have."""
UNUSED = "not simulated here: particles, cloth, cables, fluids, and what serves them alone"
REASONS = (
    (
        r"newton\.(usd|ik|actuators|controllers|config|viewer|utils)(\.|$)",
        "a part of Newton beside its MuJoCo solver; not built",
    ),
    (r"newton\.solvers\.(?!SolverMuJoCo|SolverBase)", "another of Newton's solvers"),
    (
        r"SolverMuJoCo\.(mjc_actuator|body_free|connect_|has_|jnt_connect|mj_|newton_|nvmax)",
        "bookkeeping inside Newton's solver, and MuJoCo's own data",
    ),
    (
        r"ModelBuilder\.\w+_world_start|shape_filter|frequency_articulation",
        "counted when a model is finalized, or not needed",
    ),
    (r"inertia_(absolute|relative|correction)", "numbers inside Newton's check of inertias"),
    (
        r"(?i)(particle|soft|tendon_(guide|segment|start|label|world)|cloth|tri_|tet_|tetmesh|edge_|spring|deformable|_rod|rod$|cable|gaussian|muscle|fem|mpm|vbd|color|tendonguide|tendon_path|attachment|hydroelastic|surface|curve|volume)",
        UNUSED,
    ),
    (r"(?i)sdf", "distance fields of the collision pipeline"),
    (
        r"(?i)(bvh|heightfield_|broadphase|narrowphase|intersect_ray|camera|reduction)",
        "ways of Newton's own pipelines; the engine has its own (docs/collision.md)",
    ),
    (r"(?i)(usd|request_kind|proxy|proxies|coupling|endpoint|hinge)", "belongs to USD scenes or coupled solvers"),
    (r"newton\.math\.", "Warp functions of Newton's own kernels"),
    (r"newton\.geometry\.", "functions inside Newton's own collision kernels"),
    (
        r"CollisionSubstepScheduler|CollisionFrequency|CollisionSlot|collision_",
        "solvers that call a collision pipeline themselves",
    ),
    (
        r"(?i)actuator|get_state_attr|controller",
        "explicit drives of newton.actuators; the mujoco namespace has the actuators",
    ),
    (
        r"validate_observables|\.contacts$|integrate_bodies|mujoco_viewer",
        "helpers of Newton's base solver and of MuJoCo's viewer",
    ),
    (
        r"(?i)mesh_?approximation",
        "settings of convex decomposition, which `approximate_meshes` does not do and refuses by name",
    ),
    (
        r"newton\.(eval_mimic|AxisType|NewtonDeprecationWarning|NewtonWarning|MAXVAL|ParticleFlags|Gaussian|Rod)",
        "not needed by a scene of rigid bodies",
    ),
)
"""Why names are absent: the first pattern found in ``module.name`` or ``Class.name``."""


class Name(NamedTuple):
    """One public name: where, its kind and its signature as text."""

    owner: str
    name: str
    signature: str

    @property
    def full(self) -> str:
        """Owner and name."""
        return f"{self.owner}.{self.name}"


def listed() -> list[Name]:
    """All names of the reference that are compared."""
    text, found = REFERENCE.read_text(), []
    for module in MODULES:
        body = section(text, rf"^### `{re.escape(module)}`$")
        for name, _, value in re.findall(r"^\| `(\w+)` \| ([^|]*) \| `?(.*?)`? \|$", body, re.M):
            found.append(Name(module, name, value.replace("\\|", "|")))
    for cls in CLASSES:
        body = section(text, rf"^## \d+\. {cls}$", "## ") or section(text, rf"^### `newton\.(?:\w+\.)?{cls}\(")
        for name, signature in re.findall(r"^- (?:`)?(\w+)(\(.*\).*?)`", body, re.M):
            found.append(Name(cls, name, signature))
        found += [Name(cls, name, "") for name in re.findall(r"^- property `(\w+)`", body, re.M)]
        body = body.partition("### Measured")[0]
        attributes = re.findall(r"^\| `(\w+)` \|", body, re.M) + re.findall(r"`(\w+)`:\w", body)
        found += [Name(cls, name, "") for name in attributes if name != "self"]
    return found


def section(text: str, head: str, level: str = "###? ") -> str:
    """The text below a heading, up to the next one."""
    start = re.search(head, text, re.M)
    if not start:
        return ""
    rest = text[start.end() :]
    end = re.search(rf"^{level}", rest, re.M)
    return rest[: end.start()] if end else rest


def parameters(signature: str) -> dict[str, str]:
    """Names and defaults of a signature; no default is ''."""
    signature = re.sub(r"<(\w+)\.(\w+): [^>]*>", r"'\1.\2'", signature)
    signature = re.sub(r"<[^<>]*>", "'...'", signature)
    inside = re.match(r"\((.*)\)(?: ->.*)?$", signature)
    try:
        args = ast.parse(f"def f({inside[1]}): pass").body[0].args
    except (SyntaxError, TypeError):
        return {}
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
    pairs = [*zip(plain, defaults, strict=True), *zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    return {a.arg: "" if d is None else ast.unparse(d) for a, d in pairs if a.arg not in ("self", "cls")}


@cache
def sample():
    """A ball, as a model."""
    b = newtonlite.ModelBuilder()
    newtonlite.solvers.SolverMuJoCo.register_custom_attributes(b)
    b.add_shape_sphere(b.add_body())
    return b.finalize(device="cpu")


@cache
def made(owner: type):
    """An object that shows what only instances have."""
    return SAMPLES[owner.__name__](owner)


def ours(name: Name):
    """The same thing here, or None."""
    if name.owner.startswith("newton"):
        try:
            owner = importlib.import_module(name.owner.replace("newton", "newtonlite", 1))
        except ModuleNotFoundError:
            return None
    else:
        homes = [importlib.import_module(f"newtonlite{home}") for home in ("", ".solvers", ".selection", ".sensors")]
        owner = next((getattr(home, name.owner) for home in homes if hasattr(home, name.owner)), None)
    found = (
        inspect.getattr_static(owner, name.name, None) if inspect.isclass(owner) else getattr(owner, name.name, None)
    )
    if found is None and name.owner in SAMPLES:
        value = getattr(made(owner), name.name, None)
        found = owner if value is None and hasattr(made(owner), name.name) else value
    return getattr(found, "__func__", found)


def difference(name: Name, thing) -> str:
    """Parameters that are missing and defaults that differ, '' for none."""
    want = parameters(name.signature)
    if not want or not callable(thing):
        return ""
    try:
        here = inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return ""
    open_ended = any(p.kind == p.VAR_KEYWORD for p in here.values())
    parts = [f"without `{p}`" for p in want if p not in here and not open_ended]
    for key, default in want.items():
        if key in here and default and "..." not in default:
            value = here[key].default
            if value is inspect.Parameter.empty or not same(default, value):
                parts.append(
                    f"`{key}` is {'required' if value is inspect.Parameter.empty else repr(value)}, not {default}"
                )
    return ", ".join(parts)


def same(text: str, value) -> bool:
    """Is a default, as Newton writes it, this value?"""
    try:
        if ast.literal_eval(text) == value or str(value) == ast.literal_eval(text):
            return True
    except (ValueError, SyntaxError):
        pass
    return text.strip("'").rpartition(".")[2] in (str(getattr(value, "name", value)), repr(value))


def reason(name: str) -> str:
    """Why a name is absent; '' where no one said."""
    return next((why for pattern, why in REASONS if re.search(pattern, name)), "")


def compare() -> tuple[int, list, list]:
    """(number of names, absent ones with reasons, differing ones with how)."""
    names = listed()
    absent, differing = [], []
    for name in names:
        thing = ours(name)
        if thing is None:
            absent.append((name.full, reason(name.full)))
        elif text := difference(name, thing):
            differing.append((name.full, text))
    return len(names), absent, differing


def page() -> str:
    """The comparison as Markdown."""
    count, absent, differing = compare()
    lines = [
        "# Newton's public names",
        "",
        f"Written by `python -m conformance newton_api`: {count} names of Newton 1.8's modules, and methods, properties and attributes of the classes that a",
        f"scene and its solver are made of. {count - len(absent)} are here, {len(absent)} are not.",
        "",
        "## Absent",
        "",
        "| why | names |",
        "|---|---|",
    ]
    for why in dict.fromkeys(why for _, why in absent):
        lines.append(f"| {why or 'open'} | " + ", ".join(f"`{name}`" for name, w in absent if w == why) + " |")
    lines += ["", "## Here with other parameters", "", "| name | difference |", "|---|---|"]
    lines += [f"| `{name}` | {text} |" for name, text in differing]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the page."""
    if not REFERENCE.is_file():
        print("needs the folder of references beside the project", file=sys.stderr)
        return 2
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())

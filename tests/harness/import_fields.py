"""Two compiled models, field by field: ours and the oracle's. The oracle's list of fields decides what is compared."""

import re
from functools import cache

import numpy as np

from newtonlite.geometry.inertia import legacy_mesh
from newtonlite.geometry.principal import principal

SECTIONS = """body jnt dof tree geom site cam light mesh hfield mat tex tendon wrap actuator eq pair exclude sensor key
    numeric text tuple plugin skin qpos0 qpos flex flexedge""".split()
NOT_KEPT = re.compile(
    # search structures, render buffers, sparse layouts and paths: caches of MuJoCo's own code
    "|".join(
        """body_bvh\\w+ body_margin body_contype body_conaffinity body_simple body_sameframe geom_sameframe site_sameframe dof_simplenum dof_Madr
        mesh_(bvh|oct|path|graph|poly|normal|facenormal|texcoord|facetexcoord|extrema)\\w* mesh_face mesh_normal mesh_texcoord
         flex_bvhadr hfield_pathadr skin_pathadr tex_(pathadr|contenttypeadr) \\w+_plasticadr tendon_tree\\w+""".split()
    )
)
QUATERNIONS = ("body_quat", "geom_quat", "site_quat", "cam_quat", "mesh_quat", "body_iquat")
COUNTS = """nq nv nu na nbody njnt ngeom nsite ncam nlight nmesh nhfield ntex nmat npair nexclude neq ntendon nwrap nsensor nnumeric
    ntext ntuple nkey nmocap ntree nsensordata nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon nuser_actuator
     nuser_sensor nflex nflexnode nflexvert nflexedge nflexelem nflexstiffness nflexbending nflexshelldata nflextexcoord nJfe
     nmeshvert nmeshface nhfielddata ngravcomp nuserdata nhistory nout nactuator nplugin npluginattr npluginstate nskin nskinvert
     nskinface nskinbone nskinbonevert nskintexvert""".split()
NAMES = dict(
    body="body",
    joint="jnt",
    geom="geom",
    site="site",
    camera="cam",
    light="light",
    mesh="mesh",
    hfield="hfield",
    texture="tex",
    material="mat",
    pair="pair",
    exclude="exclude",
    equality="eq",
    tendon="tendon",
    actuator="actuator",
    sensor="sensor",
    numeric="numeric",
    text="text",
    tuple="tuple",
    key="key",
    flex="flex",
    plugin="plugin",
    skin="skin",
)
MESH, STRAIN = 7, 3
NANOMETRE = 1e-3
"""Least length to divide by: a billionth of a metre is no difference."""
FLOOR = 1e-9
"""Numbers are never compared with less than this: it is rounding of a sum that should vanish."""


@cache
def _array_fields(kind: type) -> list[str]:
    named = [name for name in dir(kind) if name.split("_")[0] in SECTIONS]
    return [name for name in named if not NOT_KEPT.fullmatch(name)]


def field_names(oracle) -> list[str]:
    """The array fields of MuJoCo's model that a compiled model is to have."""
    return [name for name in _array_fields(type(oracle)) if isinstance(getattr(oracle, name), np.ndarray)]


def compare(oracle, ours) -> dict[str, float]:
    """Error of each field: relative, infinite where shapes or integers differ; missing ones have NaN."""
    errors = {
        name: count_error(getattr(oracle, name), getattr(ours, name, None)) for name in COUNTS if hasattr(oracle, name)
    }
    for name in field_names(oracle):
        errors[name] = field_error(name, getattr(oracle, name), getattr(ours, name, None), oracle)
    if errors.get("flex_stiffness", 0.0) > 0:
        errors["flex_stiffness"] = field_error("", strain_forms(oracle), strain_forms(ours), oracle)
    errors["inertia tensors"] = (
        error(tensors(oracle).astype(np.float32), tensors(ours)) if oracle.nbody == ours.nbody else np.inf
    )
    for owner in ("opt", "stat"):
        for name in dir(getattr(oracle, owner)):
            want = getattr(getattr(oracle, owner), name)
            if not name.startswith("_") and not callable(want):
                errors[f"{owner}.{name}"] = field_error(
                    name, np.atleast_1d(want), getattr(getattr(ours, owner), name, None), oracle
                )
    for kind, _prefix in NAMES.items():
        errors[f"names_{kind}"] = name_error(kind, oracle, getattr(ours, f"names_{kind}", None))
    return errors


def strain_forms(model) -> np.ndarray:
    """``flex_stiffness``, the modes of strain of a cell as the form that they make: of equal eigenvalues any will do."""
    found = np.array(model.flex_stiffness, float)
    for f in np.flatnonzero(np.asarray(model.flex_edgeequality) == STRAIN):
        start, nodes = int(model.flex_stiffnessadr[f]), abs(int(model.flex_interp[f])) + 1
        width = 3 * nodes ** (3 if model.flex_interp[f] > 0 else 2)
        after = [int(a) for a in model.flex_stiffnessadr[f + 1 :] if a >= 0]
        for first in range(start, after[0] if after else len(found), width * width):
            record = found[first : first + width * width]
            modes = record[1 : 1 + width * int(record[0])].reshape(-1, width)
            record[:] = (modes.T @ modes).ravel()
    return found


def count_error(want: int, got) -> float:
    """Counts are equal or not."""
    return np.nan if got is None else 0.0 if int(got) == int(want) else np.inf


def name_error(kind: str, oracle, got) -> float:
    """Names are equal or not; without things of a kind there are none to have."""
    want = names(kind, oracle)
    if got is None:
        return np.nan if any(want) else 0.0
    return 0.0 if list(got) == want else np.inf


def names(kind: str, oracle) -> list[str]:
    """The names of all things of a kind in a model of MuJoCo."""
    addresses = getattr(oracle, f"name_{NAMES[kind]}adr")
    return [oracle.names[a : oracle.names.index(b"\0", a)].decode() for a in addresses]


def field_error(name: str, want, got, oracle) -> float:
    """Error of one field."""
    if got is None:
        return np.nan if want.size else 0.0
    want, got = np.asarray(want), np.atleast_1d(np.asarray(got))
    if got.shape != want.shape:
        return np.inf if want.size or got.size else 0.0
    if np.array_equal(got, want):
        return 0.0
    if want.dtype.kind in "iub":
        return np.inf
    if name.endswith(("_pos", "_ipos", "center")):
        return error(want, got, NANOMETRE)
    if name == "geom_size":
        mesh = oracle.geom_type == MESH
        return max(error(want[~mesh], got[~mesh]), error(want[mesh].astype(np.float32), got[mesh]))
    if name == "mesh_vert":
        return vertex_error(want, got, oracle)
    if name in QUATERNIONS:
        sign = np.where((got * want).sum(-1, keepdims=True) < 0, -1.0, 1.0)
        return float(np.abs(want - sign * got).max())
    return error(want, got)


def vertex_error(want, got, oracle) -> float:
    """Largest distance of any coordinate, relative to the largest coordinate of its mesh: they are stored in float32."""
    spans = [slice(a, a + n) for a, n in zip(oracle.mesh_vertadr, oracle.mesh_vertnum)]
    return max(float(np.abs(want[s] - got[s]).max() / np.abs(want[s]).max()) for s in spans)


def error(want, got, floor: float = FLOOR) -> float:
    """Largest error of any number, relative to itself, or to a thousandth of its row's largest, or a millionth of its
    field's.
    """
    part = (
        1.0 if np.asarray(want).dtype == np.float32 else 1e-3
    )  # what is stored in float32 is rounded as its largest component
    want, got = np.asarray(want, float), np.asarray(got, float)
    if want.shape != got.shape:
        return np.inf
    if not want.size:
        return 0.0
    same = (want == got) | (np.isnan(want) & np.isnan(got))
    row = np.abs(want).max(axis=-1, keepdims=True) if want.ndim > 1 else np.abs(want)
    scale = np.maximum.reduce(
        [
            np.abs(want),
            part * np.broadcast_to(row, want.shape),
            np.full(want.shape, 1e-6 * np.nanmax(np.abs(want))),
            np.full(want.shape, floor),
        ]
    )
    found = np.where(same, 0.0, np.abs(got - want) / scale)
    return float(np.where(np.isnan(found), np.inf, found).max())


def tensors(m) -> np.ndarray:
    """Inertia tensors [nbody, 9] in the axes of the bodies."""
    w, x, y, z = np.moveaxis(np.asarray(m.body_iquat, float), -1, 0)
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    R = np.moveaxis(R, -1, 0)
    return ((R * np.asarray(m.body_inertia)[:, None, :]) @ np.swapaxes(R, -1, -2)).reshape(-1, 9)


TURNED = {
    "mesh_quat",
    "mesh_vert",
    "geom_aabb",
    "geom_quat",
    "geom_size",
    "geom_pos",
    "geom_rbound",
    "body_iquat",
    "dof_length",
    "stat.center",
    "stat.extent",
    "stat.meansize",
}
"""What depends on the axes of a mesh."""
ROUNDING = 4e-7
"""Error of a moment, relative to the largest, from what files and meshes keep in float32."""


DOUBLE = 1e-14
"""Error of a body's moment, relative to the largest."""


def axes_error(oracle) -> float:
    """How far rounding may turn the axes of some mesh or body: the error of a moment over the difference of two
    moments.
    """
    gaps = [np.diff(np.sort(moments)).min() / moments.max() for moments in oracle.body_inertia if moments.any()]
    worst = max((np.inf if gap < DOUBLE else DOUBLE / gap for gap in gaps), default=0.0)
    for k in range(oracle.nmesh):
        vertices = oracle.mesh_vert[oracle.mesh_vertadr[k] :][: oracle.mesh_vertnum[k]].astype(float)
        faces = oracle.mesh_face[oracle.mesh_faceadr[k] :][: oracle.mesh_facenum[k]]
        moments = principal(legacy_mesh(vertices, faces).inertia)[0]
        gap = (-np.diff(moments)).min() / moments[0] if moments[0] > 0 else 0.0
        worst = max(worst, ROUNDING / gap if gap > ROUNDING else np.inf)
    return worst


def differences(oracle, ours, allowed: float) -> tuple[dict[str, float], bool]:
    """Errors of the fields that differ by more than allowed, and whether the axes of symmetric meshes and bodies
    explain them all.
    """
    found = {name: e for name, e in compare(oracle, ours).items() if e > allowed}
    limit = axes_error(oracle) if found and set(found) <= TURNED else 0.0
    return found, bool(found) and max(found.values()) <= limit

"""The USD files converted from MJCF against their sources: both imported and compiled, field by field.

    python conformance/usd_mjcf.py --collection ../shared

``add_mjcf`` stands for MuJoCo here; docs/import_parity.md says how far that holds.  Fields that the converter cannot
write are named in ``LOST``; equalities and excludes, whose order it does not keep, are compared as sets.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np

LOST = {
    "geom_contype": "the schema has no masks",
    "geom_conaffinity": "the schema has no masks",
    "geom_gains": "gains of contacts beside solref",
    "geom_dataid": "numbers of meshes",
    "body_geomadr": "follows from the geoms",
    "site_quat": "",
    "ctrl_from": "the adapter's",
    "ctrl_index": "the adapter's",
    "actuator_dampratio": "",
    "geom_exclude": "",
    "jnt_group": "",
    "body_iquat": "in body_tensor",
    "body_inertia": "in body_tensor",
    "geom_castshadow": "",
    "jnt_range": "",
    "actuator_user": "",
    "meaninertia": "",
    "geom_sized": "which word gave a size",
}
SKIPPED = (
    "names_",
    "newton_",
    "mesh",
    "nmesh",
    "mat",
    "nmat",
    "tex",
    "ntex",
    "light",
    "nlight",
    "cam",
    "ncam",
    "key",
    "nkey",
    "text",
    "numeric",
    "nnumeric",
    "tuple",
    "hfield",
)
SKIPPED += (
    "geom_rgba",
    "site_rgba",
    "geom_matid",
    "site_matid",
    "sensor",
    "nsensor",
    "eq_",
    "exclude",
    "nexclude",
    "geom_user",
    "geom_aabb",
    "nuser",
    "skin",
    "ntuple",
    "ntext",
    "vis_",
    "plane",
)
NOT_HELD = {
    "active_adhesion": {"body_pos": "poses of bodies inside <frame> are lost by the converter"},
    "barkour_v0": {"*": "height fields are lost by the converter"},
    "constraints": {
        "neq": "equalities of tendons are lost",
        "equalities": "the same",
        "opt.timestep": "67 steps a second",
    },
    "myofinger": {"*": "ellipsoids are lost by the converter, one of which weighs"},
    "nv_ant": {"jnt_margin": "free joints have no prim", "opt.timestep": "62 steps a second"},
    "pendula": {"*": "two actuators lost their targets", "tree_sleep_policy": "no schema has it"},
    "tabletop": {"*": "ellipsoids are lost by the converter, all that four bodies have"},
    "unitree_g1": {"dof_invweight0": "follows from masses and frames in float32, here by 2.2e-6"},
    "three_humanoids": {
        "body_pos": "poses of bodies inside <frame> are lost by the converter",
        "body_quat": "the same",
        "qpos0": "the same",
        "qpos_spring": "the same",
    },
}
"""What single files do not hold, with the reason; * where sizes differ, and the file cannot be compared."""
USED = {0: 0, 2: 1, 3: 2, 4: 3, 5: 2, 6: 3, 7: 0, 1: 0}


def main() -> int:
    """Compare all pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collection", type=Path, required=True)
    parser.add_argument("--match", default="")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    known = json.loads((args.collection / "reference/usd_newton.json").read_text())["entries"]
    found = {}
    for name, entry in known.items():
        if "from_mjcf" in name and args.match in name:
            found[name] = compare(
                args.collection / "assets" / name, args.collection / "assets" / entry["against_source"]["source"]
            )
            known = NOT_HELD.get(name.split("/")[2], {})
            if "*" in known:
                print(f"{name}: not compared, {known['*']} ({len(found[name])} fields differ)", flush=True)
                continue
            found[name] = [line for line in found[name] if line.split("[")[0].split(":")[0] not in known]
            print(f"{name}: {len(found[name])} fields differ", flush=True)
            for field, why in known.items():
                print(f"     not compared: {field}, {why}")
            for line in found[name]:
                print("    ", line)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1))
    return 0


def compiled(add):
    """The compiled model of what ``add`` adds to a builder."""
    import newtonlite
    from newtonlite.solvers.mujoco.compile import compile_model

    builder = newtonlite.ModelBuilder()
    add(builder)
    return compile_model(builder.finalize())


def compare(usd: Path, mjcf: Path) -> list[str]:
    """Fields that differ, each with the first number of both that does."""
    from newtonlite.importers.report import Report

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = compiled(
            lambda b: b.add_usd(str(usd), joint_ordering="authored", on_unsupported="warn", report=Report("warn"))
        )
        theirs = compiled(lambda b: b.add_mjcf(str(mjcf), on_unsupported="warn"))
    out = []
    for name, (a, b) in fields(ours, theirs).items():
        if a.shape != b.shape:
            out.append(f"{name}: shape {a.shape}, source {b.shape}")
        if name == "body_ipos":
            a, b = (x[np.asarray(theirs.body_mass) > 0] for x in (a, b))
        if name in ("geom_solref", "geom_solimp"):  # pictures have none in the file
            touch = (np.asarray(theirs.geom_contype) != 0) | (np.asarray(theirs.geom_conaffinity) != 0)
            a, b = (a[touch], b[touch]) if a.shape == b.shape else (a, b)
        if a.size and a.shape == b.shape:
            gap = np.abs(a.astype(float) - b.astype(float))
            gap = np.where(np.isnan(gap), 0.0, gap) / np.maximum(1.0, np.abs(b.astype(float)))
            if gap.max() > 2e-6:
                at = np.unravel_index(np.argmax(gap), gap.shape)
                out.append(
                    f"{name}{[int(i) for i in at]}: {a[at]:.7g}, source {b[at]:.7g} ({int((gap > 2e-6).sum())} numbers)"
                )
    return out


def fields(ours, theirs) -> dict:
    """Pairs of arrays that have to be equal."""
    pairs = {}
    for name, value in sorted(vars(theirs).items()):
        if (
            name.startswith(SKIPPED)
            or name in LOST
            or not isinstance(value, (int, float, np.ndarray))
            or np.asarray(value).dtype.kind in "OUS"
        ):
            continue
        pairs[name] = np.asarray(getattr(ours, name)), np.asarray(value)
    for name, value in vars(theirs.opt).items():
        pairs[f"opt.{name}"] = np.asarray(getattr(ours.opt, name), float), np.asarray(value, float)
    for name, of in (
        ("body_tensor", tensors),
        ("geom_axes", geom_axes),
        ("geom_size", sizes),
        ("site_size", site_sizes),
        ("equalities", equalities),
        ("excludes", excludes),
        ("ranges", ranges),
        ("actuator_ctrlspec", lambda m: np.zeros(0)),
    ):
        pairs[name] = of(ours), of(theirs)
    for name in ("geom_quat", "site_quat"):
        pairs.pop(name, None)
    for name in ("body_quat", "qpos0", "qpos_spring"):
        a, b = pairs[name]
        if name == "body_quat" and a.shape == b.shape:
            pairs[name] = a * np.where((a * b).sum(-1, keepdims=True) < 0, -1.0, 1.0), b
    if all(np.shape(a) == np.shape(b) for a, b in (pairs["qpos0"],)):
        for name in ("qpos0", "qpos_spring"):
            a, b = pairs[name]
            pairs[name] = np.where(np.isclose(np.abs(a), np.abs(b)), b, a), b
    return pairs


def matrices(quat) -> np.ndarray:
    """Rotation matrices [n, 3, 3] of (w, x, y, z)."""
    w, x, y, z = np.moveaxis(np.asarray(quat, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    ]
    rows.append([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
    return np.moveaxis(np.array(rows), -1, 0)


def tensors(m) -> np.ndarray:
    """Inertias [n, 3, 3] in the bodies' axes, relative to their largest moment."""
    turn = matrices(m.body_iquat)
    tensor = np.einsum("nij,nj,nkj->nik", turn, m.body_inertia, turn)
    return tensor / np.maximum(np.asarray(m.body_inertia).max(-1), 1e-12)[:, None, None]


def geom_axes(m) -> np.ndarray:
    """What the orientation of geoms means for them: nothing for balls, the axis of round ones, squares of axes of
    boxes.
    """
    turn = matrices(m.geom_quat)
    axes = np.einsum("nik,njk->nijk", turn, turn)
    round_ = np.isin(m.geom_type, (3, 5))[:, None, None]
    plain = np.isin(m.geom_type, (2, 4, 7))[:, None, None]
    return np.where(plain, 0.0, np.where(round_, axes[..., 2], (axes * (np.arange(3) + 1.0)).sum(-1)))


def used(kinds, size) -> np.ndarray:
    """Sizes that a type uses."""
    count = np.array([USED[int(k)] for k in kinds], int).reshape(-1, 1)
    return np.where(np.arange(3) < count, size, 0.0)


def sizes(m) -> np.ndarray:
    """Sizes of geoms."""
    return used(m.geom_type, m.geom_size)


def site_sizes(m) -> np.ndarray:
    """Sizes of sites."""
    return used(m.site_type, m.site_size) if m.nsite else np.zeros((0, 3))


def ranges(m) -> np.ndarray:
    """Ranges of joints that have limits."""
    return np.where(np.asarray(m.jnt_limited, bool)[:, None], m.jnt_range, 0.0)


def equalities(m) -> np.ndarray:
    """Equalities in an order of their own."""
    if not m.neq:
        return np.zeros((0, 22))
    rows = np.concatenate(
        [np.stack([m.eq_type, m.eq_obj1id, m.eq_obj2id], 1), m.eq_data, m.eq_solref, m.eq_solimp], axis=1
    )
    return rows[np.lexsort(rows[:, :3].T)]


def excludes(m) -> np.ndarray:
    """Excludes in an order of their own."""
    return np.sort(np.asarray(m.exclude_signature)) if m.nexclude else np.zeros(0)


if __name__ == "__main__":
    sys.exit(main())

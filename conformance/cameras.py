"""Pictures of cameras: depth and normals beside MuJoCo's rays in float64, segmentation and colours beside its OpenGL renderer.
Writes docs/conformance/cameras.md.

    python -m conformance cameras [--only humanoid]
"""

import numpy as np
import warp as wp

import newtonlite.mjwarp as mjw
from conformance.collection import models
from conformance.collection.places import ROOT
from conformance.sweep import Sweep, table
from tests import oracle
from tests.harness.camera_scenes import COLOURED, LAYERED, silhouettes, similarity

WIDTH, HEIGHT = 160, 120
ROBOTS = ("unitree_g1", "unitree_go1", "shadow_hand", "aloha", "panda", "spot", "anymal_c", "ur5e")
"""Robots among those of the collection, by a part of their name."""
OTHERS = (
    "newton/constraints.xml",
    "gymnasium-robotics/envs/assets/hand/manipulate_egg_touch_sensors.xml",
    "brax/test_data/single_spherical_pendulum_motor.xml",
    "genesis-world/assets/xml/rope_hinge.xml",
    "mujoco-warp/test_data/convex_collision/box100.xml",
    "metaworld/assets/sawyer_xyz/sawyer_peg_unplug_side.xml",
    "gymnasium/envs/mujoco/assets/walker2d.xml",
    "gym-aloha/assets/bimanual_viperx_end_effector_insertion.xml",
    "mjlab/asset_zoo/robots/unitree_g1/xmls/g1.xml",
)
"""Scenes that were drawn by lot from the packages of the collection, one from each."""
DEPTH, NORMAL, RIGHT, SEGMENT, ALIKE = 1e-5, 1e-3, 0.999, 0.99, 0.9
"""Bounds: of errors of depth (relative, absolute below 1 m) and normals; shares of pixels off silhouettes and of all; SSIM."""
HEAD = f"""# Pictures of cameras beside MuJoCo's

`python -m conformance cameras` renders {WIDTH} x {HEIGHT} pixels of each scene and writes this page. Depth and normals are compared with `mj_ray` in
float64, pixel by pixel, away from silhouettes (pixels beside one that sees another geom): shares within {DEPTH:g} of the distance and within {NORMAL:g}.
Segmentation and colours, with mirrors and see-through surfaces, are compared with MuJoCo's OpenGL renderer without haze (Mesa's llvmpipe): shares of pixels that see the same
geom off silhouettes and of all, and structural similarity (SSIM), with one ray per pixel and with four.

"""


def cases() -> dict[str, str]:
    """Scenes of our own, the humanoid, and those robots of the collection that are at hand: text or file of each."""
    files = models.files("mjcf", nmeshvert=300_000)
    robots = {}
    for part in ROBOTS:
        names = sorted((name for name in files if part in name and "scene" not in name), key=len)
        robots |= {names[0]: str(files[names[0]])} if names else {}
    others = {name: str(files[name]) for name in OTHERS if name in files}
    return COLOURED | LAYERED | {"humanoid": str(oracle.HUMANOID)} | robots | others


def filmed(case: str):
    """MuJoCo's model of a scene with a camera, its last, and its state at rest or at the first keyframe."""
    mujoco = oracle.mujoco
    spec = mujoco.MjSpec.from_string(case) if case.startswith("<") else mujoco.MjSpec.from_file(case)
    if not case.startswith("<"):
        mj = spec.compile()
        middle, extent = mj.stat.center, mj.stat.extent
        away = np.array([0.8, -1.0, 0.6]) / np.linalg.norm([0.8, -1.0, 0.6])
        right = np.cross([0.0, 0.0, 1.0], away)
        right /= np.linalg.norm(right)
        pose = np.concatenate([right, np.cross(away, right)])
        camera = spec.worldbody.add_camera(name="film", pos=middle + 1.6 * extent * away)
        camera.alt.type, camera.alt.xyaxes = mujoco.mjtOrientation.mjORIENTATION_XYAXES, pose
    mj = spec.compile()
    data = mujoco.MjData(mj)
    if mj.nkey:
        mujoco.mj_resetDataKeyframe(mj, data, 0)
    mujoco.mj_forward(mj, data)
    return mj, data


def seen_by_rays(mj, data, camera: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Depth along the axis, geom and normal of each pixel of a perspective camera, by MuJoCo's rays."""
    tall = 2.0 * np.tan(np.radians(mj.cam_fovy[camera]) / 2.0)
    u = ((np.arange(WIDTH) + 0.5) / WIDTH - 0.5)[None, :] * tall * WIDTH / HEIGHT
    v = (0.5 - (np.arange(HEIGHT) + 0.5) / HEIGHT)[:, None] * tall
    way = np.stack(np.broadcast_arrays(u, v, -1.0), axis=-1).reshape(-1, 3)
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    pose, groups = data.cam_xmat[camera].reshape(3, 3), np.array([1, 1, 1, 0, 0, 0], np.uint8)
    depth, geom, normal = np.zeros(len(way)), np.zeros(len(way), int), np.zeros((len(way), 3))
    id, n = np.zeros(1, np.int32), np.zeros(3)
    for i, ray in enumerate(way):
        start, far = np.array(data.cam_xpos[camera]), 0.0
        # surfaces that face away are passed, as in pictures
        for _ in range(8):
            t = oracle.mujoco.mj_ray(mj, data, start, pose @ ray, groups, 1, -1, id, n)
            if t < 0 or n @ pose @ ray <= 0:
                break
            far += t + 1e-7
            start = start + (t + 1e-7) * (pose @ ray)
        geom[i] = id[0] if t >= 0 else -1
        if t >= 0:
            depth[i], normal[i] = -(far + t) * ray[2], n
    return depth.reshape(HEIGHT, WIDTH), geom.reshape(HEIGHT, WIDTH), normal.reshape(HEIGHT, WIDTH, 3)


def pictures(mj, data, camera: int, samples: int) -> dict[str, np.ndarray]:
    """Our pictures of a state: depth, seg, normal and rgb."""
    with wp.ScopedDevice("cpu"):
        m, d = mjw.put_model(mj), mjw.put_data(mj, data)
        options = {
            "use_shadows": True,
            "render_skybox": True,
            "shadow_light_fraction": 0.0,
            "samples_per_pixel": samples,
            "use_transparency": True,
            "use_reflections": True,
        }
        every = {f"render_{kind}": True for kind in ("rgb", "depth", "seg", "normal")}
        rc = mjw.create_render_context(mj, 1, (WIDTH, HEIGHT), cam_active=[camera], **every, **options)
        mjw.kinematics(m, d)
        mjw.com_pos(m, d)
        mjw.camlight(m, d)
        mjw.render(m, d, rc)
        found = {kind: rc.picture(kind, 0).numpy()[0] for kind in ("depth", "seg", "normal", "rgb")}
    found["rgb"] = ((found["rgb"][..., None] >> np.array([16, 8, 0], np.uint32)) & 255).astype(np.uint8)
    return found


def judge(case: str) -> dict:
    """Shares of right pixels of a scene."""
    mj, data = filmed(case)
    camera = mj.ncam - 1
    ours, smooth = pictures(mj, data, camera, 1), pictures(mj, data, camera, 2)
    depth, geom, normal = seen_by_rays(mj, data, camera)
    # cameras see nothing behind the far plane, rays do
    beyond = depth > mj.vis.map.zfar * mj.stat.extent
    depth[beyond], geom[beyond] = 0.0, -1
    inside = ~silhouettes(geom)
    # of surfaces as far as each other rays meet the first geom, pictures the last
    near = np.abs(ours["depth"] - depth) <= DEPTH * np.maximum(depth, 1.0)
    right = near & ((ours["seg"][..., 0] >= 0) == (geom >= 0))
    seen = inside & (geom >= 0)
    turned = np.linalg.norm(ours["normal"] - normal, axis=-1) <= NORMAL
    row = {"geoms": int(mj.ngeom), "depth": float(right[inside].mean()), "normals": float(turned[seen].mean())}
    theirs = oracle.picture(mj, data, camera, WIDTH, HEIGHT, "segmentation")
    same = ours["seg"][..., 0] == theirs
    row |= {"segmentation": float(same[inside & ~silhouettes(theirs)].mean()), "all": float(same.mean())}
    drawn = oracle.picture(mj, data, camera, WIDTH, HEIGHT, reflections=True)
    row |= {"ssim": similarity(ours["rgb"], drawn), "ssim4": similarity(smooth["rgb"], drawn)}
    good = row["depth"] >= RIGHT and row["normals"] >= RIGHT and row["segmentation"] >= RIGHT and row["all"] >= SEGMENT
    return row | {"verdict": "equal" if good and row["ssim4"] >= ALIKE else "different"}


def line(row: dict) -> str:
    """Shares of a row."""
    if "depth" not in row:
        return row.get("note", "")
    return f"depth {row['depth']:.4%} segmentation {row['segmentation']:.4%} ({row['all']:.2%}) SSIM {row['ssim']:.3f} {row['ssim4']:.3f}"


def page(rows: list[dict]) -> str:
    """The page: a row for each scene."""
    heads = ("scene", "geoms", "depth", "normals", "segmentation", "of all pixels", "SSIM", "of 4 rays", "verdict")
    lines = table(*heads)
    for row in rows:
        if "depth" in row:
            shares = " | ".join(f"{row[key]:.2%}" for key in ("depth", "normals", "segmentation", "all"))
            lines.append(
                f"| {row['model']} | {row['geoms']} | {shares} | {row['ssim']:.3f} | {row['ssim4']:.3f} | {row['verdict']} |"
            )
        else:
            lines.append(f"| {row['model']} | | | | | | | | {row['verdict']}: {row.get('note', '')} |")
    return HEAD + "\n".join(lines) + "\n"


SWEEP = Sweep(__name__, ROOT / "docs" / "conformance" / "cameras.md", cases, judge, page, line, peers=("mujoco",))

"""What policies see: colour, depth and segmentation of eight humanoids, rendered together and written as one picture.

python examples/cameras.py [out/cameras.png]
"""

import sys

import numpy as np
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite import models
from newtonlite.images.tiled import tiled
from newtonlite.viewer import write_png

WORLDS, SIZE = 8, 128
CAMERA = '<camera name="eye" pos="2.4 -2.2 1.9" xyaxes=".68 .73 0 -.3 .28 .91" fovy="50"/>'
ASSETS = """<asset><texture name="sky" type="skybox" builtin="gradient" width="64" height="384" rgb1=".5 .65 .85" rgb2=".1 .15 .3"/>
<texture name="floor" type="2d" builtin="checker" width="128" height="128" rgb1=".35 .4 .45" rgb2=".5 .55 .6"/>
<material name="floor" texture="floor" texrepeat="2 2" texuniform="true"/></asset>"""


def main() -> None:
    """Throw humanoids, look at them, write the picture."""
    text = models.path("humanoid").read_text().replace("<worldbody>", f"{ASSETS}<worldbody>{CAMERA}", 1)
    text = text.replace('rgba="0.5 0.55 0.6 1"', 'material="floor"')
    mj = mjw.load(text)
    m, d = mjw.put_model(mj), mjw.make_data(mj, nworld=WORLDS)
    rng = np.random.default_rng(0)
    d.qvel = rng.uniform(-2.0, 2.0, (WORLDS, mj.nv)).astype(np.float32)
    rgba = np.tile(m.geom_rgba.numpy(), (WORLDS, 1, 1))
    rgba[:, 1:, :3] = rng.uniform(0.3, 1.0, (WORLDS, 1, 3))  # a colour for each world
    m.geom_rgba = rgba
    for _ in range(60):
        mjw.step(m, d)
    mjw.forward(m, d)

    eye, kinds = ["eye"], {"render_rgb": True, "render_depth": True, "render_seg": True}
    rc = mjw.create_render_context(
        mj, WORLDS, (SIZE, SIZE), cam_active=eye, use_shadows=True, render_skybox=True, **kinds
    )
    mjw.render(m, d, rc)
    colours = wp.zeros((WORLDS, SIZE, SIZE, 3), dtype=wp.uint8)
    mjw.get_rgb(rc, 0, colours)
    depth, geom = rc.picture("depth", 0).numpy(), rc.picture("seg", 0).numpy()[..., 0]
    near = np.where(depth > 0, np.clip(1.0 - depth / 6.0, 0.0, 1.0), 0.0)[..., None].repeat(3, axis=-1)
    paint = rng.integers(60, 255, (mj.ngeom + 1, 3)).astype(np.uint8)
    paint[-1] = 0
    out = sys.argv[1] if len(sys.argv) > 1 else "out/cameras.png"
    print(write_png(out, tiled([*colours.numpy(), *near, *paint[geom]], columns=WORLDS)))


if __name__ == "__main__":
    main()

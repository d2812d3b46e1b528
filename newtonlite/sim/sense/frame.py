"""Frame transform sensor: poses of shapes in the frames of sites."""

from typing import Any

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.sim.sense.match_labels import both, match_labels, match_sites

kernel_module(__name__)


@wp.func
def shape_pose(
    shape: int, shape_body: wp.array[int], shape_transform: wp.array[wp.transform], body_q: wp.array[wp.transform]
):
    """Pose of a shape in the world."""
    pose = shape_transform[shape]
    body = shape_body[shape]
    if body >= 0:
        pose = body_q[body] * pose
    return pose


@wp.kernel
def relative_poses(
    shapes: wp.array[int],
    references: wp.array[int],
    shape_body: wp.array[int],
    shape_transform: wp.array[wp.transform],
    body_q: wp.array[wp.transform],
    transforms: wp.array[wp.transform],
):
    """``inv(X_reference) X_shape`` of each pair."""
    i = wp.tid()
    frame = shape_pose(references[i], shape_body, shape_transform, body_q)
    transforms[i] = wp.transform_inverse(frame) * shape_pose(shapes[i], shape_body, shape_transform, body_q)


class SensorFrameTransform:
    """Poses of shapes (sites too) relative to reference sites; ``transforms`` [n] after ``update``.

    ``shapes`` and ``reference_sites`` are patterns of labels (see ``selection``) or indices; one reference serves all
    shapes.
    """

    def __init__(self, model: Any, shapes: Any, reference_sites: Any, *, verbose: bool | None = None):
        where = "SensorFrameTransform"
        self.model = model
        chosen = match_labels(model.shape_label, shapes, f"{where} shapes")
        pairs = both(chosen, match_sites(model, reference_sites, f"{where} reference_sites"), where)
        self.shapes, self.reference_sites = (wp.array(x, dtype=int, device=model.device) for x in pairs)
        self.transforms = wp.zeros(len(chosen), dtype=wp.transform, device=model.device)
        if verbose:
            print(f"{where}: {len(chosen)} frames")

    def update(self, state: Any) -> None:
        """Read the poses of a state."""
        m = self.model
        inputs = [self.shapes, self.reference_sites, m.shape_body, m.shape_transform, state.body_q]
        wp.launch(relative_poses, dim=len(self.transforms), inputs=inputs, outputs=[self.transforms], device=m.device)

"""Scenes that the engine cannot collide, and what a pipeline finds in them, in the world."""

import numpy as np
import trimesh
import warp as wp

import newtonlite as newton


def pose(x=0.0, y=0.0, z=0.0, q=(0, 0, 0, 1)):
    """A pose."""
    return wp.transform((x, y, z), q)


def mesh_of(made) -> newton.Mesh:
    """A trimesh as a Mesh."""
    return newton.Mesh(np.asarray(made.vertices), np.asarray(made.faces).ravel())


def corner() -> newton.Mesh:
    """A floor 1 by 1 with its top at 0.1, and a wall across it from -0.1 to 0.1 along x, up to 0.5: not convex."""
    return mesh_of(trimesh.util.concatenate([trimesh.creation.box((1, 1, 0.2)), trimesh.creation.box((0.2, 1, 1))]))


def floor(cells: int = 7, bumpy: float = 0.0) -> newton.Mesh:
    """A closed slab 2 by 2 with its top at 0, cut into many triangles; without bumps it is flat."""
    field = newton.Heightfield(bumpy * np.random.default_rng(4).random((cells, cells)), cells, cells, hx=1.0, hy=1.0)
    from newtonlite.collide.mesh_surface import outward_normals

    vertices, triangles = outward_normals(field, np.ones(3))
    return newton.Mesh(vertices, triangles.ravel())


KINDS = {
    "sphere": lambda b, body, cfg: b.add_shape_sphere(body, radius=0.1, cfg=cfg),
    "capsule": lambda b, body, cfg: b.add_shape_capsule(body, radius=0.05, half_height=0.05, cfg=cfg),
    "ellipsoid": lambda b, body, cfg: b.add_shape_ellipsoid(body, rx=0.12, ry=0.09, rz=0.1, cfg=cfg),
    "cylinder": lambda b, body, cfg: b.add_shape_cylinder(body, radius=0.08, half_height=0.1, cfg=cfg),
    "box": lambda b, body, cfg: b.add_shape_box(body, hx=0.07, hy=0.08, hz=0.1, cfg=cfg),
    "cone": lambda b, body, cfg: b.add_shape_cone(body, radius=0.08, half_height=0.1, cfg=cfg),
    "hull": lambda b, body, cfg: b.add_shape_convex_hull(body, mesh=newton.Mesh.create_box(0.07, 0.08, 0.1), cfg=cfg),
    "mesh": lambda b, body, cfg: b.add_shape_mesh(body, mesh=hollow(), cfg=cfg),
}
"""Shapes that reach 0.1 below their middle."""

FLAT = {"sphere": 1, "capsule": 1, "ellipsoid": 1, "cylinder": 4, "box": 4, "cone": 8, "hull": 4, "mesh": 4}
"""Contacts, at least, of each standing on a flat floor."""


def hollow() -> newton.Mesh:
    """A box 0.14 by 0.16 by 0.2 with a pit in its top."""
    half = np.array([0.07, 0.08, 0.1])
    outer = trimesh.creation.box(2 * half)
    inner = trimesh.creation.box((0.08, 0.08, 0.1))
    inner.apply_translation([0, 0, 0.06])
    inner.invert()
    return mesh_of(trimesh.util.concatenate([outer, inner]))


def stand(kind: str, mesh: newton.Mesh, height: float, gap: float = 0.0, at=(0.0, 0.0), q=(0, 0, 0, 1)):
    """A shape over a mesh that does not move, its middle at a height."""
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=gap)
    b.add_shape_mesh(-1, mesh=mesh, cfg=cfg, label="ground")
    KINDS[kind](b, b.add_body(xform=pose(*at, height, q)), cfg)
    return b


def found(model, pipeline=None, state=None) -> dict:
    """Contacts in the world: shapes [n, 2], both surface points, normal and distance."""
    pipeline = pipeline or newton.CollisionPipeline(model)
    contacts = pipeline.contacts()
    pipeline.collide(state or model.state(), contacts)
    return in_world(model, contacts, state or model.state())


def in_world(model, contacts, state) -> dict:
    """The rows of contacts in the world."""
    n = int(contacts.rigid_contact_count.numpy()[0])
    rows = {
        k: getattr(contacts, f"rigid_contact_{k}").numpy()[:n]
        for k in ("shape0", "shape1", "point0", "point1", "offset0", "offset1", "normal", "margin0", "margin1")
    }
    body = np.concatenate([state.body_q.numpy().reshape(-1, 7), [[0, 0, 0, 0, 0, 0, 1]]])
    margin = model.shape_margin.numpy()
    ends = []
    for k, way in ((0, 1.0), (1, -1.0)):
        X = body[model.shape_body.numpy()[rows[f"shape{k}"]]]
        inside = rows[f"margin{k}"] - margin[rows[f"shape{k}"]]
        ends.append(X[:, :3] + turn(X[:, 3:], rows[f"point{k}"]) + way * inside[:, None] * rows["normal"])
    dist = np.einsum("ni,ni->n", ends[1] - ends[0], rows["normal"])
    return {
        "shapes": np.stack([rows["shape0"], rows["shape1"]], 1),
        "points": np.stack(ends, 1),
        "normal": rows["normal"],
        "dist": dist,
        "rows": rows,
    }


def turn(q, v):
    """Rotate vectors [n, 3] by quaternions (x, y, z, w) [n, 4]."""
    u = q[:, :3]
    return v + 2.0 * np.cross(u, np.cross(u, v) + q[:, 3:] * v)

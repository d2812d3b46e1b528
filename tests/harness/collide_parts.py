"""Parts that are not convex, made of triangles by formula: a bolt and its nut, a mug and a hook."""

import numpy as np
import trimesh

import newtonlite as newton

HANDLE, OPENING = 0.050, 0.026
"""[m] from the axis of the mug to the middle of its handle's opening, and how far that is from its end."""

PITCH, RADIUS, DEPTH, PLAY = 0.004, 0.010, 0.002, 0.0003
"""[m] of the thread: height of a turn, largest radius of the bolt, depth of the groove, and how much wider the nut is.
"""


def wave(turns: np.ndarray) -> np.ndarray:
    """A triangle wave of period 1 between 0 and 1, flat for a tenth at both ends."""
    x = np.abs((turns % 1.0) * 2.0 - 1.0)
    return np.clip((x - 0.1) / 0.8, 0.0, 1.0)


def threaded(low: float, high: float, larger: float, around: int = 32, along: int = 8) -> np.ndarray:
    """Points [rows, around, 3] of a right-handed thread about z between two heights, wider by ``larger``."""
    rows = max(2, int(np.ceil((high - low) / PITCH * along))) + 1
    z, angle = np.meshgrid(np.linspace(low, high, rows), np.arange(around) * 2.0 * np.pi / around, indexing="ij")
    r = RADIUS + larger - DEPTH * wave(z / PITCH - angle / (2.0 * np.pi))
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=-1)


def wall(rows: int, around: int, first: int, inside: bool = False) -> np.ndarray:
    """Triangles of a tube of points, seen from outside or inside."""
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(around), indexing="ij")
    a, b = i * around + j, i * around + (j + 1) % around
    t = np.concatenate(
        [np.stack([a, b, b + around], -1).reshape(-1, 3), np.stack([a, b + around, a + around], -1).reshape(-1, 3)]
    )
    return first + (t[:, ::-1] if inside else t)


def ring(inner: np.ndarray, outer: np.ndarray, up: bool) -> np.ndarray:
    """Triangles between two rings of as many points."""
    i, o = np.roll(inner, -1), np.roll(outer, -1)
    t = np.concatenate([np.stack([inner, outer, o], 1), np.stack([inner, o, i], 1)])
    return t if up else t[:, ::-1]


def bolt(low: float = -0.02, high: float = 0.02, around: int = 32) -> newton.Mesh:
    """A threaded rod."""
    points = threaded(low, high, 0.0, around)
    rows = len(points)
    vertices = np.concatenate([points.reshape(-1, 3), [[0, 0, low], [0, 0, high]]])
    n = np.arange(around)
    m, top = rows * around, (rows - 1) * around
    caps = [
        np.stack([(n + 1) % around, n, np.full(around, m)], 1),
        np.stack([top + n, top + (n + 1) % around, np.full(around, m + 1)], 1),
    ]
    return newton.Mesh(vertices, np.concatenate([wall(rows, around, 0), *caps]))


def nut(height: float = 0.008, outer: float = 0.016, around: int = 32) -> newton.Mesh:
    """A round nut that fits the bolt when both are in the same pose."""
    inside = threaded(-0.5 * height, 0.5 * height, PLAY, around)
    rows = len(inside)
    angle = np.arange(around) * 2.0 * np.pi / around
    circle = np.stack([outer * np.cos(angle), outer * np.sin(angle)], 1)
    ends = [np.column_stack([circle, np.full(around, z)]) for z in (-0.5 * height, 0.5 * height)]
    vertices = np.concatenate([inside.reshape(-1, 3), *ends])
    n, first = np.arange(around), rows * around
    low = ring(n, first + n, up=False)
    high = ring((rows - 1) * around + n, first + around + n, up=True)
    return newton.Mesh(
        vertices, np.concatenate([wall(rows, around, 0, inside=True), wall(2, around, first), low, high])
    )


def tube(path: np.ndarray, radius: float, around: int = 12, closed: bool = False) -> trimesh.Trimesh:
    """A round bar along points [n, 3] of the xz plane."""
    ahead = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0)
    if not closed:
        ahead[0], ahead[-1] = path[1] - path[0], path[-1] - path[-2]
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    side = np.cross(ahead, [0.0, 1.0, 0.0])
    angle = np.arange(around) * 2.0 * np.pi / around
    points = path[:, None] + radius * (
        np.cos(angle)[:, None] * side[:, None] + np.sin(angle)[:, None] * np.array([0.0, 1.0, 0.0])
    )
    rows = len(path)
    triangles = wall(rows, around, 0)
    n = np.arange(around)
    if closed:
        last = (rows - 1) * around
        more = [
            np.stack([last + n, last + (n + 1) % around, (n + 1) % around], 1),
            np.stack([last + n, (n + 1) % around, n], 1),
        ]
        vertices = points.reshape(-1, 3)
    else:
        vertices = np.concatenate([points.reshape(-1, 3), path[[0, -1]]])
        m, top = rows * around, (rows - 1) * around
        more = [
            np.stack([(n + 1) % around, n, np.full(around, m)], 1),
            np.stack([top + n, top + (n + 1) % around, np.full(around, m + 1)], 1),
        ]
    made = trimesh.Trimesh(vertices, np.concatenate([triangles, *more]), process=False)
    if made.volume < 0:
        made.invert()
    return made


def mug(radius: float = 0.04, height: float = 0.09, thick: float = 0.004) -> newton.Mesh:
    """A mug about z with a handle towards +x: an open cup and a ring that runs into its wall."""
    cup = trimesh.creation.revolve(
        np.array(
            [[0, 0], [radius, 0], [radius, height], [radius - thick, height], [radius - thick, thick], [0, thick]]
        ),
        sections=40,
    )
    if cup.volume < 0:
        cup.invert()
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 17)
    path = np.stack([radius - 0.002 + 0.026 * np.cos(angle), 0 * angle, 0.5 * height + 0.028 * np.sin(angle)], 1)
    whole = trimesh.util.concatenate([cup, tube(path, 0.004)])
    return newton.Mesh(np.asarray(whole.vertices), np.asarray(whole.faces).ravel())


def hook() -> newton.Mesh:
    """A bent bar: from a stem at x = 0 out along +x, with its tip turned up."""
    angle = np.linspace(-0.5 * np.pi, 0.0, 9)
    bend = np.stack([0.05 + 0.012 * np.cos(angle), 0 * angle, 0.012 + 0.012 * np.sin(angle)], 1)
    path = np.concatenate(
        [[[-0.02, 0, 0]], [[x, 0, 0] for x in np.linspace(-0.01, 0.045, 8)], bend, [[0.062, 0, 0.02]]]
    )
    bar = tube(path, 0.003)
    return newton.Mesh(np.asarray(bar.vertices), np.asarray(bar.faces).ravel())

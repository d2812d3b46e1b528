"""ViewerViser: the page in the browser for programs written for Newton's viewers."""

from collections import defaultdict, deque

import numpy as np

from newtonlite.core.replacing import replace_file
from newtonlite.math import transform as tf
from newtonlite.viewer.batches import Appearance
from newtonlite.viewer.loop import Loop
from newtonlite.viewer.newton.base import ViewerBase, host
from newtonlite.viewer.page.overlays.glyphs import ARROW, BALL, ROD, Glyphs, line_rods, z_to_directions
from newtonlite.viewer.page.scene import screen
from newtonlite.viewer.page.viewer import Viewer
from newtonlite.viewer.surfaces import Surface, creased
from newtonlite.viewer.touching import contacts_in_world

EMPTY = Appearance([], [], 1, np.zeros((0, 7), np.float32), [], np.zeros(0, int))
COLOR = (0.35, 0.55, 0.85)


class ViewerViser(ViewerBase):
    """A page that shows what a program logs, with pause, single steps, reset, and picking.

    Args:
        host: address to listen on. Beyond the loopback the page asks for a token, which is part of ``url``.
        port: 0 for any free one.
        paused: begin paused.
        label: title of the panels.
        verbose: print the address.
        share: refused: it would send everything through a server of others.
        record_to_viser: a file that ``close`` writes, for viser's own player.
        plot_history_size: points of a plot of ``log_scalar``.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        paused: bool = False,
        label: str | None = None,
        verbose: bool = True,
        share: bool = False,
        record_to_viser: str | None = None,
        plot_history_size: int = 250,
    ):
        super().__init__()
        if share:
            raise ValueError(
                "share=True would send the page through an outside server; give host an address that others reach instead"
            )
        self._where = {"host": host, "port": port, "label": label or "newtonlite"}
        self._loop, self._history, self._record_to = Loop(paused), plot_history_size, record_to_viser
        self._open(EMPTY)
        if verbose:
            print(f"open {self.url}", flush=True)

    def _open(self, what) -> None:
        """The page, anew where there was one, at the same address."""
        if hasattr(self, "viewer"):
            self._where["port"], self._where["token"] = self.viewer.server.port, self.viewer.server.token
            self.viewer.close()
        self.viewer = Viewer(what, session=self._loop, **self._where)
        self._meshes: dict[str, Surface] = {}
        self._glyphs: dict[str, Glyphs] = {}
        self._images: dict[str, object] = {}
        self._recent: dict[str, deque] = defaultdict(deque)
        self._serializer = self.viewer.api.get_scene_serializer() if self._record_to else None
        self._sent = False

    @property
    def url(self) -> str:
        """URL of the page."""
        return self.viewer.url

    @property
    def server(self):
        """viser's server."""
        return self.viewer.api

    def set_model(self, model) -> None:
        """Show another model."""
        super().set_model(model)
        self._open(EMPTY if model is None else model)

    def notify_model_changed(self, flags) -> None:
        """Read shapes anew."""
        if self.model is not None:
            self._open(self.model)

    def set_visible_worlds(self, worlds) -> None:
        """Show these worlds alone."""
        super().set_visible_worlds(worlds)
        self.viewer.layout.choose(self.visible_worlds)
        self.viewer.rebuild()

    def set_world_offsets(self, spacing) -> None:
        """Put worlds on a grid."""
        super().set_world_offsets(spacing)
        self.viewer.layout.spread([float(x) for x in spacing])
        self.viewer.rebuild()

    def set_camera(self, pos, pitch: float | None = None, yaw: float | None = None) -> None:
        """Look from there, whoever looks."""
        up, turn = np.radians(pitch or 0.0), np.radians(yaw or 0.0)
        position = np.array([float(x) for x in pos])
        ahead = position + max(self.viewer.radius, 0.1) * np.array(
            [np.cos(up) * np.cos(turn), np.cos(up) * np.sin(turn), np.sin(up)]
        )
        self.viewer.api.initial_camera.position, self.viewer.api.initial_camera.look_at = tuple(position), tuple(ahead)
        for client in self.viewer.api.get_clients().values():
            client.camera.position, client.camera.look_at = position, ahead

    def set_reset_callback(self, callback) -> None:
        """Set the function that the button Reset calls."""
        self._loop.on_reset = callback

    # the loop

    def is_running(self) -> bool:
        return not self.viewer.closed.is_set()

    def is_paused(self) -> bool:
        """Whether someone paused."""
        self.viewer.poll()
        return self._loop.clock.paused

    def should_step(self) -> bool:
        """Whether to take a step in this turn of the loop."""
        self.viewer.poll()
        return not self._loop.clock.paused or self._loop.clock.due(self.time)

    def begin_frame(self, time: float) -> None:
        """A frame begins; it is sent if one is due and someone looks."""
        super().begin_frame(time)
        self._loop.time = self.time
        self.viewer.poll()
        self._sent = self._serializer is not None or self.viewer.budget.due() and self.viewer.looked_at
        self._atomic = self.viewer.api.atomic()
        self._atomic.__enter__()

    def end_frame(self) -> None:
        """Send what was logged."""
        self._atomic.__exit__(None, None, None)
        if self._serializer is not None:
            self._serializer.insert_sleep(max(self.time - getattr(self, "_before", self.time), 0.0))
            self._before = self.time
        self._sent = False

    def apply_forces(self, state) -> None:
        """The push of who drags a body."""
        if self.viewer.push is not None and self.picking_enabled:
            self.viewer.push.apply(state)

    def close(self) -> None:
        """Close the page; write what was recorded."""
        if self._serializer is not None:
            replace_file(self._record_to, self._serializer.serialize())
            self._serializer = None
        self.viewer.close()

    # what is logged

    def log_state(self, state) -> None:
        """Put bodies where they are."""
        if self._sent and self.model is not None and state.body_q is not None:
            self._loop.state = state
            self.viewer.time = self.time
            for title, shown in (
                ("Joint axes", self.show_joints),
                ("Centres of mass", self.show_com),
                ("Inertias", self.show_inertia_boxes),
            ):
                overlay = self.viewer.overlays.named(title)
                if shown and not overlay.shown and overlay.possible():
                    overlay.shown = True
            self.viewer.show_poses(state.body_q.numpy(), state)

    def log_contacts(self, contacts, state, observables=None) -> None:
        """Arrows along normals, and for forces."""
        if not (self._sent and self.show_contacts and self.model is not None):
            return
        found = contacts_in_world(self.model, contacts, state.body_q.numpy(), getattr(observables, "contact_f", None))
        shown = self.viewer.layout.is_shown[found.world]
        place = found.position[shown] + self.viewer.layout.offsets[found.world[shown]]
        size = 0.2 * self.viewer.radius
        self.log_arrows(
            "/contacts/normals",
            place,
            place + size * found.normal[shown],
            (1.0, 0.65, 0.0),
            0.03 * size,
            not self.show_contact_normals,
        )
        force = found.force[shown]
        strong = np.linalg.norm(force, axis=1)
        force = force * (size / max(float(np.median(strong[strong > 0])) if (strong > 0).any() else 1.0, 1e-9))
        hidden = not self.show_contact_forces or not (strong > 0).any()
        self.log_arrows(
            "/contacts/force", place[strong > 0], (place + force)[strong > 0], (0.85, 0.15, 0.15), 0.04 * size, hidden
        )

    def log_mesh(
        self,
        name,
        points,
        indices,
        normals=None,
        uvs=None,
        texture=None,
        hidden=False,
        backface_culling=True,
        color=None,
        roughness=None,
        metallic=None,
        dynamic=False,
        opacity=None,
    ) -> None:
        """Keep a mesh for copies; drawn once at the origin unless hidden."""
        triangles = np.asarray(host(indices), np.int64).reshape(-1, 3)
        self._meshes[name] = creased(host(points, 3), triangles)
        self._drop(name)
        if not hidden:
            self.log_instances(
                name,
                name,
                np.array([tf.IDENTITY]),
                None,
                None if color is None else [color],
                opacities=None if opacity is None else [opacity],
            )

    def log_instances(
        self, name, mesh, xforms, scales=None, colors=None, materials=None, hidden=False, opacities=None
    ) -> None:
        """Copies of a mesh."""
        if mesh not in self._meshes:
            raise ValueError(f"log_instances {name!r}: no mesh was logged as {mesh!r}; call log_mesh first")
        poses = host(xforms, 7)
        if hidden or poses is None:
            self._drop(name)
            return
        sizes = np.ones((len(poses), 3)) if scales is None else host(scales, 3)
        faint = None if opacities is None else float(np.min(host(opacities), initial=1.0))
        self._draw(name, self._meshes[mesh], poses[:, :3], poses[:, [6, 3, 4, 5]], sizes, colors, faint)

    def log_lines(self, name, starts, ends, colors=None, width=0.01, hidden=False) -> None:
        self._between(name, ROD, starts, ends, colors, hidden, lambda a, b: line_rods(a, b, 0.5 * width))

    def log_arrows(self, name, starts, ends, colors=None, width=0.01, hidden=False) -> None:
        self._between(name, ARROW, starts, ends, colors, hidden, lambda a, b: arrows(a, b, width))

    def _between(self, name, mesh, starts, ends, colors, hidden, place) -> None:
        first, last = host(starts, 3), host(ends, 3)
        if hidden or first is None or last is None or not len(first):
            self._drop(name)
            return
        if first.shape != last.shape:
            raise ValueError(f"{name!r}: {len(first)} starts for {len(last)} ends")
        self._draw(name, mesh, *place(first, last), colors)

    def log_points(self, name, points, radii=None, colors=None, hidden=False) -> None:
        """Balls."""
        places = host(points, 3)
        if hidden or places is None or not len(places):
            self._drop(name)
            return
        size = np.broadcast_to(0.02 * self.viewer.radius if radii is None else host(radii), len(places))
        self._draw(
            name, BALL, places, np.tile([1.0, 0, 0, 0], (len(places), 1)), np.repeat(size[:, None], 3, axis=1), colors
        )

    def _draw(self, name, mesh, positions, wxyzs, scales, colors, opacity=None) -> None:
        """Copies of a mesh under a name, if this frame is sent or they are new."""
        if name in self._glyphs and not self._sent:
            return
        glyphs = self._glyphs.setdefault(
            name, Glyphs(self.viewer.api, "/logged/" + name.strip("/"), mesh, (90, 140, 220), opacity)
        )
        given = np.array([COLOR], np.float32) if colors is None else np.asarray(host(colors), np.float32).reshape(-1, 3)
        glyphs.set(positions, wxyzs, scales, screen(np.broadcast_to(given, (len(positions), 3))))

    def _drop(self, name: str) -> None:
        if name in self._glyphs:
            self._glyphs.pop(name).clear()

    def log_scalar(self, name, value, *, clear=False, smoothing=1) -> None:
        """A plot over time."""
        recent = self._recent[name]
        if clear:
            recent.clear()
        recent.append(float(value))
        while len(recent) > max(int(smoothing), 1):
            recent.popleft()
        self.viewer.panels["Plots"].log(name, sum(recent) / len(recent), self.time, clear, self._history)

    def log_image(self, name, image, *, fullscreen=False) -> None:
        """A picture among the panels; several are put side by side."""
        values = np.asarray(image.numpy() if hasattr(image, "numpy") else image)
        values = np.concatenate(list(values), axis=1) if values.ndim == 4 else values
        values = values[..., None] if values.ndim == 2 else values
        values = values if values.dtype == np.uint8 else (np.clip(values, 0.0, 1.0) * 255 + 0.5).astype(np.uint8)
        values = np.repeat(values, 3, axis=2) if values.shape[2] == 1 else values[..., :3]
        if name not in self._images:
            with self.viewer.panels["Plots"].folder:
                self._images[name] = self.viewer.api.gui.add_image(values, label=name)
        elif self._sent:
            self._images[name].image = values

    def log_gizmo(self, name, transform, *, translate=None, rotate=None, snap_to=None) -> None:
        """A handle that people drag; the transform follows."""
        if name in self._glyphs:
            return
        pose = np.array([float(x) for x in transform])
        control = self.viewer.api.scene.add_transform_controls(
            "/gizmo/" + name.strip("/"),
            scale=0.4 * self.viewer.radius,
            position=tuple(pose[:3]),
            wxyz=tuple(pose[[6, 3, 4, 5]]),
            disable_axes=translate is not None and not len(translate),
            disable_rotations=rotate is not None and not len(rotate),
        )
        self._glyphs[name] = Gizmo(control, transform)
        control.on_update(lambda event: self.viewer.ask(self._glyphs[name].follow))


class Gizmo:
    """A handle and the transform that follows it."""

    def __init__(self, control, transform):
        self.control, self.transform = control, transform

    def follow(self) -> None:
        """Write where the handle is into the transform."""
        w, x, y, z = self.control.wxyz
        for k, value in enumerate((*self.control.position, x, y, z, w)):
            self.transform[k] = float(value)

    def clear(self) -> None:
        """Take it off the page."""
        self.control.remove()


def arrows(starts, ends, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, quaternions and scales of ``ARROW``, whose shaft has a radius of 0.04, from starts to ends."""
    way = ends - starts
    length = np.linalg.norm(way, axis=1)
    thick = np.full(len(way), radius / 0.04)
    return starts, z_to_directions(way), np.stack([thick, thick, length], axis=1)

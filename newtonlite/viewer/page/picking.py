"""Picking on the page: control and drag pulls the body under the pointer; a click chooses its world."""


class Picking:
    """Binds the meshes of the scene to the viewer's push."""

    def __init__(self, viewer):
        self.viewer = viewer
        self.world = 0
        viewer.scene.on_new = self.bind
        self.line = None

    def bind(self, batch, handle) -> None:
        """Let a mesh be clicked and dragged."""
        if batch.bodies[0] < 0:
            return

        @handle.on_drag("left", modifier="cmd/ctrl")
        async def _(event) -> None:
            self.viewer.ask(lambda: self.drag(batch.name, event))

        @handle.on_click
        async def _(event) -> None:
            self.viewer.ask(lambda: self.choose(batch.name, event.instance_index or 0))

    def choose(self, name: str, instance: int) -> None:
        """Make the world of an instance the one that panels speak of."""
        body, world = self.viewer.scene.body_of(name, instance)
        self.viewer.panels.focus(max(world, 0), body)

    def drag(self, name: str, event) -> None:
        """One event of a drag."""
        viewer = self.viewer
        if event.phase == "end":
            viewer.push.release()
            return
        body, world = viewer.scene.body_of(name, event.instance_index or 0)
        offset = viewer.layout.offsets[world]
        if event.phase == "start" or viewer.push.grip is None:
            viewer.push.take(body, event.start_position - offset, viewer.body_q)
        viewer.push.pull(event.end_position - offset)

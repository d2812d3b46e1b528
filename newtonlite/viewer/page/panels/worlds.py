"""World panel: which worlds are shown, how far apart, and the one that is looked at."""

from newtonlite.viewer.layout import worlds_named
from newtonlite.viewer.page.markup import fault_text
from newtonlite.viewer.page.panels.panel import Panel


class WorldPanel(Panel):
    """Choice and places of worlds."""

    rate = 1e9  # the camera follows every frame

    def build(self, gui) -> None:
        """Fields and buttons."""
        viewer = self.viewer
        count = viewer.look.world_count
        self.followed = None
        self.names = gui.add_text("Shown", "all", hint="all, or numbers and ranges: 0, 4-7")
        self.names.on_update(self.asks(lambda element: self.choose(element.value)))
        self.problem = gui.add_html("", visible=False)
        self.world = gui.add_number(
            "This world",
            0,
            min=0,
            max=count - 1,
            step=1,
            hint="the one that sliders and plots speak of; a click on a body chooses its world",
        )
        self.world.on_update(self.asks(lambda element: self.panels.focus(element.value)))
        self.only = gui.add_button("Show this world alone", icon="focus-centered")
        self.only.on_click(self.asks(lambda _: self.show(str(self.panels.world))))
        self.all = gui.add_button("Show all worlds", icon="grid-dots")
        self.all.on_click(self.asks(lambda _: self.show("all")))
        spacing = float(viewer.layout.spacing.max())
        top = max(10 * viewer.radius, 2 * spacing)
        self.spacing = gui.add_slider("Spacing [m]", 0.0, top, top / 100, spacing)
        self.spacing.on_update(self.asks(lambda element: self.spread(element.value)))
        self.follows = gui.add_checkbox("Camera follows", False)
        self.look_at = gui.add_button("Look at this world", icon="eye")
        self.look_at.on_click(self.asks(lambda _: self.aim()))

    def show(self, names: str) -> None:
        """Show worlds by name, as if typed."""
        self.names.value = names
        self.choose(names)

    def choose(self, names: str) -> None:
        """Show the worlds that a text means, or say what is wrong with it."""
        try:
            self.viewer.layout.choose(worlds_named(names, self.viewer.look.world_count))
        except ValueError as problem:
            self.problem.content, self.problem.visible = fault_text(str(problem)), True
            return
        self.problem.visible = False
        self.viewer.rebuild()

    def spread(self, spacing: float) -> None:
        """Put neighbours that far apart."""
        self.viewer.layout.spread(spacing)
        self.viewer.rebuild()

    def focused(self) -> None:
        """Show the number of the chosen world."""
        if self.world.value != self.panels.world:
            self.world.value = self.panels.world

    def middle(self):
        """[3] on the page: where the chosen world's first body is, or its chosen body."""
        bodies = (self.viewer.look.body_world == self.panels.world).nonzero()[0]
        if not len(bodies):
            return self.viewer.layout.offsets[self.panels.world] + self.viewer.middle
        body = self.panels.body if self.panels.body in bodies else bodies[0]
        return self.viewer.body_q[body, :3] + self.viewer.layout.offsets[self.panels.world]

    def aim(self) -> None:
        """Turn every camera to the chosen world and go near it."""
        middle = self.middle()
        for client in self.viewer.api.get_clients().values():
            away = client.camera.position - client.camera.look_at
            away *= 3.0 * self.viewer.radius / max((away @ away) ** 0.5, 1e-9)
            with client.atomic():
                client.camera.position, client.camera.look_at = middle + away, middle

    def follow(self, state) -> None:
        """Carry the cameras along with the chosen body."""
        if not self.follows.value:
            self.followed = None
            return
        middle = self.middle().copy()
        if self.followed is not None:
            for client in self.viewer.api.get_clients().values():
                position, target = client.camera.position, client.camera.look_at
                with client.atomic():
                    client.camera.position = position + middle - self.followed
                    client.camera.look_at = target + middle - self.followed
        self.followed = middle

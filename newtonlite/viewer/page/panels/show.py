"""Show panel: layers of shapes, transparency, and what is drawn around them."""

from newtonlite.viewer.batches import shown_by_default
from newtonlite.viewer.page.panels.panel import Panel


class ShowPanel(Panel):
    """Checkboxes."""

    def build(self, gui) -> None:
        """One checkbox for each kind of thing the model has."""
        viewer = self.viewer
        layers = {batch.layer for batch in viewer.look.batches}
        self.groups = {}
        with gui.add_folder("Shapes"):
            self.shapes = gui.add_dropdown("Kind", ("visible", "colliding", "all"), initial_value="visible")
            self.shapes.on_update(self.asks(lambda _: self.apply()))
            for group in sorted({layer.group for layer in layers if not layer.site}):
                default = shown_by_default(next(iter(layers))._replace(group=group, visual=True, site=False))
                self.groups[group] = gui.add_checkbox(f"Group {group}", default)
                self.groups[group].on_update(self.asks(lambda _: self.apply()))
            self.sites = gui.add_checkbox("Sites", False, visible=any(layer.site for layer in layers))
            self.sites.on_update(self.asks(lambda _: self.apply()))
            self.ghost = gui.add_slider("Opacity", 0.1, 1.0, 0.05, 1.0)
            self.ghost.on_update(self.asks(lambda _: self.apply()))
        self.boxes = {}
        with gui.add_folder("Around them"):
            for overlay in viewer.overlays.all:
                if not overlay.possible():
                    continue
                box = gui.add_checkbox(overlay.title, overlay.shown, hint=overlay.__doc__.split("\n")[0])
                box.on_update(self.asks(lambda element, overlay=overlay: self.toggle(overlay, element.value)))
                self.boxes[overlay.title] = box

    def toggle(self, overlay, shown: bool) -> None:
        """Draw something, or no more."""
        overlay.shown = shown
        overlay.changed()

    def layer_shown(self, layer) -> bool:
        """Whether the checkboxes show a layer."""
        if layer.site:
            return self.sites.value
        kind = self.shapes.value
        wanted = {"visible": layer.visual, "colliding": layer.collides, "all": layer.visual or layer.collides}[kind]
        return wanted and self.groups[layer.group].value

    def apply(self) -> None:
        """Make the scene as the checkboxes say."""
        self.viewer.scene.show_layer, self.viewer.scene.ghost = self.layer_shown, self.ghost.value
        self.viewer.rebuild()

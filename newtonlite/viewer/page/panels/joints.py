"""Joint panel: sliders that show the coordinates of the chosen world, and pose it while the simulation is paused."""

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.viewer.page.markup import quiet_text
from newtonlite.viewer.page.panels.panel import Panel

TURN, SHIFT = float(np.pi), 1.0  # how far sliders of joints without limits reach [rad, m]
MOST = 80  # sliders


class JointPanel(Panel):
    """A slider for each coordinate that is one number."""

    def build(self, gui) -> None:
        """The sliders of the chosen world."""
        self.note = gui.add_html("")
        self.folder = gui.add_folder("Coordinates [rad, m]")
        self.sliders: list = []
        self.layout = None
        self.focused()

    def focused(self) -> None:
        """Sliders for the joints of the chosen world; those of a world of the same structure stay."""
        self.rows = coordinates(self.viewer.session.model, self.panels.world)
        layout = [row[1:] for row in self.rows]
        if layout == self.layout:
            return
        self.layout = layout
        for slider in self.sliders:
            slider.remove()
        gui, values = self.viewer.api.gui, self.viewer.session.state.joint_q.numpy() if self.rows else []
        with self.folder:
            self.sliders = [
                gui.add_slider(label, low, high, (high - low) / 500, float(np.clip(values[row], low, high)))
                for row, label, low, high in self.rows[:MOST]
            ]
        for k, slider in enumerate(self.sliders):
            slider.on_update(self.asks(lambda element, k=k: self.place(k, element.value)))

    def place(self, k: int, value: float) -> None:
        """Put a joint where its slider is; nothing happens while the simulation runs."""
        session = self.viewer.session
        if session.clock.paused and k < len(self.rows):
            session.set_joint(self.rows[k][0], value, self.panels.world)
            self.viewer.refresh()

    def follow(self, state) -> None:
        """Move the sliders along with the simulation."""
        session = self.viewer.session
        paused = session.clock.paused
        more = f" {len(self.rows) - MOST} more joints have no slider." if len(self.rows) > MOST else ""
        self.note.content = quiet_text(
            f"World {self.panels.world}. {'Drag to pose it.' if paused else 'Pause to pose it.'}{more}"
        )
        values = session.state.joint_q.numpy() if self.rows else []
        for slider, (row, _, low, high) in zip(self.sliders, self.rows, strict=False):
            slider.disabled = not paused
            if not paused:
                slider.value = float(np.clip(values[row], low, high))


def coordinates(model, world: int) -> list[tuple[int, str, float, float]]:
    """(row of ``joint_q``, name, lower, upper) of the coordinates of a world that one can set one by one; of free
    joints the position.
    """
    if not model.joint_count:
        return []
    kind, where = model.joint_type.numpy(), model.joint_world.numpy()
    q_start, dof_start = model.joint_q_start.numpy(), model.joint_qd_start.numpy()
    dims, low, high = model.joint_dof_dim.numpy(), model.joint_limit_lower.numpy(), model.joint_limit_upper.numpy()
    own = getattr(getattr(model, "mujoco", None), "joint_dof_label", None)
    found = []
    for joint in np.flatnonzero((where == world) | (where == -1)):
        label = model.joint_label[joint].split("/")[-1]
        if kind[joint] in (JointType.FREE, JointType.DISTANCE):
            start = model.joint_q.numpy()[q_start[joint] : q_start[joint] + 3]
            found += [
                (
                    int(q_start[joint]) + k,
                    f"{label} {'xyz'[k]}",
                    float(start[k]) - 2 * SHIFT,
                    float(start[k]) + 2 * SHIFT,
                )
                for k in range(3)
            ]
        elif kind[joint] in (JointType.PRISMATIC, JointType.REVOLUTE, JointType.D6):
            linear, angular = (int(n) for n in dims[joint])
            for k in range(linear + angular):
                dof = int(dof_start[joint]) + k
                name = (
                    own[dof] if own is not None and own[dof] else label if linear + angular == 1 else f"{label} {k}"
                ).split("/")[-1]
                reach = SHIFT if k < linear else TURN
                limited = low[dof] > -1e6 and high[dof] < 1e6 and high[dof] > low[dof]
                found.append(
                    (
                        int(q_start[joint]) + k,
                        name,
                        *((float(low[dof]), float(high[dof])) if limited else (-reach, reach)),
                    )
                )
    return found

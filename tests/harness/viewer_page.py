"""A headless browser on a page of the viewer, and what is read back from it."""

import shutil
import threading
import time

import numpy as np
from scipy.spatial.transform import Rotation

from tests.tolerance import tolerance

FLAGS = ("--headless=new", "--no-sandbox", "--ignore-gpu-blocklist")
DRAWING = {
    "Mesa": ("--use-gl=angle", "--use-angle=gl-egl"),
    "SwiftShader": ("--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
}
"""Flags of what draws on the CPU: Mesa, where it is installed, takes a quarter of the time of Chromium's own."""
PASSIVE = "passive event listener"
"""Chromium tells viser's page so while something is dragged; nothing comes of it."""
HAS_WEBGL = "() => !!document.createElement('canvas').getContext('webgl2')"
SIZE = {"width": 900, "height": 420}
PATIENCE = 30.0  # [s]
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

# three.js announces its scenes to whoever listens; that is how tests read places back from the page
LISTEN = """
window.scenes = new Set(); window.__THREE_DEVTOOLS__ = new EventTarget();
window.__THREE_DEVTOOLS__.addEventListener('observe', e => { if (e.detail && e.detail.isScene) window.scenes.add(e.detail) });
window.instanced = () => { const found = new Set(); for (const s of window.scenes) s.traverse(o => { if (o.isInstancedMesh2) found.add(o) });
  return [...found].filter(o => !o.parent || !o.parent.isInstancedMesh2) };
window.matrices = () => window.instanced().map(o => [...Array(o.instancesCount).keys()].map(k => Array.from(o.getMatrixAt(k).elements)));
"""


def until(happened, what: str, patience: float = PATIENCE):
    """Wait for something to become true, and return it."""
    end = time.perf_counter() + patience
    while time.perf_counter() < end:
        value = happened()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"waited {patience:.0f} s for: {what}")


def browser(tool):
    """A headless Chromium with WebGL; None where there is no Chromium."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        return None
    for flags in DRAWING.values():
        made = tool.chromium.launch(executable_path=program, args=[*FLAGS, *flags])
        tab = made.new_page()
        if tab.evaluate(HAS_WEBGL):
            tab.close()
            return made
        made.close()
    raise AssertionError(f"{program} has no WebGL, neither by {' nor by '.join(DRAWING)}")


CLOSE_NOTICES = "() => document.querySelectorAll('[class*=Notification-closeButton]').forEach(button => button.click())"


class Page:
    """A page in the browser, with all it requested and said."""

    def __init__(self, browser, url: str):
        self.requests, self.problems = [], []
        self.tab = browser.new_page(viewport=SIZE)
        self.tab.set_default_timeout(1000 * PATIENCE)
        self.tab.add_init_script(LISTEN)
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("websocket", lambda socket: self.requests.append(socket.url))
        self.tab.on("console", lambda message: message.type == "error" and self.problems.append(message.text))
        self.tab.on("pageerror", lambda problem: self.problems.append(str(problem)))
        self.tab.goto(url)
        until(lambda: self.tab.evaluate("() => window.instanced().length"), "meshes on the page")

    def matrices(self) -> list:
        """Of each instanced mesh the matrices of its instances, each 16 numbers, columns first."""
        return self.tab.evaluate("() => window.matrices()")

    def open_tab(self, name: str) -> None:
        """Choose a tab of the panels."""
        self.tab.get_by_role("tab", name=name, exact=True).click()

    def button(self, name: str):
        """A button of the open tab."""
        return self.tab.get_by_role("button", name=name, exact=True)

    def field(self, label: str):
        """The input beside a label."""
        return self.tab.locator(f"xpath=//label[text()='{label}']/ancestor::div[1]/following-sibling::div//input").last

    def choose(self, label: str, value: str) -> None:
        """Choose a value from a list."""
        element = self.tab.locator(f"xpath=//label[text()='{label}']").first.get_attribute("for")
        self.tab.locator(f"[id='{element}']").click()
        self.tab.get_by_role("option", name=value, exact=True).click()

    def look_at(self, viewer, place, away=(0.0, -1.0, 0.3)) -> tuple[float, float]:
        """Turn the camera to a place of the page [3]; pixels of the middle of the picture, which nothing covers."""
        self.tab.evaluate(CLOSE_NOTICES)
        client = next(iter(viewer.api.get_clients().values()))
        before = client.camera.update_timestamp
        with client.atomic():
            client.camera.position, client.camera.look_at = place + np.asarray(away), place
        there = lambda: np.abs(np.asarray(client.camera.position) - place - away).max() < tolerance("drawn_camera")
        until(lambda: client.camera.update_timestamp > before and there(), "the page to turn its camera")
        time.sleep(0.3)  # a camera on its way comes to rest
        self.tab.evaluate("() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        box = self.tab.locator("canvas").first.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def fill(self, label: str, value: str) -> None:
        """Type a value and leave the field."""
        self.field(label).fill(value)
        self.field(label).press("Enter")


class Running:
    """A session and its viewer, stepped in a thread of their own."""

    def __init__(self, session):
        from newtonlite.viewer import Viewer

        self.session = session
        self.viewer = Viewer(self.session.model, session=self.session, fps=5.0)
        self.thread = threading.Thread(target=self.viewer.run, daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Stop both."""
        self.viewer.close()
        self.thread.join(timeout=10)


def expected(viewer) -> list[np.ndarray]:
    """Matrices [n, 4, 4] of the instances of each mesh on the page."""
    found = []
    for batch in viewer.scene.batches:
        rows = viewer.scene.members.get(batch.name)
        if rows is None:
            continue
        pose = viewer.session.state.body_q.numpy()[np.maximum(batch.bodies[rows], 0)].astype(float)
        matrix = np.tile(np.eye(4), (len(rows), 1, 1))
        moving = batch.bodies[rows] >= 0
        matrix[moving, :3, :3] = Rotation.from_quat(pose[moving, 3:]).as_matrix()
        matrix[moving, :3, 3] = pose[moving, :3]
        matrix[:, :3, 3] += viewer.layout.offsets[batch.worlds[rows]]
        found.append(matrix)
    return found


def on_page(page: Page) -> list[np.ndarray]:
    """The same, read from the page."""
    return [np.array(rows, float).reshape(-1, 4, 4).transpose(0, 2, 1) for rows in page.matrices()]


def apart(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Largest distance [m] and angle [rad] of two lists of matrices."""
    turn = Rotation.from_matrix(a[:, :3, :3]) * Rotation.from_matrix(b[:, :3, :3]).inv()
    return np.abs(a[:, :3, 3] - b[:, :3, 3]).max(), turn.magnitude().max()


def shows_the_bodies(viewer, page) -> bool:
    """Whether every mesh is on the page, its instances where the bodies are."""
    there = on_page(page)
    for wanted in expected(viewer):
        same = [rows for rows in there if len(rows) == len(wanted)]
        pairs = [
            apart(rows, wanted)
            for rows in same
            if np.allclose(np.linalg.det(rows[:, :3, :3]), 1.0, atol=tolerance("drawn_rigid"))
        ]
        if not any(place <= tolerance("drawn_place") and turn <= tolerance("drawn_turn") for place, turn in pairs):
            return False
    return True

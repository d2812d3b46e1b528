"""A headless browser on a page of the viewer; tests skip where there is none."""

import shutil
import threading
import time

import pytest

from tests.harness.viewer_scenes import EVERYTHING, session

FLAGS = ("--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist")
SIZE = {"width": 900, "height": 420}
PATIENCE = 60.0  # [s]
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


@pytest.fixture(scope="session")
def chromium():
    """A headless browser with software WebGL."""
    pytest.importorskip("viser", reason="no viser: pip install 'newtonlite[viewer]'")
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


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

    def fill(self, label: str, value: str) -> None:
        """Type a value and leave the field."""
        self.field(label).fill(value)
        self.field(label).press("Enter")


class Running:
    """A session and its viewer, stepped in a thread of their own."""

    def __init__(self, file, worlds: int, **options):
        from newtonlite.viewer import Viewer

        self.session = session(file, worlds, **options)
        self.session.step()
        self.session.reset()
        self.viewer = Viewer(self.session.model, session=self.session, fps=5.0)
        self.thread = threading.Thread(target=self.viewer.run, daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Stop both."""
        self.viewer.close()
        self.thread.join(timeout=10)


@pytest.fixture(scope="module")
def running():
    """A paused simulation of four worlds."""
    pytest.importorskip("viser", reason="no viser: pip install 'newtonlite[viewer]'")
    made = Running(EVERYTHING, 4)
    yield made
    made.close()


@pytest.fixture(scope="module")
def page(chromium, running):
    """The page of that simulation."""
    made = Page(chromium, running.viewer.url)
    yield made
    made.tab.close()

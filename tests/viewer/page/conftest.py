"""A page of the viewer in a headless browser; tests skip where there is none."""

import numpy as np
import pytest

from tests.harness.viewer_page import Page, Running, browser
from tests.harness.viewer_scenes import EVERYTHING, session


@pytest.fixture(scope="session")
def chromium():
    """A headless browser with software WebGL."""
    pytest.importorskip("viser", reason="no viser: pip install 'newtonlite[viewer]'")
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'newtonlite[test]'")
    with playwright.sync_playwright() as tool:
        made = browser(tool)
        if made is None:
            pytest.skip("no Chromium on this machine: apt install chromium")
        yield made
        made.close()


@pytest.fixture(scope="module")
def running():
    """A paused simulation of four worlds."""
    pytest.importorskip("viser", reason="no viser: pip install 'newtonlite[viewer]'")
    one = session(
        EVERYTHING, 4, drives={"sine": lambda it: it.control.mujoco.ctrl.fill_(float(np.sin(9 * it.time + 1)))}
    )
    one.step()
    one.reset()
    made = Running(one)
    yield made
    made.close()


@pytest.fixture(scope="module")
def page(chromium, running):
    """The page of that simulation."""
    made = Page(chromium, running.viewer.url)
    yield made
    made.tab.close()

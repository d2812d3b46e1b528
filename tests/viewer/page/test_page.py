"""The page in a real browser: what it requests, what it shows, pause, step, keys and drag."""

import io
from urllib.parse import urlsplit

import numpy as np

from tests.harness.viewer_page import PASSIVE, shows_the_bodies, until


def test_the_page_asks_no_other_host(page, running):
    hosts = {urlsplit(url).hostname for url in page.requests if urlsplit(url).scheme in ("http", "https", "ws", "wss")}
    assert hosts == {"127.0.0.1"}
    assert page.tab.evaluate("() => !!document.createElement('canvas').getContext('webgl2')")


def test_instances_are_where_bodies_are(page, running):
    until(lambda: shows_the_bodies(running.viewer, page), "instances at the bodies")


def test_step_takes_one_step_and_the_page_follows(page, running):
    before = running.session.steps
    page.button("Step").click()
    until(lambda: running.session.steps == before + 1, "one step")
    page.button("Step").click()
    until(lambda: running.session.steps == before + 2, "another")
    until(lambda: shows_the_bodies(running.viewer, page), "the page to follow")


def test_run_and_pause_by_button_and_by_key(page, running):
    clock = running.session.clock
    page.button("Run").click()
    until(lambda: not clock.paused, "the simulation to run")
    until(lambda: running.session.time > 0.05, "time to pass")
    page.button("Pause").click()
    until(lambda: clock.paused, "the simulation to pause")
    page.tab.keyboard.press("Space")
    until(lambda: not clock.paused, "the space bar to run it")
    page.tab.keyboard.press("Space")
    until(lambda: clock.paused, "the space bar to pause it")
    until(lambda: shows_the_bodies(running.viewer, page), "the page to follow")


def test_keys_step_and_reset(page, running):
    before = running.session.steps
    page.tab.keyboard.press("ArrowRight")
    until(lambda: running.session.steps == before + 1, "the right arrow to step")
    page.tab.keyboard.press("r")
    until(lambda: running.session.steps == 0, "R to reset")
    assert np.array_equal(running.session.state.body_q.numpy(), running.session.model.body_q.numpy())
    until(lambda: shows_the_bodies(running.viewer, page), "the page to follow")


def test_a_drag_with_control_pulls_one_body(page, running):
    viewer, session = running.viewer, running.session
    world, body = (
        2,
        next(
            k
            for k, label in enumerate(session.model.body_label)
            if label.endswith("ball") and session.model.body_world.numpy()[k] == 2
        ),
    )
    place = session.state.body_q.numpy()[body, :3] + viewer.layout.offsets[world]
    start = page.look_at(viewer, place)
    page.open_tab("Run")
    mouse = page.tab.mouse
    page.tab.keyboard.down("Control")
    mouse.move(*start)
    mouse.down()
    for k in range(1, 9):
        mouse.move(start[0] + 10 * k, start[1] - 4 * k)
    until(lambda: viewer.push.grip is not None, "a grip")
    assert viewer.push.grip.body == body
    before = session.state.body_q.numpy().copy()
    viewer.ask(lambda: session.clock.advance(40))
    until(
        lambda: session.clock.steps_wanted == 0 and session.state.body_q.numpy()[body, 0] > before[body, 0] + 1e-3,
        "the body to follow the pointer",
    )
    where = session.model.body_world.numpy()
    assert not session.state.body_f.numpy()[where != world].any()
    mouse.up()
    page.tab.keyboard.up("Control")
    until(lambda: viewer.push.grip is None, "the hand to let go")


def test_a_red_box_is_red_on_the_page(page, running):
    import imageio.v3 as iio

    viewer, session = running.viewer, running.session
    page.open_tab("Run")
    page.button("Reset all worlds").click()
    until(lambda: session.steps == 0, "a reset")
    hand = next(k for k, label in enumerate(session.model.body_label) if label.endswith("hand"))
    place = session.state.body_q.numpy()[hand, :3] + [0.1, 0.0, 0.0] + viewer.layout.offsets[0]
    page.look_at(viewer, place, (0.0, -0.6, 0.2))

    def reddish() -> bool:
        picture = iio.imread(io.BytesIO(page.tab.screenshot()), extension=".png")
        box = page.tab.locator("canvas").first.bounding_box()
        red, green, blue = picture[int(box["y"] + box["height"] / 2), int(box["x"] + box["width"] / 2), :3].astype(
            float
        )
        return red > 100 and green < 0.6 * red and blue < 0.6 * red

    until(reddish, "the middle of the picture to be red")


def test_nothing_went_wrong_on_the_page(page):
    assert not [problem for problem in page.problems if PASSIVE not in problem]

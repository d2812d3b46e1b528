"""Every control of the page in a real browser, and what it does to the simulation: ``make test-viewer``."""

import os
from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.harness.viewer_page import Page, on_page, shows_the_bodies, until
from tests.tolerance import tolerance

PASSIVE = "passive event listener"
"""Chromium tells viser's page so while something is dragged; nothing comes of it."""


if os.environ.get("NEWTONLITE_TEST_PAGE") != "whole":
    pytest.skip("all controls of the page: make test-viewer", allow_module_level=True)


def test_reset_puts_all_worlds_back(page, running):
    page.button("Reset all worlds").click()
    until(lambda: running.session.steps == 0, "a reset")
    assert np.array_equal(running.session.state.body_q.numpy(), running.session.model.body_q.numpy())
    until(lambda: shows_the_bodies(running.viewer, page), "the page to follow")


def test_worlds_can_be_chosen(page, running):
    page.open_tab("Worlds")
    page.fill("Shown", "1, 3")
    until(lambda: {len(rows) for rows in running.viewer.scene.members.values()} == {2}, "two worlds")
    assert running.viewer.layout.shown.tolist() == [1, 3]
    assert {len(rows) for rows in running.viewer.scene.members.values()} == {2}
    until(lambda: shows_the_bodies(running.viewer, page), "two instances of each mesh")
    page.fill("Shown", "1, 9")
    until(lambda: page.tab.get_by_text("there are worlds 0 to 3").count(), "a sentence about worlds that are not there")
    page.fill("Shown", "all")
    until(lambda: shows_the_bodies(running.viewer, page), "all worlds again")


def test_a_joint_slider_poses_the_chosen_world(page, running):
    page.open_tab("Joints")
    page.fill("shoulder", "0.5")
    rows = running.session.state.joint_q.numpy
    until(lambda: np.isclose(rows().reshape(4, -1)[0], 0.5, atol=tolerance("drawn_slider")).any(), "the joint to move")
    assert np.array_equal(running.session.state.body_q.numpy()[3:], running.session.model.body_q.numpy()[3:])
    until(lambda: shows_the_bodies(running.viewer, page), "the page to follow")


def test_a_motor_slider_sets_the_control(page, running):
    page.open_tab("Motors")
    page.fill("turn", "0.75")
    until(
        lambda: np.allclose(
            running.session.control.mujoco.ctrl.numpy().reshape(4, 2)[:, 1],
            [0.75, 0, 0, 0],
            atol=tolerance("drawn_slider"),
        ),
        "the control",
    )
    page.button("All to zero").click()
    until(lambda: not running.session.control.mujoco.ctrl.numpy().any(), "no control")


def test_everything_is_drawn_around_the_bodies(page, running):
    page.open_tab("Show")
    for title in (
        "Contacts",
        "Contact forces",
        "Body frames",
        "Joint axes",
        "Centres of mass",
        "Inertias",
        "Sensors",
        "Cameras",
        "Names of bodies",
    ):
        page.tab.get_by_label(title, exact=True).click()
    shown = lambda: sum(overlay.shown for overlay in running.viewer.overlays.all)
    until(lambda: shown() == 9 + 2, "nine overlays, tendons and the push")
    meshes = sum(name in running.viewer.scene.handles for name in (b.name for b in running.viewer.look.batches))
    until(lambda: len(on_page(page)) >= meshes + 4, "frames, axes, centres, boxes and strings")
    until(
        lambda: len(running.viewer.overlays.named("Names of bodies").handles) == 3, "the names of the bodies of a world"
    )
    for overlay in running.viewer.overlays.all:
        if overlay.possible() and overlay.title != "Tendons":
            running.viewer.ask(lambda overlay=overlay: running.viewer.panels["Show"].toggle(overlay, False))


def test_the_past_can_be_scrubbed_and_saved(page, running, tmp_path):
    from newtonlite.viewer.recording.file import load

    session, recorder = running.session, running.viewer.panels["Record"].recorder
    running.viewer.ask(lambda: session.clock.advance(60))
    until(lambda: session.steps >= 60 and len(recorder) > 3, "some frames")
    panel = running.viewer.panels["Record"]
    until(
        lambda: session.clock.steps_wanted == 0 and panel.scrub.max == len(recorder) - 1, "the slider to know of them"
    )
    page.open_tab("Record")
    page.fill("Frame", "1")
    until(lambda: panel.past, "the past")
    assert session.clock.paused
    assert np.array_equal(running.viewer.body_q[recorder.bodies], recorder.poses[1])
    with page.tab.expect_download() as waiting:
        page.button("Save recording").click()
    path = tmp_path / "recording.npz"
    waiting.value.save_as(path)
    back = load(path)
    assert back.body_q.tobytes() == recorder.recording().body_q.tobytes()


def test_a_recording_opens_from_disk(chromium, running, tmp_path):
    from newtonlite.viewer.recording.html import page as page_of

    recording = running.viewer.panels["Record"].recorder.recording()
    path = tmp_path / "recording.html"
    path.write_text(page_of(recording))
    assert path.stat().st_size <= 10e6
    opened = Page(chromium, path.as_uri())
    assert {urlsplit(url).scheme for url in opened.requests} <= {"file", "blob", "data"}
    assert {len(rows) for rows in on_page(opened)} == {recording.look.world_count}
    opened.tab.close()


def test_two_browsers_see_the_same(chromium, page, running):
    other = Page(chromium, running.viewer.url)
    running.viewer.ask(running.session.clock.advance)
    until(
        lambda: shows_the_bodies(running.viewer, page) and shows_the_bodies(running.viewer, other),
        "both pages to follow",
    )
    other.tab.close()


@pytest.mark.parametrize("token", [None, "wrong"])
def test_a_page_beyond_this_machine_asks_for_its_token(chromium, token):
    from newtonlite.viewer.page.server import Server

    server = Server("0.0.0.0", 0, token="a secret")
    try:
        tab = chromium.new_page()
        address = f"http://127.0.0.1:{server.port}/" + (f"?token={token}" if token else "")
        assert tab.goto(address).status == 403
        assert tab.goto(f"http://127.0.0.1:{server.port}/?token=a%20secret").status == 200
        assert "token" not in tab.url
        tab.close()
    finally:
        server.stop()


def test_nothing_went_wrong_on_the_page(page):
    assert not [problem for problem in page.problems if PASSIVE not in problem]

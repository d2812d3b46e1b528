"""Every control of the page in a real browser, and what it does to the simulation: ``make test-viewer``."""

import io
import os
from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.harness.viewer_page import PASSIVE, Page, Running, on_page, shows_the_bodies, until
from tests.harness.viewer_scenes import session as session_of
from tests.tolerance import tolerance

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
    from newtonlite.viewer.page.html import page as page_of

    recording = running.viewer.panels["Record"].recorder.recording()
    path = tmp_path / "recording.html"
    path.write_text(page_of(recording))
    assert path.stat().st_size <= 10e6
    opened = Page(chromium, path.as_uri())
    assert {urlsplit(url).scheme for url in opened.requests} <= {"file", "blob", "data"}
    assert {len(rows) for rows in on_page(opened)} == {recording.look.world_count}
    opened.tab.close()


def test_speed_is_chosen_from_a_list(page, running):
    page.open_tab("Run")
    page.choose("Speed", "0.25 x")
    until(lambda: running.session.clock.speed == 0.25, "a quarter of real time")
    page.choose("Speed", "1 x")
    until(lambda: running.session.clock.speed == 1.0, "real time")


def test_reset_of_one_world_leaves_the_others(page, running):
    session = running.session
    steps = session.steps + 20
    running.viewer.ask(lambda: session.clock.advance(20))
    until(lambda: session.steps == steps, "some steps")
    running.viewer.ask(lambda: running.viewer.panels.focus(1))
    before = session.state.body_q.numpy().reshape(4, -1, 7).copy()
    page.open_tab("Run")
    page.button("Reset this world").click()
    start = session.model.body_q.numpy().reshape(4, -1, 7)
    until(lambda: np.array_equal(session.state.body_q.numpy().reshape(4, -1, 7)[1], start[1]), "world 1 to be back")
    assert np.array_equal(session.state.body_q.numpy().reshape(4, -1, 7)[[0, 2, 3]], before[[0, 2, 3]])
    until(lambda: shows_the_bodies(running.viewer, page), "the page to follow")


def test_a_click_chooses_the_world_of_a_body(page, running):
    viewer, session = running.viewer, running.session
    running.viewer.ask(lambda: viewer.panels.focus(0))
    body = next(k for k, label in enumerate(session.model.body_label) if label.endswith("ball") and k >= 9)
    place = session.state.body_q.numpy()[body, :3] + viewer.layout.offsets[3]
    until(lambda: shows_the_bodies(viewer, page), "the page to follow")
    spot = page.look_at(viewer, place)
    page.tab.mouse.click(*spot)
    until(lambda: viewer.panels.world == 3, "world 3 to be chosen")


def test_worlds_are_spread_and_looked_at(page, running):
    viewer = running.viewer
    page.open_tab("Worlds")
    page.fill("Spacing [m]", "3")
    until(lambda: np.ptp(viewer.layout.offsets[:4, 0]) > 2.5, "a wider grid")
    until(lambda: shows_the_bodies(viewer, page), "the page to follow")
    viewer.ask(lambda: viewer.panels.focus(2))
    until(lambda: viewer.panels.world == 2, "world 2")
    page.button("Look at this world").click()
    client = next(iter(viewer.api.get_clients().values()))
    until(
        lambda: np.allclose(client.camera.look_at, viewer.panels["Worlds"].middle(), atol=tolerance("drawn_place")),
        "the camera to turn",
    )
    page.button("Show this world alone").click()
    until(lambda: viewer.layout.shown.tolist() == [2], "one world")
    page.button("Show all worlds").click()
    until(lambda: len(viewer.layout.shown) == 4, "all worlds")


def test_groups_sites_and_opacity_change_what_is_drawn(page, running):
    viewer = running.viewer
    page.open_tab("Show")
    names = lambda: set(viewer.scene.handles)
    before = names()
    page.tab.get_by_label("Group 0", exact=True).click()
    until(lambda: not names(), "no geoms")
    page.tab.get_by_label("Sites", exact=True).click()
    until(lambda: names() and not names() & before, "sites alone")
    page.tab.get_by_label("Group 0", exact=True).click()
    page.tab.get_by_label("Sites", exact=True).click()
    until(lambda: names() == before, "the geoms again")
    page.fill("Opacity", "0.5")
    until(lambda: viewer.scene.ghost == 0.5, "half of the opacity")
    handle = viewer.scene.handles[next(iter(before))]
    until(lambda: handle is not viewer.scene.handles[next(iter(before))] or handle.batched_opacities is not None, "it")
    page.fill("Opacity", "1")
    until(lambda: viewer.scene.ghost == 1.0, "all of it")
    until(lambda: shows_the_bodies(viewer, page), "the page to follow")


def test_a_drive_is_chosen_from_a_list(page, running):
    page.open_tab("Motors")
    page.choose("Driven", "sine")
    until(lambda: running.session.driving == "sine", "the sine")
    running.viewer.ask(lambda: running.session.clock.advance(3))
    until(lambda: running.session.control.mujoco.ctrl.numpy().any(), "controls")
    page.choose("Driven", "by hand")
    until(lambda: running.session.driving is None, "nobody")
    page.button("All to zero").click()
    until(lambda: not running.session.control.mujoco.ctrl.numpy().any(), "no control")


@pytest.mark.parametrize("array", ["energy [J]", "sensors", "controls", "contacts", "joint_q"])
def test_arrays_are_plotted_over_time(page, running, array):
    panel = running.viewer.panels["Plots"]
    page.open_tab("Plots")
    if panel.array.value != array:
        page.choose("Array", array)
    until(lambda: panel.array.value == array, array)
    until(lambda: running.viewer.ask(running.session.clock.advance) or panel.plot is not None, "a plot")
    until(lambda: page.tab.locator(".uplot").count() > 0, "it on the page")
    times, first = (np.array(row) for row in panel.plot.data[:2])
    assert (np.diff(times) >= 0).all()
    assert np.isfinite(first).all()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # of imageio
@pytest.mark.parametrize(
    ("button", "kind"),
    [("Save picture", "png"), ("Save movie (GIF)", "gif"), ("Save movie (MP4)", "mp4"), ("Save as page", "html")],
)
def test_what_is_seen_can_be_saved(page, running, tmp_path, button, kind):
    import imageio.v3 as iio

    session, recorder = running.session, running.viewer.panels["Record"].recorder
    if len(recorder) < 5:
        running.viewer.ask(lambda: session.clock.advance(60))
        until(lambda: session.clock.steps_wanted == 0 and len(recorder) > 5, "some frames")
    page.open_tab("Record")
    with page.tab.expect_download() as waiting:
        page.button(button).click()
    path = tmp_path / f"saved.{kind}"
    waiting.value.save_as(path)
    assert waiting.value.suggested_filename.endswith(kind)
    if kind == "html":
        assert "<html" in path.read_text()[:2000].lower()
        return
    frames = np.asarray(iio.imread(path))
    assert np.ptp(frames[..., :3]) > 50


def test_a_policy_of_a_task_is_shown(chromium):
    from newtonlite.envs import TaskSession, tasks
    from newtonlite.viewer.clock import Clock

    made = Running(TaskSession(tasks.load("hopper"), 2, driving="random", clock=Clock(paused=True)))
    try:
        page = Page(chromium, made.viewer.url)
        until(lambda: shows_the_bodies(made.viewer, page), "bodies of the task")
        page.button("Step").click()
        until(lambda: made.session.steps == 1, "a control step")
        until(lambda: shows_the_bodies(made.viewer, page), "the page to follow")
        page.open_tab("Plots")
        assert made.viewer.panels["Plots"].array.value == "reward"
        assert not [problem for problem in page.problems if PASSIVE not in problem]
        page.tab.close()
    finally:
        made.close()


def test_a_picture_of_a_material_is_on_the_page(chromium, tmp_path):
    """Seen from each side a cube with a picture on every side has the colour MuJoCo gives that side."""
    import imageio.v3 as iio

    from newtonlite.viewer import write_png
    from tests.viewer.test_materials import SIDES

    for side, (_, color) in SIDES.items():
        write_png(tmp_path / f"{side}.png", np.broadcast_to(np.uint8(color), (4, 4, 3)))
    files = " ".join(f'file{side}="{side}.png"' for side in SIDES)
    (
        tmp_path / "cube.xml"
    ).write_text(f"""<mujoco><asset><texture name="t" type="cube" {files}/><material name="m" texture="t"/></asset>
      <worldbody><body><freejoint/><geom type="box" size=".2 .2 .2" material="m"/></body></worldbody></mujoco>""")
    made = Running(session_of(str(tmp_path / "cube.xml"), 1))
    try:
        page = Page(chromium, made.viewer.url)
        for side in ("right", "left", "up", "down"):
            way, color = np.array(SIDES[side][0], float), np.array(SIDES[side][1]) > 0

            def seen(way=way, color=color) -> bool:
                x, y = page.look_at(made.viewer, np.zeros(3), 1.2 * way + [0.0, 0.0, 0.3])
                pixel = iio.imread(io.BytesIO(page.tab.screenshot()), extension=".png")[int(y), int(x), :3].astype(int)
                return bool((pixel[color] > pixel[~color].max() + 50).all())

            until(seen, f"the colour of the {side} side")
        page.tab.close()
    finally:
        made.close()


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
    from newtonlite.viewer.page.server import PageServer

    server = PageServer("0.0.0.0", 0, token="a secret")
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

"""The page in a real browser: what it requests, what it shows, and what its buttons do to the simulation."""

import io
from urllib.parse import urlsplit

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.tolerance import tolerance
from tests.viewer.page.conftest import Page, until

PASSIVE = "passive event listener"
"""Chromium tells viser's page so while something is dragged; nothing comes of it."""


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
    client = next(iter(viewer.api.get_clients().values()))
    with client.atomic():
        client.camera.position, client.camera.look_at = place + [0.0, -1.0, 0.3], place
    start = until(lambda: in_view(page, client, place), "the camera to look at the body")
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


def in_view(page, client, place):
    """Pixels of the middle of the picture once the camera looks at a place, None before."""
    if np.abs(np.asarray(client.camera.look_at) - place).max() > 1e-2:
        return None
    box = page.tab.locator("canvas").first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_red_box_is_red_on_the_page(page, running):
    import imageio.v3 as iio

    viewer, session = running.viewer, running.session
    page.open_tab("Run")
    page.button("Reset all worlds").click()
    until(lambda: session.steps == 0, "a reset")
    hand = next(k for k, label in enumerate(session.model.body_label) if label.endswith("hand"))
    place = session.state.body_q.numpy()[hand, :3] + [0.1, 0.0, 0.0] + viewer.layout.offsets[0]
    client = next(iter(viewer.api.get_clients().values()))
    with client.atomic():
        client.camera.position, client.camera.look_at = place + [0.0, -0.6, 0.2], place

    def reddish() -> bool:
        picture = iio.imread(io.BytesIO(page.tab.screenshot()), extension=".png")
        box = page.tab.locator("canvas").first.bounding_box()
        red, green, blue = picture[int(box["y"] + box["height"] / 2), int(box["x"] + box["width"] / 2), :3].astype(
            float
        )
        return red > 100 and green < 0.6 * red and blue < 0.6 * red

    until(reddish, "the middle of the picture to be red")


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


def test_nothing_went_wrong_on_the_page(page):
    assert not [problem for problem in page.problems if PASSIVE not in problem]


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

"""The page's server to strangers: who reaches it, and what input does to the program that steps."""

import asyncio
import contextlib
import http.client
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

viser = pytest.importorskip("viser", reason="no viser: pip install 'newtonlite[viewer]'")

import msgspec
import zstandard
from websockets.asyncio.client import connect

from newtonlite.core.errors import StateError
from newtonlite.viewer import Viewer
from newtonlite.viewer.page import guarded_server
from newtonlite.viewer.page import viewer as viewer_module
from newtonlite.viewer.recording import recorder as recorder_module
from newtonlite.viewer.recording.recorder import Recorder
from tests.harness.viewer_page import Page, Running, until
from tests.harness.viewer_scenes import EVERYTHING, model, session
from tests.viewer.page.test_messages import CAMERA, CLICK

EVIL = "<img src=x onerror=window.hit=1><script>window.hit=1</script>"


@contextlib.asynccontextmanager
async def page_of(port: int, **headers):
    """A websocket as the page opens it, that has said where its camera is."""
    protocol = f"viser-v{viser.__version__}"
    address = f"ws://127.0.0.1:{port}/"
    async with connect(address, subprotocols=[protocol], max_size=None, compression=None, **headers) as socket:
        yield socket


def in_a_loop_of_its_own(work) -> None:
    """Run a coroutine in another thread: a browser of another test may leave a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


def refused(port: int, **headers) -> bool:
    """Whether nothing of the scene comes."""

    async def look():
        async with page_of(port, **headers) as socket:
            await asyncio.wait_for(socket.recv(), 5)

    try:
        in_a_loop_of_its_own(look())
    except Exception:
        return True
    return False


def send(port: int, *sent, wait: float = 0.3, answer: bytes = b"") -> bytes:
    """Send messages (bytes and texts as they are) from a page; what comes back meanwhile, or until an answer came."""
    got = []

    async def go():
        async with page_of(port) as socket:

            async def drain():
                async for data in socket:
                    size = int.from_bytes(data[8:16], "little")
                    got.append(zstandard.ZstdDecompressor().decompress(data[16 : 16 + size]))

            task = asyncio.create_task(drain())
            for message in (CAMERA, *sent):
                raw = message if isinstance(message, (bytes, str)) else msgspec.msgpack.encode(message)
                await socket.send(raw)
            until = time.monotonic() + wait
            while time.monotonic() < until and not (answer and any(answer in part for part in got)):
                await asyncio.sleep(0.05)
            task.cancel()

    with contextlib.suppress(ConnectionError):
        in_a_loop_of_its_own(asyncio.wait_for(go(), 30))
    return b"".join(got)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_the_port_beside_the_gate_gives_nothing(host):
    viewer = Viewer(model(EVERYTHING, 1), host=host)
    inner = viewer.api.get_port()
    try:
        assert refused(inner) and refused(inner, additional_headers={guarded_server.FIELD: "guess"})
        line = http.client.HTTPConnection("127.0.0.1", inner, timeout=5)
        line.request("GET", "/")
        answer = line.getresponse()
        assert (answer.status, answer.read()) == (403, b"")
        line.close()
        assert refused(viewer.server.port) is (host != "127.0.0.1")
    finally:
        viewer.close()


def test_the_page_itself_is_let_in_and_no_other():
    viewer = Viewer(model(EVERYTHING, 1))
    port = viewer.server.port
    try:
        assert not refused(port)
        assert not refused(port, origin=f"http://127.0.0.1:{port}")
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{port + 1}", f"http://localhost:{port}"):
            assert refused(port, origin=origin), origin
        assert refused(port, additional_headers={"Host": "evil.example"})
    finally:
        viewer.close()


def test_servers_of_others_are_as_they_were():
    viewer = Viewer(model(EVERYTHING, 1))
    with contextlib.redirect_stdout(None):
        other = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        assert not refused(other.get_port(), origin="http://evil.example")
    finally:
        with contextlib.redirect_stdout(None):
            other.stop()
        viewer.close()


@pytest.fixture(scope="module")
def stepping():
    """A simulation of four worlds that runs."""
    made = Running(session(EVERYTHING, 4, paused=False))
    until(lambda: made.session.steps, "a first step, which may wait for its kernels", 180.0)
    yield made
    made.close()


def uuid(running, tab: str, name: str) -> str:
    return getattr(running.viewer.panels[tab], name)._impl.uuid


def goes_on(running) -> bool:
    before = running.session.steps
    until(lambda: running.session.steps > before, "a step", 10.0)
    return running.thread.is_alive()


INPUT = [
    ("Plots", "rows", "²"),
    ("Plots", "rows", "0-99999999999999999999999"),
    ("Plots", "rows", "١-٣, 1_0, -, --, ,,"),
    ("Worlds", "names", "0-999999999999"),
    ("Worlds", "names", "0-30000000"),
    ("Worlds", "names", "1-0"),
    ("Worlds", "names", EVIL),
    ("Worlds", "names", 7),
    ("Worlds", "world", 10**9),
    ("Worlds", "world", -1),
    ("Worlds", "world", None),
    ("Worlds", "spacing", float("nan")),
    ("Worlds", "spacing", 1e300),
    ("Worlds", "follows", "yes"),
    ("Run", "speed", "warp 9"),
    ("Run", "speed", ["1 x"]),
    ("Run", "toggle", "on"),
    ("Motors", "drive", "nope"),
    ("Plots", "array", "nope"),
    ("Record", "seconds", -5),
    ("Record", "seconds", "x"),
    ("Record", "worlds", "0-99999999"),
    ("Record", "scrub", -(10**9)),
    ("Show", "shapes", "nope"),
    ("Show", "ghost", float("inf")),
]


@pytest.mark.parametrize(("tab", "name", "value"), INPUT)
def test_input_neither_ends_nor_stops_the_program(stepping, tab, name, value):
    handle = uuid(stepping, tab, name)
    send(
        stepping.viewer.server.port, {"type": "GuiUpdateMessage", "uuid": handle, "updates": {"value": value}}, wait=0.1
    )
    assert goes_on(stepping)
    assert not stepping.session.clock.paused


def test_rubbish_neither_ends_nor_stops_the_program(stepping):
    handle = uuid(stepping, "Run", "speed")
    rubbish = [
        b"",
        b"\xc1",
        b"\x91" * 3000,
        {"type": "ShareUrlRequest"},
        {"type": "GuiUpdateMessage", "uuid": handle, "updates": {"update_cb": 5}},
        {"type": "GuiUpdateMessage", "uuid": "gone", "updates": {"value": 5}},
        {"type": "CommandTriggerMessage", "uuid": "gone"},
        {**CLICK, "instance_index": 10**6},
        {**CLICK, "name": "/nowhere"},
        {"type": "FileTransferStartUpload", "source_component_uuid": handle},
        "a text",
    ]
    send(stepping.viewer.server.port, *rubbish)
    assert goes_on(stepping)
    assert stepping.viewer.panels["Run"].speed._impl.update_cb


def test_input_that_fits_is_carried_out_and_what_does_not_is_said(stepping):
    port, speed = stepping.viewer.server.port, uuid(stepping, "Run", "speed")
    change = lambda value: {"type": "GuiUpdateMessage", "uuid": speed, "updates": {"value": value}}
    send(port, change("2 x"))
    until(lambda: stepping.session.clock.speed == 2.0, "the speed")
    said = send(port, change(f"{EVIL}"), wait=20.0, answer=b"NotificationShowMessage")
    assert stepping.session.clock.speed == 2.0
    assert b"NotificationShowMessage" in said
    assert b"Speed: " in said and b"is not one of 0.1 x" in said


def test_what_is_said_before_a_page_is_there_waits_for_it():
    """A page's first input may be judged before its camera has made it a client."""
    viewer = Viewer(model(EVERYTHING, 1))
    said = []
    page = SimpleNamespace(add_notification=lambda title, text, **look: said.append(text))
    try:
        viewer.complain("too early")
        viewer.poll()
        assert len(viewer.complaints) == 1
        viewer._say_complaint([page])
        assert said == ["too early"] and not viewer.complaints
        viewer.complaints.append((time.perf_counter() - viewer_module.STALE, "of a page that is gone"))
        until(lambda: viewer.poll() or not viewer.complaints, "it to be forgotten", 5.0)
        assert said == ["too early"]
    finally:
        viewer.close()


def test_what_fails_in_an_action_is_said_and_the_program_goes_on(stepping):
    stepping.viewer.ask(lambda: 1 / 0)
    until(lambda: not stepping.viewer.asked, "the action")
    assert goes_on(stepping)


def test_a_flood_of_input_is_slowed_down_and_bounded(stepping):
    click = {"type": "GuiUpdateMessage", "uuid": uuid(stepping, "Worlds", "only"), "updates": {"value": True}}
    send(stepping.viewer.server.port, *[click] * 900)
    assert len(stepping.viewer.asked) <= 256
    assert goes_on(stepping)
    until(lambda: not stepping.viewer.asked, "the flood to end")
    send(
        stepping.viewer.server.port,
        {"type": "GuiUpdateMessage", "uuid": uuid(stepping, "Worlds", "all"), "updates": {"value": True}},
    )
    until(lambda: np.array_equal(stepping.viewer.layout.shown, np.arange(4)), "all worlds")


def test_actions_that_wait_are_bounded():
    viewer = Viewer(model(EVERYTHING, 1))
    try:
        for _ in range(5000):
            viewer.ask(lambda: time.sleep(0.002))
        began = time.perf_counter()
        viewer.poll()
        assert time.perf_counter() - began < 1.0
        assert 0 < len(viewer.asked) < 256
    finally:
        viewer.close()


def test_a_recorder_is_bounded_whatever_is_asked_for(monkeypatch):
    monkeypatch.setattr(recorder_module, "MOST_BYTES", 10_000)
    made = session(EVERYTHING, 4)
    viewer = Viewer(made.model)
    try:
        recorder = Recorder(viewer.look, seconds=3600.0)
        for k in range(1000):
            recorder.keep(made.state, k * 0.1)
        assert sum(pose.nbytes for pose in recorder.poses) <= 10_000
        assert recorder.times[-1] == pytest.approx(99.9)
    finally:
        viewer.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_leaves_the_page_to_its_parent():
    made = session(EVERYTHING, 1)
    viewer = Viewer(made.model, session=made)
    child = os.fork()
    if not child:
        signal.alarm(20)
        try:
            viewer.show(made.state)
            try:
                viewer.run(made)
            except StateError:
                viewer.close()
                os._exit(0)
        finally:
            os._exit(1)
    try:
        assert os.waitpid(child, 0)[1] == 0
        assert not refused(viewer.server.port)
    finally:
        viewer.close()


def test_names_and_typed_text_are_text(chromium):
    evil = EVIL.replace("<", "&lt;")
    text = EVERYTHING
    for name in ("arm", "shoulder", "pull", "turn", "angle", "string", "everything"):
        text = text.replace(f'"{name}"', f'"{evil}{name}"')
    one = session(text, 2)
    one.step()
    running = Running(one)
    page = Page(chromium, running.viewer.url)
    try:
        page.open_tab("Worlds")
        page.fill("Shown", EVIL)
        until(lambda: page.tab.get_by_text("expected all, or numbers").count(), "what is wrong with it")
        page.open_tab("Record")
        page.fill("Worlds", EVIL)
        page.open_tab("Show")
        for title in ("Names of bodies", "Sensors"):
            page.tab.get_by_label(title, exact=True).click()
        for tab in ("Joints", "Motors", "Plots"):
            page.open_tab(tab)
        running.viewer.complain(EVIL)
        page.open_tab("Plots")
        until(lambda: page.tab.get_by_text("onerror=window.hit").count(), "a name on the page")
        time.sleep(0.5)
        assert page.tab.evaluate("() => window.hit === undefined")
        assert not page.tab.evaluate("() => document.querySelectorAll('img[src=x]').length")
    finally:
        page.tab.close()
        running.close()

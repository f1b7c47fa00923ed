"""The window, in a browser: each page, by mouse and keyboard, with texts that would like to be markup."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aeon.llm.scripted import Scripted
from aeon.schema import LLMRequest, LLMResponse
from aeon.server.service import Limits
from aeon.server.tokens import Tokens

from .browser import browser
from .conftest import PRICE, TASK, WORDS_TASK, Gated, Serve, Server, played, until

pytestmark = pytest.mark.requirement("V3a")
HOSTILE = "<img src=x onerror=alert(1)> <script>alert(2)</script> \u202e[x](javascript:alert(3))"


def test_a_run_is_begun_and_watched(serve: Serve) -> None:
    """The form begins a run; its page fills while it works, and shows the answer when it is there."""
    model = Gated()
    server = serve(model)
    with browser() as page:
        page.goto(server.url)
        page.fill("#task", TASK)
        page.click("form button.main")
        until(lambda: model.waiting == 1)
        page.wait_for_selector("#state:has-text('working')")
        assert page.is_visible("text=Stop")
        model.gate.set()
        page.wait_for_selector("button.claim")
        assert "40.8" in page.inner_text(".answer")
        assert page.query_selector(".graph g.complete") is not None
        assert "converged" in page.inner_text("section:has(> #h-decisions)")
        page.click("text=Aeon")
        page.wait_for_selector("#runs a")
        assert TASK in page.inner_text("#runs")


def test_a_run_that_waited_in_the_queue_is_seen_to_begin(serve: Serve) -> None:
    """Its page says how many are before it, and that it is worked on as soon as it sends events."""
    model = Gated()
    server = serve(model, Limits(parallel=1))
    first, second = server.job(), server.job()
    until(lambda: model.waiting == 1)
    with browser() as page:
        page.goto(f"{server.url}/#/run/{second}")
        page.wait_for_selector("text=queued")
        server.post(f"/jobs/{first}/cancel", {"now": True})
        page.wait_for_selector("#state:has-text('working')")
        assert "running" in page.inner_text("main p.row") and "before it" not in page.inner_text("main p.row")
        model.gate.set()
        page.wait_for_selector("button.claim")


def test_a_claim_shows_its_span_in_its_source(priced: Server) -> None:
    """A click, or the keyboard, shows the text that a value rests on, with the very characters marked."""
    name = priced.post("/run", {"task": PRICE}).json()["id"]
    with browser() as page:
        page.goto(f"{priced.url}/#/run/{name}")
        page.wait_for_selector("button.claim")
        page.wait_for_selector("#place")
        page.focus("button.claim")
        page.keyboard.press("Enter")
        page.wait_for_selector(".source mark")
        assert page.inner_text("button.claim") == "The price is 300.40 euros."
        assert page.inner_text(".source mark") == "300.40 euros" and "✓ supported" in page.inner_text(".evidence")
        assert "nothing that it rests on" not in page.inner_text("main")
        assert "The price of article A300 is 300.40 euros." in page.inner_text(".source")
        assert page.get_attribute("button.claim", "aria-expanded") == "true"
        seen = page.evaluate("""() => { const box = document.querySelector(".source").getBoundingClientRect();
            const mark = document.querySelector(".source mark").getBoundingClientRect();
            return mark.top >= box.top && mark.bottom <= box.bottom; }""")
        assert seen


def test_a_run_is_replayed_forked_and_compared(serve: Serve) -> None:
    """The slider goes back to any boundary; a fork from there has a page of its own, and one of what differs."""
    server = serve()
    body = {"task": WORDS_TASK, "engine": "shorten", "config": {"longest": 16}}
    name = server.post("/run", body).json()["id"]
    with browser() as page:
        page.goto(f"{server.url}/#/run/{name}")
        page.wait_for_selector("#place")
        rows = len(page.query_selector_all("section:has(> #h-effects) tbody tr"))
        page.focus("#place")
        page.keyboard.press("Home")
        for _ in range(2):
            page.keyboard.press("ArrowRight")
        page.wait_for_selector("text=before effect 2 >> nth=0")
        assert len(page.query_selector_all("section:has(> #h-effects) tbody tr")) == 2 < rows
        page.fill("#settings", '{"longest": 8}')
        page.keyboard.press("Enter")
        page.wait_for_selector("text=what differs")
        page.wait_for_selector(".answer")
        assert page.inner_text(".answer").strip() == "one two"
        page.click("text=what differs")
        page.wait_for_selector("text=longest")
        assert "one two three" in page.inner_text("main")
        assert "a ends where b goes on with effect 6, shorten" in page.inner_text("main")


def test_a_question_is_answered_in_the_window(serve: Serve) -> None:
    """The page of a run that waits shows the question with its options; an answer continues the run."""
    server = serve()
    body = {"task": "drop words from either end", "engine": "shorten", "unattended": "suspend"}
    name = server.post("/run", body).json()["id"]
    with browser() as page:
        page.goto(f"{server.url}/#/run/{name}")
        page.wait_for_selector("text=Which end?")
        assert not page.is_visible("#h-effects")  # there are none yet
        page.click("button:text('front')")
        page.wait_for_selector(".answer")
        assert page.inner_text(".answer").strip() == "either end"


NEEDS: list[list[int]] = [[], [], [], [1, 2, 3], [4], [4, 5]]
PLANNED = {"expected_step_count": 6, "reasoning_depth": 3}


BELOW = """Math.max(...[...document.querySelectorAll(".graph path")].map((path) => {
    const box = path.getBBox();
    return box.width > 200 ? box.y + box.height - path.getPointAtLength(0).y : 0; }))"""


def test_a_wide_plan_is_read_on_a_narrow_screen(serve: Serve) -> None:
    """The graph scrolls by itself, not the page; it stays where it was scrolled to while the run goes on or back."""

    def reply(request: LLMRequest) -> LLMResponse:
        said = played(request)
        asked = (request.json_schema or {}).get("properties", {})
        if "expected_step_count" in asked:
            return said.changed(text=json.dumps(json.loads(said.text) | PLANNED))
        if "steps" in asked:
            steps = [{"goal": f"find part {n}", "needs": needs} for n, needs in enumerate(NEEDS, 1)]
            return said.changed(text=json.dumps({"steps": steps}))
        return said

    server = serve(Scripted(reply))
    name = server.post("/run", {"task": TASK, "config": {"thorough": True}}).json()["id"]
    with browser(viewport={"width": 360, "height": 740}) as page:
        page.goto(f"{server.url}/#/run/{name}")
        page.wait_for_selector("#place")
        assert len(page.query_selector_all(".graph g.complete")) == 6
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        paths = [path.get_attribute("d") for path in page.query_selector_all(".graph path")]
        assert len(paths) == len(set(paths)) == 6
        below = page.evaluate(BELOW)
        assert below > 37, "the line that passes a box is hidden by it"
        page.evaluate("document.querySelector('.graph').scrollLeft = 200")
        page.focus("#place")
        page.keyboard.press("Home")
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        assert page.query_selector_all(".graph g.pending")
        assert page.evaluate("document.querySelector('.graph').scrollLeft") == 200


def test_texts_of_a_run_stay_texts(serve: Serve) -> None:
    """Markup in a task and an answer is shown as it is written; what turns the reading direction as its code."""
    server = serve()
    name = server.post("/run", {"task": HOSTILE, "engine": "shorten", "config": {"longest": 900}}).json()["id"]
    with browser() as page:
        page.goto(f"{server.url}/#/run/{name}")
        page.wait_for_selector(".answer")
        assert "<img src=x onerror=alert(1)>" in page.inner_text("h1") and "\\u202e" in page.inner_text(".answer")
        assert page.query_selector("main img, main script, main a[href^=javascript]") is None
        page.goto(server.url)
        page.wait_for_selector("#runs a")


def test_narrow_dark_and_with_a_token(serve: Serve) -> None:
    """On a small screen nothing is wider than it; the page asks for a token where the server does."""
    server = serve(tokens=Tokens(["a-token-of-some-length"], "tokens"))
    server.client.headers["Authorization"] = "Bearer a-token-of-some-length"
    server.post("/run", {"task": WORDS_TASK * 9, "engine": "shorten"})
    with browser(viewport={"width": 320, "height": 700}, color_scheme="dark") as page:
        page.goto(f"{server.url}/window/window.css")
        page.evaluate("sessionStorage.setItem('aeon-token', 'a-token-of-some-length')")
        page.goto(server.url)
        page.wait_for_selector("#runs a")
        page.click("#runs a")
        page.wait_for_selector("#place")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 23, 26)"


def test_the_window_asks_for_a_token(serve: Serve) -> None:
    """Without one the page asks for it, and keeps it for this tab alone."""
    server = serve(tokens=Tokens(["a-token-of-some-length"], "tokens"))
    with pytest.raises(AssertionError, match="401"), browser() as page:  # the browser itself notes the answer
        page.goto(server.url)
        page.wait_for_selector("#token")
        page.fill("#token", "a-token-of-some-length")
        page.keyboard.press("Enter")
        page.wait_for_selector("#runs")
        assert page.evaluate("localStorage.length") == 0


def test_the_model_calls_of_an_effect_are_there(serve: Serve, tmp_path: Path) -> None:
    """Prompt and reply of each call stand below the effect that made it; a fork has those that it shares."""
    server = serve()
    name = server.post("/run", {"task": TASK}).json()["id"]
    history = server.get(f"/jobs/{name}/history").json()
    made = {one["number"]: one["outcome"]["usage"]["calls"] for one in history["effects"]}
    assert sum(made.values()) > 1
    for number, calls in made.items():
        noted = server.get(f"/jobs/{name}/calls/{number}").json()["calls"]
        assert len(noted) == calls and all(TASK in str(call["messages"]) and call["reply"] for call in noted)
    fork = server.post(f"/jobs/{name}/fork", {"at": 2}).json()["id"]
    server.over(fork)
    assert server.get(f"/jobs/{fork}/calls/1").json() == server.get(f"/jobs/{name}/calls/1").json()
    number = next(number for number, calls in made.items() if calls)
    with browser() as page:
        page.goto(f"{server.url}/#/run/{name}")
        page.wait_for_selector("#place")
        page.click(f"[data-key=effect-{number}] > summary")
        page.click("text=model call 1")
        assert TASK in page.inner_text(f"[data-key=effect-{number}]")

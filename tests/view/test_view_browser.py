"""The local pages in a real browser: what a reviewer does with keys alone, what is seen live, and what never runs."""

import io
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from runs.faults.foreign_servers import Package
from sample_run import Words
from table.test_table import DOG, RENT, TERM, Cast, fill, write_leases
from test_view_hostile import WILD, wild_words

from ralph_cli.config import Settings
from ralph_cli.core.results.review import Mark
from ralph_cli.journal.reviews import add_review, read_reviews
from ralph_cli.table.outputs import write_table

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium")
PICTURES = os.environ.get("PICTURES")
"""A folder for pictures of the pages, for whoever wants to look at them."""

AXE = Package(
    "npm",
    "axe-core",
    "4.14.1",
    "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
)

TRIAL = """() => {
  const made = document.createElement("script");
  made.textContent = "window.ran = 1";
  document.body.append(made);
}"""

SEEN = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""

GAP_ON_THE_RIGHT = """() => {
  const [words, range] = [document.querySelector(".words"), document.createRange()];
  range.selectNodeContents(words);
  return words.getBoundingClientRect().right - range.getBoundingClientRect().right;
}"""

COVERED = """() => {
  const [at, viewer] = [document.activeElement, document.getElementById("viewer")];
  return !viewer.contains(at) && at !== document.body
    && at.getBoundingClientRect().bottom > viewer.getBoundingClientRect().top + 2;
}"""
"""Whether what has the focus is behind the document."""

WITHIN = """([inner, outer]) => {
  const [a, b] = [inner, outer].map((one) => document.querySelector(one).getBoundingClientRect());
  return a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
}"""

SIZES = {"light": (1360, 850), "dark": (1360, 850), "phone": (390, 800)}
READY = {"home": "#runs li", "table": "#rows [data-path]", "run": "#sheet .paper, #sheet p:not(:empty)"}


class Pages:
    """The pages of a folder in a browser; what went wrong there is in `faults`."""

    def __init__(self, address: str, browser: Any) -> None:
        self.address, self._browser = address, browser
        self.faults: list[str] = []

    def open(self, path: str = "", look: str = "light") -> Any:
        """A new page of its own browser profile."""
        width, height = SIZES[look]
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if look == "dark" else "light",
            is_mobile=look == "phone",
            has_touch=look == "phone",
        )
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: None if request.url.startswith(self.address) else self.faults.append(f"asks {request.url}"),
        )
        page.goto(self.address + path)
        return page


@contextmanager
def serving(out: Path) -> Iterator[Pages]:
    """`ralph view` on a folder, and a browser."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "ralph_cli", "view", str(out), "--no-browser", "--name", "Ann"]
    with (
        playwright.sync_playwright() as started,
        subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
            browser = started.chromium.launch(executable_path=CHROMIUM, args=options)
            yield Pages(server.stdout.readline().strip(), browser)
            browser.close()
        finally:
            server.kill()


def wait(page: Any, condition: str) -> None:
    """Wait until something is true in the page, whose policy admits no code that is a text."""
    last = ""
    for _ in range(300):
        try:
            if page.evaluate(f"!!({condition})"):
                return
        except playwright.Error as error:
            last = error.message  # it goes on to another page, which is not whole yet
        page.wait_for_timeout(100)
    raise AssertionError(f"it never came true: {condition} {last}")


def picture(page: Any, name: str) -> None:
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/{name}.png")


def focus(page: Any) -> str:
    """The text of what has the focus."""
    return str(page.evaluate("document.activeElement.textContent"))


def shown(page: Any, selector: str) -> list[str]:
    """The texts of the elements that are seen."""
    return [item.inner_text() for item in page.locator(selector).all() if item.is_visible()]


def is_narrow(page: Any) -> bool:
    """Whether the page needs no scrolling sideways."""
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return bool(width <= window)


@pytest.fixture
def out(tmp_path: Path, forge: Callable[..., Path]) -> Path:
    """A folder with a table of three leases, and three runs beside it."""
    (tmp_path / "out").mkdir()
    write_leases(tmp_path / "out" / "leases", c="$7,000")
    fill(Cast(), tmp_path / "out", documents=tmp_path / "out" / "leases")
    for name in ("20260101-a", "20260102-b", "20260103-c"):
        forge(name)
    return tmp_path / "out"


def test_a_reviewer_with_the_keys_alone(out: Path, tmp_path: Path) -> None:
    with serving(out) as pages:
        page = pages.open()
        page.wait_for_selector("#runs li:nth-child(3)")
        page.keyboard.press("?")
        assert page.locator("#help").is_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        assert focus(page) == "table"
        page.keyboard.press("Enter")
        page.wait_for_selector("#rows [data-path]")
        wait(page, "document.getElementById('grid').dataset.filled === '3'")
        page.keyboard.press("/")
        page.keyboard.type("51,500")
        wait(page, "document.getElementById('count').textContent.startsWith('1 of 9 answers')")
        assert len(shown(page, "#rows .row")) == 1
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowDown")
        assert "$51,500" in focus(page) or "51" in focus(page)
        for key, words in (("l", "ten years"), ("ArrowRight", ""), ("h", "ten years"), ("ArrowLeft", "51")):
            page.keyboard.press(key)
            assert words in focus(page)
        page.click("#all")
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        page.keyboard.press("k")
        page.keyboard.press("k")
        page.keyboard.press("Enter")
        page.wait_for_selector("body[data-ready] .marks")
        page.wait_for_selector("#sheet mark, #sheet .paper")
        assert page.locator("#way-where").inner_text().endswith("of 9; reviewed: 0")
        page.keyboard.press("c")
        page.keyboard.type("read it")
        page.keyboard.press("Enter")
        page.wait_for_selector(".reviews .confirmed")
        assert "confirmed by Ann" in page.locator(".reviews").first.inner_text()
        wait(page, "document.activeElement.textContent === 'Confirm'")
        page.keyboard.press("n")
        wait(page, "document.getElementById('way-where').textContent === '2 of 9; reviewed: 1'")
        page.wait_for_selector("body[data-ready] .marks")
        page.keyboard.press("w")
        page.keyboard.type("not so")
        page.keyboard.press("Shift+Enter")
        wait(page, "document.getElementById('way-where').textContent === '3 of 9; reviewed: 2'")
        page.wait_for_selector("body[data-ready] .marks")
        page.keyboard.press("e")
        page.keyboard.press("Enter")  # nothing is kept without what is right
        assert page.locator("form.review").is_visible()
        page.keyboard.type("=1+1 <b>twelve</b> years")
        page.keyboard.press("Enter")
        page.wait_for_selector(".reviews .corrected")
        page.keyboard.press("p")
        page.wait_for_selector("body[data-ready] .reviews .wrong")
        page.keyboard.press("u")
        page.keyboard.press("Enter")
        wait(page, "!document.querySelector('.reviews')")
        wait(page, "document.getElementById('said').textContent.startsWith('Taken back.')")
        picture(page, "reviewed")
        page.keyboard.press("Escape")
        page.wait_for_selector("#rows [data-path]")
        wait(page, "document.getElementById('reviewed').textContent === 'Reviewed: 2 of 9.'")
        wait(page, "document.activeElement.getAttribute('role') === 'gridcell'")
        assert shown(page, "[role=gridcell] .tick") == ["✓", "✎"]
        page.select_option("#reviews", "no")
        wait(page, "document.getElementById('count').textContent.startsWith('7 of 9')")
        page.select_option("#reviews", "by Ann")
        wait(page, "document.getElementById('count').textContent.startsWith('2 of 9')")
        picture(page, "filtered")
        page.reload()
        wait(page, "document.getElementById('count').textContent.startsWith('2 of 9')")
        assert page.input_value("#reviews") == "by Ann"
        page.keyboard.press("Escape")
        page.wait_for_selector("#runs li")
        assert pages.faults == []
    marks = sorted(review.mark.value for path in (out / "table").glob("runs/*/*/") for review in read_reviews(path))
    assert marks == ["confirmed", "corrected", "withdrawn", "wrong"]
    book = load_workbook(io.BytesIO(write_table(out / "table", Settings()).files["xlsx"].read_bytes()))
    head, *reviews = book["Reviews"].values
    told = [[review[head.index(name)] for name in ("Mark", "What is right", "Note", "By")] for review in reviews]
    assert told == [["confirmed", None, "read it", "Ann"], ["corrected", "=1+1 <b>twelve</b> years", None, "Ann"]]


def test_the_list_by_keys_search_and_filters(out: Path) -> None:
    add_review(out / "20260102-b", by="Bo", mark=Mark.WRONG)
    with serving(out) as pages:
        page = pages.open()
        page.wait_for_selector("#runs li:nth-child(3)")
        page.select_option("#reviews", "by Bo")
        wait(page, "document.querySelectorAll('#runs li').length === 1")
        assert shown(page, "#runs .tick") == ["✗ wrong by Bo"]
        page.select_option("#reviews", label="not by Bo")
        wait(page, "document.querySelectorAll('#runs li').length === 2")
        assert shown(page, "#tables li") == []  # a table has no reviews of its own
        page.click("#all")
        page.fill("#search", "questions leases")
        page.wait_for_selector("text=No run matches.")
        assert shown(page, "#tables li") == []
        page.fill("#search", "table 9 cells")
        wait(page, "document.querySelector('#tables li').checkVisibility()")
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        assert focus(page) == "table"
        page.fill("#search", "20260103 monthly")
        wait(page, "document.querySelectorAll('#runs li').length === 1")
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_selector("body[data-ready] .marks")
        page.keyboard.press("Escape")
        page.wait_for_selector("#runs li")
        assert page.input_value("#search") == "20260103 monthly"
        wait(page, "document.activeElement.classList.contains('open')")
        assert pages.faults == []


def test_what_was_looked_at_is_found_again(
    tmp_path: Path, samples: Path, asked: Callable[..., str], forge: Callable[..., Path]
) -> None:
    run = asked(samples / "report.pdf", "What was revenue in 2024?")
    forge("20260101-arabic", Words(claim="الإيجار السنوي 48,000 دولار."))
    write_leases(tmp_path / "out" / "leases", c="$7,000")
    fill(Cast(), tmp_path / "out", documents=tmp_path / "out" / "leases")
    with serving(tmp_path / "out") as pages:
        page = pages.open()
        page.wait_for_selector("#runs li:nth-child(2)")
        page.select_option("#filter", "bad")
        wait(page, "document.getElementById('count').textContent === '1 of 2 runs, 0 reviewed'")
        page.fill("#search", "zebra")
        page.wait_for_selector("text=No run matches.")
        # The row that had the focus is hidden, and so are all below it.
        page.goto(f"{pages.address}tables/table")
        wait(page, "document.getElementById('grid').dataset.filled === '3'")
        for _ in range(4):
            page.keyboard.press("j")
        page.fill("#search", "48,000")
        wait(page, "document.getElementById('count').textContent.startsWith('1 of 9 answers')")
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        assert "48,000" in focus(page)
        # A quote stands in the address, and a page is a few keys away.
        page.goto(f"{pages.address}runs/{run}")
        page.wait_for_selector(".box.chosen")
        page.keyboard.press("j")
        wait(page, "location.hash === '#quote-2'")
        page.reload()
        page.wait_for_selector("#quote-2.chosen")
        page.wait_for_selector(".box.chosen")
        page.keyboard.press("g")
        page.keyboard.type("21\n")
        wait(page, "document.getElementById('where').textContent.startsWith('page 21 of 38')")
        wait(page, "document.activeElement.id === 'sheet'")  # the keys are at hand again
        # A language that begins on the right does so.
        page.goto(f"{pages.address}runs/20260101-arabic")
        page.wait_for_selector(".words")
        assert page.evaluate(GAP_ON_THE_RIGHT) < 2
        assert pages.faults == []
        page.context.set_offline(True)
        page.keyboard.press("c")
        page.keyboard.type("a note\n")
        wait(page, "document.getElementById('said').textContent.startsWith('Not kept. The server does not answer')")
        page.wait_for_timeout(4_000)  # the browser tries again to follow the run, and fails
        assert page.locator("#said").inner_text().startswith("Not kept.")
        assert page.locator("form.review").is_visible()
        assert read_reviews(tmp_path / "out" / "20260101-arabic") == ()


def test_runs_and_tables_that_are_written_while_their_pages_are_open(
    tmp_path: Path, out: Path, running: Callable[..., Any]
) -> None:
    with serving(out) as pages:
        home = pages.open()
        home.wait_for_selector("#runs li:nth-child(3)")
        step = running("20260104-live")
        home.wait_for_selector("#runs li:nth-child(4)")
        assert "running" in home.locator("#runs li").first.inner_text()
        run = pages.open("runs/20260104-live")
        run.wait_for_selector("text=Still running")
        assert run.locator(".marks").count() == 0
        assert not run.locator("#ask").is_visible()
        step(whole=True)
        run.wait_for_selector(".marks")
        run.wait_for_selector("#ask")
        home.wait_for_selector("#runs li:first-child .verdict.bad")
        table = pages.open("tables/table")
        wait(table, "document.getElementById('grid').dataset.filled === '3'")
        more = {"documents": out / "leases", "resume": True}
        asking = threading.Thread(
            target=lambda: fill(
                Cast(), out, RENT, TERM, DOG, type(RENT)(id="new", question="What is the rent now?"), **more
            )
        )
        asking.start()
        table.wait_for_selector("[role=columnheader]:has-text('What is the rent now?')")
        asking.join()
        wait(table, "document.querySelectorAll('#rows [data-path]').length === 12")
        shutil.rmtree(out / "20260104-live")
        wait(home, "document.querySelectorAll('#runs li').length === 3")
        run.wait_for_selector("text=The run is gone.")
        # A page that is not seen follows nothing, and knows what has gone meanwhile when it is seen again.
        home.evaluate(SEEN, True)
        shutil.rmtree(out / "20260103-c")
        home.wait_for_timeout(2_000)
        assert home.locator("#runs li").count() == 3
        home.evaluate(SEEN, False)
        wait(home, "document.querySelectorAll('#runs li').length === 2")
        assert pages.faults == []


def test_hostile_texts_run_nothing_and_ask_for_nothing(tmp_path: Path, forge: Callable[..., Path]) -> None:
    size = len(WILD) // 20 + 1
    for at in range(size):
        folder = forge(f"2026010{at}-<img src=x onerror=alert(1)>".replace("/", "_"), wild_words(at))
        said = "x" + WILD[at].encode("utf-8", "replace").decode()[:90]
        add_review(folder, by=said, mark=Mark.CORRECTED, correction=said, note=said, claim=1)
    (tmp_path / "out" / "j").mkdir()
    write_leases(tmp_path / "out" / "j")
    payload = "<script>alert(2)</script><img src=//evil.example onerror=alert(3)>"
    fill(
        Cast(),
        tmp_path / "out",
        type(RENT)(id="rent", question=f"What is the rent? {payload}"),
        documents=tmp_path / "out" / "j",
    )
    with serving(tmp_path / "out") as pages:
        page = pages.open()
        wait(page, f"document.querySelectorAll('#runs li').length === {size}")
        links = page.eval_on_selector_all("#runs a.open", "links => links.map((link) => link.href)")
        assert page.locator("#runs img, #runs script, #runs iframe").count() == 0
        for word in ("<script>", "onerror", "javascript:"):
            page.fill("#search", word)
        for link in [*links, pages.address + "tables/table"]:
            page.goto(link)
            page.wait_for_selector(", ".join(READY.values()))
            page.keyboard.press("j")
            assert page.evaluate("document.querySelectorAll('script').length") == 1
            assert page.locator("main iframe, main object, main embed, main base, main form[action]").count() == 0
        assert payload in page.content().replace("&lt;", "<").replace("&gt;", ">")
        page.evaluate(TRIAL)
        assert page.evaluate("window.ran") is None and any("Content Security Policy" in fault for fault in pages.faults)
        # Nothing but that trial of ours was said in the console, asked for, or opened.
        assert [fault for fault in pages.faults if "Content Security Policy" not in fault] == []
        assert len(pages.faults) == 1


@pytest.mark.parametrize("look", SIZES)
def test_every_page_in_every_look(out: Path, samples: Path, asked: Callable[..., str], look: str) -> None:
    run = asked(samples / "report.pdf", "What was revenue in 2024?")
    add_review(next((out / "table").glob("runs/*/*/journal.sqlite3")).parent, by="Bo", mark=Mark.CONFIRMED)
    with serving(out) as pages:
        for name, path in (("home", ""), ("table", "tables/table"), ("run", f"runs/{run}")):
            page = pages.open(path, look)
            page.wait_for_selector(READY[name])
            page.wait_for_timeout(300)
            picture(page, f"{name}-{look}")
            assert is_narrow(page), name
            if name == "run":
                page.wait_for_selector(".box.chosen")
                assert page.locator(".box.chosen").first.is_visible() and page.locator("#viewer").is_visible()
                page.keyboard.press("e")
                picture(page, f"form-{look}")
                assert is_narrow(page)
        assert pages.faults == []


def test_what_was_chosen_stays_in_sight(out: Path, samples: Path, asked: Callable[..., str]) -> None:
    run = asked(samples / "report.pdf", "What was revenue in 2024?")
    with serving(out) as pages:
        # Of what is searched the first cell is in sight, also in a column that was not; the keys begin there.
        page = pages.open("tables/table", "phone")
        wait(page, "document.getElementById('grid').dataset.filled === '3'")
        page.fill("#search", "nothing on animals b.html")
        wait(page, "document.getElementById('count').textContent.startsWith('1 of 9 answers')")
        wait(page, "document.getElementById('grid').scrollLeft > 0")
        assert page.evaluate(WITHIN, ["[role=gridcell][tabindex='0']", "#grid"])
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        assert "nothing on animals" in focus(page)
        page.fill("#search", "term")  # the name of a column
        wait(page, "document.getElementById('count').textContent === '3 of 9 answers, 3 of 3 rows'")
        assert page.evaluate(WITHIN, ["[role=gridcell][tabindex='0']", "#grid"])
        # A phone is told of no keys, and the document hides nothing that has the focus.
        page.goto(f"{pages.address}runs/{run}")
        page.wait_for_selector(".box.chosen")
        for _ in range(40):
            page.keyboard.press("Tab")
            assert not page.evaluate(COVERED), focus(page)
        page.evaluate("scrollTo(0, 150)")
        page.keyboard.press("g")
        page.keyboard.type("21\n")
        wait(page, "document.getElementById('where').textContent.startsWith('page 21 of 38')")
        assert page.evaluate("scrollY") == 150  # what is typed below the answer does not move it
        page.locator(".marks [data-mark=confirmed]").first.click()
        assert shown(page, "form.review button") == ["Keep", "Cancel"]
        page.keyboard.press("Enter")
        wait(page, "document.getElementById('said').textContent === 'Kept.'")
        # A window that gets narrow shows the quote that is chosen, and so does one that gets wide.
        page = pages.open(f"runs/{run}")
        page.wait_for_selector(".box.chosen")
        for width, height in ((390, 700), (700, 500), (1600, 900)):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(300)
            chosen, sheet = (page.locator(one).first.bounding_box() for one in (".box.chosen", "#sheet"))
            assert sheet["y"] <= chosen["y"] and chosen["y"] + chosen["height"] <= sheet["y"] + sheet["height"], width
            assert chosen["x"] >= sheet["x"] - 2
        # At its end the page shows the whole document, with its buttons.
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        assert page.locator("#pager").bounding_box()["y"] >= 0
        assert pages.faults == []


def test_axe_finds_nothing(out: Path, samples: Path, asked: Callable[..., str]) -> None:
    script = (AXE.require() / "package" / "axe.min.js").read_text("utf-8")
    run = asked(samples / "report.pdf", "What was revenue in 2024?")
    add_review(next((out / "table").glob("runs/*/*/journal.sqlite3")).parent, by="Bo", mark=Mark.CONFIRMED)
    add_review(out / run, by="Bo", mark=Mark.WRONG, claim=1)
    found = []
    with serving(out) as pages:
        for look in SIZES:
            for name, path in (("home", ""), ("table", "tables/table"), ("run", f"runs/{run}")):
                page = pages.open(path, look)
                page.wait_for_selector(READY[name])
                page.wait_for_timeout(300)
                if name == "run":
                    page.wait_for_selector(".box.chosen")
                    page.keyboard.press("e")
                page.evaluate(script)
                result = page.evaluate("() => axe.run()")
                for violation in result["violations"]:
                    places = [node["html"][:160] for node in violation["nodes"][:3]]
                    found.append((look, name, violation["id"], violation["help"], places))
        page.evaluate("() => document.body.append(document.createElement('button'))")
        assert "button-name" in {item["id"] for item in page.evaluate("() => axe.run()")["violations"]}
    assert found == []

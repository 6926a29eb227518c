"""What is shown, in the programs that show it: a hundred thousand payloads through a terminal and a browser."""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from sample_run import Words
from sample_table import sample_table
from set_outputs import set_outputs
from test_outputs import Shape, made, payloads, tables

from ralph_cli.reports.html import page
from ralph_cli.reports.notebook import render_table
from ralph_cli.reports.story import story
from ralph_cli.reports.terminal import report_text

pytestmark = pytest.mark.full

NAMES = [item.name for item in fields(Words)]
END = "the end of what is shown"
SEEDS = range(100, 110)
COUNT = 10_000


def wild_words(seed: int) -> Words:
    given = list(payloads(COUNT, seed))
    share = -(-len(given) // len(NAMES))
    return Words(**{name: "calm " + " ".join(given[at * share :][:share]) for at, name in enumerate(NAMES)})


class Terminal:
    """A terminal of 250 columns that remembers all lines, and obeys what a terminal obeys: titles, clipboard, links."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ask("set", "-g", "history-limit", "500000", ";", "set", "-g", "set-clipboard", "on", ";",
                  "new-session", "-d", "-x", "250", "-y", "50", "sleep 1000")  # fmt: skip

    def show(self, text: str) -> str:
        """What stands on the screen, and above it, when a text was printed."""
        path = self._folder / "shown.txt"
        path.write_bytes((text + "\n" + END).encode("utf-8", "surrogatepass"))
        self._ask("select-pane", "-T", "calm")
        self._ask("respawn-pane", "-k", f"clear; cat {path}; sleep 1000")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            seen = self._ask("capture-pane", "-p", "-J", "-S", "-")
            if END in seen:
                return seen.partition(END)[0]
            time.sleep(0.2)
        return seen

    def state(self) -> str:
        """The title and what is in the clipboard."""
        return self._ask("display", "-p", "#{pane_title}").strip() + self._ask("list-buffers")

    def close(self) -> None:
        self._ask("kill-server")

    def _ask(self, *command: str) -> str:
        tmux = ["tmux", "-S", str(self._folder / "socket"), "-f", "/dev/null", "-u", *command]
        return subprocess.run(tmux, capture_output=True, check=True, timeout=60).stdout.decode("utf-8", "replace")


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    opened = Terminal(tmp_path_factory.mktemp("terminal"))
    yield opened
    opened.close()


def letters(text: str) -> str:
    return "".join(text.split())


def test_the_terminal_obeys(terminal: Terminal) -> None:
    """Else the next test says nothing."""
    assert letters(terminal.show("one\x1b[2Jtwo\rx")) != letters("one\x1b[2Jtwo\rx")
    terminal.show("\x1b]2;evil\x07\x1b]52;c;ZXZpbA==\x07")
    assert "evil" in terminal.state()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_terminal_shows_what_is_printed_and_obeys_none_of_it(seed: int, terminal: Terminal) -> None:
    wild = wild_words(seed)
    run, _ = made(wild, absent=False)
    shown = {
        "terminal": report_text(run.view),
        "story": story(run.events),
        **tables(sample_table(wild)),
        **set_outputs([getattr(wild, name) for name in NAMES]),
    }
    terminal.show("calm")
    before = terminal.state()
    for name in ("terminal", "story", "table summary", "table markdown", "ls", "queue", "comparison", "memo"):
        assert letters(terminal.show(shown[name])) == letters(shown[name]), name
        assert terminal.state() == before, name


class Browser:
    """A headless browser that tells what a page became, and which addresses it asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self, text: str) -> tuple[str, str]:
        """The page after its scripts, if any, have run; and the addresses outside of this machine that it asked for."""
        path, log = self._folder / "page.html", self._folder / "net.json"
        path.write_text(text, "utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
        options += ["--disable-component-update", "--disable-sync", "--virtual-time-budget=3000", "--dump-dom"]
        options += [f"--user-data-dir={self._folder / 'profile'}", f"--log-net-log={log}"]
        command = ["chromium", *options, "--host-resolver-rules=MAP * ~NOTFOUND", path.as_uri()]
        done = subprocess.run(command, capture_output=True, check=True, timeout=120)
        asked = re.findall(r'"url":"((?!file:|chrome|data:image/png)[^"]*)"', log.read_text("utf-8", "replace"))
        return done.stdout.decode("utf-8", "replace"), " ".join(asked)


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed")
    return Browser(tmp_path)


def test_the_browser_obeys(browser: Browser) -> None:
    """Else the next test says nothing."""
    became, asked = browser.open(
        "<title>calm</title><script>document.title='evil'</script><img src=http://evil.example>"
    )
    assert "<title>evil" in became and "evil.example" in asked


@pytest.mark.parametrize("seed", SEEDS)
def test_a_browser_shows_no_element_of_theirs_and_loads_nothing(seed: int, browser: Browser) -> None:
    pages = []
    for words in (wild_words(seed), Words(**{name: f"calm {at}" for at, name in enumerate(NAMES)})):
        run, report = made(words, absent=False)
        pages.append(
            [
                page.render_page(report),
                f"<!doctype html><title>calm</title>{render_table(run.view)}",
                tables(sample_table(words))["table html"],
                set_outputs([getattr(words, name) for name in NAMES])["memo html"],
            ]
        )
    for wild, calm in zip(*pages, strict=True):
        became, asked = browser.open(wild)
        assert "evil.example" not in asked, asked
        assert "<title>evil" not in became
        assert Shape(became).found <= Shape(browser.open(calm)[0]).found
        assert len(became) > COUNT

"""Makes docs/images/view.png, the picture of the local pages: an answer on the sample report beside its page.

    .venv/bin/python tools/view_picture.py

Needs Playwright's Python package, Debian's chromium, and Pillow.
"""

import io
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "view.png"
QUESTION = "What was capital expenditure in fiscal 2024?"
RALPH = [sys.executable, "-m", "ralph_cli"]


def main(browser: str = "/usr/bin/chromium") -> None:
    """Ask, open the page of the answer, and write its picture in 64 colours."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        document = str(ROOT / "samples" / "report.pdf")
        asked = [*RALPH, "qa", document, QUESTION, "--model", "offline", "--out", folder]
        subprocess.run(asked, check=True, stdout=subprocess.DEVNULL)
        command = [*RALPH, "view", folder, "--no-browser", "--name", "Ann"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            page = chromium.new_page(viewport={"width": 1280, "height": 720})
            page.goto(server.stdout.readline().strip())
            page.click("#runs a.open")
            page.wait_for_selector(".box.chosen")
            page.wait_for_timeout(1_000)
            shot = page.screenshot()
            chromium.close()
            server.kill()
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(64).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

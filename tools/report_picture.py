"""Makes docs/images/report.png, the picture in README: the top of the report on the sample memo, which needs no model.

Usage: python tools/report_picture.py [BROWSER], where BROWSER is Chromium or Chrome.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "report.png"
WIDTH, HEIGHT = 900, 714
"""Pixels of the picture: down to the end of the first quotation that does not hold."""

COLOURS = 64


def main(browser: str = "chromium") -> None:
    """Check the memo, take a picture of the report's top, and keep it small."""
    with tempfile.TemporaryDirectory() as folder:
        page, shot = Path(folder) / "report.html", Path(folder) / "shot.png"
        check = [sys.executable, "-m", "ralph_cli", "check", "samples/memo.md", "--doc", "samples/report.pdf"]
        done = subprocess.run(
            [*check, "--html", str(page), "--quiet"], cwd=ROOT, stdout=subprocess.DEVNULL, check=False
        )
        if done.returncode != 2:
            raise SystemExit(
                f"the check of the sample memo ended with {done.returncode}; it finds two faults, which is 2"
            )
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--window-size={WIDTH},{HEIGHT}",
        ]
        light = "--blink-settings=preferredColorScheme=1"
        command = [browser, *options, light, f"--screenshot={shot}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        PICTURE.parent.mkdir(exist_ok=True)
        # Few colours are enough for print on paper, and make a third of the size.
        Image.open(shot).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    sys.stdout.write(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

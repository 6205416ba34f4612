"""The same report on paper, printed by Chromium if there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
_SECONDS: Final = 180


def find_browser() -> str | None:
    """Path of a Chromium, or ``None``."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def print_pdf(page: Path, pdf: Path) -> None:
    """Print an HTML file.

    Raises
    ------
    ValueError
        If there is no Chromium, or it does not print.
    """
    browser = find_browser()
    if browser is None:
        message = f"a PDF needs Chromium, and none of {', '.join(BROWSERS)} is installed"
        raise ValueError(message)
    with tempfile.TemporaryDirectory() as profile:
        command = [
            browser,
            "--headless=new",
            "--disable-gpu",
            "--no-pdf-header-footer",
            "--virtual-time-budget=60000",
            f"--user-data-dir={profile}",
            f"--print-to-pdf={pdf.resolve()}",
            page.resolve().as_uri(),
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # Chromium's sandbox does not run as root
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)  # noqa: S603  (found above)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            message = f"{Path(browser).name} could not print the report: {type(error).__name__}"
            raise ValueError(message) from None
    if not pdf.is_file():
        message = f"{Path(browser).name} wrote no PDF"
        raise ValueError(message)

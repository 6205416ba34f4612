"""Contact sheet of all pages: `python -m tests.e2e.walk.contact_sheet [FOLDER]`, `make pictures`.

Starts the example installation, opens every page as the role that sees most of it, and writes `index.html` with a picture of the
first screen at both widths and in both themes. For looking at, not for comparing: the data are those of the moment.
"""

import json
import os
import sys
import tempfile
from html import escape
from pathlib import Path

PLATFORM = Path(__file__).parents[3] / "platform"
HEAD = """<!doctype html><meta charset="utf-8"><title>Pages of Podium</title>
<style>body { font: 14px sans-serif; background: #888; } section { margin: 1rem 0; } img { height: 360px; margin-right: 6px; }</style>
"""


def main(folder: Path) -> None:
    """Write the pictures and the sheet into a folder."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.path.append(str(PLATFORM))  # its folder is no package
    from playwright.sync_api import sync_playwright

    from tests.e2e.helpers.audit import DESKTOP, PHONE
    from tests.e2e.helpers.browser import launch_options
    from tests.e2e.installation import embedded

    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    with (
        tempfile.TemporaryDirectory() as data,
        embedded(Path(data) / "demo", "--example", "hippocampus") as place,
        sync_playwright() as playwright,
    ):
        ranked = (
            "from leaderboards.models import Standing; print(Standing.objects.filter(phase__slug='final').exists())"
        )
        place.wait(lambda: "True" in place.shell(ranked), "the ranking of the final phase", every=2)
        code = (
            "import json; from django.conf import settings; from tests.e2e.walk import everything; "
            "found = everything.places(); roles = {who for who, _ in found.values()}; "
            "print(json.dumps([found, {who: everything.session(who) for who in roles}, settings.SESSION_COOKIE_NAME]))"
        )
        found, sessions, cookie = json.loads(place.shell(code))
        quiet = "from tests.e2e.walk import everything; print(everything.is_quiet())"
        place.wait(lambda: "True" in place.shell(quiet), "the workers' part", every=1)
        browser = playwright.chromium.launch(**launch_options())
        for name, (who, path) in sorted(found.items()):
            context = browser.new_context(reduced_motion="reduce", locale="en-GB")
            if sessions[who]:
                context.add_cookies([{"name": cookie, "value": sessions[who], "url": place.url}])
            page = context.new_page()
            files = []
            for width, height in (DESKTOP, PHONE):
                for theme in ("light", "dark"):
                    page.set_viewport_size({"width": width, "height": height})
                    page.emulate_media(color_scheme=theme)
                    page.goto(place.url + path, wait_until="load")
                    files.append(f"{name.partition('?')[0].replace(':', '-')}-{width}-{theme}.png")
                    page.screenshot(path=folder / files[-1])
            context.close()
            images = "".join(f'<img loading="lazy" src="{escape(file)}" alt="{escape(file)}">' for file in files)
            rows.append(
                f"<section><h2>{escape(name)}</h2><p>{escape(who or 'visitor')}, {escape(path)}</p>{images}</section>"
            )
        browser.close()
    (folder / "index.html").write_text(HEAD + "\n".join(rows), "utf-8")
    print(f"{len(rows)} pages: {folder / 'index.html'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/pictures"))

"""Generator of a static site of the documentation, for reading without an installation.

The site holds the help, the engineering notes, the reference of `evaluation` from its docstrings, and the reference of the REST
API. MkDocs with the theme Material builds it. Any web server can serve it, and it loads nothing from elsewhere.

Run from the top of the repository (``make site``). The site is written to the named folder, ``build/site`` by default:

    python -m docs.make_site [FOLDER] [--pages-only]
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from web import manual

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = ROOT / "docs"
COPIED: Final = (".md", ".svg", ".png", ".csv")
DEVELOPMENT: Final = {
    "Guides": "guides/",
    "Notes": "development/",
    "Correctness": "correctness/",
    "Structure": ("architecture", "design-system", "problems", "metadata", "confinement", "performance"),
    "Packages": ("dependencies", "licences"),
}
"""Groups of the pages for engineers: a folder, or names of pages."""
_LINK: Final = re.compile(r"(!?)\[([^\]\n]*)\]\(([^)\s]+)\)")
_FENCE: Final = re.compile(r"^(```|~~~)")
_REDOC: Final = "drf_spectacular_sidecar/static/drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js"
_REST_PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>REST API of Podium</title>
</head>
<body>
<redoc spec-url="schema.yaml"></redoc>
<script src="redoc.standalone.js"></script>
</body>
</html>
"""


def write_site(folder: Path, *, pages_only: bool = False) -> None:
    """Build the site.

    Parameters
    ----------
    folder
        Folder of the site. What it contains is replaced.
    pages_only
        Whether the references of `evaluation` and of the REST API are left out. They take more than a minute.

    Raises
    ------
    subprocess.CalledProcessError
        If MkDocs finds a link without a target or a page without a place in the contents.
    """
    with tempfile.TemporaryDirectory() as scratch:
        sources = Path(scratch) / "docs"
        stage(sources)
        settings = Path(scratch) / "mkdocs.yml"
        settings.write_text(yaml.safe_dump(configuration(folder, references=not pages_only), sort_keys=False), "utf-8")
        # Without this the theme prints an advertisement of its next version.
        quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", str(settings)]
        subprocess.run(command, check=True, env=quiet)  # noqa: S603
    if not pages_only:
        _write_references(folder)


def configuration(folder: Path, *, references: bool) -> dict[str, Any]:
    """Return the settings of MkDocs: theme, extensions and contents."""
    contents: list[dict[str, Any]] = [{"Overview": "index.md"}]
    contents += [{part: [f"{name}.md" for name in names]} for part, names in manual.PARTS.items()]
    contents.append({"Develop": [{group: _pages(pages)} for group, pages in DEVELOPMENT.items()]})
    interfaces: list[Any] = ["api/metrics.md"]
    if references:
        interfaces += [{"Package evaluation": "/reference/"}, {"REST API": "/rest/"}]
    contents += [{"Interfaces": interfaces}, {"Changes": "CHANGELOG.md"}]
    return {
        "site_name": "Podium",
        "nav": contents,
        "site_dir": str(folder.resolve()),
        "docs_dir": "docs",
        "use_directory_urls": False,
        "theme": {
            "name": "material",
            "font": False,
            "features": ["navigation.tabs", "navigation.top", "toc.follow", "content.code.copy"],
            "palette": [
                {
                    "media": "(prefers-color-scheme: light)",
                    "scheme": "default",
                    "primary": "white",
                    "accent": "teal",
                    "toggle": {"icon": "material/weather-night", "name": "Switch to dark colours"},
                },
                {
                    "media": "(prefers-color-scheme: dark)",
                    "scheme": "slate",
                    "primary": "black",
                    "accent": "teal",
                    "toggle": {"icon": "material/weather-sunny", "name": "Switch to light colours"},
                },
            ],
        },
        "plugins": ["search"],
        "markdown_extensions": ["tables", "fenced_code", "sane_lists", {"toc": {"permalink": True}}],
        "validation": {"nav": {"omitted_files": "warn", "absolute_links": "ignore"}, "links": {"anchors": "warn"}},
        "extra": {"generator": False},
    }


def _pages(pages: str | tuple[str, ...]) -> list[str]:
    if isinstance(pages, tuple):
        return [f"{name}.md" for name in pages]
    names = sorted(path.name for path in (DOCS / pages).glob("*.md"))
    # The page that introduces a folder comes first.
    return [f"{pages}{name}" for name in sorted(names, key=lambda name: (name != "README.md", name))]


def stage(sources: Path) -> None:
    """Copy the pages and pictures; links to files that the site does not contain become plain text."""
    files = {path.relative_to(DOCS): path for path in DOCS.rglob("*") if path.suffix in COPIED}
    files |= {Path("index.md"): ROOT / "README.md", Path("CHANGELOG.md"): ROOT / "CHANGELOG.md"}
    present = {path.as_posix() for path in files}
    for name, path in files.items():
        target = sources / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copyfile(path, target)
            continue
        at = path.relative_to(ROOT).parent.as_posix()
        target.write_text("".join(_lines(path.read_text("utf-8"), at, name.parent.as_posix(), present)), "utf-8")


def _lines(text: str, source_folder: str, folder: str, present: set[str]) -> Iterator[str]:
    """Yield the lines of a page with the links of the site; lines of code are not changed."""

    def turned(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        path, _, anchor = target.partition("#")
        wanted = posixpath.normpath(posixpath.join(source_folder, path))
        wanted = "index.md" if wanted == "README.md" else wanted.removeprefix("docs/")
        if path.endswith("/") and f"{wanted}/README.md" in present:
            wanted = f"{wanted}/README.md"
        if wanted not in present:
            return words
        address = posixpath.relpath(wanted, folder)
        return f"{picture}[{words}]({address}{f'#{anchor}' if anchor else ''})"

    in_code = False
    for line in text.splitlines(keepends=True):
        if _FENCE.match(line.lstrip()):
            in_code = not in_code
        yield line if in_code else _LINK.sub(turned, line)


def _write_references(folder: Path) -> None:
    """Write the reference of `evaluation` and that of the REST API into the site."""
    from docs.api.make_api import write_pages

    write_pages(folder / "reference")
    rest = folder / "rest"
    rest.mkdir(exist_ok=True)
    schema = [sys.executable, str(ROOT / "manage.py"), "spectacular", "--file", str(rest / "schema.yaml")]
    subprocess.run(schema, check=True)  # noqa: S603
    bundle = next(path for place in sys.path if (path := Path(place) / _REDOC).is_file())
    shutil.copyfile(bundle, rest / bundle.name)
    (rest / "index.html").write_text(_REST_PAGE, "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m docs.make_site", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("build/site"))
    parser.add_argument(
        "--pages-only", action="store_true", help="leave out the references of evaluation and of the API"
    )
    chosen = parser.parse_args()
    write_site(chosen.folder, pages_only=chosen.pages_only)
    sys.stdout.write(f"{chosen.folder / 'index.html'}\n")

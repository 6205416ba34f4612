"""The pages of `docs/` for users of the platform, read for `/help/`: titles and sections (`web.help_search` searches them).

Each page is a Markdown file of this repository, so the text on the site and in the repository cannot
differ.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

# The parts of the contents, and the pages of each: file names without their ending.
PARTS: Final = {
    "Compete": ("tutorials/first-submission", "participants", "algorithms", "account"),
    "Organize": (
        "tutorials/first-challenge",
        "organizers",
        "designs",
        "published-designs",
        "rankings",
        "advice",
        "test-sets",
        "scorers",
        "closed-challenges",
        "registry",
        "changes",
        "reports",
        "sites",
        "webhooks",
    ),
    "Review": ("tutorials/first-review", "reviewers"),
    "Read a leaderboard": ("leaderboards", "ranking", "analyse"),
    "Operate": (
        "operators/deployment",
        "operators/settings",
        "operators/sign-in",
        "operators/backup",
        "operators/runners",
        "operators/gpu",
        "operators/slurm",
        "operators/kubernetes",
        "operators/growing",
        "operators/records",
        "operators/threats",
    ),
    "Reference": (
        "glossary",
        "grids",
        "commands",
        "metrics/masks",
        "metrics/objects",
        "metrics/classification",
        "metrics/numbers",
        "metrics/points-and-images",
        "metrics/measured-elsewhere",
        "metrics/costs",
        "claims",
    ),
}
NAMES: Final = tuple(name for names in PARTS.values() for name in names)
_IMAGE = re.compile(r"^images/([a-z0-9-]+\.(?:png|svg))$")


@dataclass(frozen=True)
class Section:
    """A heading with the content below it, up to the next heading."""

    title: str
    anchor: str
    text: str


@dataclass(frozen=True)
class Page:
    """A page of the manual, rendered."""

    name: str
    title: str
    html: str
    sections: tuple[Section, ...]


def folder() -> Path:
    """Return the folder of the documentation."""
    return settings.ROOT / "docs"


def page(name: str) -> Page:
    """Read a page.

    Raises
    ------
    KeyError
        For a name that is not in the contents.
    """
    if name not in NAMES:
        raise KeyError(name)
    return _page(name)


def contents() -> list[tuple[str, list[Page]]]:
    """The parts of the manual with their pages."""
    return [(part, [page(name) for name in names]) for part, names in PARTS.items()]


@cache
def _page(name: str) -> Page:
    source = (folder() / f"{name}.md").read_text("utf-8")
    reader = MarkdownIt("commonmark", {"html": False, "typographer": True}).enable("table")
    tokens = reader.parse(source)
    title = next(_text(tokens[at + 1]) for at, token in enumerate(tokens) if token.type == "heading_open")
    _set_anchors(tokens)
    _turn_links(tokens, name)
    return Page(name, title, reader.renderer.render(tokens, reader.options, {}), tuple(_sections(tokens, title)))


def _set_anchors(tokens: list[Token]) -> None:
    """Give each heading the anchor by which Markdown of this repository names it."""
    taken: set[str] = set()
    for at, token in enumerate(tokens):
        if token.type == "table_open":
            # A wide table scrolls by itself, by the keys as well.
            token.attrSet("tabindex", "0")
        if token.type == "heading_open":
            anchor = base = slugify(_text(tokens[at + 1])) or "section"
            number = 1
            while anchor in taken:
                anchor, number = f"{base}-{number}", number + 1
            taken.add(anchor)
            token.attrSet("id", anchor)


def _turn_links(tokens: list[Token], name: str) -> None:
    """Point links between pages to the pages of the site; links to other files become plain text."""
    for token in tokens:
        if token.type != "inline" or not token.children:
            continue
        dropped = 0
        for child in token.children:
            if child.type == "link_open":
                target = _address(str(child.attrGet("href") or ""), name)
                if target is None:
                    child.type, child.tag, child.nesting, child.content = "text", "", 0, ""
                    dropped += 1
                else:
                    child.attrSet("href", target)
            elif child.type == "link_close" and dropped:
                child.type, child.tag, child.nesting, child.content = "text", "", 0, ""
                dropped -= 1
            elif child.type == "image":
                child.attrSet("src", _picture(str(child.attrGet("src") or "")))


def _address(target: str, name: str) -> str | None:
    """Return the address on the site of a link in a page; None for files that the site does not show."""
    if target.startswith(("https://", "http://", "#")):
        return target
    path, _, anchor = target.partition("#")
    resolved = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)).removesuffix(".md")
    if resolved not in NAMES:
        return None
    return f"/help/{resolved}/{'#' + anchor if anchor else ''}"


def _picture(source: str) -> str:
    """The address of a picture of the documentation."""
    match = _IMAGE.match(source.removeprefix("../"))
    return f"/help/images/{match[1]}" if match else ""


def _sections(tokens: list[Token], title: str) -> Iterator[Section]:
    heading, anchor, words = title, "", list[str]()
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            if words:
                yield Section(heading, anchor, " ".join(words))
            heading, anchor, words = _text(tokens[at + 1]), str(token.attrGet("id") or ""), []
        elif token.type == "inline" and tokens[at - 1].type != "heading_open":
            words.append(_text(token))
        elif token.type == "fence":
            words.append(token.content)
    if words:
        yield Section(heading, anchor, " ".join(words))


def _text(token: Any) -> str:
    """Return the visible text of an inline token."""
    parts = (" " if child.type in ("softbreak", "hardbreak") else child.content for child in token.children or [])
    return "".join(parts).strip()


def picture_file(name: str) -> Path | None:
    """The file of a picture of the documentation, if there is one of that name."""
    if not _IMAGE.match(f"images/{name}"):
        return None
    path = folder() / "images" / name
    return path if path.is_file() else None

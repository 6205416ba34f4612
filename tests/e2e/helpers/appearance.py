"""Findings that a person would see on a page: classes without a rule, texts over each other, marks without contrast.

`appearance.js` looks at the page as it is now; this module has the exceptions, each with its reason.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from playwright.sync_api import Page

SCRIPT = Path(__file__).with_suffix(".js")
# Classes that need no rule: name or pattern of names, and the reason.
UNSTYLED = {
    "deadline|board-legend|leaderboard-table|funnel|board__part|waits__who|design-told": "tests and scripts find it",
    "phase-line__ends|registry-parts|registry-list|help|heat|heat__cell|over-sites|place|mail-text|design-head__saved": (
        "names a part whose looks come from its other classes and its place"
    ),
    "score|metric|edited|picture|log|digest|code|token|break": "names the content, which looks like its neighbours",
    "hero-plot__axis|hero-plot__label": "the rules for .hero-plot text apply",
    "field--bad": "the rules for .field__error and [aria-invalid] apply",
    "notice--info": "a notice without a state looks like this",
    "tabs--small": "the rules for .review-nav apply",
    "design-(dot|field|finding|thread)--.*": "the ordinary state of a part of the form needs no rule",
    "advice-.*": "the drawing has its colours as attributes, since it is shown in reports as well",
    "htmx-.*": "the library sets it during a request",
}
# Classes of marks that structure a drawing: without them it would say the same.
GROUND = {
    "forest__tick|forest__band|hero-plot__grid|hero-plot__band": "lines and bands behind the ranks",
    "gap__axis|interval-strip__axis|interval-strip__tick|rank-histogram__axis|design-line__axis": "line below the marks",
    "interval-strip__range": "the line over it marks the same range",
    "sparkbar__track": "the whole, of which the fill is a part; the share is written next to it",
    "rank-histogram__bar": "the shares are in the accessible name, and the bar of the rank has the accent",
    "advice-ground": "the frame of a drawing",
    "advice-reference": "an area with a caption, in 2.6:1 to 2.9:1; its outline against the prediction is what counts",
    "advice-both": "the overlap of two areas with captions, in 2.4:1; both outlines are drawn around it",
}
# Elements that are empty on purpose.
EMPTY = {
    "swatch-box.*": "a colour of the design system is shown by its ground alone",
}
# Elements whose text lies out of the box of their parent on purpose.
OUTSIDE = {
    "paper__note": "numbers of the guideline are in the margin of a report",
}


@dataclass(frozen=True)
class Fault:
    """One thing that looks wrong: its kind, the element, and the reason."""

    kind: str
    element: str
    reason: str

    def __str__(self) -> str:
        return f"[{self.kind}] {self.element}: {self.reason}"


@cache
def _script() -> str:
    return SCRIPT.read_text("utf-8")


def faults(page: Page) -> list[Fault]:
    """Return what looks wrong on the page as it is now, at its width and in its theme."""
    exceptions = {"unstyled": list(UNSTYLED), "ground": list(GROUND), "empty": list(EMPTY), "outside": list(OUTSIDE)}
    found = page.evaluate("([script, exceptions]) => (0, eval)(script)(exceptions)", [_script(), exceptions])
    return [Fault(**entry) for entry in found]


def faults_everywhere(
    page: Page,
    settle: Callable[[], None],
    *,
    sizes: Iterable[tuple[int, int]],
    themes: Iterable[str] = ("light", "dark"),
) -> list[str]:
    """Return all faults with the widths and themes in which they are seen, each fault once."""
    seen: dict[Fault, list[str]] = {}
    before = page.viewport_size
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        for theme in themes:
            page.emulate_media(color_scheme=theme)
            settle()
            for fault in faults(page):
                seen.setdefault(fault, []).append(f"{width} px {theme}")
    page.emulate_media(color_scheme="light")
    if before:
        page.set_viewport_size(before)
    return [f"{', '.join(where)}: {fault}" for fault, where in seen.items()]

"""The building blocks of a report's HTML; everything that comes from outside is escaped here."""

from __future__ import annotations

import json
from html import escape
from itertools import count
from typing import TYPE_CHECKING, Any

from evaluation.figures.markup import for_plotly

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Page:
    """HTML that grows section by section; figures are numbered as they come."""

    def __init__(self) -> None:
        self.html: list[str] = []
        self.contents: list[tuple[int, str, str]] = []
        self._numbers = count(1)

    def heading(self, level: int, text: str) -> None:
        """Add a heading; levels 2 and 3 go into the contents."""
        anchor = f"s{len(self.contents) + 1}"
        self.contents.append((level, text, anchor))
        self.html.append(f'<h{level} id="{anchor}">{escape(text)}</h{level}>')

    def text(self, sentences: Iterable[str], *, css_class: str = "") -> None:
        """Add a paragraph of sentences; nothing if there are none."""
        joined = " ".join(sentences)
        if joined:
            attribute = f' class="{css_class}"' if css_class else ""
            self.html.append(f"<p{attribute}>{escape(joined)}</p>")

    def points(self, sentences: Iterable[str]) -> None:
        """Add a list of sentences."""
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
        if items:
            self.html.append(f"<ul>{items}</ul>")

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = "") -> None:
        """Add a table; cells are text, except `Markup`, and numbers are right-aligned."""
        head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
        body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows)
        title = f"<caption>{escape(caption)}</caption>" if caption else ""
        self.html.append(
            f'<div class="scroll"><table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        )

    def figure(self, figure: Mapping[str, Any], caption: str) -> None:
        """Add a Plotly figure with its caption."""
        number = next(self._numbers)
        values = json.dumps(for_plotly(figure), separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
        height = figure["layout"].get("height", 420)
        self.html.append(
            f'<figure><div class="plot" id="f{number}" data-height="{height}"></div>'
            f'<script type="application/json" data-figure="f{number}">{values}</script>'
            f"<figcaption><b>Figure {number}.</b> {escape(caption)}</figcaption></figure>"
        )


class Markup(str):
    """HTML that was made here and is not escaped again."""

    __slots__ = ()


def _cell(cell: object) -> str:
    if isinstance(cell, Markup):
        return f"<td>{cell}</td>"
    text = "–" if cell is None else str(cell)
    numeric = text[:1].isdigit() or text[:2].lstrip("-−")[:1].isdigit() or text == "–"
    return f'<td class="n">{escape(text)}</td>' if numeric else f"<td>{escape(text)}</td>"


STYLE = """
:root { --ink: #1b2430; --soft: #5b6675; --line: #d8dde4; --ground: #fff; --accent: #0b5c9e; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.4rem; margin: 3rem 0 .75rem; border-top: 1px solid var(--line); padding-top: 1.5rem; }
h3 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p, ul { max-width: 46rem; }
a { color: var(--accent); }
.lead { font-size: 1.2rem; line-height: 1.4; }
.soft, figcaption, caption { color: var(--soft); font-size: .9rem; }
nav ul { columns: 2; list-style: none; padding: 0; max-width: none; }
nav li.l3 { padding-left: 1rem; font-size: .9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; margin: 1rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { padding: .3rem .7rem .3rem 0; text-align: left; border-bottom: 1px solid var(--line); vertical-align: middle; }
td.n { text-align: right; white-space: nowrap; }
figure { margin: 1.5rem 0; }
.plot { width: 100%; }
.digest { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
@media print {
  :root { --ink: #000; --soft: #444; --line: #ccc; --ground: #fff; --accent: #000; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  h2, h3 { break-after: avoid; } figure, tr { break-inside: avoid; } nav { display: none; }
}
"""

SCRIPT = """
(function () {
  var style = getComputedStyle(document.documentElement);
  var ink = style.getPropertyValue("--ink").trim();
  document.querySelectorAll("script[data-figure]").forEach(function (element) {
    var figure = JSON.parse(element.textContent);
    var target = document.getElementById(element.dataset.figure);
    figure.layout.font = Object.assign({ color: ink, family: "system-ui, sans-serif" }, figure.layout.font || {});
    figure.layout.autosize = true;
    target.style.height = target.dataset.height + "px";
    Plotly.newPlot(target, figure.data, figure.layout, { responsive: true, displaylogo: false });
  });
})();
"""


def document_html(title: str, page: Page) -> str:
    """Put a page together with everything it needs inside."""
    from plotly.offline import get_plotlyjs

    items = "".join(
        f'<li class="l{level}"><a href="#{anchor}">{escape(text)}</a></li>'
        for level, text, anchor in page.contents
        if level < 4
    )
    first, rest = page.html[0], "\n".join(page.html[1:])
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n"
        f'{first}\n<nav aria-label="Contents"><ul>{items}</ul></nav>\n{rest}\n'
        f"<script>{get_plotlyjs()}</script>\n<script>{SCRIPT}</script>\n</body></html>\n"
    )

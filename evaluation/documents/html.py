"""A document as one HTML file with everything inside; all that comes from outside is escaped here."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from evaluation.documents.blocks import Drawing
from evaluation.figures.markup import for_plotly

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evaluation.documents.blocks import Block

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


def as_html(blocks: Iterable[Block], *, title: str) -> str:
    """Return a document as one self-contained HTML file; a table of contents precedes its first section.

    Plotly, which is included in the file, draws the figures from their descriptions.
    """
    from plotly.offline import get_plotlyjs

    sequence = list(blocks)
    first = next((at for at, block in enumerate(sequence) if _is_section(block)), len(sequence))
    items = "".join(
        f'<li class="l{block.level}"><a href="#{block.anchor}">{escape(block.text)}</a></li>'
        for block in sequence
        if _is_section(block)
    )
    before = "".join(_html(block) for block in sequence[:first])
    after = "\n".join(_html(block) for block in sequence[first:])
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n"
        f'{before}\n<nav aria-label="Contents"><ul>{items}</ul></nav>\n{after}\n'
        f"<script>{get_plotlyjs()}</script>\n<script>{SCRIPT}</script>\n</body></html>\n"
    )


def _is_section(block: Block) -> bool:
    return block.kind == "heading" and block.level in (2, 3)


def _html(block: Block) -> str:
    match block.kind:
        case "heading":
            anchor = f' id="{escape(block.anchor)}"' if block.anchor else ""
            return f"<h{block.level}{anchor}>{escape(block.text)}</h{block.level}>"
        case "lead" | "mark":
            return f'<p class="{block.kind}">{escape(block.text)}</p>'
        case "remark":
            return f'<p class="soft">{escape(block.text)}</p>'
        case "list":
            return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in block.items)}</ul>"
        case "code":
            return f"<pre>{escape(block.text)}</pre>"
        case "digest":
            return f'<p>{escape(block.items[0])}: <span class="digest">{escape(block.text)}</span></p>'
        case "table" | "checklist":
            return _table(block)
        case "figure":
            return _figure(block)
        case "record":
            return ""
        case _:
            return f"<p>{escape(block.text)}</p>"


def _table(block: Block) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in block.columns)
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in block.rows)
    title = f"<caption>{escape(block.text)}</caption>" if block.text else ""
    return f'<div class="scroll"><table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _figure(block: Block) -> str:
    number, _, caption = block.text.partition(". ")
    words = f"<figcaption><b>{escape(number)}.</b> {escape(caption)}</figcaption>"
    if block.figure is None:
        return f"<figure>{words}</figure>"
    values = json.dumps(for_plotly(block.figure), separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    height = block.figure["layout"].get("height", 420)
    return (
        f'<figure><div class="plot" id="{block.anchor}" data-height="{height}"></div>'
        f'<script type="application/json" data-figure="{block.anchor}">{values}</script>{words}</figure>'
    )


def _cell(cell: str) -> str:
    if isinstance(cell, Drawing):
        return f"<td>{cell.svg}</td>"
    numeric = cell[:1].isdigit() or cell[:2].lstrip("-−")[:1].isdigit() or cell == "–"
    return f'<td class="n">{escape(cell)}</td>' if numeric else f"<td>{escape(cell)}</td>"

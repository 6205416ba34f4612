"""A document as one HTML page with printed figures inside: no script, and nothing is fetched from outside."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING, Final

from evaluation.documents.blocks import Sentence, labels_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evaluation.documents.blocks import Block
    from evaluation.figures.publication import Printed

STYLE: Final = """
:root { --ink: #1c2427; --soft: #4c575b; --line: #dfdad0; --ground: #fff; --accent: #0b5b67; --amber: #a35c00; --wash: #fdf3e3;
  color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e0; --soft: #b4bbbd; --line: #3a4447; --ground: #14191b;
  --accent: #7fd0dc; --amber: #f0b35c; --wash: #2b2416; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem 5.5rem; max-width: 56rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.6 Georgia, "Times New Roman", serif; overflow-wrap: break-word; }
h1, h2, h3, h4, table, figcaption, .n, .soft, .mark { font-family: system-ui, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; } h2 { margin: 2.5rem 0 .5rem; font-size: 1.35rem; } h3 { margin: 1.5rem 0 .25rem; font-size: 1.05rem; }
p { margin: .5rem 0; } a { color: var(--accent); } .lead { font-size: 1.15rem; }
.soft, figcaption, caption { color: var(--soft); font-size: .8125rem; } caption b, figcaption b { color: var(--ink); }
.n { float: left; clear: left; width: 3.75rem; margin-left: -4.5rem; margin-right: .75rem; text-align: right; font-size: .6875rem;
  line-height: 1.6rem; }
.n a { color: var(--soft); text-decoration: none; display: inline-block; min-width: 1.5rem; } .n a:hover { color: var(--accent); text-decoration: underline; }
.mark { border-left: 3px solid var(--amber); background: var(--wash); padding: .5rem .75rem; font-size: .875rem; }
.scroll { overflow-x: auto; margin: 1rem 0; } table { border-collapse: collapse; font-size: .8125rem; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .3rem 0; } th, td { text-align: left; vertical-align: top; padding: .3rem .5rem .3rem 0; border-bottom: 1px solid var(--line); }
figure { margin: 1.5rem 0; break-inside: avoid; } img { width: 100%; height: auto; background: #fff; }
pre { overflow-x: auto; font-size: .8125rem; }
@media (max-width: 40rem) { body { padding-left: 1.25rem; } .n { float: none; margin: 0 .25rem 0 0; width: auto; vertical-align: super; line-height: 1; } }
@media print { body { max-width: none; padding: 0 0 0 4.5rem; font-size: 10pt; } h2, h3 { break-after: avoid; } tr { break-inside: avoid; }
  .break { break-before: page; } }
"""


def as_page(blocks: Iterable[Block], *, title: str, figures: Mapping[str, Printed] | None = None) -> str:
    """Put a document together; all that comes from outside is escaped here.

    Parameters
    ----------
    figures
        By the names that the blocks give them.
    """
    sequence = list(blocks)
    labels = labels_of(sequence)
    body = "\n".join(_html(block, labels, figures or {}) for block in sequence)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>\n{body}\n</main></body></html>\n"
    )


def _html(block: Block, labels: Mapping[str, str], figures: Mapping[str, Printed]) -> str:
    match block.kind:
        case "heading":
            return f"<h{min(block.level, 6)}{_id(block.anchor)}>{escape(block.text)}</h{min(block.level, 6)}>"
        case "prose":
            lead = f"<b>{escape(block.text)}.</b> " if block.text else ""
            return f"<p>{lead}{' '.join(_sentence(Sentence(*row), labels) for row in block.rows)}</p>"
        case "lead" | "mark":
            return f'<p class="{block.kind}"{_id(block.anchor)}>{escape(block.text)}</p>'
        case "remark":
            return f'<p class="soft">{escape(block.text)}</p>'
        case "list":
            return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in block.items)}</ul>"
        case "code":
            return f"<pre>{escape(block.text)}</pre>"
        case "digest":
            return f"<p>{escape(block.items[0])}: <code>{escape(block.text)}</code></p>"
        case "table":
            return _table(block, [[_cell(cell) for cell in row] for row in block.rows], [])
        case "checklist":
            rows = [
                [
                    *map(_cell, row[1:-1]),
                    f'<td><a href="#{escape(row[-1])}">{escape(name)}</a></td>' if row[-1] else "<td>–</td>",
                ]
                for row, name in zip(block.rows, block.items, strict=True)
            ]
            return _table(block, rows, [row[0] for row in block.rows])
        case "figure":
            return _figure(block, figures)
        case "break":
            return '<div class="break"></div>'
        case "record":
            return ""
    return f"<p>{escape(block.text)}</p>"


def _sentence(sentence: Sentence, labels: Mapping[str, str]) -> str:
    notes = ", ".join(f'<a href="#{escape(anchor)}">{escape(words)}</a>' for anchor, words in sentence.noted)
    margin = f'<span class="n">{notes}</span>' if notes else ""
    names = "".join(f"<span{_id(anchor)}></span>" for anchor in sentence.anchors.split())
    links = ", ".join(
        f'<a href="#{escape(anchor)}">{escape(labels[anchor])}</a>' for anchor in sentence.references.split()
    )
    pointing = f" ({links})" if links else ""
    return f"{margin}{names}{escape(sentence.words)}{pointing}{escape(sentence.end)}"


def _figure(block: Block, figures: Mapping[str, Printed]) -> str:
    printed = figures[block.name]
    kind, data = ("svg+xml", printed.svg) if printed.svg else ("png", printed.png)
    source = f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}"
    return (
        f'<figure{_id(block.anchor)}><img src="{source}" alt="{escape(block.text)}">'
        f"<figcaption>{_caption(block)}</figcaption></figure>"
    )


def _table(block: Block, rows: list[list[str]], anchors: list[str]) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in block.columns)
    names = anchors or [""] * len(rows)
    body = "".join(f"<tr{_id(name)}>{''.join(cells)}</tr>" for name, cells in zip(names, rows, strict=True))
    title = f"<caption>{_caption(block)}</caption>" if block.text or block.label else ""
    label = escape(block.label or block.text or "Table")
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{label}"{_id(block.anchor)}><table>{title}'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _caption(block: Block) -> str:
    return f"<b>{escape(block.label)}.</b> {escape(block.text)}" if block.label else escape(block.text)


def _cell(cell: str) -> str:
    return f"<td>{escape(cell).replace(chr(10), '<br>')}</td>"


def _id(anchor: str) -> str:
    return f' id="{escape(anchor)}"' if anchor else ""

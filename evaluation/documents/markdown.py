"""A document as Markdown."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from evaluation.documents.blocks import Block, Sentence, labels_of
from evaluation.documents.figures import file_of

_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>#|"})


def as_markdown(blocks: Iterable[Block]) -> str:
    """Write blocks as CommonMark with tables; text of people cannot become markup."""
    sequence = list(blocks)
    labels = labels_of(sequence)
    return "\n\n".join(filter(None, (_block(block, labels) for block in sequence))) + "\n"


def _block(block: Block, labels: Mapping[str, str]) -> str:
    match block.kind:
        case "heading":
            anchor = f'<a id="{block.anchor}"></a>\n\n' if block.anchor else ""
            return f"{anchor}{'#' * min(block.level, 6)} {_escape(block.text)}"
        case "figure":
            caption = _escape(f"{block.label}. {block.text}" if block.label else block.text)
            return f"![{_escape(block.text)}](figures/{file_of(block.name)})\n\n*{caption}*"
        case "prose":
            lead = f"**{_escape(block.text)}.** " if block.text else ""
            return lead + " ".join(_sentence(Sentence(*row), labels) for row in block.rows)
        case "break" | "record":
            return ""
        case "remark" | "mark":
            return f"*{_escape(block.text)}*"
        case "list":
            return "\n".join(f"- {_escape(item)}" for item in block.items)
        case "code":
            return f"```\n{block.text}\n```"
        case "digest":
            return f"{block.items[0]}: `{block.text}`"
        case "lead":
            return f"**{_escape(block.text)}**"
        case "table":
            return _table(block)
        case "checklist":
            rows = tuple((*row[1:-1], name or "–") for row, name in zip(block.rows, block.items, strict=True))
            return _table(replace(block, rows=rows))
    return _escape(block.text)


def _sentence(sentence: Sentence, labels: Mapping[str, str]) -> str:
    margin = f"<sup>{', '.join(_escape(words) for _, words in sentence.noted)}</sup> " if sentence.notes else ""
    pointing = ", ".join(_escape(labels[anchor]) for anchor in sentence.references.split())
    return f"{margin}{_escape(sentence.words)}{f' ({pointing})' if pointing else ''}{_escape(sentence.end)}"


def _table(block: Block) -> str:
    caption = ". ".join(part for part in (block.label, block.text) if part)
    above = [f"*{_escape(caption)}*", ""] if caption else []
    lines = [*above, _line(block.columns), "|" + "---|" * len(block.columns)]
    return "\n".join([*lines, *(_line(row) for row in block.rows)])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(_escape(cell).replace("\n", "<br>") for cell in cells) + " |"


def _escape(text: str) -> str:
    return text.translate(_ESCAPED)

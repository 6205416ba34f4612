"""A document as Markdown."""

from collections.abc import Iterable

from evaluation.documents.blocks import Block
from evaluation.documents.figures import file_of

_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>#|"})


def as_markdown(blocks: Iterable[Block]) -> str:
    """Write blocks as CommonMark with tables; text of people cannot become markup."""
    return "\n\n".join(_block(block) for block in blocks) + "\n"


def _block(block: Block) -> str:
    match block.kind:
        case "heading":
            place = f'<a id="{block.anchor}"></a>\n\n' if block.anchor else ""
            return f"{place}{'#' * min(block.level, 6)} {_escape(block.text)}"
        case "figure":
            return f"![{_escape(block.text)}](figures/{file_of(block.name)})\n\n*{_escape(block.text)}*"
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
        case "table" | "checklist":
            return _table(block)
    return _escape(block.text)


def _table(block: Block) -> str:
    caption = [f"*{_escape(block.text)}*", ""] if block.text else []
    lines = [*caption, _line(block.columns), "|" + "---|" * len(block.columns)]
    return "\n".join([*lines, *(_line(row) for row in block.rows)])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(_escape(cell).replace("\n", "<br>") for cell in cells) + " |"


def _escape(text: str) -> str:
    return text.translate(_ESCAPED)

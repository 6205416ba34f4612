"""Markup of figures: internal marks, and the only function that makes user text safe for Plotly.

Plotly reads a subset of HTML in every text that it draws: names, tick labels, hover texts, annotations, titles. Figures
of this package therefore contain plain text throughout. Bold text and line breaks are marked by characters that Unicode
reserves for internal use (noncharacters). `for_plotly` escapes every text, then writes those marks as tags.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Final

BREAK: Final = "\ufdd0"
BOLD: Final = "\ufdd1"
END: Final = "\ufdd2"
_TAGS: Final = str.maketrans({BREAK: "<br>", BOLD: "<b>", END: "</b>"})
_NONE: Final = str.maketrans({BREAK: "\n", BOLD: None, END: None})
# Templates are written in this package, and name what is filled in; only these tags of theirs are kept.
_TEMPLATES: Final = ("hovertemplate", "texttemplate")
_KEPT: Final = ("<extra></extra>", "<br>")


def bold(text: str) -> str:
    """Mark a text as bold."""
    return f"{BOLD}{text}{END}"


def for_plotly(figure: Mapping[str, Any]) -> dict[str, Any]:
    """Prepare a figure of plain text for Plotly, which interprets text as HTML.

    Call it once, directly before the figure is passed to Plotly.

    Parameters
    ----------
    figure
        ``data`` and ``layout`` as the functions of this package return them; other keys are not changed.

    Examples
    --------
    >>> for_plotly({"data": [{"name": "<b>a</b> & b"}], "layout": {"title": {"text": f"a{BREAK}b"}}})["data"]
    [{'name': '&lt;b&gt;a&lt;/b&gt; &amp; b'}]
    """
    return {key: _escaped(part) if key in ("data", "layout") else part for key, part in figure.items()}


def plain(text: object) -> str:
    """Text without marks, with lines broken by a newline, for what is drawn elsewhere."""
    return str(text).translate(_NONE)


def _escaped(value: Any, key: str = "") -> Any:
    if isinstance(value, str):
        text = escape(value, quote=False)
        if key in _TEMPLATES:
            for tag in _KEPT:
                text = text.replace(escape(tag, quote=False), tag)
        return text.translate(_TAGS)
    if isinstance(value, Mapping):
        return {name: _escaped(part, str(name)) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        # Long rows of numbers hold no text.
        mixed = any(isinstance(part, (str, list, tuple, Mapping)) for part in value)
        return [_escaped(part, key) for part in value] if mixed else list(value)
    return value

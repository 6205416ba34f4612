"""Text that people wrote, made safe to show."""

import html

from django import template
from django.utils.html import strip_tags
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

register = template.Library()
_markdown = (
    MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": True}).enable("table").disable("image")
)


@register.filter
def markdown(text: str) -> SafeString:
    """Render CommonMark with tables; raw HTML is shown as text, images and script links are not made."""
    return mark_safe(_markdown.render(text or ""))  # noqa: S308 (the renderer escapes all HTML of its input)


def plain(text: str) -> str:
    """Return what people read of CommonMark, without its marks: for messages and mails.

    Examples
    --------
    >>> plain("One **week** more, see `header` & <b>.")
    'One week more, see header & <b>.'
    """
    return html.unescape(strip_tags(markdown(text))).strip()

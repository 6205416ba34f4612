"""Text that people wrote, made safe to show."""

from django import template
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

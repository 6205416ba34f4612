"""Small elements in the head of every page, next to the account menu, that apps provide."""

from collections.abc import Callable

from django.http import HttpRequest
from django.utils.safestring import SafeString

from web.hooks import Hook

Tool = Callable[[HttpRequest], SafeString | None]
_tools: Hook[Tool] = Hook()


def register(tool: Tool, *, order: int = 50) -> Tool:
    """Show the output of `tool` in the head of every page.

    Parameters
    ----------
    tool
        Takes the request and returns rendered HTML, or an empty text to be omitted. It is called on every
        page that has a head, so it must not cost more than one query.
    order
        Position from left to right, small numbers first.
    """
    return _tools.register(tool, order=order)


def rendered(request: HttpRequest) -> list[SafeString]:
    """Everything that there is to show for this request, in order."""
    return [html for tool in _tools if (html := tool(request))]

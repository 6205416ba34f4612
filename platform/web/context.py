"""Context variables for every template."""

from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.utils.encoding import iri_to_uri

from web import examples, navigation, tools
from web.addresses import absolute


def site(request: HttpRequest) -> dict[str, Any]:
    """Menus, version and mode of the site, under the one name ``podium`` (allauth uses ``site``). No query."""
    example_mode = getattr(settings, "PODIUM_EXAMPLE_MODE", False)
    return {
        "podium": {
            "version": getattr(settings, "VERSION", ""),
            "example_mode": example_mode,
            "hints": examples.hints() if example_mode else [],
            "shows_letters": example_mode and examples.is_at_home(request),
            "canonical": _canonical(request),
            "picture": absolute(static("img/touch-icon.png")),
            "menu": navigation.links("main", path=request.path, request=request),
            "account_menu": navigation.links("account", path=request.path, request=request),
            "settings_menu": navigation.links("settings", path=request.path, request=request),
            "tools": partial(tools.rendered, request),  # asked for only by pages with a head
            "footer": navigation.links("footer", path=request.path, request=request),
        }
    }


def _canonical(request: HttpRequest) -> str:
    """The one address of a page, without what only sorts or cuts it; of a list, each of its pages is one."""
    page = request.GET.get("page", "")
    try:
        return absolute(iri_to_uri(request.path)) + (f"?page={page}" if page.isascii() and page.isdigit() else "")
    except ValueError:
        return ""

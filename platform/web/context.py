"""What every template may use."""

from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from web import examples, navigation, tools


def site(request: HttpRequest) -> dict[str, Any]:
    """Menus, version and mode of the site, under the one name ``podium`` (allauth uses ``site``). No query."""
    example_mode = getattr(settings, "PODIUM_EXAMPLE_MODE", False)
    return {
        "podium": {
            "version": getattr(settings, "VERSION", ""),
            "example_mode": example_mode,
            "hints": examples.hints() if example_mode else [],
            "menu": navigation.links("main", path=request.path, request=request),
            "account_menu": navigation.links("account", path=request.path, request=request),
            "settings_menu": navigation.links("settings", path=request.path, request=request),
            "tools": partial(tools.rendered, request),  # asked for only by pages with a head
            "footer": navigation.links("footer", path=request.path, request=request),
        }
    }

"""Identity providers: the entries of `PODIUM_SIGN_IN`, checked, and as allauth reads them."""

import re
from collections.abc import Sequence
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

GITHUB: Final = "github"
_REQUIRED: Final = ("id", "name", "server", "client_id", "secret")
_LISTS: Final = ("acr", "amr", "institution", "scope")
_FLAGS: Final = ("orcid", "signup")


def sign_in_providers(entries: Any) -> list[dict[str, Any]]:
    """Return the configured providers.

    Raises
    ------
    ImproperlyConfigured
        With the entry and the key that is wrong.

    Examples
    --------
    >>> entry = {"id": "uni", "name": "University", "server": "https://sso.example.org", "client_id": "podium", "secret": "s"}
    >>> [provider["id"] for provider in sign_in_providers([entry])]
    ['uni']
    """
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ImproperlyConfigured("PODIUM_SIGN_IN must be a JSON list of objects, one per provider.")
    for number, given in enumerate(entries, 1):
        entry = {"server": "https://github.com", **given} if given.get("id") == GITHUB else given
        entries[number - 1] = entry
        where = f"PODIUM_SIGN_IN, entry {number}"
        if missing := [key for key in _REQUIRED if not isinstance(entry.get(key), str) or not entry[key]]:
            raise ImproperlyConfigured(f"{where}: {missing[0]} must be a text.")
        if unknown := entry.keys() - {*_REQUIRED, *_LISTS, *_FLAGS}:
            raise ImproperlyConfigured(f"{where}: unknown key {min(unknown)}.")
        if not re.fullmatch(r"[a-z0-9-]{1,40}", entry["id"]):
            raise ImproperlyConfigured(f"{where}: id must have lower-case letters, digits and hyphens only.")
        if not re.match(r"https://|http://(localhost|127\.0\.0\.1)(:\d+)?(/|$)", entry["server"]):
            raise ImproperlyConfigured(f"{where}: server must be an https address.")
        for key in _LISTS:
            if not isinstance(entry.get(key, []), list):
                raise ImproperlyConfigured(f"{where}: {key} must be a list of texts.")
    if len({entry["id"] for entry in entries}) < len(entries):
        raise ImproperlyConfigured("PODIUM_SIGN_IN: two entries have the same id.")
    return entries


def provider_applications(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the providers in the form of `SOCIALACCOUNT_PROVIDERS`."""
    applications: dict[str, Any] = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": []}}
    for entry in entries:
        if entry["id"] == GITHUB:
            app = {"client_id": entry["client_id"], "secret": entry["secret"]}
            applications[GITHUB] = {"APPS": [app], "SCOPE": ["user:email"], "OAUTH_PKCE_ENABLED": True}
            continue
        options: dict[str, Any] = {"server_url": entry["server"], "oauth_pkce_enabled": True}
        if entry.get("scope"):
            options["scope"] = entry["scope"]
        if entry.get("acr"):
            options["auth_params"] = {"acr_values": " ".join(entry["acr"])}
        applications["openid_connect"]["APPS"].append({
            "provider_id": entry["id"],
            "name": entry["name"],
            "client_id": entry["client_id"],
            "secret": entry["secret"],
            "settings": options,
        })  # fmt: skip
    return applications

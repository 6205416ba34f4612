"""Environment variables as settings: one that is set and empty is refused with its name.

An empty value is nearly always a mistake: a secret that was not filled in, a variable of a script that was not set. Read as a
value, it can do harm: an empty folder is the working folder.
"""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

EMPTY_IS_UNSET: Final = MappingProxyType({"XDG_CONFIG_HOME": "the XDG Base Directory Specification says so"})
"""Variables that mean the default when they are empty, and why."""
EMBEDDED: Final = "embedded"
EMBEDDED_SERVICES: Final = frozenset({"DATABASE_URL", "REDIS_URL"})
"""Addresses of services that may be `EMBEDDED`: the embedded service, even where `.env` names a server."""


class EmptySettingError(ValueError):
    """Raised for a variable that is set and empty; the message names the variable and the remedy."""


def setting(name: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the value of an environment variable; None where it is not set, or names the embedded service.

    Raises
    ------
    EmptySettingError
        When it is set to nothing or to spaces, unless `EMPTY_IS_UNSET` lists it.

    Examples
    --------
    >>> setting("PORT", {"PORT": "8001"}), setting("PORT", {}), setting("REDIS_URL", {"REDIS_URL": "embedded"})
    ('8001', None, None)
    >>> setting("PORT", {"PORT": " "})
    Traceback (most recent call last):
    evaluation.environment.EmptySettingError: PORT is set and empty. Give it a value, or remove it from the environment and from .env.
    """
    value = environment.get(name)
    if value is None or value.strip():
        return None if name in EMBEDDED_SERVICES and value == EMBEDDED else value
    if name in EMPTY_IS_UNSET:
        return None
    message = f"{name} is set and empty. Give it a value, or remove it from the environment and from .env."
    raise EmptySettingError(message)

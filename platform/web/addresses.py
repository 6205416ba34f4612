"""Addresses of this site as people outside reach it."""

from django.conf import settings


def absolute(path: str) -> str:
    """Return the public address of a path of this site, from the settings and never from what a request calls the host.

    Raises
    ------
    ValueError
        For anything but a path: a message must not lead elsewhere.
    """
    if not path.startswith("/") or path.startswith(("//", "/\\")) or any(ord(c) < 33 for c in path):
        raise ValueError(f"The address of a message is a path of this site, not {path!r}.")
    return f"{settings.PODIUM_ADDRESS.rstrip('/')}{path}"

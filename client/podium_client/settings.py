"""Persistent settings of the command: the address, the token and unfinished uploads.

They are stored in one file that only its owner can read. `PODIUM_URL` and `PODIUM_TOKEN` in the environment take
precedence.
"""

import json
from pathlib import Path
from typing import Any

from podium_client.base import EmptySettingError, durable, setting
from podium_client.errors import ClientError


def path() -> Path:
    """Return where the file is: `PODIUM_CONFIG`, or the usual folder for settings."""
    if given := variable("PODIUM_CONFIG"):
        return Path(given)
    return Path(variable("XDG_CONFIG_HOME") or Path.home() / ".config") / "podium" / "client.json"


def variable(name: str) -> str | None:
    """Return an environment variable; None where it is not set.

    Raises
    ------
    ClientError
        When it is set and empty.
    """
    try:
        return setting(name)
    except EmptySettingError as error:
        raise ClientError(str(error)) from error


def load() -> dict[str, Any]:
    """Return what is remembered; nothing at first."""
    try:
        content = json.loads(path().read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ClientError(f"{path()} cannot be read ({error}). Sign in again with podium login.") from error
    return content if isinstance(content, dict) else {}


def store(content: dict[str, Any]) -> None:
    """Write the file whole or not at all."""
    settings_path = path()
    settings_path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # A name of its own for each writer: two commands may run side by side. The file is readable by its owner only.
    durable.remove_leftovers(settings_path.parent)
    durable.write_text(settings_path, json.dumps(content, indent=1), mode=0o600)


def remember_upload(key: str, address: str | None) -> None:
    """Keep where an upload goes on, or forget it."""
    content = load()
    uploads = content.setdefault("uploads", {})
    if address is None:
        uploads.pop(key, None)
    else:
        uploads[key] = address
    store(content)

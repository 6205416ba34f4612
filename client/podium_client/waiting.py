"""Waiting for what the platform makes of a table that was sent."""

from collections.abc import Callable
from typing import Any

from podium_client.connection import Connection

_SECONDS = 1.0

Tell = Callable[[str], None]


def settled(
    connection: Connection, address: str, *, title: str, tell: Tell, sleep: Callable[[float], None]
) -> dict[str, Any]:
    """Return the content of an address once its processing has ended, reporting each new state.

    Parameters
    ----------
    title
        The field that names the awaited object.
    """
    state_words = ""
    while True:
        content: dict[str, Any] = connection.get(address)
        if content["state_words"] != state_words:
            state_words = content["state_words"]
            tell(f"{content[title]}: {state_words}")
        if not content["is_under_way"]:
            return content
        sleep(_SECONDS)

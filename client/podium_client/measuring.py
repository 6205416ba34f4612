"""Bringing values measured outside into a phase: upload, what columns are, the preview, and sealing."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from podium_client.connection import Connection
from podium_client.uploading import files_of_form

_SECONDS = 1.0

Tell = Callable[[str], None]


def bring(
    connection: Connection,
    path: Path,
    *,
    challenge: str,
    phase: int,
    fields: Mapping[str, str],
    roles: Mapping[str, str],
    seal: bool,
    tell: Tell,
    replicates: Path | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Any]:
    """Send a table and wait until it is read; seal it where that is wanted and nothing stands against it.

    Parameters
    ----------
    fields
        What is said of the table: its kind, team and origin.
    roles
        What columns are, where the guess is wrong.
    tell
        Takes lines about how far it is.
    replicates
        The replicates of values of the whole data set.

    Raises
    ------
    ClientError
        For a file that is not there, and what the platform refuses.
    """
    files = {"file_sent": path} | ({"replicates_sent": replicates} if replicates else {})
    address = f"challenges/{challenge}/phases/{phase}/measurements/"
    with files_of_form(connection, files, sleep=sleep) as ids:
        sent = connection.request("POST", address, data={**fields, **ids})
    shown = _settled(connection, sent.json()["url"], tell, sleep)
    if shown["state"] == "asking" and any(shown["columns"].get(name) != role for name, role in roles.items()):
        connection.request("POST", f"{shown['url']}columns/", json={"roles": dict(roles)})
        shown = _settled(connection, shown["url"], tell, sleep)
    if seal and shown["may_be_sealed"]:
        connection.request("POST", f"{shown['url']}seal/", json={})
        shown = _settled(connection, shown["url"], tell, sleep)
    return shown


def words_of(shown: Mapping[str, Any]) -> list[str]:
    """The problems; or what is, or would be, stored for whom."""
    lines = list(shown["problems"])
    for team in shown["teams"]:
        against = f", {team['changed']} changed" if team["replaces"] else ", new team" if team["is_new"] else ""
        lines.append(f"{team['name']}: {team['values']} values, {team['missing']} missing{against}")
        lines += [f"  {words}" for words in team.get("uncertainty", ())]
    if shown["state"] == "sealed":
        number = f"version {shown['version']}, " if shown["version"] else ""
        lines.append(f"Sealed: {number}digest {shown['digest']}")
    elif shown["may_be_sealed"]:
        lines.append("Nothing counts yet. Seal it on its page, or give --seal.")
    return [*lines, f"Page: {shown['page']}"]


def _settled(connection: Connection, address: str, tell: Tell, sleep: Callable[[float], None]) -> dict[str, Any]:
    said = ""
    while True:
        shown: dict[str, Any] = connection.get(address)
        if shown["state_words"] != said:
            said = shown["state_words"]
            tell(f"{shown['file_name']}: {said}")
        if not shown["is_under_way"]:
            return shown
        sleep(_SECONDS)

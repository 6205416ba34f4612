"""Bringing values measured outside into a phase: upload, what columns are, the preview, and sealing."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from podium_client.connection import Connection
from podium_client.uploading import files_of_form
from podium_client.waiting import Tell, settled


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
    """Upload a table, wait until it is read, and seal it if requested and possible.

    Parameters
    ----------
    fields
        Details of the table: its kind, team and origin.
    roles
        Roles of columns, where the detected role is wrong.
    tell
        Receives lines about the progress.
    replicates
        The replicates of values of the whole data set.

    Raises
    ------
    ClientError
        If a file does not exist, or if the platform refuses the request.
    """
    files = {"file_sent": path} | ({"replicates_sent": replicates} if replicates else {})
    address = f"challenges/{challenge}/phases/{phase}/measurements/"
    with files_of_form(connection, files, sleep=sleep) as ids:
        sent = connection.request("POST", address, data={**fields, **ids})
    table = settled(connection, sent.json()["url"], title="file_name", tell=tell, sleep=sleep)
    if table["state"] == "asking" and any(table["columns"].get(name) != role for name, role in roles.items()):
        connection.request("POST", f"{table['url']}columns/", json={"roles": dict(roles)})
        table = settled(connection, table["url"], title="file_name", tell=tell, sleep=sleep)
    if seal and table["may_be_sealed"]:
        connection.request("POST", f"{table['url']}seal/", json={})
        table = settled(connection, table["url"], title="file_name", tell=tell, sleep=sleep)
    return table


def words_of(table: Mapping[str, Any]) -> list[str]:
    """The problems; or what is, or would be, stored for whom."""
    lines = list(table["problems"])
    for team in table["teams"]:
        against = f", {team['changed']} changed" if team["replaces"] else ", new team" if team["is_new"] else ""
        lines.append(f"{team['name']}: {team['values']} values, {team['missing']} missing{against}")
        lines += [f"  {words}" for words in team.get("uncertainty", ())]
    if table["state"] == "sealed":
        number = f"version {table['version']}, " if table["version"] else ""
        lines.append(f"Sealed: {number}digest {table['digest']}")
    elif table["may_be_sealed"]:
        lines.append("Nothing counts yet. Seal it on its page, or give --seal.")
    return [*lines, f"Page: {table['page']}"]

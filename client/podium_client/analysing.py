"""Bringing the results table of a finished challenge: upload, answers to what it asks, and waiting."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium_client.connection import Connection
from podium_client.errors import ClientError
from podium_client.uploading import files_of_form
from podium_client.waiting import Tell, settled

DIRECTIONS = ("higher", "lower")
_SHOWN_COLUMNS = 12


@dataclass(frozen=True)
class Answers:
    """Answers of a person about the columns and metrics of a table.

    For anything left open, the recognized and suggested values apply.

    Attributes
    ----------
    roles
        ``COLUMN=ROLE``.
    directions, missing
        ``[METRIC=]VALUE``, for one metric or for all metrics that are not named.
    """

    roles: Sequence[str] = ()
    directions: Sequence[str] = ()
    missing: Sequence[str] = ()


def analyse(
    connection: Connection,
    path: Path,
    *,
    title: str = "",
    answers: Answers,
    tell: Tell,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Any]:
    """Upload a table, answer the platform's questions, and wait for the analysis.

    Returns the analysis as the interface shows it.

    Parameters
    ----------
    tell
        Receives lines about the progress and about how the table was read.
    sleep
        Waits between requests.

    Raises
    ------
    ClientError
        If the file does not exist, or if answers are invalid or missing.
    """
    roles = pairs("--role", answers.roles)
    with files_of_form(connection, {"file_sent": path}, sleep=sleep) as ids:
        sent = connection.request("POST", "analyses/", data={"title": title, **ids})
    analysis = settled(connection, sent.json()["url"], title="title", tell=tell, sleep=sleep)
    if roles and analysis["state"] == "asking":
        analysis = (
            _answer(connection, analysis, {"roles": roles}, tell, sleep) if _differ(analysis, roles) else analysis
        )
    if analysis["state"] != "asking" or analysis["refusal"]:
        return analysis
    _tell_reading(analysis, tell)
    return _answer(connection, analysis, {"metrics": _metrics(analysis, answers)}, tell, sleep)


def words_of(analysis: Mapping[str, Any]) -> list[str]:
    """The verdict and where everything is; of one that cannot be analysed, why."""
    if analysis["state"] != "done":
        return [analysis["refusal"] or f"It is {analysis['state_words']}.", f"Page: {analysis['page']}"]
    readers = "anyone with the link" if analysis["is_shared"] else "you alone"
    lines = [analysis["says"][0], "(values measured outside Podium)", f"Page: {analysis['page']} (read by {readers})"]
    lines += [f"{name}: {address}" for name, address in analysis["files"].items()]
    return [*lines, f"Digest: {analysis['digest']}"]


def _answer(
    connection: Connection,
    analysis: Mapping[str, Any],
    content: Mapping[str, Any],
    tell: Tell,
    sleep: Callable[[float], None],
) -> dict[str, Any]:
    connection.request("POST", f"{analysis['url']}answers/", json=content)
    return settled(connection, analysis["url"], title="title", tell=tell, sleep=sleep)


def _differ(analysis: Mapping[str, Any], roles: Mapping[str, str]) -> bool:
    """Return whether any column has another role than the one detected.

    Names that no column has are not rejected here: the platform rejects them.
    """
    read_as = {column["name"]: column["role"] for column in analysis["columns"]}
    return any(read_as.get(column) != role for column, role in roles.items())


def _metrics(analysis: Mapping[str, Any], answers: Answers) -> dict[str, dict[str, Any]]:
    names = [metric["name"] for metric in analysis["metrics"]]
    directions = _by_metric("--direction", answers.directions, names, analysis["page"])
    counted = _by_metric("--missing", answers.missing, names, analysis["page"])
    metric_answers: dict[str, dict[str, Any]] = {}
    for metric in analysis["metrics"]:
        name = metric["name"]
        direction = directions.get(name, metric["direction"])
        if not direction:
            message = f"Which values of {name!r} are better? Give --direction {name!r}=higher or =lower."
            raise ClientError(f"{message} It waits for the answer at {analysis['page']}")
        if direction not in DIRECTIONS:
            raise ClientError(f"--direction: {direction!r} is neither higher nor lower.")
        metric_answers[name] = {"direction": direction, **({"missing": counted[name]} if name in counted else {})}
    return metric_answers


def _by_metric(option: str, given: Sequence[str], names: Sequence[str], page: str) -> dict[str, str]:
    """Values by metric; one without a name is for all metrics that are not named."""
    named: dict[str, str] = {}
    of_all: dict[str, str] = {}
    for text in given:
        metric, equals, value = text.rpartition("=")
        if equals and metric not in names:
            metric_names = ", ".join(names)
            raise ClientError(
                f"{option}: the table has no metric {metric!r}; it has {metric_names}. It waits at {page}"
            )
        if equals:
            named[metric] = value
        else:
            of_all = dict.fromkeys(names, value)
    return of_all | named


def pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    """Return the roles passed as ``COLUMN=ROLE``, by column.

    Raises
    ------
    ClientError
        For text in any other form.
    """
    by_name = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not equals or not name:
            raise ClientError(f"{option}: {text!r} is not COLUMN=ROLE.")
        by_name[name] = value
    return by_name


def _tell_reading(analysis: Mapping[str, Any], tell: Tell) -> None:
    for column in analysis["columns"][:_SHOWN_COLUMNS]:
        tell(f"  column {column['name']!r}: {column['role']}")
    if len(analysis["columns"]) > _SHOWN_COLUMNS:
        tell(f"  … and {len(analysis['columns']) - _SHOWN_COLUMNS} further columns")
    for metric in analysis["metrics"]:
        tell(
            f"  metric {metric['name']!r}: {metric['direction'] or 'direction not known'}; missing {metric['missing']}"
        )

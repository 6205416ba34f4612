"""Leaderboards of Codabench: results as CSV, JSON or ZIP, and the leaderboard of a phase from its interface.

Structure: ``collect_leaderboard_data`` and ``results`` in src/apps/api/views/competitions.py, and
``LeaderboardPhaseSerializer`` in src/apps/api/serializers/leaderboards.py (codalab/codabench).
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from evaluation.importing.formats.building import Table
from evaluation.importing.sheets import TableError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.importing.formats.parts import Part
    from evaluation.importing.sheets import SheetLimits

_HEAD: Final = ("Username", "fact_sheet_answers")
_TITLE: Final = re.compile(r"(.+)\((\d+)\)-(.+)", re.DOTALL)
_BOARD: Final = re.compile(r".+ - .+\(\d+\)", re.DOTALL)
SUMMARY_NOTE: Final = "A leaderboard has one value per team: how certain the ranks are cannot be stated."


class Codabench:
    """Reader of leaderboards."""

    name = "Codabench leaderboard"

    def recognizes(self, part: Part, limits: SheetLimits) -> bool:  # noqa: ARG002 (the signature)
        """Return whether the file is a leaderboard of Codabench."""
        if not part.looks_like_json:
            head = part.text.lstrip("\ufeff").split("\n", 1)[0].replace('"', "").strip()
            return tuple(head.split(",")[:2]) == _HEAD
        if len(part.lines or ()) > 1:
            return False
        document = part.document
        return isinstance(document, dict) and (_is_phase(document) or _is_results(document))

    def read(self, parts: Sequence[Part], limits: SheetLimits) -> Table:
        """Read each leaderboard; tasks and leaderboards are tasks."""
        table = Table(roles={"algorithm": "algorithm", "task": "task", "metric": "metric", "value": "value"})
        table.is_summary = True
        for part in parts:
            if not part.looks_like_json:
                _add_csv(table, part, limits)
            elif _is_phase(part.document):
                _add_phase(table, part)
            else:
                for board, teams in part.document.items():
                    for team, values in teams.items():
                        _add_values(table, part, board, team, values)
        if len({entry["task"] for entry in table.entries}) == 1:
            table.entries = [{key: value for key, value in entry.items() if key != "task"} for entry in table.entries]
        table.notes.append(SUMMARY_NOTE)
        return table


def _is_phase(document: Mapping[str, Any]) -> bool:
    return isinstance(document.get("submissions"), list) and isinstance(document.get("columns"), list)


def _is_results(document: Mapping[str, Any]) -> bool:
    return bool(document) and all(
        _BOARD.fullmatch(title) and isinstance(teams, dict) and all(isinstance(row, dict) for row in teams.values())
        for title, teams in document.items()
    )


def _add_csv(table: Table, part: Part, limits: SheetLimits) -> None:
    sheet = part.sheet(limits)
    board = PurePosixPath(part.path).stem
    for row in sheet.rows:
        values = dict(zip(sheet.columns[2:], row[2:], strict=True))
        _add_values(table, part, board, row[0], values)


def _add_values(table: Table, part: Part, board: str, team: str, values: Mapping[str, Any]) -> None:
    columns = [(column, value) for column, value in values.items() if column != "fact_sheet_answers"]
    if not columns:
        raise TableError(part.path, f"{shown(team)} has no column of scores", "Export the leaderboard again.")
    for column, value in columns:
        match = _TITLE.fullmatch(column)
        if match is None:
            what = f"the column {shown(column)} is not named “task(number)-column” as Codabench does"
            raise TableError(part.path, what, "Export the leaderboard again.")
        table.add({"algorithm": team, "task": f"{board}, {match[1]}", "metric": match[3], "value": value})


def _add_phase(table: Table, part: Part) -> None:
    document = part.document
    try:
        titles = {column["key"]: column["title"] for column in document["columns"]}
        for column in document["columns"]:
            if column.get("sorting") in ("asc", "desc"):
                table.directions[column["title"]] = "lower" if column["sorting"] == "asc" else "higher"
        tasks = {task["id"]: task["name"] for task in document.get("tasks") or ()}
        for submission in document["submissions"]:
            team = f"{submission['owner']}-{submission.get('parent') or submission['id']}"
            for score in submission["scores"]:
                if score["column_key"] not in titles:
                    continue  # a hidden column
                table.add({
                    "algorithm": team,
                    "task": str(tasks.get(submission.get("task"), "")),
                    "metric": titles[score["column_key"]],
                    "value": score["score"],
                })  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        what = f"this is a leaderboard of Codabench that lacks a part ({error})"
        raise TableError(part.path, what, "Fetch it again from /api/phases/NUMBER/get_leaderboard/.") from None
    if table.directions:
        table.notes.append("The better direction of each column is the sorting of the leaderboard.")

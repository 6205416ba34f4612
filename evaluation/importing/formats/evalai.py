"""Leaderboards of EvalAI, and its export of submissions with the result files that it refers to.

Structure: ``get_leaderboard_data_model`` in apps/jobs/utils.py, and ``download_all_submissions`` in
apps/challenges/views.py (Cloud-CV/EvalAI), whose column “Team Members Affiliaton” is spelled that way.
"""

from __future__ import annotations

import ast
import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from evaluation.importing.formats.building import Table, repeated
from evaluation.importing.formats.codabench import SUMMARY_NOTE
from evaluation.importing.formats.parts import is_plain
from evaluation.importing.sheets import TableError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.importing.formats.parts import Part
    from evaluation.importing.sheets import Sheet, SheetLimits

_TEAM: Final = "submission__participant_team__team_name"
_HEAD: Final = frozenset({"id", "Team Name", "Challenge Phase", "Status", "Submission Result File"})
_MOST_LITERAL: Final = 1 << 20


class EvalAI:
    """Reader of leaderboards and exported submissions."""

    name = "EvalAI leaderboard"

    def recognizes(self, part: Part, limits: SheetLimits) -> bool:  # noqa: ARG002 (the signature)
        """Return whether the file is a leaderboard, the list of submissions, or one of its result files."""
        if not part.looks_like_json:
            head = part.text.lstrip("\ufeff").split("\n", 1)[0].replace('"', "").strip()
            return set(head.split(",")) >= _HEAD
        if len(part.lines or ()) > 1:
            return False
        if part.text.lstrip().startswith("[{'"):
            return True  # a result file, which EvalAI writes as Python prints it
        entries = _rows(part.document)
        return _is_board(entries) or _is_result(entries)

    def read(self, parts: Sequence[Part], limits: SheetLimits) -> Table:
        """Read one leaderboard, or submissions with their result files."""
        table = Table(roles={"algorithm": "algorithm", "task": "task", "metric": "metric", "value": "value"})
        table.is_summary = True
        lists = [part for part in parts if not part.looks_like_json]
        if lists:
            _add_submissions(table, lists, [part for part in parts if part.looks_like_json], limits)
        else:
            for part in parts:
                _add_board(table, part)
        if len({entry["task"] for entry in table.entries}) == 1:
            table.entries = [{key: value for key, value in entry.items() if key != "task"} for entry in table.entries]
        table.notes.append(SUMMARY_NOTE)
        return table


def _rows(document: Any) -> list[Any]:
    rows = document.get("results") if isinstance(document, dict) else document
    return rows if isinstance(rows, list) else []


def _is_board(entries: Sequence[Any]) -> bool:
    return bool(entries) and all(isinstance(entry, dict) and _TEAM in entry and "result" in entry for entry in entries)


def _is_result(entries: Sequence[Any]) -> bool:
    """Return whether these are the values of one submission: one object per split, of metrics and their values."""
    return bool(entries) and all(
        isinstance(entry, dict)
        and len(entry) == 1
        and not {"aggregates", "results", "case"} & set(entry)
        and all(
            isinstance(values, dict) and values and all(map(is_plain, values.values())) for values in entry.values()
        )
        for entry in entries
    )


def _add_board(table: Table, part: Part) -> None:
    entries = _rows(part.document)
    if not _is_board(entries):
        what = "this is the result file of one submission of EvalAI, and nothing names its team"
        raise TableError(part.path, what, "Send it in a ZIP archive with all_submissions.csv.")
    count = part.document.get("count") if isinstance(part.document, dict) else None
    if isinstance(count, int) and count > len(entries):
        what = f"the file holds {len(entries)} of {count} entries, one page of the leaderboard"
        raise TableError(part.path, what, "Fetch all pages, and send their entries as one list.")
    for number, entry in enumerate(entries, start=1):
        schema = entry.get("leaderboard__schema")
        labels = schema.get("labels") if isinstance(schema, dict) else None
        result = entry["result"]
        if isinstance(result, dict):
            labels, result = list(result), list(result.values())
        if not isinstance(labels, list) or not isinstance(result, list) or len(labels) != len(result):
            what = f"entry {number} has {len(result)} values, and its schema has {len(labels or ())} labels"
            raise TableError(part.path, what, "Fetch the leaderboard with “leaderboard__schema”.")
        _add_directions(table, schema)
        for label, value in zip(labels, result, strict=True):
            task = str(entry.get("challenge_phase_split", ""))
            table.add({"algorithm": entry[_TEAM], "task": task, "metric": str(label), "value": value})


def _add_directions(table: Table, schema: Any) -> None:
    metadata = schema.get("metadata") if isinstance(schema, dict) else None
    for label, about in metadata.items() if isinstance(metadata, dict) else ():
        ascending = about.get("sort_ascending") if isinstance(about, dict) else None
        if isinstance(ascending, bool):
            table.directions[str(label)] = "lower" if ascending else "higher"


def _add_submissions(table: Table, lists: Sequence[Part], files: Sequence[Part], limits: SheetLimits) -> None:
    if len(lists) > 1:
        raise TableError(lists[1].path, "this is a second list of submissions", "Send one list.")
    [part] = lists
    sheet = part.sheet(limits)
    if not files:
        what = "this is EvalAI's list of submissions, which holds links to result files and no scores"
        raise TableError(part.path, what, "Send it in a ZIP archive with the result files, or send the leaderboard.")
    by_name = {PurePosixPath(entry.path).name: entry for entry in files}
    finished = [row for row in _submissions(sheet) if row["Status"].casefold() == "finished"]
    twice = repeated([f"{row['Challenge Phase']}\n{row['Team Name']}" for row in finished])
    for row in finished:
        name = PurePosixPath(row["Submission Result File"]).name
        if name not in by_name:
            what = f"the result file {shown(name)} of submission {row['id']} is not in the archive"
            raise TableError(part.path, what, "Add it, or remove the row.")
        for split, values in _values(by_name[name]).items():
            for metric, value in values.items():
                task = f"{row['Challenge Phase']}, {split}"
                about = {"algorithm": row["Team Name"], "submission": f"{row['Team Name']} {row['id']}"}
                table.add({**about, "task": task, "metric": metric, "value": value})
    if not finished:
        raise TableError(part.path, "none of the submissions is finished", "Send submissions with results.")
    if twice:
        team = twice.partition("\n")[2]
        table.entries = [
            {("team" if key == "algorithm" else key): value for key, value in entry.items()} for entry in table.entries
        ]
        table.question = (
            f"{shown(team)} has several finished submissions, and only one per team can be ranked",
            "Choose the column “submission” as the algorithm to rank each of them, or keep one submission per team.",
        )


def _submissions(sheet: Sheet) -> list[dict[str, str]]:
    return [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows]


def _values(part: Part) -> Mapping[str, Mapping[str, Any]]:
    """The values of a result file by split."""
    try:
        entries = _rows(json.loads(part.text))
    except json.JSONDecodeError:
        entries = _literal(part)
    if not _is_result(entries):
        what = "this is no result file of EvalAI: a list of one object per split, with metrics and their values"
        raise TableError(part.path, what, "Download the result file again.")
    return {split: values for entry in entries for split, values in entry.items()}


def _literal(part: Part) -> list[Any]:
    """The value of a file that EvalAI wrote as Python prints it; nothing is executed."""
    if len(part.text) <= _MOST_LITERAL:
        try:
            return _rows(ast.literal_eval(part.text.strip()))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            pass
    raise TableError(part.path, "this result file of EvalAI cannot be read", "Download the result file again.")

"""``competition.yaml`` of Codabench (version 2) and of CodaLab (version 1.5).

Structure: documentation/docs/Organizers/Benchmark_Creation/Yaml-Structure.md and
src/apps/competitions/unpackers/v1.py (codalab/codabench).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.importing.configurations.drafts import Draft, PhaseTimes, add_metrics, add_phases, plain_text
from evaluation.importing.sheets import TableError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SORTED: Final = {"desc": "higher", "asc": "lower"}


def is_codabench(data: Mapping[str, Any]) -> bool:
    """Return whether a configuration has the parts of a competition."""
    return "phases" in data and ("leaderboards" in data or "leaderboard" in data)


def draft_of_codabench(name: str, data: Mapping[str, Any]) -> Draft:
    """Return the draft of a competition.

    Raises
    ------
    TableError
        If a required part is missing or has another form.
    """
    draft = Draft("Codabench")
    challenge = draft.challenge
    challenge["challenge_name"] = plain_text(data.get("title"))
    if not challenge["challenge_name"]:
        raise TableError(name, "the competition has no title", "Add “title”.")
    challenge["challenge_abstract"] = plain_text(data.get("description"))
    challenge["award_policy"] = plain_text(data.get("reward"))
    if isinstance(data.get("contact_email"), str):
        challenge["contact_person"] = {"email": data["contact_email"].strip()}
    phases = _list(name, data, "phases", "index")
    add_phases(draft, [_times(name, number, phase) for number, phase in enumerate(phases, start=1)])
    _add_method(draft, phases)
    draft.tasks = _tasks(name, data, phases)
    columns = _columns(name, data, draft)
    for task in draft.tasks:
        add_metrics(draft, task, columns)
    if len(draft.tasks) > 1:
        names = ", ".join(task["task_name"] for task in draft.tasks)
        draft.questions.append(f"Are these different tasks, or phases of one task: {names}?")
    unused = [key for key in ("pages", "terms", "html", "solutions", "fact_sheet", "docker_image") if data.get(key)]
    if unused:
        draft.notes.append(f"Not taken over: {', '.join(unused)}.")
    draft.notes.append("Scoring programs are not taken over: the platform scores with the registered metrics.")
    return draft


def _list(name: str, data: Mapping[str, Any], key: str, order: str) -> list[dict[str, Any]]:
    """The entries of a list, or of the numbered mapping of version 1.5."""
    entries = data.get(key)
    if isinstance(entries, dict):
        entries = [entries[number] for number in sorted(entries, key=str)]
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise TableError(name, f"“{key}” holds no list of entries", "Write it as the documentation of Codabench shows.")
    if all(isinstance(entry.get(order), int) for entry in entries):
        entries = sorted(entries, key=lambda entry: entry[order])
    return entries


def _times(name: str, number: int, phase: Mapping[str, Any]) -> PhaseTimes:
    title = plain_text(phase.get("name") or phase.get("label"))
    start = phase.get("start", phase.get("start_date"))
    if not title or start is None:
        raise TableError(name, f"phase {number} has no name or no start", "Add “name” and “start”.")
    total = phase.get("max_submissions", phase.get("max_submissions_per_person"))
    return PhaseTimes(
        title, start, phase.get("end", phase.get("end_date")), phase.get("max_submissions_per_day"), total
    )


def _add_method(draft: Draft, phases: list[dict[str, Any]]) -> None:
    stated = {phase.get("accepts_only_result_submissions") for phase in phases}
    if stated != {True}:
        draft.questions.append("Do teams submit predictions or algorithms? Codabench accepts both in one phase.")


def _tasks(name: str, data: Mapping[str, Any], phases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if "tasks" not in data:
        # Version 1.5 has no tasks: the phases score the same problem.
        return [
            {"task_name": plain_text(data.get("title")), "task_description": plain_text(phases[0].get("description"))}
        ]
    tasks = _list(name, data, "tasks", "index")
    return [
        {
            "task_name": plain_text(task.get("name")) or f"Task {task.get('key', number)}",
            "task_description": plain_text(task.get("description")),
        }
        for number, task in enumerate(tasks, start=1)
    ]


def _columns(name: str, data: Mapping[str, Any], draft: Draft) -> list[dict[str, str]]:
    if "leaderboards" in data:
        boards = _list(name, data, "leaderboards", "index")
        if len(boards) > 1:
            draft.questions.append("Which leaderboard decides? The configuration has several, and the first is used.")
        columns = _list(name, boards[0], "columns", "index")
    else:
        board = data["leaderboard"]
        columns = _list(name, board if isinstance(board, dict) else {}, "columns", "rank")
    read = []
    for column in columns:
        title = plain_text(column.get("title") or column.get("label") or column.get("key"))
        computed = column.get("computation")
        if not title:
            raise TableError(name, "a column of the leaderboard has no title", "Add “title”.")
        read.append({
            "title": title,
            "direction": _SORTED.get(str(column.get("sorting", column.get("sort", ""))), ""),
            "definition": f"computed from other columns: {computed}" if isinstance(computed, str) else "",
        })  # fmt: skip
    return read

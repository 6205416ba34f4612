"""``challenge_config.yaml`` of EvalAI.

Structure: docs/source/configuration.md and examples/*/test_zip_file (Cloud-CV/EvalAI).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.importing.configurations.drafts import Draft, PhaseTimes, add_metrics, add_phases, plain_text
from evaluation.importing.sheets import TableError

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_evalai(data: Mapping[str, Any]) -> bool:
    """Return whether a configuration has the parts of a challenge of EvalAI."""
    return "challenge_phases" in data


def draft_of_evalai(name: str, data: Mapping[str, Any]) -> Draft:
    """Return the draft of a challenge.

    Raises
    ------
    TableError
        If a required part is missing or has another form.
    """
    draft = Draft("EvalAI")
    challenge = draft.challenge
    challenge["challenge_name"] = plain_text(data.get("title"))
    if not challenge["challenge_name"]:
        raise TableError(name, "the challenge has no title", "Add “title”.")
    challenge["challenge_abstract"] = plain_text(data.get("short_description"))
    tags = data.get("tags")
    challenge["challenge_keywords"] = [str(tag) for tag in tags] if isinstance(tags, list) else []
    phases = _entries(name, data, "challenge_phases")
    add_phases(draft, [_times(name, number, phase) for number, phase in enumerate(phases, start=1)])
    boards = {board.get("id"): board for board in _entries(name, data, "leaderboard")}
    _add_tasks(name, draft, data, phases, boards)
    is_docker = data.get("is_docker_based")
    if not isinstance(is_docker, bool):
        draft.questions.append("Do teams submit predictions or algorithms? The configuration does not state it.")
    elif is_docker:
        draft.notes.append("The challenge runs containers: choose how they are submitted.")
    unused = [
        key
        for key in ("description", "evaluation_details", "terms_and_conditions", "submission_guidelines", "image")
        if data.get(key)
    ]
    if unused:
        draft.notes.append(f"Not taken over, because they are other files: {', '.join(unused)}.")
    draft.notes.append("The evaluation script is not taken over: the platform scores with the registered metrics.")
    return draft


def _entries(name: str, data: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    entries = data.get(key)
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise TableError(name, f"“{key}” holds no list of entries", "Write it as the documentation of EvalAI shows.")
    return entries


def _times(name: str, number: int, phase: Mapping[str, Any]) -> PhaseTimes:
    title = plain_text(phase.get("name"))
    if not title or phase.get("start_date") is None:
        raise TableError(name, f"phase {number} has no name or no start", "Add “name” and “start_date”.")
    return PhaseTimes(
        title,
        phase["start_date"],
        phase.get("end_date"),
        phase.get("max_submissions_per_day"),
        phase.get("max_submissions"),
    )


def _add_tasks(
    name: str,
    draft: Draft,
    data: Mapping[str, Any],
    phases: list[dict[str, Any]],
    boards: Mapping[object, Mapping[str, Any]],
) -> None:
    """Make one task per leaderboard that a split of a phase refers to."""
    splits = _entries(name, data, "challenge_phase_splits")
    phase_ids = {phase.get("id") for phase in phases}
    orders: dict[object, set[bool]] = {}
    for number, split in enumerate(splits, start=1):
        if split.get("leaderboard_id") not in boards or split.get("challenge_phase_id") not in phase_ids:
            what = f"split {number} refers to a phase or a leaderboard that does not exist"
            raise TableError(name, what, "Correct “challenge_phase_id” and “leaderboard_id”.")
        order = split.get("is_leaderboard_order_descending")
        orders.setdefault(split["leaderboard_id"], set()).update({order} if isinstance(order, bool) else set())
    titles = [str(split.get("name", "")) for split in data.get("dataset_splits") or () if isinstance(split, dict)]
    if len(titles) > 1:
        draft.questions.append(f"Which data do these splits hold, and are they tasks or phases: {', '.join(titles)}?")
    for number, board in enumerate(orders, start=1):
        title = draft.challenge["challenge_name"] if len(orders) == 1 else f"Leaderboard {number}"
        task: dict[str, Any] = {"task_name": title}
        add_metrics(draft, task, _columns(name, boards[board], orders[board]))
        draft.tasks.append(task)
    if len(orders) > 1:
        draft.questions.append(
            f"The configuration has {len(orders)} leaderboards, each of which is a task here: is that right?"
        )


def _columns(name: str, board: Mapping[str, Any], orders: set[bool]) -> list[dict[str, str]]:
    schema = board.get("schema")
    labels = schema.get("labels") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(labels, list) or not labels:
        raise TableError(name, "a leaderboard has no “labels” in its schema", "Add the names of its columns.")
    given = schema.get("metadata")
    metadata = given if isinstance(given, dict) else {}
    columns = []
    for label in labels:
        about = metadata.get(label)
        ascending = about.get("sort_ascending") if isinstance(about, dict) else None
        direction = {True: "lower", False: "higher"}[ascending] if isinstance(ascending, bool) else ""
        if not direction and label == schema.get("default_order_by") and len(orders) == 1:
            # The order of the leaderboard is that of its default column alone.
            direction = "higher" if next(iter(orders)) else "lower"
        definition = about.get("description") if isinstance(about, dict) else ""
        columns.append({"title": str(label), "direction": direction, "definition": plain_text(definition)})
    return columns

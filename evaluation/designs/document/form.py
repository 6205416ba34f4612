"""The document as one thing: entries of the challenge and of its tasks, to and from JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from evaluation.designs.catalogue import Catalogue
from evaluation.designs.document.entries import BLANK, Entry, State
from evaluation.designs.document.typed import UnfitValueError, clean, is_empty

SCHEMA: Final = 1
_DETAILS, _STATE = "__details", "__state"


@dataclass(frozen=True)
class Values:
    """The entries as one task sees them."""

    challenge: Mapping[str, Entry]
    task: Mapping[str, Entry]
    task_key: str | None = None

    def entry(self, parameter: str) -> Entry:
        """The entry of a parameter; a task's own replaces the challenge's."""
        task_entry = self.task.get(parameter)
        if task_entry is not None and task_entry.state is not State.BLANK:
            return task_entry
        return self.challenge.get(parameter, task_entry or BLANK)

    def get(self, parameter: str) -> Any:
        """Return the value of a parameter; ``None`` if there is none.

        ``<id>__details`` returns the text in addition to a choice.
        """
        if parameter.endswith(_DETAILS):
            return self.entry(parameter.removesuffix(_DETAILS)).details or None
        entry = self.entry(parameter)
        return entry.value if entry.state in (State.PROVIDED, State.EMBARGOED) else None

    def rows(self, parameter: str) -> list[dict[str, Any]]:
        """The rows of a table; none when it is empty."""
        value = self.get(parameter)
        return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []

    def text(self, parameter: str) -> str:
        """The value as text; empty when it is no text."""
        value = self.get(parameter)
        return value if isinstance(value, str) else ""

    @property
    def name(self) -> str:
        """The name of the task, else its key."""
        return self.text("task_name") or (self.task_key or "")


@dataclass(frozen=True)
class Document:
    """All entries of a design; `tasks` keeps their order, each under the key that never changes."""

    challenge: Mapping[str, Entry] = field(default_factory=dict)
    tasks: Mapping[str, Mapping[str, Entry]] = field(default_factory=dict)

    def without_secrets(self) -> "Document":
        """The document as people from outside see it: what is embargoed by its state and digest alone."""

        def public_entries(entries: Mapping[str, Entry]) -> dict[str, Entry]:
            return {
                identity: replace(entry, value=None) if entry.state is State.EMBARGOED else entry
                for identity, entry in entries.items()
            }

        return Document(
            public_entries(self.challenge), {key: public_entries(entries) for key, entries in self.tasks.items()}
        )

    def values(self, task: str | None = None) -> Values:
        """Return the values for checks and compilation of one task.

        Entries of the task take precedence over those of the challenge.
        """
        return Values(self.challenge, self.tasks[task] if task is not None else {}, task)

    def each_task(self) -> Iterator[Values]:
        """One view a task, in order."""
        for key in self.tasks:
            yield self.values(key)


def to_json(document: Document, *, catalogue: Catalogue) -> dict[str, Any]:
    """Return the document as JSON values; embargoed values appear by their digest only.

    The SHA-256 of a version covers the canonical JSON of this (`evaluation.canonical`).
    """
    return {
        "schema": SCHEMA,
        "catalogue": catalogue.version,
        "challenge": _entries_json(document.challenge),
        "tasks": [{"key": key, **_entries_json(entries)} for key, entries in document.tasks.items()],
    }


def from_json(
    data: Mapping[str, Any], *, catalogue: Catalogue, lenient: bool = False
) -> tuple[Document, list[UnfitValueError]]:
    """Read a document.

    With `lenient`, a value that its type does not accept is excluded and reported; otherwise it is an error.

    Raises
    ------
    UnfitValueError
        For data that are not a design document, and without `lenient` for the first invalid value.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("challenge"), Mapping):
        raise UnfitValueError("A design document has the keys challenge and tasks.")
    problems: list[UnfitValueError] = []
    tasks = data.get("tasks", [])
    if not isinstance(tasks, list) or not all(isinstance(task, Mapping) for task in tasks):
        raise UnfitValueError("The tasks of a design document are a list of objects.", "tasks")
    read: dict[str, dict[str, Entry]] = {}
    for index, task in enumerate(tasks, start=1):
        key = str(task.get("key") or f"task-{index}")
        if key in read:
            raise UnfitValueError(f"Two tasks have the key {key}.", "tasks")
        read[key] = _entries(task, f"task {index}", catalogue, problems)
    challenge = _entries(data["challenge"], "challenge", catalogue, problems)
    if problems and not lenient:
        raise problems[0]
    return Document(challenge, read), problems


def public_form(data: Mapping[str, Any], *, catalogue: Catalogue) -> dict[str, Any]:
    """The exported document without what only reviewers or organizers see (e-mail addresses)."""

    def visible(entries: Mapping[str, Any]) -> dict[str, Any]:
        visible_entries: dict[str, Any] = {}
        for key, value in entries.items():
            parameter = catalogue.parameters.get(key.removesuffix(_DETAILS).removesuffix(_STATE))
            if parameter is not None and parameter.visibility != "public":
                continue
            hidden = (
                {item.key for item in parameter.item_fields if item.visibility != "public"}
                if parameter
                else frozenset()
            )
            if hidden and isinstance(value, list):
                visible_entries[key] = [
                    {name: cell for name, cell in row.items() if name not in hidden} for row in value
                ]
            elif hidden and isinstance(value, Mapping) and not key.endswith(_STATE):
                visible_entries[key] = {name: cell for name, cell in value.items() if name not in hidden}
            else:
                visible_entries[key] = value
        return visible_entries

    return {**data, "challenge": visible(data["challenge"]), "tasks": [visible(task) for task in data["tasks"]]}


def public_document(document: Document, *, catalogue: Catalogue) -> Document:
    """The document without personal data and without what is embargoed."""
    data = public_form(to_json(document, catalogue=catalogue), catalogue=catalogue)
    return from_json(data, catalogue=catalogue, lenient=True)[0]


def _entries_json(entries: Mapping[str, Entry]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for identity, entry in sorted(entries.items()):
        if entry.state is State.PROVIDED and entry.value is not None:
            data[identity] = entry.value
        if entry.details:
            data[identity + _DETAILS] = entry.details
        if entry.state not in (State.PROVIDED, State.BLANK):
            data[identity + _STATE] = entry.as_state()
    return data


def _entries(
    data: Mapping[str, Any], field_path: str, catalogue: Catalogue, problems: list[UnfitValueError]
) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    identities = dict.fromkeys(key.removesuffix(_DETAILS).removesuffix(_STATE) for key in data if key != "key")
    for identity in identities:
        parameter = catalogue.parameters.get(identity)
        if parameter is None:
            problems.append(UnfitValueError(f"There is no parameter {identity}.", field_path))
            continue
        details = data.get(identity + _DETAILS) or ""
        given = data.get(identity + _STATE)
        state = given if isinstance(given, Mapping) else {}
        try:
            value = clean(parameter, data.get(identity))
            kind = State(state["state"]) if "state" in state else State.BLANK if is_empty(value) else State.PROVIDED
        except UnfitValueError as problem:
            problems.append(
                UnfitValueError(problem.message, ", ".join(filter(None, [field_path, identity, problem.place])))
            )
            continue
        except ValueError:
            problems.append(UnfitValueError(f"{state['state']} is no state of a field.", f"{field_path}, {identity}"))
            continue
        entry = Entry(
            value=value,
            details=str(details),
            state=kind,
            reason=str(state.get("reason", "")),
            until=str(state.get("until", "")),
            event=str(state.get("event", "")),
            digest=str(state.get("digest", "")),
        )
        if entry.state is not State.BLANK or entry.details:
            entries[identity] = entry
    return entries

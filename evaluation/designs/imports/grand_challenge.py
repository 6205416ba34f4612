"""Settings of the phases of a challenge on Grand Challenge, read from JSON as proposals for a design.

The REST API returns title, short name and phase titles (`PhaseSerializer`, `PublicChallengeSerializer`). Limits, dates
and columns are fields of the model `evaluation.Phase`, in a serialized phase or a list of phases. A challenge pack
(`get_forge_challenge_pack_context`) adds the inputs and outputs of algorithms. All three are in the repository
comic/grand-challenge.org, read at commit 9957bfc of 15 November 2025.
"""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NoReturn

from evaluation.designs.document import Entry, State, UnfitValueError, clean
from evaluation.designs.imports.lines import DesignFileError
from evaluation.designs.imports.proposals import GRAND_CHALLENGE, DesignProposals, Proposal, Unplaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluation.designs.catalogue import Catalogue

MOST_BYTES: Final = 1 << 20
MOST_PHASES: Final = 60
_MODELS: Final = ("evaluation.phase", "challenges.challenge")
_KINDS: Final = {1: "evaluation_platform", 3: "docker_container"}
_KINDS_BY_LABEL: Final = {"Predictions": "evaluation_platform", "Algorithm": "docker_container"}
_ORDERS: Final = {"desc": "higher", "asc": "lower"}
_SCORING: Final = {
    "abs": "absolute value of the score column",
    "avg": "mean of the relative ranks of the score and extra result columns",
    "med": "median of the relative ranks of the score and extra result columns",
}
_SHOWN: Final = {"all": "", "rec": "last", "bst": "best"}
_CHOICES: Final[Mapping[str, Sequence[object]]] = {
    "submission_kind": tuple(_KINDS),
    "score_default_sort": tuple(_ORDERS),
    "scoring_method_choice": tuple(_SCORING),
    "result_display_choice": tuple(_SHOWN),
    "supplementary_file_choice": ("off", "opt", "req"),
    "supplementary_url_choice": ("off", "opt", "req"),
}
_COUNTS: Final = ("submissions_limit_per_user_per_period", "submission_limit_period", "algorithm_time_limit")
_MEMORY: Final = "algorithm_maximum_settable_memory_gb"
_MIB_PER_GB: Final = 1024
# Other settings that change what participants see or must do, and that no field of the catalogue has.
_WITHOUT_FIELD: Final = (
    *("auto_publish_new_results", "display_all_metrics", "supplementary_url_choice", "parent", "external_evaluation"),
    *("algorithm_selectable_gpu_type_choices", "evaluation_time_limit", "evaluation_requires_gpu_type"),
    *("evaluation_requires_memory_gb", "give_algorithm_editors_job_view_permissions", "public"),
)
_WRONG_FORM: Final = "Save the settings again as Grand Challenge returns them."


@dataclass(frozen=True)
class _Source:
    """Challenge and phases of a file.

    Attributes
    ----------
    challenge
        Facts of the challenge; empty if the file has none.
    phases
        Settings of each phase.
    """

    challenge: Mapping[str, Any]
    phases: Sequence[Mapping[str, Any]]


def is_grand_challenge(data: object) -> bool:
    """Return whether JSON values are phases or a challenge of Grand Challenge.

    Examples
    --------
    >>> is_grand_challenge({"title": "Final", "slug": "final", "score_title": "Dice"})
    True
    >>> is_grand_challenge({"challenge": {"challenge_name": "X"}, "tasks": []})
    False
    """
    entries = _entries(data)
    return bool(entries) and all(_kind(entry) for entry in entries)


def read_grand_challenge(name: str, content: bytes, *, catalogue: Catalogue) -> DesignProposals:
    """Return the proposals of a JSON file of Grand Challenge.

    Parameters
    ----------
    name
        Name of the file, for messages.

    Raises
    ------
    DesignFileError
        For a file that is no such JSON, or that contains a value that Grand Challenge does not write.
    """
    if len(content) > MOST_BYTES:
        problem = f"The file has {len(content):,} bytes; at most {MOST_BYTES:,} are read."
        raise DesignFileError(name, problem, "Save the settings of the phases only.")
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except RecursionError as error:
        raise DesignFileError(name, "The JSON is nested too deeply.", _WRONG_FORM) from error
    except UnicodeDecodeError as error:
        raise DesignFileError(name, "The file is not in UTF-8.", "Save it in UTF-8.") from error
    except ValueError as error:
        where = f" (line {error.lineno}: {error.msg})" if isinstance(error, json.JSONDecodeError) else ""
        raise DesignFileError(name, f"The file is no complete JSON{where}.", _WRONG_FORM) from error
    if not is_grand_challenge(data):
        raise DesignFileError(
            name,
            "The JSON contains no phase of Grand Challenge.",
            "Use the settings of a phase with its title and slug. A design in JSON needs no confirmation.",
        )
    source = _source(name, _entries(data))
    reader = _Reader(name, source, catalogue)
    reader.read()
    return DesignProposals(
        file=name,
        source=GRAND_CHALLENGE,
        pages=0,
        tasks=("",),
        proposals=reader.ordered(),
        unplaced=tuple(reader.unplaced),
        notes=("Evaluation methods are not imported: Podium computes the registered metrics.",),
    )


def _entries(data: object) -> list[dict[str, Any]]:
    """Return the objects of a file: one alone, a list, or a page of the API."""
    if isinstance(data, dict) and isinstance(data.get("results"), list) and "count" in data:
        data = data["results"]
    listed: list[Any] = data if isinstance(data, list) else [data]
    return listed if all(isinstance(entry, dict) for entry in listed) else []


def _kind(entry: Mapping[str, Any]) -> str:
    """Return what an object is; empty if it is nothing of Grand Challenge."""
    submission, challenge = entry.get("submission"), entry.get("challenge")
    if entry.get("model") in _MODELS and isinstance(entry.get("fields"), dict):
        return "serialized"
    if isinstance(submission, dict) and isinstance(submission.get("phase"), dict):
        return "evaluation"
    if isinstance(challenge, dict) and "slug" in challenge and isinstance(challenge.get("phases"), list):
        return "pack"
    if "submission_types" in entry and "slug" in entry:
        return "challenge"
    settings = (*_CHOICES, *_COUNTS, "score_title", "score_jsonpath", "extra_results_columns", "submissions_close_at")
    if {"title", "slug"} <= entry.keys() and (isinstance(challenge, dict) or any(key in entry for key in settings)):
        return "phase"
    return ""


def _source(name: str, entries: Sequence[Mapping[str, Any]]) -> _Source:
    collected = _Parts(name)
    for entry in entries:
        match _kind(entry):
            case "serialized" if entry["model"] == _MODELS[0]:
                collected.add_phase(entry["fields"])
            case "serialized":
                collected.add_challenge(entry["fields"])
            case "evaluation":
                collected.add_phase(entry["submission"]["phase"], is_repeated=True)
            case "pack":
                collected.add_challenge(entry["challenge"])
                for phase in entry["challenge"]["phases"]:
                    collected.add_phase(phase if isinstance(phase, dict) else {})
            case "challenge":
                collected.add_challenge(entry)
            case _:
                collected.add_phase(entry)
    if len(collected.phases) > MOST_PHASES:
        problem = f"The file has {len(collected.phases)} phases; at most {MOST_PHASES} are read."
        raise DesignFileError(name, problem, "Import the phases of one challenge.")
    return _Source(collected.challenge, list(collected.phases.values()))


@dataclass
class _Parts:
    """Facts of the challenge, and settings of the phases by title, as they are found in a file."""

    name: str
    challenge: dict[str, Any] = field(default_factory=dict)
    phases: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add_challenge(self, facts: object) -> None:
        if not isinstance(facts, dict):
            return
        stated = {key: value for key, value in facts.items() if key != "phases"}
        for key in self.challenge.keys() & stated.keys() & {"slug", "short_name", "title"}:
            if self.challenge[key] != stated[key]:
                problem = f"The file has phases of two challenges: {self.challenge[key]} and {stated[key]}."
                raise DesignFileError(self.name, problem, "Import the phases of one challenge.")
        self.challenge.update(stated)

    def add_phase(self, settings: Mapping[str, Any], *, is_repeated: bool = False) -> None:
        self.add_challenge(settings.get("challenge"))
        title = settings.get("title", settings.get("slug"))
        if not isinstance(title, str) or not title.strip():
            raise DesignFileError(self.name, f"Phase {len(self.phases) + 1} has no title.", "Add its “title”.")
        title = " ".join(title.split())
        if title in self.phases and not is_repeated:
            raise DesignFileError(self.name, f"Two phases have the title {title}.", "Remove one of them.")
        self.phases[title] = {**settings, "title": title}


@dataclass
class _Reader:
    """Proposals from challenge and phases, one method per field of the design."""

    name: str
    source: _Source
    catalogue: Catalogue
    proposals: list[Proposal] = field(default_factory=list)
    unplaced: list[Unplaced] = field(default_factory=list)

    def read(self) -> None:
        for phase in self.source.phases:
            self._check(phase)
        self._names()
        self._schedule()
        self._limits()
        self._methods()
        self._instructions()
        self._counted()
        self._metrics()
        self._execution()
        self._rest()

    def ordered(self) -> tuple[Proposal, ...]:
        """Return the proposals in the order of the form."""
        order = {identity: at for at, identity in enumerate(self.catalogue.parameters)}
        return tuple(sorted(self.proposals, key=lambda item: (item.task is not None, order[item.parameter])))

    def _check(self, phase: Mapping[str, Any]) -> None:
        """Refuse a value that the model of Grand Challenge does not permit."""
        title = phase["title"]
        for key, permitted in _CHOICES.items():
            if key in phase and (isinstance(phase[key], bool) or phase[key] not in permitted):
                options = ", ".join(map(str, permitted))
                self._refuse(title, key, f"is {_shown(phase[key])}; possible are {options}")
        for key in (*_COUNTS, _MEMORY):
            value = phase.get(key)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
                self._refuse(title, key, f"is {_shown(value)}, which is no whole number")
        opened, closed = (self._moment(phase, key) for key in ("submissions_open_at", "submissions_close_at"))
        if opened and closed and closed < opened:
            self._refuse(title, "submissions_close_at", "is before submissions_open_at")
        columns = phase.get("extra_results_columns", [])
        if not isinstance(columns, list):
            self._refuse(title, "extra_results_columns", "is no list")
        for column in columns:
            if not isinstance(column, dict) or not {"title", "path", "order"} <= column.keys():
                self._refuse(title, "extra_results_columns", "has a column without title, path or order")
            if column["order"] not in _ORDERS:
                self._refuse(title, "extra_results_columns", f"has the order {_shown(column['order'])}")

    def _refuse(self, title: str, key: str, what: str) -> NoReturn:
        raise DesignFileError(self.name, f"Phase {title}: {key} {what}.", "Correct the value in the file.")

    def _moment(self, phase: Mapping[str, Any], key: str) -> dt.datetime | None:
        """Return a date and time of a phase in UTC; None if it is not set."""
        value = phase.get(key)
        if value in (None, ""):
            return None
        try:
            moment = dt.datetime.fromisoformat(str(value))
        except ValueError:
            self._refuse(phase["title"], key, f"is {_shown(value)}, which is no date and time")
        if moment.tzinfo is None:
            self._refuse(phase["title"], key, f"is {_shown(value)}, which has no time zone")
        return moment.astimezone(dt.UTC)

    def _add(
        self,
        parameter: str,
        words: str,
        value: object = None,
        question: str = "",
        suggestions: Sequence[str] = (),
    ) -> None:
        definition = self.catalogue[parameter]
        entry = Entry()
        if value not in (None, "", [], {}):
            try:
                entry = Entry(value=clean(definition, value), state=State.PROVIDED)
            except UnfitValueError as problem:
                question = f"These words do not fit the field. {problem}"
        task = 0 if definition.is_task else None
        self.proposals.append(Proposal(parameter, task, None, words, entry, question, tuple(suggestions)))

    def _names(self) -> None:
        challenge, phases = self.source.challenge, self.source.phases
        if challenge.get("title"):
            self._add("challenge_name", _words(challenge, "title"), challenge["title"])
        for key in ("short_name", "slug"):
            if challenge.get(key):
                self._add("challenge_acronym", _words(challenge, key), challenge[key])
                break
        if challenge.get("description"):
            self._add("challenge_abstract", _words(challenge, "description"), challenge["description"])
        if challenge.get("url"):
            question = "Is this the website of the new edition?"
            self._add("challenge_website", _words(challenge, "url"), challenge["url"], question)
        question = "The phases run on Grand Challenge. Where does this challenge run?"
        options = ("grand_challenge", "this_platform")
        self._add("challenge_platform", _titles(phases), None, question, options)
        question = "Grand Challenge has no tasks. Enter the name of the task."
        if len(phases) > 1:
            question = "Are these phases of one task, or different tasks? Enter the name of the task."
        self._add("task_name", _titles(phases), None, question)

    def _schedule(self) -> None:
        rows: list[dict[str, str]] = []
        words: list[str] = []
        unclosed: list[str] = []
        for phase in self.source.phases:
            for key, event in (
                ("submissions_open_at", "submission_open"),
                ("submissions_close_at", "submission_deadline"),
            ):
                moment = self._moment(phase, key)
                if moment is not None:
                    time = f"{moment:%H:%M} UTC"
                    rows.append({"event": event, "date": f"{moment:%Y-%m-%d}", "time": time, "phase": phase["title"]})
                    words.append(f"{phase['title']}: {_words(phase, key)}")
                elif event == "submission_deadline":
                    unclosed.append(phase["title"])
        question = ""
        if unclosed:
            which = ", ".join(unclosed)
            question = f"When do submissions close in {which}? The file states no date."
        self._add("challenge_schedule", "\n".join(words) or _titles(self.source.phases), rows, question)

    def _limits(self) -> None:
        rows, words, asked = [], [], []
        for phase in self.source.phases:
            limit = phase.get("submissions_limit_per_user_per_period")
            if limit is None:
                continue
            title = phase["title"]
            words.append(f"{title}: {_words(phase, *_COUNTS[:2])}")
            row: dict[str, Any] = {"phase": title}
            # A period that is absent has the default of the model, which the file does not state.
            period = phase.get("submission_limit_period", "")
            if limit == 0:
                asked.append(f"{title} is closed by a limit of 0.")
            elif period is None:
                row["submissions_in_total"] = limit
            elif period == 1:
                row["submissions_per_day"] = limit
            elif period == "":
                asked.append(f"{title} permits {limit} submissions in a period that the file does not state.")
            else:
                asked.append(f"{title} permits {limit} submissions in {period} days.")
            rows.append(row)
        if rows:
            question = f"{' '.join(asked)} Enter limits per day or in total." if asked else ""
            self._add("phase_settings", "\n".join(words), rows, question)

    def _methods(self) -> None:
        phases, challenge = self.source.phases, self.source.challenge
        stated = [(f"{phase['title']}: {_words(phase, 'submission_kind')}", _KINDS[phase["submission_kind"]])
                  for phase in phases if "submission_kind" in phase]  # fmt: skip
        labels = challenge.get("submission_types")
        if not stated and isinstance(labels, list):
            unknown = [label for label in labels if label not in _KINDS_BY_LABEL]
            if unknown:
                raise DesignFileError(
                    self.name, f"The submission type {_shown(unknown[0])} is unknown.", "Correct the value in the file."
                )
            stated = [(_words(challenge, "submission_types"), _KINDS_BY_LABEL[label]) for label in labels]
        if not stated and any("algorithm_interfaces" in phase for phase in phases):
            # Challenge packs contain phases for algorithms only.
            stated = [(f"{phase['title']}: algorithm_interfaces", _KINDS[3]) for phase in phases]
        if stated:
            words = "\n".join(dict.fromkeys(words for words, _ in stated))
            self._add("submission_method", words, list(dict.fromkeys(method for _, method in stated)))

    def _instructions(self) -> None:
        pages = _texts(self.source.phases, "submission_page_markdown")
        if pages:
            texts = [text if len(pages) == 1 else f"{title}: {text}" for title, text in pages]
            self._add("submission_instructions", "\n\n".join(texts), "\n\n".join(texts))
        files = [phase for phase in self.source.phases if phase.get("supplementary_file_choice") in ("opt", "req")]
        if files:
            keys = ("supplementary_file_choice", "supplementary_file_label", "supplementary_file_help_text")
            words = "\n".join(f"{phase['title']}: {_words(phase, *keys)}" for phase in files)
            question = "Is this file the description of the method? State what it must contain."
            self._add("method_description_requirement", words, None, question)

    def _counted(self) -> None:
        displayed = [phase for phase in self.source.phases if "result_display_choice" in phase]
        if displayed:
            words = "\n".join(f"{phase['title']}: {_words(phase, 'result_display_choice')}" for phase in displayed)
            options = dict.fromkeys(_SHOWN[phase["result_display_choice"]] for phase in displayed)
            question = "The setting states which results are shown. Which submission is ranked?"
            self._add("counted_submission_rule", words, None, question, [option for option in options if option])

    def _metrics(self) -> None:
        columns: dict[str, dict[str, Any]] = {}
        rankings: list[dict[str, Any]] = []
        words: list[str] = []
        ranked: list[str] = []
        differ = False
        for phase in self.source.phases:
            phase_columns = _columns(phase)
            if not phase_columns:
                continue
            differ = differ or (bool(columns) and columns != phase_columns)
            columns |= {title: column for title, column in phase_columns.items() if title not in columns}
            keys = ("score_title", "score_jsonpath", "score_default_sort", "extra_results_columns")
            words.append(f"{phase['title']}: {_words(phase, *keys)}")
            if "scoring_method_choice" in phase:
                scoring = phase["scoring_method_choice"]
                used = [title for title, column in phase_columns.items() if column.get("used_for_ranking")]
                rankings.append({"name": phase["title"], "metrics": used, "description": _SCORING[scoring]})
                ranked.append(f"{phase['title']}: {_words(phase, 'scoring_method_choice')}")
        if columns:
            question = (
                "Which metric of the catalogue is each column? Grand Challenge stores values without definitions."
            )
            if differ:
                question += " The phases have different columns."
            self._add("metrics", "\n".join(words), list(columns.values()), question)
        if rankings:
            unique = list({json.dumps({**row, "name": ""}): row for row in rankings}.values())
            question = "Which ranking scheme is this, and what do missing cases count as?"
            if len(unique) > 1:
                question += " The phases rank in different ways."
            self._add("ranking_method", "\n".join(ranked), unique, question)

    def _execution(self) -> None:
        """Propose limits and names of files for algorithms, where all phases for algorithms state the same."""
        phases = [phase for phase in self.source.phases if phase.get("submission_kind", 3) == 3]
        keys = ("algorithm_time_limit", _MEMORY, "algorithm_selectable_gpu_type_choices")
        words = [f"{phase['title']}: {_words(phase, *keys)}" for phase in phases if any(key in phase for key in keys)]
        record: dict[str, Any] = {}
        asked: list[str] = []
        seconds = {phase["algorithm_time_limit"] for phase in phases if phase.get("algorithm_time_limit")}
        memory = {phase[_MEMORY] for phase in phases if phase.get(_MEMORY)}
        if len(seconds) == 1:
            record["case_seconds"] = seconds.pop()
        elif seconds:
            asked.append("The phases have different time limits.")
        if len(memory) == 1:
            record["memory_mib"] = memory.pop() * _MIB_PER_GB
        elif memory:
            asked.append("The phases have different memory limits.")
        gpus = [kind for phase in phases for kind in phase.get("algorithm_selectable_gpu_type_choices") or () if kind]
        if gpus:
            asked.append(f"Which GPUs do algorithms get? The phases offer {', '.join(dict.fromkeys(map(str, gpus)))}.")
        record |= self._interfaces(phases, words, asked)
        if words:
            self._add("algorithm_execution", "\n".join(words), record, " ".join(asked))

    def _interfaces(self, phases: Iterable[Mapping[str, Any]], words: list[str], asked: list[str]) -> dict[str, Any]:
        """Return the names of input and output, where there is one interface with one of each."""
        sockets: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = []
        for phase in phases:
            for interface in phase.get("algorithm_interfaces") or ():
                inputs, outputs = (_sockets(interface, side) for side in ("inputs", "outputs"))
                if inputs is None or outputs is None:
                    self._refuse(phase["title"], "algorithm_interfaces", "has a part without slug and relative_path")
                names = " → ".join(", ".join(socket["slug"] for socket in side) for side in (inputs, outputs))
                words.append(f"{phase['title']}: {names}")
                if len(inputs) == len(outputs) == 1:
                    sockets.append((inputs[0], outputs[0]))
                else:
                    asked.append(f"Which input is the image of a case, and which output is the prediction: {names}?")
        if not sockets or any("Which input" in text for text in asked):
            return {}
        if any(pair != sockets[0] for pair in sockets):
            asked.append("The algorithms have several interfaces; a task has one.")
            return {}
        image, prediction = sockets[0]
        return {
            "adapter": "grand_challenge",
            "input_slug": image["slug"],
            "input_path": image["relative_path"],
            "output_slug": prediction["slug"],
            "output_path": prediction["relative_path"],
        }

    def _rest(self) -> None:
        """List settings without a field, so that the organizers see them."""
        for phase in self.source.phases:
            stated = [key for key in _WITHOUT_FIELD if key in phase and phase[key] not in (None, "", [])]
            if stated:
                self.unplaced.append(Unplaced(f"Settings of {phase['title']}", None, _words(phase, *stated, sep="\n")))
        stated = [key for key in ("publications", "incentives", "status") if self.source.challenge.get(key)]
        if stated:
            self.unplaced.append(Unplaced("Challenge", None, _words(self.source.challenge, *stated, sep="\n")))


def _columns(phase: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the columns of a leaderboard by title: the score first."""
    columns: dict[str, dict[str, Any]] = {}
    scoring = phase.get("scoring_method_choice")
    if phase.get("score_title"):
        columns[phase["score_title"]] = _column(
            phase["score_title"],
            phase.get("score_jsonpath"),
            phase.get("score_default_sort"),
            is_ranked=True if scoring else None,
        )
    for column in phase.get("extra_results_columns") or ():
        excluded = bool(column.get("exclude_from_ranking"))
        is_ranked = (scoring != "abs" and not excluded) if scoring else None
        columns[column["title"]] = _column(column["title"], column["path"], column["order"], is_ranked=is_ranked)
    return columns


def _column(title: str, path: object, order: object, *, is_ranked: bool | None) -> dict[str, Any]:
    """Return what the settings of a column state about a metric."""
    row: dict[str, Any] = {"name": {"other": title}, "abbreviation": title[:60]}
    if path:
        row["definition"] = f"{path} in metrics.json"
    if order in _ORDERS:
        row["orientation"] = _ORDERS[str(order)]
    if is_ranked is not None:
        row["used_for_ranking"] = is_ranked
    return row


def _sockets(interface: object, side: str) -> list[dict[str, Any]] | None:
    """Return the inputs or outputs of an algorithm; None if they have another form."""
    sockets = interface.get(side) if isinstance(interface, dict) else None
    if not isinstance(sockets, list) or not all(isinstance(socket, dict) for socket in sockets):
        return None
    is_complete = all(isinstance(socket.get(key), str) for socket in sockets for key in ("slug", "relative_path"))
    return sockets if is_complete else None


def _texts(phases: Iterable[Mapping[str, Any]], key: str) -> list[tuple[str, str]]:
    return [
        (phase["title"], phase[key].strip())
        for phase in phases
        if isinstance(phase.get(key), str) and phase[key].strip()
    ]


def _titles(phases: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(f"title: {phase['title']}" for phase in phases)


def _words(settings: Mapping[str, Any], *keys: str, sep: str = "; ") -> str:
    """Return settings as they are in the file."""
    return sep.join(f"{key}: {_shown(settings[key])}" for key in keys if key in settings)


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:2_000]

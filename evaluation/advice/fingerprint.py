"""The problem fingerprint: the organizers' description of their problem, parsed and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from evaluation.advice.expressions import holds, mentioned
from evaluation.advice.knowledge import CATEGORY, Item, items, knowledge
from evaluation.assessment.errors import listed, shown
from evaluation.canonical import sha256

SCHEMA: Final = 1
UNKNOWN: Final = None
"""The answer "I do not know"."""
Source = Literal["given", "unknown", "assumed", "derived", "not_asked"]
_KEYS: Final = ("schema", "name", "problem", "answers", "classes", "choices")
_CATEGORY_ITEMS: Final = ("FP1.1a", "FP1.1b", "FP1.1c")


class FingerprintError(ValueError):
    """Error for content that is not allowed in a fingerprint.

    Attributes
    ----------
    place
        Path of the field: ``answers.FP2.5.6``.
    value
        The value found there.
    allowed
        Description of the allowed values.
    """

    def __init__(self, field_path: str, value: object, allowed: str) -> None:
        self.place = field_path
        self.value = value
        self.allowed = allowed
        super().__init__(f"{field_path or 'fingerprint'}: {shown(value)} is not allowed; allowed is {allowed}")


class Unanswered(LookupError):  # noqa: N818 - it asks, it does not complain
    """A question that has to be answered before the walk can go on."""

    def __init__(self, item: Item, name: str | None) -> None:
        self.item = item
        self.class_name = name
        super().__init__(item.id)


class Answer(NamedTuple):
    """Value of an item, and its source.

    The source is ``given`` by the organizer, the cautious value for ``unknown``, ``assumed`` because no answer
    exists, ``derived`` from other answers, or ``not_asked`` for this kind of problem.
    """

    value: Any
    source: Source


class Inconsistency(NamedTuple):
    """Answers that do not go together; a warning, or a hint that something better may exist."""

    items: tuple[str, ...]
    level: str
    words: str


@dataclass(frozen=True)
class Fingerprint:
    """A checked fingerprint of one task.

    Attributes
    ----------
    category
        ``ImLC``, ``SemS``, ``ObD`` or ``InS``; ``None`` until the questions about it are answered.
    answers
        Answers of the organizers, by item; ``None`` is "I do not know".
    classes
        For every class of interest the answers that differ from `answers`.
    choices
        Options picked in decision guides, by guide, where they differ from the preselected ones.
    """

    name: str | None
    category: str | None
    answers: Mapping[str, Any]
    classes: Mapping[str, Mapping[str, Any]]
    choices: Mapping[str, str]
    document: Mapping[str, Any] = field(compare=False)

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical document."""
        return sha256(self.document)

    @property
    def problem(self) -> str | None:
        """The problem as assessments call it."""
        return None if self.category is None else knowledge().problems[self.category]

    def stated(self, item_id: str, name: str | None = None) -> Any:
        """Return the answer about an item, preferring that of the class.

        Raises `KeyError` if no answer exists.
        """
        class_answers = self.classes.get(name, {}) if name is not None else {}
        return class_answers[item_id] if item_id in class_answers else self.answers[item_id]

    def answer(self, item_id: str, name: str | None = None, *, strict: bool = False) -> Answer:
        """Decide the value of an item.

        Parameters
        ----------
        item_id
            Id of the item, or ``category``.
        name
            The class of interest.
        strict
            Whether to raise `Unanswered` instead of assuming the cautious value.

        Raises
        ------
        Unanswered
            If no answer exists, and either no cautious value exists or `strict` is set.
        """
        if item_id == CATEGORY:
            return Answer(self.category, "given")
        item = knowledge().items[item_id]
        if self.category is not None and self.category not in item.categories:
            return Answer(False, "not_asked")
        if not holds(item.ask_if, lambda other: self.answer(other, name, strict=strict).value):
            if item.derive is not None:
                return Answer(
                    holds(item.derive, lambda other: self.answer(other, name, strict=strict).value), "derived"
                )
            return Answer(item.if_not_asked, "derived")
        try:
            value = self.stated(item_id, name)
        except KeyError:
            if strict or item.if_unknown is None:
                raise Unanswered(item, name) from None
            return Answer(item.if_unknown, "assumed")
        if value is UNKNOWN and item.if_unknown is None:  # there is no cautious value that could stand for it
            raise Unanswered(item, name)
        return Answer(item.if_unknown, "unknown") if value is UNKNOWN else Answer(value, "given")


def parse_fingerprint(document: object) -> Fingerprint:
    """Check a fingerprint document.

    Parameters
    ----------
    document
        A mapping with ``schema`` (1), ``answers`` (by item id; ``null`` for "I do not know"), and optionally
        ``name``, ``problem`` (in place of the items FP1.1a to FP1.1c), ``classes`` (answers of single classes, by
        their names) and ``choices`` (options of decision guides).

    Raises
    ------
    FingerprintError
        For an unknown key, item, value, class or choice; the message states the location, the value and the
        allowed values.

    Examples
    --------
    >>> parse_fingerprint({"schema": 1, "problem": "semantic_segmentation", "answers": {"FP3.1": "yes"}})
    Traceback (most recent call last):
        ...
    evaluation.advice.fingerprint.FingerprintError: answers.FP3.1: "yes" is not allowed; allowed is true, false, null
    """
    given = _mapping(document, "")
    for key in given:
        if key not in _KEYS:
            raise FingerprintError(str(key), given[key], f"one of the keys {listed(_KEYS)}")
    if given.get("schema", SCHEMA) != SCHEMA:
        raise FingerprintError("schema", given["schema"], str(SCHEMA))
    name = given.get("name")
    if name is not None and not isinstance(name, str):
        raise FingerprintError("name", name, "a text")
    answers = _answers(given.get("answers", {}), "answers", of_class=False)
    classes = {
        str(key): _answers(value, f"classes.{key}", of_class=True)
        for key, value in _mapping(given.get("classes", {}), "classes").items()
    }
    category = _category(given.get("problem"), answers)
    plain: dict[str, Any] = {"schema": SCHEMA, "answers": answers, "classes": classes}
    choices = _choices(given.get("choices", {}))
    plain |= {"choices": choices}
    plain |= {key: given[key] for key in ("name", "problem") if given.get(key) is not None}
    return Fingerprint(name, category, answers, classes, choices, plain)


def questions(category: str | None = None) -> list[dict[str, Any]]:
    """Everything that a dialogue has to know about the questions, ready for JSON.

    Examples
    --------
    >>> questions("ObD")[3]["id"], questions("ObD")[3]["kind"]
    ('FP2.3', 'yes_no')
    """
    return [
        {
            "id": item.id,
            "group": item.group,
            "title": item.title,
            "question": item.question,
            "kind": item.kind,
            "choices": [{"value": value, "label": label} for value, label in item.choices],
            "why": item.why,
            "scope": item.scope,
            "problems": [knowledge().problems[name] for name in item.categories],
            "depends_on": list(dict.fromkeys(mentioned(item.ask_if))),
            "if_unknown": item.if_unknown,
            "must_be_answered": item.if_unknown is None,
            "readable_from_references": item.readable_from_references,
            "origin": item.origin,
        }
        for item in items(category)
    ]


def inconsistencies(fingerprint: Fingerprint) -> list[Inconsistency]:
    """Answers of a fingerprint that do not go together, for the task and for every class.

    Examples
    --------
    >>> answers = {"FP4.6": True, "FP5.2": False}
    >>> parsed = parse_fingerprint({"schema": 1, "problem": "semantic_segmentation", "answers": answers})
    >>> [found.items for found in inconsistencies(parsed)]
    [('FP4.6', 'FP5.2')]
    """
    contradictions = []
    for rule in knowledge().consistency:
        for name in (None, *fingerprint.classes):
            if holds(rule["when"], lambda item, name=name: _said(fingerprint, item, name)):  # type: ignore[misc]
                prefix = "" if name is None else f"{name}: "
                contradictions.append(Inconsistency(tuple(rule["items"]), rule["level"], prefix + rule["words"]))
                break
    return contradictions


def _said(fingerprint: Fingerprint, item: str, name: str | None) -> Any:
    if item == CATEGORY:
        return fingerprint.category
    try:
        return fingerprint.stated(item, name)
    except KeyError:
        return UNKNOWN


def _mapping(value: object, field_path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FingerprintError(field_path, value, "an object")
    return value


def _answers(value: object, field_path: str, *, of_class: bool) -> dict[str, Any]:
    item_by_id = knowledge().items
    answers = {}
    for key, answer in _mapping(value, field_path).items():
        if key not in item_by_id:
            raise FingerprintError(f"{field_path}.{key}", answer, f"an answer to one of {listed(item_by_id)}")
        item = item_by_id[key]
        if of_class and item.scope != "class":
            raise FingerprintError(f"{field_path}.{key}", answer, "an answer for the whole task, under answers")
        choices = item.values
        fits = isinstance(answer, bool) if item.kind == "yes_no" else isinstance(answer, str) and answer in choices
        if answer is not UNKNOWN and not fits:
            words = "true, false" if item.kind == "yes_no" else listed(f'"{choice}"' for choice in choices)
            raise FingerprintError(f"{field_path}.{key}", answer, f"{words}, null")
        answers[key] = answer
    return answers


def _category(problem: object, answers: Mapping[str, Any]) -> str | None:
    by_problem = knowledge().categories
    if problem is not None and (not isinstance(problem, str) or problem not in by_problem):
        raise FingerprintError("problem", problem, listed(by_problem))
    walked = _walked_category(answers)
    if problem is None:
        return walked
    category = by_problem[str(problem)]
    if walked is not None and walked != category:
        raise FingerprintError(
            "problem", problem, f"{knowledge().problems[walked]}, as {listed(_CATEGORY_ITEMS)} are answered"
        )
    return category


def _walked_category(answers: Mapping[str, Any]) -> str | None:
    level, single, masks = (answers.get(item) for item in _CATEGORY_ITEMS)
    if level == "global":
        return "ImLC"
    if level is None or single is None:
        return None
    if single is False:
        return "SemS"
    return None if masks is None else ("InS" if masks else "ObD")


def _choices(value: object) -> dict[str, str]:
    guides = knowledge().guides
    choices = {}
    for key, choice in _mapping(value, "choices").items():
        if key not in guides:
            raise FingerprintError(f"choices.{key}", choice, f"a choice in one of {listed(guides)}")
        if choice not in guides[key].options:
            raise FingerprintError(f"choices.{key}", choice, listed(f'"{option}"' for option in guides[key].options))
        choices[key] = choice
    return choices

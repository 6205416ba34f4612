"""Comparison of a text with a registered design, parameter by parameter: same, missing, or different.

The comparison uses words only. Its result is a hint for people and not a verdict.
“The same” means that the text contains the registered value.
“Different” means that the text mentions the parameter with another value, and the passage is included.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Final

from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.document import Document, State, Values
from evaluation.designs.document.words import cell_words, value_words

SAME_SHARE: Final = 0.6
"""Minimum share of word groups at which a registered text counts as contained in the other text."""
TOUCHED_SHARE: Final = 0.2
"""Minimum share of word groups at which the other text covers the same subject in a different wording."""
NEAR: Final = 90
"""Number of characters around the words of a label that belong to the label."""
_PASSAGE = 220
_GROUP = 3
_WORD = re.compile(r"[a-z0-9]+(?:[.,]\d+)?", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])")
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "for",
        "from",
        "has",
        "have",
        "in",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "that",
        "the",
        "this",
        "to",
        "was",
        "were",
        "will",
        "with",
        "of",
        "per",
        "each",
        "number",
        "method",
        "type",
        "policy",
        "handling",
        "settings",
        "description",
        "details",
        "information",
        "other",
    ]
)


class Agreement(StrEnum):
    """Agreement of the text with a parameter."""

    SAME = "same"
    MISSING = "missing"
    DIFFERENT = "different"


@dataclass(frozen=True)
class Finding:
    """One parameter of the registered design against the text."""

    task: str
    parameter: str
    found: Agreement
    passage: str = ""


def compare(document: Document, text: str) -> list[Finding]:
    """Compare every public value of a registered design with a text.

    Parameters
    ----------
    document
        The public one; what is withheld, declared absent or blank is not compared.
    """
    plain = Text(text)
    findings = [
        _finding("", parameter, document.values(), plain) for parameter in _stated(document.values(), task=False)
    ]
    for values in document.each_task():
        findings += [
            _finding(values.task_key or "", parameter, values, plain) for parameter in _stated(values, task=True)
        ]
    return findings


class Text:
    """A text prepared for many comparisons."""

    def __init__(self, text: str) -> None:
        self.text = re.sub(r"\s+", " ", text)
        self.lower = self.text.lower()
        words = [word.lower() for word in _WORD.findall(self.text)]
        self.words = frozenset(words)
        self.groups = frozenset(_groups(words))

    def says(self, phrase: str) -> bool:
        """Return whether the text contains a phrase as separate words."""
        return bool(phrase) and re.search(rf"(?<!\w){re.escape(phrase.lower())}(?!\w)", self.lower) is not None

    def around(self, position: int, length: int = _PASSAGE) -> str:
        """The passage around a position."""
        start = max(0, position - length // 2)
        return self.text[start : start + length].strip()


def _stated(values: Values, *, task: bool) -> Iterator[Parameter]:
    for parameter in shipped().parameters.values():
        entry = (values.task if task else values.challenge).get(parameter.id)
        if entry is None or entry.state is not State.PROVIDED or parameter.visibility != "public":
            continue
        if parameter.type not in ("json", "metric", "email"):
            yield parameter


def _finding(task: str, parameter: Parameter, values: Values, text: Text) -> Finding:
    value = values.get(parameter.id)
    compared = {
        "integer": _number,
        "number": _number,
        "enum": _choice,
        "multi-enum": _choice,
        "date": _date,
        "boolean": _words,
        "list-of-objects": _table,
        "object": _table,
        "tags": _tags,
        "url": _phrase,
        "text": _phrase,
    }.get(parameter.type, _words)
    agreement, passage = compared(parameter, value, text)
    return Finding(task, parameter.id, agreement, passage)


# --- One kind of value each ----------------------------------------------------------------------------------------
def _phrase(parameter: Parameter, value: Any, text: Text) -> tuple[Agreement, str]:
    phrase = str(value).removeprefix("https://").removeprefix("http://").rstrip("/")
    return (Agreement.SAME, "") if text.says(phrase) else _words(parameter, value, text)


def _number(parameter: Parameter, value: Any, text: Text) -> tuple[Agreement, str]:
    """Compare a number, which counts if it appears near the words of its label."""
    other = ""
    for position in _mentions(parameter, text):
        near = text.text[max(0, position - NEAR) : position + NEAR]
        numbers = [float(digits.replace(",", "")) for digits in _NUMBER.findall(near)]
        if float(value) in numbers:
            return Agreement.SAME, ""
        if numbers and not other:
            other = text.around(position)
    return (Agreement.DIFFERENT, other) if other else (Agreement.MISSING, "")


def _choice(parameter: Parameter, value: Any, text: Text) -> tuple[Agreement, str]:
    chosen = value if isinstance(value, list) else [value]
    labels = [value_words(parameter, item) for item in chosen]
    if all(_spoken(label, text) for label in labels):
        return Agreement.SAME, ""
    for choice in parameter.choices:
        if choice.value in chosen:
            continue
        for phrase in _phrases(choice.label):
            if text.says(phrase) and not any(phrase in _phrases(label) for label in labels):
                return Agreement.DIFFERENT, text.around(text.lower.find(phrase))
    return Agreement.MISSING, ""


def _date(parameter: Parameter, value: Any, text: Text) -> tuple[Agreement, str]:  # noqa: ARG001 (all compare alike)
    if any(text.says(form) for form in date_forms(str(value))):
        return Agreement.SAME, ""
    return Agreement.MISSING, ""


def _table(parameter: Parameter, value: Any, text: Text) -> tuple[Agreement, str]:
    """A table counts by its rows: all of them, some of them, or none."""
    rows = value if isinstance(value, list) else [value]
    held = [_row(parameter, row, text) for row in rows]
    if all(held):
        return Agreement.SAME, ""
    if any(held):
        missing = next(row for row, is_held in zip(rows, held, strict=True) if not is_held)
        missing_cells = "; ".join(
            cell_words(field, missing[field.key])
            for field in parameter.item_fields
            if field.key in missing and field.visibility == "public"
        )
        return Agreement.DIFFERENT, f"not found: {missing_cells}"[:_PASSAGE]
    if parameter.id == "challenge_schedule" and (position := _any_date(text)) is not None:
        return Agreement.DIFFERENT, text.around(position)
    return Agreement.MISSING, ""


def _row(parameter: Parameter, row: dict[str, Any], text: Text) -> bool:
    cells = [
        (field, row[field.key])
        for field in parameter.item_fields
        if field.key in row and field.visibility == "public" and field.type not in ("json", "boolean")
    ]
    cell_matches = []
    for field, cell in cells:
        if field.type == "date":
            cell_matches.append(any(text.says(form) for form in date_forms(str(cell))))
        elif field.type in ("integer", "number"):
            cell_matches.append(text.says(f"{cell:g}"))
        else:
            cell_matches.append(_spoken(cell_words(field, cell), text))
    dates = [matches for (field, _), matches in zip(cells, cell_matches, strict=True) if field.type == "date"]
    return bool(cell_matches) and all(dates) and sum(cell_matches) >= len(cell_matches) / 2


def _tags(parameter: Parameter, value: Any, text: Text) -> tuple[Agreement, str]:  # noqa: ARG001 (all compare alike)
    present_tags = [tag for tag in value if text.says(str(tag))]
    if len(present_tags) == len(value):
        return Agreement.SAME, ""
    lacking = ", ".join(str(tag) for tag in value if tag not in present_tags)
    return (Agreement.DIFFERENT, f"not found: {lacking}"[:_PASSAGE]) if present_tags else (Agreement.MISSING, "")


def _words(parameter: Parameter, value: Any, text: Text) -> tuple[Agreement, str]:
    words = [word.lower() for word in _WORD.findall(value_words(parameter, value, public=True))]
    share = _share(words, text)
    if share >= SAME_SHARE:
        return Agreement.SAME, ""
    if share >= TOUCHED_SHARE:
        group = next(group for group in _groups(words) if group in text.groups)
        match = re.search(r"\W+".join(map(re.escape, group)), text.lower)
        return Agreement.DIFFERENT, text.around(match.start() if match else 0)
    return Agreement.MISSING, ""


# --- Words ---------------------------------------------------------------------------------------------------------
def _spoken(label: str, text: Text) -> bool:
    """Return whether the text contains a choice or cell: one of its phrases, or most of its word groups."""
    if any(text.says(phrase) for phrase in _phrases(label)):
        return True
    words = [word.lower() for word in _WORD.findall(label)]
    return len(words) > _GROUP and _share(words, text) >= SAME_SHARE


def _phrases(label: str) -> list[str]:
    """Return the label, its part before a bracket or colon, and the text in brackets.

    >>> _phrases("Magnetic resonance imaging (MRI)")
    ['magnetic resonance imaging (mri)', 'magnetic resonance imaging', 'mri']
    """
    lower = label.lower().strip()
    parts = [lower, re.split(r"[(:;]", lower)[0].strip(), *re.findall(r"\(([^)]{2,40})\)", lower)]
    return list(dict.fromkeys(part for part in parts if len(part) > 1))


def _mentions(parameter: Parameter, text: Text) -> Iterator[int]:
    """Yield the positions at which the text mentions a parameter, with the words of its label close together."""
    words = [word for word in _WORD.findall(parameter.label.lower()) if word not in _STOP]
    if not words:
        return
    stems = [re.escape(word.rstrip("s")) for word in words]
    pattern = r"\w*\W+(?:\w+\W+){0,2}?".join(stems)
    for match in re.finditer(rf"(?<!\w){pattern}", text.lower):
        yield match.start()


def _groups(words: list[str]) -> list[tuple[str, ...]]:
    size = min(_GROUP, len(words))
    return [tuple(words[index : index + size]) for index in range(len(words) - size + 1)] if words else []


def _share(words: list[str], text: Text) -> float:
    """Return the share of the word groups that the text contains.

    Short values count if the text contains their words in order.
    """
    groups = _groups(words)
    if not groups:
        return 0.0
    if len(words) < _GROUP:
        return float(text.says(" ".join(words)))
    return sum(group in text.groups for group in groups) / len(groups)


def date_forms(iso: str) -> list[str]:
    """Return the usual notations of a date.

    Examples
    --------
    >>> date_forms("2026-03-01")[:4]
    ['2026-03-01', '1 march 2026', 'march 1, 2026', 'march 1 2026']
    """
    try:
        day = date.fromisoformat(iso)
    except ValueError:
        return [iso.lower()]
    month = _MONTHS[day.month - 1]
    long = [f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", f"{month} {day.day} {day.year}"]
    short = [form.replace(month, month[:3]) for form in long]
    ordinal = [f"{month} {day.day}{_ordinal(day.day)}, {day.year}", f"{day.day}{_ordinal(day.day)} {month} {day.year}"]
    dotted = [f"{day.day:02d}.{day.month:02d}.{day.year}", f"{day.day}.{day.month}.{day.year}"]
    return [iso, *long, *short, *ordinal, *dotted, f"{day.day:02d}/{day.month:02d}/{day.year}"]


def _ordinal(day: int) -> str:
    return "th" if 10 < day % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _any_date(text: Text) -> int | None:
    months = "|".join(month[:3] for month in _MONTHS)
    match = re.search(
        rf"\d{{4}}-\d{{2}}-\d{{2}}|(?:{months})[a-z]* \d{{1,2}}|\d{{1,2}}(?:th|st|nd|rd)? (?:{months})", text.lower
    )
    return match.start() if match else None

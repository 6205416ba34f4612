"""Values of design parameters from the words of a document: exact, or a question to the organizers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from evaluation.catalogue import all_metrics
from evaluation.designs.document import State, UnfitValueError, clean, is_email
from evaluation.designs.document.dates import read_date
from evaluation.designs.document.typed import MAX_TEXT
from evaluation.designs.imports.lines import letters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evaluation.designs.catalogue import Choice, Parameter

_URL: Final = re.compile(r"https?://[^\s<>\"“”|]+[^\s<>\"“”|.,;:)\]]")
_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_SPLIT: Final = re.compile(r"[\n,;/|]|\band\b|[•●▪◦·]")
_MARK: Final = re.compile(r"^(?:[•●▪◦‣·–—*]|[-o](?=\s)|\(?\d{1,2}[.)](?=\s)|\(?[a-z][.)](?=\s))\s*")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_NAME: Final = re.compile(
    r"^(?P<name>(?:[^\W\d_][\w.'’-]*\s+){1,5}[^\W\d_][\w.'’-]*)\s*(?:[,(;:–—|]|\s-\s)\s*(?P<rest>.{2,}?)\)?$"
)
_CONTACT_PARTS: Final = 2
_COUNT: Final = r"(?P<n>\d{1,3}(?:[,' ]\d{3})+|\d+)"
_KINDS: Final[Mapping[str, str]] = {
    "training": r"train(?:ing)?",
    "validation": r"validation",
    "test": r"test(?:ing)?",
    "total": r"(?:in total|total)",
    "annotators": r"(?:annotators|raters|readers|observers|radiologists|pathologists|experts)",
}
_NUMBER_WORDS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DATE: Final = re.compile(
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\s?[./]\s?\d{1,2}\s?[./]\s?\d{4}"
    r"|\d{1,2}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?[A-Z][a-z]{2,8}\.?,?\s+\d{4}"
    r"|[A-Z][a-z]{2,8}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}|[A-Z][a-z]{2,8}\.?\s+\d{4})"
)
_NO_ANSWER: Final = frozenset({"", "na", "tba", "tbd", "toappear"})
_NONE: Final = frozenset({"none", "nil"})
_NOT_APPLICABLE: Final = frozenset({"notapplicable", "doesnotapply"})
_SMALLEST_ALIAS: Final = 2

# What the form itself offers as examples, by parameter: the wording of the form, and the option of the catalogue.
_FORM_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "life_cycle_type": {
        "One-time event with fixed conference submission deadline": "one_time_fixed_deadline",
        "Repeated event with annual fixed conference submission deadline": "repeated_fixed_deadline",
        "Repeated event with annual fixed submission deadline": "repeated_fixed_deadline",
    },
    "results_announcement_policy": {
        "Top 3 performing methods will be announced publicly": "top_three_public",
        "Participating teams can choose whether the performance results will be made public": "team_choice",
    },
    "challenge_platform": {"grand-challenge": "grand_challenge", "Grand Challenge": "grand_challenge"},
    "interaction_level_policy": {
        "Only fully automatic methods allowed": "fully_automatic",
        "Only automatic methods allowed": "fully_automatic",
        "Fully automatic methods only": "fully_automatic",
        "Fully automatic": "fully_automatic",
        "Fully automated": "fully_automatic",
        "Only fully automatic algorithms are allowed": "fully_automatic",
    },
    "event_duration": {"1/2 day": "half_day", "1 day": "full_day"},
}


@dataclass(frozen=True, slots=True)
class Found:
    """Value that a rule reads from the text of a document.

    Attributes
    ----------
    value
        Value in canonical form; None if the organizers must choose.
    details
        Text in addition to a choice.
    question
        Question to the organizers; empty for a value that the words state exactly.
    suggestions
        Options that the words mention, for a question about options.
    state, reason
        For a declaration instead of a value.
    """

    value: Any = None
    details: str = ""
    question: str = ""
    suggestions: tuple[str, ...] = ()
    state: State = State.PROVIDED
    reason: str = ""


def is_no_answer(words: str) -> bool:
    """Return whether a passage is a placeholder such as “N/A”."""
    return letters(words) in _NO_ANSWER


def find(parameter: Parameter, rule: str, words: str) -> Found | None:
    """Return the value of a parameter from the words of a document.

    Parameters
    ----------
    rule
        Name of the rule, with its argument after a full stop.

    Returns
    -------
    Found or None
        None if the words do not concern the parameter.
    """
    if rule != "ask" and not parameter.never_absent:
        if letters(words) in _NONE and "none" not in {choice.value for choice in parameter.choices}:
            return Found(state=State.NONE_DECLARED, question="Confirm that there is none.")
        if letters(words) in _NOT_APPLICABLE:
            return Found(state=State.NOT_APPLICABLE, reason=words, question="Confirm that it does not apply.")
    name, _, argument = rule.partition(".")
    matches_found = _RULES[name](parameter, words, argument)
    if matches_found is None or matches_found.value is None:
        return matches_found
    try:
        value = clean(parameter, matches_found.value)
    except UnfitValueError as problem:
        return Found(question=f"These words do not fit the field. {problem}")
    return Found(value, matches_found.details, matches_found.question, matches_found.suggestions)


def _text(parameter: Parameter, words: str, _argument: str) -> Found:
    if parameter.type == "text":
        line = " ".join(words.split())
        if len(line) > MAX_TEXT:
            return Found(question=f"The field has at most {MAX_TEXT} characters. Shorten the text.")
        return Found(line)
    return Found(words)


def _task_abstract(_parameter: Parameter, words: str, _argument: str) -> Found:
    return Found(words, question="This is the abstract of the task. Confirm that it describes the task.")


def _tags(_parameter: Parameter, words: str, _argument: str) -> Found:
    tags = [" ".join(_MARK.sub("", part).split()).rstrip(".") for part in re.split(r"[,;\n•|]", words)]
    return Found([tag for tag in tags if tag])


def _year(_parameter: Parameter, words: str, _argument: str) -> Found:
    years = set(_YEAR.findall(words))
    if len(years) == 1:
        return Found(int(years.pop()))
    return Found(question="Which year is it?")


def _number(_parameter: Parameter, words: str, _argument: str) -> Found:
    plain = words.strip().rstrip(".")
    if re.fullmatch(_COUNT, plain):
        return Found(_digits(plain))
    return Found(question="Enter the number.")


def _url(_parameter: Parameter, words: str, _argument: str) -> Found | None:
    addresses = list(dict.fromkeys(_URL.findall(words)))
    if len(addresses) == 1:
        return Found(addresses[0])
    return Found(question=f"Which of these addresses is it? {', '.join(addresses)}") if addresses else None


def _choice(parameter: Parameter, words: str, _argument: str) -> Found:
    options = aliases(parameter)
    details = words if parameter.has_details else ""
    whole = options.get(letters(words)) or options.get(letters(_YEAR.sub("", words)))
    if whole:
        kept_items = details if letters(words) != letters(parameter.label_of(whole)) else ""
        return Found([whole] if parameter.type == "multi-enum" else whole, kept_items)
    mentioned = _mentioned(words, options, parameter.choices)
    if parameter.type == "multi-enum":
        parts = [part for part in (_MARK.sub("", part.strip()) for part in _SPLIT.split(words)) if letters(part)]
        chosen = [options.get(letters(part)) for part in parts]
        if parts and all(chosen):
            return Found(list(dict.fromkeys(chosen)))
        return Found(question="Which options do these words mean?", suggestions=mentioned, details=details)
    return Found(question="Which option do these words mean?", suggestions=mentioned, details=details)


def aliases(parameter: Parameter) -> dict[str, str]:
    """Return the options of a parameter by the reduced words that name them exactly.

    Words that name two options are excluded.
    """
    named: dict[str, set[str]] = {}
    for choice in parameter.choices:
        for text in _names(choice.label):
            named.setdefault(letters(text), set()).add(choice.value)
    for text, value in _FORM_WORDS.get(parameter.id, {}).items():
        named.setdefault(letters(text), set()).add(value)
    return {text: next(iter(values)) for text, values in named.items() if text and len(values) == 1}


def _names(label: str) -> list[str]:
    """A label, the label without its parentheses, and an abbreviation in them."""
    plain = re.sub(r"\s*\([^)]*\)", "", label).strip()
    short = [text for text in re.findall(r"\(([^)]*)\)", label) if re.fullmatch(r"[A-Za-z0-9 -]{2,12}", text)]
    return [label, plain, *(text for text in short if text.upper() == text or "-" in text)]


def _mentioned(words: str, options: Mapping[str, str], choices: Sequence[Choice]) -> tuple[str, ...]:
    tokens = re.findall(r"[^\W_]+", words.casefold())
    spans = {
        "".join(tokens[at:end]) for at in range(len(tokens)) for end in range(at + 1, min(at + 12, len(tokens)) + 1)
    }
    matches_found = {value for text, value in options.items() if len(text) >= _SMALLEST_ALIAS and text in spans}
    return tuple(choice.value for choice in choices if choice.value in matches_found)


def _rows(parameter: Parameter, words: str, argument: str) -> Found:
    return Found([{argument: words}], question=_columns_question(parameter, argument))


def _lines(parameter: Parameter, words: str, argument: str) -> Found:
    lines = [_MARK.sub("", line.strip()) for line in words.split("\n")]
    rows = [{argument: " ".join(line.split())} for line in lines if line]
    if any(len(row[argument]) > MAX_TEXT for row in rows):
        return Found(question=f"A cell has at most {MAX_TEXT} characters. Divide the text into rows.")
    return Found(rows, question=_columns_question(parameter, argument))


def _columns_question(parameter: Parameter, argument: str) -> str:
    missing = [item.label.lower() for item in parameter.item_fields if item.required and item.key != argument]
    return f"Complete the columns that the document does not state: {', '.join(missing)}." if missing else ""


def _people(_parameter: Parameter, words: str, _argument: str) -> Found:
    lines = [_MARK.sub("", line.strip()) for line in re.split(r"[\n;]", words)]
    rows: list[dict[str, str]] = []
    for line in filter(None, lines):
        address = _EMAIL.search(line)
        plain = re.sub(r"\s*[(<\[]?" + _EMAIL.pattern + r"[)>\]]?[,;]?", "", line).strip(" ,;")
        match = _NAME.match(plain)
        if match is None:
            return Found(question="Enter the members of the team with their affiliations.")
        row = {"name": match["name"], "affiliation": match["rest"].strip(" ,;")}
        rows.append(row | ({"email": address[0]} if address and is_email(address[0]) else {}))
    return Found(rows)


def _contact(_parameter: Parameter, words: str, _argument: str) -> Found:
    addresses = list(dict.fromkeys(_EMAIL.findall(words)))
    if len(addresses) != 1:
        return Found(question="Enter the name and e-mail address of the contact person.")
    plain = re.sub(r"[(<\[]?" + _EMAIL.pattern + r"[)>\]]?", "", words)
    plain = re.sub(r"\b(?:e-?mail|contact)\s*:?", "", plain, flags=re.IGNORECASE)
    parts = [part.strip(" ()<>-–:") for part in re.split(r"[,;\n]", plain)]
    parts = [part for part in parts if part]
    record = {"email": addresses[0]}
    if parts and len(parts) <= _CONTACT_PARTS and not re.search(r"\d", parts[0]):
        record["name"] = parts[0]
        if len(parts) > 1:
            record["affiliation"] = parts[1]
        return Found(record)
    return Found(record, question="Complete the name and affiliation.")


def _count(_parameter: Parameter, words: str, argument: str) -> Found | None:
    kind = _KINDS[argument]
    text = re.sub(r"(?<=\d)[,'](?=\d{3}\b)", "", words)
    noun = r"(?:\s+(?:cases|case|images|scans|volumes|patients|subjects|samples|videos|frames|set|data|studies))?"
    middle = r"(?:\s+(?:human|expert|independent|experienced|medical|trained|CT|MRI|MR|PET|2D|3D))?"
    numbers = [
        *re.findall(rf"(?<![\d.%])(\d+)(?!\s?%)(?![\d.]\d){middle}\s+{kind}\b", text, re.IGNORECASE),
        *(
            re.findall(rf"\b{kind}{noun}\s*[:=]\s*(\d+)(?!\s?%)(?![\d.]\d)", text, re.IGNORECASE)
            if argument != "annotators"
            else ()
        ),
    ]
    if argument == "annotators":
        numbers += [
            str(_NUMBER_WORDS.index(word.lower()) + 1)
            for word in re.findall(rf"\b({'|'.join(_NUMBER_WORDS)}){middle}\s+{kind}\b", text, re.IGNORECASE)
        ]
    distinct = {int(number) for number in numbers}
    if len(distinct) == 1:
        return Found(distinct.pop())
    if re.search(rf"\b{kind}\b", text, re.IGNORECASE) and re.search(r"\d", text):
        return Found(question="Enter the number.")
    return None


def _dates(parameter: Parameter, words: str, _argument: str) -> Found:
    event = next(item for item in parameter.item_fields if item.key == "event")
    options = aliases(parameter) or {letters(choice.label): choice.value for choice in event.choices}
    rows: list[dict[str, Any]] = []
    open_lines = 0
    for line in words.split("\n"):
        plain = _MARK.sub("", line.strip()) if not re.match(r"\d", line.strip()) else line.strip()
        matches = list(_DATE.finditer(plain))
        if not plain:
            continue
        dates: list[str] = []
        for match in matches:
            try:
                dates.append(read_date(re.sub(r"(?<=[a-z])\.", "", match["date"])))
            except ValueError:
                dates = []
                break
        rest = plain
        for match in reversed(matches):
            rest = rest[: match.start()] + rest[match.end() :]
        rest = re.sub(r"\s+", " ", rest).strip(" :-–—|,.()")
        if len(dates) != 1 or not rest or len(rest) > MAX_TEXT:
            open_lines += 1
            rows.append({"event": "other", "note": plain[:MAX_TEXT]})
            continue
        known_names = options.get(letters(rest))
        rows.append(
            {"event": known_names, "date": dates[0]}
            if known_names
            else {"event": "other", "date": dates[0], "note": rest}
        )
    question = "Choose the event of each date." if any(row["event"] == "other" for row in rows) else ""
    if open_lines:
        question = f"{question} {open_lines} {'line has' if open_lines == 1 else 'lines have'} no single clear date."
    return Found(rows, question=question.strip())


def _metrics(_parameter: Parameter, words: str, _argument: str) -> Found:
    matches_found: dict[str, int] = {}
    for text, identity in _metric_names().items():
        match = re.search(rf"(?<![\w-]){re.escape(text)}(?![\w-])", words, 0 if text.isupper() else re.IGNORECASE)
        if match:
            matches_found[identity] = min(matches_found.get(identity, len(words)), match.start())
    ordered = sorted(matches_found, key=lambda identity: matches_found[identity])
    if not ordered:
        return Found(question="Choose the metrics that the words describe.")
    question = "Check that these are the metrics of the document. Complete their options and the use in the ranking."
    return Found([{"metric": identity} for identity in ordered], question=question)


@cache
def _metric_names() -> dict[str, str]:
    """Names and abbreviations that belong to exactly one metric."""
    named: dict[str, set[str]] = {}
    for metric in all_metrics():
        if metric.is_criterion:
            continue
        for text in (metric.name, metric.abbreviation):
            named.setdefault(text, set()).add(metric.id)
    return {text: next(iter(ids)) for text, ids in named.items() if len(ids) == 1 and len(text) > _SMALLEST_ALIAS}


def _ask(parameter: Parameter, words: str, _argument: str) -> Found | None:
    if parameter.type in ("enum", "multi-enum"):
        mentioned = _mentioned(words, aliases(parameter), parameter.choices)
        return Found(question="Do these words answer this question too?", suggestions=mentioned) if mentioned else None
    return None


def _digits(text: str) -> int:
    return int(re.sub(r"\D", "", text))


_RULES: Final[Mapping[str, Callable[[Parameter, str, str], Found | None]]] = {
    "text": _text,
    "task_abstract": _task_abstract,
    "tags": _tags,
    "year": _year,
    "number": _number,
    "url": _url,
    "choice": _choice,
    "rows": _rows,
    "lines": _lines,
    "people": _people,
    "contact": _contact,
    "count": _count,
    "dates": _dates,
    "metrics": _metrics,
    "ask": _ask,
}

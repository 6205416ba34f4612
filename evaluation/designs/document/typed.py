"""Values by type: checked against the catalogue and brought into one canonical form."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import validators

from evaluation.catalogue import CatalogueError, get
from evaluation.characters import refused_character
from evaluation.designs.catalogue import ItemField, Parameter
from evaluation.designs.document.dates import read_date

MAX_TEXT: Final = 500
MAX_LONGTEXT: Final = 40_000
MAX_ROWS: Final = 500


class UnfitValueError(ValueError):
    """A value that its type does not take; `place` names the row and column, the message is for the reader."""

    def __init__(self, message: str, field_path: str = "") -> None:
        self.place = field_path
        self.message = message
        super().__init__(f"{field_path}: {message}" if field_path else message)


def is_empty(value: object) -> bool:
    """Return whether nothing was entered; 0 and False are values.

    Examples
    --------
    >>> is_empty(" "), is_empty([]), is_empty(0), is_empty(False)
    (True, True, False, False)
    """
    if value is None:
        return True
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, (Mapping, Sequence)):
        return len(value) == 0
    return False


def clean(parameter: Parameter, raw: object) -> Any:
    """Return `raw` in the canonical form of the parameter's type; ``None`` for an empty value.

    Texts lose trailing spaces, tables lose empty rows and empty cells, and lists of choices follow the order of the
    catalogue. Two people who enter the same value therefore store the same bytes.

    Raises
    ------
    UnfitValueError
        If the type does not accept the value.
    """
    if is_empty(raw):
        return None
    if parameter.type == "object":
        return _record(parameter.item_fields, raw, "") or None
    if parameter.type == "list-of-objects":
        return _table(parameter.item_fields, raw) or None
    if parameter.type == "multi-enum":
        return _choices(parameter, raw) or None
    if parameter.type == "enum":
        return _choice(parameter.choices, raw, open_=parameter.choices_mode != "closed")
    return _scalar(parameter.type, raw, minimum=parameter.minimum, maximum=None)


def _scalar(kind: str, raw: object, *, minimum: float | None, maximum: float | None) -> Any:
    match kind:
        case "text":
            return _text(raw, MAX_TEXT, lines=False)
        case "longtext":
            return _text(raw, MAX_LONGTEXT, lines=True)
        case "url":
            return _checked(
                _text(raw, 2000, lines=False), is_web_address, "A web address starts with http:// or https://."
            )
        case "email":
            return _checked(_text(raw, 254, lines=False), is_email, "This is no e-mail address.")
        case "date":
            return _date(raw)
        case "integer":
            number = _number(raw, minimum, maximum)
            if number != int(number):
                raise UnfitValueError("A whole number is needed.")
            return int(number)
        case "number":
            return _number(raw, minimum, maximum)
        case "boolean":
            return _boolean(raw)
        case "tags":
            return _tags(raw) or None
        case "metric":
            return _metric(raw)
        case "problem":
            return _problem(raw)
        case "json":
            return _json(raw)
    raise UnfitValueError(f"Values of the type {kind} cannot be entered.")


def _text(raw: object, limit: int, *, lines: bool) -> str:
    if not isinstance(raw, (str, int, float)) or isinstance(raw, bool):
        raise UnfitValueError("A text is needed.")
    text = str(raw).replace("\r\n", "\n").replace("\x00", "")
    text = "\n".join(line.rstrip() for line in text.split("\n")).strip() if lines else " ".join(text.split())
    # Titles and names; longer texts may need what a script has for breaking and joining.
    if not lines and (refusal := refused_character(text)):
        raise UnfitValueError(refusal)
    if len(text) > limit:
        raise UnfitValueError(f"At most {limit:,} characters; these are {len(text):,}.")
    return text


def _checked(text: str, holds: Callable[[str], bool], message: str) -> str:
    if not holds(text):
        raise UnfitValueError(message)
    return text


def is_web_address(text: str) -> bool:
    """Return whether a text is an absolute web address.

    Examples
    --------
    >>> is_web_address("https://example.org/data"), is_web_address("ftp://example.org"), is_web_address("example.org")
    (True, False, False)
    """
    return text.lower().startswith(("http://", "https://")) and validators.url(text) is True


def is_email(text: str) -> bool:
    """Return whether a text is one e-mail address.

    Examples
    --------
    >>> is_email("ada@example.org"), is_email("ada@example"), is_email("Ada <ada@example.org>")
    (True, False, False)
    """
    return validators.email(text) is True


def _date(raw: object) -> str:
    try:
        return read_date(str(raw))
    except ValueError as error:
        raise UnfitValueError(str(error)) from error


def _number(raw: object, minimum: float | None, maximum: float | None) -> float | int:
    if isinstance(raw, bool):
        raise UnfitValueError("A number is needed.")
    try:
        number = float(str(raw).strip()) if not isinstance(raw, (int, float)) else raw
    except ValueError as error:
        raise UnfitValueError("A number is needed, with a point as decimal mark.") from error
    if not math.isfinite(number) or abs(number) > 1e15:
        raise UnfitValueError("A number is needed.")
    if minimum is not None and number < minimum:
        raise UnfitValueError(f"At least {minimum:g}.")
    if maximum is not None and number > maximum:
        raise UnfitValueError(f"At most {maximum:g}.")
    return int(number) if float(number).is_integer() else float(number)


def _boolean(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "0": False}
    try:
        return words[str(raw).strip().lower()]
    except KeyError as error:
        raise UnfitValueError("Yes or no is needed.") from error


def _tags(raw: object) -> list[str]:
    parts = re.split(r"[,;\n]", raw) if isinstance(raw, str) else raw
    if not isinstance(parts, Sequence):
        raise UnfitValueError("A list of short texts is needed.")
    tags: list[str] = []
    for part in parts:
        tag = _text(part, 200, lines=False)
        if tag and tag not in tags:
            tags.append(tag)
    return tags


def _metric(raw: object) -> str:
    try:
        metric = get(str(raw).strip())
    except CatalogueError as error:
        raise UnfitValueError(str(error)) from error
    if metric.is_criterion:
        raise UnfitValueError(
            f"{metric.id} decides which objects are found; it is an option of a metric, not a metric."
        )
    return metric.id


def _problem(raw: object) -> str:
    """A kind of problem that tasks of some category can be."""
    from evaluation.problems import all_problems

    titles = {problem.id: problem.title for problem in all_problems() if problem.task_categories}
    identity = str(raw).strip()
    if identity not in titles:
        raise UnfitValueError(f"“{identity}” is none of the kinds of problem: {', '.join(titles.values())}.")
    return identity


def _json(raw: object) -> Any:
    import json

    if not isinstance(raw, str):
        return raw
    try:
        value = json.loads(raw)
    except ValueError as error:
        raise UnfitValueError('Write it as JSON, for example {"tolerance": 1}.') from error
    if not isinstance(value, dict):
        raise UnfitValueError('Write names with their values, for example {"tolerance": 1}.')
    return value


def _choice(choices: Sequence[Any], raw: object, *, open_: bool) -> Any:
    if isinstance(raw, Mapping):
        text = _text(raw.get("other", ""), MAX_TEXT * 4, lines=False)
        if set(raw) != {"other"} or not text:
            raise UnfitValueError("Say in words what the other choice is.")
        if not open_:
            raise UnfitValueError("Only the listed choices can be chosen here.")
        return {"other": text}
    slug = str(raw).strip()
    if slug not in {choice.value for choice in choices}:
        labels = ", ".join(choice.label for choice in choices)
        raise UnfitValueError(f"“{slug}” is none of the choices: {labels}.")
    return slug


def _choices(parameter: Parameter, raw: object) -> list[Any]:
    items = raw if isinstance(raw, Sequence) and not isinstance(raw, str) else [raw]
    cleaned = [_choice(parameter.choices, item, open_=parameter.choices_mode != "closed") for item in items]
    order = [choice.value for choice in parameter.choices]
    listed = sorted({item for item in cleaned if isinstance(item, str)}, key=order.index)
    others: list[Any] = []
    for item in cleaned:
        if isinstance(item, dict) and item not in others:
            others.append(item)
    return [*listed, *others]


def fitting_cells(parameter: Parameter, raw: Sequence[Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of a table without the cells that their types do not take, and what is wrong with those.

    Parameters
    ----------
    parameter
        Of the type ``list-of-objects``.

    Raises
    ------
    UnfitValueError
        When it is no table, or too long: then nothing of it is taken.
    """
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    for index, row in enumerate(raw, start=1):
        cells = dict(row) if isinstance(row, Mapping) else row
        if isinstance(cells, dict):
            for field in parameter.item_fields:
                try:
                    _record([field], {field.key: cells.get(field.key)}, f"row {index}")
                except UnfitValueError as problem:
                    problems.append(str(problem))
                    del cells[field.key]
        rows.append(cells)
    return _table(parameter.item_fields, rows), problems


def _table(fields: Sequence[ItemField], raw: object) -> list[dict[str, Any]]:
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        raise UnfitValueError("A table is needed.")
    if len(raw) > MAX_ROWS:
        raise UnfitValueError(f"At most {MAX_ROWS} rows.")
    rows = [_record(fields, row, f"row {index}") for index, row in enumerate(raw, start=1)]
    return [row for row in rows if row]


def _record(fields: Sequence[ItemField], raw: object, field_path: str) -> dict[str, Any]:
    if not isinstance(raw, Mapping):
        raise UnfitValueError("A record with named entries is needed.", field_path)
    by_key = {field.key: field for field in fields}
    unknown = set(raw) - set(by_key)
    if unknown:
        raise UnfitValueError(f"There is no entry {', '.join(sorted(map(str, unknown)))} here.", field_path)
    record: dict[str, Any] = {}
    for key, field in by_key.items():
        value = raw.get(key)
        if is_empty(value):
            continue
        try:
            if field.type == "enum":
                record[key] = _choice(field.choices, value, open_=field.allow_other)
            else:
                record[key] = _scalar(field.type, value, minimum=field.minimum, maximum=field.maximum)
        except UnfitValueError as problem:
            raise UnfitValueError(problem.message, ", ".join(filter(None, [field_path, field.label]))) from problem
    return {key: value for key, value in record.items() if not is_empty(value)}

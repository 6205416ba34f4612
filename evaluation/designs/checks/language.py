"""Rule language of the catalogue: conditions on parameters and on the rows of their tables.

An empty value makes every comparison false (also ``ne``), counts as 0, and as an empty list for ``every`` and ``some``.
A free-text choice (``{"other": …}``) never equals a listed choice.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from evaluation.designs.document import State, Values, is_empty

Condition = Mapping[str, Any]

# What the organizers' own word settles about the check's own parameter: they said that there is none, or why it does
# not apply, so that a rule about how much has to be written there has nothing left to ask for.
_SETTLED_BY_DECLARATION: Final = frozenset(
    {"nonempty", "min_words", "min_length", "count_gt", "count_gte", "matches", "some"}
)


_NOTHING_THERE: Final = frozenset({State.NONE_DECLARED, State.NOT_APPLICABLE})


class ConditionError(ValueError):
    """A condition that the language does not know; catalogues are tested for it, so users never see one."""


def applies(condition: Condition | None, values: Values) -> bool:
    """Return whether the subject of a rule exists; without a condition, always true.

    If the organizers declare that there is none, the subject does not exist and no rule applies to it.

    Examples
    --------
    >>> grouped = {"param": "case_hierarchy", "op": "nonempty"}
    >>> applies(grouped, Values({}, {}, None))
    False
    """
    if condition is None:
        return True
    if "all" in condition:
        return all(applies(part, values) for part in condition["all"])
    if "any" in condition:
        return any(applies(part, values) for part in condition["any"])
    if "not" in condition:
        return not applies(condition["not"], values)
    if condition["op"] == "nonempty" and values.entry(condition["param"]).state in _NOTHING_THERE:
        return False
    return holds(condition, values)


def holds(condition: Condition, values: Values, *, owner: str = "") -> bool:
    """Return whether a condition is met.

    Parameters
    ----------
    condition
        Condition in the format of the catalogue; no custom code.
    owner
        The parameter that the check belongs to: a declaration there counts as a statement.
    """
    if "all" in condition:
        return all(holds(part, values, owner=owner) for part in condition["all"])
    if "any" in condition:
        return any(holds(part, values, owner=owner) for part in condition["any"])
    if "not" in condition:
        return not holds(condition["not"], values, owner=owner)
    parameter, operator = condition["param"], condition["op"]
    entry = values.entry(parameter.removesuffix("__details"))
    if not parameter.endswith("__details") and entry.is_declared:
        if operator == "nonempty" or (parameter == owner and operator in _SETTLED_BY_DECLARATION):
            return True
        if operator == "empty":
            return False
    return compare(operator, values.get(parameter), condition)


def compare(operator: str, value: Any, condition: Condition) -> bool:
    """Apply one operator to a value."""
    if operator == "nonempty":
        return not is_empty(value)
    if operator == "empty":
        return is_empty(value)
    if operator.startswith("count_"):
        return _COUNTS[operator](_count(value, condition), condition["value"])
    if operator in ("every", "some"):
        rows = value if isinstance(value, list) else []
        results = [row_holds(condition["item"], row) for row in rows]
        return all(results) if operator == "every" else any(results)
    if is_empty(value):
        return False
    try:
        return _COMPARISONS[operator](value, condition["value"])
    except KeyError as error:
        raise ConditionError(f"There is no operator {operator}.") from error


def row_holds(condition: Condition, row: Any) -> bool:
    """Return whether a condition on a row of a table is met."""
    if "all" in condition:
        return all(row_holds(part, row) for part in condition["all"])
    if "any" in condition:
        return any(row_holds(part, row) for part in condition["any"])
    if "not" in condition:
        return not row_holds(condition["not"], row)
    return compare(condition["op"], _cell(row, condition["field"]), condition)


def _cell(row: Any, field: str) -> Any:
    """The entry of a row; a dot leads into a record, such as ``policy.missing``."""
    for key in field.split("."):
        row = row.get(key) if isinstance(row, Mapping) else None
    return row


def parameters_in(condition: Condition | None) -> Iterator[str]:
    """The parameters that a condition reads."""
    if condition is None:
        return
    if "param" in condition:
        yield condition["param"].removesuffix("__details")
    for key in ("all", "any"):
        for part in condition.get(key, ()):
            yield from parameters_in(part)
    if "not" in condition:
        yield from parameters_in(condition["not"])


def missing(condition: Condition, values: Values, *, owner: str = "") -> Iterator[str]:
    """Describe what prevents a condition from being met, if the rule counts something."""
    if "all" in condition:
        for part in condition["all"]:
            if not holds(part, values, owner=owner):
                yield from missing(part, values, owner=owner)
        return
    operator = condition.get("op", "")
    if operator in _WORDS and "param" in condition:
        value = values.get(condition["param"])
        have = (
            _words(value)
            if "words" in operator
            else len(value or "")
            if "length" in operator
            else _count(value, condition)
        )
        need = condition["value"]
        if not have and operator == "count_gte" and need == 1:
            # The check asks for one in its own words; counting to none adds nothing.
            return
        some, none = _WORDS[operator]
        yield (some if have or not none else none).format(
            have=have, need=need, s="" if have == 1 else "s", many="" if need == 1 else "s"
        )


def _words(value: Any) -> int:
    return len(value.split()) if isinstance(value, str) else 0


def _count(value: Any, condition: Condition) -> int:
    items = value if isinstance(value, list) else [] if is_empty(value) else [value]
    if condition["op"] == "count_where_gt":
        return sum(row_holds(condition["item"], row) for row in items)
    return len(items)


def _listed(value: Any) -> list[Any]:
    """Return the listed choices in a value, without free-text choices."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if not isinstance(item, Mapping)]


def _number(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _ordered(test: Callable[[float, float], bool]) -> Callable[[Any, Any], bool]:
    def apply(value: Any, bound: Any) -> bool:
        number = _number(value)
        return number is not None and test(number, bound)

    return apply


@lru_cache(maxsize=200)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


_COUNTS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "count_eq": lambda have, need: have == need,
    "count_gt": lambda have, need: have > need,
    "count_gte": lambda have, need: have >= need,
    "count_lte": lambda have, need: have <= need,
    "count_where_gt": lambda have, need: have > need,
}
_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda value, other: value == other and isinstance(value, bool) == isinstance(other, bool),
    "ne": lambda value, other: value != other,
    "in": lambda value, others: not isinstance(value, (Mapping, list)) and value in others,
    "contains": lambda value, other: other in _listed(value),
    "intersects": lambda value, others: any(item in others for item in _listed(value)),
    "gt": _ordered(lambda value, bound: value > bound),
    "gte": _ordered(lambda value, bound: value >= bound),
    "lt": _ordered(lambda value, bound: value < bound),
    "lte": _ordered(lambda value, bound: value <= bound),
    "min_length": lambda value, bound: isinstance(value, str) and len(value) >= bound,
    "max_length": lambda value, bound: isinstance(value, str) and len(value) <= bound,
    "min_words": lambda value, bound: _words(value) >= bound,
    "max_words": lambda value, bound: _words(value) <= bound,
    "matches": lambda value, text: isinstance(value, str) and _pattern(text).search(value) is not None,
}
_WORDS: Final = {
    "min_words": (
        "{have} word{s} so far; at least {need} needed.",
        "Nothing written yet; at least {need} word{many} needed.",
    ),
    "max_words": ("{have} word{s}; at most {need} fit.", ""),
    "min_length": (
        "{have} character{s} so far; at least {need} needed.",
        "Nothing written yet; at least {need} character{many} needed.",
    ),
    "max_length": ("{have} character{s}; at most {need} fit.", ""),
    "count_gte": ("{have} so far; at least {need} needed.", ""),
    "count_gt": ("{have} so far; more than {need} needed.", ""),
    "count_lte": ("{have} given; at most {need} fit.", ""),
}

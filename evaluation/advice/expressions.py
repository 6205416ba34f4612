"""Conditions as data: an item that is answered yes, or not, any, all, eq, in, xor of such."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Expression = bool | str | Mapping[str, Any]
Lookup = Callable[[str], Any]


def holds(expression: Expression, lookup: Lookup) -> bool:
    """Decide a condition from left to right, looking up only what is needed.

    Parameters
    ----------
    expression
        ``True``, the id of an item (holds if answered yes), or a mapping with one of ``not``, ``any``, ``all``, ``xor``
        (of expressions), ``eq`` (``[id, value]``) and ``in`` (``[id, [values]]``).
    lookup
        Gives the value of an item.

    Raises
    ------
    ValueError
        For anything else.

    Examples
    --------
    >>> answers = {"FP3.1": True, "FP2.4": "outline"}
    >>> holds({"all": ["FP3.1", {"eq": ["FP2.4", "position"]}]}, answers.__getitem__)
    False
    """
    if isinstance(expression, bool):
        return expression
    if isinstance(expression, str):
        return lookup(expression) is True
    operator, operands = _operation(expression)
    if operator == "not":
        return not holds(operands, lookup)
    if operator == "any":
        return any(holds(operand, lookup) for operand in operands)
    if operator == "all":
        return all(holds(operand, lookup) for operand in operands)
    if operator == "xor":
        return sum(holds(operand, lookup) for operand in operands) % 2 == 1
    item, wanted = operands
    value = lookup(item)
    return bool(value == wanted if operator == "eq" else value in wanted)


def mentioned(expression: Expression) -> Iterator[str]:
    """The items that a condition may look up, in its order.

    Examples
    --------
    >>> list(mentioned({"any": ["FP2.1", {"not": {"in": ["FP2.6", ["none"]]}}]}))
    ['FP2.1', 'FP2.6']
    """
    if isinstance(expression, bool):
        return
    if isinstance(expression, str):
        yield expression
        return
    operator, operands = _operation(expression)
    if operator in ("eq", "in"):
        yield operands[0]
    elif operator == "not":
        yield from mentioned(operands)
    else:
        for operand in operands:
            yield from mentioned(operand)


def _operation(expression: Mapping[str, Any]) -> tuple[str, Any]:
    operators = ("not", "any", "all", "xor", "eq", "in")
    if len(expression) != 1 or next(iter(expression)) not in operators:
        message = f"a condition has one of {', '.join(operators)}, not {expression!r}"
        raise ValueError(message)
    return next(iter(expression.items()))

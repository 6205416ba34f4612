"""One way to write a document down, so that equal documents have equal digests on every machine.

Canonical JSON here is UTF-8 with keys sorted by code point, no insignificant whitespace, and numbers in their shortest
form: a float that is a whole number is written without a fraction, so that a document which went through a database or
a browser keeps its digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

_EXACT_INTEGERS = 2.0**53
_AS_THEY_ARE = {str, bool, int, type(None)}
_NUMBERS = {float, int, bool, type(None)}
_FORMATS = {digits: f"%.{digits}g" for digits in range(1, 18)}


def canonical_json(document: object, *, digits: int | None = None) -> str:
    """Write a document of JSON values in canonical form.

    Parameters
    ----------
    document
        Nested mappings with text keys, lists, text, numbers, booleans and ``None``.
    digits
        Significant digits that floats are rounded to; all of them if ``None``.

    Raises
    ------
    ValueError
        For a number that is not finite.
    TypeError
        For a value that JSON does not know.

    Examples
    --------
    >>> canonical_json({"b": [1.0, 0.1], "a": None})
    '{"a":null,"b":[1,0.1]}'
    >>> canonical_json(1 / 3, digits=10)
    '0.3333333333'
    """
    plain = _plain(document, digits)
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256(document: object, *, digits: int | None = None) -> str:
    """Digest of the canonical form as 64 hexadecimal digits.

    Examples
    --------
    >>> sha256({"rank": 1}) == sha256({"rank": 1.0})
    True
    """
    return hashlib.sha256(canonical_json(document, digits=digits).encode()).hexdigest()


def _plain(value: object, digits: int | None) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return _number(value, digits)
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            message = "the keys of a canonical document have to be text"
            raise TypeError(message)
        return {key: _plain(item, digits) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        # Matrices of a million numbers: those that JSON writes as they are need no look at each.
        kinds = set(map(type, value))
        if kinds <= _AS_THEY_ARE:
            return list(value)
        if kinds == {float}:
            different = set(value)
            if 2 * len(different) < len(value):
                written = {item: _number(item, digits) for item in different}
                return [written[item] for item in value]
        if kinds <= _NUMBERS:
            return [_number(item, digits) if type(item) is float else item for item in value]
        return [_plain(item, digits) for item in value]
    message = f"{type(value).__name__} is not a JSON value"
    raise TypeError(message)


def _number(value: float, digits: int | None) -> float | int:
    if digits is not None:
        value = float(_FORMATS[digits] % value)
    if value.is_integer():
        return int(value) if abs(value) < _EXACT_INTEGERS else value
    if not isfinite(value):
        message = f"a canonical document cannot hold {value}"
        raise ValueError(message)
    return value

"""One way to write a document down, so that equal documents have equal digests on every machine.

Canonical JSON here is UTF-8 with keys sorted by code point, no insignificant whitespace, and numbers in their shortest
form: a float that is a whole number is written without a fraction, so that a document which went through a database or
a browser keeps its digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import repeat
from json.encoder import encode_basestring as quoted
from math import isfinite

_EXACT_INTEGERS = 2.0**53
_TRUTHS = {True: "true", False: "false"}
_REAL = {float, int, type(None)}
_LEAST, _MOST_DIGITS = 1e-9, 15
"""From this on and with so few digits, rounded text without an exponent is the shortest form of the rounded number."""
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
    return _written(document, _Numbers(digits))


def sha256(document: object, *, digits: int | None = None) -> str:
    """Digest of the canonical form as 64 hexadecimal digits.

    Examples
    --------
    >>> sha256({"rank": 1}) == sha256({"rank": 1.0})
    True
    """
    return hashlib.sha256(canonical_json(document, digits=digits).encode()).hexdigest()


class _Numbers(dict[float | None, str]):
    """Cache of the text form of numbers.

    A document of a million p-values has few different ones.

    An integer and a float that are equal have the same text up to 2**53 and share one entry. Greater numbers are
    not cached.
    """

    def __init__(self, digits: int | None) -> None:
        super().__init__({None: "null"})
        self.form = None if digits is None else _FORMATS[digits]
        self.most = 10.0 ** (digits - 1) if digits is not None and digits <= _MOST_DIGITS else 0.0

    def __missing__(self, value: float | None) -> str:
        assert value is not None
        if isinstance(value, int):
            written = int.__repr__(value)
        elif _LEAST <= abs(value) <= self.most:
            assert self.form is not None
            written = self.form % value
        else:
            rounded = value if self.form is None else float(self.form % value)
            if not isfinite(rounded):
                message = f"a canonical document cannot hold {value}"
                raise ValueError(message)
            whole = rounded.is_integer() and abs(rounded) < _EXACT_INTEGERS
            written = int.__repr__(int(rounded)) if whole else float.__repr__(rounded)
        if abs(value) < _EXACT_INTEGERS:
            self[value] = written
        return written


def _written(value: object, numbers: _Numbers) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return _TRUTHS[value]
    if value is None or isinstance(value, (int, float)):
        return numbers[value]
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            message = "the keys of a canonical document have to be text"
            raise TypeError(message)
        return "{" + ",".join([f"{quoted(key)}:{_written(value[key], numbers)}" for key in sorted(value)]) + "}"
    if isinstance(value, (list, tuple)):
        kinds = set(map(type, value))
        # Rows of matrices need no look at each item.
        if kinds <= _REAL:
            items = map(numbers.__getitem__, value)
        elif kinds == {bool}:
            items = map(_TRUTHS.__getitem__, value)
        else:
            items = map(_written, value, repeat(numbers))
        return "[" + ",".join(items) + "]"
    message = f"{type(value).__name__} is not a JSON value"
    raise TypeError(message)

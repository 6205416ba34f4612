"""Reading an object of a JSON document key by key, so that nothing in it is overlooked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from evaluation.assessment.errors import AssessmentError, listed

T = TypeVar("T")
_NAME = "a non-empty text of at most 100 characters"


class Place:
    """An object somewhere in the document, with the path to it for messages."""

    def __init__(self, value: object, path: str, keys: Iterable[str]) -> None:
        self.path = path
        self.keys = tuple(keys)
        if not isinstance(value, Mapping):
            raise AssessmentError(path, value, f"an object with the keys {listed(self.keys)}")
        self.value = value
        for key in value:
            if key not in self.keys:
                raise AssessmentError(self.at(str(key)), value[key], f"one of the keys {listed(self.keys)}")

    def at(self, key: str) -> str:
        """Path of a key."""
        return f"{self.path}.{key}" if self.path else key

    def has(self, key: str) -> bool:
        """Return whether the key is present with a value."""
        return self.value.get(key) is not None

    def raw(self, key: str, default: object = None) -> Any:
        """The value of a key, unchecked."""
        value = self.value.get(key)
        return default if value is None else value

    def choice(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        """Return the value of a key that must be one of a few texts."""
        value = self.raw(key, default)
        if not isinstance(value, str) or value not in choices:
            raise AssessmentError(self.at(key), value, f"one of {listed(choices)}")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self.raw(key, default)
        if not isinstance(value, bool):
            raise AssessmentError(self.at(key), value, "true or false")
        return value

    def number(self, key: str, default: float | None, allowed: str, test: Callable[[float], bool]) -> float:
        """A finite number that passes a test."""
        value = self.raw(key, default)
        if not is_number(value) or not test(value):
            raise AssessmentError(self.at(key), value, allowed)
        return float(value)

    def integer(self, key: str, default: int | None, low: int, high: int) -> int:
        """A whole number between two bounds, both allowed."""
        value = self.raw(key, default)
        if not is_number(value) or value != int(value) or not low <= value <= high:
            raise AssessmentError(self.at(key), value, f"a whole number from {low} to {high}")
        return int(value)

    def items(self, key: str, read: Callable[[object, str], T], *, empty: bool = False) -> tuple[T, ...]:
        """A list, each item read by a function of value and path."""
        value = self.value.get(key)
        if not isinstance(value, (list, tuple)) or not (value or empty):
            raise AssessmentError(self.at(key), value, "a list" if empty else "a list with at least one entry")
        return tuple(read(item, f"{self.at(key)}[{index}]") for index, item in enumerate(value))


def is_number(value: object) -> bool:
    """Return whether a JSON value is a finite number (true and false are not)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def name(value: object, path: str) -> str:
    """A name that people give."""
    if not isinstance(value, str) or not value.strip() or len(value) > 100 or value != value.strip():
        raise AssessmentError(path, value, _NAME + " without space at the ends")
    return value


def distinct(names: Sequence[str], path: str, kind: str) -> None:
    """Reject a name that occurs twice."""
    for index, item in enumerate(names):
        if item in names[:index]:
            raise AssessmentError(f"{path}[{index}]", item, f"a {kind} that stands there once")

"""One hyperparameter of a metric: its type, default, limits, and the check of a value against them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_POLICY_ONLY = "distance_penalty"
_SQUARE_MATRICES = {"weight_matrix", "costs"}
_POSITIVE_LISTS = {"spacing"}
_NON_NEGATIVE_LISTS = {"fppi_points", "class_weights", "priors", "baseline_priors", "localization_thresholds"}
_INTERVALS = {"data_range", "area"}
_PROBABILITIES = {
    "target_specificity",
    "target_sensitivity",
    "target_ppv",
    "target_npv",
}
_POSITIVE_UNLESS_NAMED = {"bandwidth", "distance_penalty"}

_DOCUMENT_KEYS = {
    "choices": "choices",
    "unit": "unit",
    "min": "minimum",
    "max": "maximum",
    "exclusive_min": "exclusive_minimum",
    "exclusive_max": "exclusive_maximum",
    "required": "required",
}


class OptionError(ValueError):
    """Raised for a value that an option does not accept.

    The message names the option, the value and the allowed values.
    """

    def __init__(self, name: str, value: object, allowed: str) -> None:
        self.name = name
        self.value = value
        self.allowed = allowed
        super().__init__(f"{name}: {value!r} is not allowed; allowed is {allowed}")


@dataclass(frozen=True, slots=True)
class Option:
    """A hyperparameter as the catalogue describes it."""

    name: str
    type: str
    default: Any
    description: str
    choices: tuple[str, ...] | None = None
    unit: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    exclusive_maximum: float | None = None
    required: bool = False
    stands_where_set: bool = False
    """True if documents that do not set the option omit it.

    A later option then does not change the digests of earlier assessments. Options that are added to an existing metric
    need it.
    """
    choices_declared_in: str = ""
    """Module whose metrics are the choices; a choice may then have its own options."""
    accepted: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False, compare=False)
    """By category of problem, the only values that can be set there; an empty tuple means that scoring ignores the option."""

    @property
    def sets_policy(self) -> bool:
        """True if it only sets the default of an outcome policy.

        Functions and assessments do not accept it.
        """
        return self.name.startswith("on_") or self.name == _POLICY_ONLY

    @property
    def allowed(self) -> str:
        """Description of the allowed values for an error message.

        Examples
        --------
        >>> Option("beta", "number", 1.0, "Weight", exclusive_minimum=0).allowed
        'a number > 0'
        """
        parts: list[str] = []
        if self.choices is not None:
            parts.append("one of " + ", ".join(self.choices))
        if "number" in self.type:
            parts.append("a number" + self._limits())
        if self.type == "integer":
            parts.append("a whole number" + self._limits())
        if self.type == "boolean":
            parts.append("true or false")
        if "object" in self.type and self.type != "object":
            parts.append('{"percentile": a number > 0 and <= 100}')
        if self.type == "string":
            parts.append("a text")
        if "array" in self.type:
            parts.append(self._array_words())
        if self.type == "object":
            parts.append("an object")
        if isinstance(self.default, str) and self.choices is None and self.type != "string":
            parts.append(repr(self.default))
        if self.default is None and not self.required:
            parts.append("null")
        return " or ".join(parts)

    @property
    def default_document(self) -> Any:
        """The default as it appears in a JSON document: lists are lists, not tuples."""
        return list(self.default) if isinstance(self.default, tuple) else self.default

    def as_document(self) -> dict[str, Any]:
        """The option as ``python -m evaluation metrics --json`` prints it, ready for JSON.

        Examples
        --------
        >>> Option("beta", "number", 1.0, "Weight", exclusive_minimum=0).as_document()
        {'name': 'beta', 'type': 'number', 'default': 1.0, 'exclusive_min': 0, 'description': 'Weight'}
        """
        document: dict[str, Any] = {"name": self.name, "type": self.type, "default": self.default_document}
        for key, attribute in _DOCUMENT_KEYS.items():
            value = getattr(self, attribute)
            if value is not None and value is not False:
                document[key] = list(value) if isinstance(value, tuple) else value
        document["description"] = self.description
        return document

    def check(self, value: object) -> Any:
        """Return the value in normal form.

        Parameters
        ----------
        value
            Value from a JSON document.

        Returns
        -------
        Any
            The value; numbers as ``float`` (``int`` for whole-number options), lists as lists of ``float``.

        Raises
        ------
        OptionError
            If the value has the wrong type or is outside the limits.

        Examples
        --------
        >>> Option("percentile", "number", 95, "", exclusive_minimum=0, maximum=100).check(95)
        95.0
        """
        if value is None:
            if self.default is None and not self.required:
                return None
            raise OptionError(self.name, value, self.allowed)
        if isinstance(value, Mapping) and self.type == "object":
            return dict(value)
        if "object" in self.type and isinstance(value, Mapping):
            return self._check_percentile(value)
        if isinstance(value, str):
            return self._check_text(value)
        if isinstance(value, bool):
            if self.type == "boolean":
                return value
            raise OptionError(self.name, value, self.allowed)
        if isinstance(value, (int, float)):
            return self._check_number(value)
        if isinstance(value, Sequence) and "array" in self.type:
            return self._check_array(value)
        raise OptionError(self.name, value, self.allowed)

    def _check_percentile(self, value: Mapping[str, object]) -> dict[str, float]:
        given = value.get("percentile")
        is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
        if set(value) != {"percentile"} or not is_number or not 0 < given <= 100:  # type: ignore[operator]
            raise OptionError(self.name, value, self.allowed)
        return {"percentile": float(given)}  # type: ignore[arg-type]

    def _check_text(self, value: str) -> str:
        if self.choices is not None:
            if value in self.choices and not (value == "custom" and "array" in self.type):
                return value
        elif self.type == "string" or value == self.default:
            return value
        raise OptionError(self.name, value, self.allowed)

    def _check_number(self, value: float) -> float | int:
        if "number" not in self.type and self.type != "integer":
            raise OptionError(self.name, value, self.allowed)
        low, high, above, below = self._bounds()
        inside = (
            math.isfinite(value)
            and (low is None or value >= low)
            and (high is None or value <= high)
            and (above is None or value > above)
            and (below is None or value < below)
        )
        if not inside or (self.type == "integer" and value != int(value)):
            raise OptionError(self.name, value, self.allowed)
        return int(value) if self.type == "integer" else float(value)

    def _check_array(self, value: Sequence[object]) -> list[Any]:
        if self.name in _SQUARE_MATRICES:
            rows = [self._numbers(row, lowest=0.0) for row in value if isinstance(row, Sequence)]
            if len(rows) != len(value) or len(rows) < 2 or any(len(row) != len(rows) for row in rows):
                raise OptionError(self.name, value, self.allowed)
            return rows
        if self.name in _INTERVALS:
            ends = self._numbers(value, lowest=-math.inf)
            if len(ends) != 2 or ends[0] >= ends[1]:
                raise OptionError(self.name, value, self.allowed)
            return ends
        return self._numbers(value, lowest=0.0)

    def _numbers(self, value: Sequence[object], *, lowest: float) -> list[float]:
        numbers: list[float] = []
        for item in value:
            if isinstance(item, bool) or not isinstance(item, (int, float)) or not math.isfinite(item) or item < lowest:
                raise OptionError(self.name, value, self.allowed)
            numbers.append(float(item))
        if not numbers or (self.name in _POSITIVE_LISTS and min(numbers) <= 0):
            raise OptionError(self.name, value, self.allowed)
        return numbers

    def _array_words(self) -> str:
        if self.name in _SQUARE_MATRICES:
            return "a square matrix of numbers >= 0, one row and one column a class"
        if self.name in _POSITIVE_LISTS:
            return "a list of numbers > 0"
        if self.name in _INTERVALS:
            return "a list of two numbers, the lower first"
        if self.name in _NON_NEGATIVE_LISTS:
            return "a list of numbers >= 0"
        return "a list of numbers"

    def _bounds(self) -> tuple[float | None, float | None, float | None, float | None]:
        low, high, above = self.minimum, self.maximum, self.exclusive_minimum
        if self.name in _PROBABILITIES:
            low, high = 0.0, 1.0
        elif self.name == "target_fppi":
            low = 0.0
        elif self.name in _POSITIVE_UNLESS_NAMED:
            above = 0.0
        return low, high, above, self.exclusive_maximum

    def _limits(self) -> str:
        low, high, above, below = self._bounds()
        words = [
            f"{sign} {limit:g}"
            for sign, limit in ((">=", low), (">", above), ("<=", high), ("<", below))
            if limit is not None
        ]
        return " " + " and ".join(words) if words else ""

"""Permitted output of a custom scorer (`rows.jsonl`): every declared value of every case exactly once.

If the output differs from this, none of it counts.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evaluation.catalogue import all_metrics
from evaluation.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILE: Final = "rows.jsonl"
LINE_BYTES: Final = 1024**2
ROWS_OF_CASE: Final = 10_000
EVIDENCE_VALUES: Final = 10_000
DIGITS: Final = 13
"""Significant digits that a value keeps.

A recomputed metric agrees to 1e-12 with this number of digits; further digits carry no information.
"""
OUTCOMES: Final = (
    Outcome.OK,
    Outcome.BOTH_EMPTY,
    Outcome.REF_EMPTY,
    Outcome.PRED_EMPTY,
    Outcome.DEGENERATE,
    Outcome.MISSING,
)
_KEYS: Final = ("case", "region", "metric", "value", "outcome", "weight", "evidence")
_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class ScorerError(ValueError):
    """Rows that are not accepted: the message names line and place. A fault on the organizers' side, never a bad value."""


class OutOfRangeError(ScorerError):
    """A value outside of what was declared."""


@dataclass(frozen=True)
class DeclaredMetric:
    """A metric that a scorer of an organizer's own computes."""

    id: str
    direction: str
    low: float | None
    high: float | None
    perfect: float
    worst: float | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        if self.direction not in ("higher", "lower"):
            message = f"{self.id}: the direction is {self.direction!r}; higher or lower was expected"
            raise ScorerError(message)
        if not _ID.fullmatch(self.id):
            message = f"{self.id!r} is no name of a metric: small letters, digits, _ and -"
            raise ScorerError(message)
        if self.id in {metric.id for metric in all_metrics()}:
            message = f"{self.id} is a metric of the platform; give one of one's own another name"
            raise ScorerError(message)
        if why := self.outside(self.perfect):
            message = f"{self.id}: the perfect value {self.perfect:g} is {why}"
            raise ScorerError(message)
        best, far = (self.high, self.low) if self.direction == "higher" else (self.low, self.high)
        if best is not None and self.perfect != best:
            message = f"{self.id}: the perfect value {self.perfect:g} is not the best end of the range, {best:g}"
            raise ScorerError(message)
        if far is None and self.worst is None:
            message = f"{self.id}: the range has no end on its worse side, so `worst` has to be said"
            raise ScorerError(message)
        if self.worst is not None and (why := self.outside(self.worst)):
            message = f"{self.id}: the worst value {self.worst:g} is {why}"
            raise ScorerError(message)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> DeclaredMetric:
        """Read it from a design.

        Raises
        ------
        ScorerError
            When something is missing or does not fit.
        """
        try:
            low, high = document["range"]
            return cls(
                id=str(document["id"]),
                direction=str(document["direction"]),
                low=None if low is None else float(low),
                high=None if high is None else float(high),
                perfect=float(document["perfect"]),
                worst=None if document.get("worst") is None else float(document["worst"]),
                unit=str(document.get("unit", "")),
            )
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, ScorerError):
                raise
            message = f"a metric is declared without {error}" if isinstance(error, KeyError) else f"a metric: {error}"
            raise ScorerError(message) from error

    def outside(self, value: float) -> str:
        """Describe how a value exceeds the range; empty if it is within the range."""
        if self.low is not None and value < self.low:
            return f"below {self.low:g}"
        if self.high is not None and value > self.high:
            return f"above {self.high:g}"
        return ""

    def not_worse(self, value: float, other: float) -> bool:
        """Return whether a value is at least as good as another."""
        return value >= other if self.direction == "higher" else value <= other


@dataclass(frozen=True)
class Declared:
    """Metrics, regions and cases for which a scorer must write values."""

    metrics: Sequence[DeclaredMetric]
    regions: Sequence[str]
    """None where the metrics are of whole cases."""
    cases: Sequence[str]

    def places(self) -> list[tuple[str, str | None, str]]:
        """Case, region and metric of every row that has to be there."""
        regions: Sequence[str | None] = self.regions or [None]
        return [(case, region, metric.id) for case in self.cases for metric in self.metrics for region in regions]


@dataclass(frozen=True)
class Row:
    """One value of one case."""

    case: str
    region: str | None
    metric: str
    value: float | None
    outcome: Outcome
    weight: float | None = None
    evidence: Mapping[str, float | list[float]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str | None, str]:
        """Case, region and metric of the value."""
        return self.case, self.region, self.metric


def read_rows(content: bytes, declared: Declared, *, digits: int | None = DIGITS) -> list[Row]:
    """Read what a scorer answered, in the order of what was declared.

    Parameters
    ----------
    content
        Of `rows.jsonl`.
    declared
        What has to be there, exactly once each.
    digits
        Significant digits that values keep; all of them if ``None``, for comparing one run with another.

    Raises
    ------
    ScorerError
        When anything is wrong: nothing of it counts then.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} is no UTF-8"
        raise ScorerError(message) from error
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        message = "there are no rows"
        raise ScorerError(message)
    metrics = {declared_metric.id: declared_metric for declared_metric in declared.metrics}
    rows: dict[tuple[str, str | None, str], Row] = {}
    counts: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        row = _row(line, number, declared, metrics, digits)
        counts[row.case] = counts.get(row.case, 0) + 1
        if counts[row.case] > ROWS_OF_CASE:
            raise _wrong(number, f"{row.case} has more than {ROWS_OF_CASE:,} rows")
        if row.key in rows:
            message = f"{_named(row.key)} stands twice (line {number})"
            raise ScorerError(message)
        rows[row.key] = row
    for key in declared.places():
        if key not in rows:
            case, region, metric = key
            message = f"{case} has no row for {metric}" + (f" in {region}" if region else "")
            raise ScorerError(message)
    return [rows[key] for key in declared.places()]


def _row(line: str, number: int, declared: Declared, metrics: Mapping[str, DeclaredMetric], digits: int | None) -> Row:
    if len(line.encode()) > LINE_BYTES:
        raise _wrong(number, f"it is longer than {LINE_BYTES:,} bytes")
    entry = _object(line, number)
    for name in entry:
        if name not in _KEYS:
            raise _wrong(number, f"{name[:80]} is not known")
    for name in _KEYS[:5]:
        if name not in entry:
            raise _wrong(number, f"{name} is missing")
    case, region, metric = entry["case"], entry["region"], entry["metric"]
    if case not in declared.cases or not isinstance(case, str):
        raise _wrong(number, f"{str(case)[:80]} is no case")
    if not isinstance(metric, str) or metric not in metrics:
        raise _wrong(number, f"{str(metric)[:80]} is no declared metric")
    if declared.regions and (not isinstance(region, str) or region not in declared.regions):
        raise _wrong(number, f"the region {str(region)[:80]} is not declared")
    if not declared.regions and region is not None:
        raise _wrong(number, "there is a region though none is declared")
    if entry["outcome"] not in [allowed.value for allowed in OUTCOMES]:
        raise _wrong(number, f"{str(entry['outcome'])[:80]} is no outcome")
    outcome = Outcome(entry["outcome"])
    value = _value(entry["value"], outcome, number, metrics[metric], digits)
    weight = None if entry.get("weight") is None else _number(entry["weight"], number)
    if weight is not None and weight < 0:
        raise _wrong(number, "the weight is below 0")
    return Row(case, region, metric, value, outcome, weight, _evidence(entry.get("evidence"), number))


def _value(value: Any, outcome: Outcome, number: int, metric: DeclaredMetric, digits: int | None) -> float | None:
    if outcome is not Outcome.OK:
        if value is not None:
            raise _wrong(number, f"a value beside {outcome.value}")
        return None
    if value is None:
        raise _wrong(number, "ok without a value")
    read = _number(value, number)
    if why := metric.outside(read):
        message = f"line {number}: {read:g} is {why}"
        raise OutOfRangeError(message)
    return read if digits is None else float(f"%.{digits}g" % read)


def _number(value: Any, number: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(number, f"{str(value)[:80]!r} is no number")
    try:
        read = float(value)
    except OverflowError:
        read = math.inf
    if not math.isfinite(read):
        raise _wrong(number, "the value is no finite number")
    return read


def _evidence(value: Any, number: int) -> dict[str, float | list[float]]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(number, "the evidence is no object")
    evidence: dict[str, float | list[float]] = {}
    for name, part in value.items():
        if isinstance(part, list):
            if len(part) > EVIDENCE_VALUES:
                raise _wrong(number, f"the evidence {name[:80]} has more than {EVIDENCE_VALUES:,} numbers")
            evidence[name] = [_number(entry, number) for entry in part]
        else:
            evidence[name] = _number(part, number)
    return evidence


def _object(line: str, number: int) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                message = f"{name[:80]} stands twice in line {number}"
                raise ScorerError(message)
        return dict(pairs)

    def refuse(_text: str) -> float:
        raise _wrong(number, "the value is no finite number")

    try:
        entry = json.loads(line, object_pairs_hook=once, parse_constant=refuse)
    except ScorerError:
        raise
    except (ValueError, RecursionError) as error:
        message = f"line {number} is no JSON object"
        raise ScorerError(message) from error
    if not isinstance(entry, dict):
        message = f"line {number} is no JSON object"
        raise ScorerError(message)
    return entry


def _wrong(number: int, what: str) -> ScorerError:
    return ScorerError(f"line {number}: {what}")


def _named(key: tuple[str, str | None, str]) -> str:
    return ", ".join(part for part in key if part is not None)

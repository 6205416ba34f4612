"""Self-test that a custom scorer must pass before its design can be filed: nine checks, each with a sentence."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evaluation.canonical import sha256
from evaluation.outcomes import Outcome
from evaluation.running.scorer_rows import Declared, OutOfRangeError, Row, ScorerError, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from evaluation.running.scorer_rows import DeclaredMetric

CHECKS: Final = {
    1: "deterministic",
    2: "reference against itself is best",
    3: "missing stays missing",
    4: "values in range",
    5: "direction",
    6: "complete",
    7: "independent of its neighbours",
    8: "time and memory",
    9: "a broken file gives no value",
}
LEAST_CASES: Final = 3
_TOLERANCE: Final = 1e-9
_REFERENCE, _MISSING, _BROKEN, _GIVEN = "reference", "missing", "broken", "given"


@dataclass(frozen=True)
class TrialCase:
    """A public case, or one of an example, on which a scorer is tried."""

    name: str
    reference: Mapping[str, Path]
    predictions: Mapping[str, Mapping[str, Path]]
    """Files of each prediction, by what it is: `given`, and what is made of the reference (`Problem.worse_predictions`)."""
    perfect: Mapping[str, Path] | None = None
    """The reference as a prediction, where its files are others than those of the reference."""

    @property
    def best(self) -> Mapping[str, Path]:
        """The prediction that is the reference itself."""
        return self.reference if self.perfect is None else self.perfect


@dataclass(frozen=True)
class Presented:
    """A case as it is given to a scorer."""

    name: str
    """Opaque."""
    reference: Mapping[str, Path]
    prediction: Mapping[str, Path]


@dataclass(frozen=True)
class Answer:
    """Result of a start: the content of `rows.jsonl`, or the reason why there is none."""

    rows: bytes | None
    failure: str = ""
    is_over_limits: bool = False
    """It was ended for time or memory."""


@dataclass
class SelfTest:
    """Results of the checks."""

    said: dict[int, str] = field(default_factory=dict)
    """The first sentence of each check that is not passed."""
    starts: int = 0
    looked_at: set[int] = field(default_factory=set)
    """Checks for which there was something to look at: without rows most cannot be made."""

    @property
    def is_passed(self) -> bool:
        """True if all checks are passed."""
        return not self.said

    def document(self) -> dict[str, Any]:
        """Return the results as JSON values."""
        checks = [
            {
                "number": number,
                "name": name,
                "looked_at": number in self.looked_at or number in self.said,
                "passed": number in self.looked_at and number not in self.said,
                "says": self.said.get(number, ""),
            }
            for number, name in CHECKS.items()
        ]
        return {"schema": 1, "passed": self.is_passed, "checks": checks}

    @property
    def digest(self) -> str:
        """Digest of the document."""
        return "sha256:" + sha256(self.document())

    def look(self, *numbers: int) -> None:
        """Note that there was something to look at."""
        self.looked_at.update(numbers)

    def refuse(self, number: int, sentence: str) -> None:
        """Keep the first sentence of a check."""
        self.said.setdefault(number, sentence)


def self_test(
    declared: Declared,
    cases: Sequence[TrialCase],
    start: Callable[[Sequence[Presented]], Answer],
    *,
    broken: Path,
) -> SelfTest:
    """Test a scorer.

    Parameters
    ----------
    declared
        Metrics and regions of the scorer; the cases are those of `cases`.
    cases
        At least three cases. At least one must have a supplied prediction that is worse than its reference.
    start
        Function that starts the scorer on cases.
    broken
        A file of 0 bytes, used as a prediction.

    Raises
    ------
    ScorerError
        If there are too few cases for any conclusion.
    """
    if len(cases) < LEAST_CASES:
        message = f"a scorer is tried on at least {LEAST_CASES} cases, not {len(cases)}"
        raise ScorerError(message)
    return _Trial(declared, cases, start, broken).result()


Values = dict[tuple[str, str | None, str], Row]


class _OverLimitsError(Exception):
    """It was ended for time or memory."""


class _Trial:
    def __init__(
        self,
        declared: Declared,
        cases: Sequence[TrialCase],
        start: Callable[[Sequence[Presented]], Answer],
        broken: Path,
    ) -> None:
        self.declared, self.cases, self.start, self.broken = declared, cases, start, broken
        self.metrics: dict[str, DeclaredMetric] = {metric.id: metric for metric in declared.metrics}
        self.test = SelfTest()

    def result(self) -> SelfTest:
        """Try everything; one that does not keep to its limits is not started again."""
        with contextlib.suppress(_OverLimitsError):
            self._try_all()
        return self.test

    def _try_all(self) -> None:
        best = self._values(_REFERENCE)
        self._check_best(best)
        kinds = dict.fromkeys(kind for case in self.cases for kind in case.predictions)
        values = {kind: self._values(kind) for kind in kinds}
        self._check_direction(best, values)
        self._check_missing(self._values(_MISSING))
        for kind in self._telling(best, values)[:1]:
            again = self._values(kind, turned=True)
            self._compare(1, values[kind], again, "a second run in another order and under other names")
            if values[kind] is not None:
                alone = [self._values(kind, only=case) for case in self.cases]
                if all(rows is not None for rows in alone):
                    merged = {key: row for rows in alone for key, row in (rows or {}).items()}
                    self._compare(7, values[kind], merged, "a run of the case alone")
        self._check_broken()

    def _telling(self, best: Values | None, values: Mapping[str, Values | None]) -> list[str]:
        """Kinds of predictions, the kind with the most informative values first.

        An empty prediction has the same value for any scorer, and so has a perfect one.
        """

        def telling(kind: str) -> int:
            rows = (values[kind] or {}).items()
            return sum(
                row.value is not None and (best is None or key not in best or best[key].value != row.value)
                for key, row in rows
            )

        usual = [kind for kind in (_GIVEN, "shifted", "noise") if kind in values]
        return sorted([*usual, *(kind for kind in values if kind not in usual)], key=telling, reverse=True)

    def _values(self, kind: str, *, turned: bool = False, only: TrialCase | None = None) -> Values | None:
        """Rows for one kind of prediction, by the names of the cases; None when there are none that are accepted."""
        cases = [only] if only is not None else list(self.cases)
        cases = [case for case in cases if kind in (_REFERENCE, _MISSING) or kind in case.predictions]
        if not cases:
            return None
        if turned:
            cases.reverse()
        answer, names = self._started(cases, kind, salt=_turned(cases, kind) if turned else kind)
        if not answer.is_over_limits:
            self.test.look(8)
        if answer.rows is None:
            number = 8 if answer.is_over_limits else 6
            self.test.refuse(number, f"For the prediction “{kind}” there are no rows: {answer.failure}")
            if answer.is_over_limits:
                raise _OverLimitsError
            return None
        wanted = Declared(self.declared.metrics, self.declared.regions, list(names))
        self.test.look(4, 6)
        try:
            rows = read_rows(answer.rows, wanted, digits=None)
        except OutOfRangeError as error:
            self.test.refuse(4, f"For the prediction “{kind}”: {error}.")
            return None
        except ScorerError as error:
            self.test.refuse(6, f"For the prediction “{kind}”: {error}.")
            return None
        return {(names[row.case], row.region, row.metric): row for row in rows}

    def _started(self, cases: Sequence[TrialCase], kind: str, *, salt: str) -> tuple[Answer, dict[str, str]]:
        names = _names(cases, salt)
        presented = [
            Presented(name, case.reference, self._prediction(case, kind))
            for name, case in zip(names, cases, strict=True)
        ]
        self.test.starts += 1
        return self.start(presented), names

    def _prediction(self, case: TrialCase, kind: str) -> Mapping[str, Path]:
        if kind == _MISSING:
            return {}
        if kind == _BROKEN:
            return dict.fromkeys(case.best, self.broken)
        return case.best if kind == _REFERENCE else case.predictions[kind]

    def _check_best(self, best: Values | None) -> None:
        if best:
            self.test.look(2)
        for key, row in (best or {}).items():
            perfect = self.metrics[row.metric].perfect
            if row.outcome is Outcome.OK and row.value is not None:
                if abs(row.value - perfect) > _TOLERANCE * max(1.0, abs(perfect)):
                    self.test.refuse(
                        2,
                        f"{_named(key)}: the reference against itself has {row.value:g}, the perfect value is {perfect:g}.",
                    )
            elif row.outcome is not Outcome.BOTH_EMPTY:
                self.test.refuse(2, f"{_named(key)}: the reference against itself has the outcome {row.outcome.value}.")

    def _check_missing(self, rows: Values | None) -> None:
        if rows:
            self.test.look(3)
        for key, row in (rows or {}).items():
            if row.outcome is not Outcome.MISSING:
                self.test.refuse(
                    3, f"{_named(key)}: without a prediction the outcome is {row.outcome.value}; it has to be missing."
                )

    def _check_direction(self, best: Values | None, values: Mapping[str, Values | None]) -> None:
        if best and any(values.values()):
            self.test.look(5)
        for kind, rows in values.items():
            for key, row in (rows or {}).items():
                reference = (best or {}).get(key)
                if reference is None or reference.value is None or row.value is None:
                    continue
                metric = self.metrics[row.metric]
                slack = _TOLERANCE * max(1.0, abs(reference.value))
                towards = slack if metric.direction == "higher" else -slack
                if not metric.not_worse(reference.value + towards, row.value):
                    self.test.refuse(
                        5,
                        f"{_named(key)}: the prediction “{kind}” has {row.value:g}, better than the reference itself with "
                        f"{reference.value:g}.",
                    )
        if best is not None and all(
            (best[key].value, best[key].outcome) == (row.value, row.outcome)
            for rows in values.values()
            for key, row in (rows or {}).items()
        ):
            self.test.refuse(5, "All predictions have the values of the references: the scorer does not look at them.")

    def _compare(self, number: int, one: Values | None, other: Values | None, what: str) -> None:
        if one and other:
            self.test.look(number)
        for key, row in (one or {}).items():
            second = (other or {}).get(key)
            if second is None:
                continue
            if (row.value, row.outcome, row.weight, row.evidence) != (
                second.value,
                second.outcome,
                second.weight,
                second.evidence,
            ):
                self.test.refuse(number, f"{_named(key)}: {_shown(row)} is not what {what} has, {_shown(second)}.")

    def _check_broken(self) -> None:
        self.test.look(9)
        answer, names = self._started(list(self.cases), _BROKEN, salt=_BROKEN)
        if answer.is_over_limits:
            self.test.refuse(9, f"A file of 0 bytes as prediction keeps it from ending: {answer.failure}")
        if answer.rows is None:
            return
        wanted = Declared(self.declared.metrics, self.declared.regions, list(names))
        try:
            rows = read_rows(answer.rows, wanted, digits=None)
        except ScorerError as error:
            self.test.refuse(9, f"With a file of 0 bytes as prediction: {error}.")
            return
        for row in rows:
            if row.outcome not in (Outcome.MISSING, Outcome.DEGENERATE):
                self.test.refuse(
                    9,
                    f"{names[row.case]}: a file of 0 bytes as prediction has {_shown(row)}; missing or degenerate is expected.",
                )


def _names(cases: Sequence[TrialCase], salt: str) -> dict[str, str]:
    """Name of each case, by the opaque one under which a scorer sees it."""
    return {f"c{sha256([salt, len(cases), case.name])[:12]}": case.name for case in cases}


def _turned(cases: Sequence[TrialCase], salt: str) -> str:
    """A salt by which the cases have other opaque names in another order: programs go by the order of names."""
    before = [name for _, name in sorted(_names(cases, salt).items())]
    salts = (f"{salt} {number}" for number in range(1, 1000))
    return next(
        (
            candidate
            for candidate in salts
            if all(a != b for a, (_, b) in zip(before, sorted(_names(cases, candidate).items()), strict=True))
        ),
        f"{salt} again",
    )


def _named(key: tuple[str, str | None, str]) -> str:
    case, region, metric = key
    return f"{case}, {metric}" + (f" in {region}" if region else "")


def _shown(row: Row) -> str:
    return row.outcome.value if row.value is None else repr(row.value)

"""Values as a child reported them, checked once more, and as rows and evidence of a result."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.importing.content import Cell, Measured
from evaluation.importing.fitting import Fitting, is_in_range, takes_uncertainty
from evaluation.outcomes import Outcome
from executions.scoring.domain.results import CaseRow

if TYPE_CHECKING:
    from evaluation.assessment.model import MetricUse
    from evaluation.scoring.evidence import Evidence

_KEYS: Final = {"teams", "errors", "replicates", "numbers", "diagonals", "worst"}
_LONGEST: Final = 300


class ImpossibleError(ValueError):
    """Error for an impossible report of a process that read an untrusted file."""


@dataclass(frozen=True)
class Values:
    """The values of a table, checked.

    Attributes
    ----------
    measured
        As the table was read.
    """

    measured: Measured

    @property
    def teams(self) -> dict[str, list[Cell]]:
        """Team → value of every entry of `Fitting.keys`."""
        return self.measured.values

    @property
    def document(self) -> dict[str, Any]:
        """Values as JSON."""
        return self.measured.document


def checked(reported: Any, fitting: Fitting, *, teams: Sequence[str]) -> Values:
    """Values in the order of `Fitting.keys`; taken from the child only if they can be of these teams and cases.

    Raises
    ------
    ImpossibleError
        Otherwise.
    """
    if not isinstance(reported, Mapping) or set(reported) != _KEYS:
        raise ImpossibleError("something else than values")
    reported_values, diagonals = reported["teams"], reported["diagonals"]
    if not isinstance(reported_values, Mapping) or not set(reported_values) <= set(teams):
        raise ImpossibleError("other teams than those that the table names")
    if not isinstance(diagonals, Mapping) or not set(diagonals) <= set(fitting.cases):
        raise ImpossibleError("other cases than those of the phase")
    if not all(_is_finite(value) and value > 0 for value in diagonals.values()):
        raise ImpossibleError("a diagonal that is no length")
    values_by_team = {team: _checked_values(values, fitting) for team, values in reported_values.items()}
    numbers = reported["numbers"]
    if not isinstance(numbers, list) or not all(isinstance(n, str) and len(n) <= _LONGEST for n in numbers):
        raise ImpossibleError("replicates that are not told apart by names")
    measured = Measured(
        values=values_by_team,
        errors={team: _checked_errors(values_by_team, team, reported["errors"], fitting) for team in values_by_team},
        replicates={
            team: _checked_draws(team, reported["replicates"], len(numbers), fitting) for team in values_by_team
        },
        numbers=tuple(numbers),
        diagonals={case: float(value) for case, value in diagonals.items()},
        worst=_checked_worst(reported["worst"], fitting),
    )
    _check_uncertainty(measured, fitting)
    return Values(measured)


def _checked_values(values: Any, fitting: Fitting) -> list[Cell]:
    undefined = set(Outcome) - {Outcome.OK, Outcome.MISSING}
    bounds = fitting.metrics
    if not isinstance(values, list) or len(values) != len(bounds):
        raise ImpossibleError("not one value for each case, region and metric")
    for value, metric in zip(values, bounds, strict=True):
        if value is None or (isinstance(value, str) and value in undefined):
            continue
        if not (_is_finite(value) and is_in_range(metric, value)):
            raise ImpossibleError("a value that is no number, or outside its range")
    return [float(value) if _is_finite(value) else value for value in values]


def _checked_errors(
    values_by_team: Mapping[str, Any], team: str, reported: Any, fitting: Fitting
) -> list[float | None]:
    errors = reported.get(team) if isinstance(reported, Mapping) and set(reported) == set(values_by_team) else None
    if not isinstance(errors, list) or len(errors) != len(fitting.whole):
        raise ImpossibleError("not one standard error for each value of the whole data set")
    if not all(error is None or (_is_finite(error) and error > 0) for error in errors):
        raise ImpossibleError("a standard error that is none")
    return [None if error is None else float(error) for error in errors]


def _checked_draws(team: str, reported: Any, number: int, fitting: Fitting) -> list[list[float] | None]:
    reported_draws = reported.get(team) if isinstance(reported, Mapping) else None
    if not isinstance(reported_draws, list) or len(reported_draws) != len(fitting.whole):
        raise ImpossibleError("not one list of replicates for each value of the whole data set")
    replicates: list[list[float] | None] = []
    for draws, (_, metric) in zip(reported_draws, fitting.whole, strict=True):
        if draws is None:
            replicates.append(None)
            continue
        if not isinstance(draws, list) or len(draws) != number:
            raise ImpossibleError("another number of replicates than there are names")
        if not all(_is_finite(draw) and is_in_range(metric, draw) for draw in draws):
            raise ImpossibleError("a replicate that is no number, or outside its range")
        replicates.append([float(draw) for draw in draws])
    return replicates


def _checked_worst(reported: Any, fitting: Fitting) -> dict[tuple[str, str, str], float]:
    keys, worst_values = set(fitting.keys), {}
    for entry in reported if isinstance(reported, list) else ():
        if not isinstance(entry, list) or len(entry) != 4 or tuple(entry[:3]) not in keys or not _is_finite(entry[3]):
            raise ImpossibleError("a worst value of nothing")
        worst_values[entry[0], entry[1], entry[2]] = float(entry[3])
    return worst_values


def _check_uncertainty(measured: Measured, fitting: Fitting) -> None:
    """Check that every value of the whole data set has exactly one form of uncertainty, and others have none."""
    first = len(fitting.keys) - len(fitting.whole)
    for team, values in measured.values.items():
        for index, (_, metric) in enumerate(fitting.whole):
            given = (measured.errors[team][index] is not None) + (measured.replicates[team][index] is not None)
            wanted = int(takes_uncertainty(metric) and isinstance(values[first + index], float))
            if given != wanted:
                raise ImpossibleError(
                    "a value of the whole data set without its uncertainty, or uncertainty of nothing"
                )


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def rows_of(values: Values, team: str, fitting: Fitting) -> list[CaseRow]:
    """The rows of a team, as a scored run stores them: one for every case, region and metric, missing ones included."""
    rows = []
    for key, cell in zip(fitting.keys, values.teams[team], strict=True):
        case, region, metric = key
        value = cell if isinstance(cell, float) else None
        outcome = cell if isinstance(cell, str) else str(Outcome.MISSING if cell is None else Outcome.OK)
        diagonal, worst = values.measured.diagonals.get(case), values.measured.worst.get(key)
        rows.append(CaseRow(case, region, metric, value, outcome, diagonal, worst=worst))
    return rows


def evidence_of(values: Values, team: str, fitting: Fitting) -> "Evidence | None":
    """Return the uncertainty of values of the whole data set, or None if no metric has any."""
    if not fitting.whole:
        return None
    # Here, so that pages start without the libraries of scoring.
    from evaluation.importing.folders import given_blocks
    from evaluation.scoring.evidence import make_evidence
    from evaluation.scoring.given_evidence import shared_of

    parts = {metric.name: metric.name for _, metric in fitting.whole}
    blocks = given_blocks(fitting, values.measured, team)
    return make_evidence(fitting.assessment, blocks, parts=parts, shared=shared_of(sorted(fitting.cases)))


FORMS: Final = {"replicates": "replicates", "error": "standard errors"}
"""Forms of uncertainty of a value of the whole data set, as text."""


def form_of(values: Values, team: str, region: str, metric: "MetricUse", fitting: Fitting) -> str:
    """Return the form of uncertainty of a value of the whole data set, or an empty text.

    The form is a key of `FORMS`, for replicates with their fingerprint.
    """
    from evaluation.scoring.given_evidence import fingerprint

    index = [(own_region, own_metric.name) for own_region, own_metric in fitting.whole].index((region, metric.name))
    if values.measured.replicates[team][index] is not None:
        return f"replicates {fingerprint(values.measured.numbers)}"
    return "error" if values.measured.errors[team][index] is not None else ""


def form_in(evidence: "Evidence", team: str, region: str, metric: "MetricUse") -> str:
    """Return the form of uncertainty of a value in an existing result."""
    from evaluation.scoring.given_evidence import STANDARD_ERROR
    from evaluation.scoring.given_evidence import form_of as form

    try:
        pieces = evidence.select(metric.name, team, region)
    except KeyError:
        return ""
    evidence_form = form(pieces)
    if evidence_form > STANDARD_ERROR:
        return f"replicates {int(pieces.block.counts[1])}"
    return "error" if evidence_form == STANDARD_ERROR else ""


def uncertainty_words(values: Values, team: str, fitting: Fitting) -> list[str]:
    """Describe the uncertainty of each value of the whole data set."""
    first = len(fitting.keys) - len(fitting.whole)
    words = []
    for index, (region, metric) in enumerate(fitting.whole):
        value = values.teams[team][first + index]
        drawn, error = values.measured.replicates[team][index], values.measured.errors[team][index]
        if isinstance(value, float):
            uncertainty = (
                f"{len(drawn):,} replicates"
                if drawn
                else "no uncertainty"
                if error is None
                else f"standard error {error:.4g}"
            )
            words.append(f"{metric.name}{f' of {region}' if region else ''} {value:.6g}, {uncertainty}")
    return words


def changes(before: Mapping[tuple[str, str, str], float | None], rows: Sequence[CaseRow]) -> list[str]:
    """Describe the values that differ from the current values."""
    changed_values = []
    for row in rows:
        key = (row.case, row.region, row.metric)
        if key in before and before[key] != row.value:
            where = ", ".join(part for part in (row.case, row.region, row.metric) if part)
            changed_values.append(f"{where}: {_word(before[key])} → {_word(row.value)}")
    return changed_values


def _word(value: float | None) -> str:
    return "missing" if value is None else f"{value:.6g}"

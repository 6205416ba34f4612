"""Statements about winners before any result exists: limits below which none can be named."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.problems import kind_of
from evaluation.ranking.uncertainty.budgets import FEWEST_DRAWS, FEWEST_IN_STRATUM
from evaluation.ranking.uncertainty.needed import units_needed
from evaluation.wording import counted, joined, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluation.assessment.model import Assessment, RankingScheme
    from evaluation.claims.catalogue import Said


@dataclass(frozen=True)
class Limit:
    """Limit below which some rankings of an assessment can name no winner.

    Attributes
    ----------
    rankings
        Their names; empty where there is one ranking.
    unit
        Counted unit: cases, or the outermost level that is resampled.
    least, of_two
        The fewest units with which three algorithms or more can have a winner, and two; ``None`` where that never
        is.
    strata
        Strata within which units are resampled.
    in_one_task
        Whether units are counted task by task.
    data_sets
        Column of the data sets that are ranked separately, with units counted in each; empty if all cases are one
        data set.
    not_given
        Metrics measured elsewhere whose uncertainty is not known.
    drawn_apart
        Whether some of the combined parts are resampled here and some elsewhere.
    submitted
        Whether the uncertainty is submitted with the values.
    """

    rankings: tuple[str, ...]
    unit: str
    least: int | None
    of_two: int | None
    strata: tuple[str, ...]
    in_one_task: bool
    data_sets: str = ""
    not_given: tuple[str, ...] = ()
    drawn_apart: bool = False
    submitted: bool = False


@dataclass(frozen=True)
class Beforehand:
    """Statements of an assessment about winners, for a number of cases if it is known.

    Attributes
    ----------
    assessment
        The registered or planned assessment.
    cases
        Cases of the test set; ``None`` where that is not known.
    """

    assessment: Assessment
    cases: int | None = None

    def limits(self) -> list[Limit]:
        """One for all rankings that share it, in the order of the rankings."""
        rankings: dict[Limit, list[str]] = {}
        schemes, several = self.assessment.rankings, units_needed(self.assessment)
        for scheme, needed, two in zip(schemes, several, units_needed(self.assessment, algorithms=2), strict=True):
            strata = tuple(self.assessment.uncertainty.strata)
            apart = _data_sets(scheme, self.assessment)
            limit = Limit(
                (),
                needed.unit,
                needed.winner,
                two.winner,
                strata,
                _counts_by_task(scheme),
                apart,
                needed.not_given,
                needed.drawn_apart,
                needed.submitted,
            )
            rankings.setdefault(limit, []).append(needed.ranking or "")
        return [replace(one, rankings=tuple(names)) for one, names in rankings.items()]

    def parts(self) -> Iterator[tuple[Beforehand, Limit]]:
        """Each limit with what it is of."""
        return ((self, limit) for limit in self.limits())

    def by(self, limit: Limit) -> str:
        """Return a phrase that names the rankings of a sentence, if there are several."""
        of, names = len(self.assessment.rankings), limit.rankings
        if of == 1:
            return ""
        if len(names) == of:
            return " by either ranking" if of == 2 else f" by any of the {of} rankings"
        return f" by the {'ranking' if len(names) == 1 else 'rankings'} {joined([f'“{name}”' for name in names], 'or')}"


Part = tuple[Beforehand, Limit]


def _counts_by_task(scheme: RankingScheme) -> bool:
    return any("task" in step.over for step in scheme.combine or ())


def _data_sets(scheme: RankingScheme, assessment: Assessment) -> str:
    """The column of the data sets that a ranking counts apart."""
    kind = kind_of(assessment)
    # A value over all of them, too, is ranked with fewer cases of one.
    columns = (
        ()
        if kind.evidence.has_overall_value(assessment.settings)
        else kind.evidence.data_set_columns(assessment.settings)
    )
    metrics = [metric for metric in assessment.metrics if scheme.metrics is None or metric.name in scheme.metrics]
    return joined(list(columns)) if any(metric.level == "dataset" for metric in metrics) else ""


def _resamples(part: Part) -> int:
    return part[0].assessment.uncertainty.bootstrap


def _is_never_sure(part: Part) -> bool:
    """Return whether values measured elsewhere prevent the ranking from naming a winner."""
    return bool(part[1].not_given) or part[1].drawn_apart


def _is_known(part: Part) -> bool:
    """Return whether it is known before the results that no winner can be named, and not for want of uncertainty."""
    return part[1].least is None and not _is_never_sure(part) and not part[1].submitted


def _few_resamples(part: Part) -> bool:
    return _is_known(part) and 0 < _resamples(part) < FEWEST_DRAWS


def _are_the_least(limit: Limit) -> str:
    if limit.of_two == limit.least:
        return f"{counted(limit.least or 0, limit.unit)} are the least"
    return f"two teams need {counted(limit.of_two or 0, limit.unit)}, more teams {limit.least}"


def _fewest(part: Part) -> str:
    before, limit = part
    # Data sets that are ranked apart need more than strata do.
    strata = joined([stratum for stratum in limit.strata if stratum != limit.data_sets])
    small = f", or while one {strata} has fewer than {FEWEST_IN_STRATUM}" if strata else ""
    where = f" in one {limit.data_sets}" if limit.data_sets else ""
    where += (
        " in one of the tasks"
        if limit.in_one_task and not where
        else " of one of the tasks"
        if limit.in_one_task
        else ""
    )
    two = f" ({limit.of_two} for two teams)" if limit.of_two != limit.least else ""
    return (
        f"No winner can be named{before.by(limit)} with fewer than {counted(limit.least or 0, limit.unit)}{two}{where}{small}; "
        "in practice it takes more, the closer the results are."
    )


LIMITS = CATALOGUE.group(
    Claim(
        "beforehand.no_resamples",
        "The assessment asks for no resamples.",
        lambda before: before.assessment.uncertainty.bootstrap == 0,
        lambda _: "No winner can be named, because the ranking is not resampled.",
        "No winner can be named, because the ranking is not resampled.",
    ),
    Claim(
        "beforehand.fewest",
        "A winner takes so many units, whatever the results.",
        lambda part: part[1].least is not None,
        _fewest,
        "No winner can be named with fewer than 6 cases; in practice it takes more, the closer the results are.",
        parts=Beforehand.parts,
    ),
    Claim(
        "beforehand.few_resamples",
        "A ranking whose statements rest on draws asks for too few of them.",
        _few_resamples,
        lambda part: f"No winner can be named{part[0].by(part[1])}: that takes {FEWEST_DRAWS} resamples or more.",
        "No winner can be named: that takes 200 resamples or more.",
        parts=Beforehand.parts,
    ),
    Claim(
        "beforehand.never",
        "No number of units is enough for a winner, and that is not for want of resamples.",
        lambda part: _is_known(part) and _resamples(part) >= FEWEST_DRAWS,
        lambda part: f"No winner can be named{part[0].by(part[1])}, however many {plural(part[1].unit)} there are.",
        "No winner can be named, however many cases there are.",
        parts=Beforehand.parts,
    ),
    Claim(
        "beforehand.not_given",
        "The ranking is resampled, and the uncertainty of the metrics measured elsewhere that it needs is unknown.",
        lambda part: _resamples(part) > 0 and bool(part[1].not_given),
        lambda part: (
            f"No winner can be named{part[0].by(part[1])}: the uncertainty of {joined(list(part[1].not_given))} "
            "is unknown."
        ),
        "No winner can be named: the uncertainty of fid is unknown.",
        parts=Beforehand.parts,
    ),
    Claim(
        "beforehand.drawn_apart",
        "The ranking is resampled and combines values of single cases with values of all cases, both measured elsewhere.",
        lambda part: _resamples(part) > 0 and part[1].drawn_apart and not part[1].not_given,
        lambda part: (
            f"No winner can be named{part[0].by(part[1])}: single cases are resampled here, and values of the whole data set elsewhere."
        ),
        "No winner can be named: single cases are resampled here, and values of the whole data set elsewhere.",
        parts=Beforehand.parts,
    ),
    Claim(
        "beforehand.submitted",
        "The ranking contains a value of the whole data set that is measured elsewhere and submitted with its uncertainty.",
        lambda part: part[1].submitted,
        lambda part: (
            f"Whether a winner can be named{part[0].by(part[1])} depends on the standard errors or replicates submitted with "
            "the values."
        ),
        "Whether a winner can be named depends on the standard errors or replicates submitted with the values.",
        parts=Beforehand.parts,
    ),
)
"""Statements about the limits below which no winner can be named, regardless of the results."""

TOO_FEW = CATALOGUE.group(
    Claim(
        "beforehand.too_few",
        "There are fewer cases than two algorithms need for a winner, or than one task needs.",
        lambda part: part[0].cases is not None and part[1].of_two is not None and part[0].cases < part[1].of_two,
        lambda part: (
            f"With {counted(part[0].cases, 'test case')} no winner can be named{part[0].by(part[1])}, whatever the results are; "
            f"{_are_the_least(part[1])}."
        ),
        "With 5 test cases no winner can be named, whatever the results are; 6 cases are the least.",
        parts=Beforehand.parts,
    ),
    Claim(
        "beforehand.enough_for_two",
        "There are as many cases as two algorithms need for a winner, and fewer than three need.",
        lambda part: (
            part[0].cases is not None and part[1].least is not None and part[1].of_two <= part[0].cases < part[1].least
        ),
        lambda part: (
            f"With {counted(part[0].cases, 'test case')} a winner can be named{part[0].by(part[1])} between two teams at most; "
            f"three or more need {counted(part[1].least, part[1].unit)}."
        ),
        "With 8 test cases a winner can be named between two teams at most; three or more need 9 cases.",
        parts=Beforehand.parts,
    ),
)
"""Statements that a number of cases is too small, regardless of the results."""


def limits(assessment: Assessment) -> list[Said]:
    """Until when no winner can be named, in sentences.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> region = [{"name": "all", "labels": [1]}]
    >>> limits(parse({"problem": "semantic_segmentation", "regions": region, "metrics": [{"id": "dsc"}]}))[0][:47]
    'No winner can be named with fewer than 6 cases;'
    """
    return LIMITS.all(Beforehand(assessment))


def too_few(assessment: Assessment, cases: int) -> list[Said]:
    """Return sentences about the rankings for which a number of cases is too small, if any.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> region = [{"name": "all", "labels": [1]}]
    >>> one = parse({"problem": "semantic_segmentation", "regions": region, "metrics": [{"id": "dsc"}]})
    >>> [str(said) for said in too_few(one, 5)], too_few(one, 6)
    (['With 5 test cases no winner can be named, whatever the results are; 6 cases are the least.'], [])
    """
    return TOO_FEW.all(Beforehand(assessment, cases))

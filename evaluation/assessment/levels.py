"""Sources of variation: levels of aggregation with their roles, resampling, and confidence levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluation.assessment.errors import AssessmentError, listed
from evaluation.assessment.model import Aggregation, MetricUse, RankingScheme, Uncertainty
from evaluation.assessment.ranking import read_operator, scheme_of
from evaluation.assessment.reading import Place, distinct, is_number, name

GROUP_RULES: Final = ("interval_overlaps_winner", "interval_includes_first", "not_significantly_worse")
ROLES: Final = ("random", "fixed")
UNSEEN_FAILURES: Final = ("none", "jeffreys")
PEOPLE: Final = ("patient", "subject")
"""Levels that are always a sample, regardless of the document."""
_KEYS: Final = (
    "bootstrap", "seed", "interval", "resample", "strata", "group", "winner_alpha", "margin", "unseen_failures",
    "independent_of",
)  # fmt: skip


@dataclass(frozen=True)
class _Level:
    name: str
    role: str | None


def undeclared_level(assessment_aggregation: Aggregation) -> str | None:
    """Return the question for a form about the first level without a role, or ``None``."""
    for level in assessment_aggregation.undeclared:
        index = assessment_aggregation.levels.index(level)
        return (
            f'aggregation.levels[{index}]: "{level}": say whether it is "fixed" (these {level} values are all there are) '
            'or "random" (they are a sample)'
        )
    return None


def read_levels(
    section: Place, rankings: Sequence[RankingScheme], metrics: Sequence[MetricUse], *, apart: Sequence[str] = ()
) -> tuple[Aggregation, Uncertainty]:
    """Read ``aggregation`` and ``uncertainty``, which decide together on the resampling.

    Parameters
    ----------
    apart
        Columns of the cases by which the kind of problem separates data sets: strata, unless the document
        overrides this.

    Raises
    ------
    AssessmentError
        For a role that contradicts what is resampled or stratified, or any other wrong value.
    """
    outer = Place(section.raw("aggregation", {}), "aggregation", ("levels", "operator"))
    levels = outer.items("levels", _level) if outer.has("levels") else (_Level("case", None),)
    names = tuple(level.name for level in levels)
    distinct(names, outer.at("levels"), "level")
    if names[0] != "case":
        raise AssessmentError(outer.at("levels[0]"), names[0], '"case": levels go from the inside out')
    if levels[0].role == "fixed":
        raise AssessmentError(outer.at("levels[0].role"), "fixed", '"random": test cases are a sample')
    inner = Place(section.raw("uncertainty", {}), "uncertainty", _KEYS)
    roles = _roles(levels, inner)
    fixed = tuple(level for level in names if roles[level] == "fixed")
    undeclared = tuple(level for level in names[1:] if roles[level] is None)
    aggregation = Aggregation(
        levels=names,
        operator=read_operator(outer.raw("operator", "mean"), outer.at("operator")),
        fixed=fixed,
        undeclared=undeclared,
        declared={level.name: level.role for level in levels if level.role is not None},
    )
    return aggregation, _uncertainty(inner, rankings, metrics, aggregation, apart)


def aggregation_document(aggregation: Aggregation) -> dict[str, Any]:
    """Return the aggregation in document form, with levels as they were declared."""
    levels = [
        {"name": level, "role": aggregation.declared[level]} if level in aggregation.declared else level
        for level in aggregation.levels
    ]
    return {"levels": levels, "operator": aggregation.operator.document}


def uncertainty_document(uncertainty: Uncertainty, aggregation: Aggregation) -> dict[str, Any]:
    """Return the uncertainty in document form.

    Keys that older documents lack appear only where they differ from the default.

    The resampled levels stay open if the role of a level is open, since they would decide that role.
    """
    drawn = "case" if uncertainty.resample == ("case",) else list(uncertainty.resample)
    document: dict[str, Any] = {
        "bootstrap": uncertainty.bootstrap,
        "seed": uncertainty.seed,
        "interval": uncertainty.interval,
        "resample": None if aggregation.undeclared else drawn,
        "strata": list(uncertainty.named_strata),
        "group": uncertainty.group,
    }
    if uncertainty.winner_alpha is not None:
        document["winner_alpha"] = uncertainty.winner_alpha
    if uncertainty.margin:
        document["margin"] = dict(uncertainty.margin)
    if uncertainty.unseen_failures != "none":
        document["unseen_failures"] = uncertainty.unseen_failures
    if uncertainty.independent_of:
        document["independent_of"] = list(uncertainty.independent_of)
    return document


def _level(value: object, path: str) -> _Level:
    if not isinstance(value, Mapping):
        return _Level(name(value, path), None)
    section = Place(value, path, ("name", "role"))
    return _Level(name(section.raw("name"), section.at("name")), section.choice("role", ROLES))


def _roles(levels: Sequence[_Level], section: Place) -> dict[str, str | None]:
    """Return the role of every level, declared or derived from the resampling, or ``None``."""
    resample = _columns(section, "resample", ())
    strata = _columns(section, "strata", ())
    roles: dict[str, str | None] = {}
    for index, level in enumerate(levels):
        role = level.role
        path = f"aggregation.levels[{index}]"
        if role == "fixed" and level.name in resample:
            raise AssessmentError(path, "fixed", f'"random", since uncertainty.resample draws {level.name}')
        if role == "random" and level.name in strata:
            raise AssessmentError(path, "random", f'"fixed", since uncertainty.strata holds {level.name}')
        if role is None and index == 0:
            role = "random"
        elif role is None:
            role = _derived(level.name, resample, strata)
        roles[level.name] = role
    seen: str | None = None
    for index, level in enumerate(levels):
        if roles[level.name] == "fixed":
            seen = level.name
        elif roles[level.name] == "random" and seen is not None:
            place_of = f"aggregation.levels[{index}]"
            allowed = f'"fixed" must be outermost: {seen} is fixed, and {level.name} stands outside it'
            raise AssessmentError(place_of, level.name, allowed)
    return roles


def _derived(level: str, resample: Sequence[str], strata: Sequence[str]) -> str | None:
    if level in strata:
        return "fixed"
    if level in PEOPLE or level in resample:
        return "random"
    # Cases drawn below a level whose members are not drawn can mean nothing else.
    return "fixed" if resample else None


def _uncertainty(
    section: Place,
    rankings: Sequence[RankingScheme],
    metrics: Sequence[MetricUse],
    aggregation: Aggregation,
    apart: Sequence[str],
) -> Uncertainty:
    default: tuple[str, ...] = tuple(reversed(aggregation.random)) or ("case",)
    if aggregation.undeclared:
        default = aggregation.levels[1:2]
    resample = _columns(section, "resample", default)
    if "case" in resample[:-1]:
        raise AssessmentError(section.at("resample"), list(resample), "case innermost: outermost level first")
    combined = {column for ranking in rankings for step in ranking.combine or () for column in step.over} | set(apart)
    sites = tuple(sorted(combined - {"metric", "region", "task"} - set(resample) - set(aggregation.declared)))
    named = _columns(section, "strata", sites)
    for column in named:
        if column in resample or column == "case":
            raise AssessmentError(section.at("strata"), column, "columns that are not resampled")
    implied = tuple(level for level in reversed(aggregation.fixed) if level not in named)
    interval = section.number("interval", 0.95, "a share above 0 and below 1", lambda share: 0 < share < 1)
    return Uncertainty(
        bootstrap=section.integer("bootstrap", 1000, 0, 100_000),
        seed=section.integer("seed", 1, 0, 2**53),
        interval=interval,
        resample=resample,
        strata=(*named, *implied),
        group=section.choice("group", GROUP_RULES, GROUP_RULES[0]),
        named_strata=named,
        winner_alpha=_winner_alpha(section, interval),
        margin=_margin(section, rankings, metrics),
        unseen_failures=section.choice("unseen_failures", UNSEEN_FAILURES, "none"),
        independent_of=_columns(section, "independent_of", ()),
    )


def _winner_alpha(section: Place, interval: float) -> float | None:
    if not section.has("winner_alpha"):
        return None
    most = round(1.0 - interval, 12)
    allowed = f"a number above 0 and at most {most:g}, which is 1 - uncertainty.interval"
    return section.number("winner_alpha", None, allowed, lambda share: 0 < share <= most)


def _margin(section: Place, rankings: Sequence[RankingScheme], metrics: Sequence[MetricUse]) -> dict[str, float]:
    """The difference that matters for each metric; one number where there is one metric."""
    if not section.has("margin"):
        return {}
    value, path = section.raw("margin"), section.at("margin")
    names = [metric.name for metric in metrics]
    for ranking in rankings:
        linear = scheme_of(ranking).aggregates_values and scheme_of(ranking).is_linear(ranking)
        if not linear:
            allowed = f"no margin: scores of {ranking.scheme} with {ranking.operator.kind} are not means of values"
            raise AssessmentError(path, value, allowed)
    if is_number(value):
        if len(names) > 1:
            raise AssessmentError(path, value, "a margin in ranks has no meaning; give one per metric")
        value = {names[0]: value}
    if not isinstance(value, Mapping) or not value:
        raise AssessmentError(path, value, "a number, or an object with a number for each metric")
    for key, number in value.items():
        if key not in names:
            raise AssessmentError(f"{path}.{key}", number, f"one of the metrics {listed(names)}")
        if not is_number(number) or number < 0:
            raise AssessmentError(f"{path}.{key}", number, "a number of 0 or more, in the unit of the metric")
        metric = metrics[names.index(key)]
        if metric.worst is not None and metric.best is not None and number >= abs(metric.best - metric.worst):
            span = f"{min(metric.worst, metric.best):g} to {max(metric.worst, metric.best):g}"
            allowed = f"a number below {abs(metric.best - metric.worst):g}: {key} ranges from {span}"
            raise AssessmentError(f"{path}.{key}", number, allowed)
    return {str(key): float(number) for key, number in value.items()}


def _columns(section: Place, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
    value = section.value.get(key)
    if value is None:
        return default
    if isinstance(value, str):
        return (name(value, section.at(key)),)
    columns = section.items(key, name, empty=key in ("strata", "independent_of"))
    distinct(columns, section.at(key), "column")
    return columns

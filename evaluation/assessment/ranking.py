"""The part of an assessment that defines how values become a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from evaluation import problems
from evaluation.assessment.errors import AssessmentError
from evaluation.assessment.model import Operator, RankingScheme, Step
from evaluation.assessment.reading import Place, distinct, is_number, name

if TYPE_CHECKING:
    from evaluation.ranking.schemes import Scheme

TIES = ("min", "max", "dense", "average")
MISSING_RANKS = ("toolkit", "last", "shared_last")
PRIMARY, SECONDARY, EXPLORATORY = ROLES = ("primary", "secondary", "exploratory")
"""Roles of rankings: primary and secondary ones share the error in their families, exploratory ones only describe."""
_OPERATORS = ("mean", "median", "min", "max")
_SCHEME_KEYS = ("name", "scheme", "operator", "ties", "missing_rank", "metrics", "regions", "combine", "role")
_ALPHA = 0.05
CASE_WEIGHTS = ("cases", "sqrt_cases")
"""Weights of a part that follow from the number of cases behind it: that number, or its square root."""
_STEP_KEYS = ("over", "operator", "rerank", "ties", "fractional", "weights")


def read_rankings(value: object, path: str, problem: str) -> tuple[list[RankingScheme], bool]:
    """Read one ranking object or a list of named ones, with a flag that is true for a list."""
    if not isinstance(value, (list, tuple)):
        return [_ranking(value, path, problem)], False
    if not value:
        raise AssessmentError(path, value, "an object, or a list with at least one")
    rankings = [_ranking(item, f"{path}[{index}]", problem) for index, item in enumerate(value)]
    for index, ranking in enumerate(rankings):
        if ranking.name is None:
            raise AssessmentError(f"{path}[{index}].name", None, "a name, since there are several rankings")
    distinct([str(ranking.name) for ranking in rankings], path, "name")
    _check_roles(rankings, path)
    return rankings, True


def _check_roles(rankings: Sequence[RankingScheme], path: str) -> None:
    """Refuse rankings of which only some have a role."""
    with_role = [ranking for ranking in rankings if ranking.role is not None]
    if with_role and len(with_role) < len(rankings):
        index = next(index for index, ranking in enumerate(rankings) if ranking.role is None)
        allowed = f"{', '.join(ROLES[:-1])} or {ROLES[-1]}, since other rankings have a role"
        raise AssessmentError(f"{path}[{index}].role", None, allowed)


def read_operator(value: object, path: str) -> Operator:
    """Read ``mean``, ``median``, ``min``, ``max`` or ``{"percentile": p}``."""
    if isinstance(value, str) and value in _OPERATORS:
        return Operator(value)
    if isinstance(value, Mapping):
        section = Place(value, path, ("percentile", "from"))
        share = section.number("percentile", None, "a number from 0 to 100", lambda number: 0 <= number <= 100)
        low = section.choice("from", ("worse", "low"), "worse") == "low"
        counted: Literal["worse", "low"] = "low" if low else "worse"
        return Operator("percentile", share, counted)
    raise AssessmentError(path, value, 'mean, median, min, max or {"percentile": 5}')


def scheme_document(ranking: RankingScheme) -> dict[str, Any]:
    """Return a ranking in document form, with every default."""
    document: dict[str, Any] = {"name": ranking.name, "scheme": ranking.scheme}
    scheme = scheme_of(ranking)
    if scheme.takes_operator:
        document["operator"] = ranking.operator.document
    document |= {"ties": ranking.ties, "missing_rank": ranking.missing_rank, **scheme.option_document(ranking)}
    for key in ("metrics", "regions"):
        chosen = getattr(ranking, key)
        document[key] = None if chosen is None else list(chosen)
    document["combine"] = None if ranking.combine is None else [step_document(step) for step in ranking.combine]
    if ranking.role is not None:
        document["role"] = ranking.role
    return document


def step_document(step: Step) -> dict[str, Any]:
    """Return a step of combining in document form."""
    weights: Any = None
    if step.weights is not None:
        weights = {key: value if isinstance(value, str) else dict(value) for key, value in step.weights.items()}
    return {
        "over": list(step.over),
        "operator": step.operator.document,
        "rerank": step.rerank,
        "ties": step.ties,
        "fractional": step.fractional,
        "weights": weights,
    }


def _ranking(value: object, path: str, problem: str) -> RankingScheme:
    # Schemes compute with what an assessment says, and so stand above it: they are loaded when one is read.
    from evaluation.ranking.schemes import DEFAULT, all_schemes

    schemes = {scheme.id: scheme for scheme in all_schemes()}
    owners: dict[str, list[str]] = {}
    for candidate in schemes.values():
        for key in candidate.option_names:
            owners.setdefault(key, []).append(candidate.id)
    section = Place(value, path, (*_SCHEME_KEYS, *owners))
    scheme = schemes[section.choice("scheme", list(schemes), DEFAULT)]
    ties = section.choice("ties", TIES, "min")
    if not scheme.takes_operator and section.has("operator") and section.raw("operator") != "mean":
        raise AssessmentError(section.at("operator"), section.raw("operator"), f"no operator: {scheme.id} has none")
    for key, names in owners.items():
        if key not in scheme.option_names and section.has(key):
            allowed = f"no {key}: only {' and '.join(names)} {'has' if len(names) == 1 else 'have'} one"
            raise AssessmentError(section.at(key), section.raw(key), allowed)
    options = dict(scheme.read_options(section))
    return RankingScheme(
        name=name(section.raw("name"), section.at("name")) if section.has("name") else None,
        scheme=scheme.id,
        operator=read_operator(section.raw("operator", "mean"), section.at("operator")),
        ties=ties,
        missing_rank=section.choice("missing_rank", MISSING_RANKS, "toolkit"),
        alpha=options.pop("alpha", _ALPHA),
        adjust=options.pop("adjust", "none"),
        metrics=_selection(section, "metrics"),
        regions=_selection(section, "regions"),
        combine=_combine(section, problem, scheme, ties),
        options=options,
        role=section.choice("role", ROLES, PRIMARY) if section.has("role") else None,
    )


def scheme_of(ranking: RankingScheme) -> Scheme:
    """Return the scheme that a ranking registers."""
    from evaluation.ranking.schemes import get_scheme

    return get_scheme(ranking.scheme)


def _selection(section: Place, key: str) -> tuple[str, ...] | None:
    if not section.has(key):
        return None
    names = section.items(key, name)
    distinct(names, section.at(key), "name")
    return names


def _combine(section: Place, problem: str, scheme: Scheme, ties: str) -> tuple[Step, ...] | None:
    if "combine" not in section.value:
        if problems.get(problem).metrics.is_single_metric:
            return None
        return (Step(("metric", "region"), Operator("mean"), rerank=True, ties=ties, fractional=False),)
    value = section.value["combine"]
    return None if value is None else _steps(section, value, scheme, ties)


def read_steps(value: object, *, ties: str) -> tuple[Step, ...]:
    """Read steps of combining from outside an assessment, for existing rankings.

    Parameters
    ----------
    ties
        The rule for ties of steps that name none.

    Raises
    ------
    AssessmentError
        For a value that is not allowed; names its path, the value and the allowed values.
    """
    from evaluation.ranking.schemes import DEFAULT, get_scheme

    return _steps(Place({"combine": value}, "", ("combine",)), value, get_scheme(DEFAULT), ties)


def _steps(section: Place, value: object, scheme: Scheme, ties: str) -> tuple[Step, ...]:
    entries = list(value) if isinstance(value, (list, tuple)) else [value]
    if not entries:
        raise AssessmentError(section.at("combine"), value, "null, a step, or a list of steps")
    several = isinstance(value, (list, tuple))
    steps = tuple(
        _step(
            item,
            f"{section.at('combine')}[{index}]" if several else section.at("combine"),
            scheme,
            ties,
            first=index == 0,
        )
        for index, item in enumerate(entries)
    )
    dimensions = [dimension for step in steps for dimension in step.over]
    distinct(dimensions, section.at("combine"), "dimension over all steps")
    return steps


def _step(value: object, path: str, scheme: Scheme, ties: str, *, first: bool) -> Step:
    section = Place(value, path, _STEP_KEYS)
    over_value = section.raw("over")
    if over_value is None:
        over: tuple[str, ...] = ("metric", "region")
    elif isinstance(over_value, str):
        over = (name(over_value, section.at("over")),)
    else:
        over = section.items("over", name)
    distinct(over, section.at("over"), "dimension")
    if "case" in over:
        raise AssessmentError(section.at("over"), "case", "metric, region, task or a column of the case table")
    rerank = section.flag("rerank", default=True)
    if not rerank and first and not scheme.ranks_cases:
        raise AssessmentError(
            section.at("rerank"),
            rerank,
            f"true: the scores of {scheme.id} are not ranks, and averaging them needs a common scale",
        )
    return Step(
        over=over,
        operator=read_operator(section.raw("operator", "mean"), section.at("operator")),
        rerank=rerank,
        ties=section.choice("ties", TIES, ties),
        fractional=section.flag("fractional", default="task" in over),
        weights=_weights(section, over),
    )


def _weights(section: Place, over: tuple[str, ...]) -> dict[str, Any] | None:
    """Weights a dimension: a number for each of its values, or one of `CASE_WEIGHTS`."""
    if not section.has("weights"):
        return None
    value = section.raw("weights")
    if isinstance(value, Mapping) and len(over) == 1 and value and all(is_number(item) for item in value.values()):
        value = {over[0]: value}
    if isinstance(value, str) and value in CASE_WEIGHTS and len(over) == 1:
        value = {over[0]: value}
    inner = Place(value, section.at("weights"), over)
    weights: dict[str, Any] = {}
    for dimension in inner.value:
        given = inner.raw(dimension)
        if isinstance(given, str) and given in CASE_WEIGHTS and dimension not in ("metric", "region"):
            weights[dimension] = given
            continue
        if not isinstance(given, Mapping) or not given:
            raise AssessmentError(inner.at(dimension), given, 'an object of positive numbers, "cases" or "sqrt_cases"')
        for key, number in given.items():
            if not is_number(number) or number <= 0:
                raise AssessmentError(f"{inner.at(dimension)}.{key}", number, "a positive number")
        weights[dimension] = {str(key): float(number) for key, number in given.items()}
    return weights

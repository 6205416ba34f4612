"""The rows of the ranking table as ranking schemes of an assessment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from evaluation.assessment.ranking import PRIMARY, SECONDARY
from evaluation.designs.compilation.combining import Parts, missing, not_executed, steps_of
from evaluation.designs.compilation.metrics import MetricRow, names_of
from evaluation.designs.compilation.notes import Compiled, Problem, joined
from evaluation.designs.document import Values
from evaluation.ranking.schemes import Scheme, all_schemes

TIES: Final = {
    "standard_competition": "min",
    "modified_competition": "max",
    "dense": "dense",
    "fractional": "average",
}


@dataclass(frozen=True)
class Scope:
    """Values, metrics and regions that rankings refer to.

    Attributes
    ----------
    values
        The values that the task sees.
    metrics
        Metrics that rankings can use.
    regions
        Names of the scored regions.
    assume
        Whether open points of the ranking are filled with defaults.
    elsewhere
        Names of metrics that are used for ranking and that the platform does not compute, in lower case.
    """

    values: Values
    metrics: tuple[MetricRow, ...]
    regions: tuple[str, ...]
    assume: bool
    elsewhere: frozenset[str] = frozenset()


def compile_rankings(scope: Scope, *, are_some_reported: bool) -> Compiled[dict[str, Any] | list[dict[str, Any]]]:
    """Return one scheme per row of the ranking table, as an assessment has them: alone, or in a list.

    Parameters
    ----------
    are_some_reported
        Whether the assessment has metrics without a rank, so that each ranking must name the metrics that it uses.
    """
    kind = scope.values.get("ranking_type")
    rows = scope.values.rows("ranking_method")
    problems = (*_type_problems(kind, rows), *_role_problems(rows))
    if kind == "no_ranking" or not rows:
        return Compiled([], problems)
    ties = _ties(scope)
    compiled = joined(
        _schemes(row, str(row.get("name") or f"ranking {index}"), scope, ties.value)
        for index, row in enumerate(rows, start=1)
    )
    named = [entry for entries in compiled.value for entry in entries]
    schemes = [{"name": name, **scheme} if len(named) > 1 else scheme for name, scheme in named]
    if any("role" in scheme for scheme in schemes):
        defaults = _roles(compiled.value)
        schemes = [
            {**scheme, "role": scheme.get("role", default)} for scheme, default in zip(schemes, defaults, strict=True)
        ]
    if are_some_reported:
        all_metrics = [entry.name for entry in scope.metrics]
        schemes = [{**scheme, "metrics": scheme.get("metrics", all_metrics)} for scheme in schemes]
    return Compiled(
        schemes[0] if len(schemes) == 1 else schemes,
        (*problems, *ties.problems, *compiled.problems),
        ties.assumptions,
    )


def _roles(of_rows: Sequence[Sequence[object]]) -> list[str]:
    """Return the role of each ranking whose row states none: those of the first row are primary, all others secondary.

    Examples
    --------
    >>> _roles([["by DSC"], ["by HD95: left", "by HD95: right"]])
    ['primary', 'secondary', 'secondary']
    """
    return [SECONDARY if index else PRIMARY for index, rankings in enumerate(of_rows) for _ in rankings]


def _type_problems(kind: object, rows: Sequence[Mapping[str, Any]]) -> tuple[Problem, ...]:
    """Return what is wrong with the stated type of ranking and the number of schemes."""
    if kind == "no_ranking":
        return (Problem("ranking_type", "Without a ranking there is nothing to execute.", elsewhere=True),)
    unstated = [Problem("ranking_type", "Whether there is a ranking is not stated.")] if kind is None else []
    if not rows:
        return (*unstated, Problem("ranking_method", "The ranking scheme is missing."))
    if kind == "single_ranking" and len(rows) > 1:
        return (Problem("ranking_type", f"One ranking is stated, and the table has {len(rows)}."),)
    return tuple(unstated)


def _role_problems(rows: Sequence[Mapping[str, Any]]) -> tuple[Problem, ...]:
    """Return what is wrong with the stated roles: a task has one primary ranking."""
    roles = [row.get("role") for row in rows]
    primary = roles.count(PRIMARY) + (1 if roles and roles[0] is None else 0)
    if any(roles) and primary != 1:
        text = f"One ranking of a task must be primary, and {primary or 'none'} {'are' if primary > 1 else 'is'}."
        return (Problem("ranking_method", text),)
    return ()


def _ties(scope: Scope) -> Compiled[str]:
    """Return the rule for ties in the terms of an assessment."""
    handling = scope.values.get("tie_handling")
    if isinstance(handling, str) and handling in TIES:
        return Compiled(TIES[handling])
    if scope.assume and "fractional" in scope.values.entry("tie_handling").details:
        return Compiled("average", (), ("Ties: fractional ranks, as the published table shows.",))
    if scope.assume:
        return Compiled("min", (), ("Ties: shared ranks with gaps (1, 2, 2, 4).",))
    if handling is None:
        return Compiled("min", (Problem("tie_handling", "What equal scores get is not stated."),))
    text = "The platform shares ranks among equal scores; another rule for ties cannot be executed."
    return Compiled("min", (Problem("tie_handling", text, elsewhere=True),))


def _schemes(row: Mapping[str, Any], name: str, scope: Scope, ties: str) -> Compiled[list[tuple[str, dict[str, Any]]]]:
    """Return the rankings of a row with their names: one, or one per metric and region if they are kept apart per site."""
    kind = row.get("scheme")
    chosen_scheme = scheme_of_kind(kind)
    if chosen_scheme is None:
        unknown = not_executed("the platform does not execute this scheme.")
        problem = missing("the scheme is missing.") if kind is None else unknown
        return Compiled([], _of_row(name, [problem]))
    settings = _settings(row, chosen_scheme)
    metrics = _chosen(row, scope)
    regions = _regions(row, scope)
    weights = _weights(row, scope, metrics.value)
    parts = Parts(
        metrics=tuple(metrics.value if metrics.value is not None else (entry.name for entry in scope.metrics)),
        regions=tuple(regions.value or scope.regions),
        weights=weights.value,
        ties=ties,
        site_column=site_column(scope.values),
    )
    steps = steps_of(row, parts)
    scheme: dict[str, Any] = {"scheme": chosen_scheme.id, **settings.value, "ties": ties}
    if row.get("role"):
        scheme["role"] = row["role"]
    if row.get("missing_rank"):
        scheme["missing_rank"] = row["missing_rank"]
    if metrics.value is not None and len(metrics.value) < len(scope.metrics):
        scheme["metrics"] = metrics.value
    if regions.value and len(regions.value) < len(scope.regions):
        scheme["regions"] = regions.value
    entries = [
        (f"{name}: {apart}" if apart else name, {**scheme, **selection, "combine": combine})
        for apart, selection, combine in steps.value
    ]
    problems = [problem for part in (settings, metrics, regions, weights, steps) for problem in part.problems]
    return Compiled(entries, _of_row(name, problems))


def _of_row(name: str, problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return problems of a row of the ranking table with the name of the row in front."""
    return tuple(replace(problem, message=f"{name}: {problem.message}") for problem in problems)


def _settings(row: Mapping[str, Any], scheme: Scheme) -> Compiled[dict[str, Any]]:
    """Return the settings of a scheme that a row states: its operator, its test, and its options."""
    operator: Compiled[dict[str, Any]] = _operator(row) if scheme.takes_operator else Compiled({})
    test: Compiled[dict[str, Any]] = _test(row) if scheme.compares_pairs else Compiled({})
    stated = row.get("options") or {}
    options = {key: value for key, value in stated.items() if key in scheme.option_names}
    problems = [*operator.problems, *test.problems]
    if unknown := sorted(set(stated) - set(scheme.option_names)):
        problems.append(missing(f"{scheme.title} has no option {', '.join(unknown)}."))
    return Compiled(operator.value | test.value | options, tuple(problems))


def _regions(row: Mapping[str, Any], scope: Scope) -> Compiled[list[str]]:
    """Return the regions that a ranking is limited to; none if it uses all."""
    named = row.get("regions", ())
    unknown = [region for region in named if region not in scope.regions]
    problems = (missing(f"there is no region {', '.join(unknown)}."),) if unknown else ()
    return Compiled([region for region in named if region in scope.regions], problems)


def scheme_of_kind(kind: object) -> Scheme | None:
    """Return the registered scheme for a choice of the design form; ``None`` if there is none.

    Examples
    --------
    >>> scheme_of_kind("test_based").compares_pairs, scheme_of_kind("other")
    (True, None)
    """
    return next((scheme for scheme in all_schemes() if kind is not None and scheme.design_kind == kind), None)


def site_column(values: Values) -> str:
    """The column of the case table that holds the site of a case."""
    return str(values.get("site_column") or "site").strip()


def site_rules(values: Values) -> set[str]:
    """Return the rules for sites that the rankings of a task state; rows without a rule add nothing."""
    return {str(row["site_aggregation"]) for row in values.rows("ranking_method") if row.get("site_aggregation")}


def _operator(row: Mapping[str, Any]) -> Compiled[dict[str, Any]]:
    """Return the aggregation over cases."""
    operator = row.get("operator")
    match operator:
        case "mean" | "median":
            return Compiled({"operator": operator})
        case "sum":
            # Sums and means over the same cases have the same order.
            return Compiled({"operator": "mean"})
        case "worst":
            return Compiled({"operator": {"percentile": 0.0}})
        case "percentile":
            unstated = (missing("say which percentile."),) if row.get("percentile") is None else ()
            return Compiled({"operator": {"percentile": row.get("percentile", 5)}}, unstated)
    if operator is None:
        problem = missing("the aggregation over cases is missing.")
    else:
        problem = not_executed("the platform does not aggregate cases by this operator.")
    return Compiled({"operator": "mean"}, (problem,))


def _test(row: Mapping[str, Any]) -> Compiled[dict[str, Any]]:
    """Return the settings of the test between pairs."""
    problems = []
    test = str(row.get("statistical_test", "")).casefold()
    if not test:
        problems.append(missing("the test is missing; the platform ranks by the Wilcoxon signed rank test."))
    elif "wilcoxon" not in test or "mann" in test:
        problems.append(not_executed("the platform ranks by the Wilcoxon signed rank test and by no other."))
    if row.get("alpha") is None:
        problems.append(missing("the significance level is missing."))
    level = {} if row.get("alpha") is None else {"alpha": row["alpha"]}
    adjustment = str(row.get("multiplicity_adjustment", "")).casefold()
    if "holm" in adjustment:
        return Compiled({**level, "adjust": "holm"}, tuple(problems))
    if adjustment and not adjustment.startswith(("none", "no ", "not ", "without")):
        problems.append(not_executed("the platform adjusts multiple comparisons by Holm's method or not at all."))
    return Compiled(level, tuple(problems))


def _chosen(row: Mapping[str, Any], scope: Scope) -> Compiled[list[str] | None]:
    """Return the names in the assessment of the metrics that a ranking uses; ``None`` for all."""
    words = row.get("metrics") or ()
    names = {word: _name_of(word, scope) for word in words}
    problems = tuple(
        missing(f"{word} is no metric that is marked as used for the ranking.")
        for word in words
        if names[word] is None and word.casefold() not in scope.elsewhere
    )
    chosen = list(dict.fromkeys(name for name in names.values() if name is not None))
    return Compiled(chosen or None, problems)


def _name_of(word: str, scope: Scope) -> str | None:
    """Return the name in the assessment of the metric that a word refers to."""
    return next((entry.name for entry in scope.metrics if word.casefold() in names_of(entry.row)), None)


def _weights(row: Mapping[str, Any], scope: Scope, chosen: list[str] | None) -> Compiled[dict[str, float]]:
    """Return the weights of the metrics that a ranking uses; empty if it uses no weights."""
    if row.get("metric_aggregation") != "weighted_mean_rank":
        return Compiled({})
    used = [entry for entry in scope.metrics if chosen is None or entry.name in chosen]
    weights = {entry.name: entry.row["weight"] for entry in used if entry.row.get("weight") is not None}
    problems = tuple(missing(f"{entry.meaning.label} has no weight.") for entry in used if entry.name not in weights)
    return Compiled(weights, problems)

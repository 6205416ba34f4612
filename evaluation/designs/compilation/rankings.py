"""The rows of the ranking table as ranking schemes of an assessment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluation.designs.compilation.combining import Parts, steps_of
from evaluation.designs.compilation.metrics import Meaning, names_of
from evaluation.designs.compilation.notes import Missing, Notes, Problem
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
        Rows of the metrics used for ranking, their meanings, and their names in the assessment.
    regions
        Names of the scored regions.
    assume
        Whether open points of the ranking are filled with defaults.
    elsewhere
        Names of metrics that are used for ranking and that the platform does not compute, in lower case.
    """

    values: Values
    metrics: tuple[tuple[Mapping[str, Any], Meaning, str], ...]
    regions: tuple[str, ...]
    assume: bool
    elsewhere: frozenset[str] = frozenset()


def compile_rankings(scope: Scope, notes: Notes) -> list[dict[str, Any]]:
    """One scheme a row of the ranking table."""
    problems = notes.problems
    kind = scope.values.get("ranking_type")
    if kind is None:
        problems.append(Problem("ranking_type", "Whether there is a ranking is not stated."))
    if kind == "no_ranking":
        problems.append(Problem("ranking_type", "Without a ranking there is nothing to execute.", elsewhere=True))
        return []
    rows = scope.values.rows("ranking_method")
    if not rows:
        problems.append(Problem("ranking_method", "The ranking scheme is missing."))
        return []
    if kind == "single_ranking" and len(rows) > 1:
        problems.append(Problem("ranking_type", f"One ranking is stated, and the table has {len(rows)}."))
    ties = _ties(scope, notes)
    named = [
        entry
        for index, row in enumerate(rows, start=1)
        for entry in _schemes(row, str(row.get("name") or f"ranking {index}"), scope, ties, notes)
    ]
    several = len(named) > 1
    return [{"name": name, **scheme} if several else scheme for name, scheme in named]


def _ties(scope: Scope, notes: Notes) -> str:
    handling = scope.values.get("tie_handling")
    if isinstance(handling, str) and handling in TIES:
        return TIES[handling]
    if scope.assume:
        fractional = "fractional" in scope.values.entry("tie_handling").details
        notes.assumptions.append(
            "Ties: "
            + (
                "fractional ranks, as the published table shows."
                if fractional
                else "shared ranks with gaps (1, 2, 2, 4)."
            )
        )
        return "average" if fractional else "min"
    if handling is None:
        notes.problems.append(Problem("tie_handling", "What equal scores get is not stated."))
    else:
        text = "The platform shares ranks among equal scores; another rule for ties cannot be executed."
        notes.problems.append(Problem("tie_handling", text, elsewhere=True))
    return "min"


def _schemes(
    row: Mapping[str, Any], name: str, scope: Scope, ties: str, notes: Notes
) -> list[tuple[str, dict[str, Any]]]:
    """The rankings of a row with their names: one, or one a metric and region where they are kept apart per site."""

    def missing(text: str) -> None:
        notes.missing(name, text)

    def not_executed(text: str) -> None:
        notes.not_executed(name, text)

    kind = row.get("scheme")
    chosen_scheme = scheme_of_kind(kind)
    if chosen_scheme is None:
        if kind is None:
            missing("the scheme is missing.")
        else:
            not_executed("the platform does not execute this scheme.")
        return []
    scheme: dict[str, Any] = {"scheme": chosen_scheme.id}
    if chosen_scheme.takes_operator:
        scheme["operator"] = _operator(row, missing, not_executed)
    if chosen_scheme.compares_pairs:
        scheme |= _test(row, missing, not_executed)
    scheme |= {key: value for key, value in (row.get("options") or {}).items() if key in chosen_scheme.option_names}
    unknown_options = set(row.get("options") or {}) - set(chosen_scheme.option_names)
    if unknown_options:
        missing(f"{chosen_scheme.title} has no option {', '.join(sorted(unknown_options))}.")
    scheme["ties"] = ties
    if row.get("missing_rank"):
        scheme["missing_rank"] = row["missing_rank"]
    chosen = _chosen(row, scope, missing)
    if chosen is not None and len(chosen) < len(scope.metrics):
        scheme["metrics"] = chosen
    regions = [region for region in row.get("regions", ()) if region in scope.regions]
    unknown = [region for region in row.get("regions", ()) if region not in scope.regions]
    if unknown:
        missing(f"there is no region {', '.join(unknown)}.")
    if regions and len(regions) < len(scope.regions):
        scheme["regions"] = regions
    parts = Parts(
        metrics=tuple(chosen if chosen is not None else (metric_name for _, _, metric_name in scope.metrics)),
        regions=tuple(regions or scope.regions),
        weights=_weights(scope, chosen, missing) if row.get("metric_aggregation") == "weighted_mean_rank" else {},
        ties=ties,
        site_column=site_column(scope.values),
    )
    return [
        (f"{name}: {apart}" if apart else name, {**scheme, **selection, "combine": combine})
        for apart, selection, combine in steps_of(row, parts, missing, not_executed)
    ]


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


def _operator(row: Mapping[str, Any], missing: Missing, not_executed: Missing) -> Any:
    operator = row.get("operator")
    match operator:
        case "mean" | "median":
            return operator
        case "sum":
            # Sums and means over the same cases have the same order.
            return "mean"
        case "worst":
            return {"percentile": 0.0}
        case "percentile":
            if row.get("percentile") is None:
                missing("say which percentile.")
            return {"percentile": row.get("percentile", 5)}
    if operator is None:
        missing("the aggregation over cases is missing.")
    else:
        not_executed("the platform does not aggregate cases by this operator.")
    return "mean"


def _test(row: Mapping[str, Any], missing: Missing, not_executed: Missing) -> dict[str, Any]:
    test = str(row.get("statistical_test", "")).casefold()
    if not test:
        missing("the test is missing; the platform ranks by the Wilcoxon signed rank test.")
    elif "wilcoxon" not in test or "mann" in test:
        not_executed("the platform ranks by the Wilcoxon signed rank test and by no other.")
    document: dict[str, Any] = {}
    if row.get("alpha") is None:
        missing("the significance level is missing.")
    else:
        document["alpha"] = row["alpha"]
    adjustment = str(row.get("multiplicity_adjustment", "")).casefold()
    if "holm" in adjustment:
        document["adjust"] = "holm"
    elif adjustment and not adjustment.startswith(("none", "no ", "not ", "without")):
        not_executed("the platform adjusts multiple comparisons by Holm's method or not at all.")
    return document


def _chosen(row: Mapping[str, Any], scope: Scope, missing: Missing) -> list[str] | None:
    """Names in the assessment of the metrics that a ranking uses; ``None`` for all."""
    wanted = row.get("metrics")
    if not wanted:
        return None
    chosen = []
    for word in wanted:
        name = next((name for metric, _, name in scope.metrics if word.casefold() in names_of(metric)), None)
        if name is None:
            if word.casefold() not in scope.elsewhere:
                missing(f"{word} is no metric that is marked as used for the ranking.")
        elif name not in chosen:
            chosen.append(name)
    return chosen or None


def _weights(scope: Scope, chosen: list[str] | None, missing: Missing) -> dict[str, float]:
    weights: dict[str, float] = {}
    for row, meant, name in scope.metrics:
        if chosen is None or name in chosen:
            if row.get("weight") is None:
                missing(f"{meant.label} has no weight.")
            else:
                weights[name] = row["weight"]
    return weights

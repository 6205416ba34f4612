"""The rows of the ranking table as ranking schemes of an assessment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evaluation.designs.compilation.metrics import Meaning, names_of
from evaluation.designs.document import Values
from evaluation.ranking.schemes import all_schemes

TIES: Final = {
    "standard_competition": "min",
    "modified_competition": "max",
    "dense": "dense",
    "fractional": "average",
}

Missing = Callable[[str], None]


@dataclass(frozen=True)
class Problem:
    """What keeps a design from being executed, and the parameter where it is mended."""

    parameter: str
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Scope:
    """What rankings refer to: the values, the metrics in use with their names in the assessment, and the regions."""

    values: Values
    metrics: tuple[tuple[Mapping[str, Any], Meaning, str], ...]
    regions: tuple[str, ...]
    assume: bool


@dataclass(frozen=True)
class Notes:
    """What came up while compiling: what blocks, and what was assumed in place of something unsaid."""

    problems: list[Problem] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)

    def missing(self, name: str, text: str) -> None:
        """Note that a row of the ranking table lacks something."""
        self.problems.append(Problem("ranking_method", f"{name}: {text}"))


def compile_rankings(scope: Scope, notes: Notes) -> list[dict[str, Any]]:
    """One scheme a row of the ranking table."""
    problems = notes.problems
    kind = scope.values.get("ranking_type")
    if kind is None:
        problems.append(Problem("ranking_type", "Whether there is a ranking is not stated."))
    if kind == "no_ranking":
        problems.append(Problem("ranking_type", "Without a ranking there is nothing to execute."))
        return []
    rows = scope.values.rows("ranking_method")
    if not rows:
        problems.append(Problem("ranking_method", "The ranking scheme is missing."))
        return []
    ties = _ties(scope, notes)
    several = len(rows) > 1
    schemes = [
        _scheme(row, str(row.get("name") or f"ranking {index}"), scope, ties, notes)
        for index, row in enumerate(rows, start=1)
    ]
    names = [str(row.get("name") or f"ranking {index}") for index, row in enumerate(rows, start=1)]
    return [
        {"name": name, **scheme} if several else scheme for name, scheme in zip(names, schemes, strict=True) if scheme
    ]


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
    text = "ranks in the order of a second criterion cannot be executed" if handling == "ordinal" else "not stated"
    notes.problems.append(Problem("tie_handling", f"What equal scores get is {text}."))
    return "min"


def _scheme(row: Mapping[str, Any], name: str, scope: Scope, ties: str, notes: Notes) -> dict[str, Any]:
    def missing(text: str) -> None:
        notes.missing(name, text)

    kind = row.get("scheme")
    chosen_scheme = next((known for known in all_schemes() if kind is not None and known.design_kind == kind), None)
    if chosen_scheme is None:
        missing(
            "the scheme cannot be executed; choose one of the listed schemes." if kind else "the scheme is missing."
        )
        return {}
    scheme: dict[str, Any] = {"scheme": chosen_scheme.id}
    if chosen_scheme.takes_operator:
        scheme["operator"] = _operator(row, missing)
    if chosen_scheme.compares_pairs:
        scheme |= _test(row, missing)
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
    scheme["combine"] = _combine(row, scope, chosen, ties, missing)
    if row.get("task_aggregation"):
        notes.assumptions.append(f"{name}: tasks are combined when several of them are ranked together.")
    return scheme


def _operator(row: Mapping[str, Any], missing: Missing) -> Any:
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
    missing(
        "the aggregation over cases is missing." if operator is None else f"cases cannot be aggregated by {operator}."
    )
    return "mean"


def _test(row: Mapping[str, Any], missing: Missing) -> dict[str, Any]:
    test = str(row.get("statistical_test", "")).casefold()
    if "wilcoxon" not in test or "mann" in test:
        missing("the platform ranks by the Wilcoxon signed rank test; name it, or choose another scheme.")
    document: dict[str, Any] = {}
    if row.get("alpha") is None:
        missing("the significance level is missing.")
    else:
        document["alpha"] = row["alpha"]
    adjustment = str(row.get("multiplicity_adjustment", "")).casefold()
    if "holm" in adjustment:
        document["adjust"] = "holm"
    elif adjustment and not adjustment.startswith(("none", "no ", "not ", "without")):
        missing("multiple comparisons can be adjusted by Holm's method or not at all.")
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
            missing(f"{word} is no metric that is marked as used for the ranking.")
        elif name not in chosen:
            chosen.append(name)
    return chosen or None


def _combine(row: Mapping[str, Any], scope: Scope, chosen: list[str] | None, ties: str, missing: Missing) -> Any:
    """How the rankings of a row's metrics and regions become one."""
    metrics = len(chosen if chosen is not None else scope.metrics)
    over = row.get("metric_aggregation")
    if metrics > 1 and over is None:
        missing("how the metrics are combined is missing.")
    if over in ("score_sum", "lexicographic"):
        missing("metrics can be combined by their ranks; sums of scores and tie breakers cannot be executed.")
    separate_metrics = over == "separate_rankings"
    regions = row.get("region_aggregation") or "with_metrics"
    if regions == "separate_rankings" and (separate_metrics or metrics == 1):
        return None
    step: dict[str, Any] = {"operator": "mean", "rerank": True, "ties": ties}
    weights = _weights(scope, chosen, missing) if over == "weighted_mean_rank" else None
    metric_step = {"over": ["metric"], **step, **({"weights": {"metric": weights}} if weights else {})}
    region_step = {"over": ["region"], **step}
    if separate_metrics:
        return region_step if len(scope.regions) > 1 else None
    if regions == "separate_rankings":
        return metric_step
    if regions == "regions_first":
        return [region_step, metric_step]
    if regions == "metrics_first":
        return [metric_step, region_step]
    both: dict[str, Any] = {"over": ["metric", "region"], **step}
    if weights:
        both["weights"] = {"metric": weights}
    return both


def _weights(scope: Scope, chosen: list[str] | None, missing: Missing) -> dict[str, float]:
    weights: dict[str, float] = {}
    for row, meant, name in scope.metrics:
        if chosen is None or name in chosen:
            if row.get("weight") is None:
                missing(f"{meant.label} has no weight.")
            else:
                weights[name] = row["weight"]
    return weights

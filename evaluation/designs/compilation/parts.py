"""Parts of an assessment that each come from one table of the design: regions, levels, columns, cases, weights."""

from collections.abc import Mapping
from typing import Any

from evaluation import problems as kinds
from evaluation.assessment.columns import NUMBER, YES_NO, column_name
from evaluation.assessment.exclusions import GRADES
from evaluation.assessment.interaction import LEVELS
from evaluation.designs.compilation.metrics import MetricRow
from evaluation.designs.compilation.notes import Compiled, Problem, joined
from evaluation.designs.compilation.rankings import site_column, site_rules
from evaluation.designs.document import Values

_KIND_OF_VALUES = {"binary": YES_NO, "numeric": NUMBER}
"""Kind of a case column by the value type of its characteristic.

Ordinal grades are not included: they may be written as numbers or as names.
"""


def compile_regions(values: Values, kind: str | None) -> Compiled[list[dict[str, Any]]]:
    """Return the scored regions with their label values."""
    regions = joined(_region(row, kind) for row in values.rows("regions"))
    if kind is None or not kinds.get(kind).regions.are_required or regions.value:
        return regions
    return Compiled([], (Problem("regions", "The scored regions and their label values are missing."),))


def _region(row: Mapping[str, Any], kind: str | None) -> Compiled[dict[str, Any]]:
    """Return one region; its labels are numbers where the kind of problem has numbered labels."""
    name = row.get("name", "")
    labels = [int(label) if label.isdigit() else label for label in row.get("labels", ())]
    has_labels = bool(labels) and not (kind is not None and kinds.get(kind).is_measured_elsewhere)
    region = {"name": name, "labels": labels} if has_labels else {"name": name}
    if kind is None or not kinds.get(kind).regions.have_numbered_labels:
        return Compiled(region)
    problems = []
    if not all(isinstance(label, int) for label in labels):
        problems.append(Problem("regions", f"{name}: label values are whole numbers."))
    if not has_labels:
        problems.append(Problem("regions", f"{name}: the label values are missing."))
    return Compiled(region, tuple(problems))


def compile_aggregation(values: Values) -> Compiled[dict[str, Any]]:
    """Return the levels from the inside out, each with its role where the design gives one."""
    named = [(str(row.get("name") or "").strip(), row.get("role")) for row in values.rows("aggregation_levels")]
    levels: list[Any] = [{"name": name, "role": role} if role else name for name, role in named]
    if not named or named[0][0] != "case":
        levels = ["case", *levels]
    column = site_column(values)
    if "mean_of_sites" in site_rules(values) and column not in (*(name for name, _ in named), "case"):
        drawn = column in ((values.get("uncertainty_settings") or {}).get("resample") or ())
        levels = [*levels, {"name": column, "role": "random" if drawn else "fixed"}]
    return Compiled({"levels": levels, "operator": "mean"})


def compile_uncertainty(values: Values, metrics: tuple[MetricRow, ...]) -> Compiled[dict[str, Any]]:
    """Return the rules of uncertainty that the design states; all others keep their defaults.

    Parameters
    ----------
    metrics
        Metrics that rankings use.
    """
    settings = values.get("uncertainty_settings") or {}
    taken_over = ("bootstrap", "seed", "interval", "strata", "winner_alpha", "unseen_failures", "independent_of")
    stated = {key: settings[key] for key in taken_over if key in settings}
    strata = {"strata": _fixed_sites(values)} if "strata" not in stated and _fixed_sites(values) else {}
    resample = settings.get("resample")
    drawn = {"resample": resample if len(resample) > 1 else resample[0]} if resample else {}
    has_none = "none" in (values.get("uncertainty_handling") or ()) and "bootstrap" not in stated
    margin = {entry.name: entry.row["margin"] for entry in metrics if entry.row.get("margin") is not None}
    return Compiled(
        stated | strata | drawn | ({"bootstrap": 0} if has_none else {}) | ({"margin": margin} if margin else {})
    )


def _fixed_sites(values: Values) -> list[str]:
    """Return the column of sites that are all there are, since cases are drawn within each of them; else nothing."""
    column = site_column(values)
    resample = (values.get("uncertainty_settings") or {}).get("resample") or ()
    is_fixed = site_rules(values) & {"pooled", "ranked_per_site"} and column not in resample
    return [column] if is_fixed else []


def compile_columns(values: Values) -> Compiled[dict[str, Any]]:
    """Return the kinds of the case table's columns.

    The declaration of a column takes precedence over the characteristic of the same name.
    """
    of_characteristics = {
        column_name(str(row["name"])): _KIND_OF_VALUES[row["value_type"]]
        for row in values.rows("image_characteristics")
        if row.get("value_type") in _KIND_OF_VALUES and column_name(str(row.get("name") or ""))
    }
    declared_kinds = {str(row.get("column") or "").strip(): row.get("kind") for row in values.rows("case_columns")}
    named = {column_name(column) for column in declared_kinds}
    undeclared = {column: kind for column, kind in of_characteristics.items() if column not in named}
    return Compiled(undeclared | declared_kinds)


def compile_exclusions(values: Values) -> Compiled[dict[str, Any]]:
    """Return the cases that do not count: one by one, and by their quality grade."""
    document: dict[str, Any] = {}
    if rows := values.rows("excluded_cases"):
        document["cases"] = [{"case": str(row.get("case") or "").strip(), "reason": row.get("reason")} for row in rows]
    if (quality := values.get("case_quality")) and quality.get("column"):
        excluded = [grade for grade in GRADES if quality.get(grade) == "excluded"]
        document["quality"] = {"column": str(quality["column"]).strip(), "excluded": excluded}
    return Compiled(document)


def compile_interaction_weights(values: Values) -> Compiled[dict[str, Any]]:
    """Return the weights of methods by level of interaction, if the design uses weights."""
    if values.get("interaction_level_handling") != "weighting":
        return Compiled({})
    given = values.get("interaction_level_weights") or {}
    weights = {level: given[level] for level in LEVELS if given.get(level) is not None}
    if weights:
        return Compiled(weights)
    return Compiled(
        {}, (Problem("interaction_level_weights", "The weights of the levels of interaction are missing."),)
    )

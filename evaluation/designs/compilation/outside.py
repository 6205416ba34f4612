"""Metrics that the platform does not compute and that a design describes: their values are measured outside and ranked here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from evaluation import problems as kinds
from evaluation.assessment.described import WITHOUT
from evaluation.catalogue import CatalogueError, get
from evaluation.designs.compilation.costs import cost_of
from evaluation.designs.compilation.metrics import Meaning, MetricRow, meaning
from evaluation.designs.compilation.notes import Compiled, Problem, joined
from evaluation.designs.compilation.problems import kinds_of
from evaluation.problems.offered_metrics import kinds_with

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.designs.document import Values

Row = tuple["Mapping[str, Any]", Meaning]
_DATA_SET: Final = "data_set"
"""Of the column `level` of a metric."""


def is_measured_outside(values: Values) -> bool:
    """Return whether a task is ranked from externally measured values.

    This is true if some metric is not computed here and all such metrics are described. A described metric states its
    direction, its level (one value per case or for the whole data set), and how a missing value counts.

    This rule never takes external values of metrics that the platform computes. A task with a metric that is not
    described is registered here and evaluated elsewhere.

    A metric that the platform computes for another kind of problem than the task's is a mistake. Several kinds of
    problem in one task are a mistake too. Neither is turned into external values. Costs of runs are measured by the
    platform and do not affect the source of the other values.
    """
    ranked = ranked_rows(values)
    kind_ids = set(kinds_of(values))
    if values.get("scoring_image"):
        return False  # a registered image computes them here
    if not ranked or not kind_ids or len(kind_ids - {None}) > 1:
        return False
    if None not in kind_ids:
        kind = next(iter(kind_ids))
        metrics = [meant.metric for _, meant in ranked]
        if all(metric is not None for metric in metrics):
            return False
        if any(metric is not None and kind not in kinds_with(metric) for metric in metrics):
            return False
    return all(is_described(row, meant, values) for row, meant in ranked)


def ranked_rows(values: Values) -> list[Row]:
    """The metrics that a task ranks by, with what they mean; without costs of runs."""
    ranked = [row for row in values.rows("metrics") if row.get("used_for_ranking") and cost_of(row) is None]
    return [(row, meaning(row)) for row in ranked]


def described_rows(values: Values) -> list[Row]:
    """Return the described metrics that a task reports without ranking by them; without costs of runs."""
    rows = [row for row in values.rows("metrics") if not row.get("used_for_ranking") and cost_of(row) is None]
    return [(row, meant) for row in rows if is_described(row, meant := meaning(row), values)]


def outside_names(rows: Sequence[Row]) -> list[str]:
    """Return the names of described metrics in the assessment: what the design calls them, numbered where it repeats."""
    names: list[str] = []
    for row, meant in rows:
        stem = str(row.get("result_name") or meant.label)
        numbered = (f"{stem} {number}" for number in range(2, len(names) + 3))
        names.append(next(name for name in (stem, *numbered) if name not in names))
    return names


def compile_outside(rows: Sequence[MetricRow], values: Values) -> Compiled[list[dict[str, Any]]]:
    """Return the metrics as they appear in an assessment of values measured outside."""
    handling = values.get("missing_data_handling")
    policies = joined(_policy(entry, handling) for entry in rows)
    documents: list[dict[str, Any]] = []
    for entry, policy in zip(rows, policies.value, strict=True):
        identity = _id_of(entry.name, {document["id"] for document in documents})
        documents.append({"id": identity, **_described(entry, values), "policy": policy})
    return Compiled(documents, (*unexecuted_handling(handling), *policies.problems))


def unexecuted_handling(handling: object) -> tuple[Problem, ...]:
    """Return the problem of a rule for missing results that is not stated or that the platform does not execute."""
    if handling is None:
        return (Problem("missing_data_handling", "What happens to missing results is not stated."),)
    if not isinstance(handling, str) or handling == "as_in_reference":
        text = "The platform does not execute this way to handle missing results."
        return (Problem("missing_data_handling", text, elsewhere=True),)
    return ()


def _described(entry: MetricRow, values: Values) -> dict[str, Any]:
    """Return what a design states about a metric: its name, direction, range, level, and unit."""
    row, meant = entry.row, entry.meaning
    document: dict[str, Any] = {
        "label": entry.name,
        "direction": _direction(row, meant),
        "range": list(_range(row, meant)),
    }
    if is_of_the_data_set(row):
        document["level"] = "dataset"
        if "none" in (values.get("uncertainty_handling") or ()):
            document[WITHOUT] = True  # a design that states no uncertainty takes values without any
    unit = row.get("unit")
    if unit and str(unit).casefold() != "none":
        document["unit"] = unit
    return document


def _policy(entry: MetricRow, handling: object) -> Compiled[dict[str, Any]]:
    """Return the values that count where a metric that is measured outside has none."""
    if handling == "worst_rank":
        return Compiled({"missing": "worst_rank"})
    worst = entry.row.get("worst_value")
    policy = {} if worst is None else {"missing": worst}
    if handling != "ignored":
        return Compiled(policy)
    if (entry.row.get("policy") or {}).get("allow_gaming"):
        return Compiled({"missing": "exclude", "allow_gaming": True})
    text = f"{entry.name}: missing results are ignored, so that bad cases can be left out."
    return Compiled(policy, (Problem("missing_data_handling", text),))


def is_described(row: Mapping[str, Any], meant: Meaning, values: Values) -> bool:
    """Return whether a metric states its direction, its level, and how a missing value counts.

    The level is one value per case or one value for the whole data set.
    """
    if not meant.label or not _direction(row, meant) or row.get("level") not in (None, "case", _DATA_SET):
        return False
    low, high = _range(row, meant)
    end = low if _direction(row, meant) == "higher" else high
    has_worst = row.get("worst_value") is not None or end is not None
    return has_worst or values.get("missing_data_handling") in ("worst_rank", "ignored")


def is_of_the_data_set(row: Mapping[str, Any]) -> bool:
    """Return whether a metric has one value for the whole data set.

    Resamples of cases cannot reproduce such a value.
    """
    return row.get("level") == _DATA_SET


def _direction(row: Mapping[str, Any], meant: Meaning) -> str:
    if meant.metric is not None:
        return "higher" if meant.metric.higher_is_better else "lower"
    orientation = row.get("orientation")
    return str(orientation) if orientation in ("higher", "lower") else ""


def _range(row: Mapping[str, Any], meant: Meaning) -> tuple[float | None, float | None]:
    metric = meant.metric
    if metric is not None:
        return (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
    return row.get("range_min"), row.get("range_max")


def _id_of(name: str, taken: set[str]) -> str:
    """An id that is none of the catalogue, since what was measured outside is not known here."""
    bare = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")[:60] or "metric"
    try:
        get(bare)
        bare = f"{bare}_outside"
    except CatalogueError:
        pass
    return next(word for word in (bare, *(f"{bare}_{n}" for n in range(2, len(taken) + 3))) if word not in taken)


def outside_kind() -> str:
    """The id of the kind of problem of such tasks."""
    return kinds.measured_elsewhere().id

"""Facts from the parameters of a design, in the vocabulary of the pitfalls.

Facts that no parameter states remain unknown.
"""

from collections.abc import Iterable
from typing import Any

from evaluation.advice.pitfalls import DesignFacts, ReferenceScan
from evaluation.designs.document import Values

_AGREEMENT = frozenset({"inter_intra_observer_variability", "kappa_statistics", "correlation_coefficients"})
_SIZES = ("size", "volume", "diameter", "area")


def design_facts(values: Values, scan: ReferenceScan | None = None, *, instances: bool = False) -> DesignFacts:
    """Read the facts of one task.

    Parameters
    ----------
    scan
        Of its references, which know their columns even where the design does not name them.
    instances
        Whether the references keep objects of one class apart.
    """
    centers = values.rows("data_centers")
    raters = values.get("number_of_annotators_test")
    groups = _groups(values)
    runs = values.get("max_submissions")
    return DesignFacts(
        test_sets=_test_sets(values),
        sites=len({row.get("center") for row in centers}) or None,
        raters=raters if isinstance(raters, int) else None,
        runs_per_team=runs if isinstance(runs, int) else None,
        external_test=_external(centers),
        metadata_columns=_columns(values, groups, scan),
        strata=_strata(values, groups),
        classes=tuple(row.get("name", "") for row in values.rows("regions")) or None,
        rater_score=_rater_score(values),
        rationale=values.text("metric_justification") or None,
        stratify_by_size=True if _named(_characteristics(values), _SIZES) else None,
        class_weights=None if not values.rows("metrics") else any(row.get("weight") for row in values.rows("metrics")),
        # The report of the platform plots every case of every team.
        case_plots=True,
        reference_instances=_instances(scan, instances=instances),
    )


def _test_sets(values: Values) -> int | None:
    tests = {(row.get("data_set"), row.get("stage")) for row in values.rows("case_table") if row.get("split") == "test"}
    return len(tests) or None


def _external(centers: list[dict[str, Any]]) -> bool | None:
    """Return whether a centre provides test cases only.

    The answer is unknown (``None``) until every centre states which cases it provides.
    """
    splits = [str(row.get("splits", "")).casefold() for row in centers]
    if not splits or not all(splits):
        return None
    return any("test" in text and "train" not in text for text in splits)


def _groups(values: Values) -> tuple[str, ...]:
    levels = [str(row.get("name") or "").strip() for row in values.rows("aggregation_levels")]
    return tuple(level for level in levels if level and level != "case")


def _characteristics(values: Values) -> tuple[str, ...]:
    return tuple(str(row["name"]) for row in values.rows("image_characteristics") if row.get("name"))


def _columns(values: Values, groups: tuple[str, ...], scan: ReferenceScan | None) -> tuple[str, ...] | None:
    columns = dict.fromkeys((*groups, *_characteristics(values), *(scan.groups if scan else ())))
    return tuple(columns) or None


def _strata(values: Values, groups: tuple[str, ...]) -> tuple[str, ...] | None:
    analyses = values.get("planned_further_analyses")
    if "strength_weakness_mixed_model" in (analyses or ()):
        return tuple(dict.fromkeys((*groups, *_characteristics(values))))
    return groups if analyses is not None or groups else None


def _rater_score(values: Values) -> bool | None:
    sources = [row for row in values.rows("annotation_error_sources") if row.get("split") in (None, "test")]
    if not sources:
        return None
    return any(row.get("quantification") in _AGREEMENT and row.get("magnitude") for row in sources)


def _named(names: Iterable[str], words: Iterable[str]) -> bool:
    return any(word in name.casefold() for name in names for word in words)


def _instances(scan: ReferenceScan | None, *, instances: bool) -> bool | None:
    if scan is None or not instances:
        return None
    return any(count > 1 for region in scan.regions.values() for count in region.components)

"""From an assessment to the statements that are executed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from evaluation.assessment.options import option_list, options_read
from evaluation.catalogue import CatalogueError, get
from evaluation.problems import kind_of
from evaluation.ranking.procedure.statements import (
    Combine,
    Fill,
    Group,
    Leave,
    Measure,
    Procedure,
    Ranking,
    RankScores,
    Statement,
    TakeValue,
    Weigh,
)
from evaluation.ranking.schemes import get_scheme

if TYPE_CHECKING:
    from collections.abc import Collection

    from evaluation.assessment.model import Assessment, MetricUse, PolicyValue, RankingScheme

_OUTCOMES: Final = ("missing", "pred_empty", "ref_empty", "both_empty")
_OF_THE_TABLE: Final = ("metric", "region", "task")


def procedure_of(assessment: Assessment) -> Procedure:
    """Return what an assessment does with values.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> found = procedure_of(parse({"problem": "object_detection", "metrics": [{"id": "fbeta"}]}))
    >>> found.measures[0].level, found.rankings[0].of_cases, len(found.rankings[0].of_data_set)
    ('dataset', (), 2)
    """
    rule = assessment.exclusions
    regions = tuple(region.name for region in assessment.regions)
    return Procedure(
        leave=Leave(tuple(sorted(rule.cases)), rule.grade_column, rule.grades) if rule else None,
        measures=tuple(_measure(use, assessment, regions) for use in assessment.metrics),
        weighed=_weighed(assessment),
        rankings=tuple(ranking_of(scheme, assessment) for scheme in assessment.rankings),
        regions=regions,
    )


def ranking_of(scheme: RankingScheme, assessment: Assessment) -> Ranking:
    """Return the statements of one registered ranking."""
    metrics = [use for use in assessment.metrics if scheme.metrics is None or use.name in scheme.metrics]
    levels = {use.level for use in metrics}
    statements = get_scheme(scheme.scheme).statements(scheme, assessment.aggregation)
    of_data_set = (TakeValue(), RankScores("best", scheme.ties, scheme.missing_rank))
    columns = [name for step in scheme.combine or () for name in step.over if name not in _OF_THE_TABLE]
    resampled = [name for name in columns if name in assessment.uncertainty.resample]
    # Groups that are drawn anew in every sample are ranked by the first such column alone.
    apart = tuple(resampled[:1] or columns) if "case" in levels else ()
    return Ranking(
        name=scheme.name,
        metrics=tuple(use.name for use in metrics),
        regions=scheme.regions,
        of_cases=_within(statements, assessment) if "case" in levels else (),
        of_data_set=of_data_set if "dataset" in levels else (),
        apart=apart,
        apart_within=_around(apart[0], apart, assessment) if apart and resampled else (),
        combine=None if scheme.combine is None else tuple(
            Combine(
                over=tuple(name for name in step.over if name in (*_OF_THE_TABLE, *apart)),
                operator=step.operator,
                quantity="scores" if not step.rerank else "fractional ranks" if step.fractional else "ranks",
                ties=step.ties,
                missing_rank=scheme.missing_rank,
                weights=step.weights,
            )
            for step in scheme.combine
        ),
    )  # fmt: skip


def _around(column: str, columns: Collection[str], assessment: Assessment) -> tuple[str, ...]:
    """Return the columns within which a column is drawn, but for those that are known."""
    uncertainty = assessment.uncertainty
    drawn = uncertainty.resample[: uncertainty.resample.index(column) + 1]
    return tuple(dict.fromkeys(name for name in (*uncertainty.strata, *drawn) if name not in columns))


def _within(statements: tuple[Statement, ...], assessment: Assessment) -> tuple[Statement, ...]:
    """Add the columns that distinguish groups: strata, and resampled levels around a group."""
    outer, uncertainty = assessment.aggregation.levels[1:], assessment.uncertainty
    result: list[Statement] = []
    outer_columns = [statement.outer for statement in statements if isinstance(statement, Group)]
    for statement in statements:
        if isinstance(statement, Group):
            path = outer[outer.index(statement.outer) :]
            around = [name for name in path if name in uncertainty.resample]
            outside = [name for name in uncertainty.resample if name != "case" and name not in outer]
            copied_by = around[0] if around else (outside[-1] if outside else None)
            columns = outer_columns[outer_columns.index(statement.outer) :]
            named = [*path, *(_around(copied_by, columns, assessment) if copied_by else ())]
            result.append(
                replace(statement, within=tuple(dict.fromkeys(name for name in named if name not in columns)))
            )
        else:
            result.append(statement)
    return tuple(result)


def _measure(use: MetricUse, assessment: Assessment, regions: tuple[str, ...]) -> Measure:
    level = "run" if use.is_by_run else use.level
    try:
        title = "the value" if use.id == "value" else get(use.id).name
    except CatalogueError:
        title = use.id
    if use.is_by_run:
        step = f", in steps of {use.options['step']:g}" if use.options["step"] else ""
        title = f"what was measured of the run, in {use.unit}{step}"
    return Measure(
        metric=use.name,
        level=level,
        identity=use.id,
        title=title,
        higher_is_better=use.higher_is_better,
        options=tuple(options_read(use, assessment).items()),
        option_words=option_list(use, assessment),
        regions=() if use.is_by_run else regions,
        fills=_fills(use, assessment),
        missing_words=kind_of(assessment).texts.missing_cases(assessment),
    )


def _fills(use: MetricUse, assessment: Assessment) -> tuple[Fill, ...]:
    kind = kind_of(assessment)
    only_missing = use.is_by_run or bool(kind.texts.missing_cases(assessment)) or not kind.metrics.can_be_undefined
    fills = [_fill(name, use.policy.get(name), use) for name in (_OUTCOMES[:1] if only_missing else _OUTCOMES)]
    if not use.is_by_run and not kind.is_measured_elsewhere:
        fills.append(_fill("degenerate", use.policy.get("degenerate"), use))
        fills.append(Fill("reference", "exclude"))
        if use.best is None:
            fills.append(Fill("unbounded", "best"))
    return tuple(fill for fill in fills if fill is not None)


def _fill(outcome: str, value: PolicyValue | None, use: MetricUse) -> Fill | None:
    if value is None:
        return None
    if value == "worst" and use.worst is not None:
        return Fill(outcome, use.worst, "worst")
    if value == "perfect" and use.best is not None:
        return Fill(outcome, use.best, "best")
    return Fill(outcome, value)


def _weighed(assessment: Assessment) -> tuple[Weigh, ...]:
    weights = assessment.interaction_weights
    if not weights:
        return ()
    return tuple(
        Weigh(use.name, use.worst, tuple(weights.items()), min(weights.values()))
        for use in assessment.metrics
        if use.level == "case" and (use.worst is not None or (not use.higher_is_better and use.best == 0))
    )

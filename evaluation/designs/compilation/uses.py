"""Metrics of a task by their use: which of them rankings use, which are reported, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation import problems as kinds
from evaluation.designs.compilation.costs import compile_cost, cost_of, cost_problems
from evaluation.designs.compilation.metrics import Meaning, MetricRow, Source, meaning, names_of
from evaluation.designs.compilation.notes import Compiled, Problem, joined
from evaluation.designs.compilation.outside import (
    compile_outside,
    described_rows,
    outside_kind,
    outside_names,
    ranked_rows,
    unexecuted_handling,
)
from evaluation.designs.compilation.scored import compile_scored, name_of, source_of
from evaluation.problems.offered_metrics import kinds_with

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.designs.document import Values

_APART = (Source.RUN, Source.SCORER)


@dataclass(frozen=True)
class MetricUses:
    """Metrics of a task.

    Attributes
    ----------
    ranked
        Metrics that the design marks as used for the ranking, in its order.
    reported
        Metrics that are computed and reported without a rank.
    """

    ranked: tuple[MetricRow, ...]
    reported: tuple[MetricRow, ...]

    @property
    def executed(self) -> tuple[MetricRow, ...]:
        """Metrics that rankings can use."""
        return tuple(entry for entry in self.ranked if entry.source is not Source.ELSEWHERE)

    @property
    def names_elsewhere(self) -> frozenset[str]:
        """Names, in lower case, of metrics of the ranking that are not executed here."""
        return frozenset(
            name for entry in self.ranked if entry.source is Source.ELSEWHERE for name in names_of(entry.row)
        )


def uses_of(values: Values, kind: str | None) -> MetricUses:
    """Return the metrics of a task by their use."""
    if kind == outside_kind():
        ranked = [(row, meant, Source.OUTSIDE) for row, meant in ranked_rows(values)]
        reported = [(row, meant, Source.OUTSIDE) for row, meant in described_rows(values)]
        names = outside_names([(row, meant) for row, meant, _ in (*ranked, *reported)])
    else:
        rows = [(row, meaning(row)) for row in values.rows("metrics")]
        read = [(row, meant, source_of(row, meant, values)) for row, meant in rows]
        ranked = [entry for entry in read if entry[0].get("used_for_ranking")]
        reported = [
            (row, meant, source)
            for row, meant, source in read
            if is_reported(row, meant, kind) or (not row.get("used_for_ranking") and source in _APART)
        ]
        names = _names([*ranked, *reported])
    entries = tuple(
        MetricRow(row, meant, name, source)
        for (row, meant, source), name in zip([*ranked, *reported], names, strict=True)
    )
    return MetricUses(entries[: len(ranked)], entries[len(ranked) :])


def is_reported(row: Mapping[str, Any], meant: Meaning, kind: str | None) -> bool:
    """Return whether a metric that no ranking uses is computed and reported.

    It must be a metric of the platform for this kind of problem.
    """
    fits = kind is None or (meant.metric is not None and kind in kinds_with(meant.metric))
    return not row.get("used_for_ranking") and meant.metric is not None and not meant.unclear and fits


def _names(used: Sequence[tuple[Mapping[str, Any], Meaning, Source]]) -> list[str]:
    """Return a name for each use of a metric: the one that the design gives it, else its id, numbered if it is used twice."""
    given = [
        name_of(row, meant) if source in _APART else str(row.get("result_name") or "") for row, meant, source in used
    ]
    ids = [
        meant.metric.id if meant.metric and not name else "" for (_, meant, _), name in zip(used, given, strict=True)
    ]
    return [
        name or (identity if ids.count(identity) == 1 else f"{identity}_{ids[: index + 1].count(identity)}")
        for index, (identity, name) in enumerate(zip(ids, given, strict=True))
    ]


def compile_metrics(values: Values, uses: MetricUses, kind: str | None) -> Compiled[list[dict[str, Any]]]:
    """Return the metrics of a task as they appear in an assessment."""
    is_outside = kind == outside_kind()
    if is_outside:
        compiled = compile_outside([*uses.ranked, *uses.reported], values)
        unranked: tuple[Problem, ...] = ()
    else:
        compiled = joined(_metric(entry, kind, values) for entry in (*uses.executed, *uses.reported))
        unranked = _unranked(values, uses, kind)
    return Compiled(compiled.value, (*cost_problems(values, is_outside=is_outside), *unranked, *compiled.problems))


def _unranked(values: Values, uses: MetricUses, kind: str | None) -> tuple[Problem, ...]:
    """Return the reasons why metrics of the ranking cannot be computed."""
    if not uses.ranked and values.get("ranking_type") != "no_ranking":
        return (Problem("metrics", "No metric is marked as used for the ranking."),)
    # A metric that the platform does not have is complete with its definition; what is unclear of others is not.
    unclear = [
        Problem("metrics", f"{text[0].upper()}{text[1:]}.", elsewhere=entry.source is Source.ELSEWHERE)
        for entry in uses.ranked
        if entry.source not in _APART
        for text in entry.meaning.unclear
    ]
    unfit = [
        Problem(
            "metrics",
            f"The platform does not compute {entry.meaning.label} for {kinds.get(kind).title}.",
            elsewhere=True,
        )
        for entry in uses.executed
        if kind is not None and entry.meaning.metric is not None and kind not in kinds_with(entry.meaning.metric)
    ]
    return (*unclear, *unfit)


def _metric(entry: MetricRow, kind: str | None, values: Values) -> Compiled[dict[str, Any]]:
    """Return a metric of a task that the platform scores."""
    if (cost := cost_of(entry.row)) is not None:
        return compile_cost(entry.row, cost, kind, values)
    if entry.source is Source.SCORER:
        return compile_scored(entry, values)
    return _computed(entry, values)


def _computed(entry: MetricRow, values: Values) -> Compiled[dict[str, Any]]:
    """Return a metric that the platform computes."""
    metric = entry.meaning.metric
    assert metric is not None
    policy = _policy(entry, values)
    document: dict[str, Any] = {"id": metric.id}
    if entry.name != metric.id:
        document["name"] = entry.name
    if entry.meaning.options:
        document["options"] = dict(entry.meaning.options)
    if policy.value:
        document["policy"] = policy.value
    return Compiled(document, policy.problems)


def _policy(entry: MetricRow, values: Values) -> Compiled[dict[str, Any]]:
    """Return values for what is missing or undefined: written out where the design departs from the platform's defaults."""
    policy = dict(entry.row.get("policy") or {})
    handling = values.get("missing_data_handling")
    if problems := unexecuted_handling(handling):
        return Compiled(policy, problems)
    if handling == "ignored" and not policy.get("allow_gaming"):
        text = "Missing results are ignored, so that teams can leave out their bad cases."
        return Compiled(policy, (Problem("missing_data_handling", text),))
    worst = entry.row.get("worst_value")
    if handling == "worst_rank":
        return Compiled({**policy, "missing": policy.get("missing", "worst_rank")})
    if handling == "worst_value" and worst is not None and entry.meaning.metric and worst != entry.meaning.metric.worst:
        return Compiled({**policy, "missing": policy.get("missing", worst)})
    return Compiled(policy)

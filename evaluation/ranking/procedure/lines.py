"""The statements of a procedure as indented lines that a person can follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evaluation.ranking.procedure.statements import (
    Aggregate,
    Combine,
    Compare,
    Described,
    Fill,
    Group,
    Leave,
    Measure,
    Procedure,
    RankCases,
    Ranking,
    RankScores,
    Statement,
    TakeValue,
    Weigh,
)
from evaluation.wording import counted, joined, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment.model import Operator

_OUTCOMES: Final = {
    "missing": "the result is missing or unreadable",
    "pred_empty": "the prediction is empty and the reference is not",
    "ref_empty": "the reference is empty and the prediction is not",
    "both_empty": "both are empty",
    "degenerate": "it is undefined for another reason",
    "reference": "the reference alone leaves it undefined",
    "unbounded": "it is better than any number",
}
_MISSING_OF_DATA_SET: Final = "any prediction is missing or unreadable"
_MISSING_OF_ANSWERS: Final = "there are no answers, or not the scores that it needs"
_MISSING_OF_RUN: Final = "the run gave no valid output"
_COUNTS_AS: Final = {
    "exclude": "left out",
    "worst": "worst value of the case",
    "image_diagonal": "diagonal of the image",
    "worst_rank": "last rank of the case",
    "best": "best possible value",
}
_TIES: Final = {
    "min": "the better rank",
    "max": "the worse rank",
    "dense": "one rank without a gap",
    "average": "the mean of their ranks",
}
_MISSING_RANKS: Final = {
    "toolkit": "the ranks after the last one, shared by the same rule",
    "last": "the number of all algorithms",
    "shared_last": "the first rank after all others",
}


def procedure_lines(procedure: Procedure) -> list[str]:
    r"""Return the lines of a procedure.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> from evaluation.ranking.procedure.building import procedure_of
    >>> assessment = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    >>> for line in procedure_lines(procedure_of(assessment)):
    ...     print(line)
    for every algorithm
      for every case
        value ← the value
    for every metric
      score ← mean over cases
      rank ← position of the score, best first
      equal scores share the better rank
      without a score: the ranks after the last one, shared by the same rule
    """
    lines = [] if procedure.leave is None else _left_out(procedure.leave)
    lines.append("for every algorithm")
    of_level = {level: [m for m in procedure.measures if m.level == level] for level in ("case", "run", "dataset")}
    if of_level["case"]:
        lines += ["  for every case", *_measured(of_level["case"])]
    if of_level["run"]:
        lines += ["  for every case that the algorithm is run on", *_measured(of_level["run"])]
    if of_level["dataset"]:
        lines += ["  over all cases together", *_measured(of_level["dataset"])]
    lines += [line for weigh in procedure.weighed for line in _weighed(weigh)]
    for ranking in procedure.rankings:
        lines += ranking_lines(ranking, regions=procedure.regions)
    return lines


def ranking_lines(ranking: Ranking, *, regions: Sequence[str] = ()) -> list[str]:
    """Return the lines of one ranking.

    Parameters
    ----------
    regions
        Names of all regions.
    """
    title = f"ranking “{ranking.name}”: " if ranking.name else ""
    each = "for every metric and region" if regions else "for every metric"
    named = [", ".join(part) for part in (ranking.metrics if ranking.name else (), ranking.regions or ()) if part]
    limited = f" ({'; '.join(named)})" if named else ""
    lines = [f"{title}{each}{limited}"]
    if ranking.apart:
        within = f" within each {joined(ranking.apart_within)}" if ranking.apart_within else ""
        lines.append(f"  each {joined(ranking.apart)}{within} by itself, on its own cases")
    for statement in ranking.of_cases[:-1] if ranking.of_cases else ():
        lines += [f"  {line}" for line in statement_lines(statement)]
    if ranking.of_cases and not isinstance(ranking.of_cases[-1], RankScores):
        lines += [f"  {line}" for line in statement_lines(ranking.of_cases[-1])]
    if ranking.of_data_set:
        if ranking.of_cases:
            lines.append("  for a metric over all cases together: score ← its one value")
        else:
            lines += [f"  {line}" for line in statement_lines(ranking.of_data_set[0])]
    for position, last in enumerate((ranking.of_cases or ranking.of_data_set)[-1:]):
        if position == 0 and isinstance(last, RankScores):
            lines += [f"  {line}" for line in statement_lines(last)]
    for step in ranking.combine or ():
        lines += _combined(step)
    return lines


def statement_lines(statement: Statement) -> list[str]:
    """Return the lines of one statement, without the indent of what is around it."""
    if isinstance(statement, RankCases):
        return [
            "for every case: rank the algorithms",
            f"  equal values share {_TIES[statement.ties]}",
            f"  with the last rank of the case: {_MISSING_RANKS[statement.missing_rank]}",
        ]
    if isinstance(statement, Group):
        what = (
            f"of the ranks of its {plural(statement.inner)}"
            if statement.of_ranks
            else f"over its {plural(statement.inner)}"
        )
        name = "rank" if statement.of_ranks else "value"
        within = f" within each {joined(statement.within)}" if statement.within else ""
        return [f"for every {statement.outer}{within}: {name} ← {operator_words(statement.operator)} {what}"]
    if isinstance(statement, Aggregate):
        over = f"over {plural(statement.unit)}"
        what = (
            over
            if not statement.of_ranks
            else "of these ranks"
            if statement.unit == "case"
            else f"of these ranks {over}"
        )
        return [f"score ← {operator_words(statement.operator)} {what}"]
    if isinstance(statement, Compare):
        adjusted = "after Holm's adjustment" if statement.adjust == "holm" else "without adjustment"
        return [
            (
                "for every pair of algorithms: one-sided Wilcoxon signed rank test on the same "
                f"{plural(statement.unit)} (normal approximation with continuity correction, without differences of 0)"
            ),
            f"score ← share of the others beaten at level {statement.alpha:.12g} {adjusted}",
        ]
    if isinstance(statement, TakeValue):
        return ["score ← one value over all cases"]
    if isinstance(statement, Described):
        return list(statement.lines)
    return [
        f"rank ← position of the score, {statement.best} first",
        f"equal scores share {_TIES[statement.ties]}",
        f"without a score: {_MISSING_RANKS[statement.missing_rank]}",
    ]


def operator_words(operator: Operator) -> str:
    """Return an operator in a line of pseudo-code.

    Examples
    --------
    >>> from evaluation.assessment.model import Operator
    >>> operator_words(Operator("percentile", 5.0)), operator_words(Operator("percentile", 5.0, "low"))
    ('5 % percentile from the worse end', '5 % percentile from the lower end')
    """
    if operator.percentile is None:
        return operator.kind
    end = "worse" if operator.counted_from == "worse" else "lower"
    return f"{operator.percentile:.12g} % percentile from the {end} end"


def _left_out(leave: Leave) -> list[str]:
    lines = []
    if leave.cases:
        lines.append(f"leave out {counted(len(leave.cases), 'case')}, for every algorithm")
    if leave.column and leave.grades:
        lines.append(f"leave out the cases whose {leave.column} is {joined(leave.grades, 'or')}, for every algorithm")
    return lines


def _measured(measures: Sequence[Measure]) -> list[str]:
    lines = []
    indent = "    "
    if measures[0].regions:
        lines.append(f"{indent}for every region of {', '.join(measures[0].regions)}")
        indent += "  "
    if measures[0].missing_words and measures[0].level != "run":
        lines.append(f"{indent}a case without a valid answer {measures[0].missing_words}")
    for measure in measures:
        options = f"({measure.option_words})" if measure.option_words else ""
        lines.append(f"{indent}{measure.metric} ← {measure.title}{options}")
        lines += [
            f"{indent}  if {_outcome(fill, measure)}: {measure.metric} ← {_counts_as(fill)}" for fill in measure.fills
        ]
    return lines


def _outcome(fill: Fill, measure: Measure) -> str:
    if fill.outcome == "missing":
        if measure.level == "run":
            return _MISSING_OF_RUN
        if measure.missing_words:
            return _MISSING_OF_ANSWERS
        if measure.level == "dataset":
            return _MISSING_OF_DATA_SET
    return _OUTCOMES[fill.outcome]


def _counts_as(fill: Fill) -> str:
    if isinstance(fill.counts_as, str):
        return _COUNTS_AS[fill.counts_as]
    return f"{fill.counts_as:.12g}{f' ({fill.name})' if fill.name else ''}"


def _weighed(weigh: Weigh) -> list[str]:
    metric = weigh.metric
    value = f"{metric} ÷ weight" if weigh.worst is None else f"{weigh.worst:g} + weight × ({metric} − {weigh.worst:g})"
    named = ", ".join(f"{level.replace('_', ' ')} {weight:g}" for level, weight in weigh.weights)
    return [f"  {metric} ← {value}, where it is measured", f"    weight ← {named}; not known {weigh.lowest:g}"]


def _combined(step: Combine) -> list[str]:
    over = joined([plural(name) for name in step.over])
    words = []
    for dimension, given in (step.weights or {}).items():
        if isinstance(given, str):
            root = "the square root of " if given == "sqrt_cases" else ""
            words.append(f"each {dimension} by {root}its number of cases")
        else:
            words.append(", ".join(f"{name} {weight:.12g}" for name, weight in given.items()))
    weighted = f", weighted ({'; '.join(words)})" if words else ""
    score = (
        f"{operator_words(step.operator)} of the {step.quantity} over {over}{weighted}" if over else "the rank itself"
    )
    return [
        f"{score}, then rank again",
        *(["  only where all tasks have the same algorithms"] if "task" in step.over else []),
        f"  equal scores share {_TIES[step.ties]}",
        f"  without a score: {_MISSING_RANKS[step.missing_rank]}",
    ]

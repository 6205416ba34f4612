"""Sentences on the cost of a case without a valid prediction, derived from the assessment document."""

from collections.abc import Iterable

from evaluation.assessment.model import Assessment, MetricUse
from evaluation.problems import kind_of
from evaluation.wording import joined


def cost_of_a_missing_case(assessment: Assessment) -> str:
    """Describe how a case without a valid prediction counts in each metric.

    The text continues a sentence, for example after “each of them”.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> cost_of_a_missing_case(
    ...     parse(
    ...         {
    ...             "schema": 1,
    ...             "problem": "semantic_segmentation",
    ...             "regions": [{"name": "all", "labels": [1]}],
    ...             "metrics": [{"id": "dsc"}, {"id": "nsd"}, {"id": "assd", "policy": {"missing": 40}}],
    ...             "aggregation": {"levels": ["case"], "operator": "mean"},
    ...         }
    ...     )
    ... )
    'counts as 0 in DSC and NSD, and as 40 mm in ASSD'
    """
    if words := kind_of(assessment).texts.missing_cases(assessment):
        return words
    cases = [use for use in assessment.metrics if use.level == "case"]
    whole = [use for use in assessment.metrics if use.level != "case"]
    parts = [f"counts {_listed(cases)}"] if cases else ["is missing"]
    if whole:
        what = "a value" if len(whole) == 1 else "values"
        parts.append(f"makes {what} of the whole data set missing, which then {_verb(whole)} {_listed(whole)}")
    return ", and ".join(parts)


def rule_of_a_missing_case(assessment: Assessment, *, of_algorithm: bool = False) -> str:
    """Return the rule for a case without a valid prediction as a sentence.

    The rule covers submitted files or, with `of_algorithm`, an algorithm that is run.
    """
    cost = cost_of_a_missing_case(assessment)
    if of_algorithm:
        return (
            "A case that your algorithm does not finish within its limits, crashes at, or writes nothing that can be used for is "
            f"missing: it {cost}."
        )
    return f"A case that is missing or cannot be read {cost}."


def rule_of_methods(most: int) -> str:
    """Describe the number of ranked submissions per team; empty if it is one.

    Examples
    --------
    >>> rule_of_methods(2)
    'Up to 2 submissions of a team are ranked, each as a method of its own.'
    >>> rule_of_methods(1)
    ''
    """
    return f"Up to {most} submissions of a team are ranked, each as a method of its own." if most > 1 else ""


def _verb(uses: list[MetricUse]) -> str:
    return "counts" if len(uses) == 1 else "count"


def _listed(uses: Iterable[MetricUse]) -> str:
    groups: dict[str, list[str]] = {}
    for use in uses:
        groups.setdefault(_counts_as(use), []).append(use.title)
    return ", and ".join(f"{words} in {joined(names)}" for words, names in groups.items())


def _counts_as(use: MetricUse) -> str:
    value = use.policy.missing
    if value == "worst":
        value = use.worst
    elif value == "perfect":
        value = use.best
    if isinstance(value, (int, float)):
        return f"as {value:g}{f' {use.unit}' if use.unit else ''}"
    return {
        "image_diagonal": "as the diagonal of its image",
        "worst_rank": "as the last rank of the case",
        "exclude": "as nothing at all",
    }.get(str(value), "as the worst value")

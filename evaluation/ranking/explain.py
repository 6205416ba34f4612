"""How the winner is found, in plain words, from the registered assessment alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation import problems
from evaluation.assessment.exclusions import counted_words
from evaluation.catalogue import get
from evaluation.claims.beforehand import limits
from evaluation.ranking.evaluate import unit_level
from evaluation.ranking.operators import operator_phrase, ordinal
from evaluation.ranking.schemes import ONE_VALUE, get_scheme
from evaluation.ranking.uncertainty.needed import is_linear, units_needed
from evaluation.wording import joined, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment import Assessment, MetricUse, RankingScheme, Step

_TIES = {
    "min": "Algorithms with equal scores share the better rank (1, 2, 2, 4).",
    "max": "Algorithms with equal scores share the worse rank (1, 3, 3, 4).",
    "dense": "Algorithms with equal scores share a rank and the next rank follows without a gap (1, 2, 2, 3).",
    "average": "Algorithms with equal scores share the average of their ranks (1, 2.5, 2.5, 4).",
}
_OUTCOMES = {
    "missing": "A missing or unreadable prediction",
    "pred_empty": "An empty prediction where there is something to find",
    "ref_empty": "A prediction where there is nothing to find",
    "both_empty": "An empty prediction where there is nothing to find",
    "degenerate": "An otherwise undefined value",
}
_LEFT_OUT = "left out"
_OUTCOME_OF_DATA_SET = "With any prediction missing or unreadable, a metric of all cases together"


def describe(assessment: Assessment) -> list[str]:
    """Say in plain sentences how the winner is found.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> document = {
    ...     "problem": "semantic_segmentation",
    ...     "regions": [{"name": "liver", "labels": [1]}],
    ...     "metrics": [{"id": "dsc"}],
    ... }
    >>> for sentence in describe(parse(document))[:3]:
    ...     print(sentence)
    Each case is scored with the Dice Similarity Coefficient (higher is better) on the region liver.
    An algorithm's score is the mean of its values over all cases; the best score gets rank 1.
    Algorithms with equal scores share the better rank (1, 2, 2, 4).
    """
    sentences = [_measured(assessment)]
    for scheme in assessment.rankings:
        prefix = f"Ranking “{scheme.name}”: " if len(assessment.rankings) > 1 else ""
        sentences += [
            prefix + sentence if index == 0 else sentence for index, sentence in enumerate(_scheme(scheme, assessment))
        ]
    sentences += _policies(assessment)
    sentences += _levels_of_interaction(assessment)
    sentences += _exclusions(assessment)
    sentences += _uncertainty(assessment)
    return sentences


def _levels_of_interaction(assessment: Assessment) -> list[str]:
    weights = assessment.interaction_weights
    if not weights:
        return []
    named = joined([f"{level.replace('_', ' ')} {weight:g}" for level, weight in weights.items()])
    sentence = f"Before ranking, each value keeps a part of its distance from the worst value by the level of interaction ({named})"
    rest = "values without a worst end are divided by it. A method whose level is not known counts like the lowest."
    return [f"{sentence}; {rest}"]


def metric_words(metric: MetricUse, where: str = "") -> str:
    """Name of a metric, with the options that tell it apart, its direction, and where it has values if that is to be said."""
    after = f", {where}" if where else ""
    if metric.id == "value":
        return f"{metric.name} ({metric.direction} is better{after})"
    known = get(metric.id)
    title, details = known.name, f"{metric.direction} is better"
    if "percentile" in metric.options:
        title = f"{known.name.split(',')[0]}, {ordinal(metric.options['percentile'])} percentile"
    if "tolerance" in metric.options:
        details += f", tolerance {metric.options['tolerance']:g} mm"
    own = f"{metric.name}: " if metric.name != metric.id else ""
    return f"{own}{title} ({details}{after})"


def _measured(assessment: Assessment) -> str:
    # No article stands before a name in the genitive: Harrell's Concordance Index.
    bare = assessment.metrics[0].id == "value" or "'s " in metric_words(assessment.metrics[0])
    article = "" if bare else "the "
    kind = problems.get(assessment.problem)
    regions = [region.name for region in assessment.regions]
    parts = {use.name: _parts_of(use, assessment, regions) for use in assessment.metrics}
    # Where all metrics have values in the same parts, these are named once, at the end.
    shared = regions if all(own == regions for own in parts.values()) else []
    said = []
    for level, what in (("case", "each case is"), ("dataset", "all cases together are")):
        names = joined(
            [
                metric_words(use, "" if shared else _where(kind.part_noun, parts[use.name]))
                for use in assessment.metrics
                if use.level == level
            ]
        )
        if names:
            said.append(f"{what} scored with {article}{names}")
    sentence = ", ".join(said)
    where = f" {shared_where}" if (shared_where := _where(kind.part_noun, shared)) else ""
    return f"{sentence[0].upper()}{sentence[1:]}{where}."


def _parts_of(use: MetricUse, assessment: Assessment, regions: Sequence[str]) -> list[str]:
    """Regions of the assessment in which a metric has a value; none where it has one over all of them."""
    if not regions or use.is_by_scorer:
        return list(regions)
    of_kind = problems.get(assessment.problem).regions_of(assessment, use, {"classes": regions, "regions": regions})
    return [name for name in of_kind if name in regions]


def _where(noun: str, parts: Sequence[str]) -> str:
    return f"on the {noun if len(parts) == 1 else plural(noun)} {joined(parts)}" if parts else ""


def _scheme(scheme: RankingScheme, assessment: Assessment) -> list[str]:
    units = plural(assessment.aggregation.unit)
    several = [
        name for name, list_ in (("metric", assessment.metrics), ("region", assessment.regions)) if len(list_) > 1
    ]
    if any("task" in step.over for step in scheme.combine or ()):
        several.append("task")
    each = f"For each {joined(several)}, " if several else ""
    levels = {metric.level for metric in assessment.metrics}
    chosen = get_scheme(scheme.scheme)
    first = f"{each}{ONE_VALUE}" if levels == {"dataset"} else chosen.sentence(scheme, each=each, units=units)
    sentences = [first[0].upper() + first[1:], _TIES[scheme.ties]]
    if levels == {"case", "dataset"} and not chosen.one_value:
        sentences.insert(1, "A metric of all cases together has one value, which is the score.")
    if len(assessment.aggregation.levels) > 1:
        operator = operator_phrase(assessment.aggregation.operator)
        pairs = zip(assessment.aggregation.levels[:-1], assessment.aggregation.levels[1:], strict=True)
        chain = joined([f"{operator} over the {plural(inner)} of each {outer}" for inner, outer in pairs], "and then")
        sentences.append(f"Before that, {chain} is taken.")
    if scheme.metrics or scheme.regions:
        sentences.append(f"It uses {joined([*(scheme.metrics or ()), *(scheme.regions or ())])} only.")
    kind = problems.get(assessment.problem)
    if scheme.combine and (len(assessment.metrics) > 1 or len(assessment.regions) > 1 or kind.has_one_metric):
        columns = [name for step in scheme.combine for name in step.over if name not in ("metric", "region", "task")]
        if columns:
            sentences.append(f"Each {joined(columns)} is ranked on its own cases.")
        sentences += [_step(step, scheme, last=step is scheme.combine[-1]) for step in scheme.combine]
    return sentences


def _step(step: Step, scheme: RankingScheme, *, last: bool) -> str:
    over = joined([plural(name) for name in step.over])
    what = "mean ranks" if not step.rerank else "fractional ranks" if step.fractional else "ranks"
    result = "the lowest result wins" if last else "the result goes into the next step"
    ties = f" {_TIES[step.ties]}" if last and step.ties != scheme.ties else ""
    return f"Then {operator_phrase(step.operator)} of the {what} over {over} is taken{_weights(step)}; {result}.{ties}"


def _weights(step: Step) -> str:
    parts = []
    for dimension, given in (step.weights or {}).items():
        if isinstance(given, str):
            root = "the square root of " if given == "sqrt_cases" else ""
            parts.append(f"each {dimension} by {root}its number of cases")
        else:
            parts.append(joined([f"{name} {weight:g}" for name, weight in given.items()]))
    return f", weighted ({'; '.join(parts)})" if parts else ""


def _policies(assessment: Assessment) -> list[str]:
    """One sentence for each outcome that a participant causes, metrics with the same rule together."""
    if words := problems.get(assessment.problem).missing_words(assessment):
        return [
            f"A case without a valid answer {words}.",
            *_policy_sentence(
                "A submission without answers, or without the scores that a metric needs,",
                "missing",
                assessment.metrics,
            ),
        ]
    of_cases = [metric for metric in assessment.metrics if metric.level == "case"]
    of_data_set = [metric for metric in assessment.metrics if metric.level == "dataset"]
    sentences = []
    for outcome in ("missing", "pred_empty", "ref_empty"):
        if outcome != "missing" and not problems.get(assessment.problem).tells_outcomes:
            continue
        sentences += _policy_sentence(_OUTCOMES[outcome], outcome, of_cases)
        if outcome == "missing":
            sentences += _policy_sentence(_OUTCOME_OF_DATA_SET, outcome, of_data_set)
    return sentences


def _exclusions(assessment: Assessment) -> list[str]:
    """Which cases do not count, for anybody."""
    rule, said = assessment.exclusions, []
    if rule.cases:
        number = len(rule.cases)
        subject = "1 case does" if number == 1 else f"{number} cases do"
        said.append(
            f"{subject} not count, for any team, because of the data: {counted_words(list(rule.cases.values()))}."
        )
    if rule.grade_column:
        left_out = (
            f"cases that are {joined(rule.grades, 'or')} do not count, for any team" if rule.grades else "all count"
        )
        said.append(f"The quality of each case is graded ({rule.grade_column}): {left_out}.")
    return said


def _policy_sentence(subject: str, outcome: str, metrics: Sequence[MetricUse]) -> list[str]:
    """What an outcome counts as; nothing where no metric has a rule for it."""
    rules: dict[str, list[str]] = {}
    for metric in metrics:
        words = _policy_words(metric, outcome)
        if words:
            rules.setdefault(words, []).append(_short(metric))
    if not rules:
        return []
    if len(rules) == 1:
        return [f"{subject} {_treated(next(iter(rules)))}."]
    # What counts as something stands first, so that the verb is written once.
    counting = [f"{words} for {joined(names)}" for words, names in rules.items() if words != _LEFT_OUT]
    said = [f"counts as {joined(counting)}"] if counting else []
    if _LEFT_OUT in rules:
        said.append(f"is {_LEFT_OUT} for {joined(rules[_LEFT_OUT])}")
    return [f"{subject} {joined(said)}."]


def _treated(words: str) -> str:
    """What is done with an outcome of one rule."""
    return f"is {_LEFT_OUT}" if words == _LEFT_OUT else f"counts as {words}"


def _short(metric: MetricUse) -> str:
    return metric.name if metric.id == "value" or metric.name != metric.id else get(metric.id).abbreviation


def _policy_words(metric: MetricUse, outcome: str) -> str:
    value = metric.policy.get(outcome)
    if value is None:
        return ""
    if value == "worst" and metric.worst is not None:
        return f"the worst value ({metric.worst:g})"
    if value == "perfect" and metric.best is not None:
        return f"the best value ({metric.best:g})"
    words = {
        "worst": "the worst value of the case",
        "image_diagonal": "the diagonal of the image",
        "exclude": _LEFT_OUT,
        "worst_rank": "the last rank of the case",
    }
    return words[value] if isinstance(value, str) else f"{value:g}"


def _uncertainty(assessment: Assessment) -> list[str]:
    rule = assessment.uncertainty
    if rule.bootstrap == 0:
        return ["The ranking is not resampled, so nothing is said about its uncertainty."]
    drawn = joined([plural(level) for level in rule.resample], "then")
    within = f" within each {joined(list(rule.strata))}" if rule.strata else ""
    how = (
        f"To see how much the ranking varies, {drawn} are drawn with replacement{within} {rule.bootstrap:,} times, "
        f"the same for all algorithms, and ranked anew; the resampling range holds the middle {100 * rule.interval:.6g} % of these ranks."
    )
    return [how, *_certainty(assessment)]


def _certainty(assessment: Assessment) -> list[str]:
    """What statements about order rest on."""
    rule = assessment.uncertainty
    total = round(1.0 - rule.interval, 12)
    alpha = total if rule.winner_alpha is None else min(total, rule.winner_alpha)
    said = [
        (
            "A winner is named only if it is shown to be better than every other algorithm; one is named wrongly in at most "
            f"{100 * alpha:.3g} % of such challenges."
        ),
    ]
    said += _method(assessment)
    said += limits(assessment)
    if assessment.aggregation.fixed:
        levels = joined([plural(level) for level in assessment.aggregation.fixed])
        said.append(f"The {levels} of the test cases are taken to be all there are: nothing is said about others.")
    return said


def _method(assessment: Assessment) -> list[str]:
    """How rank sets and winners are found, and how exact that is; nothing where none can be."""
    needed = zip(assessment.rankings, units_needed(assessment), strict=True)
    by_flips = {is_linear(scheme, assessment) for scheme, fewest_units in needed if fewest_units.winner is not None}
    unit = unit_level(assessment)
    words = {
        True: (
            f"by flipping the signs of differences {unit} by {unit}: exact where these differences are symmetric, approximate "
            "elsewhere"
        ),
        False: "by widening the deviations of the draws until the order of a pair may turn: approximate",
    }
    if not by_flips:
        return []
    ways = [words[way] for way in (True, False) if way in by_flips]
    several = f", or, where what decides is no mean over {plural(unit)}, " if len(ways) > 1 else ""
    return [f"Rank sets and winner rest on paired comparisons of all algorithms at once, {several.join(ways)}."]

"""Plain-language description of the rule for the winner, from the registered assessment alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.assessment.described import WITHOUT
from evaluation.assessment.exclusions import counted_words
from evaluation.assessment.options import option_sentences
from evaluation.assessment.ranking import EXPLORATORY
from evaluation.catalogue import get
from evaluation.claims.beforehand import limits
from evaluation.claims.numbers import about
from evaluation.problems import kind_of
from evaluation.ranking.evaluate import unit_level
from evaluation.ranking.procedure.building import ranking_of
from evaluation.ranking.procedure.statements import Aggregate, Compare, Group
from evaluation.ranking.reading import share_of_winner
from evaluation.ranking.schemes import ONE_VALUE, get_scheme
from evaluation.ranking.scores import operator_phrase, ordinal
from evaluation.ranking.uncertainty.needed import is_linear, units_needed
from evaluation.wording import joined, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment.model import Assessment, MetricUse, RankingScheme, Step
    from evaluation.ranking.procedure.statements import Ranking

_TIES = {
    "min": "Algorithms with equal scores share the better rank (1, 2, 2, 4).",
    "max": "Algorithms with equal scores share the worse rank (1, 3, 3, 4).",
    "dense": "Algorithms with equal scores share a rank and the next rank follows without a gap (1, 2, 2, 3).",
    "average": "Algorithms with equal scores share the average of their ranks (1, 2.5, 2.5, 4).",
}
_ROLES = {
    "primary": "This ranking is primary. Primary rankings share the error by Holm’s method.",
    "secondary": "This ranking is secondary. Secondary rankings share the error by Holm’s method.",
    "exploratory": "This ranking is exploratory: it names no winner, and its intervals are descriptive.",
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
    """Describe in plain sentences how the winner is determined.

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
    sentences += option_sentences(assessment)
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
    """Return the name of a metric with its distinguishing options and its direction.

    With `where`, the text also states where the metric has values.
    """
    after = f", {where}" if where else ""
    if metric.id == "value":
        unit = ""
        if metric.is_by_run:
            step = metric.options["step"]
            unit = f", in whole steps of {step:g} {metric.unit}" if step else f", in {metric.unit}"
        return f"{metric.title} ({metric.direction} is better{unit}{after})"
    catalogue_entry = get(metric.id)
    title, details = catalogue_entry.name, f"{metric.direction} is better"
    if "percentile" in metric.options:
        title = f"{catalogue_entry.name.split(',')[0]}, {ordinal(metric.options['percentile'])} percentile"
    if "tolerance" in metric.options:
        details += f", tolerance {metric.options['tolerance']:g} mm"
    prefix = f"{metric.title}: " if metric.name != metric.id else ""
    return f"{prefix}{title} ({details}{after})"


def _measured(assessment: Assessment) -> str:
    # No article stands before a name in the genitive: Harrell's Concordance Index.
    first = next((use for use in assessment.metrics if not use.is_by_run), assessment.metrics[0])
    bare = first.id == "value" or "'s " in metric_words(first)
    article = "" if bare else "the "
    kind = kind_of(assessment)
    regions = [region.name for region in assessment.regions]
    parts = {use.name: _parts_of(use, assessment, regions) for use in assessment.metrics if not use.is_by_run}
    # Where all metrics have values in the same parts, these are named once, at the end.
    shared = regions if all(metric_parts == regions for metric_parts in parts.values()) else []
    clauses = []
    together = kind.texts.pooled_cases(assessment.settings)
    for level, what in (("case", "each case is"), ("dataset", f"{together} are")):
        names = joined(
            [
                metric_words(use, "" if shared else _where(kind.texts.region_noun, parts[use.name]))
                for use in assessment.metrics
                if use.level == level and not use.is_by_run
            ]
        )
        if names:
            clauses.append(f"{what} scored with {article}{names}")
    sentence = ", ".join(clauses)
    where = f" {shared_where}" if (shared_where := _where(kind.texts.region_noun, shared)) else ""
    costs = joined([metric_words(use) for use in assessment.by_run])
    ran = f"Measured while the algorithm runs on a case: {costs}." if costs else ""
    return " ".join(filter(None, [f"{sentence[0].upper()}{sentence[1:]}{where}." if sentence else "", ran]))


def _parts_of(use: MetricUse, assessment: Assessment, regions: Sequence[str]) -> list[str]:
    """Regions of the assessment in which a metric has a value; none where it has one over all of them."""
    if use.is_by_scorer:
        return list(regions)
    of_kind = kind_of(assessment).evidence.regions_of(assessment, use, {"classes": regions, "regions": regions})
    return [name for name in of_kind if name in regions]


def _where(noun: str, parts: Sequence[str]) -> str:
    return f"on the {noun if len(parts) == 1 else plural(noun)} {joined(parts)}" if parts else ""


def _scheme(scheme: RankingScheme, assessment: Assessment) -> list[str]:
    metrics = [metric for metric in assessment.metrics if scheme.metrics is None or metric.name in scheme.metrics]
    several = [name for name, list_ in (("metric", metrics), ("region", assessment.regions)) if len(list_) > 1]
    if any("task" in step.over for step in scheme.combine or ()):
        several.append("task")
    kind = kind_of(assessment)
    apart = kind.evidence.data_set_columns(assessment.settings)
    several += apart
    each = f"For each {joined(several)}, " if several else ""
    ranking = ranking_of(scheme, assessment)
    first = _score(scheme, ranking, each)
    if not ranking.of_cases:
        first = f"{each}{'there is one value; the best value gets rank 1.' if apart else ONE_VALUE}"
    sentences = [first[0].upper() + first[1:], _TIES[scheme.ties]]
    if ranking.of_cases and ranking.of_data_set:
        sentences.insert(1, "A metric of all cases together has one value, which is the score.")
    sentences += _groups(ranking, assessment)
    if scheme.metrics or scheme.regions:
        titles = [assessment.metric(name).title for name in scheme.metrics or ()]
        sentences.append(f"It uses {joined([*titles, *(scheme.regions or ())])} only.")
    is_several = len(metrics) > 1 or len(assessment.regions) > 1 or bool(apart)
    if scheme.combine and (is_several or kind.metrics.is_single_metric):
        if ranking.apart:
            within = f" within each {joined(ranking.apart_within)}" if ranking.apart_within else ""
            sentences.append(f"Each {joined(ranking.apart)}{within} is ranked on its own cases.")
        steps = [
            (step, done.over) for step, done in zip(scheme.combine, ranking.combine or (), strict=True) if done.over
        ]
        sentences += [_step(step, over, scheme, assessment, last=step is steps[-1][0]) for step, over in steps]
        if kind.evidence.has_overall_value(assessment.settings) and any(
            "region" in step.over for step in scheme.combine
        ):
            sentences.append(f"The value of {kind.texts.pooled_cases({})} stands beside that and does not count in it.")
    if scheme.role is not None:
        sentences.append(_ROLES[scheme.role])
    return sentences


def _score(scheme: RankingScheme, ranking: Ranking, each: str) -> str:
    """Return the steps from values of cases to a score."""
    compared = [statement.unit for statement in ranking.of_cases if isinstance(statement, (Aggregate, Compare))]
    units = plural(compared[0] if compared else "case")
    averaged = [statement for statement in ranking.of_cases if isinstance(statement, Aggregate)]
    if get_scheme(scheme.scheme).one_value and averaged:
        # Values of cases have no one value for all cases together: their mean is taken.
        operator = operator_phrase(averaged[0].operator)
        return f"{each}an algorithm's score is {operator} of its values over all {units}; the best score gets rank 1."
    return get_scheme(scheme.scheme).sentence(scheme, each=each, units=units)


def _groups(ranking: Ranking, assessment: Assessment) -> list[str]:
    """Return the steps over groups of cases, metric by metric; metrics that are computed from all cases have none."""
    sentences = []
    groups = [statement for statement in ranking.of_cases if isinstance(statement, Group)]
    used = [use for use in assessment.metrics if use.name in ranking.metrics]
    of_data_set = [use.title for use in used if use.level == "dataset"]
    # A metric may average over images or patients itself, which its options state.
    pooled = [use.title for use in used if use.level == "dataset" and use.options.get("scale") in (None, "dataset")]
    if groups:
        of_ranks = "the ranks of " if groups[0].of_ranks else ""
        chain = joined(
            [
                f"{operator_phrase(group.operator)} over {of_ranks}the {plural(group.inner)} of each {group.outer}"
                + (f" within each {joined(group.within)}" if group.within else "")
                for group in groups
            ],
            "and then",
        )
        named = [use.title for use in used if use.level == "case"]
        of_metrics = f", for {joined(named)}" if of_data_set else ""
        when = "Before the score" if groups[0].of_ranks else "Before that"
        sentences.append(f"{when}, {chain} is taken{of_metrics}.")
    if pooled and len(assessment.aggregation.levels) > 1:
        levels = joined([plural(level) for level in assessment.aggregation.levels[1:]], "or")
        sentences.append(
            f"{joined(pooled)} {'is' if len(pooled) == 1 else 'are'} computed from all cases together: no "
            f"{_operator_noun(assessment)} over {levels} is taken."
        )
    return sentences


def _operator_noun(assessment: Assessment) -> str:
    return operator_phrase(assessment.aggregation.operator).removeprefix("the ")


def _step(step: Step, dimensions: Sequence[str], scheme: RankingScheme, assessment: Assessment, *, last: bool) -> str:
    # Data sets are regions of what all their cases give together.
    apart = kind_of(assessment).evidence.data_set_columns(assessment.settings)
    regions = [*(["region"] if assessment.regions or not apart else []), *apart]
    over = joined([plural(name) for part in dimensions for name in (regions if part == "region" else [part])])
    used = [use for use in assessment.metrics if scheme.metrics is None or use.name in scheme.metrics]
    of_ranks = "scores" if any(use.level == "dataset" for use in used) else "mean ranks"
    what = of_ranks if not step.rerank else "fractional ranks" if step.fractional else "ranks"
    result = "the lowest result wins" if last else "the result goes into the next step"
    ties = f" {_TIES[step.ties]}" if last and step.ties != scheme.ties else ""
    return f"Then {operator_phrase(step.operator)} of the {what} over {over} is taken{_weights(step, assessment)}; {result}.{ties}"


def _weights(step: Step, assessment: Assessment) -> str:
    titles = {metric.name: metric.title for metric in assessment.metrics}
    parts = []
    for dimension, given in (step.weights or {}).items():
        if isinstance(given, str):
            root = "the square root of " if given == "sqrt_cases" else ""
            parts.append(f"each {dimension} by {root}its number of cases")
        else:
            names = titles if dimension == "metric" else {}
            parts.append(joined([f"{names.get(name, name)} {weight:g}" for name, weight in given.items()]))
    return f", weighted ({'; '.join(parts)})" if parts else ""


def _policies(assessment: Assessment) -> list[str]:
    """One sentence for each outcome that a participant causes, metrics with the same rule together."""
    if words := kind_of(assessment).texts.missing_cases(assessment):
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
    if kind_of(assessment).is_measured_elsewhere:
        single = "A missing value" if not of_data_set else "A missing value of a case"
        return [
            *_policy_sentence(single, "missing", of_cases),
            *_policy_sentence("A missing value of all cases together", "missing", of_data_set),
        ]
    sentences = []
    for outcome in ("missing", "pred_empty", "ref_empty"):
        if outcome != "missing" and not kind_of(assessment).metrics.can_be_undefined:
            continue
        sentences += _policy_sentence(_OUTCOMES[outcome], outcome, of_cases)
        if outcome == "missing":
            sentences += _policy_sentence(_OUTCOME_OF_DATA_SET, outcome, of_data_set)
    return sentences


def _exclusions(assessment: Assessment) -> list[str]:
    """Return sentences on the cases that do not count for any team."""
    rule, sentences = assessment.exclusions, []
    if rule.cases:
        number = len(rule.cases)
        subject = "1 case does" if number == 1 else f"{number} cases do"
        sentences.append(
            f"{subject} not count, for any team, because of the data: {counted_words(list(rule.cases.values()))}."
        )
    if rule.grade_column:
        left_out = (
            f"cases that are {joined(rule.grades, 'or')} do not count, for any team" if rule.grades else "all count"
        )
        sentences.append(f"The quality of each case is graded ({rule.grade_column}): {left_out}.")
    return sentences


def _policy_sentence(subject: str, outcome: str, metrics: Sequence[MetricUse]) -> list[str]:
    """Return a sentence on how an outcome counts; empty where no metric has a rule for it."""
    rules: dict[str, list[str]] = {}
    for metric in metrics:
        words = _policy_words(metric, outcome)
        if words:
            rules.setdefault(words, []).append(metric.title)
    if not rules:
        return []
    if len(rules) == 1:
        return [f"{subject} {_treated(next(iter(rules)))}."]
    # What counts as something stands first, so that the verb is written once.
    counting = [f"{words} for {joined(names)}" for words, names in rules.items() if words != _LEFT_OUT]
    clauses = [f"counts as {joined(counting)}"] if counting else []
    if _LEFT_OUT in rules:
        clauses.append(f"is {_LEFT_OUT} for {joined(rules[_LEFT_OUT])}")
    return [f"{subject} {joined(clauses)}."]


def _treated(words: str) -> str:
    """Return the clause on how an outcome with a single rule is treated."""
    return f"is {_LEFT_OUT}" if words == _LEFT_OUT else f"counts as {words}"


def _policy_words(metric: MetricUse, outcome: str) -> str:
    value = metric.policy.get(outcome)
    if value is None:
        return ""
    if value == "worst" and metric.worst is not None:
        unit = f" {metric.unit}" if metric.is_by_run else ""
        return f"the worst value ({metric.worst:g}{unit})"
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
    given, silent = _given(assessment, says_uncertainty=True), _given(assessment, says_uncertainty=False)
    drawn = joined([plural(level) for level in rule.resample], "then")
    within = f" within each {joined(list(rule.strata))}" if rule.strata else ""
    times = f"{rule.bootstrap:,} times" if not given else f"up to {rule.bootstrap:,} times"
    sentences = []
    if len(given) + len(silent) < len(assessment.metrics):
        sentences.append(
            f"To see how much the ranking varies, {drawn} are drawn with replacement{within} {times}, "
            "the same for all algorithms, and ranked again; the resampling range holds the middle "
            f"{100 * rule.interval:.6g} % of these ranks."
        )
    if given:
        sentences.append(
            f"The uncertainty of {joined(given)} is submitted with the values: as replicates (values on the same resamples for all "
            f"algorithms) or as standard errors. They give up to {rule.bootstrap:,} draws."
        )
    if silent:
        sentences.append(
            f"The uncertainty of {joined(silent)} is unknown: no rank by {'it' if len(silent) == 1 else 'them'} is sure."
        )
    return [*sentences, *_certainty(assessment)]


def _given(assessment: Assessment, *, says_uncertainty: bool) -> list[str]:
    """Values of the whole data set that are measured elsewhere, with or without what they vary by."""
    if not kind_of(assessment).is_measured_elsewhere:
        return []
    return [
        metric.title
        for metric in assessment.metrics
        if metric.level == "dataset" and says_uncertainty is not bool(metric.options.get(WITHOUT))
    ]


def _certainty(assessment: Assessment) -> list[str]:
    """Return sentences on the basis of statements about order."""
    rule = assessment.uncertainty
    alpha = 1.0 if rule.winner_alpha is None else rule.winner_alpha
    several, two = (about(share_of_winner(alpha, rule.interval, algorithms)) for algorithms in (3, 2))
    of_two = f" ({two} with two algorithms)" if two != several else ""
    if all(ranking.role == EXPLORATORY for ranking in assessment.rankings):
        return _fixed(assessment)
    has_margin = any(margin > 0.0 for margin in rule.margin.values())
    at_most = "at most " if has_margin else ""
    sentences = [
        (
            "A winner is named only if it is significantly better than every other algorithm. If the two best algorithms were "
            f"equally good, one of them would be named in {at_most}about {several} of challenges{of_two}."
        ),
    ]
    if has_margin:
        sentences.append(
            "Where a margin is registered, a winner’s lead must exceed it. A winner is then named in fewer challenges."
        )
    sentences += _method(assessment)
    sentences += limits(assessment)
    return sentences + _fixed(assessment)


def _fixed(assessment: Assessment) -> list[str]:
    """Return a sentence on levels that are not a sample."""
    if not assessment.aggregation.fixed:
        return []
    levels = joined([plural(level) for level in assessment.aggregation.fixed])
    return [f"The {levels} of the test cases are taken to be all there are: nothing is said about others."]


def _method(assessment: Assessment) -> list[str]:
    """Return a sentence on how rank sets and winners are determined, and how exact the method is.

    The result is empty where none can be determined.
    """
    needed = zip(assessment.rankings, units_needed(assessment), strict=True)
    rankings = [
        (is_linear(scheme, assessment), get_scheme(scheme.scheme).compares_pairs)
        for scheme, fewest_units in needed
        if fewest_units.winner is not None or fewest_units.submitted
    ]
    if not rankings:
        return []
    unit = unit_level(assessment)
    flips = f"by flipping the signs of differences {unit} by {unit}"
    by_kind = {
        (True, False): f"{flips}, with a correction for skewed differences: approximate",
        (True, True): f"{flips}: exact where these differences are symmetric, approximate elsewhere",
        (False, False): "by widening the deviations of the draws until the order of a pair may turn: approximate",
    }
    if len(_given(assessment, says_uncertainty=True)) == len(assessment.metrics):
        by_kind[(False, False)] = (
            "by the submitted replicates, or by the submitted standard errors as those of a normal distribution: approximate"
        )
    by_flips = [kind for kind in by_kind if kind[0] and kind in rankings]
    ways = [by_kind[kind] for kind in by_flips]
    by_draws = any(not linear for linear, _ in rankings)
    draws = [by_kind[(False, False)]] if by_draws else []
    several = f", or, where what decides is no mean over {plural(unit)}, " if ways else ""
    words = ", or, where pairs are tested, ".join(ways) + "".join(f"{several}{way}" for way in draws)
    return [
        f"Rank sets and winner rest on paired comparisons of all algorithms at once, {words}.",
        *_levels_of_evidence(is_mean=(True, False) in rankings),
    ]


def _levels_of_evidence(*, is_mean: bool) -> list[str]:
    """Return the meaning of both words for a winner."""
    failure = "one more failed case, where failures have a value, would not cost it the first place"
    sentences = [f"A winner is called significant only if {failure}."]
    if is_mean:
        sentences = [
            f"A winner is called significant only if a bootstrap-t test agrees and {failure}.",
            "It is called confirmed only if its lead holds whatever rare failures there are.",
        ]
    return sentences

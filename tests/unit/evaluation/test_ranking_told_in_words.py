"""Every sentence about a registered rule: measurement, ranking, combination, exclusion and resampling."""

from __future__ import annotations

import pytest

from evaluation.assessment import parse
from evaluation.ranking import describe

LIVER = [{"name": "liver", "labels": [1]}]
BOTH_ORGANS = [*LIVER, {"name": "spleen", "labels": [2]}]
DSC, IOU, ASSD = {"id": "dsc"}, {"id": "iou"}, {"id": "assd"}
SAME_TIES = "Algorithms with equal scores share the better rank (1, 2, 2, 4)."
MEAN = "An algorithm's score is the mean of its values over all cases; the best score gets rank 1."


def said(**changes) -> list[str]:
    return describe(parse({"problem": "semantic_segmentation", "regions": LIVER, "metrics": [DSC], **changes}))


def beginning_with(words: str, sentences: list[str]) -> list[str]:
    return [sentence for sentence in sentences if sentence.startswith(words)]


def test_the_rule_of_one_metric_in_one_region_is_told_in_this_order():
    worst = "counts as the worst value (0)."
    assert said() == [
        "Each case is scored with the Dice Similarity Coefficient (higher is better) on the region liver.",
        MEAN,
        SAME_TIES,
        "DSC is computed with: include background = no.",
        f"A missing or unreadable prediction {worst}",
        f"An empty prediction where there is something to find {worst}",
        f"A prediction where there is nothing to find {worst}",
        (
            "To see how much the ranking varies, cases are drawn with replacement 1,000 times, the same for all algorithms, "
            "and ranked again; the resampling range holds the middle 95 % of these ranks."
        ),
        (
            "A winner is named only if it is significantly better than every other algorithm. If the two best algorithms were "
            "equally good, one of them would be named in about 3.3 % of challenges (5 % with two algorithms)."
        ),
        (
            "Rank sets and winner rest on paired comparisons of all algorithms at once, by flipping the signs of differences "
            "case by case, with a correction for skewed differences: approximate."
        ),
        (
            "A winner is called significant only if a bootstrap-t test agrees and one more failed case, where failures have a value, "
            "would not cost it the first place."
        ),
        "It is called confirmed only if its lead holds whatever rare failures there are.",
        "No winner can be named with fewer than 6 cases; in practice it takes more, the closer the results are.",
    ]


# What is measured


def test_metrics_are_told_with_their_names_options_and_directions():
    fine = {"id": "nsd", "name": "NSD fine", "options": {"tolerance": 2}}
    far = {"id": "hausdorff_percentile", "options": {"percentile": 95}}
    assert said(regions=BOTH_ORGANS, metrics=[DSC, fine, far])[0] == (
        "Each case is scored with the Dice Similarity Coefficient (higher is better), NSD fine: Normalized Surface "
        "Distance (higher is better, tolerance 2 mm) and Hausdorff Distance, 95th percentile (lower is better) on the "
        "regions liver and spleen."
    )


def test_costs_of_a_run_are_told_in_a_sentence_of_their_own():
    time = {"id": "run_wall_time", "by": "run", "worst": 60}
    memory = {"id": "run_peak_memory", "by": "run", "worst": 1024, "label": "RAM", "step": 64}
    sentence = said(metrics=[DSC, time, memory])
    assert sentence[0] == (
        "Each case is scored with the Dice Similarity Coefficient (higher is better) on the region liver. Measured while "
        "the algorithm runs on a case: Wall time (lower is better, in s) and RAM (lower is better, in whole steps of 64 MiB)."
    )
    assert beginning_with("A missing", sentence) == [
        (
            "A missing or unreadable prediction counts as the worst value (0) for DSC, the worst value (60 s) for Wall time "
            "and the worst value (1024 MiB) for RAM."
        )
    ]
    # The first in the list may be a cost: the article is that of the first metric of the output.
    assert said(metrics=[time, DSC])[0].startswith("Each case is scored with the Dice")


def test_metrics_with_values_in_different_parts_name_them_one_by_one():
    classes = [{"name": name, "labels": [name]} for name in ("benign", "malign")]
    sentence = said(problem="image_classification", regions=classes, metrics=[{"id": "accuracy"}, {"id": "auroc"}])
    assert sentence[0] == (
        "All cases together are scored with the Accuracy (higher is better) and Area under the Receiver Operating "
        "Characteristic Curve (higher is better, on the classes benign and malign)."
    )
    assert sentence[1] == (
        "For each metric and region, there is one value for all cases together; the best value gets rank 1."
    )


def test_metrics_of_cases_and_of_all_of_them_are_told_one_after_the_other():
    sensitivity = {"id": "sensitivity", "options": {"scale": "image"}}
    sentence = said(problem="object_detection", metrics=[{"id": "average_precision"}, sensitivity])
    assert sentence[0] == (
        "Each case is scored with the Sensitivity (higher is better), all cases together are scored with the Average "
        "Precision (higher is better) on the class liver."
    )
    assert sentence[2] == "A metric of all cases together has one value, which is the score."
    assert (
        "With any prediction missing or unreadable, a metric of all cases together counts as the worst value (0)."
        in sentence
    )


def external(*metrics, **more) -> list[str]:
    return describe(parse({"problem": "external", "metrics": list(metrics), **more}))


QUALITY = {"id": "quality", "direction": "higher", "policy": {"missing": 0}}
AREA = {"id": "area", "direction": "higher", "level": "dataset", "policy": {"missing": 0.5}}


def test_values_measured_elsewhere_have_no_article_and_no_outcomes():
    sentence = external(QUALITY)
    assert sentence[:2] == ["Each case is scored with quality (higher is better).", MEAN]
    assert beginning_with("A missing", sentence) == ["A missing value counts as 0."]
    both = external(QUALITY, AREA)
    assert "Then the mean of the ranks over metrics and regions is taken; the lowest result wins." in both
    assert beginning_with("A missing", both) == [
        "A missing value of a case counts as 0.",
        "A missing value of all cases together counts as 0.5.",
    ]


def test_what_stands_for_draws_of_values_measured_elsewhere_is_told():
    drawn, given = (beginning_with(words, external(QUALITY, AREA)) for words in ("To see how", "The uncertainty of"))
    assert "cases are drawn with replacement up to 1,000 times" in drawn[0]
    assert given == [
        (
            "The uncertainty of area is submitted with the values: as replicates (values on the same resamples for all algorithms) "
            "or as standard errors. They give up to 1,000 draws."
        )
    ]
    alone = external(AREA)
    assert beginning_with("To see how", alone) == []
    assert beginning_with("The uncertainty of area", alone) != []
    method = beginning_with("Rank sets", alone)[0]
    assert (
        "by the submitted replicates, or by the submitted standard errors as those of a normal distribution" in method
    )
    assert "widening the deviations" not in method


def test_an_exploratory_ranking_states_no_rule_for_winners():
    ranking = {"name": "by overlap", "metrics": ["dsc"], "scheme": "aggregate_then_rank"}
    for role, are_stated in (("exploratory", False), ("primary", True)):
        sentences = said(ranking=[ranking | {"role": role}])
        assert any("winner" in sentence and "names no winner" not in sentence for sentence in sentences) is are_stated


def test_uncertainty_of_which_nobody_says_anything_is_told_for_one_metric_and_for_several():
    silent = {**AREA, "without_uncertainty": True}
    one = external(QUALITY, silent)
    assert "The uncertainty of area is unknown: no rank by it is sure." in one
    assert "drawn with replacement 1,000 times" in beginning_with("To see how", one)[0]
    two = external(silent, {**silent, "id": "slope"})
    assert "The uncertainty of area and slope is unknown: no rank by them is sure." in two
    assert beginning_with("Whoever", two) == beginning_with("To see how", two) == []
    assert beginning_with("Rank sets", two) == [], "no method finds any"


# How it is ranked


def test_several_metrics_and_regions_are_ranked_each_and_combined():
    sentence = said(regions=BOTH_ORGANS, metrics=[DSC, IOU])
    assert sentence[1:4] == [
        f"For each metric and region, {MEAN[0].lower()}{MEAN[1:]}",
        SAME_TIES,
        "Then the mean of the ranks over metrics and regions is taken; the lowest result wins.",
    ]


@pytest.mark.parametrize(
    ("ranking", "only"),
    [
        ({"metrics": ["dsc"], "regions": ["liver"]}, "It uses DSC and liver only."),
        ({"metrics": ["dsc"]}, "It uses DSC only."),
        ({"regions": ["liver"]}, "It uses liver only."),
    ],
)
def test_what_a_ranking_uses_is_told_where_it_does_not_use_all(ranking, only):
    sentence = said(regions=BOTH_ORGANS, metrics=[DSC, IOU], ranking={"combine": None, **ranking})
    assert beginning_with("It uses", sentence) == [only]
    assert beginning_with("It uses", said(regions=BOTH_ORGANS, metrics=[DSC, IOU])) == []


def test_a_ranking_by_one_of_two_metrics_is_not_told_for_each_metric():
    assert said(metrics=[DSC, IOU], ranking={"metrics": ["dsc"], "combine": None})[1] == MEAN


def test_steps_of_a_combination_are_told_in_their_order():
    steps = [{"over": ["region"], "fractional": True, "operator": "median"}, {"over": ["task"], "rerank": False}]
    sentence = said(regions=BOTH_ORGANS, ranking={"combine": steps})
    assert sentence[1].startswith("For each region and task, an algorithm's score")
    assert beginning_with("Then", sentence) == [
        "Then the median of the fractional ranks over regions is taken; the result goes into the next step.",
        "Then the mean of the mean ranks over tasks is taken; the lowest result wins.",
    ]


def test_ties_of_the_last_step_are_told_where_they_are_not_those_of_scores():
    def of_steps(*ties: str) -> list[str]:
        steps = [{"over": [name], "ties": rule} for name, rule in zip(("region", "metric"), ties, strict=True)]
        return beginning_with("Then", said(regions=BOTH_ORGANS, metrics=[DSC, IOU], ranking={"combine": steps}))

    assert of_steps("min", "max")[1].endswith(
        "the lowest result wins. Algorithms with equal scores share the worse rank (1, 3, 3, 4)."
    )
    assert of_steps("max", "min") == [
        "Then the mean of the ranks over regions is taken; the result goes into the next step.",
        "Then the mean of the ranks over metrics is taken; the lowest result wins.",
    ]


def test_one_metric_in_one_region_is_not_combined_with_anything():
    assert beginning_with("Then", said(ranking={"combine": {"over": ["metric", "region"]}})) == []
    assert beginning_with("Then", said(regions=BOTH_ORGANS, ranking={"combine": {"over": ["region"]}})) != []
    assert beginning_with("Then", said(metrics=[DSC, IOU], ranking={"combine": {"over": ["metric"]}})) != []


def test_groups_of_cases_are_ranked_each_on_its_own_cases_with_weights():
    table = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}

    def of_sites(weights: object) -> list[str]:
        return describe(parse({**table, "ranking": {"combine": {"over": ["site"], "weights": weights}}}))

    by_root = of_sites("sqrt_cases")
    assert "Each site is ranked on its own cases." in by_root
    assert beginning_with("Then", by_root) == [
        (
            "Then the mean of the ranks over sites is taken, weighted (each site by the square root of its number of cases); "
            "the lowest result wins."
        )
    ]
    assert "weighted (each site by its number of cases)" in beginning_with("Then", of_sites("cases"))[0]
    named = beginning_with("Then", of_sites({"site": {"x": 2, "y": 0.5}}))[0]
    assert "weighted (x 2 and y 0.5)" in named


def test_several_rankings_are_told_by_name_in_their_first_sentence_alone():
    sentence = said(ranking=[{"name": "one"}, {"name": "two", "operator": "median"}])
    assert sentence[1:5] == [
        f"Ranking “one”: {MEAN}",
        SAME_TIES,
        "Ranking “two”: An algorithm's score is the median of its values over all cases; the best score gets rank 1.",
        SAME_TIES,
    ]
    (method,) = beginning_with("Rank sets", sentence)
    assert "by flipping the signs" in method
    assert "approximate, or, where what decides is no mean over cases, by widening the deviations" in method
    (single,) = beginning_with("Rank sets", said(ranking=[{"name": "two", "operator": "median"}]))
    assert "by widening" in single
    assert "flipping" not in single
    assert said(ranking=[{"name": "one"}])[1] == MEAN


def test_levels_are_told_from_the_inside_out():
    sentence = said(aggregation={"levels": ["case", "patient", {"name": "modality", "role": "fixed"}]})
    assert (
        sentence[1] == "An algorithm's score is the mean of its values over all modalities; the best score gets rank 1."
    )
    assert sentence[3] == (
        "Before that, the mean over the cases of each patient and then the mean over the patients of each modality is taken."
    )
    assert (
        sentence[-1] == "The modalities of the test cases are taken to be all there are: nothing is said about others."
    )
    assert (
        "patients are drawn with replacement within each modality 1,000 times" in beginning_with("To see", sentence)[0]
    )
    assert "patient by patient" in beginning_with("Rank sets", sentence)[0]


# What counts as what


def test_an_outcome_with_several_rules_names_what_is_left_out_last():
    excluded = {**DSC, "policy": {"missing": "exclude", "allow_gaming": True}}
    assert "A missing or unreadable prediction is left out." in said(metrics=[excluded])
    assert (
        "A missing or unreadable prediction counts as the diagonal of the image for ASSD and is left out for DSC."
        in said(metrics=[excluded, ASSD])
    )


def test_ranks_of_cases_and_the_best_value_are_rules_too():
    ranks = {"missing": "worst_rank", "ref_empty": "perfect"}
    sentence = said(metrics=[{**DSC, "policy": ranks}], ranking={"scheme": "rank_then_aggregate"})
    assert "A missing or unreadable prediction counts as the last rank of the case." in sentence
    assert "A prediction where there is nothing to find counts as the best value (1)." in sentence


def test_excluded_cases_are_counted_with_their_reasons():
    one = [{"case": "c1", "reason": "duplicate"}]
    more = [*one, {"case": "c2", "reason": "reference_error"}, {"case": "c3", "reason": "duplicate"}]
    duplicate = "the case is a duplicate of another one"
    assert f"1 case does not count, for any team, because of the data: {duplicate} (1)." in said(
        exclusions={"cases": one}
    )
    assert (
        f"3 cases do not count, for any team, because of the data: {duplicate} (2), the reference is wrong (1)."
        in said(exclusions={"cases": more})
    )
    graded = {"quality": {"column": "look", "excluded": ["insufficient", "borderline"]}}
    assert (
        "The quality of each case is graded (look): cases that are borderline or insufficient do not count, for any team."
        in said(exclusions=graded)
    )


def test_levels_of_interaction_are_told_with_their_weights():
    sentence = said(interaction_weights={"fully_automatic": 1, "semi_automatic": 0.5})
    assert beginning_with("Before ranking", sentence) == [
        (
            "Before ranking, each value keeps a part of its distance from the worst value by the level of interaction (fully "
            "automatic 1 and semi automatic 0.5); values without a worst end are divided by it. A method whose level is not "
            "known counts like the lowest."
        )
    ]
    assert beginning_with("Before ranking", said()) == []


# How sure it is


@pytest.mark.parametrize(
    ("rule", "share"),
    [
        ({}, "3.3 % of challenges (5 % with two algorithms)"),
        ({"interval": 0.9}, "6.7 % of challenges (10 % with two algorithms)"),
        ({"winner_alpha": 0.01}, "1 % of challenges"),
        ({"winner_alpha": 0.0125}, "1.25 % of challenges"),
    ],
)
def test_the_level_of_a_winner_is_that_of_its_share_of_the_error(rule, share):
    (told,) = beginning_with("A winner is named", said(uncertainty=rule))
    assert told.endswith(f"one of them would be named in about {share}.")


def test_a_margin_makes_the_level_an_upper_one():
    sentences = said(uncertainty={"margin": {"dsc": 0.02}})
    (told,) = beginning_with("A winner is named", sentences)
    assert told.endswith("named in at most about 3.3 % of challenges (5 % with two algorithms).")
    assert (
        "Where a margin is registered, a winner’s lead must exceed it. A winner is then named in fewer challenges."
        in sentences
    )
    assert beginning_with("Where a margin", said(uncertainty={"margin": {"dsc": 0.0}})) == []


def test_without_resamples_nothing_is_said_about_certainty():
    assert said(uncertainty={"bootstrap": 0})[-1] == (
        "The ranking is not resampled, so nothing is said about its uncertainty."
    )
    assert beginning_with("A winner", said(uncertainty={"bootstrap": 0})) == []
    assert beginning_with("Rank sets", said(ranking={"operator": "min"})) == [], "no method finds any"


# Several data sets


def of_cohorts(*metrics: str, **more) -> list[str]:
    settings = {"dataset": "cohort", **more.pop("settings", {})}
    own = {"problem": "failure_detection", "metrics": [{"id": name} for name in metrics], "settings": settings}
    return describe(parse({**own, **more}))


def test_data_sets_are_told_by_their_column():
    sentence = of_cohorts("aurc")
    assert sentence[0].startswith("The cases of each cohort together are scored with the ")
    assert sentence[1] == "For each cohort, there is one value; the best value gets rank 1."
    over_both = {"ranking": {"combine": {"over": ["region", "metric"]}}}
    assert beginning_with("Then", of_cohorts("aurc", "augrc", **over_both)) == [
        "Then the mean of the ranks over cohorts and metrics is taken; the lowest result wins."
    ]
    beside = "The value of all cases together stands beside that and does not count in it."
    assert beside not in of_cohorts("aurc", **over_both)
    assert beside in of_cohorts("aurc", settings={"pooled": True}, **over_both)
    only_metrics = {"ranking": {"combine": {"over": ["metric"]}}}
    assert beside not in of_cohorts("aurc", "augrc", settings={"pooled": True}, **only_metrics)

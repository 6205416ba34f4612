"""Numbers and conditions of sentences: rounding, the level, resamples, cases left out, tests, clusters."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import rounding
from evaluation.assessment import parse
from evaluation.claims import numbers
from evaluation.claims.certainty import BESIDE
from evaluation.claims.legend import LEGEND, Legend
from evaluation.claims.ranking import headline_of, sentences_of
from evaluation.claims.reports import STANDING, Standing
from evaluation.claims.resamples import RESAMPLES
from evaluation.claims.sections import MAPS
from evaluation.ranking import rank
from evaluation.ranking.reading import Facts

TABLE = {
    "problem": "table",
    "metrics": [{"id": "value", "direction": "higher", "range": [0, 1], "policy": {"missing": 0}}],
    "uncertainty": {"bootstrap": 200, "seed": 1},
}


def ranked(values, *, document=TABLE, cases=None, metrics=None):
    """Return the document of a table, cases × algorithms, and its first entry."""
    names = ["unet", "vnet", "wnet", "xnet"][: values.shape[1]]
    rows = [(name, f"c{case:03d}", v) for case, line in enumerate(values) for name, v in zip(names, line, strict=True)]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
    if metrics:
        results = pd.concat([results.assign(metric=metric, region="whole") for metric in metrics], ignore_index=True)
    made = rank(parse(document), results, cases=cases)
    return made, made["rankings"][0]


def apart(gap, *, cases=30, teams=2, noise=0.02, seed=1):
    random = np.random.default_rng(seed)
    level = random.normal(0.7, 0.05, (cases, 1))
    return (level - gap * np.arange(teams) + random.normal(0, noise, (cases, teams))).clip(0, 1).round(6)


def claims(entry, document, *, closed=True):
    return {sentence.claim: str(sentence) for sentence in sentences_of(entry, document, closed=closed)}


# Rounding


def test_bounds_are_rounded_outwards_and_levels_in_full():
    assert [rounding.share_up(share) for share in (0.0015, 0.049, 0.04901, 0.00041, 1.0)] == [
        "0.2 %", "4.9 %", "5 %", "0.05 %", "100 %",
    ]  # fmt: skip
    assert [rounding.share_down(share) for share in (0.0079, 0.05, 0.04999, 0.00049)] == [
        "0.7 %",
        "5 %",
        "4.9 %",
        "0.04 %",
    ]
    assert [numbers.level(share) for share in (0.999, 0.95, 0.9, 0.9999)] == ["99.9 %", "95 %", "90 %", "99.99 %"]


def test_a_share_of_less_than_one_in_a_hundred_is_not_none():
    assert numbers.probability(0.004) == numbers.probability(0.005) == "under 1 %"
    assert numbers.probability(0.996) == "over 99 %"


@given(st.floats(-100, 100), st.floats(0.0001, 50), st.floats(0, 1), st.floats(0, 0.5))
def test_an_interval_keeps_its_sides_of_zero_and_margin_and_is_not_narrower(low, width, part, margin):
    high = low + width
    estimate = low + part * width
    told, ends = rounding.difference_texts(estimate, [low, high], margin)
    stated = [float(end.replace("−", "-")) for end in ends]
    assert stated[0] <= low + 1e-9
    assert stated[1] >= high - 1e-9
    for value, text in ((low, ends[0]), (high, ends[1]), (estimate, told)):
        shown = float(text.replace("−", "-"))
        for limit in (0.0, margin, -margin):
            if abs(value - limit) > 1e-9:
                assert (value > limit) == (shown > limit)
    assert not any("-" in text for text in (told, *ends))


def test_the_number_of_digits_is_that_of_the_width():
    assert rounding.difference_texts(0.53821, [0.3582, 0.7182]) == ("0.54", ("0.35", "0.72"))
    assert rounding.difference_texts(0.53821, [0.5301, 0.5463]) == ("0.538", ("0.530", "0.547"))


# The winner


def test_a_small_lead_is_significant_up_to_a_failure_rate():
    document, entry = ranked(apart(0.03, cases=60, noise=0.01))
    assert entry["verdict"] == "significant"
    words = headline_of(entry, document)
    assert words.startswith("unet is significantly better than vnet (by 0.0")
    assert "provided it fails in fewer than" in words
    told = claims(entry, document)
    assert "certainty.to_confirm" in told
    assert "certainty.break_even" not in told
    assert told["certainty.level"].endswith("one of them would be named in about 5 % of challenges.")


def test_a_large_lead_is_confirmed_at_an_upper_bound():
    document, entry = ranked(apart(0.15, cases=80, teams=3))
    assert entry["verdict"] == "confirmed"
    assert headline_of(entry, document, closed=False).startswith("unet is the winner so far. This holds")
    assert "Its lead over vnet is 0.1" in headline_of(entry, document)
    told = claims(entry, document)
    assert told["certainty.level"].endswith("one of them would be confirmed in at most 3.4 % of challenges.")
    assert "certainty.break_even" in told


@pytest.mark.parametrize(("alpha", "said"), [(None, "3.3 %"), (0.01, "1 %"), (0.0125, "1.25 %")])
def test_a_registered_level_is_the_one_that_is_stated(alpha, said):
    rule = TABLE["uncertainty"] | ({} if alpha is None else {"winner_alpha": alpha})
    document, entry = ranked(apart(0.001, teams=3), document={**TABLE, "uncertainty": rule})
    assert claims(entry, document)["certainty.level"].endswith(f"would be named in about {said} of challenges.")


@pytest.mark.parametrize("lead", [0.001, 0.03, 0.2])
def test_a_margin_makes_named_winners_fewer(lead):
    values = apart(lead, teams=3, cases=80, noise=0.01)
    plain, with_margin = TABLE, {**TABLE, "uncertainty": {**TABLE["uncertainty"], "margin": 0.02}}
    told = []
    for rule in (plain, with_margin):
        document, entry = ranked(values, document=rule)
        told.append(claims(entry, document)["certainty.level"])
        assert ("confirmed in at most" in told[-1]) == (entry["verdict"] == "confirmed")
    assert "margin" not in told[0]
    assert told[1].endswith(" of challenges, since its lead must exceed the margin.")
    assert " in at most " in told[1]


def test_a_margin_of_zero_changes_no_word():
    values = apart(0.03, cases=60, noise=0.01)
    documents = [{**TABLE, "uncertainty": {**TABLE["uncertainty"], **rule}} for rule in ({}, {"margin": 0.0})]
    words = [claims(*reversed(ranked(values, document=document)))["certainty.level"] for document in documents]
    assert words[0] == words[1]


def test_excluded_failures_are_not_part_of_a_statement():
    metric = {**TABLE["metrics"][0], "policy": {"missing": "exclude", "allow_gaming": True}}
    document, entry = ranked(apart(0.03, cases=40, noise=0.01), document={**TABLE, "metrics": [metric]})
    assert entry["verdict"] == "significant"
    assert headline_of(entry, document).endswith(". Failures are not part of this statement.")


def test_ranks_have_a_unit():
    document, entry = ranked(
        apart(0.03, cases=60, noise=0.01), document={**TABLE, "ranking": {"scheme": "rank_then_aggregate"}}
    )
    words = headline_of(entry, document)
    assert re.search(r"(Its lead over vnet is [\d.]+ ranks|\(by [\d.]+ ranks, 95 % interval)", words), words


def test_the_legend_states_the_level_of_a_winner():
    order = {
        "rank": [1, 2, None], "winner": {"alpha": 0.05}, "sets": {"level": 0.95, "reason": None}, "verdict": "significant",
        "letters": [None] * 3, "left_out_note": "", "low": [None] * 3,
    }  # fmt: skip
    lines = [str(line) for line in LEGEND.all(Legend(order, 0.95, 0))]
    assert (
        "Winner: if the two best algorithms were equally good, one of them would be named in about 5 % of challenges."
        in lines
    )
    order["margin"] = 0.02
    words = [str(line) for line in LEGEND.all(Legend(order, 0.95, 0)) if line.claim == "legend.level"]
    assert len(words) == 1
    assert words[0].endswith("named in at most about 5 % of challenges, since its lead must exceed the margin.")
    order["verdict"] = "clear"
    assert not [line for line in LEGEND.all(Legend(order, 0.95, 0)) if line.claim == "legend.level"]


# Resamples and single cases


def facts_with(entry, document, **changes):
    return Facts({**entry, **changes}, document)


def test_one_resample_more_is_not_called_more():
    document, entry = ranked(apart(0.0005, teams=2))
    rows = [dict(row) for row in entry["algorithms"]]

    def told(first, other):
        for row, share in zip(rows, (first, other), strict=True):
            row |= {"share_first": share, "rank_frequencies": [round(200 * share), 200 - round(200 * share)]}
        facts = facts_with(entry, document, algorithms=rows)
        return any(sentence.claim == "certainty.other_first_in_resamples" for sentence in BESIDE.all(facts))

    assert not told(0.495, 0.505)
    assert not told(0.44, 0.56)
    assert told(0.4, 0.6)


def test_all_others_are_not_counted_among_themselves():
    document, entry = ranked(apart(0.0005, teams=3))
    rows = [{**row, "share_first": 0.3} for row in entry["algorithms"]]
    said = RESAMPLES.all(facts_with(entry, document, algorithms=rows, others_first=1.0, winner_stays=0.4))
    assert said[0] == "Both other algorithms came first in at least one resample."


def test_a_case_that_only_adds_a_tie_does_not_change_who_is_first():
    """Without the case in which unet is better, all values are the same: unet stays first in 100 % of the cases left out."""
    values = np.full((8, 2), 0.5)
    values[0, 0] = 0.6
    document, entry = ranked(values)
    assert entry["leave_one_out"]["winner_stays"] == 1.0
    assert claims(entry, document)["resamples.single_case"] == (
        "Leaving out the single case c000 would add to who shares first place."
    )


def test_no_test_is_mentioned_that_was_not_made():
    metrics = [{**TABLE["metrics"][0], "id": "dsc"}, {**TABLE["metrics"][0], "id": "iou"}]
    metrics = [{"id": metric["id"], "policy": {"missing": 0}} for metric in metrics]
    both = {
        "problem": "semantic_segmentation", "regions": [{"name": "whole", "labels": [1]}], "metrics": metrics,
        "ranking": {"scheme": "aggregate_then_rank", "combine": {"over": ["metric"], "operator": "mean", "rerank": True}},
        "uncertainty": TABLE["uncertainty"],
    }  # fmt: skip
    document, entry = ranked(apart(0.05, cases=5, teams=4), document=both, metrics=["dsc", "iou"])
    assert "tests.impossible" in claims(entry, document)
    assert not [claim for claim in claims(document["overall"], document) if claim.startswith("tests.")]
    assert "signed rank test" in MAPS.all([entry])[0]
    assert "signed rank test" not in MAPS.all([{**entry, "tests": None}])[0]


# Clusters


def test_clusters_that_are_not_declared_are_the_reason_and_not_too_few_cases():
    cases = pd.DataFrame(
        {"case": [f"c{case:03d}" for case in range(30)], "patient": [f"p{case // 3}" for case in range(30)]}
    )
    document, entry = ranked(apart(0.05), cases=cases)
    assert entry["winner"]["reason"] == "possible_clusters"
    told = claims(entry, document)
    assert told["headline.possible_clusters"] == (
        "unet leads: cases of one patient may be alike, and the design does not declare patient. No winner is named until it does."
    )
    assert told["certainty.possible_clusters"] == "10 patients have 30 cases: cases of one patient may be alike."
    assert "certainty.level" not in told
    own = {said.claim: str(said) for said in STANDING.all(Standing(entry["algorithms"][1], entry))}
    assert (
        own["standing.possible_clusters"] == "Its rank set contains every rank, because cases may not be independent."
    )
    assert "standing.too_few" not in own


# What cannot be planned


def test_a_number_of_cases_above_ten_thousand_is_not_invented():
    document, entry = ranked(apart(0.002, cases=30))
    needed = {"algorithm": "vnet", "estimate": None, "interval": [420, None]}
    said = [str(one) for one in BESIDE.all(facts_with(entry, document, cases_to_settle=[needed])) if "needed" in one]
    assert said == [
        (
            "More than 10,000 cases (90 % range 420 to more than 10,000) would be needed to show a difference from vnet: "
            "this data set is too small to plan with."
        )
    ]
    needed |= {"estimate": 264, "interval": [97, 1234]}
    said = [str(one) for one in BESIDE.all(facts_with(entry, document, cases_to_settle=[needed])) if "needed" in one]
    assert said == ["About 260 cases (90 % range 97 to 1,300) would be needed to show a difference from vnet."]


def test_a_bound_of_cases_is_no_exact_number():
    document, entry = ranked(apart(0.05, cases=20))
    fewest = {"units": 5, "algorithm": "vnet", "is_exact": False}
    said = BESIDE.all(facts_with(entry, document, fewest_cases_to_unseat=fewest))
    assert "Leaving out at most 5 favourable cases would make vnet at least as good." in said


def test_who_is_not_worse_than_the_first_is_counted_even_if_another_one_is_better():
    """wnet is behind vnet, so its rank set starts at 2, but not behind unet."""
    document, entry = ranked(apart(0.001, teams=3))
    rows = [dict(row) for row in entry["algorithms"]]
    rows[2] |= {"rank_set": [2, 3], "within_reach": False}
    better = [[False, False, False], [False, False, True], [False, False, False]]
    changed = {**entry, "algorithms": rows, "shown_better": better, "verdict": "leaning"}
    first, second, third = (row["name"] for row in rows)
    assert headline_of(changed, document).startswith(
        f"{first} leads, but {second} and {third} are not significantly worse."
    )

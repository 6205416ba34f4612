"""Sentences about small challenges of every kind, read once with a statistician's eye, stay as they were corrected."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import AssessmentError, parse
from evaluation.claims.answers import SURE, BoardFacts
from evaluation.claims.certainty import BESIDE, certainty
from evaluation.claims.comparisons import first_under_other_schemes, largest_move
from evaluation.claims.ranking import sentences_of
from evaluation.ranking import describe, rank
from evaluation.ranking.comparison import compare
from evaluation.ranking.reading import Facts, of_hundred
from evaluation.ranking.stability import MOST_REVERSED
from evaluation.ranking.uncertainty import pairs as letter_module
from evaluation.ranking.uncertainty import statements
from evaluation.reporting import report_blocks
from tests.reading.contests import CONTESTS


def said_of(name, *, bootstrap=250):
    """Return the text of a report and the ranking document."""
    contest = CONTESTS[name]()
    contest.document["uncertainty"] |= {"bootstrap": bootstrap}
    return said_about(contest.document, contest.results, cases=contest.cases, evidence=contest.evidence)


def said_about(document, results, **options):
    assessment = parse(document)
    blocks = report_blocks(assessment, results, **options)
    return " ".join(block.text for block in blocks if block.kind in ("lead", "text", "remark")), rank(
        assessment, results, **options
    )


def test_ranks_shared_over_metrics_are_no_claim_of_the_same_results():
    words, document = said_of("clones")
    shared = [row["name"] for row in document["overall"]["algorithms"] if row["rank"] == 2]
    assert shared == ["Ben", "Cleo"]
    assert "share rank 2 and gave the same results" not in words


def test_who_loses_a_contest_of_two_is_not_said_to_be_better():
    _, document = said_of("clones")
    overall = document["overall"]
    assert overall["sensitivity"]["head_to_head"] == ["Ben"]
    assert overall["winner"]["reason"] == "depends_on_entries"
    words = " ".join(map(str, certainty(overall, document)))
    assert "All 6 others are shown to rank behind Ada, among those that took part." in words
    of_both = " ".join(sentences_of(document["overall"], document))
    assert "others are shown to be worse than Ada" not in of_both


def test_versions_of_one_algorithm_leave_the_order_of_the_others():
    words, document = said_of("clones")
    sensitivity = document["overall"]["sensitivity"]
    assert sensitivity["duplicates"] == [["Ada", "Cleo", "Dora"]]
    assert sensitivity["without_duplicates"] == ["Ada", "Ben", "Gail", "Finn", "Eve"]
    assert (
        "Keeping only the best of each group of possible versions does not change the order of the remaining algorithms."
        in words
    )


def test_the_same_results_in_every_case_are_said_to_be_the_same():
    words, _ = said_of("ties")
    assert "Ada and Ben share first place; they gave the same results." in words
    assert "Cleo and Dora share rank 3 and gave the same results." in words


def test_no_order_of_few_cases_is_called_stable():
    words, _ = said_of("few cases")
    assert "4 cases are too few" in words
    assert "stable" not in words.split("Values:")[0]


def test_what_is_left_out_in_turn_is_called_what_it_is():
    words, _ = said_of("patients")
    assert "Leaving out any single patient does not change who is first." in words
    assert "any single case" not in words


def test_unanswered_cases_of_a_classification_are_failures():
    words, document = said_of("metrics of the whole data set")
    for entry in [document["overall"], *document["rankings"]]:
        failures = {row["name"]: row["failure"] for row in entry["algorithms"]}
        assert {name: (failure["failed"], failure["of"]) for name, failure in failures.items()} == {
            "Ada": (0, 120),
            "Ben": (3, 120),
            "Cleo": (0, 120),
            "Dora": (0, 120),
        }
    assert "3 cases of Ben failed among 120; the rate of failures may be up to 6.4 %." in words


def test_a_team_that_reverses_two_others_is_named_where_the_winner_stays():
    """Of five regions q beats p in three; r is between them in the two in which p is ahead."""
    ahead = [("W", "p", "r", "q")] * 2 + [("W", "q", "p", "r")] * 3
    random = np.random.default_rng(3)
    rows = [
        (name, f"c{case}", f"part {part}", "dsc", 0.8 - 0.1 * place + noise, "ok", 100.0)
        for part, order in enumerate(ahead)
        for case, noise in enumerate(random.normal(0, 0.01, 20))
        for place, name in enumerate(order)
    ]
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": f"part {part}", "labels": [part + 1]} for part in range(5)],
        "metrics": [{"id": "dsc"}],
        "uncertainty": {"bootstrap": 250, "seed": 1},
    }
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]
    table = pd.DataFrame(rows, columns=columns)
    words, made = said_about(document, table)
    teams = made["overall"]["sensitivity"]["teams"]
    assert [(team["without"], team["winner_changes"], team["reversed"]) for team in teams] == [
        ("r", False, [["p", "q"]])
    ]
    assert "Without r, q would come before p." in words


def test_a_list_of_pairs_that_was_cut_is_not_told_as_whole():
    """Fifty pairs of an algorithm are kept; of challenge 70,005,345 more change places without team A."""
    pairs = [[f"p{number}", f"q{number}"] for number in range(MOST_REVERSED)]
    cut, whole = ({"without": "A", "winner_changes": False, "reversed": kept} for kept in (pairs, pairs[1:]))
    told = [BESIDE.all(Facts(entry_with([team]))) for team in (cut, whole)]
    assert "Without A, q0 would come before p0, and at least 49 other pairs would change places." in told[0]
    assert "Without A, q1 would come before p1, and 48 other pairs would change places." in told[1]


def entry_with(teams):
    """Return a ranking entry with the results of excluding these teams in turn."""
    _, made = said_of("clones")
    return {**made["overall"], "sensitivity": {**made["overall"]["sensitivity"], "teams": teams}}


@pytest.mark.parametrize("margin", [1, 1.5])
def test_a_margin_as_large_as_the_range_is_refused(margin):
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "whole", "labels": [1]}],
        "metrics": [{"id": "dsc"}],
        "uncertainty": {"margin": margin},
    }
    with pytest.raises(AssessmentError, match="a number below 1: dsc ranges from 0 to 1"):
        parse(document)
    document["uncertainty"]["margin"] = 0.999
    assert parse(document).uncertainty.margin == {"dsc": 0.999}


@pytest.mark.parametrize(
    ("module", "limit", "code", "words"),
    [
        (statements, "MOST_IN_MATRICES", "too_many_algorithms", "Letters and comparisons of single pairs are left out"),
        (letter_module, "MOST_COLUMNS", "too_many_letters", "Letters are left out"),
    ],
)
def test_a_report_says_why_letters_are_not_there(monkeypatch, module, limit, code, words):
    monkeypatch.setattr(module, limit, 1)
    contest = CONTESTS["strata"]()
    said, document = said_about(contest.document, contest.results, cases=contest.cases)
    entry = document["rankings"][0]
    assert entry["left_out"]["letters"] == code
    assert [row["letters"] for row in entry["algorithms"]] == [None] * 4
    assert words in said


def test_the_rank_after_one_more_failure_is_one_that_could_be():
    """The worst over its cases, not what each of them would bring."""
    words, document = said_of("two teams")
    first = document["rankings"][0]["algorithms"][0]
    assert (first["rank"], first["rank_if_one_more_failed"]) == (1, 2)
    assert f"With one more failed case {first['name']} could be at rank 2." in words


def test_an_estimate_is_never_all_of_a_hundred():
    assert [of_hundred(share) for share in (1.0, 0.98, 0.97, 0.5, 0.02)] == [
        "more than 95 of 100",
        "more than 95 of 100",
        "about 95 of 100",
        "about 50 of 100",
        "fewer than 5 of 100",
    ]


def test_schemes_that_leave_every_rank_are_said_to_move_nobody():
    still, moved = (
        {"mean": {"a": 1, "b": 2}, "median": {"a": 1, "b": 2}},
        {"mean": {"a": 1, "b": 2}, "median": {"a": 1, "b": 1}},
    )
    assert largest_move(compare(still)) == "Every rank is the same under all of them."
    assert largest_move(compare(moved)) == "The largest move is that of b, from rank 2 to 1 (median)."


def test_fixed_strata_are_no_units_of_tests():
    words, document = said_of("strata")
    assert document["rankings"][0]["tests"]["stratified"]
    assert "Tested within strata (van Elteren), on 36 cases." in words
    assert "differing sites" not in words
    assert "needs at least" not in words


def test_those_that_share_first_place_under_another_scheme_are_named_together():
    told = first_under_other_schemes(compare({"mean": {"a": 1, "b": 2, "c": 3}, "tests": {"a": 1, "b": 1, "c": 1}}))
    assert told == "a stays first under the other scheme. b and c share first place under “tests”."


def test_how_often_the_first_would_be_first_again_is_not_told_of_too_few_cases():
    facts = BoardFacts(
        teams=4,
        front=["Ada"],
        first=1,
        verdict="open",
        stated=False,
        letters=True,
        first_again=0.99,
        share=1.0,
        units="cases",
        ties=[],
        interval=0.95,
    )
    assert "answers.first_again" not in [said.claim for said in SURE.all(facts)]
    assert "answers.first_again" in [said.claim for said in SURE.all(replace(facts, stated=True))]


def test_cases_are_counted_in_every_task():
    contest = CONTESTS["several tasks"]()
    few = contest.results[(contest.results["task"] == "spleen") | (contest.results["case"] < "case-05")]
    words, _ = said_about(contest.document, few)
    assert "5 cases in one task are too few to say whether that is more than chance; 7 are the least." in words
    found = " ".join(describe(parse(contest.document)))
    assert "No winner can be named with fewer than 7 cases in one of the tasks" in found


def test_two_teams_are_told_apart_by_name_and_share():
    words, document = said_of("two teams")
    share = next(row["share_first"] for row in document["rankings"][0]["algorithms"] if row["name"] == "Ada")
    assert f"The other algorithm came first in {100 * share:.0f} % of the resamples." in words
    assert "Ada is significantly better case by case (Wilcoxon, adjusted by Holm’s method)." in words
    assert (
        "Together, the rank sets contain all true ranks in about 95 % of challenges like this, if failures are as frequent as observed."
        in words
    )

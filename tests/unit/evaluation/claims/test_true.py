"""No sentence about generated challenges is false, and a wrong one that is planted is found.

The first challenges are always the same, because planted sentences must be detected. Others change with the ranking and the claims,
and are the same in each run of the same code. `make claims` checks challenges that no earlier run has had.
"""

import subprocess
import sys
from dataclasses import replace

import pytest

from evaluation.claims import ranking
from evaluation.claims.beforehand import LIMITS, TOO_FEW
from evaluation.claims.catalogue import CATALOGUE, Catalogue, Claim
from evaluation.claims.certainty import BESIDE
from evaluation.claims.headlines import HEADLINES
from evaluation.claims.resamples import RESAMPLES
from evaluation.ranking.reading import percent
from tests.claims import costs
from tests.claims.attack import attack, case_of, seeds_of_this_code
from tests.claims.challenges import DECIDED
from tests.claims.older import of_schema_2
from tests.sizes import size

FRESH = 300
PARTS = 4
PLANTED = 200
NEEDED = (*range(25), 28, 32, 37, 47, 51, 52, 53, 55, 58, 64, 78, 108, 168, 199)
"""First challenges that suffice: each claim is made about one of them, and each planted sentence is false in one."""
SELDOM, FURTHER = ("external", "failure_detection", DECIDED), size(10, 40)
"""Kinds with sentences that no other kind has, and the number of additional challenges of each."""
LONGEST = {"headline.significant": 37}
"""Words of sentences that keep a number together with the condition under which it applies."""


@pytest.fixture(scope="module")
def cases():
    of_all = [case_of(seed) for seed in size(NEEDED, range(PLANTED))]
    return [*of_all, *(case_of(seed, kind=kind) for kind in SELDOM for seed in range(PLANTED, PLANTED + FURTHER))]


def test_no_sentence_about_the_first_generated_challenges_is_false(cases):
    assert not [found for case in cases for found in case.false()[0]]


def test_no_sentence_about_an_older_document_is_false(cases):
    older = [replace(case, document=of_schema_2(case.document)) for case in cases if case.document]
    assert not [found for case in older for found in case.false()[0]]


@pytest.mark.parametrize("part", range(PARTS))
def test_no_sentence_about_the_challenges_of_this_code_is_false(part):
    seeds = seeds_of_this_code(FRESH)[part::PARTS]
    if false := [found for seed in seeds for found in attack(seed)[0]]:
        pytest.fail("\n".join(map(str, false)), pytrace=False)


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(300_001_414, id="a failure counts as a cost of 20 s"),
        pytest.param(400_000_744, id="two equal costs differ in their last bit"),
        pytest.param(500_006_982, id="the test is stratified"),
    ],
)
def test_no_sentence_about_a_challenge_of_which_one_was_false_is_false(seed):
    assert attack(seed)[0] == []


def changed(identity, **parts):
    return replace(CATALOGUE.claims[identity], **parts)


def with_rate_of_estimate(facts):
    rate = facts.entry["break_even_failure_rate"]
    return replace(
        facts,
        entry={**facts.entry, "break_even_failure_rate": rate and {**rate, "rate": rate["estimate"]}},
    )


def in_more_resamples(facts):
    shares = {row["name"]: row["share_first"] for row in facts.rows}
    most = max(shares, key=shares.get)
    return (
        f"{most} is first in more resamples ({percent(shares[most])}) than {facts.first} ({percent(shares[facts.first])}): "
        f"a few {facts.units} of {facts.first} or {most} decide."
    )


BREAK_EVEN = CATALOGUE.claims["certainty.break_even"]
SIGNIFICANT = CATALOGUE.claims["headline.significant"]
OTHERS_FIRST = CATALOGUE.claims["resamples.others_first"]
WRONG = {
    "a winner by its set alone": changed(
        "headline.confirmed", true=lambda facts: facts.rows[0]["rank_set"] is not None and facts.rows[0]["within_reach"]
    ),
    "a winner that failures could refute is called confirmed": changed(
        "headline.confirmed", true=lambda facts: bool(facts.entry["winner"]["named"])
    ),
    "the failure rate of the estimate in place of the safe one": changed(
        "headline.significant", words=lambda facts: SIGNIFICANT.words(with_rate_of_estimate(facts))
    ),
    "a winner of an earlier rule": changed("headline.clear", true=lambda facts: facts.entry["verdict"] == "leaning"),
    "a leader over all others": changed(
        "headline.leaning", words=lambda facts: f"{facts.first} leads, but not clearly enough to be named the winner."
    ),
    "a tie of those behind": changed(
        "headline.open",
        words=lambda facts: f"No clear leader. {facts.others} teams are statistically tied for first place.",
    ),
    "the whole error for a winner of several": changed(
        "certainty.level",
        words=lambda _: (
            "If the two best algorithms were equally good, one of them would be named in about 5 % of challenges."
        ),
    ),
    "a case too few": changed(
        "certainty.unseated",
        words=lambda facts: (
            f"Without the {facts.entry['fewest_cases_to_unseat']['units'] - 1} most favourable {facts.units}, "
            f"{facts.entry['fewest_cases_to_unseat']['algorithm']} would be at least as good."
        ),
    ),
    "an estimate in place of a safe rate": changed(
        "certainty.break_even", words=lambda facts: BREAK_EVEN.words(with_rate_of_estimate(facts))
    ),
    "half of the cases needed": changed(
        "certainty.to_settle",
        words=lambda part: (
            f"About {(part.what['estimate'] or 0) // 2} {part.facts.units} would be needed to show a difference from "
            f"{part.what['algorithm']}."
        ),
    ),
    "cases that could confirm two of a hundred more": changed(
        "certainty.to_confirm",
        words=lambda facts: (
            f"At least {facts.entry['cases_to_confirm'] + 2:,} {facts.units} without a failure would be needed to confirm this lead."
        ),
    ),
    "a certain probability": changed(
        "certainty.false_claim",
        words=lambda facts: (
            f"If failures are as frequent as observed: {facts.first} is better than the best of the others with probability over 99 %, "
            "equivalent with 0 %, and worse with under 1 %."
        ),
    ),
    "a p-value that is halved": changed(
        "certainty.unseen_failure",
        words=lambda facts: (
            f"If one failure of {facts.first} went unseen, the cautious p-value against its lead is "
            f"about {facts.entry['false_claim_probability']['with_one_unseen_failure'] / 2:.2f} (one-sided, by the Bayesian bootstrap, "
            "not adjusted). It is not a probability."
        ),
    ),
    "first in more resamples by one of them": changed(
        "certainty.other_first_in_resamples",
        true=lambda facts: (
            len(facts.winners) == 1
            and max(row["share_first"] or 0 for row in facts.rows) > (facts.rows[0]["share_first"] or 1)
        ),
        words=in_more_resamples,
    ),
    "a bound that is rounded down": changed(
        "certainty.failure",
        words=lambda part: (
            f"No case of {part.what['name']} failed among {part.what['failure']['of']}; a failure rate of up to "
            f"{int(1000 * part.what['failure']['upper']) / 10:g} % could have gone unseen."
        ),
    ),
    "a tie that is called the same results": changed(
        "headline.tie",
        words=lambda facts: f"{' and '.join(facts.winners)} share first place; they gave the same results.",
    ),
    "others counted with the first": changed(
        "certainty.shown_worse",
        words=lambda facts: f"{len(facts.rows)} of the {facts.others} others are shown to be worse than {facts.first}.",
    ),
    "sets that are not stated": changed("certainty.sets", true=lambda _: True),
    "a limit of fewer units": changed(
        "beforehand.fewest",
        words=lambda part: (
            f"No winner can be named with fewer than {part[1].least + 1} {part[1].unit}s; "
            "in practice it takes more, the closer the results are."
        ),
    ),
    "an order of three": changed(
        "resamples.order",
        true=lambda facts: facts.entry["resampled"] and facts.entry["kendall_tau"]["median"] is not None,
    ),
    "all others counted as first": changed(
        "resamples.others_first",
        words=lambda facts: (
            f"{facts.others} of the {facts.others} other algorithms came first in at least one resample."
            if facts.others > 1
            else OTHERS_FIRST.words(facts)
        ),
    ),
    "no case that decides": changed(
        "resamples.single_case", words=lambda _: "Leaving out any single case does not change who is first."
    ),
    "replicates where only standard errors are known": changed(
        "certainty.given_replicates", true=lambda part: part.what["code"].startswith("given_")
    ),
    "values that were given": changed(
        "missing.values", words=lambda facts: f"No value of {facts.entry['metric']} was submitted for {facts.first}."
    ),
    "cases of all data sets together": changed(
        "beforehand.fewest",
        words=lambda part: (
            f"No winner can be named with fewer than {part[1].least} {part[1].unit}s in one case; "
            "in practice it takes more, the closer the results are."
        ),
    ),
    "rows in place of cases": changed(
        "missing.predictions",
        words=lambda facts: (
            "Missing predictions: "
            + "; ".join(f"{row['name']}, {2 * row['missing']} cases" for row in facts.rows if row["missing"])
            + "."
        ),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_sentence_is_found_within_200_challenges(name, cases, monkeypatch):
    """Reports repeat these sentences, and take most of the time."""
    monkeypatch.setitem(CATALOGUE.claims, WRONG[name].id, WRONG[name])
    assert any(found for case in cases for found in case.false(report=False)[0])


def test_of_values_of_the_whole_data_set_without_evidence_no_case_is_called_missing(monkeypatch):
    """Challenge 80,019,449: a team has no value, and only its run costs would show its number of missing cases."""
    with_costs = case_of(80_019_449, large=True)
    assert "Missing predictions: team A, 2 cases." in ranking.sentences_of(with_costs.entries[0], with_costs.document)
    assert not with_costs.false()[0]
    monkeypatch.setattr(costs, "SHARE", 0)
    case = case_of(80_019_449, large=True)
    assert case.document["rankings"][0]["cases"] == 0
    assert not case.false()[0]
    said = [sentence.claim for entry in case.entries for sentence in ranking.sentences_of(entry, case.document)]
    assert "missing.predictions" not in said


def test_every_claim_about_a_ranking_is_said_of_some_generated_challenge(cases):
    said = {
        sentence.claim
        for case in cases
        for entry in case.entries
        for sentence in ranking.sentences_of(entry, case.document, closed=case.raw.challenge.closed)
    }
    said |= {
        sentence.claim
        for case in cases
        if case.document
        for older in [of_schema_2(case.document)]
        for entry in older["rankings"]
        for sentence in ranking.sentences_of(entry, older)
    }
    said |= {sentence.claim for case in cases if case.document for sentence in case.beforehand()}
    seldom = {
        "beforehand.enough_for_two",
        "certainty.equivalent",
        "certainty.further_reversals",
        "certainty.look",
        "certainty.no_lead_interval",  # rankings over sites, tests/unit/evaluation/federation/test_leads.py
        "certainty.no_lead_of_combined",
        "certainty.several_rankings",
        "certainty.undeclared_level",
        "comparisons.test_contradicts",
        "headline.too_many_changes",  # tests/unit/evaluation/uncertainty/test_families.py
    }
    expected = {claim.id for group in (HEADLINES, BESIDE, RESAMPLES, LIMITS, TOO_FEW) for claim in group}
    assert not expected - seldom - said


def test_a_claim_has_a_condition_and_an_example_in_plain_words():
    for claim in CATALOGUE.claims.values():
        assert claim.condition.endswith("."), claim.id
        assert claim.example, claim.id
        for sentence in claim.example.removesuffix(")").split(". "):
            assert len(sentence.split()) <= LONGEST.get(claim.id, 34), claim.id


@pytest.mark.parametrize("module", ["evaluation.claims.ranking", "evaluation.figures", "tests.claims.attack"])
def test_sentences_and_figures_can_be_imported_in_any_order(module):
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True, timeout=60)


def test_a_claim_exists_once():
    made = Catalogue()
    claim = Claim("a.b", "Always.", lambda _: True, lambda _: "So it is.", "So it is.")
    group = made.group(claim)
    with pytest.raises(ValueError, match=r"'a\.b' exists twice"):
        made.group(claim)
    assert [(said, said.claim) for said in group.all(None)] == [("So it is.", "a.b")]


def test_a_group_without_a_true_claim_says_so():
    group = Catalogue().group(Claim("a.b", "Never.", lambda _: False, lambda _: "", ""))
    with pytest.raises(LookupError, match=r"none of a\.b is true"):
        group.first(None)

"""Sentences about run costs are true of generated challenges, and a planted wrong sentence is detected.

The challenges rank or report these costs. All generated challenges have costs, as far as their kind of problem runs
algorithms.
"""

from dataclasses import replace

import pytest

from evaluation.claims.catalogue import CATALOGUE
from evaluation.claims.costs import FRONT, KEPT, MEASURED, NO_GROUPS
from evaluation.wording import joined
from tests.claims import costs as generated_costs
from tests.claims.attack import case_of
from tests.claims.said_in_sections import Section, false_in_report, report_of
from tests.claims.section_meanings import MEANINGS
from tests.sizes import size

CHALLENGES, FEWEST = size(((*range(12), 22, 38, 468), 8), ((*range(100), 468), 30))
"""Numbers of the challenges. In the last one no team has a value and a cost, which is rare."""


@pytest.fixture(scope="module")
def cases():
    """Return the first challenges that have costs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generated_costs, "SHARE", 1)
        made = [case_of(seed) for seed in CHALLENGES]
    return [case for case in made if case.document is not None and case.raw.assessment.by_run]


@pytest.fixture(scope="module")
def told(cases):
    """Return the report's sentences about costs, each with its case and the heading above it."""
    return [
        (case, below, sentence)
        for case in cases
        for below, sentence in report_of(case.raw, case.document)
        if getattr(sentence, "claim", "").startswith("costs.")
    ]


def test_no_sentence_about_costs_is_false(told):
    assert len({case.seed for case, _, _ in told}) > FEWEST
    assert not [
        (case.seed, wrong)
        for case, below, sentence in told
        for wrong in MEANINGS.false([sentence], Section(case.raw, case.document, below))
    ]


def test_every_claim_about_costs_is_said_of_some_challenge(told):
    said = {sentence.claim for _, _, sentence in told}
    assert {claim.id for group in (FRONT, MEASURED) for claim in group} <= said


WRONG = {
    "costs.some_unbeaten": lambda plane: (
        f"{joined([*plane.unbeaten, *sorted(set(plane.shown) - set(plane.unbeaten))[:1]])} are beaten by none; each of the other "
        f"{len(plane.shown) - len(plane.unbeaten)} algorithms is beaten by one of these, which is at least as good by both, and "
        "better by at least one."
    ),
    "costs.one_unbeaten": lambda plane: (
        f"{next(name for name in plane.shown if name not in plane.unbeaten)} is at least as good as every other algorithm by both, "
        "and better by at least one."
    ),
    "costs.all_unbeaten": lambda _: "All algorithms have the same values by both.",
    "costs.equal": lambda _: (
        "No algorithm is beaten by both: of two algorithms that differ, the one that is better by one is worse by the other; so are these."
    ),
    "costs.measured": lambda names: (
        f"The values of {joined([*names, 'dsc'])} were measured while the algorithms ran. They are used as measured and were "
        "not computed again."
    ),
}


@pytest.mark.parametrize("identity", WRONG)
def test_a_wrong_sentence_is_found(identity, cases, monkeypatch):
    monkeypatch.setitem(CATALOGUE.claims, identity, replace(CATALOGUE.claims[identity], words=WRONG[identity]))
    assert any(false_in_report(case.raw, case.document)[0] for case in cases)


def test_a_front_that_takes_the_other_end_of_a_cost_for_the_better_one_is_found(cases, monkeypatch):
    from evaluation.claims import costs
    from evaluation.running.pareto import pareto

    monkeypatch.setattr(costs, "pareto", lambda points, ways: pareto(points, (ways[0], "higher")))
    assert any(false_in_report(case.raw, case.document)[0] for case in cases)


def test_what_is_kept_names_the_costs_and_nothing_is_said_where_none_is():
    assert KEPT.all(frozenset()) == NO_GROUPS.all(frozenset()) == []
    assert KEPT.all(frozenset({"Wall time", "Peak memory"})) == [
        "Costs of single cases (Peak memory and Wall time) are not shown: a program could reveal hidden images through them."
    ]

"""No conclusion of the exposure report about generated challenges is false, and a wrong one that is planted is found."""

from dataclasses import replace

import pytest

from reports.exposure.services import exposure, lines
from reports.exposure.services.conclusions import CATALOGUE
from tests.claims.exposure_evidence import false_lines
from tests.claims.exposure_predicates import false_conclusions, sentences
from tests.claims.exposures import facts_of, sealed_away

CHALLENGES = 400
PLANTED = 200


@pytest.fixture(scope="module")
def generated():
    """Return the facts of challenges with the report's statements about them."""
    return [(facts, exposure(facts)) for facts in map(facts_of, range(CHALLENGES))]


def test_no_conclusion_about_generated_challenges_is_false(generated):
    wrong = {
        (seed, sentence)
        for seed, (facts, findings) in enumerate(generated)
        for sentence in false_conclusions(facts, findings)
    }
    assert not wrong


def test_nor_is_one_for_readers_who_may_know_nothing_of_the_phases(generated):
    for facts, _ in generated[:60]:
        hidden = sealed_away(facts)
        assert not false_conclusions(hidden, exposure(hidden))


def test_every_conclusion_is_drawn_of_some_generated_challenge(generated):
    texts = {sentence for _, findings in generated for one in findings for sentence in sentences(one.conclusion)}
    for claim in CATALOGUE.claims.values():
        assert claim.condition.endswith("."), claim.id
        assert not claim.example or claim.example in texts, claim.id


def changed(identity, **parts):
    return replace(CATALOGUE.claims[identity], **parts)


WRONG = {
    "registered whatever ran": changed("scheme.registered", true=lambda case: case.facts.design is not None),
    "sealed in time": changed("test_cases.late", true=lambda _: False),
    "every bundle is public": changed(
        "implementation.library",
        words=lambda _: (
            "All metrics are those of the tested library, and anyone can recompute every ranking from its bundle."
        ),
    ),
    "all teams are ranked": changed("flattering.fewer", true=lambda _: False),
    "limited by day and called blind": changed("attempts.blind", true=lambda case: bool(case.phases)),
    "dates as planned": changed("schedule.moved", true=lambda _: False),
    "excluded by the design": changed("taken_out.registered", true=lambda _: True),
    "decoys where there are none": changed("by_hand.decoys", true=lambda case: bool(case.phases)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_conclusion_is_found_within_200_challenges(name, generated, monkeypatch):
    monkeypatch.setitem(CATALOGUE.claims, WRONG[name].id, WRONG[name])
    assert any(false_conclusions(facts, exposure(facts)) for facts, _ in generated[:PLANTED])


def test_no_line_of_evidence_is_false(generated):
    wrong = {(seed, line) for seed, (facts, findings) in enumerate(generated) for line in false_lines(facts, findings)}
    assert not wrong


def test_every_line_of_evidence_is_said_and_comes_from_the_catalogue_or_the_design(generated):
    told = {
        (line.kind, getattr(line.text, "claim", ""))
        for _, findings in generated
        for one in findings
        for line in one.evidence
    }
    assert {kind for kind, claim in told if not claim} == {"parameter"}
    assert {claim for _, claim in told if claim} == set(lines.CATALOGUE.claims)
    for claim in lines.CATALOGUE.claims.values():
        assert claim.condition.endswith("."), claim.id
        assert claim.example, claim.id


def wrong_line(identity, **parts):
    return replace(lines.CATALOGUE.claims[identity], **parts)


WRONG_LINES = {
    "dates as planned": wrong_line("line.planned", true=lambda _: True),
    "all teams ranked": wrong_line(
        "line.ranked",
        words=lambda about: (
            f"{about.name}: {about.phase.submitting_teams} of {about.phase.submitting_teams} teams with an accepted submission "
            "ranked; 3 submissions scored"
        ),
    ),
    "decoys among the scored": wrong_line(
        "line.sealed",
        words=lambda about: (
            f"{about.name}: version {about.entry['version']}, {about.entry['cases'] - about.entry['decoys']} cases, sealed "
            f"{lines.moment_words(lines.datetime.fromisoformat(about.entry['sealed_at']))}"
        ),
    ),
    "looked at by nobody": wrong_line("line.unseen", true=lambda _: True),
    "blind to the end": wrong_line("line.attempts_shown", true=lambda _: False),
}


@pytest.mark.parametrize("name", WRONG_LINES)
def test_a_wrong_line_is_found_within_200_challenges(name, monkeypatch):
    monkeypatch.setitem(lines.CATALOGUE.claims, WRONG_LINES[name].id, WRONG_LINES[name])
    assert any(false_lines(facts, exposure(facts)) for facts in map(facts_of, range(PLANTED)))

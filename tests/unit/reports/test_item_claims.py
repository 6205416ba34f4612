"""No sentence of the items about runs, attempts and people is false of generated challenges, and a planted one is found."""

from dataclasses import replace

import pytest

from reports.domain.content import Fill, Item, Ledger
from reports.queries.audience import Level
from reports.services.items import claims
from reports.services.items.logged import announced, attempts, close_teams, cycle, statistics
from reports.services.items.outcome import registrations, reported_teams
from reports.services.items.source import Source
from tests.claims.exposures import facts_of
from tests.claims.item_predicates import MEANINGS, sentences

ADDITIONS = (cycle, close_teams, announced, attempts, statistics, registrations, reported_teams)
STATES = ("closed", "open", "upcoming")


@pytest.fixture(scope="module")
def generated():
    """Facts at random, with phases in every state."""
    found = []
    for seed in range(200):
        facts = facts_of(seed)
        phases = [replace(phase, state=STATES[(seed + place) % 3]) for place, phase in enumerate(facts.phases)]
        found.append(replace(facts, phases=phases))
    return found


def wrong(facts) -> list[str]:
    source = Source(facts, Ledger())
    found = []
    for phase in facts.main_phases():
        said = claims.RANKED.all(claims.Named(source.named(phase), phase, source.parsed(phase)))
        found += MEANINGS.false(said, facts)
    for addition in ADDITIONS:
        item = Item(addition.__name__, "", Fill.FULL, ())
        addition(item, source)
        found += MEANINGS.false(sentences(item.text), facts)
    return found


def test_no_sentence_is_false(generated):
    assert {(seed, one) for seed, facts in enumerate(generated) for one in wrong(facts)} == set()


def _more(ranking):
    return replace(ranking, cases=ranking.cases + 1)


WRONG = {
    "over while a phase is to open": ("cycle.over", {"true": lambda run: not run.named("open")}),
    "all teams are told": ("announced.all", {"true": lambda run: not run.hidden}),
    "submissions of one team": (
        "attempts.limit",
        {
            "words": lambda said: (
                f"{said.name}: no limit of submissions; {claims.COUNTS[said.phase.counts]} of a team counts."
            )
        },
    ),
    "samples that were not drawn": ("statistics.drawn", {"true": lambda _: True}),
    "cases of another phase": (
        "ranked.teams",
        {
            "words": lambda said: claims._ranked(
                replace(said, phase=replace(said.phase, ranking=_more(said.phase.ranking)))
            )
        },
    ),
    "tests of whole data sets": ("statistics.tested", {"true": lambda _: True}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_sentence_is_found_within_200_challenges(name, generated, monkeypatch):
    identity, parts = WRONG[name]
    monkeypatch.setitem(claims.CATALOGUE.claims, identity, replace(claims.CATALOGUE.claims[identity], **parts))
    assert any(map(wrong, generated))


def test_what_may_be_told_of_hidden_phases_is_that_they_are(generated):
    facts = next(facts for facts in generated if any(phase.level == Level.NOTHING for phase in facts.phases))
    assert not wrong(facts)


def test_claims_have_conditions_and_examples():
    for claim in claims.CATALOGUE.claims.values():
        assert claim.condition.endswith("."), claim.id
        assert claim.example, claim.id

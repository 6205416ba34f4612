"""No sentence of the items about runs, attempts and people is false of generated challenges, and a planted one is found."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.figures.cases import hardest_first
from reports.domain.content import Fill, Item, Ledger
from reports.exposure.queries.audience import Level
from reports.services.items import claims
from reports.services.items.logged import announced, attempts, close_teams, cycle, software, statistics
from reports.services.items.outcome import registrations, reported_teams
from reports.services.items.source import Source
from tests.claims.exposures import facts_of
from tests.claims.item_predicates import MEANINGS, RAW, sentences

ADDITIONS = (cycle, close_teams, announced, attempts, statistics, registrations, reported_teams, software)
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
                f"{said.name}: submissions per team: no limit; {claims.COUNTS[said.phase.counts]} of a team counts."
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


def table_of(seed):
    """Values of cases at random: gaps, ties, cases without a value, few cases."""
    random = np.random.default_rng(seed)
    cases, teams = int(random.integers(1, 9)), int(random.integers(1, 5))
    values = random.random((cases, teams)).round(int(random.choice([0, 1, 3])))
    gone = random.random((cases, teams)) < random.choice([0, 0.2, 0.7])
    return {
        "metric": "DSC",
        "direction": str(random.choice(["higher", "lower"])),
        "cases": [f"case-{number}" for number in range(cases)],
        "values": [
            [None if lost else float(value) for value, lost in zip(*pair, strict=True)]
            for pair in zip(values, gone, strict=True)
        ],
    }


def of_cases(raw, choose=claims.hardest):
    return RAW.false(claims.HARDEST.all(claims.Hard("DSC", choose(raw, 3))), raw)


def test_cases_are_called_the_hardest_only_where_all_others_have_a_better_median():
    tables = [table_of(seed) for seed in range(200)]
    assert not [wrong for raw in tables for wrong in of_cases(raw)]
    assert sum(bool(claims.hardest(raw, 3)) for raw in tables) > 50
    # The first three of any order would be called so, too, where they are all that there are.
    assert any(
        of_cases(raw, lambda raw, most: [raw["cases"][place] for place in hardest_first(raw)][:most]) for raw in tables
    )


def ranks_of(seed):
    random = np.random.default_rng(seed)
    wheres = ["DSC, liver", "NSD, liver", "DSC, spleen"][: int(random.integers(1, 4))]
    return {team: {where: float(random.integers(2, 9)) / 2 for where in wheres} for team in ("unet", "vnet", "atlas")}


def of_spreads(ranks):
    rows = [
        claims.Spread(team, *(choose((rank, where) for where, rank in found.items()) for choose in (min, max)))
        for team, found in ranks.items()
    ]
    return RAW.false([said for row in rows for said in claims.DEPENDS.all(row)], ranks)


def test_a_rank_is_said_to_depend_on_the_metric_only_where_it_does(monkeypatch):
    assert not [wrong for seed in range(100) for wrong in of_spreads(ranks_of(seed))]
    wrong_one = replace(claims.CATALOGUE.claims["depends.rank"], true=lambda _: True)
    monkeypatch.setitem(claims.CATALOGUE.claims, "depends.rank", wrong_one)
    assert any(of_spreads(ranks_of(seed)) for seed in range(100))

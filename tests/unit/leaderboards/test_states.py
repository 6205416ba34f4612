"""No sentence about the state of a leaderboard is false of generated facts, and a wrong one that is planted is found."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from leaderboards.domain import states
from leaderboards.domain.states import CATALOGUE
from tests.claims.state_meanings import false_lines
from web.wording import moment_words

SETS = 300
START = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)


def made(seed):
    """One of each state with the facts of a number."""
    random = np.random.default_rng(seed)

    def chance(share=0.5):
        return bool(random.random() < share)

    def one(*values):
        return values[int(random.integers(len(values)))]

    def moment():
        return START + timedelta(minutes=int(random.integers(0, 500_000)))

    total = int(random.integers(1, 5))
    done = int(random.integers(0, total))
    metrics = [f"Metric {index}" for index in range(int(random.integers(1, 4)))]
    tables = [
        (one("a core lab", "Oslo"), "calipers", one("March 2026", "in May"), index + 1)
        for index in range(int(random.integers(1, 4)))
    ]
    closed, opened = one((True, True), (False, True), (False, False))
    return [
        (
            states.EMPTY,
            states.Empty(
                opens="" if opened else f"on {moment_words(moment())}",
                ends=moment(),
                is_closed=closed,
                is_frozen=opened and not closed and chance(0.2),
                is_computing=chance(0.2),
                nothing_counts=chance(0.2),
                under_way=int(random.integers(0, 3)),
                runs=chance(),
            ),
        ),
        *(
            (act, states.Sealed(moment(), chance(), chance(), int(random.integers(0, 4))))
            for act in (states.SEALED, states.SEALED_FOR_OTHERS)
        ),
        (states.FROZEN, states.Frozen(moment(), moment(), chance())),
        (states.NAMED, states.Named("teams on the first ranks", int(random.integers(1, 5)), chance())),
        (states.NAMED, states.Named("teams that agree in their method description", None, chance())),
        (states.DRY_RUN, states.DryRun(chance())),
        (
            states.STANDS,
            states.Stands(
                str(random.integers(1, 5)),
                12,
                one("", "unet", "Ada's"),
                one("", "could be 1–3", "too few cases"),
                chance(),
            ),
        ),
        (states.OUTSIDE, states.Outside(tables)),
        (states.JUDGED, states.Judged(metrics, "2026-11-20")),
        (states.REPEATED, states.Repeated(1, 2, done, total, int(random.integers(0, total - done + 1)), chance())),
        (states.LEFT_OUT, states.LeftOut(int(random.integers(1, 4)), 2)),
    ]


def wrong(seeds):
    return [line for seed in seeds for act, facts in made(seed) for line in false_lines(act.letter(facts), facts)]


def test_no_sentence_about_the_state_of_a_leaderboard_is_false():
    assert not wrong(range(SETS))


def test_every_claim_is_said_and_has_a_condition_and_an_example():
    said = {
        sentence.claim
        for seed in range(SETS)
        for act, facts in made(seed)
        for sentence in [act.subject.first(facts), *act.text.all(facts)]
    }
    assert said == set(CATALOGUE.claims)
    assert all(claim.condition.endswith(".") and claim.example for claim in CATALOGUE.claims.values())


def test_something_is_said_of_every_empty_leaderboard_and_one_thing_alone():
    assert all(
        len(act.letter(facts).paragraphs) == 1
        for seed in range(SETS)
        for act, facts in made(seed)
        if act is states.EMPTY
    )


WRONG = {
    "nobody sees scores, where teams see their own": ("sealed.nobody", {"true": lambda _: True}),
    "a wait that never ends": ("repeated.until", {"true": lambda _: True}),
    "public references that are not": ("dry_run.public", {"true": lambda _: True}),
    "one table of several": ("outside.one", {"true": lambda _: True}),
    "as it stood, to who sees more": (
        "frozen.title",
        {"words": lambda _: "Frozen: this is the ranking as of 1 May"},
    ),
    "failures told to everybody": ("repeated.failed", {"true": lambda of: of.failed > 0}),
    "this submission counts, where another one does": ("stands.by_this", {"true": lambda _: True}),
    "closed without a score, while one is on its way": ("empty.ended", {"true": lambda of: of.is_closed}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_sentence_is_found_within_200_sets(name, monkeypatch):
    identity, parts = WRONG[name]
    monkeypatch.setitem(CATALOGUE.claims, identity, replace(CATALOGUE.claims[identity], **parts))
    assert any(wrong([seed]) for seed in range(200))

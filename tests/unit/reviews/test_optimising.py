"""The automatic assignment: complete where it can be, fair, and never across a conflict."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.domain.optimising import Candidate, plan
from reviews.models import AutomaticAssignment, Bid
from reviews.services import assigning, reviewers
from reviews.services.filing import file_design
from tests.unit.reviews.world import make_design


def everybody(reviewers_, filings, affinity=lambda r, f: 0.5, part="general"):
    return [Candidate(r, f, part, affinity(r, f)) for r in reviewers_ for f in filings]


def loads(found):
    return Counter(one.reviewer for one in found.chosen)


def test_the_load_spreads_evenly():
    found = plan(
        everybody(range(6), range(10)),
        {(f, "general"): 3 for f in range(10)},
        room=dict.fromkeys(range(6), 10),
        load={},
    )
    assert set(loads(found).values()) == {5}
    assert not found.open_places


def test_who_has_much_gets_less():
    found = plan(everybody(range(2), range(4)), {(f, "general"): 1 for f in range(4)}, room={0: 9, 1: 9}, load={0: 3})
    assert loads(found)[1] > loads(found)[0]


def test_wishes_and_expertise_decide_between_equals():
    fits = {(0, 0): 0.9, (1, 1): 0.9, (0, 1): 0.2, (1, 0): 0.2}
    found = plan(
        everybody(range(2), range(2), lambda r, f: fits[r, f]),
        {(0, "general"): 1, (1, "general"): 1},
        room={0: 2, 1: 2},
        load={},
    )
    assert {(one.reviewer, one.filing) for one in found.chosen} == {(0, 0), (1, 1)}


def test_no_design_pays_for_the_others():
    # The greedy best sum would leave design 1 with the bad fit.
    fits = {(0, 0): 1.0, (0, 1): 0.8, (1, 0): 0.6, (1, 1): 0.0}
    found = plan(
        everybody(range(2), range(2), lambda r, f: fits[r, f]),
        {(0, "general"): 1, (1, "general"): 1},
        room={0: 1, 1: 1},
        load={},
    )
    assert {(one.reviewer, one.filing) for one in found.chosen} == {(0, 1), (1, 0)}


def test_one_person_takes_one_part_of_a_design_and_open_places_are_named():
    both = [Candidate(0, 0, "general", 0.5), Candidate(0, 0, "clinical", 0.5)]
    found = plan(both, {(0, "general"): 1, (0, "clinical"): 1, (1, "general"): 2}, room={0: 5}, load={})
    assert len(found.chosen) == 1
    assert sum(found.open_places.values()) == 3


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_it_never_breaks_a_rule(seed):
    rng = np.random.default_rng(seed)
    people, filings = range(rng.integers(1, 7)), range(rng.integers(1, 6))
    allowed = [one for one in everybody(people, filings, lambda r, f: float(rng.random())) if rng.random() < 0.7]
    room = {person: int(rng.integers(0, 4)) for person in people}
    places = {(f, "general"): int(rng.integers(0, 4)) for f in filings}
    found = plan(allowed, places, room=room, load={})
    assert set(found.chosen) <= set(allowed)
    assert len({(one.reviewer, one.filing) for one in found.chosen}) == len(found.chosen)
    assert all(number <= room[person] for person, number in loads(found).items())
    filled = Counter(one.filing for one in found.chosen)
    assert {key: places[key] - filled[key[0]] for key in places if places[key] > filled[key[0]]} == found.open_places


@pytest.mark.django_db
def test_a_call_is_filled_without_conflicts_and_what_chairs_assigned_stays(world):
    from datetime import timedelta

    from django.utils import timezone

    world.call.bidding_until = timezone.now() + timedelta(days=1)
    world.call.statistician = True
    world.call.save()
    first = world.file()
    second = file_design(actor=world.owner, call=world.call, design=make_design(world.owner, "Second"))
    for reviewer in world.panel.values():
        reviewer.refresh_from_db()
    reviewers.declare_conflict(actor=world.chair, reviewer=world.panel["r1"], filing=first, reason="advisor")
    reviewers.bid(reviewer=world.panel["r2"], filing=second, wish=Bid.Wish.GLADLY)
    world.assign("r3")
    run = assigning.request_assignment(actor=world.chair, call=world.call)
    assert assigning.request_assignment(actor=world.chair, call=world.call) == run
    run = assigning.assign_automatically(run=run)
    assert run.state == AutomaticAssignment.State.DONE
    got = {
        filing.pk: {(one.reviewer.user.username, one.part) for one in filing.assignments.filter(removed_at=None)}
        for filing in (first, second)
    }
    always = {("rev_r2", "general"), ("rev_r3", "general"), ("rev_clara", "clinical"), ("rev_stan", "statistics")}
    assert got == {first.pk: always, second.pk: always | {("rev_r1", "general")}}
    assert run.made == 8
    assert "Hippocampus, spring: 1 reviewer missing" in run.words
    assert not first.assignments.get(reviewer=world.panel["r3"]).is_automatic
    again = assigning.assign_automatically(run=assigning.request_assignment(actor=world.chair, call=world.call))
    assert again.made == 0


def test_a_large_call_is_assigned_in_seconds():
    import time

    rng = np.random.default_rng(1)
    candidates = everybody(range(60), range(40), lambda r, f: float(rng.random()))
    started = time.monotonic()
    found = plan(
        candidates,
        {(f, "general"): 3 for f in range(40)},
        room=dict.fromkeys(range(60), 4),
        load={},
        seconds=5,
    )
    assert len(found.chosen) == 120
    assert max(loads(found).values()) <= 3
    assert time.monotonic() - started < 20

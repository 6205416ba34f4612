"""The exposure report of small challenges, worked out by hand: which way to manipulate meets what, and why."""

from dataclasses import replace

import pytest

from reports.exposure.queries.audience import Audience, Level
from reports.exposure.queries.facts import DesignFacts, Facts, PhaseFacts, RankingFacts
from reports.exposure.services import ATTACKS, Cover, exposure, summary

PREVENTED, DETECTABLE, UNCOVERED = Cover.PREVENTED, Cover.DETECTABLE, Cover.UNCOVERED
JANUARY, MARCH, MAY = (f"2026-0{month}-01T08:00:00+00:00" for month in (1, 3, 5))
ASSESSMENT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "liver", "labels": [1]}],
    "metrics": [{"id": "dsc"}],
}
REGISTERED = {
    "schema": 1,
    "catalogue": "1.0.0",
    "challenge": {"organizer_participation_policy": "not_allowed"},
    "tasks": [{"key": "main", "annotation_aggregation_test": "majority_vote"}],
}


def logged(sequence, act, time, phase, **facts):
    return {"sequence": sequence, "act": act, "time": time, "digest": "e" * 64, "phase": phase, "facts": facts}


RANKING = RankingFacts(
    pk=1,
    number=4,
    digest="r" * 64,
    since=MAY,
    cause="score",
    assessment_digest="a" * 64,
    inputs_digest="i" * 64,
    seed=1,
    bootstrap=1000,
    cases=40,
    versions={"podium": "1.0", "numpy": "2.0"},
    document_name="",
    teams=[{"name": name, "result": name * 8, "submission": name} for name in ("Ada", "Ben", "Cid")],
    standings=4,
    assessments_used=["a" * 64],
    address="",
)
PHASE = PhaseFacts(
    pk=7,
    key="final",
    task="main",
    task_name="Main",
    design_key="main",
    name="Final",
    level=Level.ALL,
    opens_at=MARCH,
    closes_at=MAY,
    ends_at=MAY,
    state="closed",
    counts="last",
    results="validation",
    leaderboard="sealed",
    incomplete_allowed=False,
    per_day=None,
    in_total=2,
    assessment=ASSESSMENT,
    assessment_digest="a" * 64,
    assessment_address="",
    test_sets=[{"version": 1, "sealed_at": JANUARY, "manifest_digest": "m" * 64, "is_active": True, "cases": 40}],
    submitting_teams=3,
    first_submission=MARCH,
    states={"scored": 3},
    late=0,
    made_by={"Ada": 1, "Ben": 2, "Cid": 1},
    ranking=RANKING,
    methods=[],
    deviations=[],
)
DESIGN = DesignFacts(
    kind="registration",
    label="Registration podium-2026-0001, version 1.0",
    number="1.0",
    digest="d" * 64,
    since=JANUARY,
    address="/registry/podium-2026-0001/v1.0/",
    data=REGISTERED,
)
WELL_RUN = Facts(
    audience=Audience.PUBLIC,
    slug="liver",
    title="Liver",
    summary="",
    attribution="",
    is_public=True,
    created=JANUARY,
    organizers=[],
    design=DESIGN,
    phases=[PHASE],
    teams=3,
    people=5,
    organizer_affinity={"members": 5, "close": 0, "teams": 0},
    reference_access={"seen": 0, "downloaded": 0, "people": 0},
    log=[
        logged(3, "phase_created", JANUARY, 7, opens_at=MARCH, closes_at=MAY, assessment_digest="a" * 64, name="Final"),
        logged(4, "test_set_sealed", JANUARY, 7, manifest_digest="m" * 64),
    ],
)
"""Registered and sealed in January, submissions from March, two blind attempts a team, closed in May."""

BARE_PHASE = replace(
    PHASE,
    leaderboard="public",
    results="cases",
    incomplete_allowed=True,
    in_total=None,
    assessment=ASSESSMENT | {"metrics": [{"id": "dsc", "policy": {"missing": "exclude", "allow_gaming": True}}]},
    closes_at="2026-06-01T08:00:00+00:00",
    test_sets=[
        {"version": 1, "sealed_at": MAY, "manifest_digest": "m" * 64, "is_active": False, "cases": 40},
        {"version": 2, "sealed_at": MAY, "manifest_digest": "n" * 64, "is_active": True, "cases": 38},
    ],
    submitting_teams=4,
    late=2,
    ranking=replace(
        RANKING, bootstrap=0, teams=[{"name": n, "result": "same", "submission": n} for n in ("Ada", "Ben")]
    ),
)
BARE = replace(
    WELL_RUN,
    is_public=False,
    design=None,
    phases=[BARE_PHASE],
    organizer_affinity={"members": 5, "close": 2, "teams": 1},
)
"""Badly run challenge with a changed test set.

It has no design, immediate results, no limit of attempts, and a mean without missing cases.
"""

DECOYED = replace(
    WELL_RUN,
    phases=[replace(PHASE, test_sets=[PHASE.test_sets[0] | {"cases": 50, "decoys": 10}])],
)
"""Well-run challenge that requests ten more cases than it scores."""

WORKED = {
    1: ("scheme", PREVENTED, "registered version alone", DETECTABLE, "no registration proves when it was chosen"),
    2: ("parameters", PREVENTED, "registered assessment", DETECTABLE, "no registration holds them"),
    3: ("announced", PREVENTED, "public 59 days before the first submission", UNCOVERED, "Nothing proves"),
    4: ("cases", PREVENTED, "sealed before the first submission", DETECTABLE, "was replaced"),
    5: ("references", PREVENTED, "how annotations were merged", DETECTABLE, "References were replaced"),
    6: ("selection", PREVENTED, "has to hold every case", UNCOVERED, "withholding bad cases pays"),
    7: ("missing", PREVENTED, "is stated for every metric", DETECTABLE, "leaves missing cases out"),
    8: ("by hand", UNCOVERED, "leave no trace", UNCOVERED, "leave no trace"),
    9: ("attempts", PREVENTED, "brought no score", UNCOVERED, "not limited in every phase"),
    10: ("accounts", DETECTABLE, "where their results are the same", DETECTABLE, "where their results are the same"),
    11: ("labels", UNCOVERED, "is not on record", UNCOVERED, "is not on record"),
    12: ("own", PREVENTED, "no member of a team shares", DETECTABLE, "no policy for their institutes"),
    13: ("data", UNCOVERED, "No rule about further training data", UNCOVERED, "No rule about further training data"),
    14: ("schedule", PREVENTED, "those that were planned", DETECTABLE, "every change is in the log"),
    15: ("website", PREVENTED, "written from the registered version", UNCOVERED, "names no design"),
    16: ("code", PREVENTED, "tested library", PREVENTED, "tested library"),
    17: ("flattering", PREVENTED, "Every team with an accepted submission", DETECTABLE, "Some teams"),
    18: ("winner", PREVENTED, "only by the registered rule", UNCOVERED, "was not resampled"),
}


@pytest.fixture(scope="module")
def judged():
    return {name: {f.number: f for f in exposure(facts)} for name, facts in (("well", WELL_RUN), ("bare", BARE))}


def test_every_known_way_is_worked_out(judged):
    assert set(WORKED) == set(judged["well"]) == set(range(1, len(ATTACKS) + 1))
    assert summary(list(judged["well"].values())) == {"prevented": 14, "detectable": 1, "uncovered": 3}
    assert summary(list(judged["bare"].values())) == {"prevented": 1, "detectable": 9, "uncovered": 8}


@pytest.mark.parametrize("number", WORKED)
def test_findings_are_those_worked_out_by_hand(judged, number):
    _, well, why, bare, why_bare = WORKED[number]
    found, other = judged["well"][number], judged["bare"][number]
    assert (found.cover, other.cover) == (well, bare), (found.conclusion, other.conclusion)
    assert why in found.conclusion
    assert why_bare in other.conclusion


def test_findings_rest_on_facts_that_name_where_they_come_from(judged):
    for found in judged["well"].values():
        assert all(evidence.source for evidence in found.evidence), found.identity
    assert judged["well"][4].evidence[0].digest == "m" * 64
    assert judged["well"][1].evidence[-1].digest == "d" * 64
    assert "1 group of teams with the same result" in judged["bare"][10].evidence[-1].text


def of(facts, number):
    return next(finding for finding in exposure(facts) if finding.number == number)


def test_one_fact_changes_one_finding():
    changed = replace(
        WELL_RUN, phases=[replace(PHASE, ranking=replace(RANKING, assessments_used=["a" * 64, "b" * 64]))]
    )
    assert of(changed, 1).cover is DETECTABLE
    late = replace(WELL_RUN, design=replace(DESIGN, since=MAY))
    assert (of(late, 1).cover, of(late, 3).cover) == (DETECTABLE, DETECTABLE)
    few = replace(WELL_RUN, phases=[replace(PHASE, ranking=replace(RANKING, teams=RANKING.teams[:2]))])
    assert "Fewer than 3 teams" in of(few, 18).conclusion
    looked = replace(WELL_RUN, reference_access={"seen": 2, "downloaded": 1, "people": 1})
    assert "looked at 2 times and downloaded once, by 1 person" in of(looked, 11).evidence[1].text
    close = replace(WELL_RUN, organizer_affinity={"members": 5, "close": 1, "teams": 1})
    assert of(close, 12).cover is DETECTABLE


def test_sealed_phases_prove_nothing_that_they_may_not_tell():
    sealed = replace(WELL_RUN, phases=[replace(PHASE, level=Level.NOTHING, ranking=None, made_by={}, states={})])
    words = " ".join(evidence.text for finding in exposure(sealed) for evidence in finding.evidence)
    assert not any(name in words for name in ("Ada", "Ben", "Cid", "bootstrap"))
    assert of(sealed, 18).cover is UNCOVERED


def test_decoys_are_evidence_against_work_by_hand_and_no_exposed_test_cases():
    before, after = ({finding.number: finding for finding in exposure(facts)} for facts in (WELL_RUN, DECOYED))
    assert (before[8].cover, after[8].cover) == (UNCOVERED, DETECTABLE)
    assert "which of them are scored was secret" in after[8].conclusion
    assert after[8].evidence[-1].text == (
        "Final: 10 decoys among 50 cases asked for; 40 cases scored, and nothing revealed which before the phase closed"
    )
    assert after[6].evidence[-1] == after[8].evidence[-1]
    assert "50 cases (40 scored and 10 decoys), sealed" in after[4].evidence[0].text
    assert not any("decoy" in evidence.text for finding in before.values() for evidence in finding.evidence)


def test_several_annotators_are_told_with_the_rule_that_was_sealed():
    several = [PHASE.test_sets[0] | {"annotators": 3, "merging": "majority vote"}]
    alone = replace(DESIGN, data=REGISTERED | {"tasks": [{"key": "main"}]})
    found = exposure(replace(WELL_RUN, design=alone, phases=[replace(PHASE, test_sets=several)]))[4]
    assert (found.number, found.cover) == (5, PREVENTED)
    assert found.evidence[-1].text == (
        "Final: references of 3 annotators sealed; majority vote. The leaderboard has a ranking against each"
    )
    assert exposure(replace(WELL_RUN, design=alone))[4].cover == DETECTABLE


MOVED_DEADLINE = {
    "kind": "approved",
    "what": "Version 1.1 changed “Deadline for submissions” after the first submission",
    "registered_digest": "a" * 64,
    "executed_digest": "a" * 64,
}


def test_a_moved_deadline_is_a_change_neither_of_the_assessment_nor_of_metrics_or_software():
    """The version with the new date is registered after the first submission; the assessment was before it."""
    moved = replace(
        WELL_RUN,
        design=replace(DESIGN, since=MAY),
        phases=[replace(PHASE, deviations=[MOVED_DEADLINE], assessment_since=JANUARY)],
    )
    assert (of(moved, 1).cover, of(moved, 2).cover, of(moved, 3).cover) == (PREVENTED, PREVENTED, PREVENTED)
    assert not any("changed" in of(moved, number).conclusion for number in (1, 2))
    other = MOVED_DEADLINE | {"executed_digest": "b" * 64}
    reassessed = replace(WELL_RUN, phases=[replace(PHASE, deviations=[other])])
    assert of(reassessed, 1).conclusion.startswith("The assessment changed")
    assert of(reassessed, 2).conclusion == "The assessment changed; each ranking names its own."


def test_software_that_changed_is_not_called_a_change_of_metrics():
    second = replace(PHASE, pk=8, name="Second", ranking=replace(RANKING, versions={"podium": "1.1"}))
    changed = replace(WELL_RUN, phases=[PHASE, second])
    assert of(changed, 2).conclusion == "The software changed; each ranking names its own."


def test_only_a_ranking_with_a_public_bundle_is_said_to_be_recomputable_by_anyone():
    assert "anyone" not in of(WELL_RUN, 16).conclusion
    assert "for the organizers alone" in of(WELL_RUN, 16).conclusion
    readable = replace(PHASE, bundle_is_public=True)
    assert "anyone can recompute every ranking" in of(replace(WELL_RUN, phases=[readable]), 16).conclusion
    second = replace(PHASE, pk=8, name="Second")
    assert "the ranking of Final from its bundle" in of(replace(WELL_RUN, phases=[readable, second]), 16).conclusion


def test_the_policy_of_announcing_results_is_named_where_not_all_are_announced():
    data = REGISTERED | {"challenge": {"results_announcement_policy": "top_three_public"}}
    found = of(replace(WELL_RUN, design=replace(DESIGN, data=data)), 17)
    assert (found.cover, found.evidence[-1].source[-27:]) == (DETECTABLE, "results_announcement_policy")
    everything = REGISTERED | {"challenge": {"results_announcement_policy": "all_public"}}
    assert of(replace(WELL_RUN, design=replace(DESIGN, data=everything)), 17).cover is PREVENTED


def test_no_case_is_said_to_be_excludable():
    assert "exclude" not in of(WELL_RUN, 4).conclusion


def test_the_ranking_is_said_to_show_missing_cases_only_where_it_does():
    incomplete = replace(PHASE, incomplete_allowed=True)
    assert "the ranking shows how many" in of(replace(WELL_RUN, phases=[incomplete]), 6).conclusion
    sealed = replace(incomplete, level=Level.NOTHING, ranking=None)
    assert "the ranking shows" not in of(replace(WELL_RUN, phases=[sealed]), 6).conclusion
    pooled = {
        "problem": "object_detection",
        "regions": [{"name": "nodule", "labels": [1]}],
        "metrics": [{"id": "average_precision"}],
    }
    unknown = replace(WELL_RUN, phases=[replace(incomplete, assessment=pooled)])
    assert "the ranking shows" not in of(unknown, 6).conclusion
    classified = {
        "problem": "image_classification",
        "regions": [{"name": "melanoma", "labels": ["melanoma"]}],
        "metrics": [{"id": "accuracy"}],
    }
    answered = of(replace(WELL_RUN, phases=[replace(incomplete, assessment=classified)]), 6)
    assert "the ranking shows how many" in answered.conclusion
    assert "a missing case counts as a wrong decision" in answered.evidence[-1].text


def test_cases_that_were_taken_out_are_told_with_what_was_known_then():
    assessment = ASSESSMENT | {"exclusions": {"cases": [{"case": "case-7", "reason": "reference_error"}]}}
    reason = "Left and right were swapped. The scores of 3 teams were known to the organizers when this change was asked for."
    deviation = {
        "kind": "approved",
        "what": "Version 2.0.0 changed “Test cases that do not count” after the first submission",
        "reason": reason,
        "since": MAY,
        "parameters": ["Test cases that do not count"],
        "registered_digest": "a" * 64,
        "executed_digest": "b" * 64,
    }
    phase = replace(PHASE, assessment=assessment, deviations=[deviation])
    finding = exposure(replace(WELL_RUN, phases=[phase]))[3]
    assert finding.attack.startswith("Drop, add or re-split")
    assert finding.cover is DETECTABLE
    assert "1 case were excluded" not in finding.conclusion
    assert "1 case was excluded, for every team" in finding.conclusion
    told = " ".join(evidence.text for evidence in finding.evidence)
    assert "1 case excluded: the reference is wrong (1)" in told
    assert reason in told

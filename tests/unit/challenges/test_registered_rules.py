"""For every choice that is called executed: another value makes another plan."""

import pytest

from challenges.domain.scheduling import STAYS_OPEN
from challenges.queries.planning import NotLaunchableError, plan
from designs.services.examples import example_document
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import from_json

DATES = [
    {"event": "submission_open", "date": "2030-01-01", "phase": "Preliminary phase"},
    {"event": "submission_open", "date": "2030-02-01", "phase": "Final phase"},
    {"event": "submission_deadline", "date": "2030-03-01", "phase": "Preliminary phase"},
    {"event": "submission_deadline", "date": "2030-04-01", "phase": "Final phase"},
]


def planned(challenge=None, **task):
    data = example_document("hippocampus")
    data["challenge"] |= {"challenge_schedule": DATES, **(challenge or {})}
    data["tasks"][0] |= task
    for key in task:
        data["tasks"][0].pop(f"{key}__state", None)
    document, problems = from_json(data, catalogue=shipped())
    assert problems == []
    return plan(document)


def phases(challenge=None, **task):
    return {phase.slug: phase for phase in planned(challenge, **task).tasks[0].phases}


@pytest.mark.parametrize(
    ("policy", "details", "expected"),
    [
        ("all_public", "", ("all", None)),
        ("top_three_public", "", ("top", 3)),
        ("top_n_public", "The first 10 are announced.", ("top", 10)),
        ("team_choice", "", ("agreed", None)),
        ("anonymous_listing", "", ("not_refused", None)),
    ],
)
def test_policy_of_announcing_results(policy, details, expected):
    challenge = {"results_announcement_policy": policy, "results_announcement_policy__details": details}
    final = phases(challenge)["final"]
    assert (final.announcement, final.announced_ranks) == expected


@pytest.mark.parametrize("details", ["", "The best are announced.", "Between 3 and 5.", "The first 0."])
def test_top_n_needs_one_number(details):
    challenge = {"results_announcement_policy": "top_n_public", "results_announcement_policy__details": details}
    with pytest.raises(NotLaunchableError, match="how many are announced"):
        planned(challenge)


@pytest.mark.parametrize(
    ("handling", "interaction", "levels"),
    [
        ("indication", "indicated", ["fully_automatic", "semi_automatic"]),
        ("only_automatic", "", ["fully_automatic"]),
        ("weighting", "weighted", ["fully_automatic", "semi_automatic"]),
        ("separate_ranking", "separate", ["fully_automatic", "semi_automatic"]),
    ],
)
def test_handling_of_interaction_levels(handling, interaction, levels):
    challenge = {"interaction_level_policy": ["fully_automatic", "semi_automatic"]}
    weights = {"fully_automatic": 1, "semi_automatic": 0.9}
    final = phases(challenge, interaction_level_handling=handling, interaction_level_weights=weights)["final"]
    assert final.interaction == interaction
    assert final.interaction_levels == levels


def test_levels_of_interaction_that_are_allowed():
    assert phases()["final"].interaction_levels == ["fully_automatic"]
    every = ["fully_automatic", "semi_automatic", "fully_interactive"]
    assert phases({"interaction_level_policy": every})["final"].interaction_levels == sorted(every)


@pytest.mark.parametrize(
    ("availability", "required"),
    [("required_public", True), ("required_to_organizers", True), ("encouraged", False), ("not_collected", False)],
)
def test_code_is_asked_for_before_a_team_is_ranked(availability, required):
    assert phases({"participant_code_availability": availability})["final"].requires_code is required


@pytest.mark.parametrize("cycle", ["one_time_open_call", "repeated_open_call"])
def test_phase_without_a_deadline_stays_open_in_an_open_call(cycle):
    opened = [*DATES, {"event": "submission_open", "date": "2030-04-02", "phase": "Open phase"}]
    with pytest.raises(NotLaunchableError, match="has no deadline"):
        planned({"challenge_schedule": opened})
    found = phases({"challenge_schedule": opened, "life_cycle_type": cycle})
    assert (found["open"].stays_open, found["open"].closes_at, found["open"].leaderboard) == (
        True,
        STAYS_OPEN,
        "public",
    )
    assert (found["final"].stays_open, found["final"].leaderboard) == (False, "sealed")
    assert found["final"].submissions_in_total == 1


def test_open_call_with_one_phase_only():
    only = [{"event": "submission_open", "date": "2030-01-01"}]
    challenge = {"challenge_schedule": only, "life_cycle_type": "one_time_open_call", "phase_settings": []}
    (phase,) = phases(challenge).values()
    assert phase.stays_open
    assert phase.results == "aggregate"


def test_release_date_keeps_a_sealed_ranking_hidden_until_then():
    released = [*DATES, {"event": "results_release", "date": "2030-05-01"}]
    assert phases({"challenge_schedule": DATES})["final"].reveals_at is None
    found = phases({"challenge_schedule": released})
    assert found["final"].reveals_at.isoformat() == "2030-05-01T00:00:00+00:00"
    assert found["preliminary"].reveals_at is None
    before = [*DATES, {"event": "results_release", "date": "2030-03-15"}]
    assert phases({"challenge_schedule": before})["final"].reveals_at is None


def test_data_usage_agreement_is_what_people_agree_to():
    assert planned({"data_usage_agreement": "Only for this challenge, no redistribution."}).agreement == (
        "Only for this challenge, no redistribution."
    )


@pytest.mark.parametrize(
    ("counted", "limit", "expected"),
    [
        ("last", 3, ("last", 3)),
        ("best", 3, ("best", 3)),
        ("selected_by_team", 3, ("chosen", 3)),
        ("only_one", 3, ("last", 1)),
    ],
)
def test_which_submission_counts_and_how_many_there_may_be(counted, limit, expected):
    final = phases({"counted_submission_rule": counted, "max_submissions": limit})["final"]
    assert (final.counts, final.submissions_in_total) == expected


def test_own_words_about_which_submission_counts_are_refused():
    with pytest.raises(NotLaunchableError, match="ranks the last or the best"):
        planned({"counted_submission_rule": {"other": "the median one"}})


@pytest.mark.parametrize(
    ("allowed", "handling", "incomplete"),
    [("no", "not_allowed", False), ("yes_tasks_only", "not_allowed", False), ("yes_penalized", "worst_value", True)],
)
def test_incomplete_submissions(allowed, handling, incomplete):
    found = phases({"incomplete_submissions_allowed": allowed}, missing_data_handling=handling)["final"]
    assert found.incomplete_allowed is incomplete
    with pytest.raises(NotLaunchableError, match="cannot be ignored"):
        planned({"incomplete_submissions_allowed": "yes_ignored"})


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("private_results", ("aggregate", "sealed")),
        ("public_leaderboard_pretest", ("aggregate", "public")),
        ("validation_dataset", ("cases", "public")),
        ("feedback_on_test_set", ("aggregate", "public")),
        ("none", ("aggregate", "sealed")),
    ],
)
def test_pre_evaluation(method, expected):
    early = phases({"pre_evaluation_method": method})["preliminary"]
    assert (early.results, early.leaderboard) == expected


def test_metrics_that_are_not_ranked_by_are_computed_and_in_no_ranking():
    data = example_document("hippocampus")["tasks"][0]["metrics"]
    rows = [*data, {"metric": "iou", "orientation": "higher", "used_for_ranking": False, "worst_value": 0}]
    assessment = planned(None, metrics=rows).tasks[0].assessment
    assert [metric["id"] for metric in assessment["metrics"]][-1] == "iou"
    assert "IoU" not in str(assessment["ranking"]["metrics"])
    assert assessment["ranking"]["metrics"] == ["dsc", "nsd", "hausdorff_percentile", "assd"]


def test_what_is_evaluated_elsewhere_is_not_launched():
    with pytest.raises(NotLaunchableError, match="does not score tasks of this category: Stitching"):
        planned(None, task_category=["stitching"])

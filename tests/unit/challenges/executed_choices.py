"""Evidence that each choice is executed: other plans for other choices, or a named test of the behaviour.

A choice is called ``parameter=choice``, in a column of a table ``parameter.column=choice``. A parameter or column
without choices is called ``parameter``. If the registries determine its choices, it is called ``parameter:registry``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from designs.services.examples import example_document

DATES = [
    {"event": "submission_open", "date": "2030-01-01", "phase": "Preliminary phase"},
    {"event": "submission_open", "date": "2030-02-01", "phase": "Final phase"},
    {"event": "submission_deadline", "date": "2030-03-01", "phase": "Preliminary phase"},
    {"event": "submission_deadline", "date": "2030-04-01", "phase": "Final phase"},
]
IN_SEQUENCE = [{**row, "date": "2030-01-20"} if row is DATES[2] else row for row in DATES]
RELEASED = [*DATES, {"event": "results_release", "date": "2030-05-01"}]
OPEN_ENDED = [*DATES, {"event": "submission_open", "date": "2030-04-02", "phase": "Open phase"}]
METRICS = example_document("hippocampus")["tasks"][0]["metrics"]
OF_AN_IMAGE = {
    "name": {"other": "seam"}, "definition": "height of the step", "orientation": "lower", "unit": "mm",
    "range_min": 0, "range_max": 40, "used_for_ranking": True,
}  # fmt: skip
WEIGHTED = [{**row, "weight": weight} for weight, row in enumerate(METRICS, 1)]
RANKING = example_document("hippocampus")["tasks"][0]["ranking_method"][0]
CASE_BASED = {**RANKING, "scheme": "case_based"}
BY_TEST = {"name": "T", "scheme": "test_based", "statistical_test": "Wilcoxon", "alpha": 0.05, "metric_aggregation": "mean_rank"}  # fmt: skip
AT_SITES = {**CASE_BASED, "site_aggregation": "ranked_per_site"}
TWO_TASKS = {"name": "All", "order": "all_together", "ties": "dense", "absent": "last"}


@dataclass(frozen=True)
class Choices:
    """The executed choices of a parameter or column, each of which leads to a separate plan.

    Attributes
    ----------
    parameter, column
        The chosen parameter or column.
    challenge, task
        Other values of the design, without which the choice would have no effect.
    row
        The row of the table that contains the choice.
    value
        Creates the parameter's value, or other changes, from a choice.
    alike
        Choices that lead to the same plan, each group for a reason stated in the catalogue's notes.
    beside
        Choices that are not executed but still have a separate plan.
    tasks
        Number of tasks of the design.
    """

    parameter: str
    column: str = ""
    challenge: Mapping[str, Any] = field(default_factory=dict)
    task: Mapping[str, Any] = field(default_factory=dict)
    row: Mapping[str, Any] = field(default_factory=dict)
    value: Callable[[str], Any] | None = None
    alike: Sequence[frozenset[str]] = ()
    beside: Sequence[str] = ()
    tasks: int = 1

    @property
    def key(self) -> str:
        return f"{self.parameter}.{self.column}" if self.column else self.parameter


@dataclass(frozen=True)
class Values:
    """Two values of what has no choices, or of one choice in its context: the plans differ."""

    key: str
    one: Mapping[str, Any]
    other: Mapping[str, Any]
    tasks: int = 1


def alike(*choices: str) -> frozenset[str]:
    return frozenset(choices)


def settings(**row: Any) -> dict[str, Any]:
    return {"phase": "Final phase", **row}


PLANS: Sequence[Choices] = (
    # A repetition is registered as a new edition, so that one design plans the same.
    Choices(
        "life_cycle_type",
        challenge={"challenge_schedule": OPEN_ENDED},
        alike=[
            alike("one_time_fixed_deadline", "repeated_fixed_deadline"),
            alike("one_time_open_call", "repeated_open_call"),
        ],
    ),
    Choices(
        "participant_code_availability",
        alike=[alike("required_public", "required_to_organizers")],
        beside=["encouraged"],
    ),
    Choices("interaction_level_policy", value=lambda choice: [choice]),
    Choices("results_announcement_policy", challenge={"results_announcement_policy__details": "The first 10."}),
    Choices("counted_submission_rule", challenge={"max_submissions": 3}),
    # Both refuse a submission that lacks a case of its task.
    Choices(
        "incomplete_submissions_allowed",
        task={"missing_data_handling": "worst_value"},
        alike=[alike("no", "yes_tasks_only")],
    ),
    # Where nothing is said of early feedback, a phase before the test phase shows teams their own results.
    Choices("pre_evaluation_method", alike=[alike("none", "private_results")]),
    Choices(
        "phase_settings",
        "results",
        challenge={"challenge_schedule": RELEASED},
        row=settings(leaderboard="sealed"),
    ),
    Choices("phase_settings", "leaderboard", row=settings()),
    Choices("phase_settings", "feedback", row=settings(results="aggregate", leaderboard="sealed")),
    Choices("phase_settings", "method_link", row=settings()),
    Choices(
        "phase_settings",
        "entrants_rule",
        challenge={"challenge_schedule": IN_SEQUENCE},
        row=settings(entrants_from="Preliminary phase", entrants_best=3),
    ),
    Choices(
        "ranking_type",
        task={"ranking_method": [{**RANKING, "name": "One"}, {**RANKING, "name": "Two", "operator": "median"}]},
    ),
    # A sum orders like the mean.
    Choices(
        "ranking_method",
        "operator",
        row={**RANKING, "percentile": 5},
        alike=[alike("mean", "sum")],
        value=lambda choice: [
            {**RANKING, "percentile": 5, "operator": choice}
            if choice not in ("none", "significance_count")
            else {**BY_TEST, "operator": choice, "alpha": {"none": 0.05, "significance_count": 0.01}[choice]}
        ],
    ),
    # Of several metrics the single one is their mean rank.
    Choices(
        "ranking_method",
        "metric_aggregation",
        task={"metrics": WEIGHTED},
        row=RANKING,
        alike=[alike("mean_rank", "single_metric")],
    ),
    Choices("ranking_method", "region_aggregation", row=RANKING),
    Choices("ranking_method", "missing_rank", row=CASE_BASED),
    Choices("ranking_method", "site_aggregation", row=RANKING),
    Choices("ranking_method", "site_operator", row=AT_SITES),
    Choices("ranking_method", "site_weight", row=AT_SITES),
    Choices("overall_rankings", "order", row=TWO_TASKS, tasks=2),
    Choices("overall_rankings", "operator", row=TWO_TASKS, tasks=2),
    Choices("overall_rankings", "ties", row=TWO_TASKS, tasks=2),
    Choices("overall_rankings", "absent", row=TWO_TASKS, tasks=2),
    Choices("tie_handling"),
    Choices(
        "interaction_level_handling",
        challenge={"interaction_level_policy": ["fully_automatic", "semi_automatic"]},
        task={"interaction_level_weights": {"fully_automatic": 1, "semi_automatic": 0.9}},
    ),
    Choices(
        "missing_data_handling",
        task={
            "ranking_method": [CASE_BASED],
            "metrics": [{**row, "worst_value": 500} if row["metric"] == "assd" else row for row in METRICS],
        },
    ),
    Choices("aggregation_levels", "role", row={"name": "modality"}),
    Choices("uncertainty_settings", "unseen_failures", row={"seed": 1}),
    Choices("case_columns", "kind", row={"column": "vendor"}),
    Choices("case_quality", "acceptable", row={"column": "grade"}),
    Choices("case_quality", "borderline", row={"column": "grade"}),
    Choices("case_quality", "insufficient", row={"column": "grade"}),
    Choices("excluded_cases", "reason", row={"case": "case_1"}),
    Choices(
        "algorithm_execution",
        "adapter",
        challenge={"submission_method": ["docker_container"]},
        value=lambda choice: {"adapter": choice, "input_slug": "brain-mri"},
    ),
)

VALUES: Sequence[Values] = (
    Values("challenge_schedule", {"challenge_schedule": DATES}, {"challenge_schedule": RELEASED}),
    Values(
        "challenge_schedule.event=submission_open",
        {"challenge_schedule": DATES},
        {"challenge_schedule": [DATES[0], {**DATES[1], "date": "2030-02-02"}, *DATES[2:]]},
    ),
    Values(
        "challenge_schedule.event=submission_deadline",
        {"challenge_schedule": DATES},
        {"challenge_schedule": [*DATES[:3], {**DATES[3], "date": "2030-04-02"}]},
    ),
    Values(
        "challenge_schedule.event=results_release",
        {"challenge_schedule": RELEASED},
        {"challenge_schedule": [*DATES, {"event": "results_release", "date": "2030-05-02"}]},
    ),
    Values(
        "data_usage_agreement",
        {"data_usage_agreement": "Only for this challenge."},
        {"data_usage_agreement": "For every purpose, with a citation."},
    ),
    Values(
        "max_submissions",
        {"max_submissions": 1, "counted_submission_rule": "last"},
        {"max_submissions": 3, "counted_submission_rule": "last"},
    ),
    Values(
        "max_methods_per_team",
        {"max_methods_per_team": 1, "counted_submission_rule": "selected_by_team", "max_submissions": 5},
        {"max_methods_per_team": 3, "counted_submission_rule": "selected_by_team", "max_submissions": 5},
    ),
    Values("phase_settings", {"phase_settings": []}, {"phase_settings": [settings(submissions_per_day=2)]}),
    Values("regions", {"regions": [{"name": "a", "labels": ["1"]}]}, {"regions": [{"name": "a", "labels": ["2"]}]}),
    Values("ranking_method", {"ranking_method": [RANKING]}, {"ranking_method": [CASE_BASED]}),
    Values("overall_rankings", {"overall_rankings": []}, {"overall_rankings": [TWO_TASKS]}, tasks=2),
    Values("aggregation_levels", {"aggregation_levels": []}, {"aggregation_levels": [{"name": "patient"}]}),
    Values(
        "site_column",
        {"ranking_method": [AT_SITES], "site_column": "site"},
        {"ranking_method": [AT_SITES], "site_column": "hospital"},
    ),
    Values(
        "uncertainty_handling=none",
        {"uncertainty_handling": ["bootstrapping"], "uncertainty_settings": {}},
        {"uncertainty_handling": ["none"], "uncertainty_settings": {}},
    ),
    Values(
        "interaction_level_weights",
        {"interaction_level_handling": "weighting", "interaction_level_weights": {"fully_automatic": 1}},
        {"interaction_level_handling": "weighting", "interaction_level_weights": {"fully_automatic": 0.9}},
    ),
    Values("uncertainty_settings", {"uncertainty_settings": {"seed": 1}}, {"uncertainty_settings": {"seed": 2}}),
    Values("case_columns", {"case_columns": []}, {"case_columns": [{"column": "vendor", "kind": "name"}]}),
    Values(
        "algorithm_execution",
        {"submission_method": ["docker_container"]},
        {"submission_method": ["docker_container"], "algorithm_execution": {"case_seconds": 60, "memory_mib": 4096}},
    ),
    Values(
        "scoring_image",
        {"metrics": [*METRICS, OF_AN_IMAGE], "scoring_image": {"image": f"sha256:{'a' * 64}"}},
        {"metrics": [*METRICS, OF_AN_IMAGE], "scoring_image": {"image": f"sha256:{'b' * 64}"}},
    ),
    Values("case_quality", {}, {"case_quality": {"column": "grade", "insufficient": "excluded"}}),
    Values("excluded_cases", {}, {"excluded_cases": [{"case": "case_1", "reason": "duplicate"}]}),
    Values(
        "ranking_method.scheme:schemes", {"ranking_method": [RANKING]}, {"ranking_method": [BY_TEST]},
    ),
    Values(
        "metrics:metrics",
        {"metrics": METRICS},
        {"metrics": [METRICS[0], {**METRICS[1], "used_for_ranking": False}, *METRICS[2:]],
         "ranking_method": [{**RANKING, "metrics": ["DSC", "HD95", "ASSD"]}]},
    ),
)  # fmt: skip

_LEADERBOARDS = "tests/integration/leaderboards"
_CORRECTED = "tests/integration/challenges/test_corrected_references.py::test_a_corrected_reference_goes_from_the_request_to_both_rankings"
_LOCATIONS = (
    "tests/integration/datasets/test_locations.py::test_where_the_data_are_stands_with_the_challenge_as_registered"
)
_RULES_OF_SITES = "tests/integration/federation/test_rules.py"
_HOSTED = "tests/integration/datasets/test_getting.py::test_who_has_agreed_gets_the_file_whole_and_from_any_byte_on"
_ANNOTATORS = "tests/integration/test_sets/test_annotators.py"
_COLUMNS = "tests/unit/test_sets/test_archive_parts.py::test_declared_characteristics_are_compared_with_the_table"
_POLICY = "tests/unit/challenges/test_executed_choices.py::test_what_the_policy_on_organizers_makes_of_their_teams"
_UPLOADED = "tests/integration/submissions/test_scoring_path.py::test_a_complete_submission_is_scored_for_every_case_region_and_metric"

BEHAVIOUR: Mapping[str, str] = {
    "challenge_platform=this_platform": "tests/integration/challenges/test_launch.py::test_one_act_makes_tasks_phases_rules_and_assessment",
    "test_label_access": "tests/integration/challenges/test_design_checks.py::test_everybody_who_can_open_the_references_is_on_the_list",
    **{
        f"organizer_participation_policy={choice}": _POLICY
        for choice in ("not_allowed", "allowed_unranked", "allowed_ranked_no_award", "allowed_fully")
    },
    "submission_method=send_output": _UPLOADED,
    "submission_method=evaluation_platform": _UPLOADED,
    "submission_method=api": "tests/integration/api/test_submitting.py::test_from_an_upload_that_broke_off_to_the_results",
    "test_data_access=images_released_with_decoys": "tests/integration/submissions/test_decoys.py::test_only_scored_cases_are_in_results_and_organizers_see_what_was_handed_in",
    "task_category:problems": "tests/unit/designs/test_kinds.py::test_every_category_of_every_kind_compiles_to_what_its_example_is_scored_by",
    "ranking_method.role=primary": "tests/unit/evaluation/uncertainty/test_families.py::test_a_design_with_roles_has_one_primary_ranking_of_a_task",
    "ranking_method.role=secondary": "tests/unit/evaluation/uncertainty/test_families.py::test_primary_and_secondary_rankings_do_not_share",
    "ranking_method.role=exploratory": "tests/unit/evaluation/uncertainty/test_families.py::test_an_exploratory_ranking_describes_and_states_no_significance",
    "annotation_aggregation_test=no_aggregation": f"{_ANNOTATORS}::test_without_merging_the_first_annotator_is_scored",
    "annotation_aggregation_test=ranking_per_annotator": f"{_ANNOTATORS}::test_without_merging_the_first_annotator_is_scored",
    "annotation_aggregation_test=staple": "tests/unit/test_sets/test_archive_parts.py::test_the_registered_design_says_how_annotators_are_merged",
    "annotation_aggregation_test=majority_vote": f"{_ANNOTATORS}::test_annotators_are_merged_sealed_and_scored_each",
    "annotation_aggregation_test=strict": "tests/integration/test_sets/test_annotators_by_problem.py::test_a_new_version_is_merged_strictly_and_scored_again_under_each_annotator",
    **{f"image_characteristics.level={level}": _COLUMNS for level in ("image", "patient", "device_or_centre")},
    **{f"image_characteristics.value_type={kind}": _COLUMNS for kind in ("binary", "numeric")},
    "image_characteristics": _COLUMNS,
    "problem_settings": "tests/unit/designs/test_kinds.py::test_what_a_kind_has_to_know_is_asked_for_where_it_is_entered",
    "uncertainty_handling=leave_out_test_data": "tests/unit/challenges/test_executed_choices.py::test_what_is_done_in_any_case_stands_in_the_ranking",
    "uncertainty_handling=bootstrapping": "tests/unit/challenges/test_executed_choices.py::test_what_is_done_in_any_case_stands_in_the_ranking",
    "planned_further_analyses=ranking_variability": "tests/unit/challenges/test_executed_choices.py::test_what_is_done_in_any_case_stands_in_the_ranking",
    "statistical_tests=wilcoxon_signed_rank": "tests/unit/challenges/test_executed_choices.py::test_what_is_done_in_any_case_stands_in_the_ranking",
    "uncertainty_handling=rank_computation_changes": "tests/unit/evaluation/test_ranking_comparison.py::test_another_scheme_crowns_someone_else_and_it_is_said",
    "statistical_tests=mixed_model": "tests/unit/evaluation/test_case_groups.py::test_a_metric_that_counts_is_modelled_by_hits_in_trials_with_the_registered_units",
    "planned_further_analyses=strength_weakness_mixed_model": "tests/unit/evaluation/test_case_groups.py::test_yes_and_no_and_names_enter_strengths_and_what_was_looked_at_is_said",
    **{f"data_locations.split={split}": _LOCATIONS for split in ("training", "validation", "test", "other")},
    **{f"data_locations.place={place}": _LOCATIONS for place in ("linked", "not_released")},
    "data_locations.place=hosted": _HOSTED,
    "federation_rules": f"{_RULES_OF_SITES}::test_the_registered_rules_are_those_of_the_sites",
    **{
        f"federation_rules.disclosure={level}": f"{_RULES_OF_SITES}::test_what_leaves_a_site_is_what_is_registered"
        for level in ("places", "means", "moments")
    },
    **{
        f"federation_rules.if_missing={rule}": f"{_RULES_OF_SITES}::test_sites_that_are_missing_at_the_end"
        for rule in ("wait_for_all", "rank_with_enough", "rank_without")
    },
    "federation_rules.small_sites=refuse": "tests/integration/federation/test_joining.py::test_small_sites_join_nobody_where_the_rule_leaves_them_out",
    "federation_rules.small_sites=join": "tests/integration/federation/test_joining.py::test_a_small_site_joins_another_one_and_the_ranking_is_that_of_all_cases",
    "data_after_challenge": "tests/integration/datasets/test_publishing.py::test_nothing_is_published_before_the_results_or_without_a_registered_choice",
    "corrected_references": _CORRECTED,
    **{f"corrected_references.reason={reason}": _CORRECTED for reason in ("reference_error", "wrong_file", "geometry")},
}  # fmt: skip
"""Test of the behaviour, by file and name, for choices that no plan reveals."""

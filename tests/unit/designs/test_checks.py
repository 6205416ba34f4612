"""Checks on designs: each custom check has a passing and a failing example; rules appear next to fields."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from designs import hooks, services
from designs.queries.findings import findings
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks import Subject, open_customs, register, registered
from evaluation.designs.checks.running import OF_WHAT_IS_GIVEN, check_description
from evaluation.designs.checks.running import findings as findings_of
from evaluation.designs.document import Entry, State, from_json
from tests.unit.designs.world import design, person, save

pytestmark = pytest.mark.django_db

# Nothing is left: what other apps have to decide is registered by them.
OPEN: set[str] = set()
SEAM = {
    "name": {"other": "seam visibility"}, "definition": "height of the step", "orientation": "lower", "unit": "mm",
    "range_min": 0, "open_range": "above", "worst_value": 100, "formula": "mean(|left - right|)",
}  # fmt: skip
DSC = {"metric": "dsc", "used_for_ranking": True}
NSD = {"metric": "nsd", "options": {"tolerance": 1}, "used_for_ranking": True}
TIME = {"cost": "run_wall_time", "used_for_ranking": True}
SCHEDULE = [
    {"event": "training_data_release", "date": "2026-01-10"},
    {"event": "submission_open", "date": "2026-03"},
    {"event": "submission_deadline", "date": "2026-05-01"},
    {"event": "results_release", "date": "2026-06"},
]


MEAN_RANK = {"name": "R", "scheme": "metric_based", "operator": "mean", "metric_aggregation": "mean_rank"}
BY_DISTANCE = {
    "task_category": ["detection"],
    "metrics": [
        {
            "metric": "fbeta",
            "used_for_ranking": True,
            "options": {"localization_criterion": "loc_center_distance", "localization_threshold": 7.5},
        }
    ],
    "ranking_type": "single_ranking",
    "ranking_method": [MEAN_RANK],
    "tie_handling": "standard_competition",
    "missing_data_handling": "worst_value",
}
CLASSIFIED = {
    "task_category": ["classification"],
    "regions": [{"name": name, "labels": [name]} for name in ("melanoma", "nevus", "wart")],
    "metrics": [
        {"metric": "accuracy", "used_for_ranking": True},
        {"metric": "sensitivity", "used_for_ranking": True},
    ],
    "ranking_type": "single_ranking",
    "tie_handling": "standard_competition",
    "missing_data_handling": "counted_as_incorrect",
}


def document(challenge=None, *tasks):
    made, _ = from_json({"challenge": challenge or {}, "tasks": list(tasks) or [{}]}, catalogue=shipped())
    return made


def failing(made, **options):
    return {finding.check.id for finding in findings(made, **options)}


# check id, an example that passes, one that fails: challenge values, then those of the tasks
EXAMPLES = [
    ("challenge_year.schedule", [{"challenge_year": 2026, "challenge_schedule": SCHEDULE}], [{"challenge_year": 2027, "challenge_schedule": SCHEDULE}]),
    ("task_name.unique", [{}, {"task_name": "A"}, {"task_name": "B"}], [{}, {"task_name": "A"}, {"task_name": "a"}]),
    ("contact_person.email", [{"contact_person": {"name": "A", "email": "a@example.org"}}], [{"contact_person": {"name": "A"}}]),
    ("contact_person.in_team", [{"contact_person": {"name": "Ada"}, "organizing_team": [{"name": "ada"}]}], [{"contact_person": {"name": "Bo"}, "organizing_team": [{"name": "Ada"}]}]),
    ("challenge_schedule.order", [{"challenge_schedule": SCHEDULE}], [{"challenge_schedule": [*SCHEDULE[1:], {"event": "training_data_release", "date": "2026-04-01"}]}]),
    ("evaluation_code_url.version", [{"evaluation_code_url": "https://example.org/code/tag/v1.2"}], [{"evaluation_code_url": "https://example.org/code"}]),
    ("award_policy.ties", [{"award_policy": "Tied teams share the prize."}, {"tie_handling": "dense"}], [{"award_policy": "1000 euro for the first."}, {"tie_handling": "dense"}]),
    ("incomplete_submissions_allowed.consistent", [{"incomplete_submissions_allowed": "no"}, {"missing_data_handling": "not_allowed"}], [{"incomplete_submissions_allowed": "no"}, {"missing_data_handling": "ignored"}]),
    ("metrics.own_definition", [{}, {"metrics": [SEAM]}], [{}, {"metrics": [{**SEAM, "unit": None}]}]),
    ("metrics.costs_of_cases", [{}, {"metrics": [DSC, TIME], "algorithm_execution": {"batch_cases": 1}}], [{}, {"metrics": [DSC, TIME], "algorithm_execution": {"batch_cases": 2}}]),
    ("task_category.metric_fit", [{}, {"task_category": ["segmentation"], "metrics": [DSC]}], [{}, {"task_category": ["classification"], "metrics": [DSC]}]),
    ("challenge_cohort.gap", [{}, {"target_cohort": "Adults", "challenge_cohort": "adults"}], [{}, {"target_cohort": "Adults", "challenge_cohort": "pigs"}]),
    ("assessment_aims.covered", [{}, {"assessment_aims": [{"property": "accuracy"}], "metrics": [{**DSC, "assessed_aim": "Accuracy"}]}], [{}, {"assessment_aims": [{"property": "runtime"}], "metrics": [{**DSC, "assessed_aim": "Accuracy"}]}]),
    ("assessment_aims.robustness", [{}, {"assessment_aims": [{"property": "robustness"}], "ranking_method": [{"operator": "percentile"}]}], [{}, {"assessment_aims": [{"property": "robustness"}], "ranking_method": [{"operator": "mean"}]}]),
    ("number_training_cases.matches_table", [{}, {"number_training_cases": 4, "case_table": [{"split": "training", "n_cases": 4}]}], [{}, {"number_training_cases": 5, "case_table": [{"split": "training", "n_cases": 4}]}]),
    ("number_test_cases.matches_table", [{}, {"number_test_cases": 4, "case_table": [{"split": "test", "n_cases": 3}, {"split": "test", "n_cases": 1}]}], [{}, {"number_test_cases": 5, "case_table": [{"split": "test", "n_cases": 4}]}]),
    ("number_test_cases.ratio", [{}, {"number_training_cases": 200, "number_test_cases": 100}], [{}, {"number_training_cases": 1000, "number_test_cases": 10}]),
    ("total_number_of_cases.sum", [{}, {"total_number_of_cases": 6, "number_training_cases": 3, "number_validation_cases": 1, "number_test_cases": 2}], [{}, {"total_number_of_cases": 7, "number_training_cases": 3, "number_validation_cases": 1, "number_test_cases": 2}]),
    ("case_table.imbalance", [{}, {"case_table": [{"data_set": "a", "split": "test", "n_cases": 10}, {"data_set": "b", "split": "test", "n_cases": 90}]}], [{}, {"case_table": [{"data_set": "a", "split": "test", "n_cases": 10}, {"data_set": "b", "split": "test", "n_cases": 101}]}]),
    ("case_columns.clusters", [
        {},
        {"case_columns": [{"column": "age", "kind": "number"}]},
        {"case_columns": [{"column": "Patient_ID", "kind": "name"}], "aggregation_levels": [{"name": "Patient_ID", "role": "random"}]},
        {"case_columns": [{"column": "site", "kind": "name"}], "uncertainty_settings": {"independent_of": ["site"]}},
    ], [{}, {"case_columns": [{"column": "Patient_ID", "kind": "name"}]}]),
    ("case_number_justification.common_practice", [{}, {"case_number_justification": "The interval of the rank shall be narrower than two ranks."}], [{}, {"case_number_justification": "These are usual numbers."}]),
    ("metric_justification.popularity", [{}, {"metric_justification": "Boundary errors above one millimetre matter for planning."}], [{}, {"metric_justification": "DSC is commonly used."}]),
    ("metrics.parameters", [{}, {"metrics": [NSD]}], [{}, {"metrics": [{"name": "normalized_surface_distance_nsd"}]}]),
    ("problem_settings.unit", [{}, {**BY_DISTANCE, "problem_settings": {"settings": {"unit": "px"}}}], [{}, BY_DISTANCE]),
    ("regions.detected_classes", [{}, {"task_category": ["detection"], "regions": [{"name": "mitosis"}]}], [{}, {"task_category": ["detection"]}]),
    ("metrics.dependent", [{}, {"metrics": [DSC, NSD]}], [{}, {"metrics": [DSC, {"name": "jaccard_index", "used_for_ranking": True}]}]),
    ("statistical_analyses.hierarchy", [{}, {"case_hierarchy": "Two cases per patient.", "statistical_analyses": "Ranks are computed again on resampled cases.", "uncertainty_settings": {"resample": ["patient", "case"]}}], [{}, {"case_hierarchy": "Two cases per patient.", "statistical_analyses": "Ranks are computed again on resampled cases.", "uncertainty_settings": {"resample": ["case"]}}]),
    ("ranking_method.weights", [{}, {**CLASSIFIED, "ranking_method": [{**MEAN_RANK, "region_aggregation": "regions_first"}]}], [{}, {**CLASSIFIED, "ranking_method": [MEAN_RANK]}]),
    ("ranking_method.metrics_exist", [{}, {"metrics": [DSC], "ranking_method": [{"metrics": ["DSC"]}]}], [{}, {"metrics": [DSC], "ranking_method": [{"metrics": ["HD95"]}]}]),
    ("data_locations.linked", [{}, {"data_locations": [{"split": "training", "place": "linked", "url": "https://example.org/data"}]}], [{}, {"data_locations": [{"split": "training", "place": "linked"}]}]),
    ("references_and_comments.refs", [{"references_and_comments": "[1] A et al., 2020", "biomedical_motivation": "as A et al. say"}], [{"biomedical_motivation": "as A et al. say"}]),
]  # fmt: skip


@pytest.mark.parametrize(("check", "passes", "fails"), EXAMPLES, ids=[example[0] for example in EXAMPLES])
def test_a_custom_check_passes_and_fails(check, passes, fails):
    assert check not in failing(document(*passes))
    assert check in failing(document(*fails))


GROUPED = {"case_hierarchy": "Two cases per patient."}
SEGMENTED = {"task_category": ["segmentation"], "missing_data_handling": "worst_value"}


@pytest.mark.parametrize(
    ("check", "task"),
    [
        ("statistical_analyses.hierarchy", {**GROUPED, "aggregation_levels": [{"name": "patient", "role": "random"}]}),
        ("statistical_analyses.hierarchy", {**GROUPED, "uncertainty_settings": {"strata": ["site"]}}),
        ("metrics.empty_case", {**SEGMENTED, "metrics": [{**DSC, "policy": {"ref_empty": 0}}]}),
        ("metrics.empty_case", {**SEGMENTED, "metrics": [{**DSC, "policy": {"both_empty": "perfect"}}]}),
        ("metrics.worst_value", {**SEGMENTED, "metrics": [{**NSD, "policy": {"missing": 0}}]}),
        ("missing_data_handling.nan", {**SEGMENTED, "metrics": [{**NSD, "policy": {"degenerate": "worst"}}]}),
    ],
)
def test_nothing_is_asked_for_that_a_setting_states(check, task):
    assert check not in failing(document({}, task))
    bare = {**task, "metrics": [{**row, "policy": None} for row in task.get("metrics", [])]}
    bare |= {"aggregation_levels": [{"name": "case"}], "uncertainty_settings": {"resample": ["case"]}}
    assert check in failing(document({}, bare))


DESCRIPTIONS = [
    ("algorithm", "organizer_relation.policy", {"organizer_relation": "organizer"}, {"organizer_participation_policy": "allowed_unranked"}, {"organizer_participation_policy": "not_allowed"}),
    ("algorithm", "interaction_level.allowed", {"interaction_level": "semi_automatic"}, {"interaction_level_policy": ["semi_automatic"]}, {"interaction_level_policy": ["fully_automatic"]}),
    ("algorithm", "additional_training_data.policy", {"additional_training_data": [{"name": "X", "access": "private"}]}, {"training_data_policy": "private_data_allowed"}, {"training_data_policy": "public_data_allowed"}),
    ("algorithm", "data_split.counts", {"data_split": "80 training and 20 validation cases"}, {"number_training_cases": 100}, {"number_training_cases": 90}),
    ("outcome", "report_title.terms", {"report_title": "A challenge on MRI segmentation"}, {"imaging_modality": ["mri"], "task_category": ["segmentation"]}, {"imaging_modality": ["ct"], "task_category": ["segmentation"]}),
]  # fmt: skip


def described(kind, entries, values):
    made = document(
        {key: value for key, value in values.items() if not shipped()[key].is_task},
        {key: value for key, value in values.items() if shipped()[key].is_task},
    )
    phase = "report"
    filled = {key: Entry(value, "", State.PROVIDED) for key, value in entries.items()}
    found = check_description(filled, document=made, task="task-1", kind=kind, phase=phase)
    return {finding.check.id for finding in found}


@pytest.mark.parametrize(("kind", "check", "entries", "passes", "fails"), DESCRIPTIONS)
def test_a_check_of_a_description_passes_and_fails(kind, check, entries, passes, fails):
    assert check not in described(kind, entries, passes)
    assert check in described(kind, entries, fails)


@pytest.mark.parametrize(
    ("kind", "check", "passes", "fails"),
    [
        ("algorithm", "learning_rate.range", {"learning_rate": "1e-3 per epoch"}, {"learning_rate": "3 per epoch"}),
        (
            "algorithm",
            "method_summary.one_name",
            {"method_summary": "RAUNet is based on U-Net."},
            {"method_summary": "We use DPANet. RAUNet was trained."},
        ),
        (
            "outcome",
            "number_of_teams_in_report.subset",
            {"number_of_teams_in_report": 9, "number_of_submitting_teams": 9},
            {"number_of_teams_in_report": 8, "number_of_submitting_teams": 9},
        ),
    ],
)
def test_a_check_of_a_description_alone_passes_and_fails(kind, check, passes, fails):
    assert check not in described(kind, passes, {})
    assert check in described(kind, fails, {})


def test_every_custom_check_is_decided_or_named_as_open():
    assert open_customs() == OPEN


def test_every_decided_custom_check_has_its_examples():
    shown = {example[0] for example in EXAMPLES} | {example[1] for example in DESCRIPTIONS}
    shown |= {"learning_rate.range", "method_summary.one_name", "number_of_teams_in_report.subset"}
    # Those that look at other designs, the history or the registration have tests of their own below.
    shown |= {"challenge_name.unique", "challenge_acronym.unique", "image_characteristics.before_results",
              "challenge_schedule.design_first", "ranking_method.published_before",
              "challenge_website.reachable", "submission_instructions_url.reachable",
              "organizing_team.reviewer_conflict"}  # fmt: skip
    # Of every kind: tests/unit/evaluation/kinds/test_cautions.py.
    shown |= {"metrics.cautions_of_kind"}
    # Those of the challenge that runs a design have theirs where challenges are tested.
    shown |= {"organizer_participation_policy.enforce", "test_label_access.participant_match", "test_label_access.log",
              "ranking_method.executable", "rankings.scheme", "team_identifier.unique", "team_members.one_team",
              "max_submissions.enforce", "number_test_cases.frozen", "case_hierarchy.leak",
              "design_deviations.complete", "evaluation_code_availability.frozen", "submission_format.sample",
              "data_split.file", "participating_teams.completeness", "challenge_website.drift",
              "algorithm_execution.engine", "scoring_image.passed"}  # fmt: skip
    decided = {check.id for check in shipped().checks if check.custom and registered(check.custom)}
    assert not decided - shown, f"add a row to EXAMPLES for each of these custom checks: {sorted(decided - shown)}"
    assert not shown - decided, f"no registered custom check has these ids: {sorted(shown - decided)}"


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def hippocampus(owner):
    return design(owner)


def checks_of(stored, **options):
    from designs.queries import document_of

    return failing(document_of(stored), design=stored, **options)


def test_a_name_is_taken_once_another_design_of_that_year_has_a_version(hippocampus, owner):
    for stored in (hippocampus, design(owner, title="Other")):
        save(stored, "challenge_name", "Hippocampus")
        save(stored, "challenge_acronym", "HIP")
        save(stored, "challenge_year", 2026)
    assert "challenge_name.unique" not in checks_of(hippocampus)
    services.freeze_version(actor=owner, design=stored, name="Submitted")
    assert "challenge_name.unique" in checks_of(hippocampus)
    save(hippocampus, "challenge_year", 2027)
    assert "challenge_name.unique" not in checks_of(hippocampus)


def test_an_acronym_is_taken_by_another_challenge_but_not_by_its_earlier_edition(hippocampus, owner):
    other = design(owner, title="Other")
    save(other, "challenge_name", "Hippopotamus")
    save(other, "challenge_acronym", "HIP")
    save(hippocampus, "challenge_acronym", "hip")
    services.freeze_version(actor=owner, design=other, name="Submitted")
    assert "challenge_acronym.unique" in checks_of(hippocampus)
    save(hippocampus, "challenge_name", "Hippopotamus")
    assert "challenge_acronym.unique" not in checks_of(hippocampus)


def test_characteristics_chosen_after_the_results_are_noticed(hippocampus):
    save(hippocampus, "image_characteristics", [{"name": "smoke", "level": "image"}])
    tomorrow = (timezone.now() + timedelta(days=1)).date().isoformat()
    save(hippocampus, "challenge_schedule", [{"event": "results_release", "date": tomorrow}])
    assert "image_characteristics.before_results" not in checks_of(hippocampus, phase="results")
    save(hippocampus, "challenge_schedule", [{"event": "results_release", "date": "2020-01-01"}])
    assert "image_characteristics.before_results" in checks_of(hippocampus, phase="results")


@pytest.mark.parametrize(
    ("check", "event"),
    [("challenge_schedule.design_first", "registration_open"), ("ranking_method.published_before", "submission_open")],
)
def test_what_opens_needs_a_registration_before_it(hippocampus, monkeypatch, check, event):
    save(hippocampus, "ranking_method", [{"name": "mean", "scheme": "metric_based"}])
    save(hippocampus, "challenge_schedule", [{"event": event, "date": "2020-05-01"}])
    assert check in checks_of(hippocampus, phase="launch")
    registration = datetime(2020, 4, 1, tzinfo=UTC)
    monkeypatch.setattr(hooks, "registered_at", [lambda _: registration])
    assert check not in checks_of(hippocampus, phase="launch")


def test_a_task_check_runs_once_a_task_and_names_it():
    found = findings(document({}, {"number_test_cases": 1}, {"number_test_cases": 60}))
    single = [finding for finding in found if finding.check.id == "number_test_cases.single"]
    assert [finding.task for finding in single] == ["task-1"]


def test_a_check_of_the_challenge_that_reads_task_values_runs_for_each_task():
    made = document({"challenge_goal_type": "deployment"}, {"number_test_cases": 10}, {"number_test_cases": 200})
    size = [finding.task for finding in findings(made) if finding.check.id == "challenge_goal_type.deployment_size"]
    assert size == ["task-1"]


def test_only_checks_that_read_what_changed_are_run():
    made = document({}, {"number_test_cases": 1})
    found = failing(made, changed=["number_test_cases"])
    assert "number_test_cases.single" in found
    assert "challenge_name.length" not in found


def test_errors_come_first_and_say_how_far_one_is():
    found = findings(document({"challenge_abstract": "two words"}))
    severities = [finding.severity for finding in found]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    abstract = next(finding for finding in found if finding.check.id == "challenge_abstract.length")
    assert "2 words so far; at least 50 needed." in abstract.detail


def test_an_answer_to_a_warning_counts_until_the_values_change(hippocampus, owner):
    from designs.queries import document_of

    def finding():
        found = findings(document_of(hippocampus), design=hippocampus)
        return next(entry for entry in found if entry.check.id == "number_test_cases.small")

    save(hippocampus, "number_test_cases", 10)
    assert not finding().is_answered
    services.answer_check(
        actor=owner,
        design=hippocampus,
        task=hippocampus.tasks.get(),
        check_id="number_test_cases.small",
        text="A rare disease.",
        basis=finding().basis,
    )
    assert finding().is_answered
    save(hippocampus, "number_test_cases", 11)
    assert not finding().is_answered
    assert finding().answer.text == "A rare disease."


def test_a_lower_app_registers_its_check_and_nobody_takes_a_known_name(monkeypatch):
    from evaluation.designs.checks import registry

    kept = {name: known for name, known in registry._customs.items() if name != "split_file"}
    monkeypatch.setattr(registry, "_customs", kept)
    assert open_customs() == {"split_file"}

    @register("split_file")
    def within(subject: Subject) -> str | None:
        return "three of two"

    assert registered("split_file").function is within
    assert "split_file" not in open_customs()
    with pytest.raises(ValueError, match="registered already"):
        register("split_file")(lambda subject: None)
    with pytest.raises(ValueError, match="no custom check"):
        register("weather")


def test_metrics_that_do_not_weigh_alike_are_named_with_their_weights():
    made = document({}, {**CLASSIFIED, "ranking_method": [MEAN_RANK]})
    finding = next(entry for entry in findings(made) if entry.check.id == "ranking_method.weights")
    assert finding.detail == "accuracy and sensitivity weigh 1 : 3, one vote a region; combine the regions first."


def test_cases_declared_to_have_no_groups_are_not_called_grouped():
    analyses = {"statistical_analyses": "The interval of every rank is bootstrapped."}
    grouped = document({}, {"case_hierarchy": "several cases per patient", **analyses})
    assert "statistical_analyses.hierarchy" in failing(grouped)
    declared = document({}, {"case_hierarchy__state": {"state": "none_declared"}, **analyses})
    assert "statistical_analyses.hierarchy" not in failing(declared)


def test_a_registered_adjustment_is_not_asked_for_again():
    tests = {"statistical_tests": ["wilcoxon_signed_rank"]}
    assert "statistical_tests.multiplicity" in failing(document({}, tests))
    ranked = {**tests, "ranking_method": [{"scheme": "test_based", "multiplicity_adjustment": "Holm"}]}
    assert "statistical_tests.multiplicity" not in failing(document({}, ranked))


def test_nothing_is_said_of_a_value_that_nobody_gave():
    blank, _ = from_json({"challenge": {}, "tasks": [{"key": "task-1"}]}, catalogue=shipped())
    said = {finding.check.id for finding in findings_of(blank)}
    assert not said & OF_WHAT_IS_GIVEN
    # What is missing is asked for all the same.
    asked = {finding.check.parameter for finding in findings_of(blank)}
    assert {"data_centers", "acquisition_devices", "number_test_cases", "case_definition"} <= asked
    given, _ = from_json({"challenge": {}, "tasks": [{"key": "task-1", "number_test_cases": 5}]}, catalogue=shipped())
    assert "number_test_cases.small" in {finding.check.id for finding in findings_of(given)}
    known = {check.id for parameter in shipped().parameters.values() for check in parameter.checks}
    assert known >= OF_WHAT_IS_GIVEN

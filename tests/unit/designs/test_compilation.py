"""Designs compile to the assessment that is executed, or the error names the missing parameter."""

import json
from pathlib import Path

import pytest

from designs import services
from designs.queries import document_of, document_of_version
from designs.queries.findings import findings
from designs.services.examples import example_document, load_example_design
from evaluation.assessment import parse
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks.compiling import few_cases_findings
from evaluation.designs.compilation import NotCompilableError, compile_values, pseudo_code, worked_example
from evaluation.designs.compilation.compiler import table_of
from evaluation.designs.completeness import completeness
from evaluation.designs.document import from_json
from evaluation.ranking import describe
from tests.unit.designs.world import person

ROOT = Path(__file__).resolve().parents[3]
SEGMENTATION = {
    "task_category": ["segmentation"],
    "regions": [{"name": "liver", "labels": ["1"]}, {"name": "tumour", "labels": ["2"]}],
    "metrics": [
        {"metric": "dsc", "used_for_ranking": True, "weight": 2},
        {"metric": "nsd", "options": {"tolerance": 2}, "used_for_ranking": True, "weight": 1},
    ],
    "ranking_type": "single_ranking",
    "ranking_method": [{"name": "R", "scheme": "metric_based", "operator": "mean", "metric_aggregation": "mean_rank"}],
    "tie_handling": "standard_competition",
    "missing_data_handling": "worst_value",
}


def compiled(**changes):
    task = {**SEGMENTATION, **changes}
    document, _ = from_json({"challenge": {}, "tasks": [task]}, catalogue=shipped())
    return compile_values(document.values("task-1"))


def example(name):
    document, problems = from_json(example_document(name), catalogue=shipped())
    assert problems == []
    return document


def row(**changes):
    return [{**SEGMENTATION["ranking_method"][0], **changes}]


@pytest.mark.parametrize("name", ["hippocampus", "nuclei"])
def test_the_design_of_an_example_challenge_compiles_to_the_assessment_that_it_runs(name):
    executed = json.loads((ROOT / f"examples/{name}/challenge.json").read_text())["assessment"]
    compilation = compile_values(example(name).values("task-1"))
    assert compilation.problems == ()
    assert compilation.assessment.digest == parse(executed).digest


@pytest.mark.django_db
def test_a_frozen_version_compiles_by_its_task():
    design, _ = load_example_design(name="hippocampus", owner=person("ada"))
    version = services.freeze_version(actor=None, design=design, name="Accepted")
    document = compile_values(document_of_version(version).values(document_key(design))).document
    assert parse(document).digest == compile_values(example("hippocampus").values("task-1")).assessment.digest


def document_key(design):
    return next(iter(document_of(design).tasks))


@pytest.mark.parametrize("name", ["hippocampus", "nuclei"])
def test_the_design_of_an_example_challenge_passes_the_gate(name):
    document = example(name)
    measured = completeness(document)
    assert measured.passes(0.9)
    assert [finding.check.id for finding in findings(document, phase="submission") if finding.blocks] == []


@pytest.mark.parametrize(
    ("changes", "parameter"),
    [
        ({"task_category": []}, "task_category"),
        (
            {
                "task_category": ["stitching"],
                "metrics": [{"name": {"other": "our own score"}, "used_for_ranking": True}],
            },
            "task_category",
        ),
        ({"task_category": ["segmentation", "classification"]}, "task_category"),
        ({"regions": []}, "regions"),
        ({"regions": [{"name": "liver"}]}, "regions"),
        ({"regions": [{"name": "liver", "labels": ["one"]}]}, "regions"),
        ({"metrics": []}, "metrics"),
        ({"metrics": [{"metric": "dsc"}]}, "metrics"),
        ({"metrics": [{"metric": "nsd", "used_for_ranking": True}]}, "metrics"),
        ({"metrics": [{"metric": "auroc", "used_for_ranking": True}]}, "metrics"),
        ({"metrics": [{"name": {"other": "our own score"}, "used_for_ranking": True}]}, "metrics"),
        ({"metrics": [{"metric": "nsd", "options": {"tolerance": -1}, "used_for_ranking": True}]}, "metrics"),
        ({"ranking_type": None}, "ranking_type"),
        ({"ranking_type": "no_ranking"}, "ranking_type"),
        ({"ranking_method": []}, "ranking_method"),
        ({"ranking_method": row(scheme="other")}, "ranking_method"),
        ({"ranking_method": row(operator=None)}, "ranking_method"),
        ({"ranking_method": row(operator="percentile")}, "ranking_method"),
        ({"ranking_method": row(metrics=["HD95"])}, "ranking_method"),
        ({"ranking_method": row(regions=["spleen"])}, "ranking_method"),
        ({"ranking_method": row(metric_aggregation=None)}, "ranking_method"),
        ({"ranking_method": row(metric_aggregation="score_sum")}, "ranking_method"),
        ({"ranking_method": row(scheme="test_based", statistical_test="t-test", alpha=0.05)}, "ranking_method"),
        ({"ranking_method": row(scheme="test_based", statistical_test="Wilcoxon signed rank")}, "ranking_method"),
        ({"tie_handling": None}, "tie_handling"),
        ({"tie_handling": "ordinal"}, "tie_handling"),
        ({"missing_data_handling": None}, "missing_data_handling"),
        ({"missing_data_handling": "ignored"}, "missing_data_handling"),
        ({"missing_data_handling": "as_in_reference"}, "missing_data_handling"),
    ],
)
def test_what_cannot_be_compiled_names_its_parameter(changes, parameter):
    compilation = compiled(**changes)
    assert parameter in {problem.parameter for problem in compilation.problems}
    assert compilation.assessment is None
    with pytest.raises(NotCompilableError):
        _ = compilation.document


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"scheme": "aggregate_then_rank", "operator": "mean", "ties": "min"}),
        ({"tie_handling": "fractional"}, {"ties": "average"}),
        ({"ranking_method": row(operator="worst")}, {"operator": {"percentile": 0.0, "from": "worse"}}),
        ({"ranking_method": row(operator="percentile", percentile=5)}, {"operator": {"percentile": 5.0, "from": "worse"}}),
        ({"ranking_method": row(scheme="case_based")}, {"scheme": "rank_then_aggregate"}),
        (
            {"ranking_method": row(scheme="test_based", statistical_test="Wilcoxon signed rank", alpha=0.01, multiplicity_adjustment="Holm")},
            {"scheme": "test_then_rank", "alpha": 0.01, "adjust": "holm"},
        ),
        ({"ranking_method": row(metrics=["DSC"])}, {"metrics": ["dsc"]}),
        ({"ranking_method": row(regions=["liver"])}, {"regions": ["liver"]}),
        ({"ranking_method": row(missing_rank="last")}, {"missing_rank": "last"}),
    ],
)  # fmt: skip
def test_a_ranking_row_becomes_a_scheme(changes, expected):
    ranking = compiled(**changes).document["ranking"]
    assert {key: ranking[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("changes", "over"),
    [
        ({}, [["metric", "region"]]),
        ({"region_aggregation": "regions_first"}, [["region"], ["metric"]]),
        ({"region_aggregation": "metrics_first"}, [["metric"], ["region"]]),
        ({"region_aggregation": "separate_rankings"}, [["metric"]]),
        ({"metric_aggregation": "separate_rankings"}, [["region"]]),
    ],
)
def test_metrics_and_regions_are_combined_as_the_design_says(changes, over):
    combine = compiled(ranking_method=row(**changes)).document["ranking"]["combine"]
    assert [step["over"] for step in combine] == over


def test_weights_come_from_the_table_of_metrics():
    ranking = compiled(ranking_method=row(metric_aggregation="weighted_mean_rank")).document["ranking"]
    assert ranking["combine"][0]["weights"] == {"metric": {"dsc": 2.0, "nsd": 1.0}}


def test_missing_results_take_the_last_rank_where_ranks_are_aggregated():
    document = compiled(missing_data_handling="worst_rank", ranking_method=row(scheme="case_based")).document
    assert document["metrics"][0]["policy"]["missing"] == "worst_rank"


def test_a_penalty_that_differs_from_the_worst_value_is_taken_over():
    metrics = [{"metric": "assd", "used_for_ranking": True, "worst_value": 50}]
    document = compiled(metrics=metrics).document
    assert document["metrics"][0]["policy"]["missing"] == 50


def test_options_stand_in_the_free_text_only_when_there_is_no_doubt():
    named = {"name": "normalized_surface_distance_nsd", "used_for_ranking": True}
    clear = compiled(metrics=[{**named, "parameters": "tolerance tau = 13 (inter-rater)"}])
    assert clear.document["metrics"][0]["options"]["tolerance"] == 13
    unclear = compiled(metrics=[{**named, "parameters": "tolerance in mm: Brain 5, Heart 4"}])
    assert "several values" in str(unclear.problems[0])


def test_one_metric_used_twice_has_two_names():
    metrics = [
        {
            "metric": "nsd",
            "options": {"tolerance": tolerance},
            "used_for_ranking": True,
            "abbreviation": f"NSD{tolerance}",
        }
        for tolerance in (1, 2)
    ]
    document = compiled(metrics=metrics, ranking_method=row(metrics=["NSD2"])).document
    assert [metric["name"] for metric in document["metrics"]] == ["nsd_1", "nsd_2"]
    assert document["ranking"]["metrics"] == ["nsd_2"]


def test_the_design_names_its_metrics_in_the_results():
    metrics = [
        {"metric": "nsd", "options": {"tolerance": 1}, "used_for_ranking": True, "result_name": "fine"},
        {"metric": "nsd", "options": {"tolerance": 2}, "used_for_ranking": True},
    ]
    document = compiled(metrics=metrics, ranking_method=row(metrics=["fine"])).document
    assert [metric["name"] for metric in document["metrics"]] == ["fine", "nsd"]
    assert document["ranking"]["metrics"] == ["fine"]


def test_groups_and_settings_of_the_uncertainty_are_taken_over():
    document = compiled(
        aggregation_levels=[{"name": "case"}, {"name": "patient", "role": "random"}],
        uncertainty_settings={"bootstrap": 200, "seed": 9, "interval": 0.9, "resample": ["patient", "case"]},
    ).document
    assert document["aggregation"]["levels"] == ["case", {"name": "patient", "role": "random"}]
    assert document["uncertainty"]["resample"] == ["patient", "case"]
    assert document["uncertainty"]["bootstrap"] == 200
    assert compiled(uncertainty_handling=["none"]).document["uncertainty"]["bootstrap"] == 0


def test_levels_carry_their_roles_and_a_fixed_one_is_a_stratum():
    compilation = compiled(aggregation_levels=[{"name": "case"}, {"name": "modality", "role": "fixed"}])
    assert compilation.document["aggregation"]["levels"] == ["case", {"name": "modality", "role": "fixed"}]
    assert compilation.assessment.uncertainty.strata == ("modality",)
    assert compilation.assessment.uncertainty.resample == ("case",)


def test_bare_level_whose_role_nothing_says_is_refused_with_the_question_to_be_answered():
    problems = compiled(aggregation_levels=[{"name": "case"}, {"name": "modality"}]).problems
    assert [problem.parameter for problem in problems] == ["aggregation_levels"]
    assert problems[0].message.startswith('aggregation.levels[1]: "modality": say whether it is "fixed" (these ')
    assert problems[0].message.endswith('all there are) or "random" (they are a sample)')


@pytest.mark.parametrize(
    ("name", "settings", "role"),
    [("patient", {}, "random"), ("site", {"resample": ["site"]}, "random"), ("site", {"resample": ["case"]}, "fixed")],
)
def test_bare_level_is_taken_where_its_role_follows(name, settings, role):
    compilation = compiled(aggregation_levels=[{"name": "case"}, {"name": name}], uncertainty_settings=settings)
    assert (name in compilation.assessment.aggregation.fixed) == (role == "fixed")


def test_winner_error_rate_strata_margin_and_unseen_failures_are_taken_over():
    metrics = [dict(one) for one in SEGMENTATION["metrics"]]
    metrics[0]["margin"] = 0.02
    document = compiled(
        metrics=metrics,
        uncertainty_settings={
            "winner_alpha": 0.01,
            "strata": ["scanner"],
            "unseen_failures": "jeffreys",
            "independent_of": ["site"],
        },
    ).document
    name = document["metrics"][0].get("name", document["metrics"][0]["id"])
    assert document["uncertainty"]["margin"] == {name: 0.02}
    assert document["uncertainty"]["winner_alpha"] == 0.01
    assert document["uncertainty"]["strata"] == ["scanner"]
    assert document["uncertainty"]["unseen_failures"] == "jeffreys"
    assert document["uncertainty"]["independent_of"] == ["site"]


def test_winner_error_rate_above_the_whole_error_is_refused_beside_its_field():
    problems = compiled(uncertainty_settings={"winner_alpha": 0.1, "interval": 0.95}).problems
    assert [problem.parameter for problem in problems] == ["uncertainty_settings"]


def test_the_pseudo_code_says_what_a_missing_result_counts_as():
    lines = pseudo_code(compiled().assessment)
    assert lines[:2] == ["for every algorithm", "  for every case"]
    assert "        if the result is missing or unreadable: dsc ← 0 (worst)" in lines
    assert any("repeat 1,000 times" in line for line in lines)


def test_the_pseudo_code_of_a_classification_speaks_of_answers_and_of_all_cases_together():
    document = {
        "problem": "image_classification",
        "regions": [{"name": "melanoma", "labels": ["melanoma"]}],
        "metrics": [{"id": "accuracy"}, {"id": "auroc"}],
    }
    text = "\n".join(pseudo_code(parse(document)))
    assert "a case without a valid answer counts as a wrong decision" in text
    assert "score ← one value over all cases" in text
    for of_masks in ("for every case", "mean over cases", "the prediction is empty", "both are empty"):
        assert of_masks not in text
    example_of_it = worked_example(parse(document))
    assert example_of_it.columns[:3] == ("Team", "Acc", "AUROC")
    assert "for one case" not in example_of_it.note


def test_the_worked_example_ranks_five_invented_teams():
    shown = worked_example(compiled().assessment)
    assert shown.columns == ("Team", "mean DSC", "mean NSD", "rank")
    ranks = {team: values[-1] for team, *values in shown.rows}
    assert set(ranks) == {"Alder", "Birch", "Cedar", "Dogwood", "Elm"}
    assert ranks["Birch"] == ranks["Dogwood"]
    assert ranks["Alder"] == "1"


@pytest.mark.parametrize(
    ("name", "task", "blocked"),
    [
        ("msd", "task-1", {"regions", "metrics"}),
        ("msd", "task-2", {"regions", "metrics"}),
        ("robustmis", "task-1", {"regions"}),
        ("robustmis", "task-2", set()),
        ("robustmis", "task-3", set()),
    ],
)
def test_designs_of_the_literature_compile_as_far_as_their_sources_go(name, task, blocked):
    compilation = compile_values(example(name).values(task), assume=True)
    assert {problem.parameter for problem in compilation.problems} == blocked
    assert compilation.parts["ranking"]
    assert compilation.assumptions
    assert (compilation.assessment is None) == bool(blocked)
    if compilation.assessment is not None:
        assert describe(compilation.assessment)
        assert worked_example(compilation.assessment).rows


def test_without_assumptions_the_unsaid_tie_rule_of_robustmis_blocks():
    compilation = compile_values(example("robustmis").values("task-2"))
    assert {problem.parameter for problem in compilation.problems} == {"tie_handling"}


@pytest.mark.parametrize(("name", "task", "rankings"), [("msd", "task-1", 1), ("robustmis", "task-1", 4)])
def test_the_ranking_presets_of_the_literature_run(name, task, rankings):
    preset = table_of(compile_values(example(name).values(task), assume=True))
    shown = worked_example(preset)
    assert len(shown.rankings) == rankings
    best = shown.rows[0]
    assert best[0] == "Alder"
    assert set(best[2:]) == {"1"}


@pytest.mark.django_db
def test_example_designs_load_once_with_their_mark_and_their_open_points():
    owner = person("ada")
    for name, legacy in (("msd", True), ("robustmis", True), ("hippocampus", False), ("nuclei", False)):
        design, is_new = load_example_design(name=name, owner=owner)
        assert is_new
        assert design.legacy_import is legacy
        assert design.origin["not_imported"] == []
        assert findings(document_of(design), design=design)
        assert load_example_design(name=name, owner=owner) == (design, False)


def test_pseudo_code_says_who_wins_within_what_cases_are_drawn_and_from_how_many_on():
    levels = [{"name": "case"}, {"name": "modality", "role": "fixed"}]
    lines = pseudo_code(compiled(aggregation_levels=levels, uncertainty_settings={"winner_alpha": 0.01}).assessment)
    assert "repeat 1,000 times: draw cases with replacement within each modality, rank again" in lines
    assert any(line.endswith("at an error of 0.01 with two algorithms and 0.01 with more; else none") for line in lines)
    # Its scores are combined ranks; those of a single mean are tested by flips.
    assert "  significant, by other scores: by inflated resamples, and still first with one more failed case" in lines
    one = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    assert "  significant: by sign flips and by bootstrap-t, and still first with one more failed unit" in pseudo_code(
        one
    )
    assert "  a winner can be named from 7 cases on" in lines


@pytest.mark.parametrize(("cases", "warned"), [(6, True), (7, False), (40, False)])
def test_design_with_too_few_test_cases_to_name_a_winner_is_warned(cases, warned):
    task = {**SEGMENTATION, "number_test_cases": cases}
    document, _ = from_json({"challenge": {}, "tasks": [task]}, catalogue=shipped())
    messages = [finding.message for finding in few_cases_findings(document)]
    expected = f"With {cases} test cases no winner can be named, whatever the results are; 7 cases are the least."
    assert messages == ([expected] if warned else [])


def test_what_a_characteristic_is_declared_to_be_is_what_its_column_is():
    declared = [
        {"name": "Smoke in view", "level": "image", "value_type": "binary"},
        {"name": "Age", "level": "patient", "value_type": "numeric"},
        {"name": "Visibility", "level": "image", "value_type": "ordinal"},
    ]
    assert compiled(image_characteristics=declared).assessment.columns == {"age": "number", "smoke_in_view": "yes_no"}
    own = [{"column": "age", "kind": "name"}]
    assert compiled(image_characteristics=declared, case_columns=own).assessment.columns["age"] == "name"


def test_a_design_with_quality_grades_is_shown_at_work():
    found = compiled(case_quality={"column": "grade", "insufficient": "excluded"})
    assert len(worked_example(found.assessment).rows) == 5

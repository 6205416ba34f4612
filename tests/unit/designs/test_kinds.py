"""Kinds of problems in designs: the kind of each task with its settings; every kind can run from a design."""

import pytest
from django.http import QueryDict

from designs.forms.posted import read_posted
from designs.forms.presenting import field_view
from evaluation import problems
from evaluation.assessment import parse
from evaluation.catalogue import OptionError, get
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks.compiling import kind_findings
from evaluation.designs.compilation import compile_values
from evaluation.designs.document import from_json
from evaluation.designs.document.typed import clean

KINDS = [kind for kind in problems.scored_problems() if kind.task_categories and kind.source == "podium"]
CATEGORIES = [choice.value for choice in shipped()["task_category"].choices]
EXECUTED = [category for category in CATEGORIES if problems.kinds_of_task_category(category)]


def task_of(kind, category, folder, **changes):
    """A task of the design catalogue with what the kind's own example is scored by."""
    document = kind.samples.write_challenge(folder / category)
    return {
        "task_category": [category],
        "problem_settings": {"kind": kind.id, "settings": document.get("settings")},
        "regions": [
            {"name": region["name"], "labels": [str(label) for label in region.get("labels", ())]}
            for region in document.get("regions", ())
        ],
        "metrics": [
            {"metric": entry["id"], "options": entry.get("options"), "policy": entry.get("policy"), "used_for_ranking": True}
            for entry in document["metrics"]
        ],
        "ranking_type": "single_ranking",
        "ranking_method": [
            {"name": "R", "scheme": "metric_based", "operator": "mean", "metric_aggregation": "mean_rank"}
        ],
        "tie_handling": "standard_competition",
        "missing_data_handling": "worst_value",
        **changes,
    }  # fmt: skip


def values_of(task):
    document, wrong = from_json({"challenge": {}, "tasks": [task]}, catalogue=shipped())
    assert wrong == []
    return document


def test_at_least_twelve_of_the_seventeen_categories_can_be_executed():
    assert len(CATEGORIES) == 17
    assert len(EXECUTED) >= 12


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_every_category_of_every_kind_compiles_to_what_its_example_is_scored_by(kind, tmp_path):
    executed = parse(kind.samples.write_challenge(tmp_path / "executed"))
    for category in kind.task_categories:
        compilation = compile_values(values_of(task_of(kind, category, tmp_path)).values("task-1"))
        assert compilation.problems == ()
        assert compilation.assessment.problem == kind.id
        assert compilation.assessment.settings == executed.settings
        assert [use.id for use in compilation.assessment.metrics] == [use.id for use in executed.metrics]


def test_what_a_kind_has_to_know_is_asked_for_where_it_is_entered(tmp_path):
    landmarks = problems.get("landmarks")
    cases = {
        "penalty": {"kind": "landmarks", "settings": {"unit": "mm"}},
        "settings.penalty": {"kind": "landmarks", "settings": {"unit": "mm", "penalty": -1}},
        "radius is no setting of landmarks; it takes unit, spacing, penalty": {
            "kind": "landmarks",
            "settings": {"penalty": 40, "radius": 2},
        },
    }
    for words, given in cases.items():
        task = task_of(landmarks, "localization", tmp_path, problem_settings=given)
        [problem] = compile_values(values_of(task).values("task-1")).problems
        assert problem.parameter == "problem_settings"
        assert words in problem.message


def test_a_kind_that_the_category_is_not_is_refused(tmp_path):
    given = {"kind": "survival", "settings": {}}
    task = task_of(problems.get("semantic_segmentation"), "segmentation", tmp_path, problem_settings=given)
    [problem] = compile_values(values_of(task).values("task-1")).problems
    assert (problem.parameter, "no survival" in problem.message) == ("problem_settings", True)
    _, [wrong] = from_json(
        {"challenge": {}, "tasks": [{**task, "problem_settings": {"kind": "stitching"}}]}, catalogue=shipped(), lenient=True
    )  # fmt: skip
    assert "none of the kinds" in str(wrong)


def test_the_kind_is_asked_for_where_category_and_metrics_fit_several(tmp_path):
    metrics = [{"metric": "auroc", "used_for_ranking": True}]
    kind = problems.get("image_classification")

    def asked(**changes):
        return [
            finding.check.message
            for finding in kind_findings(
                values_of(task_of(kind, "classification", tmp_path, **{"metrics": metrics, **changes}))
            )
        ]

    [question] = asked(problem_settings=None)
    assert question.startswith("Is it image classification or multilabel classification?")
    assert asked(problem_settings={"kind": "image_classification"}) == []
    assert asked(problem_settings=None, metrics=[{"metric": "hamming_loss", "used_for_ranking": True}]) == []


def post(**values):
    query = QueryDict(mutable=True)
    query.update({name.replace("__", "."): value for name, value in values.items()})
    return query


def test_the_form_asks_what_the_kind_declares_and_shows_it_again(tmp_path):
    parameter = shipped()["problem_settings"]
    task = task_of(problems.get("landmarks"), "localization", tmp_path)
    values = values_of(task).values("task-1")
    view = field_view(parameter, values.entry(parameter.id), values=values)
    inputs = {item.name: item for item in view.inputs}
    assert [option.value for option in inputs["value.kind"].options if option.value] == [
        kind.id for kind in problems.all_problems() if "localization" in kind.task_categories
    ]
    declared = [option.name for option in problems.get("landmarks").settings]
    assert [name for name in inputs if name.startswith("value.settings.")] == [f"value.settings.{n}" for n in declared]
    assert inputs["value.settings.penalty"].text == "40"
    sent = {item.name.replace(".", "__"): item.text for item in view.inputs if item.kind != "enum"}
    chosen = {"value__kind": "landmarks", "value__settings__unit": "mm", "value__settings__spacing": ""}
    posted = read_posted(parameter, post(**sent, **chosen))
    assert clean(parameter, posted.value) == {"kind": "landmarks", "settings": {"unit": "mm", "penalty": 40}}
    assert not posted.completed
    assert read_posted(parameter, post(**sent, **{**chosen, "value__kind": "object_detection"})).completed


@pytest.mark.parametrize(
    ("kinds", "metric", "options", "typed", "level"),
    [
        ({"object_detection"}, "fbeta", {}, "", "data_set"),
        ({"object_detection"}, "fbeta", {}, "case", "data_set"),
        ({"semantic_segmentation"}, "dsc", {}, "data_set", "case"),
        ({"semantic_segmentation"}, "dsc", {}, "class", "class"),
        ({"image_classification"}, "sensitivity", {}, "", "data_set"),
        (set(), "fbeta", {}, "", "case"),
        (set(), "fbeta", {}, "data_set", "data_set"),
        (set(), "auroc", {}, "", "data_set"),
    ],
)
def test_a_metric_of_the_platform_is_registered_per_what_it_is_computed(kinds, metric, options, typed, level):
    sent = {
        "row.0.metric": metric,
        "row.0.level": typed,
        **{f"row.0.options.{key}": text for key, text in options.items()},
    }
    query = QueryDict(mutable=True)
    query.update(sent)
    [row] = read_posted(shipped()["metrics"], query, kinds=kinds).value
    assert row["level"] == level


def test_lists_and_texts_of_settings_are_taken_as_written():
    parameter = shipped()["problem_settings"]
    posted = read_posted(
        parameter, post(value__kind="survival", value__settings__times="[6, 12]", value__settings__unit="months")
    )
    assert clean(parameter, posted.value) == {"kind": "survival", "settings": {"times": [6, 12], "unit": "months"}}


@pytest.mark.parametrize("percentile", [0, -5, 101, "many"])
def test_a_percentile_beyond_its_limits_is_refused(percentile):
    [option] = [option for option in get("tre").options if "object" in option.type]
    assert option.check({"percentile": 95}) == {"percentile": 95.0}
    with pytest.raises(OptionError):
        option.check({"percentile": percentile})
